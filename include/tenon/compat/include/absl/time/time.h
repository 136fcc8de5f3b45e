// SPDX-License-Identifier: Apache-2.0
#pragma once
// Written by tools/forward_tensorflow_headers.py.
#pragma GCC system_header
#if defined(__has_include_next)
#if __has_include_next(<absl/time/time.h>)
#define TENON_COMPAT_HAS_NEXT
#endif
#endif
#if defined(TENON_COMPAT_HAS_NEXT)
#undef TENON_COMPAT_HAS_NEXT
#include_next <absl/time/time.h>
#else
#include <tenon/compat/tensorflow/base/absl_time_format.hpp>
#endif
