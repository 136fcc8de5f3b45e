// SPDX-License-Identifier: Apache-2.0
#pragma once
// For erased kernels: the dtypes that they serve, where those are fewer than the op allows.

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/kernel/construction.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Numbers and bool, without the quantised and the small ones: most of TensorFlow's CPU kernels are built for these.
inline constexpr DataTypeSet kPodTypes{(kNumberTypes.mask & ~kQuantizedTypes.mask) | ToSet(DataType::kBool).mask};
inline constexpr DataTypeSet kPodAndStringTypes = kPodTypes | ToSet(DataType::kString);
inline constexpr DataTypeSet kPodAndObjectTypes =
    kPodAndStringTypes | ToSet(DataType::kResource) | ToSet(DataType::kVariant);

// Status for a kernel's Init to return: InvalidArgument, as for any missing kernel, unless `type` is among `served`.
inline Status ServeOnly(const OpKernelConstruction& construction, DataType type, DataTypeSet served) {
  if (served.contains(type)) return OkStatus();
  return errors::InvalidArgument("no kernel for op '", construction.op().name, "' on ", construction.device_type(),
                                 " with types {", DataTypeString(type), "}; registered: ", DataTypeSetString(served));
}

// Status for the Init of a kernel that serves `served` types: InvalidArgument for objects (strings, handles) on a
// device whose memory holds none, and where all tensors are int32, which lie in host memory. The CPU serves such a
// node.
template <class Device>
Status ServeOnDevice(const OpKernelConstruction& construction, DataType type, DataTypeSet served) {
  if constexpr (Device::type != "CPU") {
    constexpr DataTypeSet kObjects = ToSet(DataType::kString) | ToSet(DataType::kResource) | ToSet(DataType::kVariant);
    served.mask &= ~kObjects.mask;
    bool is_small = true;
    for (const DataType t : construction.input_types()) is_small = is_small && t == DataType::kInt32;
    for (const DataType t : construction.output_types()) is_small = is_small && t == DataType::kInt32;
    if (is_small) served.mask &= ~ToSet(DataType::kInt32).mask;
  }
  return ServeOnly(construction, type, served);
}

// `served` without int32 where Device is a GPU: such tensors are sizes, and lie in host memory, as in TensorFlow.
template <class Device>
constexpr DataTypeSet WithoutInt32OnGpu(DataTypeSet served) {
  if constexpr (Device::type != "CPU") served.mask &= ~ToSet(DataType::kInt32).mask;
  return served;
}

// Status for the Init of a kernel of variables of `type`: a GPU has those of numbers; objects and int32 lie in host
// memory, as in TensorFlow.
template <class Device>
Status ServeVariable(const OpKernelConstruction& construction, DataType type, DataTypeSet served = kAllTypes) {
  if constexpr (Device::type != "CPU") served.mask &= kPodTypes.mask;
  served = WithoutInt32OnGpu<Device>(served);
  return ServeOnly(construction, type, served);
}

TENON_DETAIL_NAMESPACE_END
