// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphDef, FunctionDef and FunctionDefLibrary as messages.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/node_def.hpp>
#include <tenon/compat/tensorflow/proto/op_def.hpp>

namespace tensorflow {

class FunctionDef_ArgAttrs : public protobuf::Message<FunctionDef_ArgAttrs> {
 public:
  static constexpr const char* kName = "FunctionDef.ArgAttrs";
  TENON_COMPAT_MAP(std::string, AttrValue, attr)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "attr", m.attr_);
  }

 private:
  protobuf::Map<std::string, AttrValue> attr_;
};
class FunctionDef : public protobuf::Message<FunctionDef> {
 public:
  static constexpr const char* kName = "FunctionDef";
  using ArgAttrs = FunctionDef_ArgAttrs;
  TENON_COMPAT_MESSAGE(OpDef, signature)
  TENON_COMPAT_ITEMS(NodeDef, node_def)
  TENON_COMPAT_MAP(std::string, std::string, ret)
  TENON_COMPAT_MAP(std::string, AttrValue, attr)
  TENON_COMPAT_MAP(std::string, std::string, control_ret)
  TENON_COMPAT_MAP(uint32, FunctionDef_ArgAttrs, arg_attr)
  TENON_COMPAT_MAP(uint32, uint32, resource_arg_unique_id)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "signature", m.signature_);
    call(3, "node_def", m.node_def_);
    call(4, "ret", m.ret_);
    call(5, "attr", m.attr_);
    call(6, "control_ret", m.control_ret_);
    call(7, "arg_attr", m.arg_attr_);
    call(8, "resource_arg_unique_id", m.resource_arg_unique_id_);
  }

 private:
  protobuf::Box<OpDef> signature_;
  protobuf::RepeatedPtrField<NodeDef> node_def_;
  protobuf::Map<std::string, std::string> ret_;
  protobuf::Map<std::string, AttrValue> attr_;
  protobuf::Map<std::string, std::string> control_ret_;
  protobuf::Map<uint32, FunctionDef_ArgAttrs> arg_attr_;
  protobuf::Map<uint32, uint32> resource_arg_unique_id_;
};
class GradientDef : public protobuf::Message<GradientDef> {
 public:
  static constexpr const char* kName = "GradientDef";
  TENON_COMPAT_STRING(function_name)
  TENON_COMPAT_STRING(gradient_func)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "function_name", m.function_name_);
    call(2, "gradient_func", m.gradient_func_);
  }

 private:
  std::string function_name_;
  std::string gradient_func_;
};
class RegisteredGradient : public protobuf::Message<RegisteredGradient> {
 public:
  static constexpr const char* kName = "RegisteredGradient";
  TENON_COMPAT_STRING(gradient_func)
  TENON_COMPAT_STRING(registered_op_type)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "gradient_func", m.gradient_func_);
    call(2, "registered_op_type", m.registered_op_type_);
  }

 private:
  std::string gradient_func_;
  std::string registered_op_type_;
};
class FunctionDefLibrary : public protobuf::Message<FunctionDefLibrary> {
 public:
  static constexpr const char* kName = "FunctionDefLibrary";
  TENON_COMPAT_ITEMS(FunctionDef, function)
  TENON_COMPAT_ITEMS(GradientDef, gradient)
  TENON_COMPAT_ITEMS(RegisteredGradient, registered_gradients)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "function", m.function_);
    call(2, "gradient", m.gradient_);
    call(3, "registered_gradients", m.registered_gradients_);
  }

 private:
  protobuf::RepeatedPtrField<FunctionDef> function_;
  protobuf::RepeatedPtrField<GradientDef> gradient_;
  protobuf::RepeatedPtrField<RegisteredGradient> registered_gradients_;
};
class GraphDef : public protobuf::Message<GraphDef> {
 public:
  static constexpr const char* kName = "GraphDef";
  TENON_COMPAT_ITEMS(NodeDef, node)
  TENON_COMPAT_MESSAGE(FunctionDefLibrary, library)
  TENON_COMPAT_SCALAR(int32, version)
  TENON_COMPAT_MESSAGE(VersionDef, versions)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "node", m.node_);
    call(2, "library", m.library_);
    call(3, "version", m.version_);
    call(4, "versions", m.versions_);
  }

 private:
  protobuf::RepeatedPtrField<NodeDef> node_;
  protobuf::Box<FunctionDefLibrary> library_;
  int32 version_{};
  protobuf::Box<VersionDef> versions_;
};

}  // namespace tensorflow
