// SPDX-License-Identifier: Apache-2.0
#pragma once
// SpinPause: the body of a loop that waits for another thread.

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Tells the processor that this is a waiting loop. Processors without such an instruction run another thread.
inline void SpinPause() {
#if defined(__SSE2__) || defined(_M_X64)
  _mm_pause();
#else
  YieldThread();
#endif
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
