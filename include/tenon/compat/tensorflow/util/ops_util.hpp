// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small helpers of kernels: strides, alignment, names of nodes, memory as text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/compat/tensorflow/common_shape_fns.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

// Elements between neighbours of each dimension.
template <class T = Eigen::DenseIndex>
gtl::InlinedVector<T, 8> ComputeStride(const tenon::TensorShape& shape) {
  gtl::InlinedVector<T, 8> strides(static_cast<std::size_t>(shape.dims()));
  T stride = 1;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = stride;
    stride *= static_cast<T>(shape.dim_size(d));
  }
  return strides;
}
template <class T, class EigenDims>
gtl::InlinedVector<T, 8> ComputeEigenStrides(const EigenDims& sizes) {
  gtl::InlinedVector<T, 8> strides(static_cast<std::size_t>(sizes.rank()));
  T stride = 1;
  for (int d = static_cast<int>(sizes.rank()) - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = stride;
    stride *= static_cast<T>(sizes[d]);
  }
  return strides;
}
template <class Shape>
bool IsInnerDimsSizeAligned(const Shape& shape, std::size_t element) {
  if (shape.dims() == 0 || shape.dim_size(0) == 0 || EIGEN_MAX_ALIGN_BYTES == 0) return shape.dims() > 0;
  const std::size_t bytes = static_cast<std::size_t>(shape.num_elements() / shape.dim_size(0)) * element;
  return bytes % EIGEN_MAX_ALIGN_BYTES == 0;
}
template <class T>
bool IsInnerDimsSizeAligned(const tenon::TensorShape& shape) {
  return IsInnerDimsSizeAligned(shape, sizeof(T));
}
template <class T>
bool IsDim0SliceAligned(const tenon::TensorShape& shape, int64_t start, int64_t) {
  if (shape.dims() == 1)
    return EIGEN_MAX_ALIGN_BYTES == 0 || start * static_cast<int64_t>(sizeof(T)) % EIGEN_MAX_ALIGN_BYTES == 0;
  return IsInnerDimsSizeAligned<T>(shape);
}
// EXPLICIT: Eigen has no such padding, PADDING_VALID.
inline Eigen::PaddingType BrainPadding2EigenPadding(Padding padding) {
  return padding == SAME ? Eigen::PADDING_SAME : Eigen::PADDING_VALID;
}
// Where the window of output `index` begins in an input of `in_size`, and how many elements of it lie there.
// InvalidArgument: the window begins behind the input.
inline Status GetBroadcastSize(int index, int in_size, int ksize, int stride, int pad_size, int* bindex, int* bsize) {
  const int begin = index * stride;
  if (begin > in_size)
    return errors::InvalidArgument("index * stride must be less than or equal to input size: ", index, " * ", stride,
                                   " > ", in_size);
  const int cut = std::max(pad_size - begin, 0);  // by the padding in front
  *bindex = std::max(begin - pad_size, 0);
  *bsize = ksize - cut;
  if (*bindex + ksize > in_size) *bsize = std::min(in_size - *bindex, ksize);
  return Status();
}
// `text` with every character replaced that a name of a scope may not have.
inline std::string SanitizeThreadSuffix(std::string text) {
  for (char& c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) c = '_';
  return text;
}
// "a/b" of "a/b/c:0"
inline StringPiece NodeNamePrefix(const StringPiece& name) {
  return StringPiece(name).substr(0, std::min(name.find('/'), name.size()));
}
// A mean over a window of values.
class MovingAverage {
 public:
  explicit MovingAverage(int window) : values_(static_cast<std::size_t>(window)) {}
  void Clear() { count_ = 0, next_ = 0, sum_ = 0; }
  double GetAverage() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  void AddValue(double value) {
    if (count_ < values_.size())
      ++count_;
    else
      sum_ -= values_[next_];
    values_[next_] = value;
    next_ = (next_ + 1) % values_.size();
    sum_ += value;
  }

 private:
  std::vector<double> values_;
  std::size_t count_ = 0, next_ = 0;
  double sum_ = 0;
};
// "0x" and the first bytes in hexadecimal.
inline std::string PrintMemory(const char* bytes, std::size_t n) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out += ' ';
    out += kDigits[static_cast<unsigned char>(bytes[i]) >> 4];
    out += kDigits[static_cast<unsigned char>(bytes[i]) & 15];
  }
  return out;
}

}  // namespace tensorflow
