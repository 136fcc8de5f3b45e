// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/kernel_def_builder.hpp>
#include <tenon/compat/tensorflow/common_shape_fns.hpp>
#include <tenon/compat/tensorflow/resource_mgr.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/base/register_types.hpp>
#include <tenon/compat/tensorflow/variant.hpp>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/types/span.h>
