#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the headers of the trace page from tools/trace_page/; --check fails when one is not up to date.

    tools/make_trace_page.py          writes include/tenon/runtime/trace/page*.hpp
    tools/make_trace_page.py --check  compares only
    tools/make_trace_page.py --html   prints the page without a run

Comments and indentation are left out of the headers. A comment is a line of its own that starts with //.
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / 'tools/trace_page'
HEADERS = ROOT / 'include/tenon/runtime/trace'
WIDTH = 118
MOST = 60_000  # characters of one literal; compilers need not take more than 65,536

HEADER = '''// SPDX-License-Identifier: Apache-2.0
#pragma once
// {about}
// tools/make_trace_page.py writes this file from tools/trace_page/.

{includes}

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {{

{body}
}}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
'''


def packed(name):
    """A file without comments and indentation, its lines joined up to WIDTH where a line end means nothing."""
    lines = []
    for line in (SOURCES / name).read_text(encoding='utf-8').splitlines():
        line = line.strip()
        if not line or line.startswith('//'):
            continue
        if '; //' in line or '{ //' in line:
            sys.exit(f'make_trace_page: {name}: a comment stands behind code: {line}')
        joins = lines and lines[-1][-1] in ';{},([' and len(lines[-1]) + len(line) < WIDTH
        if joins and name.endswith('.js') or joins and name.endswith('.css'):
            lines[-1] += ('' if lines[-1][-1] in ';{}([' else ' ') + line
        else:
            lines.append(line)
    return '\n'.join(lines) + '\n'


def html():
    text = packed('page.html').replace('@css@\n', packed('page.css'))
    before, after = text.split('@js@\n')
    return before, after


def page():
    """The page, up to its runs."""
    before, after = html()
    return before + ''.join(packed(f'{name}.js') for name in ('model', 'views', 'main')) + after


def literal(name, text):
    ascii_only = ''.join(c if ord(c) < 128 else f'&#{ord(c)};' for c in text)
    if ')page"' in ascii_only or len(ascii_only) > MOST:
        sys.exit(f'make_trace_page: {name} cannot be a literal of {len(ascii_only)} characters')
    return f'inline constexpr std::string_view {name} = R"page({ascii_only})page";\n'


def headers():
    before, after = html()
    view = '#include <string_view>\n\n#include <tenon/base/config.hpp>'
    yield 'page_model.hpp', HEADER.format(about='The script of the trace page that reads traces and sums them up.', includes=view,
                                          body=literal('kTracePageModel', packed('model.js')))
    yield 'page_views.hpp', HEADER.format(about='The script of the trace page that draws.', includes=view,
                                          body=literal('kTracePageViews', packed('views.js')))
    yield 'page.hpp', HEADER.format(
        about='TracePage: the page that shows traces, up to its first run. A program that writes no page does not have it.',
        includes='#include <string>\n#include <string_view>\n\n#include <tenon/base/config.hpp>\n#include <tenon/base/str.hpp>\n'
                 '#include <tenon/runtime/trace/page_model.hpp>\n#include <tenon/runtime/trace/page_views.hpp>',
        body=literal('kTracePageHead', before) + '\n' + literal('kTracePageMain', packed('main.js') + after) +
        '\n// The runs follow, one a line, then kTracePageTail.\n'
        'inline std::string TracePage() { return StrCat(kTracePageHead, kTracePageModel, kTracePageViews, kTracePageMain); }\n'
        'inline constexpr std::string_view kTracePageTail = "</script>\\n";\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--html', action='store_true')
    args = parser.parse_args()
    if args.html:
        sys.stdout.write(page())
        return 0
    old = 0
    for name, text in headers():
        path = HEADERS / name
        if args.check:
            if not path.exists() or path.read_text(encoding='utf-8') != text:
                print(f'make_trace_page: {path.relative_to(ROOT)} is not up to date; run tools/make_trace_page.py', file=sys.stderr)
                old += 1
        else:
            path.write_text(text, encoding='utf-8')
    return 1 if old else 0


if __name__ == '__main__':
    sys.exit(main())
