// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small integer tensors as numbers: shape inference reads and writes such values.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Larger tensors are not shapes: nodes that see one are not folded.
inline constexpr Index kMaxFoldedElements = 1024;

namespace detail {

// An int32, int64 or bool tensor as numbers.
struct Integers {
  InlinedVector<Index, 4> dims;
  SlimVector<std::int64_t> values;

  Index rank() const { return static_cast<Index>(dims.size()); }
  Index size() const { return static_cast<Index>(values.size()); }
  std::int64_t at(Index i) const { return values[static_cast<std::size_t>(i)]; }
  static Integers Scalar(std::int64_t value) { return {{}, {value}}; }
  static Integers Vector(SlimVector<std::int64_t> values) {
    Integers out;
    out.dims.push_back(static_cast<Index>(values.size()));
    out.values = std::move(values);
    return out;
  }
};

// Whether ReadIntegers and WriteIntegers take tensors of the type.
constexpr bool IsIntegersType(DataType type) {
  return type == DataType::kInt32 || type == DataType::kInt64 || type == DataType::kBool;
}

inline bool ReadIntegers(const Tensor& tensor, Integers* out) {
  if (!tensor.IsInitialized() || tensor.NumElements() > kMaxFoldedElements) return false;
  out->dims.assign(tensor.shape().begin(), tensor.shape().end());
  const auto n = static_cast<std::size_t>(tensor.NumElements());
  const auto read = [&](const auto* data) {
    out->values.resize(n);
    for (std::size_t i = 0; i < n; ++i) out->values[i] = static_cast<std::int64_t>(data[i]);
    return true;
  };
  switch (tensor.dtype()) {
    case DataType::kInt32: return read(tensor.data<std::int32_t>());
    case DataType::kInt64: return read(tensor.data<std::int64_t>());
    case DataType::kBool: return read(tensor.data<bool>());
    default: return false;
  }
}

// As a tensor of that dtype; int32 wraps around. False for other dtypes and when the dimensions and values disagree.
inline bool WriteIntegers(const Integers& from, DataType dtype, Tensor* out) {
  TensorShape shape;
  if (!TensorShape::Build({from.dims.data(), from.dims.size()}, &shape).ok() || shape.num_elements() != from.size())
    return false;
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64 && dtype != DataType::kBool) return false;
  Tensor tensor(dtype, shape);
  if (!tensor.IsInitialized()) return false;
  for (Index i = 0; i < from.size(); ++i) {
    if (dtype == DataType::kInt32) tensor.data<std::int32_t>()[i] = static_cast<std::int32_t>(from.at(i));
    if (dtype == DataType::kInt64) tensor.data<std::int64_t>()[i] = from.at(i);
    if (dtype == DataType::kBool) tensor.data<bool>()[i] = from.at(i) != 0;
  }
  *out = std::move(tensor);
  return true;
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
