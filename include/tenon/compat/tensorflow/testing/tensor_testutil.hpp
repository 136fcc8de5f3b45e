// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors of tests: made from lists, filled, compared. Needs GoogleTest.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

#include <tenon/compat/tensorflow/tensor.hpp>
#include <tenon/compat/tensorflow/testing/test.hpp>

namespace tensorflow {
namespace test {

template <class T>
Tensor AsTensor(gtl::ArraySlice<T> values) {
  Tensor out(DataTypeToEnum<T>::value, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.base<T>());
  return out;
}
template <class T>
Tensor AsTensor(gtl::ArraySlice<T> values, const TensorShape& shape) {
  Tensor out;
  const Tensor flat = AsTensor<T>(values);
  TENON_CHECK(out.CopyFrom(flat, shape), "AsTensor: ", values.size(), " values do not fill shape ", shape);
  return out;
}
template <class T>
Tensor AsTensor(std::initializer_list<T> values) {
  return AsTensor<T>(gtl::ArraySlice<T>(values));
}
template <class T>
Tensor AsTensor(std::initializer_list<T> values, const TensorShape& shape) {
  return AsTensor<T>(gtl::ArraySlice<T>(values), shape);
}
template <class T>
Tensor AsScalar(const T& value) {
  Tensor out(DataTypeToEnum<T>::value, TensorShape());
  out.scalar<T>()() = value;
  return out;
}

template <class T>
void FillValues(Tensor* tensor, gtl::ArraySlice<T> values) {
  TENON_CHECK(static_cast<int64_t>(values.size()) == tensor->NumElements(), "FillValues: ", values.size(),
              " values for shape ", tensor->shape());
  std::copy(values.begin(), values.end(), tensor->base<T>());
}
template <class T, class From>
void FillValues(Tensor* tensor, std::initializer_list<From> values) {
  TENON_CHECK(static_cast<int64_t>(values.size()) == tensor->NumElements(), "FillValues: ", values.size(),
              " values for shape ", tensor->shape());
  std::transform(values.begin(), values.end(), tensor->base<T>(),
                 [](const From& value) { return static_cast<T>(value); });
}
template <class T>
void FillIota(Tensor* tensor, const T& first) {
  T value = first;
  for (int64_t i = 0; i < tensor->NumElements(); ++i, value = static_cast<T>(value + T(1)))
    tensor->base<T>()[i] = value;
}
template <class T, class F>
void FillFn(Tensor* tensor, F call) {
  for (int64_t i = 0; i < tensor->NumElements(); ++i) tensor->base<T>()[i] = static_cast<T>(call(static_cast<int>(i)));
}

// kDefault: real numbers are equal within four units of the last place.
enum class Tolerance { kNone, kDefault };

inline void ExpectEqual(const Tensor& x, const Tensor& y, Tolerance tolerance = Tolerance::kDefault);
inline bool SameTypeAndShape(const Tensor& x, const Tensor& y) {
  EXPECT_EQ(x.dtype(), y.dtype());
  EXPECT_TRUE(x.IsSameSize(y)) << "x.shape() = " << x.shape().DebugString()
                               << " y.shape() = " << y.shape().DebugString();
  return x.dtype() == y.dtype() && x.IsSameSize(y);
}
template <class T>
bool AreSame(const T& a, const T& b, Tolerance tolerance = Tolerance::kNone) {
  if constexpr (is_complex<T>::value) {
    if (tolerance != Tolerance::kNone)
      return AreSame(a.real(), b.real(), tolerance) && AreSame(a.imag(), b.imag(), tolerance);
  }
  if constexpr (requires { a != a; }) {
    if (a != a && b != b) return true;  // NaN
  }
  if (a == b || tolerance == Tolerance::kNone) return a == b;
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = ::testing::internal::FloatingPoint<T>;
    return Bits(a).AlmostEquals(Bits(b));
  } else if constexpr (std::is_same_v<T, Eigen::half>) {
    if (a != a || b != b) return false;
    const auto place = [](Eigen::half h) {  // neighbours differ by one
      const int bits = Eigen::numext::bit_cast<std::uint16_t>(h);
      return bits & 0x8000 ? 0x8000 - bits : bits;
    };
    return std::abs(place(a) - place(b)) <= 4;
  }
  return false;
}
template <class T>
void ExpectTensorEqual(const Tensor& x, const Tensor& y, Tolerance tolerance = Tolerance::kDefault) {
  ASSERT_EQ(x.dtype(), DataTypeToEnum<T>::value);
  if (!SameTypeAndShape(x, y)) return;
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const T &a = x.base<const T>()[i], &b = y.base<const T>()[i];
    EXPECT_TRUE(AreSame(a, b, tolerance))
        << "index " << i << ": " << strings::StrCat(a) << " vs. " << strings::StrCat(b);
  }
}
inline void ExpectEqual(const Tensor& x, const Tensor& y, Tolerance tolerance) {
  if (!SameTypeAndShape(x, y)) return;
  switch (x.dtype()) {
#define TENON_COMPAT_CASE(TYPE, T) \
  case TYPE: return ExpectTensorEqual<T>(x, y, tolerance);
    TENON_COMPAT_CASE(DT_FLOAT, float)
    TENON_COMPAT_CASE(DT_DOUBLE, double)
    TENON_COMPAT_CASE(DT_INT8, int8)
    TENON_COMPAT_CASE(DT_INT16, int16)
    TENON_COMPAT_CASE(DT_INT32, int32)
    TENON_COMPAT_CASE(DT_INT64, std::int64_t)
    TENON_COMPAT_CASE(DT_UINT8, uint8)
    TENON_COMPAT_CASE(DT_UINT16, uint16)
    TENON_COMPAT_CASE(DT_UINT32, uint32)
    TENON_COMPAT_CASE(DT_UINT64, std::uint64_t)
    TENON_COMPAT_CASE(DT_BOOL, bool)
    TENON_COMPAT_CASE(DT_STRING, tstring)
    TENON_COMPAT_CASE(DT_COMPLEX64, complex64)
    TENON_COMPAT_CASE(DT_COMPLEX128, complex128)
    TENON_COMPAT_CASE(DT_HALF, Eigen::half)
    TENON_COMPAT_CASE(DT_BFLOAT16, Eigen::bfloat16)
#undef TENON_COMPAT_CASE
    default: EXPECT_EQ(x.tensor_data(), y.tensor_data());
  }
}
template <class T>
void ExpectTensorNear(const Tensor& x, const Tensor& y, double tolerance) {
  ASSERT_EQ(x.dtype(), DataTypeToEnum<T>::value);
  if (!SameTypeAndShape(x, y)) return;
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const T &a = x.base<const T>()[i], &b = y.base<const T>()[i];
    if constexpr (is_complex<T>::value) {
      EXPECT_LE(std::abs(a - b), tolerance) << "index " << i;
    } else {
      if (!AreSame(a, b)) {
        EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b), tolerance) << "index " << i;
      }
    }
  }
}
// Negative tolerances: a few units of the type's last place.
inline void ExpectClose(const Tensor& x, const Tensor& y, double atol = -1, double rtol = -1) {
  if (!SameTypeAndShape(x, y)) return;
  const auto compare = [&](auto example, double unit) {
    using T = decltype(example);
    const double a = atol < 0 ? 5 * unit : atol, r = rtol < 0 ? 5 * unit : rtol;
    for (int64_t i = 0; i < x.NumElements(); ++i) {
      const T &p = x.base<const T>()[i], &q = y.base<const T>()[i];
      if (AreSame(p, q)) continue;
      double difference = 0, size = 0;
      if constexpr (is_complex<T>::value) {
        difference = std::abs(p - q);
        size = std::abs(q);
      } else {
        difference = std::abs(static_cast<double>(p) - static_cast<double>(q));
        size = std::abs(static_cast<double>(q));
      }
      EXPECT_LE(difference, a + r * size) << "index " << i;
    }
  };
  switch (x.dtype()) {
    case DT_FLOAT: return compare(float(), std::numeric_limits<float>::epsilon());
    case DT_DOUBLE: return compare(double(), std::numeric_limits<double>::epsilon());
    case DT_HALF: return compare(Eigen::half(), 0x1p-10);
    case DT_BFLOAT16: return compare(Eigen::bfloat16(), 0x1p-7);
    case DT_COMPLEX64: return compare(complex64(), std::numeric_limits<float>::epsilon());
    case DT_COMPLEX128: return compare(complex128(), std::numeric_limits<double>::epsilon());
    default: return ExpectEqual(x, y);
  }
}
template <class T>
void ExpectClose(const Tensor& x, const Tensor& y, double atol = -1, double rtol = -1) {
  ASSERT_EQ(x.dtype(), DataTypeToEnum<T>::value);
  ExpectClose(x, y, atol, rtol);
}
namespace internal_test {
// Whether |x - y| <= atol + rtol * |y|. Negative tolerances: those of ExpectClose.
template <class T>
::testing::AssertionResult IsClose(T x, T y, double atol = -1, double rtol = -1) {
  constexpr double kUnits = 5;
  const double unit = std::is_same_v<T, Eigen::half> ? 0x1p-10
                      : std::is_same_v<T, float>     ? std::numeric_limits<float>::epsilon()
                                                     : std::numeric_limits<double>::epsilon();
  if (AreSame(x, y)) return ::testing::AssertionSuccess();
  const auto a = static_cast<double>(x), b = static_cast<double>(y);
  const double allowed = (atol < 0 ? kUnits * unit : atol) + (rtol < 0 ? kUnits * unit : rtol) * std::abs(b);
  if (std::abs(a - b) <= allowed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << " not close to " << b;
}
}  // namespace internal_test
inline ::testing::AssertionResult IsSameType(const Tensor& x, const Tensor& y) {
  return x.dtype() == y.dtype() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "other types";
}

}  // namespace test
}  // namespace tensorflow
