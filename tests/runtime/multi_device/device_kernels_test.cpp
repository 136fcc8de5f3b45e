// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/device_kernels.hpp>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>

#include "runtime/four_devices.hpp"

namespace device_kernels_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("DeviceKernels") {
  TEST_CASE("which kernels there are, and what of theirs is in host memory") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), s = b.Placeholder("s", DataType::kInt32);
    b.Add("Reshape", "reshape", {x, s});
    b.Add("TensorListReserve", "list", {s, s}, {{"element_dtype", DataType::kFloat}});
    b.Add("VariableV2", "texts", {}, {{"dtype", DataType::kString}, {"shape", PartialTensorShape({2})}});
    b.Add("VariableV2", "numbers", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const Registry& registry = Registry::Global();
    const Graph graph = ImportGraphDef(GraphDef(b.graph_def()), registry.ops()).value();
    const Owned<DeviceMgr> devices = MakeDeviceMgr(kFour);
    const detail::DeviceKernels kernels(graph, registry, *devices);
    const std::string cpu = FullName("CPU:0"), sim = FullName("SIM:0");
    const auto def = [&](const char* name) -> const NodeDef& { return graph.Find(name)->def; };

    int priority = 1;
    for (const char* type : {"CPU", "SIM"}) {
      CHECK(kernels.Supports(def("reshape"), type, &priority));
      CHECK(kernels.Supports(def("numbers"), type, &priority));
    }
    CHECK(priority == 0);
    CHECK(!kernels.Supports(def("reshape"), "TPU", &priority));
    // Not plain data.
    for (const char* node : {"list", "texts"}) {
      CHECK(kernels.Supports(def(node), "CPU", &priority));
      CHECK(!kernels.Supports(def(node), "SIM", &priority));
    }
    CHECK(!kernels.InputOnHost(def("reshape"), sim, 0));
    CHECK(kernels.InputOnHost(def("reshape"), sim, 1));
    CHECK(!kernels.OutputOnHost(def("reshape"), sim, 0));
    CHECK(!kernels.InputOnHost(def("reshape"), cpu, 1));  // the device's memory is the host's
    CHECK(kernels.UsesHostMemory(cpu));
    CHECK(!kernels.UsesHostMemory(sim));
    CHECK(kernels.Incarnation(sim) != 0);
    CHECK(kernels.Incarnation(sim) != kernels.Incarnation(cpu));
    CHECK(!kernels.ListKernels("Reshape").empty());
  }
}
}  // namespace device_kernels_test
