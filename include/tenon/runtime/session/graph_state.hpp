// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphState: a session's graph with its kernels or its parts on devices; who uses it, and how long it stays.

#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/runtime/program/kernel_cache.hpp>
#include <tenon/runtime/session/extensions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// A session's graph. Extending makes another one, or adds to this one while no program uses it.
struct GraphState final : RefCounted {
  Graph graph;
  GraphDef source;  // before control flow was lowered; empty where it is not, or where nothing can be extended
  Owned<FunctionIndex> functions;  // the graph's; null until an Extend asks for them
  Owned<ShapeRefiner> refiner;  // the graph's, once it was extended; null where the next Extend imports all of it
  Ref<GraphState> older;  // whose kernels nodes with state share; null: there is none
  Owned<KernelCache> kernels;  // on one device
  Owned<PlacedGraph> placed;  // on several; null: on one
  bool functions_wait = false;  // some node of some function may wait for another, and so may who calls it

  // Lets go of older graphs that no program uses and that have no kernels with state.
  void DropOlder() {
    for (GraphState* state = this; state->older && state->kernels != nullptr;) {
      if (!state->older->RefCountIsOne() || !state->kernels->ForgetOlder()) {
        state = state->older.get();
        continue;
      }
      const Ref<GraphState> dropped = std::move(state->older);
      state->older = std::move(dropped->older);
    }
  }

 protected:
  // One after the other: there may be thousands.
  ~GraphState() override {
    kernels = nullptr;
    for (Ref<GraphState> next = std::move(older); next && next->RefCountIsOne();) next = std::move(next->older);
  }
};
// A use of a graph: builders of programs and the programs hold it. The session may change the graph while it holds the
// only reference.
struct GraphUse final : RefCounted {
  explicit GraphUse(Ref<GraphState> used) : state(std::move(used)) {}
  const Ref<GraphState> state;
};

inline bool HasKernelsThatWait(const FunctionDefLibrary& library, const Registry& registry) {
  for (const FunctionDef& function : library.function)
    for (const NodeDef& node : function.node_def)
      for (const KernelRow* row : registry.KernelsOf(node.op))
        if (row->is_async) return true;
  return false;
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
