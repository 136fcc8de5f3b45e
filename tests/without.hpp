// SPDX-License-Identifier: Apache-2.0
#pragma once
// Without: a test as in a program that lacks a header with an extension.

#include <atomic>

#include <tenon/base/config.hpp>

namespace tenon {

// While it lives, the extension is as without the header that fills it.
template <class T>
class Without {
 public:
  explicit Without(std::atomic<T>* extension) : extension_(extension), filled_(extension->exchange(nullptr)) {}
  ~Without() { extension_->store(filled_); }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;

 private:
  std::atomic<T>* extension_;
  T filled_;
};

}  // namespace tenon
