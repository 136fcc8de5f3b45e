// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/graph/op_registry.hpp>
#include <tenon/compat/tensorflow/graph/full_type.hpp>
#include <tenon/compat/tensorflow/base/register_types.hpp>
