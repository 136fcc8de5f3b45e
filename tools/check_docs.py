#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when the documents name something that is not there. Needs neither network nor packages.

- Links of Markdown files, and their anchors: the heading must have the same anchor on the site and on code hosts.
- Paths `docs/....md` in all other files, and the heading in `docs/....md, "Heading"`.
- Headers and folders of include/tenon that the documents name in code, but for docs/decisions, whose records are of their day.
- The navigation of mkdocs.yml, and the lists of decisions and of results.
"""
import functools
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r'^( *)(```+|~~~+).*?^ *\2 *$', re.S | re.M)
CODE = re.compile(r'(`+)(.+?)\1', re.S)
LINK = re.compile(r'\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s]*)?)>?(?:\s+"[^"]*")?\s*\)')
REFERENCE = re.compile(r'^ {0,3}\[[^\]^]+\]:\s+<?(\S+?)>?\s*$', re.M)
HTML_LINK = re.compile(r'(?:href|src)="([^"]+)"')
HTML_ID = re.compile(r'<\w+[^>]*\s(?:id|name)="([^"]+)"')
HEADING = re.compile(r'^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$', re.M)
MENTION = re.compile(r'(?<![\w./-])(docs/[\w./-]+\.(?:md|svg))(?:, "([^"]+)")?')
HEADER = re.compile(r'(?:<tenon/|include/tenon/|(?<![\w./-]))((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:hpp|cuh))(?![\w/])')
NAV_PAGE = re.compile(r'^\s*-\s+(?:[^#:\n]+:\s+)?([\w./-]+\.md)\s*$', re.M)
NOT_TEXT = ('tests/golden/', 'tests/fuzz/', 'single_include/', 'bench/baselines/', 'packaging/conan/test_package/build/')
# The documents of these files are made up, for tests of the checks.
MADE_UP = ('tests/tools/checks_test.py', 'tests/tools/docs_test.py', 'tools/check_docs.py')


@functools.cache
def files():
    """The files of the repository, relative to ROOT: those of git, with new ones; without git all of them."""
    run = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], cwd=ROOT, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    names = run.stdout.split('\n') if run.returncode == 0 else (p.relative_to(ROOT).as_posix() for p in ROOT.rglob('*'))
    return sorted(name for name in names if name and (ROOT / name).is_file())


@functools.cache
def text_of(name):
    return (ROOT / name).read_text(encoding='utf-8', errors='replace')


def without_code(text):
    return CODE.sub('', FENCE.sub('', text))


def anchors(heading):
    """The anchor of a heading on code hosts and on the site."""
    plain = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).replace('`', '').replace('*', '').strip().lower()
    plain = re.sub(r'[^\w\s-]', '', plain)
    return re.sub(r'\s', '-', plain), re.sub(r'[-\s]+', '-', plain)


@functools.cache
def anchors_of(name):
    """Anchor -> whether it is the heading's on code hosts and on the site."""
    found, seen = {}, {}
    text = FENCE.sub('', text_of(name))
    for heading in HEADING.findall(text):
        on_host, on_site = anchors(heading)
        count = seen[on_host] = seen.get(on_host, -1) + 1
        if count:  # a repeated heading: heading-1 on code hosts, heading_1 on the site
            found[f'{on_host}-{count}'] = found[f'{on_site}_{count}'] = False
        else:
            found[on_host] = found[on_site] = on_host == on_site
    found.update({anchor: True for anchor in HTML_ID.findall(text)})
    return found


def links_of(name):
    text = without_code(text_of(name))
    return LINK.findall(text) + REFERENCE.findall(text) + HTML_LINK.findall(text)


def check_links(name, errors):
    folder = (ROOT / name).parent
    for link in links_of(name):
        if re.match(r'[a-z][a-z+.-]*:|//', link):
            continue
        path, _, anchor = urllib.parse.unquote(link).partition('#')
        target = (folder / path).resolve() if path else ROOT / name
        if not target.is_relative_to(ROOT) or not target.exists():
            errors.append(f"{name}: '{link}' leads nowhere")
            continue
        if anchor and target.suffix == '.md':
            good = anchors_of(target.relative_to(ROOT).as_posix()).get(anchor)
            if good is None:
                errors.append(f"{name}: '{link}': that page has no such heading")
            elif not good:
                errors.append(f"{name}: '{link}': the site and code hosts differ in the anchor of that heading")


def check_mentions(name, errors):
    for path, heading in MENTION.findall(text_of(name)):
        if not (ROOT / path).is_file():
            errors.append(f"{name}: '{path}' is not there")
        elif heading and heading not in HEADING.findall(text_of(path)):
            errors.append(f"{name}: '{path}' has no heading '{heading}'")


def check_headers(name, errors):
    include = ROOT / 'include/tenon'
    optional = ROOT / 'cmake/protobuf/tenon'  # headers of optional modules
    floors = {path.name for path in include.iterdir() if path.is_dir()}
    for span in FENCE.finditer(text_of(name)):
        for path in re.findall(r'<tenon/([\w/]+\.\w+)>', span.group()):
            if not (include / path).is_file() and not (optional / path).is_file():
                errors.append(f"{name}: there is no header <tenon/{path}>")
    for _, code in CODE.findall(FENCE.sub('', text_of(name))):
        for match in HEADER.finditer(code):
            path = match.group(1)
            named = match.group().startswith(('<tenon/', 'include/tenon/'))
            is_header = named or path.split('/')[0] in floors and '/' in path
            if is_header and not (include / path).is_file() and not (optional / path).is_file():
                errors.append(f"{name}: there is no header '{path}'")


def check_lists(errors):
    names = set(files())
    pages = NAV_PAGE.findall(text_of('mkdocs.yml'))
    errors += [f"mkdocs.yml: '{page}' is not in docs" for page in pages if f'docs/{page}' not in names]
    listed = set(pages)
    errors += [f"mkdocs.yml: '{name[5:]}' is not in the navigation" for name in sorted(names)
               if re.match(r'docs/(?!decisions/\d|reference/api/|reference/ops/).*\.md$', name) and name[5:] not in listed]
    for index, pattern in (('docs/decisions/index.md', r'docs/decisions/(\d.*\.md)'), ('bench/results/README.md', r'bench/results/(.*)')):
        links = set(links_of(index))
        errors += [f"{index}: '{match[1]}' is not listed" for name in sorted(names)
                   if (match := re.fullmatch(pattern, name)) and name != index and match[1] not in links]


def main():
    errors = []
    documents = [name for name in files() if name.endswith('.md') and not name.startswith(NOT_TEXT)]
    for name in documents:
        check_links(name, errors)
        if name.startswith('docs/') and not name.startswith('docs/decisions/'):
            check_headers(name, errors)
    for name in files():
        if not name.startswith(NOT_TEXT) and name not in MADE_UP:
            check_mentions(name, errors)
    check_lists(errors)
    print('\n'.join(errors) or f'{len(documents)} documents: all links lead somewhere')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
