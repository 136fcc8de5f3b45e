# SPDX-License-Identifier: Apache-2.0
# The version stands in one place, include/tenon/base/config.hpp; everybody else reads it from there.

# tenon_read_version(OUT): sets OUT to "major.minor.patch".
function(tenon_read_version out)
  set(config "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/tenon/base/config.hpp")
  file(STRINGS "${config}" line REGEX "^#define TENON_VERSION [0-9]+$")
  if(NOT line MATCHES "TENON_VERSION ([0-9]+)")
    message(FATAL_ERROR "${config} does not define TENON_VERSION as a number")
  endif()
  math(EXPR major "${CMAKE_MATCH_1} / 10000")
  math(EXPR minor "${CMAKE_MATCH_1} / 100 % 100")
  math(EXPR patch "${CMAKE_MATCH_1} % 100")
  set(${out} "${major}.${minor}.${patch}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${config}")
endfunction()
