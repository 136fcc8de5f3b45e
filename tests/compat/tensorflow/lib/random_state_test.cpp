// SPDX-License-Identifier: Apache-2.0
// States of generators in tensors, and keys of stateless random numbers.
#include <doctest/doctest.h>

#include <cstdint>

#include <tenon/compat/tensorflow/lib/random_state.hpp>

namespace compat_random_state_test {
using namespace tensorflow;

TEST_SUITE("states of TensorFlow's generators") {
  TEST_CASE("keys of seeds are TensorFlow's") {
    PhiloxRandom::Key key;
    PhiloxRandom::ResultType counter;
    uint64_t held[2];
    Tensor seed(DT_INT32, {2});
    seed.flat<int32>()(0) = 3;
    seed.flat<int32>()(1) = -5;
    REQUIRE(GenerateKey(seed, &key, &counter).ok());
    WriteKeyToMem(key, held);
    CHECK(held[0] == 0x81b6f75a0c1b78df);
    WriteCounterToMem(counter, held);
    CHECK(held[0] == 0);
    CHECK(held[1] == 0x8332f97898e23296);
    Tensor wide(DT_INT64, {2});
    wide.flat<int64_t>()(0) = (int64_t{1} << 40) + 7;
    wide.flat<int64_t>()(1) = 9;
    REQUIRE(GenerateKey(wide, &key, &counter).ok());
    WriteKeyToMem(key, held);
    CHECK(held[0] == 0x317cb4b68a641b1a);
    CHECK(GenerateKey(Tensor(DT_INT64, {3}), &key, &counter).code() == error::INVALID_ARGUMENT);
    CHECK(GenerateKey(Tensor(DT_FLOAT, {2}), &key, &counter).code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("states are read and written") {
    const uint64_t counter[] = {0x0000000200000001, 0x0000000400000003}, key[] = {0x0000000600000005};
    PhiloxRandom words = GetPhiloxRandomFromCounterKeyMem(counter, key);
    CHECK(words.counter()[3] == 4);
    CHECK(words.key()[0] == 5);
    uint64_t back[2];
    WriteCounterToMem(words.counter(), back);
    CHECK(back[1] == counter[1]);
    PhiloxRandom other(words.counter(), words.key());
    CHECK(words()[0] == other()[0]);
    CHECK(GetCounterSize(ConcreteRngAlgorithm::RNG_ALG_PHILOX) == RNG_MAX_COUNTER_SIZE);
    CHECK(static_cast<int>(RNG_ALG_AUTO_SELECT) == 3);
  }
}
}  // namespace compat_random_state_test
