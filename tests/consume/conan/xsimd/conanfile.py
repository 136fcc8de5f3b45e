# SPDX-License-Identifier: Apache-2.0
"""Debian's xsimd under the names of the public recipe, so that Tenon's recipe can be tried without any remote."""
from conan import ConanFile
from conan.tools.files import copy


class XsimdConan(ConanFile):
    name = "xsimd"
    version = "8.1.0"
    package_type = "header-library"

    def package(self):
        copy(self, "xsimd/*", src="/usr/include", dst=f"{self.package_folder}/include")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "xsimd")
        self.cpp_info.set_property("cmake_target_name", "xsimd")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
