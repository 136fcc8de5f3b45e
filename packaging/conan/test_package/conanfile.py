# SPDX-License-Identifier: Apache-2.0
"""Defines an op, registers it and runs it with the package. With protobuf: reads a graph as a class of protobuf's."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class TenonTestConan(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "consumer"), env="conanrun")
            if self.dependencies["tenon"].options.with_protobuf:
                self.run(os.path.join(self.cpp.build.bindir, "protobuf_consumer"), env="conanrun")
