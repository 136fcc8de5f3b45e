// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/graph_state.hpp>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>

#include "runtime/graphs.hpp"

namespace graph_state_test {
using namespace tenon;
using namespace runtime_test;
using tenon::detail::GraphState;

namespace {

struct States {
  CpuDevice device{"/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr};
  // One more graph with a variable, that extends `older`.
  Ref<GraphState> Next(const Ref<GraphState>& older) {
    auto state = Ref<GraphState>::Adopt(new GraphState);
    GraphBuilder b;
    b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape(TensorShape())}});
    state->graph = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    state->older = older;
    state->kernels = MakeOwned<tenon::detail::KernelCache>(&state->graph, &Registry::Global(), &device, &device,
                                                           nullptr, older ? older->kernels.get() : nullptr);
    return state;
  }
};
int Length(const GraphState* state) {
  int length = 0;
  for (; state != nullptr; state = state->older.get()) ++length;
  return length;
}

}  // namespace

TEST_SUITE("GraphState") {
  TEST_CASE("older graphs go unless somebody uses them or they have kernels with state") {
    States states;
    const Ref<GraphState> first = states.Next({});
    const auto kernel = first->kernels->Get(0);
    REQUIRE(kernel.ok());
    Ref<GraphState> state = states.Next(first);
    for (int i = 0; i < 5; ++i) {
      state = states.Next(state);
      state->DropOlder();
    }
    CHECK(Length(state.get()) == 2);
    const auto shared = state->kernels->Get(0);
    REQUIRE(shared.ok());
    CHECK((*shared)->kernel.get() == (*kernel)->kernel.get());
    const Ref<GraphState> used = state;
    state = states.Next(state);
    state->DropOlder();
    CHECK(Length(state.get()) == 3);
  }
  TEST_CASE("a long row of graphs goes without recursion") {
    States states;
    Ref<GraphState> state = states.Next({});
    for (int i = 0; i < 20'000; ++i) state = states.Next(state);
    state = {};
  }
}
}  // namespace graph_state_test
