// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/transfer_plan.hpp>

#include <doctest/doctest.h>

#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime/program/builder.hpp>

#include "runtime/split_graph.hpp"

namespace transfer_plan_test {
using namespace tenon;
using tenon::detail::TransferPlan;

namespace {

// A program of one _Send or _Recv for each key.
struct Part {
  Graph graph;
  CpuDevice device{"/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr};
  Owned<detail::KernelCache> kernels;

  Owned<Program> Build(std::initializer_list<const char*> keys, bool sends) {
    GraphDef def;
    def.versions.producer = 1500;
    def.node.push_back(
        runtime_test::MakeNode("c", "Const", {{"dtype", DataType::kFloat}, {"value", Tensor(DataType::kFloat, {1})}}));
    int number = 0;
    for (const char* const key : keys) {
      const std::string name = StrCat("n", number++);
      const std::string a = runtime_test::FullName("CPU:0"), b = runtime_test::FullName("CPU:1");
      NodeDef node = sends ? runtime_test::MakeSend(name, DataType::kFloat, key, a, b)
                           : runtime_test::MakeRecv(name, DataType::kFloat, key, a, b);
      if (sends) node.input.push_back("c");
      def.node.push_back(node);
    }
    ImportOptions options;
    options.allow_internal_ops = true;
    graph = *ImportGraphDef(std::move(def), Registry::Global().ops(), options);
    kernels = MakeOwned<detail::KernelCache>(&graph, &Registry::Global(), &device, &device);
    detail::ProgramBuilder builder(graph, kernels.get(), &device, &device, {});
    SlimVector<int> targets;
    for (int i = 0; i < number; ++i) targets.push_back(graph.Find(StrCat("n", i))->id);
    return *builder.Build({}, {}, {targets.data(), targets.size()});
  }
};
int SlotOf(const TransferPlan& plan, const SlimVector<Owned<Program>>& programs, std::size_t part, const char* name) {
  for (std::size_t n = 0; n < programs[part]->nodes.size(); ++n)
    if (programs[part]->nodes[n].node->name() == name) return plan.part(part).slot(static_cast<int>(n));
  return -2;
}

}  // namespace

TEST_SUITE("TransferPlan") {
  TEST_CASE("a send and its receive have one slot; two of a kind, and ends without a partner have none") {
    Part from, to;
    SlimVector<Owned<Program>> programs;
    programs.push_back(from.Build({"x", "twice", "twice", "y", "alone"}, true));
    programs.push_back(to.Build({"y", "x", "twice", "other"}, false));
    TransferPlan plan;
    for (int round = 0; round < 2; ++round) {
      plan.Make(programs);
      CHECK(plan.num_slots() == 2);
      const int x = SlotOf(plan, programs, 0, "n0"), y = SlotOf(plan, programs, 0, "n3");
      CHECK(x >= 0);
      CHECK(y >= 0);
      CHECK(x != y);
      CHECK(SlotOf(plan, programs, 1, "n1") == x);
      CHECK(SlotOf(plan, programs, 1, "n0") == y);
      for (const char* const name : {"n1", "n2", "n4"}) CHECK(SlotOf(plan, programs, 0, name) == -1);
      for (const char* const name : {"n2", "n3"}) CHECK(SlotOf(plan, programs, 1, name) == -1);
    }
  }
}
}  // namespace transfer_plan_test
