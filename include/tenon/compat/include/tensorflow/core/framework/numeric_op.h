// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/kernels/numeric_op.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/base/register_types.hpp>
#include <tenon/compat/tensorflow/variant.hpp>
