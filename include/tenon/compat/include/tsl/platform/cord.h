// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include <tenon/compat/tensorflow/macros.hpp>
