// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program of a FlowGraph, with all that it points to.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/program/builder.hpp>

#include "loops.hpp"

namespace runtime_test {

struct FlowProgram {
  Graph graph;
  CpuDevice device{"/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr};
  tenon::Owned<tenon::detail::KernelCache> kernels;
  tenon::Owned<Program> program;
};

inline std::unique_ptr<FlowProgram> BuildFlow(const FlowGraph& g, const std::vector<std::string>& feeds,
                                              const std::vector<std::string>& fetches) {
  auto built = std::make_unique<FlowProgram>();
  built->graph = *ImportGraphDef(GraphDef(g.def), Registry::Global().ops());
  built->kernels =
      tenon::MakeOwned<tenon::detail::KernelCache>(&built->graph, &Registry::Global(), &built->device, &built->device);
  tenon::detail::ProgramBuilder builder(built->graph, built->kernels.get(), &built->device, &built->device, {});
  std::vector<InEdge> in, out;
  for (const std::string& name : feeds) in.push_back({built->graph.Find(name)->id, 0});
  for (const std::string& name : fetches) out.push_back({built->graph.Find(name)->id, 0});
  auto program = builder.Build(in, out, {});
  REQUIRE_MESSAGE(program.ok(), program.status().message());
  built->program = *std::move(program);
  return built;
}

}  // namespace runtime_test
