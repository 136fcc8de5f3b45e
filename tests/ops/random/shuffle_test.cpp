// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/shuffle.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ops/support.hpp"

namespace random_shuffle_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Words(std::initializer_list<std::uint64_t> words) {
  return MakeTensor<std::uint64_t>({static_cast<Index>(words.size())}, words);
}
Tensor Counted(Index n) {
  Tensor x(DataType::kInt32, {n});
  std::iota(x.data<std::int32_t>(), x.data<std::int32_t>() + n, 0);
  return x;
}
Tensor Shuffled(const Tensor& x, SessionOptions options = {}) {
  return Run<ops::StatelessShuffle>({}, {x, Words({5}), Words({6, 7}), Int(1)}, std::move(options));
}
// Fisher and Yates's, by the words of the stream.
std::vector<double> Order(std::size_t n) {
  std::vector<double> order(n);
  std::iota(order.begin(), order.end(), 0);
  PhiloxWords words(Philox{5, 6, 7});
  for (std::size_t i = 0; i + 1 < n; ++i) std::swap(order[i], order[i + words.Next() % (n - i)]);
  return order;
}

}  // namespace

TEST_SUITE("shuffles") {
  TEST_CASE("place i swaps with one from i on, by one word each") {
    for (const Index n : {Index{2}, Index{3}, Index{10}, Index{5000}})
      CHECK(Numbered<std::int32_t>(Shuffled(Counted(n), {.intra_op_threads = 2})) ==
            Order(static_cast<std::size_t>(n)));
  }
  TEST_CASE("rows of every type move as a whole, and what was fed stays") {
    const std::vector<double> order = Order(6);
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {6, 2});
      const Tensor out = Run<ops::StatelessShuffle>({}, {x, Words({5}), Words({6, 7}), Int(1)});
      for (std::size_t i = 0; i < 6; ++i)
        CHECK_UNARY(SameTensor(out.Slice(static_cast<Index>(i), static_cast<Index>(i) + 1).DeepCopy(),
                               x.Slice(static_cast<Index>(order[i]), static_cast<Index>(order[i]) + 1).DeepCopy()));
    }
  }
  TEST_CASE("one row, a scalar or nothing is handed on") {
    for (const TensorShape& shape : {TensorShape(), TensorShape({1, 4}), TensorShape({7, 0}), TensorShape({0})}) {
      const Tensor x = Tensor(DataType::kFloat, shape);
      CHECK_FALSE(ops::detail::NeedsShuffling(x));
      const Tensor out = Shuffled(AnyBits(DataType::kFloat, shape));
      CHECK_UNARY(SameTensor(out, AnyBits(DataType::kFloat, shape)));
    }
    CHECK(ops::detail::NeedsShuffling(Counted(2)));
  }
  TEST_CASE("each order is as likely as another") {
    // 6000 shuffles of three rows, in one stream: 6 orders of 1000, with a deviation of 29.
    GraphBuilder b;
    b.Add("RandomShuffle", "call", {b.Const("x", Counted(3))}, {{"seed", std::int64_t{1}}});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<std::string> fetches{"call:0"};
    const std::vector<NamedTensor> no_feeds;
    std::vector<int> counts(27, 0);
    for (int i = 0; i < 6000; ++i) {
      const Result<std::vector<Tensor>> out = session->Run(no_feeds, fetches);
      REQUIRE(out.ok());
      const std::int32_t* x = (*out)[0].data<std::int32_t>();
      ++counts[static_cast<std::size_t>(x[0] * 9 + x[1] * 3 + x[2])];
    }
    CHECK(std::count_if(counts.begin(), counts.end(), [](int n) { return n > 0; }) == 6);
    for (const int n : counts)
      if (n > 0) CHECK((n > 1000 - 150 && n < 1000 + 150));
  }
  TEST_CASE("says which algorithm, key or number of rows there cannot be") {
    const Tensor x = Counted(3);
    CHECK(ErrorOf<ops::StatelessShuffle>({}, {x, Words({5}), Words({6, 7}), Int(2)}) ==
          "INVALID_ARGUMENT: StatelessShuffle: Unsupported algorithm id: 2; on CPU there is Philox, 1");
    CHECK(ErrorOf<ops::StatelessShuffle>({}, {x, Words({}), Words({6}), Int(1)}) ==
          "INVALID_ARGUMENT: StatelessShuffle: key must have shape [1], not [0]. (Note that batched keys are not "
          "supported yet.)");
    const Index most = Index{0xffffffff};
    CHECK(ops::detail::CheckShuffledRows("Op", Tensor(DataType::kInt8, {most, 0})).ok());
    CHECK(ops::detail::CheckShuffledRows("Op", Tensor(DataType::kInt8, {most + 1, 0})).ToString() ==
          "INVALID_ARGUMENT: Op: value must have less than 2^32 rows, got shape [4294967296,0]");
  }
}
}  // namespace random_shuffle_test
