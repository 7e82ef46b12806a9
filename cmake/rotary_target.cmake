# Compiler settings that every target of this project shares; none of them reach the users of the library.

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ROTARY_CCACHE ccache)
  mark_as_advanced(ROTARY_CCACHE)
  if(ROTARY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ROTARY_CCACHE})
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

function(rotary_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               POSITION_INDEPENDENT_CODE ON)
  # Tables and fingerprints are the same on every machine: fused multiply-add only where it is written.
  target_compile_options(
    ${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wconversion $<$<BOOL:${ROTARY_WERROR}>:-Werror>
                      # Clang counts sign conversions among -Wconversion, GCC does not; both follow GCC.
                      $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-sign-conversion>
                      # GCC 12 warns inside std::string's operator+ (GCC bug 105651).
                      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
endfunction()

# rotary_layer(rotary_<layer> [USES <target>...] SOURCES <file>...): one layer of the library. USES is private: a
# dependency that no public header shows.
function(rotary_layer target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  add_library(${target} STATIC ${arg_SOURCES})
  rotary_target(${target})
  target_include_directories(
    ${target}
    PUBLIC ${PROJECT_SOURCE_DIR}/include
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE ${arg_USES})
endfunction()

# rotary_exports(<target>): of a shared library, nothing is exported but what ROTARY_API marks. (Hidden visibility alone
# leaves templates of the standard library and of Highway.)
function(rotary_exports target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY AND CMAKE_SYSTEM_NAME STREQUAL Linux)
    set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${exports})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
  endif()
endfunction()
