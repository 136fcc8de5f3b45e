#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of tools/ find what they say they find: each mistake is planted in a small tree, and must be refused for its
own reason and no other. The tree without a mistake must pass."""
import contextlib
import importlib.util
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = '// SPDX-License-Identifier: Apache-2.0\n#pragma once\n'


def load(name):
    """tools/<name>.py as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / 'tools' / f'{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)


class Amalgamate(InFolder):
    GOOD = {
        'base/a.hpp': '// a: the first.\n#include <vector>\nint a();\n',
        'base/b.hpp': '#include <string>\n#include <tenon/base/a.hpp>\n#include <re2/re2.h>\nint b();\n',
        'base/c.hpp': '#include <tenon/base/a.hpp>\n#ifdef WITH_C\n#include <c_library.h>\nint c();\n#endif\n',
        'io/e.hpp': '#include <tenon/base/a.hpp>\nint e();\n',
        'ops/d.hpp': '#include <tenon/base/a.hpp>\n#include <map>\n#include <string>\nint d();\n',
        'runtime/api/session.hpp': '#include <tenon/base/a.hpp>\nint session();\n',
        'tenon.hpp': '#include <tenon/base/b.hpp>\n#include <tenon/base/c.hpp>\n#include <tenon/runtime/api/session.hpp>\n',
        'ops.hpp': '#include <tenon/tenon.hpp>\n#include <tenon/ops/d.hpp>\nint ops();\n',
        'ops/mlp.hpp': '#include <tenon/ops/d.hpp>\nint mlp();\n',
        'runtime.hpp': '#include <tenon/tenon.hpp>\n#if !defined(MINIMAL)  // why\n#include <tenon/io/e.hpp>\nint whole();\n#endif\n',
        'old.hpp': '#pragma message("old")\n#include <tenon/io/old.hpp>\n',
    }

    def setUp(self):
        super().setUp()
        self.tool = load('amalgamate')

    def generate(self, **planted):
        """{name: text} of the single headers; what is planted at 'base_a' stands instead of base/a.hpp."""
        texts = dict(self.GOOD)
        for name, text in planted.items():
            texts[name.replace('_', '/', 1) + '.hpp'] = text
        write(self.root, {f'include/tenon/{name}': HEAD + text for name, text in texts.items()})
        return {name.removeprefix('single_include/tenon/'): text for name, text in self.tool.generate(self.root)[0].items()}

    def refused(self, *parts, **planted):
        with self.assertRaises(self.tool.Refused) as caught:
            self.generate(**planted)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def seen(self, program, *options):
        """The functions that a program sees, in their order: the compiler's preprocessor says so."""
        empty = ('re2/re2.h', 'c_library.h', 'vector', 'string', 'map')
        write(self.root, {f'stubs/{name}': '' for name in empty} | {'program.cpp': program})
        command = ['g++', '-E', '-P', '-nostdinc', '-nostdinc++', f'-I{self.root}/stubs', f'-I{self.root}/single_include', *options]
        result = subprocess.run([*command, self.root / 'program.cpp'], capture_output=True, text=True, check=True)
        return ' '.join(line.removeprefix('int ').removesuffix('();') for line in result.stdout.split('\n') if line.strip())

    def test_each_door_shows_what_its_header_reaches(self):
        self.assertNotIn('old.hpp', self.generate())
        self.assertEqual(self.run_tool().returncode, 0)
        for program, seen in (
                ('#include <tenon/tenon.hpp>', 'a session b'),
                ('#include <tenon/ops.hpp>', 'a session b d ops'),
                ('#include <tenon/ops/mlp.hpp>', 'a session b d mlp'),
                ('#include <tenon/runtime.hpp>', 'a session b e whole'),
                ('#define MINIMAL\n#include <tenon/runtime.hpp>', 'a session b'),
                ('#define WITH_C\n#include <tenon/tenon.hpp>', 'a session b c'),
                ('#define TENON_IMPLEMENTATION\n#include <tenon/tenon.hpp>', 'a session b d ops e whole'),
                ('#include <tenon/tenon.hpp>\n#include <tenon/runtime.hpp>\n#include <tenon/ops.hpp>\n'
                 '#include <tenon/ops.hpp>\n#include <tenon/tenon.hpp>', 'a session b e whole d ops'),
                ('#include <tenon/runtime/api/session.hpp>', 'a session'),
                ('#include <tenon/runtime/api/session.hpp>\n#include <tenon/tenon.hpp>', 'a session b'),
                ('#include <tenon/ops.hpp>\n#include <tenon/runtime/api/session.hpp>', 'a session b d ops'),
                ('#include <tenon/runtime/api/session.hpp>\n#include <tenon/ops/mlp.hpp>', 'a session b d mlp'),
                ('#define TENON_IMPLEMENTATION\n#include <tenon/runtime/api/session.hpp>', 'a session b d ops e whole')):
            self.assertEqual(self.seen(program + '\n'), seen, program)

    def test_each_header_once_and_standard_headers_on_top(self):
        tenon = self.generate()['tenon.hpp']
        for text in ('int a();', 'int b();', 'int c();', 'int d();', '<vector>', '<map>'):
            self.assertEqual(tenon.count(text), 1, text)
        self.assertNotIn('#include <tenon/', tenon)
        order = ['#include <vector>', '// a: the first.', 'int a();', 'int session();', '#include <string>', '#include <re2/re2.h>',
                 'int b();', '#ifdef WITH_C', '#include <c_library.h>', 'int c();', '#include <map>', 'int d();']
        self.assertEqual(sorted(order, key=tenon.index), order)

    def test_same_tree_same_bytes(self):
        self.assertEqual(self.generate(), self.generate())

    def test_a_header_under_two_conditions(self):
        texts = {'ops': '#if X\n#include <tenon/io/e.hpp>\n#endif\n#if Y\n#include <tenon/io/e.hpp>\n#endif\nint ops();\n'}
        self.generate(**texts)
        self.assertEqual(self.run_tool().returncode, 0)
        for options, seen in ((), 'a session b ops'), (('-DX=1',), 'a session b e ops'), (('-DY=1',), 'a session b e ops'):
            self.assertEqual(self.seen('#include <tenon/ops.hpp>\n', *options), seen, options)

    def test_conditions_that_are_not_followed(self):
        for begin in ('#ifdef X', '#ifndef X', '#if 0\n#else', '#if X\n#elif Y'):
            self.refused('tenon/ops/d.hpp: <tenon/base/c.hpp> is included under #ifdef, #elif or #else',
                         ops_d=f'{begin}\n#include <tenon/base/c.hpp>\n#endif\nint d();\n')
        self.refused('<tenon/base/b.hpp> is included under #if by what tenon/tenon.hpp reaches',
                     tenon='#if X\n#include <tenon/base/b.hpp>\n#endif\n')

    def test_headers_that_include_each_other(self):
        self.refused('tenon/base/a.hpp: <tenon/base/b.hpp> includes itself', base_a='#include <tenon/base/b.hpp>\n')

    def test_a_relative_include(self):
        self.refused('tenon/base/b.hpp: "a.hpp"', 'write <tenon/...>', base_b='#include "a.hpp"\nint b();\n')

    def test_a_header_that_is_not_there(self):
        self.refused('tenon/base/b.hpp: <tenon/base/f.hpp> does not exist', base_b='#include <tenon/base/f.hpp>\n')

    def test_eigen_and_cuda(self):
        for name in ('Eigen/Core', 'unsupported/Eigen/CXX11/Tensor', 'cuda_runtime.h', 'cublas_v2.h'):
            self.refused(f'tenon/tenon.hpp reaches <{name}>', base_a=f'#include <{name}>\nint a();\n')

    def test_includes_that_only_a_preprocessor_could_follow(self):
        self.refused("tenon/base/a.hpp: '#include WHAT'", base_a='#define WHAT <tenon/base/b.hpp>\n#include WHAT\n')
        self.refused("tenon/base/a.hpp: '__has_include(<tenon/base/b.hpp>)'",
                     base_a='#if __has_include(<tenon/base/b.hpp>)\nint a();\n#endif\n')
        self.generate(base_a='// #include WHAT, __has_include(<tenon/base/b.hpp>)\n#if __has_include(<map>)\nint a();\n#endif\n')

    def test_an_if_that_goes_on_in_the_next_header(self):
        self.refused('tenon/base/a.hpp: #if and #endif do not match', base_a='#if 1\nint a();\n')
        self.refused('tenon/base/c.hpp: #if and #endif do not match', base_c='int c();\n#endif\n')

    def run_tool(self, *arguments):
        command = [sys.executable, ROOT / 'tools/amalgamate.py', '--root', self.root, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_check_shows_what_is_out_of_date(self):
        self.generate()
        self.assertEqual(self.run_tool('--check').returncode, 1)  # nothing is there yet
        self.assertFalse((self.root / 'single_include').exists())
        self.assertEqual(self.run_tool().returncode, 0)
        self.assertEqual(self.run_tool('--check').returncode, 0)
        path = self.root / 'single_include/tenon/tenon.hpp'
        text = path.read_text()
        path.write_text(text.replace('int b();', 'int edited();'))
        result = self.run_tool('--check')
        self.assertEqual(result.returncode, 1)
        for line in ('-int edited();', '+int b();', 'out of date, run tools/amalgamate.py'):
            self.assertIn(line, result.stdout)
        self.assertIn('int edited();', path.read_text())

    def test_a_refusal_fails_and_writes_nothing(self):
        self.generate()
        write(self.root, {'include/tenon/base/a.hpp': HEAD + '#include "x.hpp"\n'})
        result = self.run_tool()
        self.assertEqual((result.returncode, result.stderr[:10]), (1, 'amalgamate'))
        self.assertFalse((self.root / 'single_include').exists())


class CheckLayers(InFolder):
    GOOD = {
        'base/a.hpp': '#include <vector>\nint a();\n',
        'types/b.hpp': '#include <tenon/base/a.hpp>\nint b();\n',
        'ops/c.hpp': '#include <tenon/types/b.hpp>\nint c();\n',
        'tenon.hpp': '#include <tenon/types/b.hpp>\n',
        'ops.hpp': '#include <tenon/ops/c.hpp>\n#include <tenon/tenon.hpp>\n',
    }

    def setUp(self):
        super().setUp()
        self.tool = load('check_layers')
        self.tool.TESTED_TOGETHER = {}
        self.tool.TESTED_THROUGH = {}

    def errors(self, planted=None, tests=None):
        """What is found when the headers in planted, {name: text}, and the tests stand beside or instead of the good ones.
        Every header has a mirror test unless tests say something else; a test whose text is None is not there."""
        texts = {name: HEAD + text for name, text in self.GOOD.items()}
        texts |= {name: text if text.startswith('// Apache') else HEAD + text for name, text in (planted or {}).items()}
        files = {}
        for name in texts:
            folder, _, file = name.rpartition('/')
            files[f'tests/{folder or "top"}/{file.partition(".")[0]}_test.cpp'] = f'#include <tenon/{name}>\n'
        files |= {f'tests/{name}': text for name, text in (tests or {}).items()}
        shutil.rmtree(self.root)
        self.root.mkdir()
        write(self.root, {f'include/tenon/{name}': text for name, text in texts.items()})
        write(self.root, {name: text for name, text in files.items() if text is not None})
        return self.tool.check(self.root).errors

    def finds(self, error, planted=None, tests=None):
        self.assertEqual(self.errors(planted, tests), [error])

    def test_a_good_tree(self):
        self.assertEqual(self.errors(), [])

    def test_an_upward_include(self):
        self.finds("include/tenon/base/a.hpp:3: <tenon/types/b2.hpp>: the floor 'base' may not see 'types'",
                   {'base/a.hpp': '#include <tenon/types/b2.hpp>\n', 'types/b2.hpp': 'int b2();\n'})
        self.finds("include/tenon/types/b.hpp:4: <tenon/top2.hpp>: the floor 'types' may not see 'top'",
                   {'types/b.hpp': '#include <tenon/base/a.hpp>\n#include <tenon/top2.hpp>\n', 'top2.hpp': 'int t();\n'})

    def test_an_upward_include_in_a_branch_of_if(self):
        self.finds("include/tenon/base/a.hpp:4: <tenon/types/b2.hpp>: the floor 'base' may not see 'types'",
                   {'base/a.hpp': '#ifdef X\n  #  include <tenon/types/b2.hpp>  // why not\n#endif\n', 'types/b2.hpp': ''})

    def test_kernels_and_graphs_do_not_see_each_other(self):
        self.finds("include/tenon/graph/g.hpp:3: <tenon/ops/c.hpp>: the floor 'graph' may not see 'ops'",
                   {'graph/g.hpp': '#include <tenon/ops/c.hpp>\n', 'top2.hpp': '#include <tenon/graph/g.hpp>\n'})
        self.finds("include/tenon/ops/c.hpp:3: <tenon/graph/g.hpp>: the floor 'ops' may not see 'graph'",
                   {'ops/c.hpp': '#include <tenon/graph/g.hpp>\n', 'graph/g.hpp': 'int g();\n'})

    STATE = "is process-wide state: make it an entry of base/extensions.hpp, an option of the session, or a registry in PROCESS_STATE"
    EARLY = 'runs before main: fill an entry of base/extensions.hpp, or add to a registry'

    def test_process_wide_state(self):
        for line, name in (('inline constinit std::atomic<int (*)(int)> hook{nullptr};', 'hook'), ('inline int count = 0;', 'count'),
                           ('inline std::atomic<bool> flag;', 'flag'), ('static thread_local Cache cache{};', 'cache'),
                           ('inline constinit Map<int, List<int>> long_name =\n    MakeMap();', 'long_name')):
            self.finds(f"include/tenon/base/a.hpp:3: '{name}' {self.STATE}", {'base/a.hpp': line + '\n'})
        good = ('inline constexpr int kOne = 1;\ninline int Two() { return 2; }\ninline std::atomic<int>& Three() {\n'
                '  static std::atomic<int> three{3};\n  return three;\n}\ninline const int* const four = nullptr;\n'
                'inline bool operator==(A, B) { return true; }\n// inline int five = 5;\nstatic_assert(true);\n')
        self.assertEqual(self.errors({'base/a.hpp': good}), [])
        self.assertEqual(self.errors({'base/log.hpp': 'inline LogSink* log_sink = nullptr;\n',
                                      'tenon.hpp': '#include <tenon/base/log.hpp>\n#include <tenon/types/b.hpp>\n'}), [])

    def test_code_before_main(self):
        for line in ('inline const bool part_linked = LinkPart(&place, &Part);', 'inline const bool part_linked =\n    Link();',
                     'inline const bool is_set = [] {\n  place.store(1);\n  return true;\n}();',
                     'inline const bool is_set = (place.store(1), true);'):
            self.finds(f"include/tenon/base/a.hpp:3: '{line.split()[3]}' {self.EARLY}", {'base/a.hpp': line + '\n'})
        self.assertEqual(self.errors({'base/a.hpp': 'inline const bool is_registered = LinkDeviceFactory(&factory);\n'
                                                    'inline const bool is_small = kSize < 8;\n'}), [])

    def extensions(self, **changed):
        """What is found where one header fills the one entry of the table; what is changed stands instead."""
        self.tool.FILLERS = {'part': 'types/b.hpp'}
        self.tool.DOORS = {'types/b.hpp': 'tenon.hpp'}
        texts = {'table': 'struct Extensions {\n  std::atomic<Make> part{nullptr};\n};\n', 'page': 'the entry `part`\n',
                 'filler': '#include <tenon/base/extensions.hpp>\n'
                           'inline const bool fills_part = FillExtension(&extensions.part, &Make);\n',
                 'ops': '#include <tenon/ops/c.hpp>\n', 'c': '#include <tenon/base/a.hpp>\n'} | changed
        return self.errors({'base/extensions.hpp': texts['table'], 'types/b.hpp': texts['filler'], 'ops/c.hpp': texts['c'],
                            'tenon.hpp': '#include <tenon/types/b.hpp>\n', 'ops.hpp': texts['ops']},
                           {'../docs/reference/extension-points.md': texts['page']})

    def test_extensions(self):
        table = 'include/tenon/base/extensions.hpp:1: '
        self.assertEqual(self.extensions(), [])
        self.assertEqual(self.extensions(filler='#include <tenon/base/extensions.hpp>\n'),
                         [table + "no header fills the entry 'part'"])
        self.assertEqual(self.extensions(page=''), [table + "docs/reference/extension-points.md does not name the entry 'part'"])
        fill = '#include <tenon/base/a.hpp>\n#include <tenon/base/extensions.hpp>\ninline const bool again =\n    FillExtension(&extensions.part, &Other);\n'
        self.assertEqual(self.extensions(c=fill),
                         ["include/tenon/ops/c.hpp:6: fills 'part', which FILLERS gives to types/b.hpp"])
        self.assertEqual(self.extensions(c='#include <tenon/base/a.hpp>\n#include <tenon/types/b.hpp>\n'),
                         ['include/tenon/ops/c.hpp:1: <tenon/types/b.hpp> changes what sessions do: only <tenon/tenon.hpp> includes it'])

    def test_a_cycle(self):
        self.finds('include/tenon/base/a.hpp:1: include cycle: base/a.hpp -> base/x.hpp -> base/a.hpp',
                   {'base/a.hpp': '#include <tenon/base/x.hpp>\n', 'base/x.hpp': '#include <tenon/base/a.hpp>\n'})
        self.finds('include/tenon/base/a.hpp:1: include cycle: base/a.hpp -> base/a.hpp',
                   {'base/a.hpp': '#include <tenon/base/a.hpp>\n'})

    def test_a_cycle_of_folders(self):
        self.finds('include/tenon/ops/a/x.hpp:1: folder cycle: ops/a/x.hpp includes ops/b/y.hpp, ops/b/z.hpp includes ops/a/w.hpp',
                   {'ops/a/x.hpp': '#include <tenon/ops/b/y.hpp>\n', 'ops/b/y.hpp': 'int y();\n', 'ops/a/w.hpp': 'int w();\n',
                    'ops/b/z.hpp': '#include <tenon/ops/a/w.hpp>\n',
                    'top2.hpp': '#include <tenon/ops/a/x.hpp>\n#include <tenon/ops/b/z.hpp>\n'})

    def test_too_many_headers_in_a_folder(self):
        headers = {f'ops/a/h{i}.hpp': f'int f{i}();\n' for i in range(41)}
        top = ''.join(f'#include <tenon/{name}>\n' for name in headers)
        self.finds('include/tenon/ops/a: 41 headers; a folder has at most 40', headers | {'top2.hpp': top})

    def test_a_header_that_is_too_long(self):
        self.finds('include/tenon/base/a.hpp:502: a header has at most 500 lines', {'base/a.hpp': 'int a();\n' * 500})

    def test_a_commented_include_is_none(self):
        self.assertEqual(self.errors({'base/a.hpp': '// #include <tenon/types/b.hpp>\n/*\n#include <iostream>\n*/\n'}), [])

    def test_a_relative_include_and_one_of_nothing(self):
        self.finds('include/tenon/base/a.hpp:3: "b.hpp": write <tenon/...>, not a relative include',
                   {'base/a.hpp': '#include "b.hpp"\n'})
        self.finds('include/tenon/base/a.hpp:3: <tenon/base/none.hpp> does not exist',
                   {'base/a.hpp': '#include <tenon/base/none.hpp>\n'})

    def test_a_floor_that_is_none(self):
        self.assertIn("include/tenon/cellar/x.hpp:1: 'cellar' is no floor; there are base, types, ",
                      ''.join(self.errors({'cellar/x.hpp': 'int x();\n'})))

    def test_slow_and_third_party_headers(self):
        self.finds('include/tenon/base/a.hpp:3: <sstream> is slow to read and not for the floors up to device',
                   {'base/a.hpp': '#include <sstream>\n'})
        self.assertEqual(self.errors({'ops/c.hpp': '#include <sstream>\n'}), [])
        for name, where in (('Eigen/Core', 'engine/linalg/eigen.hpp or engine/linalg/eigen_tensor.hpp'),
                            ('cublas_v2.h', 'engine/gemm/cublas.cuh or engine/gemm/cublas_lt.cuh'), ('re2/re2.h', 'ops/string/regex.hpp'),
                            ('png.h', 'engine/image/png.hpp'), ('google/protobuf/message.h', 'no header')):
            self.finds(f'include/tenon/ops/c.hpp:3: <{name}> belongs in {where} alone', {'ops/c.hpp': f'#include <{name}>\n'})

    def test_gnu_constructs(self):
        self.finds("include/tenon/base/a.hpp:3: '__attribute__' belongs in base/config.hpp or engine/",
                   {'base/a.hpp': 'int a() __attribute__((pure));\n'})
        self.assertEqual(self.errors({'base/a.hpp': '// __attribute__ is GNU only\n'}), [])

    def test_macros(self):
        self.finds("include/tenon/base/a.hpp:3: 'TENON_FAST' is not one of the public macros; call it TENON_DETAIL_...",
                   {'base/a.hpp': '#  define TENON_FAST(x) x\n#define TENON_DETAIL_FAST 1\n#define TENON_CHECK(x) x\n'})
        self.tool.PUBLIC_MACROS |= {'TENON_FAST'}
        self.finds('tools/check_layers.py: 9 public macros; at most 8')

    def test_first_lines(self):
        self.assertEqual(self.errors({'base/a.hpp': '// Apache\nint a();\n'}), [
            "include/tenon/base/a.hpp:1: the first line must be '// SPDX-License-Identifier: Apache-2.0'",
            "include/tenon/base/a.hpp:2: the second line must be '#pragma once'"])

    def test_a_header_that_nobody_reaches(self):
        self.finds('include/tenon/base/lost.hpp:1: no top header (tenon.hpp, ops.hpp, ...) leads here',
                   {'base/lost.hpp': 'int lost();\n'})

    def test_mirror_tests(self):
        self.finds('include/tenon/base/a.hpp:1: has no mirror test tests/base/a_test.cpp', tests={'base/a_test.cpp': None})
        self.finds('include/tenon/base/a.hpp:1: its mirror test tests/base/a_test.cpp does not include it',
                   tests={'base/a_test.cpp': 'int main() {}\n'})
        self.tool.TESTED_TOGETHER = {'base/gone.hpp': 'base/a_test.cpp', 'types/b.hpp': 'base/a_test.cpp'}
        self.assertEqual(self.errors(), [
            'include/tenon/types/b.hpp:1: tests/types/b_test.cpp exists: take the header out of TESTED_TOGETHER',
            'tools/check_layers.py: TESTED_TOGETHER names <tenon/base/gone.hpp>, which does not exist'])


class CopyOfTheRepository(InFolder):
    """The checks that look for their files beside themselves: with the real ones, and one mistake."""

    def copy(self, *names):
        for name in names:
            source = ROOT / name
            target = self.root / name
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)

    def replace(self, name, old, new):
        path = self.root / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def run_tool(self, name, *arguments):
        result = subprocess.run([self.root / 'tools' / name, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, check=False)
        return result.returncode, result.stdout


class CheckErrors(CopyOfTheRepository):
    def test_each_list_against_the_others(self):
        self.copy('tools/check_errors.py', 'include/tenon/kernel', 'include/tenon/op', 'include/tenon/runtime/api',
                  'docs/reference/errors.md', 'tests/compile_fail', 'tests/link_fail')
        self.assertEqual(self.run_tool('check_errors.py')[0], 0)
        law = 'op_signature_error_expected_colon_after_name'
        self.replace('docs/reference/errors.md', f'### {law}\n', '### op_signature_error_of_nobody\n')
        (self.root / 'tests/compile_fail/kernel_without_device.cpp').write_text('// expect: nobody says this\n')
        code, text = self.run_tool('check_errors.py')
        self.assertEqual(code, 1)
        self.assertIn(f'{law}: not in docs/reference/errors.md', text)
        self.assertIn('op_signature_error_of_nobody: in docs/reference/errors.md, but in no header', text)
        self.assertIn('kernel_without_device.cpp: "nobody says this" is in no law', text)
        self.assertIn('no mistake in tests/compile_fail or link_fail breaks it', text)


class CheckSnippets(CopyOfTheRepository):
    DOCUMENT = 'Text.\n<!-- snippet examples/x.cpp one -->\n```cpp\nint x;\n```\n'

    def test_code_in_documents(self):
        self.copy('tools/check_snippets.py')
        good = {'docs/x.md': self.DOCUMENT, 'examples/x.cpp': '  // snippet one\n  int x;\n  // end\n'}
        write(self.root, good)
        self.assertEqual(self.run_tool('check_snippets.py')[0], 0)
        write(self.root, {'examples/x.cpp': '// snippet one\nint y;\n// end\n// snippet two\nint z;\n// end\n'})
        code, text = self.run_tool('check_snippets.py')
        self.assertEqual(code, 1)
        self.assertIn("x.md: the code of 'one' is not that of 'examples/x.cpp'", text)
        self.assertIn("examples/x.cpp: '// snippet two' is in no document", text)
        write(self.root, {'examples/x.cpp': 'int y;\n'})
        code, text = self.run_tool('check_snippets.py')
        self.assertEqual((code, "has no '// snippet one'" in text), (1, True))

    def test_api_pages(self):
        self.copy('tools/make_api_doc.py', 'include/tenon', 'docs/reference')
        self.assertEqual(self.run_tool('make_api_doc.py', '--check')[0], 0)
        self.replace('include/tenon/io/checkpoint.hpp', '  // whether it is of the second format', '')
        self.replace('include/tenon/memory/cpu_allocator.hpp', 'namespace detail {',
                     'inline const char* planted = std::getenv("TENON_PLANTED");\nnamespace detail {')
        self.replace('docs/reference/options.md', '| `plan_after_runs` | `2` |', '| `plan_after_runs` | `3` |')
        code, text = self.run_tool('make_api_doc.py', '--check')
        self.assertEqual(code, 1)
        self.assertIn('io/checkpoint.hpp: CheckpointReader::IsBundle has no comment', text)
        self.assertIn('checkpoints.md is not up to date', text)
        self.assertIn('SessionOptions::plan_after_runs has the default `3`, in the header 2', text)
        self.assertIn('no TENON_PLANTED, which cpu_allocator.hpp reads', text)

    @unittest.skipUnless(shutil.which('g++'), 'no g++')
    def test_code_that_is_compiled(self):
        self.copy('tools/check_snippets.py')
        write(self.root, {
            'include/tenon/tenon.hpp': 'namespace tenon { struct Status {}; inline Status OkStatus() { return {}; } }\n',
            'docs/how-to/x.md': '<!-- file -->\n```cpp\nint Twice(int x) { return 2 * x; }\n```\n\n'
                                '<!-- given int number -->\n```cpp\nnumber = Twice(number);\n```\n\n'
                                '<!-- not compiled: needs a library -->\n```cpp\nNothing();\n```\n'})
        code, text = self.run_tool('check_snippets.py', '--compile')
        self.assertEqual((code, '2 other blocks compile' in text), (0, True), text)
        self.replace('docs/how-to/x.md', 'number = Twice', 'number = Thrice')
        code, text = self.run_tool('check_snippets.py', '--compile')
        self.assertEqual((code, 'docs/how-to/x.md:8:' in text, 'Thrice' in text), (1, True, True), text)


@unittest.skipUnless(shutil.which('g++'), 'no g++')
class CompileFail(CopyOfTheRepository):
    def test_mistakes_that_are_none(self):
        self.copy('tools/compile_fail.py')
        write(self.root, {
            'include/none': '',
            'tests/compile_fail/a_good.cpp': '// expect: tenon: wrong\nstatic_assert(sizeof(char) == 2, "tenon: wrong");\n',
            'tests/compile_fail/b_no_mistake.cpp': '// expect: tenon: wrong\nint x;\n',
            'tests/compile_fail/c_another.cpp': '// expect: tenon: wrong\nstatic_assert(sizeof(char) == 2, "else");\n',
            'tests/compile_fail/d_long.cpp': '// expect: tenon: wrong\n// max-lines: 1\n'
                                             'static_assert(sizeof(char) == 2, "tenon: wrong");\n'})
        code, text = self.run_tool('compile_fail.py', '--compiler', 'g++')
        self.assertEqual(code, 1)
        self.assertIn('1 passed, 3 failed', text)
        self.assertIn('b_no_mistake.cpp with g++ was compiled, but should not be', text)
        self.assertIn('c_another.cpp with g++ does not say "tenon: wrong"', text)
        self.assertIn('more than 1:', text)


@unittest.skipUnless(shutil.which('g++') and shutil.which('strip'), 'no g++')
class CheckBinary(InFolder):
    def check(self, text, *flags):
        source, program = self.root / 'main.cpp', self.root / 'a program'
        source.write_text(text)
        subprocess.run(['g++', source, '-o', program, *flags], check=True)
        result = subprocess.run([ROOT / 'tools/check_binary.sh', program], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def test_size_and_libraries(self):
        code, text = self.check('int main() {}\n')
        self.assertEqual((code, 'bytes stripped; links' in text), (0, True), text)
        code, text = self.check('char const data[2000000] = {1}; int main(int n, char**) { return data[n]; }\n')
        self.assertEqual((code, 'more than 1800000 bytes' in text), (1, True), text)
        code, text = self.check('int main() {}\n', '-Wl,--no-as-needed', '-lresolv')
        self.assertEqual((code, 'not allowed: libresolv.so' in text), (1, True), text)


if __name__ == '__main__':
    unittest.main()
