# SPDX-License-Identifier: Apache-2.0
"""Hooks of mkdocs.yml. Documents link to files outside of docs/, as code hosts show them. The site gets a page for each of
these files below repository/, and the links lead there. A folder becomes a list of its files."""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / 'docs'
LINK = re.compile(r'(\]\()([^()\s]+)(\))')
WEB = re.compile(r'[a-z][a-z+.-]*:|/|#')
LANGUAGES = {'.hpp': 'cpp', '.cuh': 'cpp', '.cpp': 'cpp', '.cu': 'cpp', '.py': 'python', '.sh': 'bash', '.cmake': 'cmake'}
NO_SEARCH = '---\nsearch:\n  exclude: true\n---\n\n'


def uri_of(path):
    """The page of a file or folder of the repository."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return f'repository/{name}' + ('/index.md' if path.is_dir() else '' if path.suffix == '.md' else '.md')


def content_of(path):
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        items = sorted(item.name for item in path.iterdir() if item.is_file() and not item.name.startswith('.'))
        return NO_SEARCH + f'# {name}/\n\n' + ''.join(f'- [{item}]({item})\n' for item in items)
    text = path.read_text(encoding='utf-8', errors='replace')
    if path.suffix == '.md':
        return text
    return NO_SEARCH + f'# {name}\n\n`````{LANGUAGES.get(path.suffix, "text")}\n{text.rstrip()}\n`````\n'


def target_of(source, link):
    """The file or folder that a link in the page of `source` means; None: not one of the repository."""
    if WEB.match(link):
        return None
    folder = source if source.is_dir() else source.parent
    target = (folder / link.partition('#')[0]).resolve()
    return target if target.is_relative_to(ROOT) and target.exists() else None


def on_files(files, config):
    sources = {file.src_uri: pathlib.Path(file.abs_src_path) for file in files.documentation_pages()}
    todo = list(sources.values())
    while todo:
        source = todo.pop()
        if source.is_file() and source.suffix != '.md':
            continue
        for _, link, _ in LINK.findall(content_of(source)):
            target = target_of(source, link)
            if target is None or target.is_relative_to(DOCS) or uri_of(target) in sources:
                continue
            sources[uri_of(target)] = target
            files.append(File.generated(config, uri_of(target), content=content_of(target)))
            todo.append(target)
    config.extra['sources'] = sources
    return files


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if uri == 'index.md':
        page.meta['hide'] = ['navigation']  # the front page is the navigation
    source = config.extra['sources'][uri]
    if source.is_file() and source.suffix != '.md':
        return markdown

    def replace(match):
        before, link, after = match.groups()
        target = target_of(source, link)
        if target is None or (source.is_relative_to(DOCS) and target.is_relative_to(DOCS)):
            return match.group()
        _, hash_, anchor = link.partition('#')
        return before + posixpath.relpath(uri_of(target), posixpath.dirname(uri)) + hash_ + anchor + after

    return LINK.sub(replace, markdown)
