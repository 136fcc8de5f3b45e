# SPDX-License-Identifier: Apache-2.0
"""Hooks of mkdocs.yml. Documents link to files outside of docs/, as code hosts show them: the site gets a page for each
of these files below repository/, and the links lead there. Folders become lists of their files."""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r'(\]\()([^()\s]+)(\))')
LANGUAGES = {'.hpp': 'cpp', '.cuh': 'cpp', '.cpp': 'cpp', '.cu': 'cpp', '.py': 'python', '.sh': 'bash', '.cmake': 'cmake'}
HIDDEN = '---\nsearch:\n  exclude: true\n---\n\n'


def page_of(path):
    """The page of a file or folder of the repository."""
    if path.is_dir():
        return f'repository/{path.relative_to(ROOT).as_posix()}/index.md'
    name = path.relative_to(ROOT).as_posix()
    return f'repository/{name}' if path.suffix == '.md' else f'repository/{name}.md'


def content_of(path):
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        items = sorted(p for p in path.iterdir() if not p.name.startswith(('.', '__')))
        return HIDDEN + f'# {name}/\n\n' + ''.join(f'- [{p.name}]({p.name})\n' for p in items if p.is_file())
    text = path.read_text(encoding='utf-8')
    if path.suffix == '.md':
        return text
    return HIDDEN + f'# {name}\n\n`````{LANGUAGES.get(path.suffix, "text")}\n{text.rstrip()}\n`````\n'


def outside(source, link):
    """The file or folder of the repository that a link of `source` means, if it is not one of docs/; else None."""
    path, _, _ = link.partition('#')
    if not path or re.match(r'[a-z][a-z+.-]*:|/', link):
        return None
    target = (source.parent / path).resolve()
    if target.is_relative_to(ROOT / 'docs') or not target.is_relative_to(ROOT) or not target.exists():
        return None
    return target


def on_files(files, config):
    todo = [pathlib.Path(file.abs_src_path) for file in files.documentation_pages()]
    sources = {file.src_uri: pathlib.Path(file.abs_src_path) for file in files.documentation_pages()}
    while todo:
        source = todo.pop()
        text = content_of(source) if source.is_dir() or source.suffix != '.md' else source.read_text(encoding='utf-8')
        if not source.is_dir() and source.suffix != '.md':
            continue
        for _, link, _ in LINK.findall(text):
            target = outside(source / 'index.md' if source.is_dir() else source, link)
            if target is None or page_of(target) in sources or (target.is_file() and target.suffix in ('.png', '.pb')):
                continue
            sources[page_of(target)] = target
            files.append(File.generated(config, page_of(target), content=content_of(target)))
            todo.append(target)
    config.extra['sources'] = sources
    return files


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if uri == 'index.md':
        page.meta['hide'] = ['navigation']  # the front page is the navigation
    source = config.extra['sources'].get(uri)
    if source is None:
        return markdown
    here = source / 'index.md' if source.is_dir() else source

    def replace(match):
        link = match.group(2)
        target = outside(here, link)
        anchor = link.partition('#')[2]
        if target is None and uri.startswith('repository/'):  # from outside into docs/
            path = link.partition('#')[0]
            if not path or re.match(r'[a-z][a-z+.-]*:|/', link):
                return match.group()
            target = (here.parent / path).resolve()
            if not target.is_relative_to(ROOT / 'docs') or not target.exists():
                return match.group()
            to = target.relative_to(ROOT / 'docs').as_posix()
        elif target is None or page_of(target) not in config.extra['sources']:
            return match.group()
        else:
            to = page_of(target)
        to = posixpath.relpath(to, posixpath.dirname(uri))
        return match.group(1) + to + (f'#{anchor}' if anchor else '') + match.group(3)

    if here.suffix != '.md' or source.is_dir():
        return LINK.sub(replace, markdown) if source.is_dir() else markdown
    return LINK.sub(replace, markdown)
