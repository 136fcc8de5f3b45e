#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when docs/errors.md and the laws in the headers are not the same list."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(name):
    return (ROOT / name).read_text()


laws = set(re.findall(r'struct (\w+) \{\s*static_assert', read('include/tenon/kernel/rules.hpp')))
for header in ('op/spec_reader.hpp', 'op/signature.hpp'):
    laws |= set(re.findall(r'void (op_signature_error_\w+)\(\);', read('include/tenon/' + header)))
laws.add('undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file')
described = set(re.findall(r'^### (\w+)$', read('docs/errors.md'), re.M))
bad = [f'{law}: not in docs/errors.md' for law in sorted(laws - described)]
bad += [f'{name}: in docs/errors.md, but in no header' for name in sorted(described - laws)]
print('\n'.join(bad) or f'{len(laws)} laws, all described')
sys.exit(bool(bad))
