#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes single_include/tenon/{tenon,runtime,ops}.hpp from include/tenon/**: same tree in, same bytes out.

  tenon.hpp    what tenon.hpp, eager.hpp and plugin.hpp reach, and what both others need
  runtime.hpp  what runtime.hpp and the headers of tools/public_headers.txt reach; includes tenon.hpp
  ops.hpp      what ops.hpp reaches; includes tenon.hpp

Each header is emitted once, where it is first included. Standard headers are hoisted to the top, others stay in their
place. A Tenon header first included under #if is emitted there, so everything it includes must be out before, and
nobody may include it outside of that condition; otherwise the script stops.
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

# Headers under this condition may be the first to include others: the condition then holds for those, too.
WHOLE_RUNTIME = ('if !defined(TENON_MINIMAL_RUNTIME)',)


class Refused(Exception):
    pass


def has_code(text):
    return not all(line.startswith(('//', '#include')) for line in text)


class Output:
    """One single header in the making."""

    def __init__(self, root, before=None):
        self.root = root
        self.always = set(before.always) if before else set()  # Tenon headers that are out, outside of any #if
        self.under_if = dict(before.under_if) if before else {}  # out, but only under these conditions
        self.standard = set()
        self.placed = set(before.placed) if before else set()  # other includes, in their place
        self.hoisted_before = set(before.standard | before.hoisted_before) if before else set()
        self.count = 0
        self.body = []

    def emit(self, name, conditions, includer):
        """Emits the header 'name', which 'includer' includes under these conditions (a tuple, empty outside of #if)."""
        if name in self.always:
            return
        if name in self.under_if:
            if conditions[:len(self.under_if[name])] != self.under_if[name]:
                raise Refused(f"{includer}: <{name}> is already out, but only under '#{self.under_if[name][-1]}'; "
                              'include it outside of #if before that')
            return
        path = self.root / 'include' / name
        if not path.is_file():
            raise Refused(f'{includer}: <{name}> does not exist')
        lines = path.read_text().splitlines()
        if conditions and conditions != WHOLE_RUNTIME:
            for match in filter(None, map(INCLUDE.match, lines)):
                if match.group(2).startswith('tenon/') and match.group(2) not in self.always:
                    raise Refused(f'{includer}: <{name}> is first included under #if, before <{match.group(2)}> which '
                                  f'it needs; include <{match.group(2)}> outside of #if first')
            self.under_if[name] = conditions
        else:
            self.always.add(name)
        self.count += 1

        text, inner = [], conditions
        for line in lines:
            if match := DIRECTIVE.match(line):
                inner = self.enter(inner, *match.groups())
            match = INCLUDE.match(line)
            if match and match.group(1) == '"':
                raise Refused(f'{name}: "{match.group(2)}": write <tenon/...>, not a relative include')
            if match and match.group(2).startswith('tenon/'):
                if has_code(text):  # otherwise the comments that open a header stay with its text
                    self.flush(name, text)
                    text = []
                self.emit(match.group(2), inner, name)
            elif match and not inner:
                self.system(match.group(2), text, line)
            elif line != '#pragma once' and not line.startswith('// SPDX-License-Identifier:'):
                if line.strip() or has_code(text):
                    text.append(line)
            if not match and (hidden := HIDDEN.search(line.partition('//')[0])):
                raise Refused(f"{name}: '{hidden.group(0).strip()}': only '#include <tenon/...>' is followed")
        if inner != conditions:
            raise Refused(f'{name}: #if and #endif do not match')
        self.flush(name, text)

    @staticmethod
    def enter(conditions, directive, rest):
        if directive.startswith('if'):
            return conditions + (f'{directive} {rest}'.strip(),)
        if directive == 'endif':
            return conditions[:-1]
        return conditions[:-1] + (f'{conditions[-1]} #{directive} {rest}'.strip(),)

    def system(self, include, text, line):
        if STANDARD.match(include) and not NOT_STANDARD.match(include):
            self.standard.add(include)
        elif include not in self.placed:
            self.placed.add(include)
            text.append(line)

    def flush(self, name, text):
        while text and not text[0].strip():
            text.pop(0)
        while text and not text[-1].strip():
            text.pop()
        if text:
            self.body += ['', f'// ---- {name} ----'] + text

    def text(self, first):
        head = ['// SPDX-License-Identifier: Apache-2.0', '#pragma once',
                '// Generated from include/tenon by tools/amalgamate.py; change the headers there.']
        head += first
        head += [''] + [f'#include <{name}>' for name in sorted(self.standard - self.hoisted_before)]
        return '\n'.join(head + self.body) + '\n'


def reach(root, headers):
    """The Tenon headers that these headers include, directly or not, with themselves."""
    seen, todo = set(), list(headers)
    while todo:
        name = todo.pop()
        path = root / 'include' / name
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        todo += [m.group(2) for m in map(INCLUDE.match, path.read_text().splitlines()) if m and m.group(2).startswith('tenon/')]
    return seen


def generate(root):
    """{path: text} of the single headers, and a line about them."""
    def there(names):
        return [f'tenon/{name}' for name in names if (root / 'include/tenon' / name).is_file()]

    tool = 'tools/amalgamate.py'
    public = root / 'tools/public_headers.txt'
    listed = there(public.read_text().split('\n')) if public.is_file() else []
    runtime, ops = there(['runtime.hpp']), there(['ops.hpp'])
    tenon = Output(root)
    for header in there(['tenon.hpp', 'eager.hpp', 'plugin.hpp']):
        tenon.emit(header, (), tool)
    for header in sorted(reach(root, runtime + listed) & reach(root, ops)):
        tenon.emit(header, (), tool)
    wrong = sorted(name for name in tenon.placed if NOT_IN_TENON.match(name))
    if wrong:
        raise Refused(f'tenon/tenon.hpp reaches <{wrong[0]}>, but must not need Eigen or CUDA')
    files = {'single_include/tenon/tenon.hpp': tenon.text([])}
    count = tenon.count
    for name, headers, more in (('runtime', runtime, listed), ('ops', ops, [])):
        if not headers:
            continue
        out = Output(root, before=tenon)
        out.emit(headers[0], (), tool)
        if more:
            out.body += ['', f'#{WHOLE_RUNTIME[0]}']
            for header in more:
                out.emit(header, WHOLE_RUNTIME, tool)
            out.body += ['#endif']
        files[f'single_include/tenon/{name}.hpp'] = out.text(['#include "tenon.hpp"'])
        count += out.count
    lines = ', '.join(f'{pathlib.Path(path).name} {text.count(chr(10))} lines' for path, text in files.items())
    return files, f'{count} headers: {lines}'


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
