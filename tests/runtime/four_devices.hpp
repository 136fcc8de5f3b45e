// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs over four devices, two of them simulated, for the tests of what runs them.

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/device/device_factory.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime/multi_device/partitioned_graph.hpp>
#include "split_graph.hpp"

namespace runtime_test {

inline const SlimVector<std::string> kFour{"CPU:0", "CPU:1", "SIM:0", "SIM:1"};

inline Owned<DeviceMgr> MakeDeviceMgr(const SlimVector<std::string>& names) {
  Result<SlimVector<Owned<Device>>> devices = MakeDevices(names, {CpuAllocator(), nullptr});
  REQUIRE_MESSAGE(devices.ok(), devices.status().ToString());
  return Owned<DeviceMgr>(StaticDeviceMgr::Create(*std::move(devices)).value().release());
}
inline Result<Ref<PartitionedGraph>> Load(const GraphDef& graph, const SlimVector<std::string>& devices = kFour) {
  return PartitionedGraph::Create(GraphSplitter::Split(graph), MakeDeviceMgr(devices));
}
inline SimulatedDevice& SimOf(const Ref<PartitionedGraph>& graph, const char* name) {
  return static_cast<SimulatedDevice&>(**graph->devices().LookupDevice(name));
}

inline bool SameBits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.TotalBytes() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.TotalBytes()) == 0);
}

// Float vectors of one length, from x and constants, on random devices, some with control edges. *sinks: what nobody
// reads.
inline GraphDef RandomGraph(unsigned seed, int nodes, SlimVector<std::string>* sinks) {
  std::mt19937 random(seed);
  const auto pick = [&random](std::size_t sides) { return static_cast<std::size_t>(random() % sides); };
  GraphBuilder b;
  std::vector<Output> all{b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}))};
  std::vector<char> read{1};
  all.push_back(b.Const("c", Tensor::Scalar(0.37f)));
  read.push_back(1);
  b.SetDevice(all[1], kFour[pick(4)]);
  for (int i = 0; i < nodes; ++i) {
    const char* ops[] = {"AddV2", "Mul", "Sub", "Maximum", "Identity", "Neg"};
    const char* op = ops[pick(std::size(ops))];
    const std::size_t left = pick(all.size()), right = pick(all.size());
    const bool unary = op[0] == 'I' || op[0] == 'N';
    const std::string name = StrCat("n", i);
    const Output out = unary ? b.Add(op, name, {all[left]}) : b.Add(op, name, {all[left], all[right]});
    read[left] = 1;
    if (!unary) read[right] = 1;
    b.SetDevice(out, kFour[pick(4)]);
    if (pick(8) == 0) b.AddControlInput(out, all[pick(all.size())]);
    all.push_back(out);
    read.push_back(0);
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (read[i] == 0) sinks->push_back(b.Name(all[i]));
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
inline GraphDef WithoutDevices(GraphDef graph) {
  for (NodeDef& node : graph.node) node.device.clear();
  return graph;
}

// x on CPU:0 -> +1 on SIM:0 -> *2 on SIM:1 -> -x on CPU:1.
inline GraphDef SplitChain() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  const Output one = b.Const("one", Tensor::Scalar(1.0f)), two = b.Const("two", Tensor::Scalar(2.0f));
  const Output y = b.Add("AddV2", "y", {x, one}), z = b.Add("Mul", "z", {y, two}), w = b.Add("Sub", "w", {z, x});
  b.SetDevice(one, "SIM:0");
  b.SetDevice(two, "SIM:1");
  b.SetDevice(y, "SIM:0");
  b.SetDevice(z, "SIM:1");
  b.SetDevice(w, "CPU:1");
  return b.graph_def();
}

}  // namespace runtime_test
