// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceAttributes, KernelDef and KernelList as messages.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/attr_value.hpp>

namespace tensorflow {

class DeviceLocality : public protobuf::Message<DeviceLocality> {
 public:
  static constexpr const char* kName = "DeviceLocality";
  TENON_COMPAT_SCALAR(int32, bus_id)
  TENON_COMPAT_SCALAR(int32, numa_node)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "bus_id", m.bus_id_);
    call(2, "numa_node", m.numa_node_);
  }

 private:
  int32 bus_id_{};
  int32 numa_node_{};
};
class DeviceAttributes : public protobuf::Message<DeviceAttributes> {
 public:
  static constexpr const char* kName = "DeviceAttributes";
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_STRING(device_type)
  TENON_COMPAT_SCALAR(int64_t, memory_limit)
  TENON_COMPAT_MESSAGE(DeviceLocality, locality)
  TENON_COMPAT_SCALAR(uint64_t, incarnation)
  TENON_COMPAT_STRING(physical_device_desc)
  TENON_COMPAT_SCALAR(int64_t, xla_global_id)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "device_type", m.device_type_);
    call(4, "memory_limit", m.memory_limit_);
    call(5, "locality", m.locality_);
    call(6, "incarnation", m.incarnation_);
    call(7, "physical_device_desc", m.physical_device_desc_);
    call(8, "xla_global_id", m.xla_global_id_);
  }

 private:
  std::string name_;
  std::string device_type_;
  int64_t memory_limit_{};
  protobuf::Box<DeviceLocality> locality_;
  uint64_t incarnation_{};
  std::string physical_device_desc_;
  int64_t xla_global_id_{};
};
class KernelDef_AttrConstraint : public protobuf::Message<KernelDef_AttrConstraint> {
 public:
  static constexpr const char* kName = "KernelDef.AttrConstraint";
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_MESSAGE(AttrValue, allowed_values)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "allowed_values", m.allowed_values_);
  }

 private:
  std::string name_;
  protobuf::Box<AttrValue> allowed_values_;
};
class KernelDef : public protobuf::Message<KernelDef> {
 public:
  static constexpr const char* kName = "KernelDef";
  using AttrConstraint = KernelDef_AttrConstraint;
  TENON_COMPAT_STRING(op)
  TENON_COMPAT_STRING(device_type)
  TENON_COMPAT_ITEMS(KernelDef_AttrConstraint, constraint)
  TENON_COMPAT_STRINGS(host_memory_arg)
  TENON_COMPAT_STRING(label)
  TENON_COMPAT_SCALAR(int32, priority)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "op", m.op_);
    call(2, "device_type", m.device_type_);
    call(3, "constraint", m.constraint_);
    call(4, "host_memory_arg", m.host_memory_arg_);
    call(5, "label", m.label_);
    call(6, "priority", m.priority_);
  }

 private:
  std::string op_;
  std::string device_type_;
  protobuf::RepeatedPtrField<KernelDef_AttrConstraint> constraint_;
  protobuf::RepeatedPtrField<std::string> host_memory_arg_;
  std::string label_;
  int32 priority_{};
};
class KernelList : public protobuf::Message<KernelList> {
 public:
  static constexpr const char* kName = "KernelList";
  TENON_COMPAT_ITEMS(KernelDef, kernel)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "kernel", m.kernel_);
  }

 private:
  protobuf::RepeatedPtrField<KernelDef> kernel_;
};

}  // namespace tensorflow
