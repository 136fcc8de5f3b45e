// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements at an address that is aligned for them and for nothing more, between guard bytes that nobody may touch.

#include <cstddef>
#include <cstring>
#include <vector>

#include <tenon/tensor/view.hpp>

namespace tenon::testing {

class Guarded {
 public:
  // `n` elements of `element_bytes` bytes each, `skip` of them behind an address that is aligned to 64.
  Guarded(Index n, Index element_bytes, Index skip)
      : begin_(kGuard + static_cast<std::size_t>(skip * element_bytes)),
        bytes_(static_cast<std::size_t>(n * element_bytes)),
        memory_(begin_ + bytes_ + kGuard + kAlignment, kMark) {
    const std::size_t odd = reinterpret_cast<std::size_t>(memory_.data()) % kAlignment;
    begin_ += (kAlignment - odd) % kAlignment;
  }
  void* data() { return memory_.data() + begin_; }
  const void* data() const { return memory_.data() + begin_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(memory_.data() + begin_);
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(memory_.data() + begin_);
  }
  // Every byte around the elements is as it was.
  bool IsIntact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if ((i < begin_ || i >= begin_ + bytes_) && memory_[i] != kMark) return false;
    return true;
  }
  // Nothing was ever written.
  bool IsUntouched() const {
    for (const unsigned char byte : memory_)
      if (byte != kMark) return false;
    return true;
  }

 private:
  static constexpr std::size_t kAlignment = 64, kGuard = 128;
  static constexpr unsigned char kMark = 0xa5;
  std::size_t begin_, bytes_;
  std::vector<unsigned char> memory_;
};

}  // namespace tenon::testing
