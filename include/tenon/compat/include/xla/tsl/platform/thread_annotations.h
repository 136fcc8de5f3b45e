// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#include <tenon/compat/tensorflow/base/macros.hpp>
#include <absl/base/attributes.h>
#include <absl/base/thread_annotations.h>
