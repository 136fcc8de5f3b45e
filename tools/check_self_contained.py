#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every header of include/tenon alone (and twice in one file): C++20, all warnings as errors, with
-fno-exceptions -fno-rtti. nvcc, where it is among the compilers, compiles its own headers (.cuh) and <tenon/tenon.hpp>,
host side and all."""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror']
FLAGS = ['-std=c++20', '-fno-exceptions', '-fno-rtti', '-fsyntax-only', '-x', 'c++']


def command(compiler, includes, systems, source):
    is_nvcc = pathlib.Path(compiler).name.startswith('nvcc')
    paths = [f'-I{path}' for path in includes] + [part for path in systems for part in ('-isystem', path)]
    if is_nvcc:
        return [compiler, '-std=c++20', '-x', 'cu', '-arch=sm_80', '-c', '-o', os.devnull, *paths, source]
    return [compiler, *FLAGS, *WARNINGS, *paths, source]


def check(compiler, header, args, folder):
    source = pathlib.Path(folder) / f'{pathlib.Path(compiler).name}_{header.replace("/", "_")}.cpp'
    source.write_text(f'#include <{header}>\n#include <{header}>  // a second time\n')
    result = subprocess.run(command(compiler, args.include, args.system, str(source)), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    return compiler, header, result.returncode, result.stdout


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--compiler', action='append', help='g++, clang++-19, nvcc; may be repeated')
    parser.add_argument('--include', action='append', default=[str(root / 'include')], help='folder for -I')
    parser.add_argument('--system', action='append', default=[], help='folder for -isystem')
    parser.add_argument('--only', default='', help='only headers whose name contains this')
    parser.add_argument('--part', default='0/1', metavar='I/N', help='every N-th header only, from the I-th on (from 0)')
    args = parser.parse_args()
    if not args.system and pathlib.Path('/usr/include/eigen3').is_dir():
        args.system = ['/usr/include/eigen3']
    compilers = args.compiler or ['g++']
    for compiler in compilers:
        if not shutil.which(compiler):
            sys.exit(f'check_self_contained: there is no {compiler}')

    headers = [path.relative_to(root / 'include').as_posix() for path in sorted((root / 'include').rglob('*.[hc]*'))]
    # Written from a list; each only includes headers that are compiled here, and Eigen's or Abseil's.
    headers = [header for header in headers if not header.startswith('tenon/compat/include/')]
    part, parts = map(int, args.part.split('/'))
    def is_for(compiler, header):
        for_nvcc = pathlib.Path(compiler).name.startswith('nvcc')
        return header.endswith('.cuh') == for_nvcc or (for_nvcc and header == 'tenon/tenon.hpp')

    jobs = []
    for header in headers[part % parts::parts]:
        for compiler in compilers:
            if args.only in header and is_for(compiler, header):
                jobs.append((compiler, header))
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for compiler, header, code, output in pool.map(lambda job: check(*job, args, folder), jobs):
            if code:
                failed += 1
                print(f'{compiler} <{header}>\n{output}')
    print(f'{len(headers)} headers alone with {", ".join(compilers)}: {len(jobs) - failed} passed, {failed} failed')
    return 1 if failed or not jobs else 0


if __name__ == '__main__':
    sys.exit(main())
