// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpDef, OpList and the messages in them.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/attr_value.hpp>

namespace tensorflow {

class OpDef_ArgDef : public protobuf::Message<OpDef_ArgDef> {
 public:
  static constexpr const char* kName = "OpDef.ArgDef";
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_STRING(description)
  TENON_COMPAT_SCALAR(DataType, type)
  TENON_COMPAT_STRING(type_attr)
  TENON_COMPAT_STRING(number_attr)
  TENON_COMPAT_STRING(type_list_attr)
  TENON_COMPAT_ITEMS(ResourceHandleProto_DtypeAndShape, handle_data)
  TENON_COMPAT_SCALAR(bool, is_ref)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "description", m.description_);
    call(3, "type", m.type_);
    call(4, "type_attr", m.type_attr_);
    call(5, "number_attr", m.number_attr_);
    call(6, "type_list_attr", m.type_list_attr_);
    call(7, "handle_data", m.handle_data_);
    call(16, "is_ref", m.is_ref_);
  }

 private:
  std::string name_;
  std::string description_;
  DataType type_{};
  std::string type_attr_;
  std::string number_attr_;
  std::string type_list_attr_;
  protobuf::RepeatedPtrField<ResourceHandleProto_DtypeAndShape> handle_data_;
  bool is_ref_{};
};
class OpDef_AttrDef : public protobuf::Message<OpDef_AttrDef> {
 public:
  static constexpr const char* kName = "OpDef.AttrDef";
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_STRING(type)
  TENON_COMPAT_MESSAGE(AttrValue, default_value)
  TENON_COMPAT_STRING(description)
  TENON_COMPAT_SCALAR(bool, has_minimum)
  TENON_COMPAT_SCALAR(int64_t, minimum)
  TENON_COMPAT_MESSAGE(AttrValue, allowed_values)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "type", m.type_);
    call(3, "default_value", m.default_value_);
    call(4, "description", m.description_);
    call(5, "has_minimum", m.has_minimum_);
    call(6, "minimum", m.minimum_);
    call(7, "allowed_values", m.allowed_values_);
  }

 private:
  std::string name_;
  std::string type_;
  protobuf::Box<AttrValue> default_value_;
  std::string description_;
  bool has_minimum_{};
  int64_t minimum_{};
  protobuf::Box<AttrValue> allowed_values_;
};
class OpDeprecation : public protobuf::Message<OpDeprecation> {
 public:
  static constexpr const char* kName = "OpDeprecation";
  TENON_COMPAT_SCALAR(int32, version)
  TENON_COMPAT_STRING(explanation)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "version", m.version_);
    call(2, "explanation", m.explanation_);
  }

 private:
  int32 version_{};
  std::string explanation_;
};
class OpDef : public protobuf::Message<OpDef> {
 public:
  static constexpr const char* kName = "OpDef";
  using ArgDef = OpDef_ArgDef;
  using AttrDef = OpDef_AttrDef;
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_ITEMS(OpDef_ArgDef, input_arg)
  TENON_COMPAT_ITEMS(OpDef_ArgDef, output_arg)
  TENON_COMPAT_ITEMS(OpDef_AttrDef, attr)
  TENON_COMPAT_STRING(summary)
  TENON_COMPAT_STRING(description)
  TENON_COMPAT_MESSAGE(OpDeprecation, deprecation)
  TENON_COMPAT_SCALAR(bool, is_aggregate)
  TENON_COMPAT_SCALAR(bool, is_stateful)
  TENON_COMPAT_SCALAR(bool, is_commutative)
  TENON_COMPAT_SCALAR(bool, allows_uninitialized_input)
  TENON_COMPAT_STRINGS(control_output)
  TENON_COMPAT_SCALAR(bool, is_distributed_communication)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "input_arg", m.input_arg_);
    call(3, "output_arg", m.output_arg_);
    call(4, "attr", m.attr_);
    call(5, "summary", m.summary_);
    call(6, "description", m.description_);
    call(8, "deprecation", m.deprecation_);
    call(16, "is_aggregate", m.is_aggregate_);
    call(17, "is_stateful", m.is_stateful_);
    call(18, "is_commutative", m.is_commutative_);
    call(19, "allows_uninitialized_input", m.allows_uninitialized_input_);
    call(20, "control_output", m.control_output_);
    call(21, "is_distributed_communication", m.is_distributed_communication_);
  }

 private:
  std::string name_;
  protobuf::RepeatedPtrField<OpDef_ArgDef> input_arg_;
  protobuf::RepeatedPtrField<OpDef_ArgDef> output_arg_;
  protobuf::RepeatedPtrField<OpDef_AttrDef> attr_;
  std::string summary_;
  std::string description_;
  protobuf::Box<OpDeprecation> deprecation_;
  bool is_aggregate_{};
  bool is_stateful_{};
  bool is_commutative_{};
  bool allows_uninitialized_input_{};
  protobuf::RepeatedPtrField<std::string> control_output_;
  bool is_distributed_communication_{};
};
class OpList : public protobuf::Message<OpList> {
 public:
  static constexpr const char* kName = "OpList";
  TENON_COMPAT_ITEMS(OpDef, op)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "op", m.op_);
  }

 private:
  protobuf::RepeatedPtrField<OpDef> op_;
};

}  // namespace tensorflow
