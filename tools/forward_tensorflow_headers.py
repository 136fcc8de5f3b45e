#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes include/tenon/compat/include, the headers by TensorFlow's paths, from tools/tensorflow_headers.txt.

With --check it writes nothing and fails if the folder differs from the list.
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / 'tools/tensorflow_headers.txt'
FOLDER = ROOT / 'include/tenon/compat/include'
PLACES = {  # TensorFlow's support library has moved three times
    'PLATFORM/': ['tensorflow/core/platform/', 'tsl/platform/', 'tensorflow/tsl/platform/', 'xla/tsl/platform/'],
    'LIB/': ['tensorflow/core/lib/', 'tsl/lib/', 'tensorflow/tsl/lib/', 'xla/tsl/lib/'],
}
# A system header by a pragma: code of the layer and of Eigen causes no warning in sources that include it.
TOP = '''\
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
'''


def expand(path):
    for short, places in PLACES.items():
        if path.startswith(short):
            return [place + path[len(short):] for place in places]
    return [path]


def include(header):
    return f'#include {header}\n' if header.startswith('<') else f'#include <tenon/compat/tensorflow/{header}.hpp>\n'


def text_of(path, headers):
    if not path.startswith('absl/'):
        return TOP + ''.join(map(include, headers))
    own = ''.join(map(include, headers))
    if 'absl/status/' in path:  # absl::Status is Tenon's in any case
        return TOP + own
    return (TOP + f'#if defined(__has_include_next)\n#if __has_include_next(<{path}>)\n#define TENON_COMPAT_HAS_NEXT\n#endif\n'
            f'#endif\n#if defined(TENON_COMPAT_HAS_NEXT)\n#undef TENON_COMPAT_HAS_NEXT\n#include_next <{path}>\n#else\n{own}#endif\n')


def files():
    made = {}
    for line in LIST.read_text().splitlines():
        if not line or line.startswith('#'):
            continue
        headers, paths = line.split(':', 1)
        for short in paths.split():
            for path in expand(short):
                if path in made:
                    sys.exit(f'{LIST.name}: {path} stands twice')
                made[path] = text_of(path, headers.split())
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--check', action='store_true')
    check = parser.parse_args().check
    wanted = files()
    found = {p.relative_to(FOLDER).as_posix(): p.read_text() for p in FOLDER.rglob('*') if p.is_file()} if FOLDER.is_dir() else {}
    if check:
        wrong = sorted(path for path in wanted.keys() | found.keys() if wanted.get(path) != found.get(path))
        for path in wrong:
            print(f'include/tenon/compat/include/{path}: differs from {LIST.name}; run tools/forward_tensorflow_headers.py')
        return 1 if wrong else 0
    for path in found.keys() - wanted.keys():
        (FOLDER / path).unlink()
    for path, text in wanted.items():
        file = FOLDER / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if found.get(path) != text:
            file.write_text(text)
    print(f'{len(wanted)} headers in {FOLDER.relative_to(ROOT)}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
