// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs of small graphs, for the tests of programs and of what builds them.

#include <memory>

#include <tenon/graph/import.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime/program/builder.hpp>

#include "graphs.hpp"

namespace built_program {
using namespace tenon;

// The program of a signature, with what it points to.
struct Built {
  Graph graph;
  CpuDevice device{"/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr};
  tenon::Owned<tenon::detail::KernelCache> kernels;
  tenon::Owned<Program> program;
};
inline std::unique_ptr<Built> Build(const GraphBuilder& b, const char* feed, const char* fetch, bool folding = true) {
  auto built = std::make_unique<Built>();
  built->graph = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
  built->kernels =
      tenon::MakeOwned<tenon::detail::KernelCache>(&built->graph, &Registry::Global(), &built->device, &built->device);
  tenon::detail::ProgramBuilder builder(built->graph, built->kernels.get(), &built->device, &built->device,
                                        {.constant_folding = folding});
  const InEdge in{built->graph.Find(feed)->id, 0}, out{built->graph.Find(fetch)->id, 0};
  built->program = *builder.Build({&in, 1}, {&out, 1}, {});
  return built;
}

}  // namespace built_program
