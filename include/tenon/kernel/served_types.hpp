// SPDX-License-Identifier: Apache-2.0
#pragma once
// For erased kernels: the dtypes that they serve, where those are fewer than the op allows.

#include <cstdint>

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
// device whose memory holds none. The CPU serves such a node.
template <class Device>
Status ServeOnDevice(const OpKernelConstruction& construction, DataType type, DataTypeSet served) {
  constexpr std::uint64_t kObjects =
      ToSet(DataType::kString).mask | ToSet(DataType::kResource).mask | ToSet(DataType::kVariant).mask;
  return ServeOnly(construction, type, Device::type == "CPU" ? served : DataTypeSet{served.mask & ~kObjects});
}

TENON_DETAIL_NAMESPACE_END
