#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose runtime is compiled in a file of its own, and what the linker says when that file was forgotten.

Every file of tests/link_fail is a program. Alone it must compile, but not link, and the linker must say the text of its
line `// expect: <text>`. The same with each tests/link_fail/definitions/<name>.cpp of a line `// without: <name>`. With
that of its line `// with: <name>` it must link and run, and also with all of them: several are harmless."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'tests/link_fail'


def run(*command):
    """(exit status, all it says)"""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                            env=dict(os.environ, LC_ALL='C'))
    return result.returncode, result.stdout


def check(program, objects, definitions, link):
    """What is wrong with a program of tests/link_fail, or ''."""
    text = program.read_text()
    wishes = {key: re.findall(rf'^// {key}: (.*?) *$', text, re.M) for key in ('expect', 'without', 'with')}
    if len(wishes['expect']) != 1 or len(wishes['with']) != 1:
        return "wants one line '// expect: <text>' and one '// with: <name>'"
    for without in [[], *([name] for name in wishes['without'])]:
        code, said = link(objects[program], *(definitions[name] for name in without))
        if code == 0:
            return f'was linked with {without or "nothing"}, but should not be'
        if wishes['expect'][0] not in said:
            return f"with {without or 'nothing'}: the linker does not say '{wishes['expect'][0]}'; it says:\n{said}"
        others = {line for line in said.splitlines() if 'undefined reference' in line and 'undefined_symbol_means' not in line}
        if others:
            return 'the linker misses more than what says what to do:\n' + '\n'.join(sorted(others))
    for together in (wishes['with'], sorted(definitions)):
        code, said = link(objects[program], *(definitions[name] for name in together))
        if code == 0:
            code, said = run(objects[program].with_suffix(''))
        if code != 0:
            return f'with {" and ".join(together)}: {said}'
    return ''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--compiler', default=os.environ.get('CXX', 'g++'))
    compiler = parser.parse_args().compiler
    programs = sorted(FOLDER.glob('*.cpp'))
    sources = programs + sorted((FOLDER / 'definitions').glob('*.cpp'))
    with tempfile.TemporaryDirectory() as folder:
        objects = {source: pathlib.Path(folder) / (source.parent.name + '_' + source.stem + '.o') for source in sources}

        def compile_one(source):
            return run(compiler, '-std=c++20', '-O0', '-Wall', '-Wextra', '-Werror', f'-I{ROOT}/include', '-c', source, '-o',
                       objects[source])

        def link(first, *others):
            return run(compiler, first, *others, '-o', first.with_suffix(''), '-pthread', '-ldl')

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, (code, said) in zip(sources, pool.map(compile_one, sources)):
                if code != 0:
                    sys.exit(f'link_fail: {source.relative_to(ROOT)} does not compile:\n{said}')
        definitions = {source.stem: objects[source] for source in sources if source not in programs}
        failed = 0
        for program in programs:
            complaint = check(program, objects, definitions, link)
            failed += bool(complaint)
            print(f'{program.relative_to(ROOT)}: {complaint or "as it should be"}')
    print(f'{len(programs) - failed} passed, {failed} failed')
    return 1 if failed or not programs else 0


if __name__ == '__main__':
    sys.exit(main())
