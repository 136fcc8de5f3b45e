# SPDX-License-Identifier: Apache-2.0
"""Where the headers and the CMake package of Tenon are. The library itself is C++."""
import pathlib

__all__ = ['get_cmake_dir', 'get_include', 'get_prefix']


def get_prefix():
    """Returns the folder for CMAKE_PREFIX_PATH."""
    return str(pathlib.Path(__file__).resolve().parent)


def get_include():
    """Returns the folder for the compiler's -I."""
    return str(pathlib.Path(get_prefix(), 'include'))


def get_cmake_dir():
    """Returns the folder of TenonConfig.cmake, for Tenon_DIR."""
    return str(pathlib.Path(get_prefix(), 'share', 'cmake', 'Tenon'))
