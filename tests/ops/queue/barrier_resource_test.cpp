// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/barrier_resource.hpp>

#include "kernel/any_node.hpp"
#include "ops/support.hpp"

namespace state_barrier_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::KeyBarrier;

namespace {

constexpr auto kSignature = Op("SbrTake").Output("y: float");
constexpr OpView kOp = kSignature.view();

Tensor Keys(std::initializer_list<std::string_view> keys) {
  Tensor t(DataType::kString, {static_cast<Index>(keys.size())});
  for (std::size_t i = 0; i < keys.size(); ++i) t.data<tstring>()[i].assign(keys.begin()[i]);
  return t;
}
// Of a float and a vector of two int32.
Ref<KeyBarrier> NewBarrier() {
  return Ref<KeyBarrier>::Adopt(
      new KeyBarrier("b", {DataType::kFloat, DataType::kInt32}, {TensorShape(), TensorShape({2})}));
}
Status PutFloats(const Ref<KeyBarrier>& b, std::initializer_list<std::string_view> keys) {
  return b->Insert(Keys(keys), 0, Make<float>({static_cast<Index>(keys.size())}, {1, 2, 3, 4}));
}
Status PutPairs(const Ref<KeyBarrier>& b, std::initializer_list<std::string_view> keys) {
  return b->Insert(Keys(keys), 1, Make<std::int32_t>({static_cast<Index>(keys.size()), 2}, {10, 11, 20, 21, 30, 31}));
}

// A take in progress; "keys | floats | pairs" or its error once it is over.
struct Taking {
  Taking(const Ref<KeyBarrier>& barrier, std::int32_t wanted, bool small = false)
      : node(kOp, {}, {}, {DataType::kInt64, DataType::kString, DataType::kFloat, DataType::kInt32}) {
    node.services.cancellation = &cancellation;
    barrier->Start(Owned<ops::detail::WaitedResource::Attempt>(
        new KeyBarrier::Take(&node.context, Done(&Keep, this), barrier, wanted, small)));
  }
  static void Keep(void* self, Status s) {
    static_cast<Taking*>(self)->over = true;
    static_cast<Taking*>(self)->status = std::move(s);
  }
  std::string Text() const {
    if (!over) return "waits";
    if (!status.ok()) return status.ToString();
    return StrCat(node.outputs[1].SummarizeValue(9), " | ", node.outputs[2].SummarizeValue(9), " | ",
                  node.outputs[3].SummarizeValue(9));
  }
  kernel_test::AnyNode<> node;
  CancellationManager cancellation;
  bool over = false;
  Status status;
};

}  // namespace

