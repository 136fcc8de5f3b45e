// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/n_ary.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_n_ary_test {
using namespace tenon;
using namespace tenon::testing;

#define TENON_TEST_NUMBERS \
  float, double, half, bfloat16, std::int8_t, std::uint16_t, std::int32_t, std::int64_t, complex64

TEST_SUITE("AddN") {
  TEST_CASE_TEMPLATE("adds any number of tensors", T, TENON_TEST_NUMBERS) {
    for (const std::size_t n : {1u, 2u, 3u, 12u}) {
      const std::vector<Tensor> inputs(n, Make<T>({2, 3}, {1, 2, 3}));
      const double k = static_cast<double>(n);
      CHECK(Numbered<T>(Run<ops::AddN>({}, inputs)) == std::vector<double>{k, 2 * k, 3 * k, k, 2 * k, 3 * k});
    }
  }
  TEST_CASE("of large tensors, in tiles") {
    const Tensor a = Random<float>({70001}, 1), b = Random<float>({70001}, 2), c = Random<float>({70001}, 3);
    const Tensor sum = Run<ops::AddN>({}, {a, b, c});
    int wrong = 0;
    for (Index i = 0; i < sum.NumElements(); ++i)
      wrong += sum.data<float>()[i] != a.data<float>()[i] + b.data<float>()[i] + c.data<float>()[i];
    CHECK(wrong == 0);
  }
  TEST_CASE("takes over its first input, unless that is added twice") {
    bool took_over = false;
    const Tensor x = Random<float>({40}, 1), y = Random<float>({40}, 2);
    CHECK(SameTensor(RunOnOwnInputs<ops::AddN, float>({}, {x, y, y}, &took_over), Run<ops::AddN>({}, {x, y, y})));
    CHECK(took_over);

    GraphBuilder b;
    const Output fed = b.Placeholder("in", DataType::kFloat);
    const Output one = b.Const("one", Tensor::Scalar<float>(1));
    const Output own = b.Add("Mul", "own", {fed, one}), other = b.Add("Mul", "other", {fed, fed});
    b.Add("AddN", "call", {own, other, own}, {});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE(session.ok());
    const auto sum = session->Run({{"in:0", Make<float>({3}, {1, 2, 3})}}, {"call:0"});
    REQUIRE_MESSAGE(sum.ok(), sum.status().message());
    CHECK(Numbered<float>((*sum)[0]) == std::vector<double>{3, 8, 15});
  }
  TEST_CASE("of nothing is nothing; of scalars a scalar") {
    CHECK(Run<ops::AddN>({}, {Make<float>({0, 2}, {1}), Make<float>({0, 2}, {1})}).shape() == TensorShape{0, 2});
    CHECK(Numbered<float>(Run<ops::AddN>({}, {Make<float>({}, {2}), Make<float>({}, {3})})) == std::vector<double>{5});
  }
  TEST_CASE("refuses other shapes and types without kernel") {
    CHECK(ErrorOf<ops::AddN>({}, {Make<float>({2}, {1}), Make<float>({}, {1})}) ==
          "INVALID_ARGUMENT: AddN: inputs must have the same size and shape. Input 0: [2] != input 1: []");
    const Tensor q = Make<qint8>({2}, {1});
    CHECK(ErrorOf<ops::AddN>({}, {q, q}) ==
          "INVALID_ARGUMENT: no kernel for op 'AddN' on CPU with types {qint8}; elements of this type are not added");
  }
  TEST_CASE("fails cleanly when memory runs out") {
    CHECK(FailEveryAllocation<ops::AddN>({}, {Make<float>({100}, {1}), Make<float>({100}, {1})}) > 0);
  }
}

TEST_SUITE("AccumulateNV2") {
  TEST_CASE("adds tensors of the shape given") {
    const Tensor x = Make<float>({2}, {1, 2});
    CHECK(Numbered<float>(Run<ops::AccumulateNV2>({{"shape", AttrValue(PartialTensorShape({2}))}}, {x, x, x})) ==
          std::vector<double>{3, 6});
    CHECK(ErrorOf<ops::AccumulateNV2>({{"shape", AttrValue(PartialTensorShape({3}))}}, {x, x}) ==
          "INVALID_ARGUMENT: AccumulateNV2: inputs of shape [2] do not fit the attr 'shape', which is [3]");
  }
}

TEST_SUITE("ClipByValue") {
  TEST_CASE_TEMPLATE("cuts above and below", T, float, double, half, bfloat16, std::int32_t, std::int8_t) {
    const Tensor t = Make<T>({4}, {-5, 0, 2, 9});
    CHECK(Numbered<T>(Run<ops::ClipByValue>({}, {t, Make<T>({}, {-1}), Make<T>({}, {3})})) ==
          std::vector<double>{-1, 0, 2, 3});
    CHECK(Numbered<T>(Run<ops::ClipByValue>({}, {t, Make<T>({4}, {1, 1, 1, 1}), Make<T>({}, {3})})) ==
          std::vector<double>{1, 1, 2, 3});
  }
  TEST_CASE("NaN stays, and a NaN limit is none") {
    const Tensor t = Make<float>({3}, {kNaN, 5, -5});
    const std::vector<double> y =
        Numbered<float>(Run<ops::ClipByValue>({}, {t, Make<float>({}, {kNaN}), Make<float>({}, {2})}));
    CHECK(y[0] != y[0]);
    CHECK(y[1] == 2);
    CHECK(y[2] == -5);
  }
  TEST_CASE("limits are scalars or have the same shape") {
    CHECK(ErrorOf<ops::ClipByValue>({}, {Make<float>({3}, {1}), Make<float>({1}, {1}), Make<float>({}, {1})}) ==
          "INVALID_ARGUMENT: ClipByValue: clip_value_min and clip_value_max must be either of the same shape as input, "
          "or a scalar. input shape: [3], clip_value_min shape: [1], clip_value_max shape: []");
  }
}

TEST_SUITE("L2Loss") {
  TEST_CASE_TEMPLATE("is half the sum of the squares", T, float, double, half, bfloat16) {
    CHECK(Numbered<T>(Run<ops::L2Loss>({}, {Make<T>({3, 3}, {1, 2, -3})})) == std::vector<double>{21});
    CHECK(Numbered<T>(Run<ops::L2Loss>({}, {Make<T>({0}, {1})})) == std::vector<double>{0});
  }
}

#undef TENON_TEST_NUMBERS

}  // namespace math_n_ary_test
