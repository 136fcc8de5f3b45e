// SPDX-License-Identifier: Apache-2.0
#pragma once
// NodeDef and VersionDef as messages.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/attr_value.hpp>

namespace tensorflow {

class NodeDef_ExperimentalDebugInfo : public protobuf::Message<NodeDef_ExperimentalDebugInfo> {
 public:
  static constexpr const char* kName = "NodeDef.ExperimentalDebugInfo";
  TENON_COMPAT_STRINGS(original_node_names)
  TENON_COMPAT_STRINGS(original_func_names)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "original_node_names", m.original_node_names_);
    call(2, "original_func_names", m.original_func_names_);
  }

 private:
  protobuf::RepeatedPtrField<std::string> original_node_names_;
  protobuf::RepeatedPtrField<std::string> original_func_names_;
};
class NodeDef : public protobuf::Message<NodeDef> {
 public:
  static constexpr const char* kName = "NodeDef";
  using ExperimentalDebugInfo = NodeDef_ExperimentalDebugInfo;
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_STRING(op)
  TENON_COMPAT_STRINGS(input)
  TENON_COMPAT_STRING(device)
  TENON_COMPAT_MAP(std::string, AttrValue, attr)
  TENON_COMPAT_MESSAGE(NodeDef_ExperimentalDebugInfo, experimental_debug_info)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "op", m.op_);
    call(3, "input", m.input_);
    call(4, "device", m.device_);
    call(5, "attr", m.attr_);
    call(6, "experimental_debug_info", m.experimental_debug_info_);
  }

 private:
  std::string name_;
  std::string op_;
  protobuf::RepeatedPtrField<std::string> input_;
  std::string device_;
  protobuf::Map<std::string, AttrValue> attr_;
  protobuf::Box<NodeDef_ExperimentalDebugInfo> experimental_debug_info_;
};
class VersionDef : public protobuf::Message<VersionDef> {
 public:
  static constexpr const char* kName = "VersionDef";
  TENON_COMPAT_SCALAR(int32, producer)
  TENON_COMPAT_SCALAR(int32, min_consumer)
  TENON_COMPAT_NUMBERS(int32, bad_consumers)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "producer", m.producer_);
    call(2, "min_consumer", m.min_consumer_);
    call(3, "bad_consumers", m.bad_consumers_);
  }

 private:
  int32 producer_{};
  int32 min_consumer_{};
  protobuf::RepeatedField<int32> bad_consumers_;
};

}  // namespace tensorflow
