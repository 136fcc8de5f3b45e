#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The printers of tools/debug/tenon_gdb.py in a running gdb: printers_test.py [g++|clang++-19]..."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WANTED = {
    'ok': 'OK',
    'error': "kNotFound: no file 'x'",
    'result': 'OK = {value = 7}',
    'failed': "kNotFound: no file 'x'",
    'floats': 'Tensor kFloat [2,3] {1, 2.5, 3, 4, 5, 6}',
    'many': 'Tensor kInt32 [1,2,3,4,5,6] {0, 0, 0, 0, 0, 0, 0, 0, ...}',
    'none': 'Tensor kDouble [0] without a buffer',
    'shape': '[4,5]',
    'partial': '[?,3]',
    'unknown': '<unknown>',
    'list': '3 items = {3, 1, 4}',
    'span': '3 items = {3, 1, 4}',
    'nothing': 'null',
}


def main():
    failed = 0
    for compiler in sys.argv[1:] or ['g++']:
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, 'printers')
            subprocess.run([compiler, '-std=c++20', '-O0', '-g', f'-I{ROOT}/include', str(ROOT / 'tests/debug/printers.cpp'), '-o',
                            str(program), '-pthread'], check=True)
            commands = [f'source {ROOT}/tools/debug/tenon_gdb.py', 'break Stop', 'run', 'up',
                        *(f'printf "{name}: "\nprint {name}' for name in WANTED)]
            script = pathlib.Path(folder, 'commands')
            script.write_text('\n'.join(commands) + '\n')
            output = subprocess.run(['gdb', '-nx', '-batch', '-x', str(script), str(program)], capture_output=True, text=True).stdout
        shown = {}
        for line in output.splitlines():
            name, _, text = line.partition(': $')
            if text:
                shown[name] = text.partition(' = ')[2]
        for name, text in WANTED.items():
            if shown.get(name) != text:
                failed += 1
                print(f'{compiler}: {name} is shown as {shown.get(name)!r}, wanted {text!r}')
    passed = len(WANTED) * max(len(sys.argv) - 1, 1) - failed
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
