// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/dynamic.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_dynamic_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::string ErrorOfPartition(const Tensor& data, const Tensor& partitions, int count) {
  return ErrorOf<ops::DynamicPartition>({{"num_partitions", count}}, {data, partitions});
}

}  // namespace

TEST_SUITE("DynamicPartition and DynamicStitch") {
  TEST_CASE("a tensor that was dealt out comes back when it is stitched by the same numbers") {
    const Tensor partitions = MakeTensor<std::int32_t>({2, 3}, {2, 0, 2, 3, 0, 2});  // none gets number 1
    const Tensor numbers = MakeTensor<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
    const std::vector<Tensor> places = RunAll("DynamicPartition", {{"num_partitions", 4}}, {numbers, partitions}, 4);
    CHECK(Numbered<std::int32_t>(places[2]) == std::vector<double>{0, 2, 5});
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 3, 2, 1});
      const std::vector<Tensor> rows = RunAll("DynamicPartition", {{"num_partitions", 4}}, {x, partitions}, 4);
      CHECK(rows[1].shape() == TensorShape({0, 2, 1}));
      GraphBuilder b;
      SlimVector<Output> indices, data;
      for (std::size_t k = 0; k < 4; ++k) {
        indices.push_back(b.Const(StrCat("place", k), places[k]));
        data.push_back(b.Const(StrCat("row", k), rows[k]));
      }
      b.Add("DynamicStitch", "merged", {indices, data});
      const Result<Session> session = Session::FromGraph(b);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const Result<std::vector<Tensor>> merged = session->Run({}, {"merged:0"});
      REQUIRE_MESSAGE(merged.ok(), merged.status().message());
      Tensor flat;
      REQUIRE(flat.CopyFrom(x, {6, 2, 1}));
      CHECK(SameTensor((*merged)[0], flat));
    }
  }
  TEST_CASE("the last of several rows stays") {
    const Tensor out = Run<ops::DynamicStitch>({}, {Ints({1, 0, 1}), MakeTensor<float>({3}, {5, 6, 7})});
    CHECK(Numbered<float>(out) == std::vector<double>{6, 7});
  }
  TEST_CASE("no numbers, no rows; rows without elements may be as many as an index names") {
    CHECK(Run<ops::DynamicStitch>({}, {Ints({}), Tensor(DataType::kFloat, {0, 4})}).shape() == TensorShape({0, 4}));
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    const Tensor row(DataType::kFloat, {1, 0});
    CHECK(Run<ops::DynamicStitch>({}, {Ints({kMost - 1}), row}).shape() == TensorShape({kMost, 0}));
    CHECK(ErrorOf<ops::DynamicStitch>({}, {Ints({kMost}), row}) ==  // as many rows are no int32
          "INVALID_ARGUMENT: DynamicStitch: indices[0] = 2147483647 is out of range");
  }
  TEST_CASE("numbers outside are named with their place and the bound") {
    const Tensor data = Make<float>({3}, {1});
    CHECK(ErrorOfPartition(data, Ints({0, 2, 1}), 2) ==
          "INVALID_ARGUMENT: DynamicPartition: partitions[1] = 2 is not in [0, 2)");
    CHECK(ErrorOfPartition(data, Ints({0, 1, std::numeric_limits<std::int32_t>::min()}), 2) ==
          "INVALID_ARGUMENT: DynamicPartition: partitions[2] = -2147483648 is not in [0, 2)");
    CHECK(ErrorOfPartition(data, Ints({0, 1}), 2).find("data.shape must start with partitions.shape") !=
          std::string::npos);
    CHECK(ErrorOf<ops::DynamicStitch>({}, {Ints({0, -1, 1}), data}) ==
          "INVALID_ARGUMENT: DynamicStitch: indices[1] = -1 is out of range");
    CHECK(ErrorOf<ops::DynamicStitch>({}, {Ints({0, 1}), data}) ==
          "INVALID_ARGUMENT: DynamicStitch: data[0].shape = [3] does not start with indices[0].shape = [2]");
  }
}
}  // namespace array_dynamic_test
