#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when docs/reference/errors.md and the laws in the headers are not the same list, when a file of
tests/compile_fail or tests/link_fail expects a sentence that belongs to no law, or when a law has no mistake there that
breaks it."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(name):
    return (ROOT / name).read_text()


# Law -> what the compiler prints of it: the sentence of a static_assert, or the name of a function.
laws = {}
for name, text in re.findall(r'struct (\w+) \{\s*static_assert\((.*?)\);\n', read('include/tenon/kernel/rules.hpp'), re.S):
    laws[name] = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
functions = set()
for header in ('op/signature/spec_reader.hpp', 'op/signature/signature.hpp'):
    functions |= set(re.findall(r'void (op_signature_error_\w+)\(\);', read('include/tenon/' + header)))
functions |= set(re.findall(r'void (kernel_match_error_\w+)\(\);', read('include/tenon/kernel/registry/kernel_constraints.hpp')))
for path in (ROOT / 'include/tenon/op').rglob('*.hpp'):
    functions |= set(re.findall(r'^TENON_DETAIL_COLD inline Status ([a-z0-9_]+)\(', path.read_text(), re.M))
for header in ('session.hpp', 'eager_async.hpp', 'saved_model.hpp'):
    functions |= set(re.findall(r'^struct (undefined_symbol_means_\w+) \{', read('include/tenon/runtime/api/' + header), re.M))
laws |= {name: name for name in functions}

described = set(re.findall(r'^### (\w+)$', read('docs/reference/errors.md'), re.M))
bad = [f'{law}: not in docs/reference/errors.md' for law in sorted(set(laws) - described)]
bad += [f'{name}: in docs/reference/errors.md, but in no header' for name in sorted(described - set(laws))]
planted = []
for path in sorted((ROOT / 'tests').glob('*_fail/*.cpp')):
    for expected in re.findall(r'^// expect: (.*?) *$', path.read_text(), re.M):
        planted.append(expected)
        if not any(expected in text or expected.startswith(text + '<') for text in laws.values()):
            bad.append(f'{path.relative_to(ROOT)}: "{expected}" is in no law that docs/reference/errors.md describes')
for law in sorted(laws):
    if not any(laws[law].startswith(expected) if law in functions else expected in laws[law] for expected in planted):
        bad.append(f'{law}: no mistake in tests/compile_fail or link_fail breaks it')
print('\n'.join(bad) or f'{len(laws)} laws, all described; {len(planted)} mistakes in tests/compile_fail and link_fail, at least one for each law')
sys.exit(bool(bad))
