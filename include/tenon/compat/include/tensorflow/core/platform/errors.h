// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/base/status.hpp>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/types/span.h>
