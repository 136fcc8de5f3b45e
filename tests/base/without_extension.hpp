// SPDX-License-Identifier: Apache-2.0
#pragma once
// WithoutExtension: a test as in a binary that lacks one extension.

#include <atomic>

#include <tenon/base/extensions.hpp>

// Empties an entry of tenon::detail::extensions, or has another value there, while it lives. No session may run then.
template <class T>
class WithoutExtension {
 public:
  explicit WithoutExtension(std::atomic<T>* entry, T instead = nullptr)
      : entry_(entry), value_(entry->exchange(instead)) {}
  WithoutExtension(const WithoutExtension&) = delete;
  WithoutExtension& operator=(const WithoutExtension&) = delete;
  ~WithoutExtension() { entry_->store(value_); }

  T value() const { return value_; }

 private:
  std::atomic<T>* const entry_;
  const T value_;
};
