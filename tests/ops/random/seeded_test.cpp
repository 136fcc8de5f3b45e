// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/seeded.hpp>

#include <tenon/ops/random/stateless.hpp>
#include <tenon/ops/random/stateless_v2.hpp>

#include "ops/support.hpp"

namespace random_seeded_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Shape(std::initializer_list<std::int32_t> sizes) {
  return MakeTensor<std::int32_t>({static_cast<Index>(sizes.size())}, sizes);
}
const Tensor kPair = MakeTensor<std::int32_t>({2}, {1, 2});

// Two runs of one session.
std::vector<Tensor> TwoRuns(std::int64_t seed, std::int64_t seed2) {
  GraphBuilder b;
  const Output shape = b.Const("shape", Shape({5}));
  b.Add("RandomUniform", "call", {shape}, {{"dtype", DataType::kFloat}, {"seed", seed}, {"seed2", seed2}});
  const Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  std::vector<Tensor> runs;
  for (int i = 0; i < 2; ++i) {
    const std::vector<std::string> fetches{"call:0"};
    const Result<std::vector<Tensor>> out = session->Run({}, fetches);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    runs.push_back((*out)[0]);
  }
  return runs;
}

}  // namespace

TEST_SUITE("seeded random ops") {
  TEST_CASE("the stream goes on from run to run, 256 blocks for each element; sessions begin anew") {
    const std::vector<Tensor> runs = TwoRuns(87654321, 42), again = TwoRuns(87654321, 42);
    CHECK(runs[0].data<float>()[0] == 0.9522714614868164f);  // TensorFlow's
    for (int i = 0; i < 2; ++i)
      CHECK_UNARY(SameTensor(runs[static_cast<std::size_t>(i)], again[static_cast<std::size_t>(i)]));
    float want[5];
    Cpu device;
    CHECK(FillRandom(device, RandomFillOf(RandomKind::kUniform, DataType::kFloat),
                     Philox::FromSeeds(87654321, 42).Skipped(5 * 256), want, 5)
              .ok());
    for (int i = 0; i < 5; ++i) CHECK(runs[1].data<float>()[i] == want[i]);
  }
  TEST_CASE("without seeds nothing repeats") {
    const std::vector<Tensor> runs = TwoRuns(0, 0), again = TwoRuns(0, 0);
    CHECK_UNARY_FALSE(SameTensor(runs[0], runs[1]));
    CHECK_UNARY_FALSE(SameTensor(runs[0], again[0]));
    CHECK_UNARY_FALSE(SameTensor(TwoRuns(0, 1)[0], TwoRuns(1, 0)[0]));
  }
  TEST_CASE("refusals") {
    const AttrArgs floats{{"dtype", DataType::kFloat}};
    CHECK(ErrorOf<ops::RandomUniform>(floats, {Shape({2, -1})}) ==
          "INVALID_ARGUMENT: RandomUniform: Dimension -1 must be >= 0 (dimension 1)");
    CHECK(ErrorOf<ops::RandomUniform>(floats, {Tensor::Scalar<std::int32_t>(3)}) ==
          "INVALID_ARGUMENT: RandomUniform: shape must be a vector of {int32,int64}, got shape []");
    const auto ints = [](std::int32_t low, std::int32_t high, std::int32_t size) {
      return std::vector<Tensor>{Shape({size}), Tensor::Scalar(low), Tensor::Scalar(high)};
    };
    CHECK(ErrorOf<ops::RandomUniformInt>({}, ints(5, 5, 1)) ==
          "INVALID_ARGUMENT: RandomUniformInt: Need minval < maxval, got 5 >= 5");
    CHECK(Run<ops::RandomUniformInt>({}, ints(5, 5, 0)).NumElements() == 0);
    CHECK(ErrorOf<ops::StatelessRandomUniform>({}, {Shape({2}), Shape({1, 2, 3})}) ==
          "INVALID_ARGUMENT: StatelessRandomUniform: seed must have shape [2], not [3]");
    const Tensor huge = MakeTensor<std::int64_t>({2}, {std::int64_t{1} << 40, std::int64_t{1} << 40});
    CHECK(Call<ops::StatelessRandomUniform>({}, {huge, kPair}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("seeds stand for keys and counters as in TensorFlow") {
    const Result<std::vector<Tensor>> out = Call<ops::StatelessRandomGetKeyCounter>({}, {kPair});
    REQUIRE(out.ok());
    CHECK((*out)[0].data<std::uint64_t>()[0] == 10413732777507651514u);
    CHECK((*out)[1].data<std::uint64_t>()[0] == 0);
    CHECK((*out)[1].data<std::uint64_t>()[1] == 17830669156045600267u);
    const Tensor seeded = Run<ops::StatelessRandomUniform>({}, {Shape({5}), kPair});
    CHECK(seeded.data<float>()[4] == 0.27199018001556396f);
    const Tensor keyed =
        Run<ops::StatelessRandomUniformV2>({}, {Shape({5}), (*out)[0], (*out)[1], Tensor::Scalar<std::int32_t>(3)});
    CHECK_UNARY(SameTensor(seeded, keyed));
  }
  TEST_CASE("algorithms and counters that there are not") {
    const Tensor key = MakeTensor<std::uint64_t>({1}, {3}), counter = MakeTensor<std::uint64_t>({2}, {1, 2});
    const auto error = [&](const Tensor& c, std::int32_t alg, std::int32_t size) {
      return ErrorOf<ops::StatelessRandomUniformV2>({}, {Shape({size}), key, c, Tensor::Scalar(alg)});
    };
    CHECK(error(counter, 2, 1) ==
          "INVALID_ARGUMENT: StatelessRandomUniformV2: Unsupported algorithm id: 2; on CPU there is Philox, 1");
    CHECK(error(counter, 2, 0) == "OK");
    CHECK(error(counter, 9, 0).find("counter must be a vector with length at least 9") != std::string::npos);
    CHECK(error(MakeTensor<std::uint64_t>({1}, {1}), 1, 1) == "OK");
    CHECK(error(Tensor(DataType::kUint64, TensorShape({0})), 1, 1).find("at least 1; got shape: [0]") !=
          std::string::npos);
  }
}
}  // namespace random_seeded_test