TEST_SUITE("KeyBarrier") {
  TEST_CASE("tuples are complete with their last component, and come in the order of their keys' insertions") {
    const Ref<KeyBarrier> b = NewBarrier();
    REQUIRE(PutPairs(b, {"late", "early"}).ok());
    REQUIRE(PutFloats(b, {"x"}).ok());
    CHECK(b->IncompleteSize() == 3);
    REQUIRE(PutPairs(b, {"x"}).ok());
    CHECK(b->ReadySize() == 1);
    REQUIRE(PutFloats(b, {"early", "late"}).ok());
    CHECK(b->IncompleteSize() == 0);
    const Taking all(b, 3);
    CHECK(all.node.outputs[1].data<tstring>()[2].view() == "x");  // it came in the second insertion
    const std::int64_t* const index = all.node.outputs[0].data<std::int64_t>();
    CHECK(index[0] == std::numeric_limits<std::int64_t>::min());
    CHECK(index[0] == index[1]);
    CHECK(index[2] == index[0] + 1);
    CHECK(b->ReadySize() == 0);
  }
  TEST_CASE("a key that is taken may come again") {
    const Ref<KeyBarrier> b = NewBarrier();
    for (int k = 0; k < 2; ++k) {
      REQUIRE(PutFloats(b, {"a"}).ok());
      REQUIRE(PutPairs(b, {"a"}).ok());
      CHECK(Taking(b, 1).Text() == "a | 1 | [10 11]");
    }
  }
  TEST_CASE("of an insertion the keys before one that is refused stay") {
    const Ref<KeyBarrier> b = NewBarrier();
    REQUIRE(PutFloats(b, {"b"}).ok());
    CHECK(PutFloats(b, {"a", "b", "c"}).ToString() ==
          "INVALID_ARGUMENT: Key b already has a value for component 0 in barrier b");
    CHECK(b->IncompleteSize() == 2);
    CHECK(PutFloats(b, {"c"}).ok());
    REQUIRE(PutPairs(b, {"b"}).ok());
    CHECK(Taking(b, 1).Text() == "b | 1 | [10 11]");  // the first value
  }
  TEST_CASE("none are taken at once; who waits is served in order, or cancelled") {
    const Ref<KeyBarrier> b = NewBarrier();
    CHECK(Taking(b, 0).Text() == " |  | ");
    Taking two(b, 2), one(b, 1);
    REQUIRE(PutFloats(b, {"a"}).ok());
    REQUIRE(PutPairs(b, {"a"}).ok());
    CHECK(one.Text() == "waits");  // behind `two`
    two.cancellation.StartCancel();
    CHECK(two.Text() == "CANCELLED: SbrTake operation was cancelled");
    CHECK(one.Text() == "a | 1 | [10 11]");
  }
  TEST_CASE("a closed barrier completes what it has and refuses new keys") {
    const Ref<KeyBarrier> b = NewBarrier();
    REQUIRE(PutFloats(b, {"a"}).ok());
    REQUIRE(b->Close(false).ok());
    CHECK(b->Close(false).ToString() == "CANCELLED: Barrier 'b' is already closed.");
    CHECK(PutFloats(b, {"z"}).ToString() ==
          "CANCELLED: Barrier b is closed, but attempted to insert a brand new key: z.  Pending enqueues cancelled: "
          "0.  Insertion index: 0.  Number of incomplete keys: 1.");
    CHECK(Taking(b, 2).Text() ==
          "OUT_OF_RANGE: Barrier 'b' is closed and has insufficient elements (requested 2, total size 1)");
    REQUIRE(PutPairs(b, {"a"}).ok());
    CHECK(Taking(b, 2, true).Text() == "a | 1 | [10 11]");  // a small batch
    CHECK(Taking(b, 1, true).Text() ==
          "OUT_OF_RANGE: Barrier 'b' is closed and has insufficient elements (requested 1, total size 0)");
    CHECK(PutFloats(b, {"z"}).ToString() ==
          "CANCELLED: Barrier b is closed.  Pending enqueues cancelled: 0.  Number of new insertions: 1.  Number of "
          "incomplete keys: 0.");
    CHECK(PutFloats(b, {}).ok());  // nothing may still come
  }
  TEST_CASE("one that is cancelled drops what is incomplete, once") {
    const Ref<KeyBarrier> b = NewBarrier();
    REQUIRE(PutFloats(b, {"a", "b"}).ok());
    REQUIRE(PutPairs(b, {"a"}).ok());
    Taking two(b, 2);
    REQUIRE(b->Close(false).ok());
    CHECK(two.Text() == "waits");  // "b" may still come
    REQUIRE(b->Close(true).ok());
    CHECK(b->IncompleteSize() == 0);
    CHECK(two.Text() ==
          "OUT_OF_RANGE: Barrier 'b' is closed and has insufficient elements (requested 2, total size 1)");
    CHECK(b->Close(true).ToString() == "CANCELLED: Barrier 'b' is already closed.");
    CHECK(PutPairs(b, {}).ToString() ==
          "CANCELLED: Barrier b is closed.  Pending enqueues cancelled: 1.  Number of new insertions: 0.  Number of "
          "incomplete keys: 0.");
    CHECK(Taking(b, 1).Text() == "a | 1 | [10 11]");
  }
}
}  // namespace state_barrier_resource_test
