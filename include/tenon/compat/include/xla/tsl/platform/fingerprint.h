// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/lib/strong_hash.hpp>
#include <tenon/compat/tensorflow/env.hpp>
