#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every file of tests/compile_fail, each of which holds a mistake. It must be refused, and what the compiler
says must contain the text of the file's first line, `// expect: <text>`, in at most as many lines as a second line
`// max-lines: <n>` says (60 without it). A file may hold several mistakes, each but the first below a line
`// expect: <text>` of its own; then the compiler must say each text, and has 60 lines for each.
Prints a table of output lines, one column per compiler, and what went wrong."""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_COMPILERS = ['g++', 'clang++-19']
DEFAULT_MAX_LINES = 60


def read_wishes(path):
    """(expected texts, most lines) of a file."""
    lines = path.read_text().splitlines() + ['', '']
    if not lines[0].startswith('// expect: '):
        sys.exit(f'compile_fail: the first line of {path} must be "// expect: <text>"')
    texts = [line.removeprefix('// expect: ').strip() for line in lines if line.startswith('// expect: ')]
    if len(set(texts)) < len(texts):
        sys.exit(f'compile_fail: {path} expects one text twice')
    max_lines = DEFAULT_MAX_LINES * len(texts)
    if lines[1].startswith('// max-lines: '):
        max_lines = int(lines[1].removeprefix('// max-lines: '))
    return texts, max_lines


def flags_of(compiler):
    """nvcc reads the file as CUDA, so that the GPU's kernels are looked at, with the type of a GPU."""
    if pathlib.Path(compiler).name == 'nvcc':
        return ['-x', 'cu', '-include', 'tenon/device/cuda.cuh', '-c', '-o', os.devnull]
    return ['-Wall', '-fsyntax-only', '-fmessage-length=0']


def compile_file(compiler, path, args):
    """(lines of output, complaint or '')."""
    expected, max_lines = read_wishes(path)
    command = [compiler, '-std=c++20', *flags_of(compiler), *args.flag]
    command += [f'-I{path}' for path in args.include] + [part for path in args.system for part in ('-isystem', path)]
    result = subprocess.run([*command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                            env=dict(os.environ, LC_ALL='C'))
    count = len(result.stdout.splitlines())
    if result.returncode == 0:
        return count, 'was compiled, but should not be'
    for text in expected:
        if text not in result.stdout:
            return count, f'does not say "{text}"; it says:\n{result.stdout}'
    if count > max_lines:
        return count, f'takes {count} lines, more than {max_lines}:\n{result.stdout}'
    return count, ''


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--compiler', action='append', help='may be repeated; default: those present of ' + ', '.join(DEFAULT_COMPILERS))
    parser.add_argument('--include', action='append', default=[str(ROOT / 'include')], help='folder for -I')
    parser.add_argument('--system', action='append', default=[], help='folder for -isystem')
    parser.add_argument('--flag', action='append', default=[], help='one more compiler flag: --flag=-O2')
    parser.add_argument('--only', default='', help='only files whose name contains this')
    args = parser.parse_args()
    if not args.system and pathlib.Path('/usr/include/eigen3').is_dir():
        args.system = ['/usr/include/eigen3']
    compilers = args.compiler or [name for name in DEFAULT_COMPILERS if shutil.which(name)]
    for compiler in compilers:
        if not shutil.which(compiler):
            sys.exit(f'compile_fail: there is no {compiler}')
    files = [path for path in sorted((ROOT / 'tests/compile_fail').glob('*.cpp')) if args.only in path.name]
    if not files or not compilers:
        sys.exit('compile_fail: no file or no compiler to check')

    jobs = [(compiler, path) for path in files for compiler in compilers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(jobs, pool.map(lambda job: compile_file(*job, args), jobs)))
    width = max(len(path.stem) for path in files)
    names = [pathlib.Path(compiler).name for compiler in compilers]
    print('lines of compiler output'.ljust(width), *(name.rjust(max(len(name), 6)) for name in names))
    for path in files:
        cells = []
        for compiler, name in zip(compilers, names):
            count, complaint = results[compiler, path]
            cells.append(('FAILED' if complaint else str(count)).rjust(max(len(name), 6)))
        print(path.stem.ljust(width), *cells)
    failed = 0
    for (compiler, path), (_, complaint) in results.items():
        if complaint:
            failed += 1
            print(f'\n{path.relative_to(ROOT)} with {compiler} {complaint}')
    print(f'{len(jobs) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
