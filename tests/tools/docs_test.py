#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_docs.py and tools/draw_architecture.py find what they say they find: each mistake is planted in a small tree.
And a newcomer's questions have their answers within two clicks from the front page."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOOD = {
    'README.md': '# Top\n\nSee [the page](docs/index.md#a-heading) and `docs/other.md`.\n',
    'mkdocs.yml': 'nav:\n  - Home: index.md\n  - other.md\n  - Decisions: decisions/index.md\n',
    'docs/index.md': '# Page\n\n## A heading\n\n[up](../README.md), [other](other.md#two-words-here), [self](#a-heading)\n'
                     '`base/status.hpp` `<tenon/base/status.hpp>` `my/own.hpp`\n\n```cpp\n[not](a_link.md) <tenon/base/status.hpp>\n```\n',
    'docs/other.md': '# Other\n\n## Two words here\n\n[web](https://example.com/x.md)\n',
    'docs/decisions/index.md': '# Decisions\n\n[0001](0001-first.md)\n',
    'docs/decisions/0001-first.md': '# 0001. First\n\nAs of then: `base/long_gone.hpp`.\n',
    'bench/results/README.md': '# Results\n\n[one](one.md)\n',
    'bench/results/one.md': '# one\n',
    'include/tenon/base/status.hpp': '#pragma once\n// docs/other.md, "Two words here"\n',
}

# Question -> pages with the answer, each with words that stand in it.
QUESTIONS = {
    'How do I run my Keras model from C++?': {'docs/tutorial/1-run-a-model.md': ['model.export', 'SavedModel::Load']},
    'How do I run a frozen graph?': {'docs/tutorial/1-run-a-model.md': ['frozen', 'session.Run']},
    'What must I include, and in how many source files?': {'docs/how-to/embed.md': ['<tenon/runtime.hpp>', '## What is needed']},
    'What do I link?': {'docs/reference/cmake.md': ['tenon::runtime', 'tenon::ops']},
    'How do I use Tenon with CMake?': {'docs/how-to/embed.md': ['find_package', 'add_subdirectory', 'FetchContent']},
    'With Conan? With vcpkg? With no build system?': {'docs/how-to/embed.md': ['Conan', 'vcpkg', '## No build system']},
    'Which compilers, standards and platforms work?': {'docs/reference/platforms.md': ['g++', 'clang'],
                                                       'docs/how-to/embed.md': ['C++20']},
    'How do I write an op?': {'docs/tutorial/2-write-an-op.md': ['## Attrs', '## Lists', '## Shapes']},
    'How do I write one op for CPU and GPU?': {'docs/tutorial/3-one-source-cpu-gpu.md': ['.cu', 'Device']},
    'How do I register an op, and what happens twice?': {'docs/explanation/op-language.md': ['TENON_REGISTER', 'twice']},
    'How do I load ops from a shared library?': {'docs/how-to/plug-in.md': ['TENON_PLUGIN', 'LoadLibrary']},
    'Which ops does my graph need?': {'docs/how-to/choose-ops-and-size.md': ['tenon_ops_of', 'missing']},
    'How do I keep my binary small?': {'docs/how-to/choose-ops-and-size.md': ['Keep the binary small']},
    'How do I keep my compile time small?': {'docs/how-to/choose-ops-and-size.md': ['Keep compile time short']},
    'How do I use several threads?': {'docs/how-to/threads.md': ['inter_op_threads', 'intra_op_threads', 'ThreadPoolInterface']},
    'Is Session thread-safe? What lives how long?': {'docs/explanation/life-of-a-run.md': ['## Lifetimes', 'thread-safe']},
    'How do I stop a run?': {'docs/how-to/deadlines.md': ['timeout_in_ms', 'CancellationManager']},
    'How do I find the slow op?': {'docs/how-to/profile.md': ['TENON_TRACE']},
    'How do I use a GPU? What runs where, and why?': {'docs/how-to/several-devices.md': ['GPU:0'],
                                                     'docs/explanation/several-devices.md': ['log_device_placement']},
    'How do I make and read tensors?': {'docs/tutorial/1-run-a-model.md': ['## Make and read tensors'],
                                        'docs/reference/api/tensor.md': ['FromMemory']},
    'How do I save and restore variables?': {'docs/how-to/checkpoints.md': ['checkpoint', 'Restore']},
    'How does memory work? How do I limit it?': {'docs/explanation/memory.md': ['LimitedAllocator'],
                                                'docs/how-to/own-allocator.md': ['LimitedAllocator']},
    'What does this error mean?': {'docs/reference/errors.md': ['op_signature_error'],
                                   'docs/how-to/debug-a-refused-graph.md': ['NOT_FOUND']},
    'In what does Tenon differ from TensorFlow?': {'docs/reference/tf-differences.md': ['TensorFlow']},
    'Which options and variables exist?': {'docs/reference/options.md': ['plan_after_runs'],
                                           'docs/reference/environment.md': ['TENON_ISA', 'TENON_TRACE']},
    'How fast is it, and how do I measure it?': {'docs/explanation/performance.md': ['tools/bench.sh', 'oneDNN', 'Zen 4']},
    'How does a run go through the code?': {'docs/explanation/life-of-a-run.md': ['runtime/executor/sequential.hpp']},
    'In which folder does my change belong?': {'docs/explanation/architecture.md': ['## What a header may include']},
    'How do I build, test, format, and send a change?': {'CONTRIBUTING.md': ['tools/test.sh', 'tools/format.sh', '## Commits']},
    'What is stable, and what may change?': {'docs/reference/api-life-cycle.md': ['deprecated']},
}


