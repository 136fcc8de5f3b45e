// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/testing/op_kernel_test_base.hpp>
#include <tenon/compat/tensorflow/testing/benchmark.hpp>
#include <tenon/compat/tensorflow/proto/text.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/base/device_names.hpp>
