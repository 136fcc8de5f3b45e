# SPDX-License-Identifier: Apache-2.0
"""Gives scikit-build-core the version from the one place where it stands."""
import pathlib
import re

CONFIG = pathlib.Path(__file__).resolve().parent / '../../include/tenon/base/config.hpp'


def dynamic_metadata(field, settings=None, *_):
    number = int(re.search(r'#define TENON_VERSION (\d+)', CONFIG.read_text()).group(1))
    return f'{number // 10000}.{number // 100 % 100}.{number % 100}'
