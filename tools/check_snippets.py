#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a piece of code in docs/ is not what stands in a compiled example; --write puts it there.

A document says `<!-- snippet FILE NAME -->` before a ```cpp block; the file has the code between `// snippet NAME` and
`// end`, indented as a whole by any number of spaces.

--compile also compiles all other ```cpp blocks of docs/tutorial, docs/how-to and docs/reference (without api/), as one
file that is checked and not translated. A block is the body of a function that returns a Status, unless a comment
before it says otherwise:

  <!-- given tenon::Session session, tenon::Tensor x -->    the function has these parameters
  <!-- file -->                                             the block is declarations
  <!-- not compiled: REASON -->                             the block is left out

Blocks of one document see the declarations before them. #include lines are moved to the top.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = re.compile(r'(<!-- snippet (\S+) (\w+) -->\n```\w*\n)(.*?)(```)', re.S)
MARKED = re.compile(r'^ *// snippet (\w+)\n(.*?)^ *// end$', re.S | re.M)
BLOCK = re.compile(r'^(?:<!-- ([^\n]*?) -->\n)?```cpp\n(.*?)^```$', re.S | re.M)
COMPILED = ['docs/tutorial', 'docs/how-to', 'docs/reference']


def compare(write):
    """The number of quoted pieces of code, and the errors."""
    errors, count, used = [], 0, set()

    def replace(match):
        nonlocal count
        head, name, snippet, text, tail = match.groups()
        count += 1
        path = ROOT / name
        marked = dict(MARKED.findall(path.read_text())) if path.is_file() else {}
        if snippet not in marked:
            errors.append(f"{document.name}: '{name}' has no '// snippet {snippet}' that ends in '// end'")
            return match.group(0)
        used.add((name, snippet))
        wanted = textwrap.dedent(marked[snippet])
        if text != wanted and not write:
            errors.append(f"{document.name}: the code of '{snippet}' is not that of '{name}': "
                          'tools/check_snippets.py --write')
        return head + wanted + tail

    for document in sorted((ROOT / 'docs').rglob('*.md')):
        old = document.read_text()
        new = QUOTED.sub(replace, old)
        if write and new != old:
            document.write_text(new)
    for path in sorted((ROOT / 'examples').rglob('*')):
        if path.suffix in ('.hpp', '.cpp', '.cu'):
            name = path.relative_to(ROOT).as_posix()
            errors += [f"{name}: '// snippet {snippet}' is in no document"
                       for snippet, _ in MARKED.findall(path.read_text()) if (name, snippet) not in used]
    return count, errors


def source_of(documents):
    """All blocks of the documents as one source file, and their number. Line numbers are those of the documents."""
    includes, text, count = ['#include <tenon/tenon.hpp>'], [], 0
    for number, document in enumerate(documents):
        markdown = document.read_text()
        text.append(f'namespace document_{number} {{')
        for match in BLOCK.finditer(markdown):
            mark, code = match.group(1) or '', match.group(2)
            if mark.startswith(('snippet ', 'not compiled: ')):
                continue
            count += 1
            lines = code.split('\n')
            includes += [line for line in lines if line.startswith('#include') and line not in includes]
            code = '\n'.join('' if line.startswith('#include') else line for line in lines)
            line = markdown.count('\n', 0, match.start(2)) + 1
            where = f'#line {line} "{document.relative_to(ROOT).as_posix()}"'
            if mark == 'file' and 'int main(' in code:  # at global scope: it may lack a return there
                text += ['}', where, code, f'namespace document_{number} {{']
            elif mark == 'file':
                text += [where, code]
            else:
                given = mark.removeprefix('given ') if mark.startswith('given ') else ''
                text += [f'tenon::Status Block{count}({given}) {{', where, code, 'return tenon::OkStatus();', '}']
        text.append(f'}}  // namespace document_{number}')
    return '\n'.join(includes + text) + '\n', count


def compile_blocks(compiler):
    """The number of compiled blocks, and what the compiler says."""
    documents = [path for folder in COMPILED for path in sorted((ROOT / folder).rglob('*.md')) if 'api' not in path.parts]
    source, count = source_of(documents)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'snippets.cpp')
        path.write_text(source)
        result = subprocess.run([compiler, '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Wno-unused',
                                 '-Wno-missing-field-initializers', '-Werror', f'-I{ROOT}/include', path],
                                capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return count, []
    first = '\n'.join(result.stderr.splitlines()[:40])
    return count, [first or f'{compiler} ended with {result.returncode}']


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--write', action='store_true', help='copy the code into the documents')
    parser.add_argument('--compile', action='store_true', help='compile the blocks that are in no example, too')
    parser.add_argument('--compiler', default='g++', help='the compiler of --compile')
    options = parser.parse_args()
    count, errors = compare(options.write)
    report = f'{count} snippets are those of the examples'
    if options.compile:
        blocks, more = compile_blocks(options.compiler)
        errors += more
        report += f'; {blocks} other blocks compile'
        count += blocks
    print('\n'.join(errors) or report)
    return 1 if errors or not count else 0


if __name__ == '__main__':
    sys.exit(main())
