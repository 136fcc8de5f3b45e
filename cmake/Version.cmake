# SPDX-License-Identifier: Apache-2.0
# The version stands in one place, include/tenon/base/config.hpp; everybody else reads it from there.

# tenon_read_version(OUT): sets OUT to "major.minor.patch".
function(tenon_read_version out)
  set(config "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/tenon/base/config.hpp")
  file(STRINGS "${config}" lines REGEX "^#define TENON_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
  set(version "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    if(NOT "${lines}" MATCHES "TENON_VERSION_${part} ([0-9]+)")
      message(FATAL_ERROR "${config} does not define TENON_VERSION_${part} as a number")
    endif()
    list(APPEND version ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN version "." version)
  set(${out} "${version}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${config}")
endfunction()