class Questions(unittest.TestCase):
    def test_answers_are_two_clicks_away(self):
        spec = importlib.util.spec_from_file_location('check_docs', ROOT / 'tools/check_docs.py')
        tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tool)
        reached, new = set(), {'docs/index.md'}
        for _ in range(3):  # the front page, a click, another click
            reached |= new
            paths = {(ROOT / page).parent / link.partition('#')[0] for page in new for link in tool.links_of(page)}
            new = {path.resolve().relative_to(ROOT).as_posix() for path in paths
                   if path.suffix == '.md' and path.is_file()} - reached
        self.assertEqual(len(QUESTIONS), 30)
        for question, pages in QUESTIONS.items():
            for page, words in pages.items():
                with self.subTest(question):
                    self.assertIn(page, reached)
                    for word in words:
                        self.assertIn(word, (ROOT / page).read_text())


class InTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_tool(self, name, *arguments):
        result = subprocess.run([sys.executable, self.root / 'tools' / name, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        return result.returncode, result.stdout

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


class CheckDocs(InTree):
    def setUp(self):
        super().setUp()
        self.write(GOOD)
        (self.root / 'tools').mkdir()
        shutil.copy2(ROOT / 'tools/check_docs.py', self.root / 'tools')

    def assert_found(self, error, **planted):
        for name, text in planted.items():
            path = next(path for path in GOOD if path.replace('/', '_').replace('.', '_').replace('-', '_') == name)
            self.write({path: GOOD[path] + text})
        code, output = self.run_tool('check_docs.py')
        self.assertEqual(code, 1, output)
        self.assertEqual(output.strip(), error)

    def test_good_tree(self):
        self.assertEqual(self.run_tool('check_docs.py'), (0, '7 documents: all links lead somewhere\n'))

    def test_dead_link(self):
        self.assert_found("docs/other.md: 'gone.md' leads nowhere", docs_other_md='[x](gone.md)\n')

    def test_link_out_of_the_repository(self):
        self.assert_found("docs/other.md: '../../x.md' leads nowhere", docs_other_md='[x](../../x.md)\n')

    def test_dead_anchor(self):
        self.assert_found("README.md: 'docs/other.md#three': that page has no such heading",
                          README_md='[x](docs/other.md#three)\n')

    def test_anchor_that_differs(self):
        self.assert_found("docs/other.md: '#a--b': the site and code hosts differ in the anchor of that heading",
                          docs_other_md='## A + b\n\n[x](#a--b)\n')

    def test_reference_and_html_links(self):
        self.assert_found("docs/other.md: 'no.md' leads nowhere\ndocs/other.md: 'no.svg' leads nowhere",
                          docs_other_md='[x]: no.md\n\n<img src="no.svg">\n')

    def test_mention_in_a_comment(self):
        self.assert_found("include/tenon/base/status.hpp: 'docs/design.md' is not there",
                          include_tenon_base_status_hpp='// See docs/design.md.\n')

    def test_mention_of_a_heading(self):
        self.assert_found("include/tenon/base/status.hpp: 'docs/other.md' has no heading 'Three'",
                          include_tenon_base_status_hpp='// docs/other.md, "Three"\n')

    def test_header_that_is_not_there(self):
        self.assert_found("docs/other.md: there is no header 'base/gone.hpp'", docs_other_md='`base/gone.hpp`\n')

    def test_header_in_a_block(self):
        self.assert_found('docs/other.md: there is no header <tenon/gone.hpp>',
                          docs_other_md='```cpp\n#include <tenon/gone.hpp>\n```\n')

    def test_page_outside_of_the_navigation(self):
        self.write({'docs/lost.md': '# Lost\n'})
        self.assert_found("mkdocs.yml: 'lost.md' is not in the navigation")

    def test_page_of_the_navigation(self):
        self.assert_found("mkdocs.yml: 'gone.md' is not in docs", mkdocs_yml='  - Gone: gone.md\n')

    def test_lists(self):
        self.write({'docs/decisions/0002-second.md': '# 0002. Second\n', 'bench/results/two.md': '# two\n'})
        self.assert_found("docs/decisions/index.md: '0002-second.md' is not listed\n"
                          "bench/results/README.md: 'two.md' is not listed")


class DrawArchitecture(InTree):
    def test_follows_the_includes(self):
        (self.root / 'tools').mkdir()
        for name in ('tools/draw_architecture.py', 'tools/check_layers.py', 'CONTRIBUTING.md'):
            shutil.copy2(ROOT / name, self.root / name)
        self.write({'include/tenon/base/a.hpp': '', 'include/tenon/op/attr/b.hpp': '#include <tenon/base/a.hpp>\n',
                    'include/tenon/op/shape/c.hpp': '', 'docs/explanation/x.md': ''})
        self.assertEqual(self.run_tool('draw_architecture.py', '--check')[0], 1)
        self.assertEqual(self.run_tool('draw_architecture.py'), (0, ''))
        self.assertEqual(self.run_tool('draw_architecture.py', '--check')[0], 0)
        picture = (self.root / 'docs/explanation/architecture.svg').read_text()
        self.assertIn('op/attr uses: base', picture)
        self.assertLess(picture.index('>attr<'), picture.index('>shape<'))
        # A new include turns the order around.
        self.write({'include/tenon/op/attr/b.hpp': '#include <tenon/op/shape/c.hpp>\n'})
        self.assertEqual(self.run_tool('draw_architecture.py', '--check')[0], 1)
        self.run_tool('draw_architecture.py')
        picture = (self.root / 'docs/explanation/architecture.svg').read_text()
        self.assertLess(picture.index('>shape<'), picture.index('>attr<'))


if __name__ == '__main__':
    unittest.main()
