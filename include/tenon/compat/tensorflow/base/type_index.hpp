// SPDX-License-Identifier: Apache-2.0
#pragma once
// TypeIndex: names a class without run-time type information.

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tenon/base/hash.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {

// immutable. The hash of a resource is that of its handles.
class TypeIndex {
 public:
  template <class T>
  static TypeIndex Make() {
    if constexpr (std::is_base_of_v<tenon::Resource, T>)
      return TypeIndex(tenon::kResourceType<T>.name, tenon::kResourceType<T>.hash);
    else
      return TypeIndex(tenon::detail::CppName<T>());
  }
  explicit TypeIndex(std::string_view name) : TypeIndex(name, tenon::Hash64(name)) {}
  TypeIndex(std::string_view name, uint64_t hash) : name_(name.data()), hash_(hash) {}
  const char* name() const { return name_; }
  uint64_t hash_code() const { return hash_; }
  friend bool operator==(const TypeIndex& a, const TypeIndex& b) { return a.hash_ == b.hash_; }

 private:
  const char* name_;
  uint64_t hash_;
};

}  // namespace tensorflow
