// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/map_stage_resource.hpp>

#include <thread>

#include "kernel/any_node.hpp"
#include "ops/support.hpp"

namespace state_map_stage_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::StagingMap;
using ops::detail::StagingMapBase;
using Take = StagingMapBase::Take;

namespace {

constexpr auto kSignature = Op("SmrStage").Output("y: float");
constexpr OpView kOp = kSignature.view();

// An attempt on the map: "waits", "OK" or its error; of what it took, "[key:] values".
struct Trying {
  Trying(std::vector<std::int32_t> at, std::vector<DataType> outputs)
      : indices(std::move(at)), node(kOp, {}, {}, std::move(outputs)) {
    node.services.cancellation = &cancellation;
  }
  static void Keep(void* self, Status s) {
    static_cast<Trying*>(self)->status = std::move(s);
    static_cast<Trying*>(self)->over = true;
  }
  std::string Text() const {
    if (!over) return "waits";
    if (!status.ok()) return status.ToString();
    std::string text = "OK";
    for (const Tensor& t : node.outputs) StrAppend(&text, " ", t.SummarizeValue(9));
    return text;
  }
  std::vector<std::int32_t> indices;
  CancellationManager cancellation;
  kernel_test::AnyNode<> node;
  Status status;
  bool over = false;
};
struct Put : Trying {
  Put(const Ref<StagingMap<false>>& map, std::int64_t key, std::vector<std::int32_t> at, std::vector<float> values)
      : Trying(std::move(at), {}) {
    StagingMapBase::Tuple tuple;
    for (const float x : values) tuple.push_back(Tensor::Scalar(x));
    map->Start(Owned<ops::detail::WaitedResource::Attempt>(
        new StagingMapBase::Put(&node.context, Done(&Keep, this), map, key, indices, std::move(tuple))));
  }
};
struct Get : Trying {
  Get(const Ref<StagingMap<false>>& map, Take how, std::int64_t key, std::vector<std::int32_t> at,
      std::vector<DataType> outputs)
      : Trying(std::move(at), std::move(outputs)) {
    map->Start(Owned<ops::detail::WaitedResource::Attempt>(
        new StagingMapBase::Get(&node.context, Done(&Keep, this), map, how, key, indices)));
  }
};

Ref<StagingMap<false>> NewMap(Index capacity, Index memory_limit, Index width) {
  return Ref<StagingMap<false>>::Adopt(new StagingMap<false>("m", capacity, memory_limit, width));
}
const std::vector<DataType> kOne{DataType::kFloat}, kTwo{DataType::kFloat, DataType::kFloat};

}  // namespace

