// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/argument_lists.hpp>

#include <doctest/doctest.h>

#include <tenon/kernel/context_access.hpp>

#include "any_node.hpp"

namespace argument_lists_test {
using namespace tenon;

namespace {
constexpr auto kSignature =
    Op("AlRefs").Input("x: float").Input("vs: Ref(N * float)").Output("ws: Ref(N * float)").Attr("N: int >= 0");
constexpr OpView kOp = kSignature.view();
}  // namespace

TEST_SUITE("argument lists") {
  TEST_CASE("begin where their argument begins") {
    Ref<LegacyVar> a = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat));
    Ref<LegacyVar> b = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat));
    a->tensor = MakeTensor<float>({1}, {1});
    b->tensor = MakeTensor<float>({2}, {2, 3});
    const DataType ref = MakeRefType(DataType::kFloat);
    kernel_test::AnyNode<> node(kOp, {{"N", AttrValue(std::int64_t{2})}},
                                {MakeTensor<float>({3}, {1, 2, 3}), RefTo(a), RefTo(b)}, {ref, ref});
    OpInputList all(&node.context, 0, 3);
    CHECK(all.size() == 3);
    CHECK(all.begin()->NumElements() == 3);
    OpMutableInputList list(&node.context, 1, 3);
    CHECK(list.size() == 2);
    CHECK(list.at(1, false).NumElements() == 2);
    CHECK(list.ref_mutex(0) == &a->mutex);
    OpOutputList outputs(&node.context, 0, 2);
    outputs.set_ref(1, b);
    CHECK(ReferredBy(node.outputs[1]) == b.get());
    CHECK(OpInputList().size() == 0);
  }
}
}  // namespace argument_lists_test
