// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors with values in them, for the tests of what works on whole tensors.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <tenon/tensor/copies.hpp>
#include <tenon/tensor/equality.hpp>
#include <tenon/tensor/variant.hpp>

namespace filled_tensors {
using namespace tenon;

// Rows that differ, for every dtype that a tensor holds.
inline Tensor Filled(DataType dtype, const TensorShape& shape, unsigned first = 0) {
  Result<Tensor> made = Tensor::Make(dtype, shape);
  REQUIRE(made.ok());
  for (Index i = 0; i < shape.num_elements(); ++i) {
    const unsigned value = first + static_cast<unsigned>(i);
    if (dtype == DataType::kString) {
      made->data<tstring>()[i] = std::string(20 + value % 5, static_cast<char>('a' + value % 26));
    } else if (dtype == DataType::kResource) {
      made->data<ResourceHandle>()[i].name = "handle " + std::to_string(value);
    } else if (dtype == DataType::kVariant) {
      made->data<Variant>()[i] = static_cast<int>(value);
    } else {
      const auto bytes = static_cast<std::size_t>(SizeOf(dtype));
      std::memset(static_cast<char*>(made->raw_data()) + static_cast<std::size_t>(i) * bytes,
                  dtype == DataType::kBool ? static_cast<int>(value & 1) : static_cast<int>(value & 3), bytes);
    }
  }
  return *std::move(made);
}
// The tensor at an address that is no multiple of 64.
inline Tensor Misaligned(const Tensor& t) {
  TensorShape shape = t.shape();
  shape.set_dim(0, shape.dim_size(0) + 1);
  Tensor larger = Tensor::Make(t.dtype(), shape).value();
  Tensor slice = larger.Slice(1, shape.dim_size(0));
  REQUIRE(tensor::DeepCopy(t, &slice).ok());
  return slice;
}

}  // namespace filled_tensors
