// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/generator.hpp>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ops/support.hpp"

namespace random_generator_test {
using namespace tenon;
using namespace tenon::testing;
using namespace ops::detail;

namespace {

HostIndices Indices(const Tensor& tensor) { return HostIndices(tensor.any_view(), tensor.dtype()); }
std::string Keyed(const Tensor& key, const Tensor& counter, const Tensor& alg, Philox* stream, bool* supported) {
  return StreamOfKey("Op", key, counter, Indices(alg), 3, stream, supported).ToString();
}
Tensor Words(std::initializer_list<std::uint64_t> words) {
  return MakeTensor<std::uint64_t>({static_cast<Index>(words.size())}, words);
}
template <class T>
std::string Range(T low, T high, RandomFill* fill) {
  return SetRange("Op", Tensor::Scalar(low), Tensor::Scalar(high), fill).ToString();
}
bool Same(const Philox& a, const Philox& b) { return a.key == b.key && a.low == b.low && a.high == b.high; }

}  // namespace

TEST_SUITE("generators") {
  TEST_CASE("a part of the stream is one caller's; elements take 256 blocks each") {
    SeededGenerator generator;
    generator.Seed(7, 9);
    const Philox start = Philox::FromSeeds(7, 9);
    CHECK(Same(generator.Reserve(5), start));
    CHECK(Same(generator.ReserveElements(2), start.Skipped(5)));
    CHECK(Same(generator.Reserve(0), start.Skipped(5 + 512)));
    CHECK(Same(generator.Reserve(1), start.Skipped(5 + 512)));
  }
  TEST_CASE("parts that threads take at once do not overlap") {
    SeededGenerator generator;
    generator.Seed(1, 0);
    std::vector<std::uint64_t> begins[2];
    const auto take = [&generator](std::vector<std::uint64_t>* to) {
      for (int i = 0; i < 2000; ++i) to->push_back(generator.Reserve(3).low);
    };
    std::thread other(take, &begins[0]);
    take(&begins[1]);
    other.join();
    std::set<std::uint64_t> all(begins[0].begin(), begins[0].end());
    all.insert(begins[1].begin(), begins[1].end());
    CHECK(all.size() == 4000);
    CHECK(*all.rbegin() == 3 * 3999);
  }
  TEST_CASE("without seeds streams differ, with one of them they do not") {
    SeededGenerator a, b;
    a.Seed(0, 0);
    b.Seed(0, 0);
    CHECK_FALSE(Same(a.Reserve(1), b.Reserve(1)));
    a.Seed(0, 3);
    CHECK(Same(a.Reserve(1), Philox{0, 0, 3}));
    CHECK(UnpredictableBits() != UnpredictableBits());
  }
  TEST_CASE("seeds of 32 bits are those of 64, with their sign; others are refused") {
    Philox narrow, wide;
    REQUIRE(StreamOfSeed("Op", Ints({1, -2}), &narrow).ok());
    REQUIRE(StreamOfSeed("Op", Longs({1, -2}), &wide).ok());
    CHECK(Same(narrow, wide));
    // TensorFlow's key and counter for [1, 2].
    const Philox scrambled = ScrambledSeeds(1, 2);
    CHECK(scrambled.key == 10413732777507651514u);
    CHECK(scrambled.low == 0);
    CHECK(scrambled.high == 17830669156045600267u);
    CHECK(StreamOfSeed("Op", Ints({1, 2, 3}), &wide).ToString() ==
          "INVALID_ARGUMENT: Op: seed must have shape [2], not [3]");
    CHECK(StreamOfSeed("Op", Words({1, 2}), &wide).ToString() == "INVALID_ARGUMENT: Op: Invalid seed type: uint64");
  }
  TEST_CASE("a counter may be one word; the algorithm's number is the least length, as in TensorFlow") {
    Philox stream;
    bool supported = false;
    CHECK(Keyed(Words({5}), Words({6, 7, 8}), Int(kAlgorithmAuto), &stream, &supported) == "OK");
    CHECK(supported);
    CHECK(Same(stream, Philox{5, 6, 7}));
    CHECK(Keyed(Words({5}), Words({6}), Int(kAlgorithmPhilox), &stream, &supported) == "OK");
    CHECK(Same(stream, Philox{5, 6, 0}));
    CHECK(Keyed(Words({5}), Words({6, 7}), Int(kAlgorithmThreeFry), &stream, &supported) == "OK");
    CHECK_FALSE(supported);
    CHECK(UnsupportedAlgorithm("Op", Indices(Int(2))).message() ==
          "Op: Unsupported algorithm id: 2; on CPU there is Philox, 1");
    CHECK(Keyed(Words({5}), Words({6}), Int(2), &stream, &supported) ==
          "INVALID_ARGUMENT: Op: counter must be a vector with length at least 2; got shape: [1]. (Note that batched "
          "counters are not supported yet.)");
    CHECK(Keyed(Words({5, 6}), Words({6}), Int(1), &stream, &supported) ==
          "INVALID_ARGUMENT: Op: key must have shape [1], not [2]. (Note that batched keys are not supported yet.)");
    CHECK(Keyed(Words({5}), Words({6}), Ints({1}), &stream, &supported) ==
          "INVALID_ARGUMENT: Op: input 3 (0-based) must have shape [], not [1]");
  }
  TEST_CASE("sizes make a shape, unless one is below 0 or the product too large") {
    TensorShape shape;
    CHECK(ShapeOfInput("Op", Indices(Longs({2, 0, 3})), &shape).ok());
    CHECK(shape == TensorShape({2, 0, 3}));
    CHECK(ShapeOfInput("Op", Indices(Ints({})), &shape).ok());
    CHECK(shape == TensorShape());
    CHECK(ShapeOfInput("Op", Indices(Ints({2, -3})), &shape).ToString() ==
          "INVALID_ARGUMENT: Op: Dimension -3 must be >= 0 (dimension 1)");
    CHECK(ShapeOfInput("Op", Indices(Int(2)), &shape).ToString() ==
          "INVALID_ARGUMENT: Op: shape must be a vector of {int32,int64}, got shape []");
    const std::int64_t huge = std::int64_t{1} << 40;
    CHECK(ShapeOfInput("Op", Indices(Longs({huge, huge})), &shape).code() == Code::kInvalidArgument);
  }
  TEST_CASE("ranges are differences, of either sign and up to all 64 bits") {
    RandomFill fill{};
    CHECK(Range<std::int32_t>(-5, 5, &fill) == "OK");
    CHECK(fill.low == static_cast<std::uint64_t>(-5));
    CHECK(fill.range == 10);
    CHECK(Range(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), &fill) == "OK");
    CHECK(fill.range == std::numeric_limits<std::uint64_t>::max());
    CHECK(Range<std::uint32_t>(1, 4000000000u, &fill) == "OK");
    CHECK(fill.range == 3999999999u);
    CHECK(Range<std::int32_t>(5, 5, &fill) == "INVALID_ARGUMENT: Op: Need minval < maxval, got 5 >= 5");
    CHECK(Range<std::int64_t>(5, -5, &fill) == "INVALID_ARGUMENT: Op: Need minval < maxval, got 5 >= -5");
    CHECK(Range<std::uint64_t>(std::uint64_t{1} << 63, 5, &fill) ==
          "INVALID_ARGUMENT: Op: Need minval < maxval, got 9223372036854775808 >= 5");
    CHECK(CheckBoundsAreScalars("Op", Int(1), Ints({1})).message() == "Op: maxval must be 0-D, got shape [1]");
    CHECK(CheckBoundsAreScalars("Op", Ints({1, 2}), Int(1)).message() == "Op: minval must be 0-D, got shape [2]");
  }
}
}  // namespace random_generator_test
