# SPDX-License-Identifier: Apache-2.0
"""python -m tenon --includes | --include-dir | --cmake-dir | --prefix"""
import argparse

from . import get_cmake_dir, get_include, get_prefix


def main():
    parser = argparse.ArgumentParser(prog='python -m tenon', description='Paths of Tenon for compilers and CMake.')
    ask = parser.add_mutually_exclusive_group(required=True)
    for option, text, value in (('--includes', 'the compiler option for the headers', '-I' + get_include()),
                                ('--include-dir', 'the folder of the headers', get_include()),
                                ('--cmake-dir', 'the folder of TenonConfig.cmake', get_cmake_dir()),
                                ('--prefix', 'the folder for CMAKE_PREFIX_PATH', get_prefix())):
        ask.add_argument(option, action='store_const', const=value, dest='value', help=text)
    print(parser.parse_args().value)


if __name__ == '__main__':
    main()
