// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphDef, FunctionDef, FunctionDefLibrary, GraphDebugInfo and OptimizedFunctionGraph as messages.

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
class GraphDebugInfo_FileLineCol : public protobuf::Message<GraphDebugInfo_FileLineCol> {
 public:
  static constexpr const char* kName = "GraphDebugInfo.FileLineCol";
  TENON_COMPAT_SCALAR(int32, file_index)
  TENON_COMPAT_SCALAR(int32, line)
  TENON_COMPAT_SCALAR(int32, col)
  TENON_COMPAT_STRING(func)
  TENON_COMPAT_STRING(code)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "file_index", m.file_index_);
    call(2, "line", m.line_);
    call(3, "col", m.col_);
    call(4, "func", m.func_);
    call(5, "code", m.code_);
  }

 private:
  int32 file_index_{}, line_{}, col_{};
  std::string func_, code_;
};
class GraphDebugInfo_StackTrace : public protobuf::Message<GraphDebugInfo_StackTrace> {
 public:
  static constexpr const char* kName = "GraphDebugInfo.StackTrace";
  TENON_COMPAT_ITEMS(GraphDebugInfo_FileLineCol, file_line_cols)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "file_line_cols", m.file_line_cols_);
  }

 private:
  protobuf::RepeatedPtrField<GraphDebugInfo_FileLineCol> file_line_cols_;
};
class GraphDebugInfo : public protobuf::Message<GraphDebugInfo> {
 public:
  static constexpr const char* kName = "GraphDebugInfo";
  using FileLineCol = GraphDebugInfo_FileLineCol;
  using StackTrace = GraphDebugInfo_StackTrace;
  TENON_COMPAT_STRINGS(files)
  TENON_COMPAT_MAP(std::string, GraphDebugInfo_StackTrace, traces)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "files", m.files_);
    call(2, "traces", m.traces_);
  }

 private:
  protobuf::RepeatedPtrField<std::string> files_;
  protobuf::Map<std::string, GraphDebugInfo_StackTrace> traces_;
};
class GraphDef : public protobuf::Message<GraphDef> {
 public:
  static constexpr const char* kName = "GraphDef";
  TENON_COMPAT_ITEMS(NodeDef, node)
  TENON_COMPAT_MESSAGE(FunctionDefLibrary, library)
  TENON_COMPAT_SCALAR(int32, version)
  TENON_COMPAT_MESSAGE(VersionDef, versions)
  TENON_COMPAT_MESSAGE(GraphDebugInfo, debug_info)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "node", m.node_);
    call(2, "library", m.library_);
    call(3, "version", m.version_);
    call(4, "versions", m.versions_);
    call(5, "debug_info", m.debug_info_);
  }

 private:
  protobuf::RepeatedPtrField<NodeDef> node_;
  protobuf::Box<FunctionDefLibrary> library_;
  int32 version_{};
  protobuf::Box<VersionDef> versions_;
  protobuf::Box<GraphDebugInfo> debug_info_;
};
class OptimizedFunctionGraph : public protobuf::Message<OptimizedFunctionGraph> {
 public:
  static constexpr const char* kName = "OptimizedFunctionGraph";
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_MESSAGE(GraphDef, function_graph)
  TENON_COMPAT_MAP(std::string, std::string, node_name_to_control_ret)
  TENON_COMPAT_NUMBERS(DataType, ret_types)
  TENON_COMPAT_SCALAR(uint32, num_return_nodes)
  TENON_COMPAT_SCALAR(int32, source)
  TENON_COMPAT_SCALAR(uint64_t, optimization_time_usecs)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "function_graph", m.function_graph_);
    call(3, "node_name_to_control_ret", m.node_name_to_control_ret_);
    call(4, "ret_types", m.ret_types_);
    call(5, "num_return_nodes", m.num_return_nodes_);
    call(7, "source", m.source_);
    call(8, "optimization_time_usecs", m.optimization_time_usecs_);
  }

 private:
  std::string name_;
  protobuf::Box<GraphDef> function_graph_;
  protobuf::Map<std::string, std::string> node_name_to_control_ret_;
  protobuf::RepeatedField<DataType> ret_types_;
  uint32 num_return_nodes_{};
  int32 source_{};
  uint64_t optimization_time_usecs_{};
};

}  // namespace tensorflow
