// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/util/ops_util.hpp>
#include <tenon/compat/tensorflow/common_shape_fns.hpp>
#include <tenon/compat/tensorflow/kernel_def_builder.hpp>
