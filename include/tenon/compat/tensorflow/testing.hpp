// SPDX-License-Identifier: Apache-2.0
#pragma once
// GoogleTest with what TensorFlow's tests add to it. Needs GoogleTest.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {
namespace testing {
inline std::string TmpDir() {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return folder != nullptr ? folder : std::filesystem::temp_directory_path().string();
}
inline int RandomSeed() { return 301; }
}  // namespace testing

namespace test {
template <class T>
Tensor AsTensor(gtl::ArraySlice<T> values, const TensorShape& shape) {
  Tensor out(DataTypeToEnum<T>::value, shape);
  std::copy(values.begin(), values.end(), out.base<T>());
  return out;
}
template <class T>
Tensor AsTensor(gtl::ArraySlice<T> values) {
  return AsTensor(values, TensorShape({static_cast<int64_t>(values.size())}));
}
template <class T>
Tensor AsTensor(std::initializer_list<T> values) {
  return AsTensor(gtl::ArraySlice<T>(values));
}
template <class T>
Tensor AsTensor(std::initializer_list<T> values, const TensorShape& shape) {
  return AsTensor(gtl::ArraySlice<T>(values), shape);
}
template <class T>
Tensor AsScalar(const T& value) {
  return Tensor(value);
}
template <class T>
void FillValues(Tensor* tensor, gtl::ArraySlice<T> values) {
  std::copy(values.begin(), values.end(), tensor->base<T>());
}
template <class T>
void FillIota(Tensor* tensor, const T& first) {
  for (int64_t i = 0; i < tensor->NumElements(); ++i) tensor->base<T>()[i] = first + static_cast<T>(i);
}
template <class T>
void ExpectTensorEqual(const Tensor& x, const Tensor& y) {
  ASSERT_EQ(x.dtype(), y.dtype());
  ASSERT_TRUE(x.shape() == y.shape()) << x.shape().DebugString() << " vs. " << y.shape().DebugString();
  for (int64_t i = 0; i < x.NumElements(); ++i) EXPECT_EQ(x.base<T>()[i], y.base<T>()[i]) << "at " << i;
}
template <class T>
void ExpectClose(const Tensor& x, const Tensor& y, double atol = 1e-5, double rtol = 1e-5) {
  ASSERT_TRUE(x.shape() == y.shape()) << x.shape().DebugString() << " vs. " << y.shape().DebugString();
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const double a = static_cast<double>(x.base<T>()[i]), b = static_cast<double>(y.base<T>()[i]);
    EXPECT_NEAR(a, b, atol + rtol * std::abs(b)) << "at " << i;
  }
}
}  // namespace test
}  // namespace tensorflow

#define TF_EXPECT_OK(...) EXPECT_EQ(::tensorflow::Status(), (__VA_ARGS__))
#define TF_ASSERT_OK(...) ASSERT_EQ(::tensorflow::Status(), (__VA_ARGS__))
#define EXPECT_OK TF_EXPECT_OK
#define TF_ASSERT_OK_AND_ASSIGN(LHS, ...) \
  TENON_COMPAT_ASSERT_OK_AND_ASSIGN(TENON_DETAIL_CONCAT(tf_result_, __COUNTER__), LHS, __VA_ARGS__)
#define TENON_COMPAT_ASSERT_OK_AND_ASSIGN(RESULT, LHS, ...) \
  auto RESULT = (__VA_ARGS__);                              \
  ASSERT_TRUE(RESULT.ok()) << RESULT.status().ToString();   \
  LHS = std::move(RESULT).value()
