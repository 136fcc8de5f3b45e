// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/simulated_kernels.hpp>

#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <tenon/device/device_factory.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/registry/kernel_list.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>

namespace simulated_kernels_test {
using namespace tenon;

namespace {

std::thread::id ran_on;
bool flushed = false;

// y = x + 1, n in host memory is not touched.
struct SimAdd {
  static constexpr auto signature =
      Op("SimAdd").Input("x: float").Input("n: int32").Output("y: float").SetShapeFn([](InferenceContext* c) {
        return c->set_output(0, c->input(0)), OkStatus();
      });
  template <class Device>
  struct kernel {
    Status operator()(Device& device, In<float> x, HostIn<std::int32_t> n, Out<float> y) const {
      if (n.size() > 1) return errors::OutOfRange("too many");
      if (device.pool != nullptr) return errors::Internal("a pool's threads could not touch the memory");
      ran_on = std::this_thread::get_id();
      flushed = FlushesDenormals();
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
      return OkStatus();
    }
  };
};
struct SimCaller {
  static constexpr auto signature = Op("SimCaller").Attr("f: func");
  static constexpr std::string_view unused[] = {"f"};
  template <class Device>
  struct kernel {
    Status operator()(Device&) const { return OkStatus(); }
  };
};
struct SimHostOnly {
  static constexpr auto signature = Op("SimHostOnly")
                                        .Input("x: float")
                                        .Input("n: int32")
                                        .Output("y: float")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device>
  struct kernel {
    static constexpr bool tensors_on_host = true;
    Status operator()(Device&, const Tensor& x, const Tensor&, Tensor& y) const { return y = x, OkStatus(); }
  };
};
TENON_REGISTER(SimAdd, SimCaller, SimHostOnly);

// One node on a device, its kernel made as a session makes it.
struct Node {
  Owned<Device> device =
      FindDeviceFactory("SIM").value()->create("/job:localhost/replica:0/task:0/device:SIM:0", 0).value();
  NodeDef def;
  DataType inputs[2] = {DataType::kFloat, DataType::kInt32};
  DataType output = DataType::kFloat;
  Owned<OpKernel> kernel;
  ShapeMemo memo;
  StepConstants constants;
  StepEnvironment env;
  OpKernelConstruction construction;

  explicit Node(const char* op = "SimAdd")
      : construction(Def(op), Registry::Global().FindOp(op), "SIM", inputs, {&output, 1}, CpuAllocator()) {
    kernel = CreateKernel(*Registry::Global().FindForNode(def, "SIM")->row, &construction).value();
    kernel.reset(device->kernel_wrapper()(kernel.release(), &construction, device.get()));
    env.device = device->kernel_device();
    constants.device_name = device->name();
    env.constants = &constants;
    env.step_allocator = env.result_allocator = device->allocator();
    env.host_allocator = CpuAllocator();
    constants.host_memory = false;
  }
  const NodeDef* Def(const char* op) {
    def.name = "add";
    def.op = op;
    return &def;
  }
  SimulatedDevice& sim() { return static_cast<SimulatedDevice&>(*device); }
  Status Run(Tensor x, Tensor n, Tensor* y) {
    Tensor* const pointers[] = {&x, &n};
    const std::uint8_t flags[2] = {};
    const OpKernelContext::NodeFrame frame{kernel.get(), pointers, flags, y, flags, &memo, &env};
    OpKernelContext context;
    context.Enter(&frame);
    kernel->Compute(&context);
    return context.TakeStatus();
  }
};

}  // namespace

TEST_SUITE("kernels of a simulated device") {
  TEST_CASE("are the CPU's, unless they call functions") {
    NodeDef def;
    def.op = "SimAdd";
    const auto sim = Registry::Global().FindForNode(def, "SIM");
    REQUIRE(sim.ok());
    CHECK(sim->row == Registry::Global().FindForNode(def, "CPU")->row);
    CHECK(Registry::Global().FindForNode(def, "XYZ").status().code() == Code::kNotFound);
    def.op = "SimCaller";
    CHECK(Registry::Global().FindForNode(def, "CPU").ok());
    CHECK(Registry::Global().FindForNode(def, "SIM").status().code() == Code::kNotFound);
  }

  TEST_CASE("run on the device's thread, in its memory, with the caller's mode") {
    Node node;
    REQUIRE(node.kernel->AsAsync() != nullptr);
    CHECK(node.kernel->input_memory_type(0) == MemoryType::kDevice);
    CHECK(node.kernel->input_memory_type(1) == MemoryType::kHost);
    CHECK(node.kernel->name() == "add");
    Tensor x, y, back;
    REQUIRE(node.device->CopyToDevice(MakeTensor<float>({2}, {1, 5}), &x).ok());
    for (const bool flush : {true, false}) {
      const ScopedFlushDenormals mode(flush);
      REQUIRE(node.Run(x, Tensor::Scalar(1), &y).ok());
      CHECK(flushed == flush);
      CHECK(ran_on != std::this_thread::get_id());
      CHECK(node.sim().memory().Contains(y.raw_data()));
      REQUIRE(node.device->CopyToHost(y, CpuAllocator(), &back).ok());
      CHECK(back.vec<float>()(1) == 6);
    }
  }

  TEST_CASE("have all tensors in host memory if they say so") {
    Node node("SimHostOnly");
    CHECK(node.kernel->input_memory_type(0) == MemoryType::kHost);
    CHECK(node.kernel->output_memory_type(0) == MemoryType::kHost);
    const KernelDescription described = detail::Describe(*Registry::Global().FindForNode(node.def, "SIM")->row);
    CHECK(described.host_memory_arg == SlimVector<std::string>{"x", "n", "y"});
  }

  TEST_CASE("report their errors, and those that a test injects") {
    Node node;
    Tensor x, y;
    REQUIRE(node.device->CopyToDevice(MakeTensor<float>({2}, {1, 5}), &x).ok());
    REQUIRE(node.device->Synchronize().ok());
    CHECK(node.Run(x, MakeTensor<std::int32_t>({2}, {1, 2}), &y).message().find("too many") != std::string::npos);
    node.sim().InjectFailure(1, errors::Unavailable("gone"));
    CHECK(node.Run(x, Tensor::Scalar(1), &y) == errors::Unavailable("gone"));
    CHECK(node.Run(x, Tensor::Scalar(1), &y).ok());
    Tensor large;
    REQUIRE(node.device->CopyToDevice(Tensor(DataType::kFloat, {9 << 20}), &large).ok());
    const Status memory = node.Run(large, Tensor::Scalar(1), &y);
    CHECK(memory.code() == Code::kResourceExhausted);
    CHECK(memory.message().find("SIM:0_bfc") != std::string::npos);
  }
}
}  // namespace simulated_kernels_test
