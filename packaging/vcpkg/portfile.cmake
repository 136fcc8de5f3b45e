# SPDX-License-Identifier: Apache-2.0
# An overlay port: vcpkg install tenon --overlay-ports=packaging/vcpkg builds the checkout it lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release) # header-only: nothing differs in a debug build

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES
    command  TENON_BUILD_COMMAND
    cuda     TENON_WITH_CUDA
    eigen    TENON_WITH_EIGEN
    image    TENON_WITH_IMAGE
    protobuf TENON_WITH_PROTOBUF
    re2      TENON_WITH_RE2
    webp     TENON_WITH_WEBP
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DTENON_BUILD_TESTS=OFF
        -DTENON_BUILD_BENCH=OFF
        -DTENON_BUILD_EXAMPLES=OFF
        ${FEATURE_OPTIONS}
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tenon CONFIG_PATH share/cmake/Tenon)
vcpkg_fixup_pkgconfig()
if("command" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES tenon AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/lib")

vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
