# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe of Tenon: conan create packaging/conan"""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, save
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


# The CUDA toolkit is not a Conan package: it is found where it is installed, when with_cuda asks for it.
CUDA = """\
find_package(CUDAToolkit REQUIRED)
set_property(TARGET tenon::cuda APPEND PROPERTY INTERFACE_LINK_LIBRARIES CUDA::cudart CUDA::cublas)
"""

# The classes of TensorFlow's messages are compiled in the consumer's build, by the protobuf that it has.
PROTOBUF = """\
include("${CMAKE_CURRENT_LIST_DIR}/TenonProtobuf.cmake")
tenon_add_protobuf()
set_property(TARGET tenon::protobuf APPEND PROPERTY INTERFACE_LINK_LIBRARIES tenon_protobuf_messages)
"""


class TenonConan(ConanFile):
    name = "tenon"
    description = "The core of TensorFlow as a header-only C++20 library"
    license = "Apache-2.0"
    topics = ("tensorflow", "machine-learning", "inference", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {f"with_{name}": [True, False] for name in ("eigen", "cuda", "protobuf", "re2", "image", "webp")}
    options["with_command"] = [True, False]  # the command tenon, with all ops: minutes to compile
    default_options = {name: False for name in options}
    no_copy_source = True

    def set_version(self):
        config = pathlib.Path(self.recipe_folder, "../../include/tenon/base/config.hpp").read_text()
        number = int(re.search(r"#define TENON_VERSION (\d+)", config).group(1))
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def export_sources(self):
        root = pathlib.Path(self.recipe_folder, "../..").resolve()
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "tools/tenon_ops_of.cpp", "tools/tenon/*"):
            copy(self, pattern, src=str(root), dst=self.export_sources_folder)

    def layout(self):
        basic_layout(self, src_folder=".")

    def requirements(self):
        if self.options.with_eigen:
            self.requires("eigen/[>=3.4 <6]", transitive_headers=True)
        if self.options.with_protobuf:
            self.requires("protobuf/[>=3.21]", transitive_headers=True)
        if self.options.with_re2:
            self.requires("re2/[>=20220601]", transitive_headers=True)
        if self.options.with_image:
            self.requires("libpng/[>=1.6 <2]", transitive_headers=True)
            self.requires("libjpeg-turbo/[>=2.1 <4]", transitive_headers=True)
        if self.options.with_webp:
            self.requires("libwebp/[>=1.2 <2]", transitive_headers=True)

    def package_id(self):
        if not self.info.options.with_command:
            self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        if self.options.with_command:
            toolchain = CMakeToolchain(self)
            for name in ("TESTS", "BENCH", "EXAMPLES"):
                toolchain.cache_variables[f"TENON_BUILD_{name}"] = False
            toolchain.cache_variables["TENON_BUILD_COMMAND"] = True
            for name in ("RE2", "IMAGE", "WEBP"):
                toolchain.cache_variables[f"TENON_WITH_{name}"] = bool(self.options.get_safe(f"with_{name.lower()}"))
            toolchain.generate()
            CMakeDeps(self).generate()

    def build(self):
        if self.options.with_command:
            cmake = CMake(self)
            cmake.configure()
            cmake.build(target="tenon_cli")

    def package(self):
        if self.options.with_command:
            copy(self, "tenon", src=str(pathlib.Path(self.build_folder, "bin")),
                 dst=str(pathlib.Path(self.package_folder, "bin")))
        copy(self, "LICENSE", src=self.source_folder, dst=str(pathlib.Path(self.package_folder, "licenses")))
        for pattern in ("*.hpp", "*.cuh", "*.h", "tenon/compat/include/third_party/*"):
            copy(self, pattern, src=str(pathlib.Path(self.source_folder, "include")),
                 dst=str(pathlib.Path(self.package_folder, "include")))
        cmake = pathlib.Path(self.package_folder, "cmake")
        for pattern in ("TenonKernels.cmake", "tenon_*.cpp", "TenonProtobuf.cmake", "protobuf/*"):
            copy(self, pattern, src=str(pathlib.Path(self.source_folder, "cmake")), dst=str(cmake))
        copy(self, "tenon_ops_of.cpp", src=str(pathlib.Path(self.source_folder, "tools")), dst=str(cmake))
        save(self, str(cmake / "TenonCuda.cmake"), CUDA)
        save(self, str(cmake / "TenonProtobufMessages.cmake"), PROTOBUF)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Tenon")
        # Conan's target of the whole package links every component; tenon::tenon is the first component alone.
        self.cpp_info.set_property("cmake_target_name", "tenon::all_components")
        self.cpp_info.set_property("pkg_config_name", "tenon")
        modules = ["cmake/TenonKernels.cmake"] + (["cmake/TenonCuda.cmake"] if self.options.with_cuda else [])
        if self.options.with_protobuf:
            modules.append("cmake/TenonProtobufMessages.cmake")
        self.cpp_info.set_property("cmake_build_modules", modules)

        core = self.cpp_info.components["tenon"]
        core.set_property("cmake_target_name", "tenon::tenon")
        core.set_property("pkg_config_name", "tenon")
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread", "dl"]
        components = {"eigen": ["eigen::eigen"], "cuda": [], "protobuf": ["protobuf::libprotobuf"], "re2": ["re2::re2"],
                      "image": ["libpng::libpng", "libjpeg-turbo::libjpeg-turbo"], "webp": ["libwebp::libwebp"]}
        for name, requires in components.items():
            if self.options.get_safe(f"with_{name}"):
                component = self.cpp_info.components[name]
                component.set_property("cmake_target_name", f"tenon::{name}")
                component.requires = ["tenon"] + requires
                if name in ("re2", "image", "webp"):
                    component.defines = [f"TENON_WITH_{name.upper()}"]
        if self.options.with_eigen:  # headers by TensorFlow's paths
            component = self.cpp_info.components["tensorflow_compat"]
            component.set_property("cmake_target_name", "tenon::tensorflow_compat")
            component.requires = ["eigen"]
            component.includedirs = ["include/tenon/compat/include"]
        if self.options.with_command:
            self.buildenv_info.append_path("PATH", str(pathlib.Path(self.package_folder, "bin")))
            self.runenv_info.append_path("PATH", str(pathlib.Path(self.package_folder, "bin")))
        for component in self.cpp_info.components.values():
            component.bindirs = []
            component.libdirs = []
