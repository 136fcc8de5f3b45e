#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes single_include/tenon from include/tenon: same tree in, same bytes out.

  tenon.hpp   all headers. A file that includes it sees what tenon.hpp declares. TENON_IMPLEMENTATION, defined before in
              one source file, adds runtime.hpp, ops.hpp and saved_model.hpp.
  others      one for each further front door: it says what it needs and includes tenon.hpp
  runtime/api/session.hpp   leaves out what a file that only runs graphs does not name

Each header is there once, after what it includes, and under the doors that reach it. A Tenon header that is included
under #if is under that condition, too. Standard headers of tenon.hpp's part are on top.
With --check nothing is written: it shows how the files there differ and fails when they do.
"""
import argparse
import difflib
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
DIRECTIVE = re.compile(r'^\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*(.*)')
STANDARD = re.compile(r'^([a-z0-9_]+(\.h)?|sys/[a-z0-9_]+\.h)$')  # not Eigen/..., cuda_runtime.h
NOT_STANDARD = re.compile(r'^(cuda|cublas|curand|cudnn)')
NOT_IN_TENON = re.compile(r'^((unsupported/)?Eigen/|cuda|cublas)')  # tenon.hpp builds without Eigen and CUDA
# Directives that look for a Tenon header that the single one contains, or include a header without writing its name.
HIDDEN = re.compile(r'^\s*#\s*include(_next\b.*|\s+[A-Za-z_]\w*)|__has_include\s*\(\s*[<"]tenon/[^>"]*[>"]\s*\)')
DEPRECATED = re.compile(r'^#pragma message', re.MULTILINE)

LINKED = re.compile(r'^!defined\(TENON_DETAIL_\w+_LINKED\)$')  # always true: no CMake target is linked

DECLARED = ('tenon.hpp', 'runtime/api/saved_model.hpp')  # what every file sees
NARROW = 'runtime/api/session.hpp'  # a door to a part of that: it compiles in half the time
LISTS = ('ops/cnn.hpp', 'ops/mlp.hpp')  # doors beside the front doors include/tenon/*.hpp
IMPLEMENTATION = ('runtime.hpp', 'ops.hpp', 'saved_model.hpp')
LICENSE = '// SPDX-License-Identifier: Apache-2.0'
GENERATED = '// Generated from include/tenon by tools/amalgamate.py; change the headers there.'


class Refused(Exception):
    pass


class Header:
    """A header's text without its includes of Tenon, and these with the conditions that each stands under."""

    def __init__(self, root, name, includer):
        path = root / 'include' / name
        if not path.is_file():
            raise Refused(f'{includer}: <{name}> does not exist')
        self.name, self.includes, self.standard, self.other, self.text = name, [], [], [], []
        conditions = []
        for line in path.read_text().splitlines():
            if match := DIRECTIVE.match(line):
                self.enter(conditions, *match.groups())
            match = INCLUDE.match(line)
            if match and match.group(1) == '"':
                raise Refused(f'{name}: "{match.group(2)}": write <tenon/...>, not a relative include')
            if match and match.group(2).startswith('tenon/'):
                if None in conditions:
                    raise Refused(f'{name}: <{match.group(2)}> is included under #ifdef, #elif or #else; write #if')
                self.includes.append((match.group(2), tuple(text for text in conditions if not LINKED.match(text))))
                continue
            if not match and (hidden := HIDDEN.search(line.partition('//')[0])):
                raise Refused(f"{name}: '{hidden.group(0).strip()}': only '#include <tenon/...>' is followed")
            if match and STANDARD.match(match.group(2)) and not NOT_STANDARD.match(match.group(2)):
                if not conditions:
                    self.standard.append(match.group(2))
                    continue
            elif match:
                self.other.append(match.group(2))
            if line != '#pragma once' and line != LICENSE and (line.strip() or self.text[-1:] not in ([], [''])):
                self.text.append(line)
        if conditions:
            raise Refused(f'{name}: #if and #endif do not match')
        while self.text and not self.text[-1].strip():
            self.text.pop()

    def enter(self, conditions, directive, rest):
        if directive == 'if':
            conditions.append(rest.partition('//')[0].strip())
        elif directive.startswith('if'):
            conditions.append(None)  # a condition that no header is included under
        elif not conditions:
            raise Refused(f'{self.name}: #if and #endif do not match')
        elif directive == 'endif':
            conditions.pop()
        else:
            conditions[-1] = None


def read(root, doors):
    """{name: Header} of all that the doors reach, each after what it includes."""
    headers, under_way = {}, []

    def visit(name, includer):
        if name in headers:
            return
        if name in under_way:
            raise Refused(f'{includer}: <{name}> includes itself')
        header = Header(root, name, includer)
        under_way.append(name)
        for include, _ in header.includes:
            visit(include, name)
        under_way.pop()
        headers[name] = header

    for door in doors:
        visit(door, 'tools/amalgamate.py')
    return headers


def reach(headers, starts, condition=()):
    """{name: {conditions}} of what these headers include, directly or not, each a tuple of texts that must hold."""
    found, todo = {}, [(name, condition) for name in starts]
    while todo:
        name, holds = todo.pop()
        there = found.setdefault(name, set())
        if any(set(known) <= set(holds) for known in there):
            continue
        there -= {known for known in there if set(holds) < set(known)}
        there.add(holds)
        todo += [(include, holds + tuple(text for text in inner if text not in holds)) for include, inner in headers[name].includes]
    return found


def macro_of(door):
    return 'TENON_DETAIL_DOOR_' + re.sub(r'\W', '_', door.removesuffix('.hpp')).upper()


