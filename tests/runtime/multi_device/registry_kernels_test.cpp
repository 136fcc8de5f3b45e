// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/registry_kernels.hpp>

#include <doctest/doctest.h>

#include "graph/function_graphs.hpp"

namespace registry_kernels_test {
using namespace tenon;
using function_test::MakeNode;

TEST_CASE("RegistryKernels: what the process has registered") {
  const RegistryKernels kernels(Registry::Global());
  int priority = 7;
  const NodeDef neg = MakeNode("n", "Neg", {"x"}, {{"T", AttrValue(DataType::kFloat)}});
  CHECK(kernels.Supports(neg, "CPU", &priority));
  CHECK(priority == 0);
  CHECK_FALSE(kernels.Supports(neg, "XYZ", &priority));
  CHECK_FALSE(kernels.Supports(MakeNode("n", "Neg", {"x"}, {{"T", AttrValue(DataType::kString)}}), "CPU", &priority));
  CHECK_FALSE(kernels.Supports(MakeNode("n", "NoSuchOp", {}), "CPU", &priority));
  CHECK(kernels.ListKernels("Neg").find("  device='CPU'; T in [DT_FLOAT]\n") != std::string::npos);
  CHECK(kernels.ListKernels("NoSuchOp") == "  <no registered kernels>\n");
  const RegistryKernels borrowed(Registry::Global(), [](std::string_view) { return std::string_view("CPU"); });
  CHECK(borrowed.Supports(neg, "XYZ", &priority));
}
}  // namespace registry_kernels_test