TEST_SUITE("StagingMap") {
  TEST_CASE("parts make a tuple, in any order, and go in parts") {
    const auto map = NewMap(0, 0, 3);
    CHECK(Put(map, 7, {2}, {30}).Text() == "OK");
    Get waits(map, Take::kKey, 7, {0, 2}, kTwo);
    CHECK(Put(map, 7, {0, 1}, {10, 20}).Text() == "OK");
    CHECK(waits.Text() == "OK 10 30");
    CHECK(map->Size() == 1);
    CHECK(map->IncompleteSize() == 0);
    CHECK(Get(map, Take::kKey, 7, {2}, kOne).Text() ==
          "INVALID_ARGUMENT: Tensor at index '2' for key '7' has already been removed.");
    CHECK(Get(map, Take::kPeek, 7, {1}, kOne).Text() == "OK 20");
    CHECK(Get(map, Take::kKey, 7, {1}, kOne).Text() == "OK 20");
    CHECK(map->Size() == 0);
  }
  TEST_CASE("any tuple is the one with the smallest key") {
    const auto map = NewMap(0, 0, 1);
    for (const std::int64_t key : {5, -3, 9}) CHECK(Put(map, key, {0}, {static_cast<float>(key)}).Text() == "OK");
    CHECK(Get(map, Take::kFirst, 0, {0}, {DataType::kInt64, DataType::kFloat}).Text() == "OK -3 -3");
    CHECK(Put(map, 5, {0}, {100}).Text() == "OK");  // a key that is there keeps its tuple
    CHECK(Get(map, Take::kFirst, 0, {0}, {DataType::kInt64, DataType::kFloat}).Text() == "OK 5 5");
  }
  TEST_CASE("parts that do not fit change nothing") {
    const auto map = NewMap(0, 0, 3);
    REQUIRE(Put(map, 1, {1}, {20}).Text() == "OK");
    CHECK(Put(map, 1, {0, 1}, {1, 2}).Text() ==
          "INVALID_ARGUMENT: The tensor for index '1' for key '1' was already initialized '3'.");
    CHECK(Put(map, 1, {0, 3}, {1, 2}).Text() == "INVALID_ARGUMENT: Index '3' for key '1' was out of bounds '3'.");
    CHECK(Put(map, 2, {-1}, {1}).Text() == "INVALID_ARGUMENT: Index '-1' for key '2' was out of bounds '3'.");
    CHECK(map->IncompleteSize() == 1);
    REQUIRE(Put(map, 1, {0, 2}, {10, 30}).Text() == "OK");
    CHECK(Get(map, Take::kKey, 1, {0, 3}, kTwo).Text() ==
          "INVALID_ARGUMENT: Index '3' for key '1' was out of bounds '3'.");
    CHECK(Get(map, Take::kKey, 1, {0, 1, 2}, {3, DataType::kFloat}).Text() == "OK 10 20 30");
  }
  TEST_CASE("outputs of another number or type") {
    const auto map = NewMap(0, 0, 2);
    REQUIRE(Put(map, 1, {0, 1}, {10, 20}).Text() == "OK");
    CHECK(Get(map, Take::kPeek, 1, {0, 1}, kOne).Text() == "INVALID_ARGUMENT: output/indices size mismatch: 1 vs. 2");
    CHECK(Get(map, Take::kPeek, 1, {1}, {DataType::kInt64}).Text() ==
          "INVALID_ARGUMENT: Tensor at index '1' for key '1' is float, but output 0 is int64");
  }
  TEST_CASE("capacity counts complete tuples, memory all tensors; who waits goes on after Clear") {
    const auto full = NewMap(1, 0, 2);
    REQUIRE(Put(full, 1, {0, 1}, {1, 2}).Text() == "OK");
    const Put whole(full, 2, {0, 1}, {3, 4});
    CHECK(whole.Text() == "waits");
    CHECK(Put(full, 3, {0}, {5}).Text() == "OK");  // a part may come in
    full->Clear();
    CHECK(whole.Text() == "OK");
    CHECK(full->IncompleteSize() == 0);

    const auto small = NewMap(0, 8, 2);
    CHECK(Put(small, 1, {0, 1, 2}, {1, 2, 3}).Text() ==
          "RESOURCE_EXHAUSTED: Attempted to insert tensors with combined size of '12' bytes into Staging Area with a "
          "memory limit of '8'.");
    REQUIRE(Put(small, 1, {0}, {1}).Text() == "OK");
    const Put second(small, 2, {0, 1}, {1, 2});
    CHECK(second.Text() == "waits");
    REQUIRE(Put(small, 1, {1}, {2}).Text() == "OK");
    CHECK(Get(small, Take::kKey, 1, {0, 1}, kTwo).Text() == "OK 1 2");
    CHECK(second.Text() == "OK");
  }
  TEST_CASE("of a wait that is given up nothing stays") {
    const auto map = NewMap(1, 0, 1);
    Get nobody(map, Take::kKey, 4, {0}, kOne);
    nobody.cancellation.StartCancel();
    CHECK(nobody.Text() == "CANCELLED: SmrStage operation was cancelled");
    REQUIRE(Put(map, 4, {0}, {40}).Text() == "OK");
    Put other(map, 5, {0}, {50});
    other.cancellation.StartCancel();
    CHECK(other.Text() == "CANCELLED: SmrStage operation was cancelled");
    CHECK(Get(map, Take::kKey, 4, {0}, kOne).Text() == "OK 40");
    CHECK(map->Size() == 0);
  }
  TEST_CASE("keys and indices as inputs") {
    CHECK(ops::detail::CheckMapKey(Longs({3})).ok());
    CHECK(ops::detail::CheckMapKey(Longs({3, 4})).message() ==
          "key must be an int64 scalar, got tensor with shape: [2]");
    CHECK(ops::detail::CheckMapIndices(Ints({})).ok());
    CHECK(ops::detail::CheckMapIndices(Ints({0, 3, 9})).ok());
    CHECK(ops::detail::CheckMapIndices(Int(0)).message() == "indices must be a vector, got tensor with shape: []");
    CHECK(ops::detail::CheckMapIndices(Ints({0, 3, 3})).message() ==
          "Indices are not strictly ordered: 3 is followed by 3");
  }
}
}  // namespace state_map_stage_resource_test
