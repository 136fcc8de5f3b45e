// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a fuzz run of the ops decides: numbers from its input, and from them shapes, tensors and attr values that
// have broken kernels before.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>

namespace ops_fuzz {

using tenon::DataType;
using tenon::Index;
using tenon::Tensor;
using tenon::TensorShape;

// The bytes of the input one after the other; after them numbers that follow from all of them.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {
    for (std::size_t i = 0; i < size; ++i) state_ = (state_ ^ data[i]) * 0x100000001b3u;
    for (int i = 0; i < 4; ++i) Next();
  }
  std::uint64_t Below(std::uint64_t n) {
    if (n < 2) return 0;
    if (at_ >= size_) return (Next() >> 11) % n;
    std::uint64_t value = data_[at_++];
    for (std::uint64_t range = 256; range < n && at_ < size_; range <<= 8) value = value << 8 | data_[at_++];
    return value % n;
  }
  bool OneIn(std::uint64_t n) { return Below(n) == n - 1; }
  std::uint64_t Bits() { return Below(std::uint64_t{1} << 32) << 32 | Below(std::uint64_t{1} << 32); }
  template <class Items>
  const auto& Of(const Items& items) {
    return std::data(items)[Below(std::size(items))];
  }

 private:
  std::uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

inline constexpr Index kMostElements = 4096;  // of a tensor that is made here

