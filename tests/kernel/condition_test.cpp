// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/condition.hpp>

#include <cstdint>

#include <tenon/tensor/tensor_util.hpp>

#include <doctest/doctest.h>

namespace condition_test {
using namespace tenon;

namespace {
bool Truth(const Tensor& t) {
  bool value = false;
  const Status status = detail::ToBool(t, &value);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return value;
}
template <class T>
void CheckNumber() {
  CHECK(Truth(Tensor::Scalar(T{1})));
  CHECK(Truth(Tensor::Scalar(static_cast<T>(-1))));
  CHECK(!Truth(Tensor::Scalar(T{})));
}
}  // namespace

TEST_CASE("a scalar is true when it is not zero, a string when it is not empty") {
  CheckNumber<bool>();
  CheckNumber<float>();
  CheckNumber<double>();
  CheckNumber<std::int8_t>();
  CheckNumber<std::uint8_t>();
  CheckNumber<std::int16_t>();
  CheckNumber<std::int32_t>();
  CheckNumber<std::int64_t>();
  CHECK(!Truth(Tensor::Scalar(tstring())));
  CHECK(Truth(Tensor::Scalar(tstring("0"))));
}
TEST_CASE("anything else is true when it has elements, whatever they are") {
  CHECK(Truth(MakeTensor<float>({1}, {0})));
  CHECK(!Truth(Tensor::Zeros<float>({0})));
  CHECK(!Truth(Tensor::Zeros<bool>({2, 0})));
}
TEST_CASE("a scalar of another type is refused") {
  bool value = false;
  const Status status = detail::ToBool(Tensor::Scalar(half(1.0f)), &value);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("half") != status.message().npos);
}
TEST_CASE("a predicate is a scalar bool") {
  bool value = false;
  CHECK(detail::ToPredicate(Tensor::Scalar(true), &value).ok());
  CHECK(value);
  CHECK(detail::ToPredicate(Tensor::Scalar(false), &value).ok());
  CHECK(!value);
  CHECK(detail::ToPredicate(Tensor::Scalar(1.0f), &value).code() == Code::kInvalidArgument);
  CHECK(detail::ToPredicate(Tensor::Zeros<bool>({1}), &value).code() == Code::kInvalidArgument);
}
}  // namespace condition_test
