# What `cmake --install` lays out: the library, its headers, the CMake package, rotary.pc and the programs.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rotary)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rotary DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(TARGETS librotary EXPORT rotary-targets)
install(EXPORT rotary-targets NAMESPACE rotary:: DESTINATION ${package_dir})

# Before 1.0 a minor version may break: same minor version, or not compatible.
write_basic_package_version_file(rotary-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/rotary-config.cmake.in rotary-config.cmake INSTALL_DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/rotary-config.cmake ${PROJECT_BINARY_DIR}/rotary-config-version.cmake
        DESTINATION ${package_dir})

# Relative to itself, so that `cmake --install --prefix` and a moved tree work; an absolute folder stays what it is.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(dir includedir libdir)
  string(TOUPPER CMAKE_INSTALL_${dir} given)
  set(pc_${dir} "\${prefix}")
  cmake_path(APPEND pc_${dir} "${${given}}")
endforeach()
if(ROTARY_YAML)
  set(pc_requires_yaml ", yaml-0.1")
endif()
configure_file(cmake/rotary.pc.in rotary.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rotary.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(ROTARY_BUILD_CLI)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(rotary PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS rotary)
  if(ROTARY_BUILD_NN)
    set(module_dir ${CMAKE_INSTALL_LIBDIR}/rotary)
    set_target_properties(rotary-nn PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}/rotary")
    install(TARGETS rotary-nn)
    install(TARGETS rotary-sentencepiece LIBRARY DESTINATION ${module_dir})
  endif()
endif()
