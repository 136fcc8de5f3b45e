// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels for SimulatedDevice: the CPU's, each inside an asynchronous one that runs it on the device's queue. A file
// that includes this makes "SIM:0", "SIM:1", ... known to every session of the binary.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/env.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/simulated_device.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/run_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Ends when the kernel has ended: its outputs are in the device's memory then.
class QueuedKernel final : public AsyncOpKernel {
 public:
  QueuedKernel(OpKernelConstruction* construction, Owned<OpKernel> kernel, SimulatedDevice* device)
      : AsyncOpKernel(construction), kernel_(std::move(kernel)), device_(device) {
    for (int i = 0; i < num_inputs(); ++i) set_input_memory_type(i, kernel_->input_memory_type(i));
    for (int i = 0; i < num_outputs(); ++i) set_output_memory_type(i, kernel_->output_memory_type(i));
  }
  bool IsExpensive() const override { return kernel_->IsExpensive(); }
  const Tensor* const_tensor() const override { return kernel_->const_tensor(); }

  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    if (device_->IsThisThread()) return RunNow(context, done);
    device_->Enqueue([this, context, done, flush = FlushesDenormals()] {
      const ScopedFlushDenormals mode(flush);
      RunNow(context, done);
    });
  }

 private:
  // The memory is closed again before `done`: the executor goes on from there.
  void RunNow(OpKernelContext* context, const DoneCallback& done) const {
    if (const Status status = device_->TakeInjectedFailure(); !status.ok()) {
      context->SetStatus(status);
    } else if (AsyncOpKernel* async = kernel_->AsAsync(); async != nullptr) {
      const ProtectedMemory::Access access(device_->memory());
      return StartKernel(async, context, done);
    } else {
      const ProtectedMemory::Access access(device_->memory());
      RunKernel(kernel_.get(), context);
    }
    done();
  }

  const Owned<OpKernel> kernel_;
  SimulatedDevice* const device_;
};

// The ends of edges between devices touch no memory.
inline bool OnlyHandsOn(std::string_view op) {
  return op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv";
}
inline OpKernel* WrapSimulatedKernel(OpKernel* kernel, OpKernelConstruction* construction, Device* device) {
  if (OnlyHandsOn(kernel->type_string())) return kernel;
  Owned<OpKernel> held(kernel);  // without memory for the wrapper it goes
  return new QueuedKernel(construction, std::move(held), static_cast<SimulatedDevice*>(device));
}

// 64 MiB each, or as TENON_SIM_MEMORY_LIMIT_IN_MB says.
inline Result<Owned<Device>> MakeSimulatedDevice(const std::string& name, int) {
  SimulatedDeviceOptions options{.kernel_wrapper = &WrapSimulatedKernel};
  std::int64_t limit = 64;
  TENON_RETURN_IF_ERROR(GetEnvInt64("TENON_SIM_MEMORY_LIMIT_IN_MB", 64, &limit));
  options.memory_limit_bytes = static_cast<std::size_t>(limit > 0 ? limit : 64) << 20;
  return SimulatedDevice::Create(name, options);
}
inline constinit DeviceFactory simulated_device_factory{
    .type = SimulatedDevice::kType, .create = &MakeSimulatedDevice, .priority = 55, .kernels = Cpu::type};
inline const bool simulated_device_linked = LinkDeviceFactory(&simulated_device_factory);

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
