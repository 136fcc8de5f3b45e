// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares a tensor with TensorFlow's, in the ways that golden cases ask for.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>

namespace golden {

// One element as numbers: one of a real type, two of a complex one.
inline std::vector<double> Numbers(const tenon::Tensor& t, tenon::Index i) {
  using tenon::DataType;
  const auto one = [&]<class T>(T*) {
    return std::vector<double>{static_cast<double>(static_cast<float>(t.data<T>()[i]))};
  };
  switch (t.dtype()) {
    case DataType::kFloat: return {static_cast<double>(t.data<float>()[i])};
    case DataType::kDouble: return {t.data<double>()[i]};
    case DataType::kHalf: return one(static_cast<tenon::half*>(nullptr));
    case DataType::kBfloat16: return one(static_cast<tenon::bfloat16*>(nullptr));
    case DataType::kFloat8E5M2: return one(static_cast<tenon::float8_e5m2*>(nullptr));
    case DataType::kFloat8E4M3FN: return one(static_cast<tenon::float8_e4m3fn*>(nullptr));
    case DataType::kComplex64:
      return {t.data<std::complex<float>>()[i].real(), t.data<std::complex<float>>()[i].imag()};
    case DataType::kComplex128:
      return {t.data<std::complex<double>>()[i].real(), t.data<std::complex<double>>()[i].imag()};
    default: return {};
  }
}

inline bool SameBytes(const tenon::Tensor& a, const tenon::Tensor& b, tenon::Index i, tenon::Index count) {
  if (a.dtype() == tenon::DataType::kString) {
    for (tenon::Index k = i; k < i + count; ++k)
      if (std::string_view(a.data<tenon::tstring>()[k]) != std::string_view(b.data<tenon::tstring>()[k])) return false;
    return true;
  }
  const std::size_t size = static_cast<std::size_t>(tenon::SizeOf(a.dtype()));
  const auto at = static_cast<std::size_t>(i) * size;
  return std::memcmp(static_cast<const char*>(a.raw_data()) + at, static_cast<const char*>(b.raw_data()) + at,
                     static_cast<std::size_t>(count) * size) == 0;
}

inline std::string ElementText(const tenon::Tensor& t, tenon::Index i) {
  if (t.dtype() == tenon::DataType::kString)
    return tenon::StrCat("\"", tenon::CEscape(std::string_view(t.data<tenon::tstring>()[i])), "\"");
  const std::vector<double> numbers = Numbers(t, i);
  if (numbers.size() == 1) return tenon::StrCat(numbers[0]);
  if (numbers.size() == 2) return tenon::StrCat("(", numbers[0], ",", numbers[1], ")");
  std::string text = "0x";
  const auto size = static_cast<std::size_t>(tenon::SizeOf(t.dtype()));
  for (std::size_t b = size; b-- > 0;) {
    const auto byte = static_cast<const unsigned char*>(t.raw_data())[static_cast<std::size_t>(i) * size + b];
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

inline bool Close(double got, double want, double rtol, double atol) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || std::isinf(got)) return got == want;
  return std::abs(got - want) <= atol + rtol * std::abs(want);
}

// The rows of dimension 0 as byte strings, sorted.
inline std::vector<std::string> SortedRows(const tenon::Tensor& t) {
  const tenon::Index rows = t.dims() == 0 ? 1 : t.dim_size(0);
  const tenon::Index width = rows == 0 ? 0 : t.NumElements() / rows;
  std::vector<std::string> out;
  for (tenon::Index r = 0; r < rows; ++r) {
    std::string row;
    for (tenon::Index k = 0; k < width; ++k) row += ElementText(t, r * width + k) + ";";
    out.push_back(row);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Empty when `got` is what was wanted, otherwise what differs first.
inline std::string Difference(const tenon::Tensor& got, const tenon::Tensor& want, std::string_view compare,
                              double rtol, double atol) {
  if (got.dtype() != want.dtype()) return tenon::StrCat("dtype is ", got.dtype(), ", TensorFlow's is ", want.dtype());
  if (!(got.shape() == want.shape()))
    return tenon::StrCat("shape is ", got.shape(), ", TensorFlow's is ", want.shape());
  if (compare == "shape") return "";
  if (compare == "set") return SortedRows(got) == SortedRows(want) ? "" : "the rows differ";
  for (tenon::Index i = 0; i < got.NumElements(); ++i) {
    if (SameBytes(got, want, i, 1)) continue;
    const std::vector<double> g = Numbers(got, i), w = Numbers(want, i);
    bool close = !w.empty();
    for (std::size_t k = 0; k < w.size(); ++k)
      close = close && (compare == "exact" ? std::isnan(g[k]) && std::isnan(w[k]) : Close(g[k], w[k], rtol, atol));
    if (!close)
      return tenon::StrCat("element ", i, " of ", got.shape(), " is ", ElementText(got, i), ", TensorFlow's is ",
                           ElementText(want, i));
  }
  return "";
}

}  // namespace golden
