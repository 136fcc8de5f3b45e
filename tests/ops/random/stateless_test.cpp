// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/stateless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace random_stateless_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const Tensor kPair = Longs({5, 6});
struct Moments {
  double mean = 0, variance = 0, least = kInfinity, most = -kInfinity;
};
Moments Of(const std::vector<double>& x) {
  Moments m;
  for (const double v : x) {
    m.mean += v / static_cast<double>(x.size());
    m.least = std::min(m.least, v);
    m.most = std::max(m.most, v);
  }
  for (const double v : x) m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(x.size());
  return m;
}

}  // namespace

TEST_SUITE("stateless random numbers") {
  TEST_CASE("are the stream that the seed stands for, whatever the shape's type and the threads") {
    Cpu device;
    Tensor want(DataType::kFloat, {40, 50});
    CHECK(FillRandom(device, RandomFillOf(RandomKind::kNormal, DataType::kFloat), ops::detail::ScrambledSeeds(5, 6),
                     want.raw_data(), 2000)
              .ok());
    CHECK_UNARY(SameTensor(Run<ops::StatelessRandomNormal>({}, {Ints({40, 50}), kPair}), want));
    CHECK_UNARY(SameTensor(
        Run<ops::StatelessRandomNormal>({}, {Longs({40, 50}), Ints({5, 6})}, {.intra_op_threads = 2}), want));
    CHECK_FALSE(SameTensor(Run<ops::StatelessRandomNormal>({}, {Ints({40, 50}), Longs({6, 5})}), want));
  }
  TEST_CASE_TEMPLATE("have the moments of their distribution", T, float, double, half) {
    const AttrArgs attrs{{"dtype", dtype_of_v<T>}};
    const std::int32_t n = 40000;
    const double error = 5 / std::sqrt(static_cast<double>(n));
    const Moments u = Of(Numbered<T>(Run<ops::StatelessRandomUniform>(attrs, {Ints({n}), kPair})));
    CHECK(std::abs(u.mean - .5) < error * std::sqrt(1 / 12.0));
    CHECK(std::abs(u.variance - 1 / 12.0) < error * .08);
    CHECK((u.least >= 0 && u.least < .001 && u.most < 1 && u.most > .998));
    const Moments g = Of(Numbered<T>(Run<ops::StatelessRandomNormal>(attrs, {Ints({n}), kPair})));
    CHECK(std::abs(g.mean) < error);
    CHECK(std::abs(g.variance - 1) < error * std::sqrt(2.0));
    // Within (-2, 2) the variance is 1 - 4 phi(2) / (Phi(2) - Phi(-2)).
    const double phi = std::exp(-2.0) / std::sqrt(2 * 3.14159265358979), inside = std::erf(2 / std::sqrt(2.0));
    const Moments t = Of(Numbered<T>(Run<ops::StatelessTruncatedNormal>(attrs, {Ints({n}), kPair})));
    CHECK(std::abs(t.mean) < error);
    CHECK(std::abs(t.variance - (1 - 4 * phi / inside)) < error * 1.2);
    CHECK((t.least >= -2 && t.most <= 2));
  }
  TEST_CASE("integers lie between their bounds, whole words included") {
    const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       most = std::numeric_limits<std::int64_t>::max();
    const auto drawn = [](const Tensor& low, const Tensor& high) {
      return Run<ops::StatelessRandomUniformInt>({}, {Ints({500}), kPair, low, high});
    };
    const Moments few = Of(Numbered<std::int32_t>(drawn(Int(-3), Int(4))));
    CHECK((few.least == -3 && few.most == 3));
    const Moments all = Of(Numbered<std::int64_t>(drawn(Tensor::Scalar(least), Tensor::Scalar(most))));
    CHECK((all.least < -9e18 && all.most > 9e18));
    CHECK(Numbered<std::int32_t>(drawn(Int(7), Int(8))) == std::vector<double>(500, 7));
    const Moments bits = Of(Numbered<std::uint32_t>(
        Run<ops::StatelessRandomUniformFullInt>({{"dtype", DataType::kUint32}}, {Ints({500}), kPair})));
    CHECK((bits.least < 5e7 && bits.most > 4.24e9));
  }
  TEST_CASE("nothing is drawn from any range") {
    CHECK(Run<ops::StatelessRandomUniform>({}, {Ints({3, 0}), kPair}).shape() == TensorShape({3, 0}));
    CHECK(Run<ops::StatelessRandomUniformInt>({}, {Ints({0}), kPair, Int(9), Int(2)}).NumElements() == 0);
    CHECK(Run<ops::StatelessRandomUniform>({}, {Ints({}), kPair}).dims() == 0);
  }
  TEST_CASE("says what is no shape, seed or range") {
    const auto ints = [](const Tensor& shape, const Tensor& seed, const Tensor& low, const Tensor& high) {
      return ErrorOf<ops::StatelessRandomUniformInt>({}, {shape, seed, low, high});
    };
    const std::string start = "INVALID_ARGUMENT: StatelessRandomUniformInt: ";
    CHECK(ints(Ints({2}), kPair, Int(4), Int(4)) == start + "Need minval < maxval, got 4 >= 4");
    CHECK(ints(Ints({2}), kPair, Ints({4}), Int(5)) == start + "minval must be 0-D, got shape [1]");
    CHECK(ints(Ints({2}), Longs({1, 2, 3}), Int(4), Int(5)) == start + "seed must have shape [2], not [3]");
    CHECK(ints(Ints({2, -1}), kPair, Int(4), Int(5)) == start + "Dimension -1 must be >= 0 (dimension 1)");
    const Tensor odd = MakeTensor<std::uint64_t>({2}, {1, 2});
    CHECK(ErrorOf<ops::StatelessRandomUniformFullInt>({}, {Ints({2}), odd}) ==
          "INVALID_ARGUMENT: StatelessRandomUniformFullInt: Invalid seed type: uint64");
    CHECK(InferredShape<ops::StatelessRandomUniform>({StaticInput::Vector({4, 5}), {2}}) == "[4,5]");
    CHECK(InferredShape<ops::StatelessRandomUniform>({{3}, {-1}}) == "[?,?,?]");
    CHECK(InferredShape<ops::StatelessRandomUniform>({{3}, {3}}) == "Dimension must be 2 but is 3");
    CHECK(InferredShape<ops::StatelessRandomUniformInt>({{3}, {2}, {1}, {}}) == "Shape must be rank 0 but is rank 1");
  }
}
}  // namespace random_stateless_test
