// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/splits.hpp>

#include "ops/support.hpp"

namespace ragged_splits_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::CheckSplits;
using ops::detail::Splits;

namespace {

std::string Checked(const Tensor& splits, Index values) { return CheckSplits(Splits(splits), values).ToString(); }

}  // namespace

TEST_SUITE("row splits") {
  TEST_CASE("int32 and int64 are read alike, to their greatest numbers") {
    const Tensor narrow = Ints({0, 3, std::numeric_limits<std::int32_t>::max()});
    const Tensor wide = Longs({0, 3, std::numeric_limits<std::int64_t>::max()});
    CHECK(Splits(narrow).size() == 3);
    CHECK(Splits(narrow).rows() == 2);
    CHECK(Splits(narrow)[1] == 3);
    CHECK(Splits(narrow).back() == 2147483647);
    CHECK(Splits(wide).back() == std::numeric_limits<Index>::max());
    CHECK(CheckSplits(Splits(wide), std::numeric_limits<Index>::max()).ok());
  }
  TEST_CASE("no rows, and rows without values, are fine") {
    CHECK(CheckSplits(Splits(Longs({0})), 0).ok());
    CHECK(Splits(Longs({0})).rows() == 0);
    CHECK(CheckSplits(Splits(Longs({0, 0, 0})), 0).ok());
    CHECK(CheckSplits(Splits(Ints({0, 2, 2, 5})), 5).ok());
  }
  TEST_CASE("what are no splits is said with the numbers") {
    CHECK(Checked(Longs({}), 0) ==
          "INVALID_ARGUMENT: Invalid ragged splits: ragged splits must have at least one splits, but is empty");
    CHECK(Checked(MakeTensor<std::int64_t>({1, 2}, {0, 1}), 1) ==
          "INVALID_ARGUMENT: Invalid ragged splits: ragged splits must be a vector, got shape [1,2]");
    CHECK(Checked(Tensor::Scalar<std::int32_t>(0), 0) ==
          "INVALID_ARGUMENT: Invalid ragged splits: ragged splits must be a vector, got shape []");
    CHECK(Checked(Longs({1, 2}), 2) ==
          "INVALID_ARGUMENT: Invalid ragged splits: first element of ragged splits  must be 0 but is 1");
    CHECK(Checked(Ints({-1, 2}), 2) ==
          "INVALID_ARGUMENT: Invalid ragged splits: first element of ragged splits  must be 0 but is -1");
    CHECK(Checked(Longs({0, 3, 2, 4}), 4) ==
          "INVALID_ARGUMENT: Invalid ragged splits: ragged splits must be monotonically increasing, but "
          "ragged_splits[2]=2 is smaller than row_splits[1]=3");
    CHECK(Checked(Longs({0, 3}), 4) ==
          "INVALID_ARGUMENT: Invalid ragged splits: last element of ragged splits must be the number of ragged "
          "values(4) but is 3");
  }
  TEST_CASE("the numbers come first: a wrong end is not looked at before") {
    CHECK(Checked(Longs({0, 5, 4}), 9).find("monotonically increasing") != std::string::npos);
  }
}
}  // namespace ragged_splits_test
