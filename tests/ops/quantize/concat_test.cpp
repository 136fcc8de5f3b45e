// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/concat.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_concat_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("quantized numbers moved") {
  TEST_CASE("QuantizedConcatV2 brings all into one range") {
    Tensor a(DataType::kQuint8, TensorShape({1})), b(DataType::kQuint8, TensorShape({2}));
    static_cast<std::uint8_t*>(a.raw_data())[0] = 255;
    static_cast<std::uint8_t*>(b.raw_data())[0] = 0;
    static_cast<std::uint8_t*>(b.raw_data())[1] = 255;
    GraphBuilder g;
    const Output one = g.Const("a", a), two = g.Const("b", b), axis = g.Const("axis", Int(0)),
                 none = g.Const("none", Make<float>({}, {0})), high = g.Const("high", Make<float>({}, {1})),
                 higher = g.Const("higher", Make<float>({}, {2}));
    g.Add("QuantizedConcatV2", "call", {{one, two}, axis, {none, none}, {high, higher}});
    const Result<Session> session = Session::FromGraph(g);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<std::string> fetches{"call:0", "call:2"};
    const Result<std::vector<Tensor>> x = session->Run({}, fetches);
    REQUIRE_MESSAGE(x.ok(), x.status().message());
    const auto* bytes = static_cast<const std::uint8_t*>((*x)[0].raw_data());
    CHECK(bytes[0] == 128);
    CHECK(bytes[1] == 0);
    CHECK(bytes[2] == 255);
    CHECK(*(*x)[1].data<float>() == 2);
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
