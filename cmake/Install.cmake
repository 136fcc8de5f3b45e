# SPDX-License-Identifier: Apache-2.0
# Headers, CMake package and pkg-config file. Nothing depends on the architecture, so all of it goes below share/.
# The component `headers` has all of this; the command is the component `command`.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME headers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/Tenon)
install(TARGETS tenon EXPORT TenonTargets)
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING REGEX "\\.(hpp|cuh|h)$" REGEX "/third_party/eigen3/")
install(EXPORT TenonTargets NAMESPACE tenon:: DESTINATION ${package_dir})
foreach(component IN ITEMS eigen cuda protobuf re2 image webp)
  install(TARGETS tenon_${component} EXPORT TenonTargets_${component})
  if(component STREQUAL "eigen")
    install(TARGETS tenon_tensorflow_compat EXPORT TenonTargets_eigen)
  endif()
  install(EXPORT TenonTargets_${component} NAMESPACE tenon:: DESTINATION ${package_dir})
endforeach()

configure_package_config_file(cmake/TenonConfig.cmake.in ${PROJECT_BINARY_DIR}/TenonConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/TenonConfig.cmake ${PROJECT_BINARY_DIR}/TenonConfigVersion.cmake
              cmake/TenonDependencies.cmake cmake/TenonKernels.cmake cmake/TenonProtobuf.cmake
              cmake/tenon_gradients.cpp cmake/tenon_runtime.cpp cmake/tenon_saved_model.cpp
              cmake/tenon_tensorflow_plugin.cpp tools/tenon_ops_of.cpp
        DESTINATION ${package_dir})
install(DIRECTORY cmake/protobuf DESTINATION ${package_dir})

# From share/pkgconfig to the prefix, so that the file can be moved with its tree.
file(RELATIVE_PATH TENON_PC_PREFIX "/${CMAKE_INSTALL_DATADIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" TENON_PC_PREFIX "${TENON_PC_PREFIX}")
configure_file(cmake/tenon.pc.in ${PROJECT_BINARY_DIR}/tenon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

if(PROJECT_IS_TOP_LEVEL AND NOT SKBUILD)
  include(cmake/Packages.cmake)
endif()
