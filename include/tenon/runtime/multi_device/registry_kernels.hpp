// SPDX-License-Identifier: Apache-2.0
#pragma once
// RegistryKernels: the kernels of a registry as a placement asks for them.

#include <string>
#include <string_view>

#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/kernel/registry/kernel_text.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/placement.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// All kernels have priority 0. thread-safe.
class RegistryKernels final : public KernelCatalog {
 public:
  // `registry` outlives this. `kernels_of`, if not null, says whose kernels a type of device runs: its own, or another
  // type's.
  explicit RegistryKernels(const Registry& registry, std::string_view (*kernels_of)(std::string_view type) = nullptr)
      : registry_(registry), kernels_of_(kernels_of) {}

  bool Supports(const NodeDef& node, std::string_view device_type, int* priority) const override {
    *priority = 0;
    return registry_.FindForNode(node, kernels_of_ == nullptr ? device_type : kernels_of_(device_type)).ok();
  }
  // "  device='CPU'; T in [DT_FLOAT]".
  std::string ListKernels(std::string_view op) const override { return detail::KernelLines(registry_.KernelsOf(op)); }

 private:
  const Registry& registry_;
  std::string_view (*kernels_of_)(std::string_view type);
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