ONLY = f'TENON_DETAIL_ONLY_{re.sub(r"[^a-z]", "_", NARROW.removesuffix(".hpp")).upper()}'


def in_sections(headers, needed_by):
    """Lists of headers with equal conditions, each header after what it includes; as few lists as that allows."""
    waiting, sections = dict(headers), []
    while waiting:
        first = next(iter(waiting))
        section, out = [], True
        while out:  # further headers may be ready once others are out
            out = [name for name, header in waiting.items() if needed_by[name] == needed_by[first] and
                   not any(include in waiting and include not in section for include, _ in header.includes)]
            section += out
            for name in out:
                del waiting[name]
        sections.append(section)
    return sections


def generate(root):
    """{path: text} of the single headers, and a line about them."""
    folder = root / 'include/tenon'
    others = [path.name for path in sorted(folder.glob('*.hpp')) if not DEPRECATED.search(path.read_text())]
    others = [name for name in [*others, *LISTS] if name not in DECLARED and (folder / name).is_file()]
    declared = [f'tenon/{name}' for name in DECLARED if (folder / name).is_file()]
    listed = root / 'tools/public_headers.txt'
    listed = [f'tenon/{line}' for line in listed.read_text().split('\n') if line and line[0] != '#'] if listed.is_file() else []
    narrow = [f'tenon/{NARROW}'] if (folder / NARROW).is_file() else declared
    headers = read(root, [*declared, *narrow, *(f'tenon/{door}' for door in others), *listed])

    always, first = reach(headers, [*declared, *narrow]), reach(headers, narrow)
    for name, conditions in always.items():
        if () not in conditions:
            raise Refused(f'<{name}> is included under #if by what tenon/tenon.hpp reaches')
        if wrong := next(filter(NOT_IN_TENON.match, headers[name].other), None):
            raise Refused(f'tenon/tenon.hpp reaches <{wrong}>, but must not need Eigen or CUDA')
    whole_runtime = (f'defined({macro_of("runtime.hpp")})', '!defined(TENON_MINIMAL_RUNTIME)')
    starts = [([f'tenon/{door}'], (f'defined({macro_of(door)})',)) for door in others] + [(listed, whole_runtime)]
    needed_by = {name: {(f'!defined({ONLY})',)} if name in always and name not in first else set() for name in headers}
    for names, condition in starts:
        for name, conditions in reach(headers, names, condition).items():
            if name not in always:
                needed_by[name] |= {text for text in conditions if text[:1] not in needed_by[name]}
    needed_by = {name: frozenset(' && '.join(texts) for texts in conditions) for name, conditions in needed_by.items()}

    standard = sorted({include for name in first for include in headers[name].standard})
    body = []
    for number, section in enumerate(in_sections(headers, needed_by)):
        conditions = sorted(needed_by[section[0]])
        guard = f'TENON_DETAIL_PART_{number}'
        condition = ' || \\\n    '.join(f'({text})' if ' && ' in text else text for text in conditions)
        body += ['', f'#if !defined({guard})' + (f' && ({condition})' if condition else ''), f'#define {guard}']
        more = {include for name in section for include in headers[name].standard} - set(standard)
        if not conditions:
            more |= set(standard)
        body += [f'#include <{name}>' for name in sorted(more)]
        for name in section:
            if headers[name].text:
                body += ['', f'// ---- {name} ----', *headers[name].text]
        body += ['', f'#endif  // {guard}']
    doors = [macro_of(door) for door in IMPLEMENTATION if door in others]
    undefine = [f'#undef {ONLY}'] if narrow != declared else []
    head = [LICENSE, GENERATED,
            '// A file that includes this sees the declarations of tenon/tenon.hpp. TENON_IMPLEMENTATION, defined before this in',
            '// one source file, adds the runtime, the ops and SavedModels. The files beside this one open the other doors.',
            '#if defined(TENON_IMPLEMENTATION)', *undefine, *(f'#define {door}' for door in doors), '#endif']
    files = {'single_include/tenon/tenon.hpp': '\n'.join(head + body) + '\n'}
    for door in others:
        up = '../' * door.count('/')
        files[f'single_include/tenon/{door}'] = '\n'.join(
            [LICENSE, '#pragma once', GENERATED, f'#define {macro_of(door)}', f'#include "{up}tenon.hpp"']) + '\n'
    if narrow != declared:
        files[f'single_include/tenon/{NARROW}'] = '\n'.join(
            [LICENSE, '#pragma once', GENERATED, f'#define {ONLY}', f'#include "{"../" * NARROW.count("/")}tenon.hpp"',
             f'#undef {ONLY}']) + '\n'
    lines = files['single_include/tenon/tenon.hpp'].count('\n')
    return files, f'{len(headers)} headers and {len(others)} doors: tenon.hpp {lines} lines'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--root', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument('--check', action='store_true', help='compare only')
    args = parser.parse_args()
    try:
        files, summary = generate(args.root)
    except Refused as refused:
        sys.exit(f'amalgamate: {refused}')
    stale = False
    for name, text in files.items():
        path = args.root / name
        there = path.read_text() if path.is_file() else ''
        if there == text:
            continue
        if args.check:
            stale = True
            diff = difflib.unified_diff(there.splitlines(), text.splitlines(), name, 'regenerated', n=1, lineterm='')
            print('\n'.join(list(diff)[:40]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    print(summary + (': out of date, run tools/amalgamate.py' if stale else ''))
    return 1 if stale else 0


if __name__ == '__main__':
    sys.exit(main())
