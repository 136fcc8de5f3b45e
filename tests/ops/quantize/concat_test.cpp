// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/concat.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ops/support.hpp"

namespace quantize_concat_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Bytes(std::initializer_list<std::uint8_t> values) {
  Tensor x(DataType::kQuint8, TensorShape({static_cast<Index>(values.size())}));
  std::copy(values.begin(), values.end(), static_cast<std::uint8_t*>(x.raw_data()));
  return x;
}
struct Range {
  float low, high;
};
// The bytes of two joined vectors, and their range.
std::string Joined(std::string_view op, int axis, const Tensor& a, Range of_a, const Tensor& b, Range of_b) {
  GraphBuilder g;
  const auto number = [&](const char* name, float x) { return g.Const(name, Make<float>({}, {x})); };
  const Output one = g.Const("a", a), two = g.Const("b", b), at = g.Const("axis", Int(axis)),
               low = number("low", of_a.low), lower = number("lower", of_b.low), high = number("high", of_a.high),
               higher = number("higher", of_b.high);
  if (op == "QuantizedConcatV2")
    g.Add("QuantizedConcatV2", "call", {{one, two}, at, {low, lower}, {high, higher}});
  else
    g.Add("QuantizedConcat", "call", {at, {one, two}, {low, lower}, {high, higher}});
  const Result<Session> session = Session::FromGraph(g);
  if (!session.ok()) return session.status().ToString();
  const std::vector<std::string> fetches{"call:0", "call:1", "call:2"};
  const Result<std::vector<Tensor>> x = session->Run({}, fetches);
  if (!x.ok()) return x.status().ToString();
  std::string text;
  for (Index i = 0; i < (*x)[0].NumElements(); ++i)
    StrAppend(&text, static_cast<int>(static_cast<const std::uint8_t*>((*x)[0].raw_data())[i]), " ");
  return StrCat(text, "in ", *(*x)[1].data<float>(), " ", *(*x)[2].data<float>());
}

}  // namespace

TEST_SUITE("quantized numbers moved") {
  TEST_CASE("QuantizedConcat brings all into one range") {
    for (const std::string_view op : {"QuantizedConcat", "QuantizedConcatV2"})
      CHECK(Joined(op, 0, Bytes({255}), {0, 1}, Bytes({0, 255}), {0, 2}) == "128 0 255 in 0 2");
    CHECK(Joined("QuantizedConcat", 0, Bytes({0, 255}), {-1, 1}, Bytes({255}), {0, 1}) == "0 255 255 in -1 1");
  }
  TEST_CASE("QuantizedConcatV2 has no numbers below 0 of unsigned types, and counts axes from the end, too") {
    CHECK(Joined("QuantizedConcatV2", 0, Bytes({0, 255}), {-1, 1}, Bytes({255}), {0, 1}) == "0 255 255 in 0 1");
    CHECK(Joined("QuantizedConcatV2", -1, Bytes({1}), {0, 1}, Bytes({2}), {0, 1}) == "1 2 in 0 1");
    CHECK(Joined("QuantizedConcat", -1, Bytes({1}), {0, 1}, Bytes({2}), {0, 1}).starts_with("INVALID_ARGUMENT"));
    CHECK(Joined("QuantizedConcatV2", -2, Bytes({1}), {0, 1}, Bytes({2}), {0, 1}).starts_with("INVALID_ARGUMENT"));
  }
  TEST_CASE("a value without elements takes no range, as in TensorFlow") {
    for (const std::string_view op : {"QuantizedConcat", "QuantizedConcatV2"})
      CHECK(Joined(op, 0, Bytes({}), {0, 1}, Bytes({200}), {0, 2}) == "100 in 0 2");
  }
  TEST_CASE("QuantizedReshape shares the buffer") {
    const Tensor x(DataType::kQint32, TensorShape({2, 3}));
    const Tensor y = Run<ops::QuantizedReshape>({{"T", DataType::kQint32}, {"Tshape", DataType::kInt32}},
                                                {x, Ints({3, -1}), Make<float>({}, {0}), Make<float>({}, {1})});
    CHECK(y.shape() == TensorShape({3, 2}));
    CHECK(y.raw_data() == x.raw_data());
  }
}
}  // namespace quantize_concat_test
