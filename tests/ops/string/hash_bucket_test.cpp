// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/hash_bucket.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ops/support.hpp"

namespace string_hash_bucket_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Buckets(std::int64_t count) { return {{"num_buckets", count}}; }
AttrArgs Keyed(std::int64_t count, const SlimVector<std::int64_t>& key) {
  return {{"num_buckets", count}, {"key", key}};
}
// Texts of every length up to 200.
Tensor Texts() {
  Tensor texts(DataType::kString, {201});
  for (Index i = 0; i <= 200; ++i) texts.data<tstring>()[i].assign(std::string(static_cast<std::size_t>(i), 'x'));
  return texts;
}
void CheckBuckets(const Tensor& got, std::int64_t count, std::uint64_t (*hash)(std::string_view)) {
  const Tensor texts = Texts();
  for (Index i = 0; i <= 200; ++i) {
    const std::uint64_t want = hash(texts.data<tstring>()[i].view()) % static_cast<std::uint64_t>(count);
    CHECK(got.data<std::int64_t>()[i] == static_cast<std::int64_t>(want));
  }
}

}  // namespace

TEST_SUITE("StringToHashBucket") {
  TEST_CASE("a bucket is what the fingerprint leaves over, as a number without sign") {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{10}, most}) {
      CheckBuckets(Run<ops::StringToHashBucketFast>(Buckets(count), {Texts()}), count,
                   [](std::string_view text) { return Fingerprint64(text); });
      CheckBuckets(Run<ops::StringToHashBucket>(Buckets(count), {Texts()}), count,
                   [](std::string_view text) { return Hash64(text); });
      CheckBuckets(Run<ops::StringToHashBucketStrong>(Keyed(count, {-1, 2}), {Texts()}), count,
                   [](std::string_view text) { return SipHash(~std::uint64_t{0}, 2, text); });
    }
  }
  TEST_CASE("another key spreads texts otherwise, the same key never") {
    const Tensor a = Run<ops::StringToHashBucketStrong>(Keyed(1000, {1, 2}), {Texts()});
    CHECK_UNARY(SameTensor(a, Run<ops::StringToHashBucketStrong>(Keyed(1000, {1, 2}), {Texts()})));
    CHECK_FALSE(SameTensor(a, Run<ops::StringToHashBucketStrong>(Keyed(1000, {2, 1}), {Texts()})));
  }
  TEST_CASE("many texts on two threads are where one thread puts them") {
    Tensor many(DataType::kString, {20, 500});
    for (Index i = 0; i < 10000; ++i) many.data<tstring>()[i].assign(StrCat("text number ", i));
    const Tensor one = Run<ops::StringToHashBucketFast>(Buckets(97), {many}, {.intra_op_threads = 1});
    CHECK_UNARY(SameTensor(one, Run<ops::StringToHashBucketFast>(Buckets(97), {many}, {.intra_op_threads = 2})));
    std::vector<int> counts(97, 0);
    for (const double bucket : Numbered<std::int64_t>(one)) ++counts[static_cast<std::size_t>(bucket)];
    for (const int n : counts) CHECK((n > 50 && n < 160));  // 103 each, with a deviation of 10
  }
  TEST_CASE("shapes stay, and nothing is nothing") {
    CHECK(Run<ops::StringToHashBucketFast>(Buckets(5), {Tensor(DataType::kString, {2, 0})}).shape() ==
          TensorShape({2, 0}));
    CHECK(Run<ops::StringToHashBucketStrong>(Keyed(5, {1, 2}), {Tensor::Scalar(std::string_view("a"))}).dims() == 0);
  }
  TEST_CASE("a key has two numbers, and there is a bucket at least") {
    CHECK(ErrorOf<ops::StringToHashBucketStrong>(Keyed(5, {1}), {Texts()}) ==
          "INVALID_ARGUMENT: StringToHashBucketStrong: Key must have 2 elements, got 1");
    CHECK(ErrorOf<ops::StringToHashBucketStrong>(Keyed(5, {1, 2, 3}), {Texts()}) ==
          "INVALID_ARGUMENT: StringToHashBucketStrong: Key must have 2 elements, got 3");
    CHECK(ErrorOf<ops::StringToHashBucketFast>(Buckets(0), {Texts()})
              .find("INVALID_ARGUMENT: Value for attr 'num_buckets' of 0 must be at least minimum 1") == 0);
  }
}
}  // namespace string_hash_bucket_test
