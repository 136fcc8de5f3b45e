// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/create_kernel.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/register.hpp>

namespace create_kernel_test {
using namespace tenon;

namespace {
struct Own {
  static constexpr auto signature =
      Op("CreateKernelTestOwn").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};
// Kernels that want their input in host memory; the second cannot be made.
template <bool right>
struct Placed {
  static constexpr auto signature = Own::signature;
  static constexpr auto kernel_match = KernelMatch().Label("placed").HostMemory("x");
  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction&) { return right ? OkStatus() : errors::Aborted("not today"); }
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};

struct Made {
  explicit Made(NodeDef node) : def(std::move(node)) { def.name = "n", def.op = "CreateKernelTestOwn"; }
  template <class Op>
  Result<Owned<OpKernel>> Make() {
    TENON_RETURN_IF_ERROR(Register(registry, Ops<Op>{}, Devices<Cpu>{}));
    TENON_ASSIGN_OR_RETURN(const KernelDef found, registry.FindForNode(def, "CPU"));
    construction.emplace(&def, registry.FindOp(def.op), "GPU", Span<const DataType>(&type, 1),
                         Span<const DataType>(&type, 1), CpuAllocator());
    return CreateKernel(*found.row, &*construction);
  }
  Registry registry;
  NodeDef def;
  DataType type = DataType::kFloat;
  std::optional<OpKernelConstruction> construction;
};
}  // namespace

TEST_SUITE("CreateKernel") {
  TEST_CASE("a node may ask for tensors in host memory") {
    NodeDef node;
    const auto on_host = [&node](bool input) {
      Made made(node);
      const auto kernel = made.Make<Own>();
      REQUIRE(kernel.ok());
      return (input ? (*kernel)->input_memory_type(0) : (*kernel)->output_memory_type(0)) == MemoryType::kHost;
    };
    CHECK_FALSE(on_host(true));
    node.attr.Set("_input_hostmem", AttrValue(SlimVector<std::int64_t>{0}));
    CHECK(on_host(true));
    CHECK_FALSE(on_host(false));
    node.attr.Set("_input_hostmem", AttrValue(SlimVector<std::int64_t>{-1, 1}));  // there are none such
    node.attr.Set("_output_hostmem", AttrValue(SlimVector<std::int64_t>{7, 0}));
    CHECK_FALSE(on_host(true));
    CHECK(on_host(false));
    node.attr.Set("_output_hostmem", AttrValue(true));
    CHECK_FALSE(on_host(false));
  }
  TEST_CASE("a kernel's match places arguments in host memory; what its Init says is returned") {
    NodeDef node;
    node.attr.Set("_kernel", AttrValue("placed"));
    Made made(node), failed(node);
    const auto kernel = made.Make<Placed<true>>();
    REQUIRE_MESSAGE(kernel.ok(), kernel.status().message());
    CHECK((*kernel)->input_memory_type(0) == MemoryType::kHost);
    CHECK((*kernel)->output_memory_type(0) == MemoryType::kDevice);
    CHECK(failed.Make<Placed<false>>().status().code() == Code::kAborted);
  }
}
}  // namespace create_kernel_test
