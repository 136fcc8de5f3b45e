#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the header of the trace page from tools/trace_page/; --check fails when it is not up to date.

    tools/make_trace_page.py          writes include/tenon/runtime/trace/page.hpp
    tools/make_trace_page.py --check  compares only
    tools/make_trace_page.py --html   prints the page without a run

Comments and indentation are left out of the header. A comment is a line of its own that starts with //.
"""
import argparse
import base64
import pathlib
import re
import sys
import textwrap
import zlib

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
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {{

{body}
}}  // namespace detail

TENON_DETAIL_COLD_CODE_END
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


def code():
    """The scripts, deflated, in base64."""
    text = ''.join(packed(f'{name}.js') for name in ('model', 'views', 'main'))
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(text.encode()) + deflate.flush()).decode()


def html():
    """The page before its scripts, and from there up to its runs."""
    before, after = packed('page.html').replace('@css@\n', packed('page.css')).split('@js@')
    return before, after


def page():
    """The page, up to its runs."""
    before, after = html()
    return before + code() + after


def literal(name, text):
    ascii_only = ''.join(c if ord(c) < 128 else f'&#{ord(c)};' for c in text)
    if ')page"' in ascii_only or len(ascii_only) > MOST:
        sys.exit(f'make_trace_page: {name} cannot be a literal of {len(ascii_only)} characters')
    return f'inline constexpr std::string_view {name} = R"page({ascii_only})page";\n'


def header():
    before, after = html()
    lines = textwrap.wrap(code(), WIDTH - 4)
    text = '\n'.join(f'    "{line}"' for line in lines)
    return HEADER.format(
        about='TracePage: the page that shows traces, up to its first run. A program that writes no page does not have it.',
        includes='#include <string>\n#include <string_view>\n\n#include <tenon/base/config.hpp>\n#include <tenon/base/str.hpp>',
        body=literal('kTracePageHead', before) + '\n' +
        f'// The scripts, deflated, in base64. The page unpacks them.\ninline constexpr std::string_view kTracePageCode =\n{text};\n\n' +
        literal('kTracePageMain', after) +
        '\n// The runs follow, one a line, then kTracePageTail.\n'
        'inline std::string TracePage() { return StrCat(kTracePageHead, kTracePageCode, kTracePageMain); }\n'
        'inline constexpr std::string_view kTracePageTail = "</script>\\n";\n')


def unpacked(text):
    """The header with its scripts as text: libraries deflate to different bytes."""
    found = re.search(r'kTracePageCode =\n((?: +"[^"\n]*"\n?)+)', text)
    if not found:
        return text
    try:
        scripts = zlib.decompress(base64.b64decode(''.join(re.findall(r'"([^"]*)"', found.group(1)))), -15).decode()
    except (ValueError, zlib.error):
        return text
    return text[:found.start(1)] + scripts + text[found.end(1):]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--html', action='store_true')
    args = parser.parse_args()
    if args.html:
        sys.stdout.write(page())
        return 0
    text, path = header(), HEADERS / 'page.hpp'
    if not args.check:
        path.write_text(text, encoding='utf-8')
    elif not path.exists() or unpacked(path.read_text(encoding='utf-8')) != unpacked(text):
        print(f'make_trace_page: {path.relative_to(ROOT)} is not up to date; run tools/make_trace_page.py', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
