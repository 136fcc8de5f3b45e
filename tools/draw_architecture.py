#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/explanation/architecture.svg from the #include lines below include/tenon; --check: fails when the file is not that.

A band is a floor, a box is a folder. Boxes of a band stand in the order of their includes: a box uses boxes on its left
or above it, none behind it. A box's title, which browsers show under the pointer, names the folders that it uses.
The order of the floors is that of tools/check_layers.py, the words are those of the map in CONTRIBUTING.md.
"""
import argparse
import html
import importlib.util
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / 'docs/explanation/architecture.svg'
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*<tenon/([^>]+)>', re.M)
ROW = re.compile(r'^\| (`\w+`|top|) *\| (.*?) *\| (.*?) \|$', re.M)

# Pixels.
WIDTH, LABEL, GAP = 860, 160, 7
PER_ROW = 5
BOX = (WIDTH - LABEL - 30) // PER_ROW - GAP
TEXT_LINE = 14


def floors():
    spec = importlib.util.spec_from_file_location('check_layers', ROOT / 'tools/check_layers.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FLOORS


def words():
    """Floor or floor/folder -> its words in CONTRIBUTING.md's map."""
    found, floor = {}, ''
    text = (ROOT / 'CONTRIBUTING.md').read_text()
    rows = ROW.findall(text[text.index('## Map of the code'):text.index('Where does a change belong')])
    for i, (first, folders, holds) in enumerate(rows):
        floor = first.strip('`') or floor
        of_many = not first or (i + 1 < len(rows) and not rows[i + 1][0])  # a floor with a row for each folder
        name = re.findall(r'`(\w+)`', folders)[0] if of_many else ''
        found[f'{floor}/{name}' if name else floor] = holds.replace('`', '')
    return found


def uses():
    """Folder -> folders whose headers its headers include; the top is ''."""
    found = {}
    include = ROOT / 'include/tenon'
    for path in sorted(include.rglob('*')):
        if path.suffix in ('.hpp', '.cuh'):
            folder = path.parent.relative_to(include).as_posix().removeprefix('.')
            below = found.setdefault(folder, set())
            below |= {name.rpartition('/')[0] for name in INCLUDE.findall(path.read_text())} - {folder}
    return found


def in_order(folders, used):
    """`folders` so that each stands behind those that it uses, else by name."""
    order, left = [], sorted(folders)
    while left:
        ready = [name for name in left if not used[name] & set(left) - {name}]
        order += ready or left
        left = [name for name in left if name not in order]
    return order


def box(x, y, height, name, holds, used):
    title = ', '.join(sorted(used)) or 'no other folder'
    text = name.rpartition('/')[2] if '/' in name else f'{name}/*.hpp'  # headers beside the sub-folders
    lines = [f'<g><title>{html.escape(name)} uses: {html.escape(title)}</title>',
             f'<rect class="box" x="{x}" y="{y}" width="{BOX}" height="{height}" rx="4"/>',
             f'<text class="name" x="{x + 8}" y="{y + 17}">{html.escape(text)}</text>']
    lines += [f'<text class="holds" x="{x + 8}" y="{y + 32 + TEXT_LINE * i}">{html.escape(line)}</text>'
              for i, line in enumerate(holds)]
    return lines + ['</g>']


def draw():
    used, holds = uses(), words()
    y, lines = 10, []
    for number, floor in enumerate(reversed(floors())):
        folders = [name for name in used if floor and name.startswith(floor + '/')]
        if floor not in used and not folders:
            continue  # a floor without headers
        label = textwrap.wrap(holds.get(floor or 'top', ''), 24 if folders else 100)
        label_x, label_y = (16, 36) if folders else (LABEL + 10, 20)
        if floor in used and folders:  # headers beside the sub-folders
            folders.append(floor)
        order = in_order(folders, used) if folders else []
        texts = [textwrap.wrap(holds.get(name, ''), 20) if name != floor else [] for name in order]
        rows = [(order[i:i + PER_ROW], texts[i:i + PER_ROW]) for i in range(0, len(order), PER_ROW)]
        heights = [26 + max((len(text) for text in row), default=0) * TEXT_LINE for _, row in rows]
        height = max(sum(heights) + GAP * (len(rows) + 1), label_y - 6 + TEXT_LINE * max(len(label), 1))
        lines += [f'<rect class="floor{number % 2}" x="5" y="{y}" width="{WIDTH - 10}" height="{height}" rx="6"/>',
                  f'<text class="floor" x="16" y="{y + 20}">{floor or "top: front doors"}</text>']
        lines += [f'<text class="holds" x="{label_x}" y="{y + label_y + TEXT_LINE * i}">{html.escape(line)}</text>'
                  for i, line in enumerate(label)]
        at = y + GAP
        for (row, row_texts), row_height in zip(rows, heights):
            for column, (name, text) in enumerate(zip(row, row_texts)):
                lines += box(LABEL + 10 + column * (BOX + GAP), at, row_height, name, text, used[name])
            at += row_height + GAP
        y += height + 5
    style = ('text{font-family:sans-serif;fill:#1d2b3a}.floor{font-size:15px;font-weight:bold}.name{font-size:14px}'
             '.holds{font-size:12px;fill:#4a5a6a}.box{fill:#fff;stroke:#6b8cae}.floor0{fill:#e9f1fa;stroke:#b8c4d0}'
             '.floor1{fill:#f6f5ef;stroke:#c9c6b8}')
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 26}" role="img" '
        'aria-label="Floors and folders of include/tenon">',
        '<!-- Written by tools/draw_architecture.py; do not edit. -->', f'<style>{style}</style>',
        f'<rect width="{WIDTH}" height="{y + 26}" fill="#fff"/>', *lines,
        f'<text class="holds" x="16" y="{y + 14}">A header includes its own floor and the floors below it. Boxes of a floor use '
        'boxes on their left or above.</text>', '</svg>', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare with the file instead of writing it')
    check = parser.parse_args().check
    picture = draw()
    name = PICTURE.relative_to(ROOT)
    if check:
        if not PICTURE.is_file() or PICTURE.read_text() != picture:
            print(f'{name} is out of date: tools/draw_architecture.py')
            return 1
        print(f'{name} is up to date')
    else:
        PICTURE.write_text(picture)
    return 0


if __name__ == '__main__':
    sys.exit(main())
