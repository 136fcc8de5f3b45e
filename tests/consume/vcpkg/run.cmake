# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=... -DWORK=... -DCMAKE_CXX_COMPILER=... -P run.cmake
# Runs packaging/vcpkg/portfile.cmake as vcpkg does, with plain CMake in the place of vcpkg's helpers, and checks the
# package that comes out: WORK/packages/tenon, copied to WORK/installed. Eigen is the system's.
cmake_minimum_required(VERSION 3.22)
set(port_dir "${ROOT}/packaging/vcpkg")

# vcpkg gives a port its name and the features asked for; the manifest says which there are.
file(READ "${port_dir}/vcpkg.json" manifest)
string(JSON PORT GET "${manifest}" name)
string(JSON VERSION GET "${manifest}" version)
include("${ROOT}/cmake/Version.cmake")
tenon_read_version(version_of_header)
if(NOT VERSION STREQUAL version_of_header)
  message(FATAL_ERROR "vcpkg.json says version ${VERSION}, config.hpp ${version_of_header}")
endif()
set(FEATURES core)
set(CURRENT_PACKAGES_DIR "${WORK}/packages/${PORT}")
set(CURRENT_BUILDTREES_DIR "${WORK}/buildtrees/${PORT}")
file(REMOVE_RECURSE "${WORK}/packages" "${WORK}/installed")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature variable)
    string(JSON unused ERROR_VARIABLE error GET "${manifest}" features ${feature})
    if(error)
      message(FATAL_ERROR "portfile.cmake: the manifest has no feature '${feature}'")
    endif()
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${variable}=ON)
    else()
      list(APPEND options -D${variable}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${CURRENT_BUILDTREES_DIR} -G Ninja --log-level=WARNING
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${CURRENT_BUILDTREES_DIR} --target install -- --quiet)
endfunction()

function(vcpkg_cmake_config_fixup) # moves the CMake package to share/PACKAGE_NAME, where its way to the prefix is shorter
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*")
  if(NOT files)
    message(FATAL_ERROR "portfile.cmake: nothing was installed in ${arg_CONFIG_PATH}")
  endif()
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REPLACE "/../../../\"" "/../../\"" text "${text}")
    string(REGEX REPLACE "(get_filename_component\\(_IMPORT_PREFIX \"\\\${CMAKE_CURRENT_LIST_FILE}\" PATH\\)).*\nif\\(_IMPORT_PREFIX"
           "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nif(_IMPORT_PREFIX"
           text "${text}")
    cmake_path(GET file FILENAME name)
    file(WRITE "${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME}/${name}" "${text}")
  endforeach()
  cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${parent}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  configure_file("${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" COPYONLY)
endfunction()

include("${port_dir}/portfile.cmake")

# What vcpkg itself refuses after a build.
foreach(file IN ITEMS include/tenon/tenon.hpp share/tenon/TenonConfig.cmake share/tenon/TenonTargets.cmake
                      share/tenon/copyright share/tenon/usage)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(FATAL_ERROR "the package lacks ${file}")
  endif()
endforeach()
foreach(folder IN ITEMS debug lib share/cmake)
  if(EXISTS "${CURRENT_PACKAGES_DIR}/${folder}")
    message(FATAL_ERROR "the package must not have ${folder}")
  endif()
endforeach()
file(GLOB_RECURSE files "${CURRENT_PACKAGES_DIR}/share/*")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  string(FIND "${text}" "${WORK}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${file} contains an absolute path of this machine")
  endif()
endforeach()
file(RENAME "${CURRENT_PACKAGES_DIR}" "${WORK}/installed")
