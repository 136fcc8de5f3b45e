# SPDX-License-Identifier: Apache-2.0
"""Debian's protobuf under the names of the public recipe, so that Tenon's recipe can be tried without any remote."""
from conan import ConanFile
from conan.tools.files import copy, save

# The public recipe has such a module, too.
PROTOC = """\
if(NOT TARGET protobuf::protoc)
  add_executable(protobuf::protoc IMPORTED)
  set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION /usr/bin/protoc)
endif()
"""


class ProtobufConan(ConanFile):
    name = "protobuf"
    version = "3.21.12"
    settings = "os", "arch", "compiler", "build_type"
    package_type = "shared-library"

    def package(self):
        copy(self, "google/protobuf/*", src="/usr/include", dst=f"{self.package_folder}/include")
        save(self, f"{self.package_folder}/cmake/protoc.cmake", PROTOC)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "protobuf")
        self.cpp_info.set_property("cmake_build_modules", ["cmake/protoc.cmake"])
        library = self.cpp_info.components["libprotobuf"]
        library.set_property("cmake_target_name", "protobuf::libprotobuf")
        library.system_libs = ["protobuf", "pthread"]
        library.bindirs = []
        library.libdirs = []
