// SPDX-License-Identifier: Apache-2.0
#pragma once
// BringToKernel: a tensor that lies inside an object (a variable, a list), in the memory that a kernel reads.

#include <utility>

#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Has *value in the memory that kernels with this environment read: a value of a GPU is copied for a kernel on the
// host, and the other way round. Strings, handles and variants stay where they are. Errors are those of the copy.
inline Status BringToKernel(const StepEnvironment& environment, Tensor* value) {
  Device* const device = environment.constants->memory_device;
  if (device == nullptr || environment.constants->host_memory == value->HostAccessible() || value->NumElements() == 0 ||
      SizeOf(value->dtype()) == 0) [[likely]]
    return OkStatus();
  Tensor there;
  TENON_RETURN_IF_ERROR(environment.constants->host_memory
                            ? device->CopyToHost(*value, environment.result_allocator, &there)
                            : device->CopyToDevice(*value, &there));
  *value = std::move(there);
  return OkStatus();
}
inline Status BringToKernel(const OpKernelContext& context, Tensor* value) {
  return BringToKernel(context.environment(), value);
}

TENON_DETAIL_NAMESPACE_END