inline std::int64_t AnyInt(Choices& choices) {
  static constexpr std::int64_t kNasty[] = {-1,
                                            -2,
                                            100,
                                            65536,
                                            std::numeric_limits<std::int32_t>::max(),
                                            std::numeric_limits<std::int32_t>::min(),
                                            std::int64_t{1} << 31,
                                            std::int64_t{1} << 32,
                                            std::int64_t{1} << 40,
                                            std::int64_t{1} << 62,
                                            std::numeric_limits<std::int64_t>::max(),
                                            std::numeric_limits<std::int64_t>::max() - 1,
                                            std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::min() + 1};
  return choices.OneIn(5) ? choices.Of(kNasty) : static_cast<std::int64_t>(choices.Below(6));
}
inline double AnyDouble(Choices& choices) {
  static constexpr double kNasty[] = {0,
                                      -0.0,
                                      -1,
                                      0.5,
                                      1e-310,
                                      -1e-40,
                                      1e-38,
                                      3.5e38,
                                      -1e300,
                                      2147483648.0,
                                      -2147483649.0,
                                      9223372036854775808.0,
                                      65504,
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
  if (choices.OneIn(4)) return choices.Of(kNasty);
  return static_cast<double>(choices.Below(4096)) / 1024 - 1;
}
inline std::string AnyText(Choices& choices) {
  static constexpr const char* kTexts[] = {"",     "a",     "abc",  "1",        "-1",       "1e400",
                                           "nan",  "%",     "%s%d", "(",        "[a-",      "(a|b)*",
                                           ",",    "\n",    " ",    "w",        "same",     "SAME",
                                           "NHWC", "UTF-8", "\"",   "\\",       "%*d",      "9223372036854775808",
                                           "ij->", "ij,jk", "...",  "\xff\xfe", "\xc3\x28", "true"};
  if (choices.OneIn(8)) return std::string(choices.Below(300), static_cast<char>(choices.Below(256)));
  return choices.Of(kTexts);
}

inline Index HugeSize(Choices& choices) {
  static constexpr Index kSizes[] = {Index{1} << 16, Index{1} << 20, std::numeric_limits<std::int32_t>::max(),
                                     Index{1} << 31, Index{1} << 32, Index{1} << 34,
                                     Index{1} << 40, Index{1} << 62, std::numeric_limits<Index>::max()};
  return choices.Of(kSizes);
}
// No elements, and sizes whose product is no int64 without the 0, or very many of what has no size: [0,2^40,2^40],
// [2^34,0,0].
inline TensorShape HugeEmptyShape(Choices& choices) {
  const std::uint64_t rank = 1 + choices.Below(5), none = choices.Below(rank);
  TensorShape shape;
  for (std::uint64_t d = 0; d < rank; ++d) {
    const Index size = d == none ? 0 : choices.OneIn(3) ? static_cast<Index>(choices.Below(4)) : HugeSize(choices);
    if (!shape.AddDimWithStatus(size).ok()) shape.AddDim(choices.OneIn(2) ? 0 : 1);
  }
  return shape;
}
// As many sizes as there are dimensions, 0 to 8; products of a tensor with elements stay within kMostElements.
inline TensorShape AnyShape(Choices& choices) {
  static constexpr int kRanks[] = {0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8};
  if (choices.OneIn(24)) return HugeEmptyShape(choices);
  TensorShape shape;
  const bool empty = choices.OneIn(16);
  for (int rank = choices.Of(kRanks); rank > 0; --rank) {
    Index size = static_cast<Index>(choices.OneIn(8) ? choices.Below(40) : choices.Below(6));
    if (size == 0 && !empty) size = 1;
    if (empty && choices.OneIn(8)) size = Index{1} << choices.Below(42);
    if (!empty && shape.num_elements() > kMostElements / size) size = 1;
    if (!shape.AddDimWithStatus(size).ok()) break;
  }
  if (empty && shape.dims() > 0)
    shape.set_dim(static_cast<int>(choices.Below(static_cast<std::uint64_t>(shape.dims()))), 0);
  return shape;
}
// Nearly this shape.
inline TensorShape NearShape(const TensorShape& shape, Choices& choices) {
  TensorShape near = shape;
  const auto at = static_cast<int>(choices.Below(static_cast<std::uint64_t>(shape.dims() + 1)));
  const bool inside = at < shape.dims();
  const Index size = inside ? shape.dim_size(at) : 0;
  tenon::Status made;
  switch (choices.Below(4)) {
    case 0: made = near.InsertDimWithStatus(at, static_cast<Index>(choices.Below(3))); break;
    case 1:
      if (inside) made = near.RemoveDimWithStatus(at);
      break;
    case 2:
      if (inside && size < std::numeric_limits<Index>::max()) made = near.SetDimWithStatus(at, size + 1);
      break;
    default:
      if (size > 0) made = near.SetDimWithStatus(at, choices.OneIn(2) ? 0 : choices.OneIn(2) ? 1 : size - 1);
  }
  if (!made.ok()) return shape;
  return near.num_elements() > 4 * kMostElements ? shape : near;
}
inline tenon::PartialTensorShape AnyPartialShape(Choices& choices) {
  if (choices.OneIn(4)) return {};
  const TensorShape shape = AnyShape(choices);
  tenon::PartialTensorShape partial(shape);
  for (int d = 0; d < shape.dims(); ++d) {
    const Index size = choices.OneIn(6) ? Index{1} << choices.Below(62) : -1;
    if (choices.OneIn(4) && !partial.SetDimWithStatus(d, size).ok()) break;
  }
  return partial;
}

template <class T>
void Store(double value, Tensor* tensor, Index i) {
  tensor->data<T>()[i] = static_cast<T>(static_cast<float>(value));
}
// Writes one value that may be anything of the tensor's type; false for types that hold objects.
inline bool SetAny(Tensor* tensor, Index i, bool small_int, Choices& choices) {
  auto* const to = static_cast<char*>(tensor->raw_data());
  const auto copy = [&](const auto& value) {
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
  };
  switch (tensor->dtype()) {
    case DataType::kString: tensor->data<tenon::tstring>()[i] = tenon::tstring(AnyText(choices)); return true;
    case DataType::kBool: copy(choices.OneIn(2)); return true;
    case DataType::kFloat: copy(static_cast<float>(AnyDouble(choices))); return true;
    case DataType::kDouble: copy(AnyDouble(choices)); return true;
    case DataType::kComplex64:
      copy(tenon::complex64(static_cast<float>(AnyDouble(choices)), static_cast<float>(AnyDouble(choices))));
      return true;
    case DataType::kComplex128: copy(tenon::complex128(AnyDouble(choices), AnyDouble(choices))); return true;
    case DataType::kHalf: Store<tenon::half>(AnyDouble(choices), tensor, i); return true;
    case DataType::kBfloat16: Store<tenon::bfloat16>(AnyDouble(choices), tensor, i); return true;
    default: break;
  }
  if (!tenon::IsPlain(tensor->dtype())) return false;
  const std::int64_t value = small_int ? static_cast<std::int64_t>(choices.Below(4)) : AnyInt(choices);
  switch (tenon::SizeOf(tensor->dtype())) {
    case 1: copy(static_cast<std::uint8_t>(value)); return true;
    case 2: copy(static_cast<std::uint16_t>(value)); return true;
    case 4: copy(static_cast<std::uint32_t>(value)); return true;
    case 8: copy(value); return true;
    default: return false;
  }
}
inline Tensor AnyTensor(DataType dtype, const TensorShape& shape, Choices& choices) {
  Tensor tensor(dtype, shape);
  if (!tenon::IsPlain(dtype) && dtype != DataType::kString) return tensor;
  const bool small_int = choices.OneIn(2);
  const Index n = tensor.NumElements(), own = n < 64 ? n : 64;  // further ones repeat the first
  const auto size = static_cast<std::size_t>(tenon::SizeOf(dtype));
  for (Index i = 0; i < n; ++i) {
    if (i < own || dtype == DataType::kString) {
      SetAny(&tensor, i, small_int, choices);
    } else {
      auto* const bytes = static_cast<char*>(tensor.raw_data());
      std::memcpy(bytes + static_cast<std::size_t>(i) * size, bytes + static_cast<std::size_t>(i % own) * size, size);
    }
  }
  return tensor;
}

// The tensor with other values, or its values in another shape.
inline Tensor Changed(const Tensor& tensor, Choices& choices) {
  const DataType dtype = tensor.dtype();
  if ((!tenon::IsPlain(dtype) && dtype != DataType::kString) || tensor.NumElements() > 64 * kMostElements)
    return tensor;
  if (choices.OneIn(2) && tensor.NumElements() > 0) {
    Tensor values = tensor.DeepCopy();
    for (std::uint64_t n = choices.OneIn(4) ? 8 : 1; n > 0; --n)
      SetAny(&values, static_cast<Index>(choices.Below(static_cast<std::uint64_t>(values.NumElements()))), false,
             choices);
    return values;
  }
  const TensorShape shape = choices.OneIn(4) ? AnyShape(choices) : NearShape(tensor.shape(), choices);
  Tensor values = AnyTensor(dtype, shape, choices);
  const Index own = tensor.NumElements();
  if (own == 0 || choices.OneIn(8)) return values;
  const auto size = static_cast<std::size_t>(tenon::SizeOf(dtype));
  for (Index i = 0; i < values.NumElements(); ++i) {
    if (dtype == DataType::kString) {
      values.data<tenon::tstring>()[i] = tensor.data<tenon::tstring>()[i % own];
    } else {
      std::memcpy(static_cast<char*>(values.raw_data()) + static_cast<std::size_t>(i) * size,
                  static_cast<const char*>(tensor.raw_data()) + static_cast<std::size_t>(i % own) * size, size);
    }
  }
  return values;
}

}  // namespace ops_fuzz
