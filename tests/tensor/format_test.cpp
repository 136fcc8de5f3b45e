// SPDX-License-Identifier: Apache-2.0
// The layouts are those that TensorFlow 2.21 prints (StringFormat for tf.print's, Assert for the other).
#include <tenon/tensor/format.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <tenon/tensor/tensor.hpp>

namespace format_test {
using namespace tenon;

namespace {
Tensor Counting(const TensorShape& shape) {
  Tensor t(DataType::kInt32, shape);
  std::iota(t.flat<std::int32_t>().begin(), t.flat<std::int32_t>().end(), 0);
  return t;
}
template <class T>
std::string Plain(std::initializer_list<T> values) {
  return MakeTensor<T>({static_cast<Index>(values.size())}, values).SummarizeValue(-1);
}
}  // namespace

TEST_SUITE("SummarizeValue") {
  TEST_CASE("prints the first values, in brackets but for the innermost dimension") {
    CHECK(Counting({}).SummarizeValue(3) == "0");
    CHECK(Counting({}).SummarizeValue(0) == "...");
    CHECK(Counting({3}).SummarizeValue(3) == "0 1 2");
    CHECK(Counting({7}).SummarizeValue(5) == "0 1 2 3 4...");
    CHECK(Counting({7}).SummarizeValue(-1) == "0 1 2 3 4 5 6");
    CHECK(Counting({2, 3}).SummarizeValue(-1) == "[0 1 2][3 4 5]");
    CHECK(Counting({2, 3}).SummarizeValue(4) == "[0 1 2][3...]...");
    CHECK(Counting({3, 2}).SummarizeValue(2) == "[0 1]...");
    CHECK(Counting({2, 3, 4}).SummarizeValue(3) == "[[0 1 2...]]...");
    CHECK(Counting({2, 2, 2}).SummarizeValue(-1) == "[[0 1][2 3]][[4 5][6 7]]");
    CHECK(Counting({0}).SummarizeValue(3) == "");
    CHECK(Counting({2, 0}).SummarizeValue(3) == "");
  }
  TEST_CASE("prints both ends of every dimension in tf.print's layout") {
    CHECK(Counting({}).SummarizeValue(3, true) == "0");
    CHECK(Counting({7}).SummarizeValue(3, true) == "[0 1 2 ... 4 5 6]");
    CHECK(Counting({6}).SummarizeValue(3, true) == "[0 1 2 3 4 5]");
    CHECK(Counting({2, 3}).SummarizeValue(-1, true) == "[[0 1 2]\n [3 4 5]]");
    CHECK(Counting({3, 3}).SummarizeValue(1, true) == "[[0 ... 2]\n ...\n [6 ... 8]]");
    CHECK(Counting({3, 2, 2}).SummarizeValue(1, true) == "[[[0 1]\n  [2 3]]\n\n ...\n\n [[8 9]\n  [10 11]]]");
    CHECK(Counting({0}).SummarizeValue(3, true) == "[]");
    CHECK(Counting({0, 3}).SummarizeValue(3, true) == "[]");
    CHECK(Counting({2, 0}).SummarizeValue(-1, true) == "[\n ...]");  // as TensorFlow: no ends, but more than none
  }
  TEST_CASE("prints numbers as TensorFlow does") {
    CHECK(Plain<float>({-0.0f, INFINITY, NAN, -23, 1e20f, 0.1f, 1.0f / 3}) == "-0 inf nan -23 1e+20 0.1 0.333333343");
    CHECK(Plain<double>({0.1, 1.0 / 3, 1e100}) == "0.1 0.33333333333333331 1e+100");
    CHECK(Plain<std::int8_t>({83, -116}) == "83 -116");
    CHECK(Plain<std::uint8_t>({200}) == "200");
    CHECK(Plain<std::uint64_t>({18446744073709551615u}) == "18446744073709551615");
    CHECK(Plain<bool>({true, false}) == "1 0");
    CHECK(Plain<half>({half(1.5f), half(65504)}) == "1.5 65504");
    CHECK(Plain<bfloat16>({bfloat16(-2)}) == "-2");
    CHECK(Plain<float8_e4m3fn>({float8_e4m3fn(448)}) == "448");
    CHECK(Plain<float4_e2m1fn>({float4_e2m1fn(6)}) == "6");
    CHECK(Plain<int4>({int4(-8)}) == "-8");
    CHECK(Plain<uint2>({uint2(3)}) == "3");
    CHECK(Plain<quint16>({quint16(9)}) == "9");
  }
  TEST_CASE("prints what TensorFlow has no text for as question marks") {
    Tensor t(DataType::kComplex64, {2, 3});
    CHECK(t.SummarizeValue(2) == "? ?...");
    CHECK(t.SummarizeValue(2, true) == "[? ?...]");
    CHECK(Tensor(DataType::kQint32, {}).SummarizeValue(-1, true) == "?");
    CHECK(Tensor(DataType::kFloat8E5M2FNUZ, {2}).SummarizeValue(-1) == "? ?");
  }
  TEST_CASE("escapes strings but leaves UTF-8 alone, and quotes them in tf.print's layout") {
    const Tensor t = MakeTensor<tstring>({4}, {"a", "hello \"w\"", "\xc3\xa9t\xc3\xa9", "x\ny\t\x01'\\"});
    CHECK(t.SummarizeValue(-1) == "a hello \\\"w\\\" \xc3\xa9t\xc3\xa9 x\\ny\\t\\001\\'\\\\");
    CHECK(t.SummarizeValue(1, true) == "[\"a\" ... \"x\\ny\\t\\001\\'\\\\\"]");
  }
  TEST_CASE("prints resource handles") {
    Tensor t(DataType::kResource, {});
    t.scalar<ResourceHandle>()().name = "v";
    CHECK(t.SummarizeValue(1) ==
          "<ResourceHandle(name=\"v\", device=\"\", container=\"\", type=\"\", dtype and shapes : \"[  ]\")>");
  }
  TEST_CASE("says that a tensor has no memory, or none that the host can read") {
    CHECK(Tensor(DataType::kFloat, {2, 3}, nullptr).SummarizeValue(3) ==
          "uninitialized Tensor of 6 elements of type 1");
    CHECK(Tensor(DataType::kFloat, {2, 3}, nullptr).SummarizeValue(0) == "...");
    CHECK(Tensor(DataType::kBool, {3}).SummarizeValue(0) == "");  // TensorFlow's exception
  }
}
}  // namespace format_test
