#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds comments that break the style guide of CONTRIBUTING.md: they start with a fragment instead of a thing or a verb.

  tools/check_comments.py [file or folder]...      without names: include, examples, tools, cmake
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ['include', 'examples', 'tools', 'cmake']
SUFFIXES = {'.hpp', '.h', '.cpp', '.cuh', '.cu', '.py', '.sh', '.cmake', '.txt'}
FORMS = [
    (re.compile(r'[Oo]f [a-z]'), "a fragment with 'of': name the thing first"),
    (re.compile(r'[Tt]he same\b'), "'the same': say it again, or name the difference"),
    (re.compile(r'(What|Who|Whoever|Whose) (?!.*\?)'), "a free relative: start with the thing or a verb"),
]
COMMENT = re.compile(r'(?://+|(?:^|\s)#+)\s*(.*)')


def errors_of(path):
    """'line: text' for each comment of the file that starts with a forbidden form."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := COMMENT.search(line):
            for form, why in FORMS:
                if form.match(match.group(1)):
                    found.append(f'{number}: {why}: {match.group(1)[:80]}')
    return found


def main():
    todo = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / folder for folder in FOLDERS]
    files = [path for top in todo for path in (sorted(top.rglob('*')) if top.is_dir() else [top])
             if path.suffix in SUFFIXES and path.is_file()]
    count = 0
    for path in files:
        for error in errors_of(path):
            print(f'{path}:{error}')
            count += 1
    print(f'{len(files)} files: {count or "no"} comments that break the style guide')
    return 1 if count else 0


if __name__ == '__main__':
    sys.exit(main())
