// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/program/kernel_cache.hpp>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/memory/cpu_allocator.hpp>

#include "runtime/graphs.hpp"

namespace kernel_cache_test {
using namespace tenon;
using namespace runtime_test;
using tenon::detail::KernelCache;

namespace {
// v = variable, x = placeholder, y = x + x; and what `extended` adds.
Graph Made(bool extended) {
  GraphBuilder b;
  b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({-1})}});
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output y = b.Add("AddV2", "y", {x, x});
  if (extended) b.Add("Neg", "z", {y});
  auto graph = ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  return *std::move(graph);
}
const KernelCache::Entry* Got(KernelCache& cache, const Graph& graph, const char* node) {
  const auto entry = cache.Get(graph.Find(node)->id);
  REQUIRE_MESSAGE(entry.ok(), entry.status().message());
  return *entry;
}
}  // namespace

TEST_SUITE("KernelCache") {
  TEST_CASE("a node has one kernel, made when it is first wanted") {
    const Graph graph = Made(false);
    CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr);
    KernelCache cache(&graph, &Registry::Global(), &device, &device);
    const KernelCache::Entry* const y = Got(cache, graph, "y");
    CHECK(y->kernel != nullptr);
    CHECK(y->kernel->name() == "y");
    CHECK(y->on_host);
    CHECK(Got(cache, graph, "y")->kernel.get() == y->kernel.get());
    CHECK(Got(cache, graph, "x")->kernel.get() != y->kernel.get());
  }
  TEST_CASE("nodes with state keep their kernels in the graph that extends theirs, the others get new ones") {
    const Graph before = Made(false), after = Made(true);
    CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr);
    KernelCache older(&before, &Registry::Global(), &device, &device);
    KernelCache cache(&after, &Registry::Global(), &device, &device, nullptr, &older);
    CHECK(Got(cache, after, "v")->kernel.get() == Got(older, before, "v")->kernel.get());
    CHECK(Got(cache, after, "y")->kernel.get() != Got(older, before, "y")->kernel.get());
    CHECK(Got(cache, after, "z")->kernel->name() == "z");
  }
  TEST_CASE("a node without a kernel is refused by name, every time") {
    GraphBuilder b;
    b.Add("Neg", "negative", {b.Placeholder("s", DataType::kFloat)});
    const auto graph = ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    REQUIRE(graph.ok());
    Registry without;
    CpuDevice device("/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr);
    KernelCache cache(&*graph, &without, &device, &device);
    for (int i = 0; i < 2; ++i) {
      const Status status = cache.Get(graph->Find("negative")->id).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(Contains(status.message(), "[node 'negative']"));
    }
  }
}
}  // namespace kernel_cache_test
