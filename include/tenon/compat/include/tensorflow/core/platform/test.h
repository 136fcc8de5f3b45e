// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/testing/test.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/kernels/registered_kernels.hpp>
#include <absl/strings/match.h>
#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>
#include <absl/types/optional.h>
