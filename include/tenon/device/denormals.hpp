// SPDX-License-Identifier: Apache-2.0
#pragma once
// Denormal floating-point numbers on the calling thread: flushed to zero (as TensorFlow's CPU kernels run) or kept.

#include <cstdint>

#include <tenon/base/config.hpp>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The thread's floating-point control word. Its denormal bits: results that are denormal become zero and, where the
// processor has a second bit for it, so do denormal operands.
struct DenormalControl {
#if defined(__SSE2__) || defined(_M_X64)
  static constexpr std::uint64_t kFlush = 0x8040;  // MXCSR: FTZ (bit 15), DAZ (bit 6)
  static std::uint64_t Read() { return _mm_getcsr(); }
  static void Write(std::uint64_t word) { _mm_setcsr(static_cast<unsigned>(word)); }
#elif defined(__aarch64__) && !defined(_MSC_VER)
  static constexpr std::uint64_t kFlush = 0x1000000;  // FPCR: FZ (bit 24)
  static std::uint64_t Read() {
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Write(std::uint64_t word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
  static constexpr std::uint64_t kFlush = 0;  // not known for this processor: the mode stays as it is
  static std::uint64_t Read() { return 0; }
  static void Write(std::uint64_t) {}
#endif
};

}  // namespace detail

// True if the calling thread flushes denormals.
inline bool FlushesDenormals() {
  using Control = detail::DenormalControl;
  return Control::kFlush != 0 && (Control::Read() & Control::kFlush) == Control::kFlush;
}

// For its lifetime the calling thread flushes denormals (or, with `false`, keeps them); then the caller's mode is back.
// Rounding mode and exception flags are left alone. A few ns. one thread.
//
//   { ScopedFlushDenormals flush;  kernel->Compute(&context); }
class ScopedFlushDenormals {
 public:
  explicit ScopedFlushDenormals(bool flush = true) {
    const std::uint64_t word = Control::Read();
    before_ = word & Control::kFlush;
    const std::uint64_t wanted = flush ? Control::kFlush : 0;
    if (before_ != wanted) Control::Write((word & ~Control::kFlush) | wanted);
  }
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;
  ~ScopedFlushDenormals() {
    const std::uint64_t word = Control::Read();
    if ((word & Control::kFlush) != before_) Control::Write((word & ~Control::kFlush) | before_);
  }

 private:
  using Control = detail::DenormalControl;
  std::uint64_t before_;
};

TENON_DETAIL_NAMESPACE_END
