# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB: libtenon-dev with the headers, and tenon with the command where it is built (TENON_BUILD_COMMAND).
# cpack -G TGZ: an archive of each.
set(CPACK_PACKAGE_CONTACT "Tenon's authors <tenon@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "TensorFlow's Core Framework and Core Runtime as C++20 headers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL headers)
set(CPACK_COMPONENT_HEADERS_DESCRIPTION
    "Headers and CMake package.\nPrograms that include them run, extend and train TensorFlow models.\nNothing is linked.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_HEADERS_PACKAGE_NAME libtenon-dev)
set(CPACK_DEBIAN_HEADERS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_HEADERS_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_HEADERS_PACKAGE_SUGGESTS "libeigen3-dev, libre2-dev, libpng-dev, libjpeg-dev, libwebp-dev")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtenon-dev RENAME copyright)

if(TENON_BUILD_COMMAND)
  list(APPEND CPACK_COMPONENTS_ALL command)
  set(CPACK_COMPONENT_COMMAND_DESCRIPTION
      "Command for TensorFlow models.\nIt shows, runs, times, traces, checks and converts them.")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tenon)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tenon RENAME copyright COMPONENT command)
endif()
include(CPack)
