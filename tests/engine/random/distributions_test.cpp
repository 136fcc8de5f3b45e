// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/distributions.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace random_test {
using namespace tenon;

namespace {

const Philox kStream = Philox::FromSeeds(87654321, 42);  // of TensorFlow's ops with seed=87654321, seed2=42

template <class T>
std::vector<double> Draw(RandomKind kind, Index n, ThreadPoolInterface* pool = nullptr, const Philox& from = kStream) {
  Cpu device{.pool = pool};
  std::vector<T> out(static_cast<std::size_t>(n));
  const RandomFill fill = RandomFillOf(kind, dtype_of_v<T>);
  REQUIRE(fill.exists());
  CHECK(FillRandom(device, fill, from, out.data(), n).ok());
  std::vector<double> numbers;
  for (const T& x : out) numbers.push_back(static_cast<double>(x));
  return numbers;
}
void CheckNear(const std::vector<double>& got, const std::vector<double>& want, double relative) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - want[i]) <= relative * std::abs(want[i]));
}

}  // namespace

TEST_SUITE("random") {
  TEST_CASE("uniform numbers are TensorFlow's, bit for bit") {
    CHECK(Draw<float>(RandomKind::kUniform, 5) == std::vector<double>{0.9522714614868164, 0.6774077415466309,
                                                                      0.7953182458877563, 0.7557817697525024,
                                                                      0.475955605506897});
    CHECK(Draw<double>(RandomKind::kUniform, 3) ==
          std::vector<double>{0x1.3c811ecad6a98p-1, 0x1.733f43b82f5d4p-2, 0x1.9d83beea18a30p-1});
    CHECK(Draw<half>(RandomKind::kUniform, 5) ==
          std::vector<double>{0.0078125, 0.32421875, 0.2470703125, 0.3642578125, 0.0283203125});
    CHECK(Draw<bfloat16>(RandomKind::kUniform, 5) ==
          std::vector<double>{0.0625, 0.59375, 0.9765625, 0.9140625, 0.2265625});
  }
  TEST_CASE("normal numbers are TensorFlow's") {
    CheckNear(
        Draw<float>(RandomKind::kNormal, 5),
        {-0.2807750701904297, -0.13775210082530975, -0.6763296127319336, 0.024580413475632668, -0.8935845494270325},
        1e-6);
    CheckNear(Draw<double>(RandomKind::kNormal, 3), {0x1.7dc27d1298f35p-1, -0x1.463e9c2b04909p-1, 0x1.8de13bb656dffp-5},
              1e-13);
    CheckNear(Draw<half>(RandomKind::kNormal, 2), {-0.28076171875, -0.1376953125}, 1e-3);
    CheckNear(Draw<bfloat16>(RandomKind::kNormal, 2), {-0.28125, -0.1376953125}, 1e-2);
    CheckNear(
        Draw<float>(RandomKind::kTruncatedNormal, 5),
        {-0.2807750701904297, -0.13775210082530975, -0.6763296127319336, 0.024580413475632668, -0.4684547185897827},
        1e-6);
    CheckNear(Draw<double>(RandomKind::kTruncatedNormal, 3),
              {0x1.7dc27d1298f35p-1, -0x1.463e9c2b04909p-1, 0x1.09e3e85695088p+0}, 1e-13);
  }
  TEST_CASE("integers are TensorFlow's, also with all bits") {
    Cpu device;
    RandomFill fill = RandomFillOf(RandomKind::kInRange, DataType::kInt32);
    fill.low = static_cast<std::uint64_t>(-3);
    fill.range = 1003;
    std::int32_t numbers[5];
    CHECK(FillRandom(device, fill, kStream, numbers, 5).ok());
    CHECK(std::vector<std::int32_t>(numbers, numbers + 5) == std::vector<std::int32_t>{30, 93, 576, -3, 458});
    fill = RandomFillOf(RandomKind::kInRange, DataType::kInt64);
    fill.low = static_cast<std::uint64_t>(-3);
    fill.range = 1000000000000003;
    std::int64_t wide[3];
    CHECK(FillRandom(device, fill, kStream, wide, 3).ok());
    CHECK(std::vector<std::int64_t>(wide, wide + 3) ==
          std::vector<std::int64_t>{574322335421443, 65022452416618, 960432521485126});
    std::uint32_t words[9];
    CHECK(FillRandom(device, RandomFillOf(RandomKind::kAnyInteger, DataType::kUint32), {3, ~std::uint64_t{0}, 7}, words,
                     9)
              .ok());
    CHECK((words[0] == 3238653176 && words[3] == 3665973541 && words[4] == 3610122722 && words[8] == 816527871));
  }
  TEST_CASE("an element does not depend on how many there are, nor on threads") {
    ThreadPool pool(3, "random");
    for (const RandomKind kind : {RandomKind::kUniform, RandomKind::kNormal, RandomKind::kTruncatedNormal}) {
      const std::vector<double> many = Draw<float>(kind, 100003), threads = Draw<float>(kind, 100003, &pool);
      CHECK_UNARY(many == threads);
      for (const Index n : {1, 3, 4, 63, 64, 65, 257}) {
        const std::vector<double> few = Draw<float>(kind, n);
        CHECK_UNARY(few == std::vector<double>(many.begin(), many.begin() + n));
      }
    }
    CHECK(Draw<float>(RandomKind::kUniform, 0).empty());
  }
  TEST_CASE("mean and variance of normal numbers; the cut ones lie inside") {
    double sum = 0, squares = 0;
    for (const double x : Draw<double>(RandomKind::kNormal, 200000)) {
      sum += x;
      squares += x * x;
    }
    CHECK(std::abs(sum / 200000) < 0.01);
    CHECK(std::abs(squares / 200000 - 1) < 0.02);
    for (const double x : Draw<float>(RandomKind::kTruncatedNormal, 20000)) CHECK_UNARY(std::abs(x) < 2);
  }
  TEST_CASE("there are no normal integers, and no integers among the halves") {
    CHECK_FALSE(RandomFillOf(RandomKind::kNormal, DataType::kInt32).exists());
    CHECK_FALSE(RandomFillOf(RandomKind::kInRange, DataType::kHalf).exists());
    CHECK_FALSE(RandomFillOf(RandomKind::kAnyInteger, DataType::kInt8).exists());
  }
}
}  // namespace random_test
