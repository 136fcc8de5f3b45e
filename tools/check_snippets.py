#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a piece of code in docs/ is not what stands in a compiled example; --write puts it there.

A document says `<!-- snippet FILE NAME -->` before a ```cpp block; the file has the code between `// snippet NAME` and
`// end`, indented as a whole by any number of spaces.
"""
import argparse
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = re.compile(r'(<!-- snippet (\S+) (\w+) -->\n```\w*\n)(.*?)(```)', re.S)
MARKED = re.compile(r'^ *// snippet (\w+)\n(.*?)^ *// end$', re.S | re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--write', action='store_true', help='copy the code into the documents')
    write = parser.parse_args().write
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

    for document in sorted((ROOT / 'docs').glob('*.md')):
        old = document.read_text()
        new = QUOTED.sub(replace, old)
        if write and new != old:
            document.write_text(new)
    for path in sorted((ROOT / 'examples').rglob('*')):
        if path.suffix in ('.hpp', '.cpp', '.cu'):
            name = path.relative_to(ROOT).as_posix()
            errors += [f"{name}: '// snippet {snippet}' is in no document"
                       for snippet, _ in MARKED.findall(path.read_text()) if (name, snippet) not in used]
    print('\n'.join(errors) or f'{count} snippets are those of the examples')
    return 1 if errors or not count else 0


if __name__ == '__main__':
    sys.exit(main())
