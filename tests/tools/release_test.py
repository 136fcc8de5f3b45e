#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/release.sh in a small repository of its own: what it changes, when it refuses, and that a dry run and a release
whose checks fail change nothing. tools/check_all.sh: every step is due at one of any four commits."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = '// SPDX-License-Identifier: Apache-2.0\n#pragma once\n'
# The real file, so that the script and the file agree.
CONFIG = re.sub(r'^#define TENON_VERSION .*', '#define TENON_VERSION 100',
                (ROOT / 'include/tenon/base/config.hpp').read_text(), flags=re.M)
FILES = {
    'include/tenon/base/config.hpp': CONFIG,
    'include/tenon/tenon.hpp': HEAD + '#include <tenon/base/config.hpp>\n',
    'include/tenon/ops.hpp': HEAD + '#include <tenon/tenon.hpp>\nint op();\n',
    'packaging/vcpkg/vcpkg.json': '{\n  "name": "tenon",\n  "version": "0.1.0"\n}\n',
    'CHANGELOG.md': '# Changelog\n\n## Unreleased (0.1.0)\n\n### Added\n- Ops.\n\n## 0.0.1 (2020-01-01)\n\n- A start.\n',
}


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / 'a repository'
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / 'tools').mkdir()
        for name in ('release.sh', 'amalgamate.py'):
            shutil.copy2(ROOT / 'tools' / name, self.root / 'tools' / name)
        self.git('init', '-q')
        self.commit('first')

    def git(self, *arguments):
        names = {f'GIT_{who}_{what}': 'tenon@example.org' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}
        result = subprocess.run(['git', *arguments], cwd=self.root, env=os.environ | names, capture_output=True, text=True,
                                check=True)
        return result.stdout.strip()

    def commit(self, message):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', message)

    def release(self, *arguments, checks='true'):
        """(exit status, output) of tools/release.sh."""
        names = {f'GIT_{who}_{what}': 'tenon@example.org' for who in ('AUTHOR', 'COMMITTER') for what in ('NAME', 'EMAIL')}
        result = subprocess.run(['tools/release.sh', '--date', '2026-01-31', '--checks', checks, *arguments], cwd=self.root,
                                env=os.environ | names, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return result.returncode, result.stdout

    def texts(self):
        return {path.relative_to(self.root): path.read_text() for path in self.root.rglob('*')
                if path.is_file() and '.git' not in path.relative_to(self.root).parts}

    def read(self, name):
        return (self.root / name).read_text()

    def refused(self, *arguments, because, checks='true'):
        texts, head = self.texts(), self.git('rev-parse', 'HEAD')
        code, output = self.release(*arguments, checks=checks)
        self.assertEqual(code, 1, output)
        self.assertIn(because, output)
        self.assertEqual((self.texts(), self.git('rev-parse', 'HEAD'), self.git('tag')), (texts, head, ''))

    def test_a_release(self):
        code, output = self.release(checks='grep -q "## 0.1.0 (2026-01-31)" CHANGELOG.md')
        self.assertEqual(code, 0, output)
        self.assertIn('## Unreleased\n\n## 0.1.0 (2026-01-31)\n\n### Added\n- Ops.\n\n## 0.0.1 ', self.read('CHANGELOG.md'))
        self.assertIn('int op();', self.read('single_include/tenon/tenon.hpp'))
        self.assertEqual(self.read('include/tenon/base/config.hpp'), CONFIG)
        self.assertEqual(self.git('tag', '--points-at', 'HEAD'), 'v0.1.0')
        self.assertEqual(self.git('cat-file', '-t', 'v0.1.0'), 'tag')
        self.assertEqual(self.git('log', '-1', '--format=%s'), 'release: 0.1.0')
        self.assertEqual(self.git('status', '--porcelain'), '')

    def test_the_version_after_it(self):
        self.assertEqual(self.release()[0], 0)
        text = self.read('CHANGELOG.md')
        (self.root / 'CHANGELOG.md').write_text(text.replace('## Unreleased\n', '## Unreleased\n\n- More.\n'))
        self.commit('more')
        code, output = self.release('1.20.3')
        self.assertEqual(code, 0, output)
        for name in ('include/tenon/base/config.hpp', 'single_include/tenon/tenon.hpp'):
            self.assertIn('#define TENON_VERSION 12003\n', self.read(name))
        self.assertIn('"version": "1.20.3"', self.read('packaging/vcpkg/vcpkg.json'))
        self.assertEqual(re.findall('^## .*', self.read('CHANGELOG.md'), re.M),
                         ['## Unreleased', '## 1.20.3 (2026-01-31)', '## 0.1.0 (2026-01-31)', '## 0.0.1 (2020-01-01)'])
        self.assertEqual(self.git('tag').split(), ['v0.1.0', 'v1.20.3'])

    def test_a_dry_run_changes_nothing(self):
        texts, head = self.texts(), self.git('rev-parse', 'HEAD')
        code, output = self.release('--dry-run', '0.2.0', checks='false')
        self.assertEqual(code, 0, output)
        for line in ('+## 0.2.0 (2026-01-31)', '+#define TENON_VERSION 200', '+  "version": "0.2.0"',
                     "would commit 'release: 0.2.0' and tag it v0.2.0"):
            self.assertIn(line, output)
        self.assertEqual((self.texts(), self.git('rev-parse', 'HEAD'), self.git('tag')), (texts, head, ''))
        self.assertEqual(len(self.git('worktree', 'list').splitlines()), 1)

    def test_refusals(self):
        self.refused(because='the checks failed', checks='false')
        self.refused('0.1', because="'0.1' is not a version such as 0.1.0")
        self.refused('0.100.0', because="the minor version and the patch of '0.100.0' must be below 100")
        self.refused('0.0.9', because='0.0.9 is older than 0.1.0')
        self.refused('--sign', because="there is no option '--sign'")
        (self.root / 'new').write_text('')
        self.refused(because='there are changes that no commit has: ?? new')
        (self.root / 'new').unlink()
        (self.root / 'CHANGELOG.md').write_text('# Changelog\n\n## Unreleased\n\n## 0.0.1 (2020-01-01)\n\n- A start.\n')
        self.commit('nothing to release')
        self.refused(because="lists nothing under '## Unreleased'")

    def test_a_tag_that_is_there(self):
        self.git('tag', 'v0.1.0')
        code, output = self.release()
        self.assertEqual((code, 'the tag v0.1.0 is there already' in output), (1, True), output)


class CheckAll(unittest.TestCase):
    def steps(self, *arguments):
        """The lines of --list, as far as they name steps."""
        result = subprocess.run([ROOT / 'tools/check_all.sh', '--list', *arguments], capture_output=True, text=True, check=True)
        return [line for line in result.stdout.splitlines() if re.fullmatch(r'[a-z_]+( \(as time permits\))?', line)]

    def test_four_commits_are_everything(self):
        everything = self.steps()
        for first in (0, 41):
            due = [self.steps('--minutes', '30', '--commit', str(first + i)) for i in range(4)]
            for steps in due:
                self.assertEqual({step.partition(' ')[0] for step in steps}, set(everything))
            sets = [{step for step in steps if ' ' not in step} for steps in due]
            self.assertEqual(set.union(*sets), set(everything))
            always = set.intersection(*sets)
            self.assertTrue({'format', 'layers', 'amalgamation', 'compile_fail', 'readme'} <= always)
            self.assertEqual(sum(len(steps - always) for steps in sets) + len(always), len(everything))

    def test_all_and_names(self):
        self.assertEqual(self.steps('--minutes', '30', '--all', '--commit', '3'), self.steps('--commit', '3'))
        self.assertEqual(self.steps('--minutes', '1', 'asan', 'tsan'), ['asan', 'tsan'])
        result = subprocess.run([ROOT / 'tools/check_all.sh', 'nonsense'], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (2, "check_all: there is no step 'nonsense'\n"))


if __name__ == '__main__':
    unittest.main()
