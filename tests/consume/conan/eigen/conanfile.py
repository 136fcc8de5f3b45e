# SPDX-License-Identifier: Apache-2.0
"""Debian's Eigen under the names of the public recipe, so that Tenon's recipe can be tried without any remote."""
from conan import ConanFile
from conan.tools.files import copy


class EigenConan(ConanFile):
    name = "eigen"
    version = "3.4.0"
    package_type = "header-library"

    def package(self):
        for pattern in ("Eigen/*", "unsupported/*"):
            copy(self, pattern, src="/usr/include/eigen3", dst=f"{self.package_folder}/include/eigen3")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Eigen3")
        self.cpp_info.set_property("cmake_target_name", "Eigen3::Eigen")
        self.cpp_info.includedirs = ["include/eigen3"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
