# rotary_embed(<target> <text file> HEADER <file.h> FUNCTION <name>): compiles a text file into a target.
#
# Generates a source file that defines `std::string_view rotary::detail::<name>()`, which <file.h> declares; made again
# whenever the text changes. Run as a script (cmake -P), this file is the generator.

function(rotary_embed target text)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "HEADER;FUNCTION" "")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cc)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DTEXT=${CMAKE_CURRENT_SOURCE_DIR}/${text} -DSOURCE=${source} -DHEADER=${arg_HEADER}
            -DFUNCTION=${arg_FUNCTION} -P ${script}
    DEPENDS ${text} ${script}
    COMMENT "Embedding ${text}"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ "${TEXT}" rest)
  get_filename_component(name "${TEXT}" NAME)
  file(WRITE "${SOURCE}" "// Generated from ${name}.\n#include \"${HEADER}\"\n\nnamespace rotary::detail {\n\n"
                         "std::string_view ${FUNCTION}() {\n  static constexpr char text[] =\n")
  # Compilers limit the length of one literal, not of adjacent ones: cut at line ends, about every 8 kB.
  string(LENGTH "${rest}" length)
  while(length GREATER 0)
    string(SUBSTRING "${rest}" 0 8000 chunk)
    string(FIND "${chunk}" "\n" cut REVERSE)
    math(EXPR cut "${cut} + 1")
    if(length LESS_EQUAL 8000 OR cut EQUAL 0)
      string(LENGTH "${chunk}" cut)
    endif()
    string(SUBSTRING "${rest}" 0 ${cut} chunk)
    string(SUBSTRING "${rest}" ${cut} -1 rest)
    file(APPEND "${SOURCE}" "R\"rotary(${chunk})rotary\"\n")
    string(LENGTH "${rest}" length)
  endwhile()
  file(APPEND "${SOURCE}" "\"\";\n  return {text, sizeof text - 1};\n}\n\n}  // namespace rotary::detail\n")
endif()
