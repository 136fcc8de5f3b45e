// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/stateless_v2.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/ops/random/stateless.hpp>

#include "ops/support.hpp"

namespace random_stateless_v2_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Words(std::initializer_list<std::uint64_t> words) {
  return MakeTensor<std::uint64_t>({static_cast<Index>(words.size())}, words);
}
const Tensor kSeed = Longs({5, 6});
// Key and counter of kSeed, and an algorithm.
std::vector<Tensor> Inputs(const Tensor& shape, std::int32_t algorithm = 1) {
  const Result<std::vector<Tensor>> key = Call<ops::StatelessRandomGetKeyCounter>({}, {kSeed});
  REQUIRE_MESSAGE(key.ok(), key.status().message());
  return {shape, (*key)[0], (*key)[1], Int(algorithm)};
}

}  // namespace

TEST_SUITE("random numbers of a key and a counter") {
  TEST_CASE("are those of the seed that the key and the counter were made of") {
    const Tensor shape = Ints({3, 7});
    for (const std::int32_t algorithm : {1, 3}) {
      CHECK_UNARY(SameTensor(Run<ops::StatelessRandomUniformV2>({}, Inputs(shape, algorithm)),
                             Run<ops::StatelessRandomUniform>({}, {shape, kSeed})));
      CHECK_UNARY(SameTensor(Run<ops::StatelessRandomNormalV2>({}, Inputs(shape, algorithm)),
                             Run<ops::StatelessRandomNormal>({}, {shape, kSeed})));
      CHECK_UNARY(SameTensor(Run<ops::StatelessTruncatedNormalV2>({}, Inputs(shape, algorithm)),
                             Run<ops::StatelessTruncatedNormal>({}, {shape, kSeed})));
      CHECK_UNARY(SameTensor(Run<ops::StatelessRandomUniformFullIntV2>({}, Inputs(shape, algorithm)),
                             Run<ops::StatelessRandomUniformFullInt>({}, {shape, kSeed})));
    }
    std::vector<Tensor> ints = Inputs(shape);
    ints.push_back(Int(-9));
    ints.push_back(Int(9));
    CHECK_UNARY(SameTensor(Run<ops::StatelessRandomUniformIntV2>({}, ints),
                           Run<ops::StatelessRandomUniformInt>({}, {shape, kSeed, Int(-9), Int(9)})));
  }
  TEST_CASE("a counter that goes on by one gives the stream from its next four words on") {
    const Tensor whole = Run<ops::StatelessRandomUniformV2>({}, {Ints({12}), Words({5}), Words({6, 7}), Int(1)});
    const Tensor rest = Run<ops::StatelessRandomUniformV2>({}, {Ints({8}), Words({5}), Words({7, 7}), Int(1)});
    for (Index i = 0; i < 8; ++i) CHECK(rest.data<float>()[i] == whole.data<float>()[i + 4]);
    // Words beyond the second are not read, and a second that is not there is 0.
    const Tensor short_one = Run<ops::StatelessRandomUniformV2>({}, {Ints({8}), Words({5}), Words({6}), Int(1)});
    const Tensor long_one = Run<ops::StatelessRandomUniformV2>({}, {Ints({8}), Words({5}), Words({6, 0, 9}), Int(1)});
    CHECK_UNARY(SameTensor(short_one, long_one));
  }
  TEST_CASE("key, counter and algorithm come together or apart") {
    const Result<std::vector<Tensor>> all = Call<ops::StatelessRandomGetKeyCounterAlg>({}, {kSeed});
    REQUIRE_MESSAGE(all.ok(), all.status().message());
    const std::vector<Tensor> apart = Inputs(Ints({1}));
    CHECK_UNARY(SameTensor((*all)[0], apart[1]));
    CHECK_UNARY(SameTensor((*all)[1], apart[2]));
    CHECK(*(*all)[2].data<std::int32_t>() == 1);
    CHECK(*Run<ops::StatelessRandomGetAlg>({}, {}).data<std::int32_t>() == 1);
    // Seeds of 32 bits are those of 64.
    const Result<std::vector<Tensor>> narrow = Call<ops::StatelessRandomGetKeyCounter>({}, {Ints({5, 6})});
    REQUIRE(narrow.ok());
    CHECK_UNARY(SameTensor((*narrow)[0], apart[1]));
  }
  TEST_CASE("says which algorithm, key, counter, range or type there is not") {
    const std::string start = "INVALID_ARGUMENT: StatelessRandomUniformIntV2: ";
    const auto ints = [](std::int32_t size, const Tensor& key, const Tensor& counter, std::int32_t algorithm,
                         std::int32_t low) {
      return ErrorOf<ops::StatelessRandomUniformIntV2>({},
                                                       {Ints({size}), key, counter, Int(algorithm), Int(low), Int(4)});
    };
    CHECK(ints(1, Words({5}), Words({6, 7}), 2, 0) == start + "Unsupported algorithm id: 2; on CPU there is Philox, 1");
    CHECK(ints(1, Words({5, 6}), Words({6, 7}), 1, 0) ==
          start + "key must have shape [1], not [2]. (Note that batched keys are not supported yet.)");
    CHECK(ints(1, Words({5}), Words({}), 1, 0) ==
          start +
              "counter must be a vector with length at least 1; got shape: [0]. (Note that batched counters are not "
              "supported yet.)");
    CHECK(ints(1, Words({5}), Words({6, 7}), 1, 4) == start + "Need minval < maxval, got 4 >= 4");
    CHECK(ints(0, Words({5}), Words({6, 7}), 2, 4) == "OK");  // as in TensorFlow
    CHECK(ErrorOf<ops::StatelessRandomGetKeyCounter>({}, {Longs({1})}) ==
          "INVALID_ARGUMENT: StatelessRandomGetKeyCounter: seed must have shape [2], not [1]");
    const Tensor one = Tensor::Scalar<std::uint32_t>(1), two = Tensor::Scalar<std::uint32_t>(2);
    CHECK(ErrorOf<ops::StatelessRandomUniformIntV2>({}, {Ints({1}), Words({5}), Words({6}), Int(1), one, two})
              .find("no kernel for op 'StatelessRandomUniformIntV2' on CPU with types {uint32") != std::string::npos);
  }
  TEST_CASE("shapes are known where the sizes are, and keys are one word") {
    using ops::StatelessRandomUniformV2;
    CHECK(InferredShape<StatelessRandomUniformV2>({StaticInput::Vector({4, 5}), {1}, {2}, {}}) == "[4,5]");
    CHECK(InferredShape<StatelessRandomUniformV2>({{2}, {2}, {2}, {}}) == "Dimension must be 1 but is 2");
    CHECK(InferredShape<StatelessRandomUniformV2>({{2}, {1}, {}, {}}) == "Shape must be rank 1 but is rank 0");
    CHECK(InferredShape<ops::StatelessRandomUniformIntV2>({{2}, {1}, {2}, {}, {}, {3}}) ==
          "maxval must be a scalar; got a tensor of shape [3]");
    CHECK(InferredShape<ops::StatelessRandomGetKeyCounterAlg>({{2}}, {}, 1) == "[2]");
    CHECK(InferredShape<ops::StatelessRandomGetKeyCounterAlg>({{2}}, {}, 2) == "[]");
  }
}
}  // namespace random_stateless_v2_test
