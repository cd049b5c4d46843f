# Installs the library, the public headers, the tools and the files of find_package(tenon).

if(NOT TENON_INSTALL OR NOT TARGET tenon)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
install(TARGETS tenon EXPORT tenonTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tenon)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tenon FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
add_custom_target(tenon_installed DEPENDS tenon)  # what an installation needs, without tests
install(DIRECTORY ${TENON_GENERATED_DIR}/tenon/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon COMPONENT tenon OPTIONAL)
foreach(tool tenon-opt tenon-run)
  if(TARGET ${tool})
    add_dependencies(tenon_installed ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tenon)
  endif()
endforeach()
install(EXPORT tenonTargets NAMESPACE tenon:: DESTINATION ${package_folder} COMPONENT tenon)
configure_package_config_file(cmake/tenonConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/tenonConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tenonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenonConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tenonConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT tenon)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tenon COMPONENT tenon)

# Stripped, but a debugger still finds the two names of its JIT interface.
if(CMAKE_BUILD_TYPE MATCHES "Release|MinSizeRel" AND NOT CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  find_program(TENON_STRIP NAMES llvm-strip HINTS ${LLVM_TOOLS_BINARY_DIR})
  mark_as_advanced(TENON_STRIP)
  if(TENON_STRIP)
    install(CODE "
      set(library \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:tenon>\")
      execute_process(COMMAND ${TENON_STRIP} --strip-all --keep-symbol=__jit_debug_register_code
                      --keep-symbol=__jit_debug_descriptor \"\${library}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT tenon)
    foreach(tool tenon-opt tenon-run)
      if(TARGET ${tool})
        install(CODE "
          execute_process(COMMAND ${TENON_STRIP} --strip-all
            \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${tool}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT tenon)
      endif()
    endforeach()
  endif()
endif()
