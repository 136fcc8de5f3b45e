// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionDefHelper, which writes functions as messages, and REGISTER_OP_GRADIENT.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/compat/tensorflow/graph/op_registry.hpp>

namespace tensorflow {

class FunctionDefHelper {
 public:
  // The value of an attr; "$T" is a placeholder.
  struct AttrValueWrapper {
    AttrValueWrapper() = default;
    template <class T>
    AttrValueWrapper(T value) {
      SetAttrValue(value, &proto);
    }
    AttrValueWrapper(const char* text) : AttrValueWrapper(std::string(text)) {}
    AttrValueWrapper(const std::string& text) {
      if (text.starts_with('$'))
        proto.set_placeholder(text.substr(1));
      else
        SetAttrValue(text, &proto);
    }
    AttrValue proto;
  };
  using Attrs = std::vector<std::pair<std::string, AttrValueWrapper>>;

  struct Node {
    std::vector<std::string> ret;
    std::string op;
    std::vector<std::string> arg = {};
    Attrs attr = {};
    std::vector<std::string> dep = {};
    std::string device = {}, name = {};  // the first result names the node that has no name
    std::vector<std::string> original_node_names = {}, original_func_names = {};
    std::string GetName() const { return !name.empty() || ret.empty() ? name : ret[0]; }
    NodeDef ToNodeDef() const {
      NodeDef node;
      node.set_op(op);
      node.set_name(GetName());
      node.set_device(device);
      for (const auto& [key, value] : attr) (*node.mutable_attr())[key] = value.proto;
      for (const std::string& input : arg) node.add_input(input);
      for (const std::string& input : dep) node.add_input("^" + input);
      for (const std::string& original : original_node_names)
        node.mutable_experimental_debug_info()->add_original_node_names(original);
      for (const std::string& original : original_func_names)
        node.mutable_experimental_debug_info()->add_original_func_names(original);
      return node;
    }
  };
  static AttrValueWrapper FunctionRef(const std::string& name, const Attrs& attrs = {}) {
    AttrValueWrapper out;
    out.proto.mutable_func()->set_name(name);
    for (const auto& [attr, value] : attrs) (*out.proto.mutable_func()->mutable_attr())[attr] = value.proto;
    return out;
  }

  // Nodes name their inputs as bodies of functions do: "x", "node:out:0".
  static FunctionDef Create(const std::string& name, gtl::ArraySlice<std::string> in, gtl::ArraySlice<std::string> out,
                            gtl::ArraySlice<std::string> attrs, gtl::ArraySlice<Node> nodes,
                            gtl::ArraySlice<std::pair<std::string, std::string>> ret,
                            gtl::ArraySlice<std::pair<std::string, std::string>> control_ret = {}) {
    FunctionDef function = Signature(name, in, out, attrs);
    for (const Node& node : nodes) *function.add_node_def() = node.ToNodeDef();
    for (const auto& [of, value] : ret) (*function.mutable_ret())[of] = value;
    for (const auto& [of, value] : control_ret) (*function.mutable_control_ret())[of] = value;
    for (const auto& [of, value] : control_ret) function.mutable_signature()->add_control_output(of);
    return function;
  }
  static FunctionDef Create(const std::string& name, std::initializer_list<std::string> in,
                            std::initializer_list<std::string> out, std::initializer_list<std::string> attrs,
                            std::initializer_list<Node> nodes,
                            std::initializer_list<std::pair<std::string, std::string>> ret,
                            std::initializer_list<std::pair<std::string, std::string>> control_ret = {}) {
    using Texts = gtl::ArraySlice<std::string>;
    using Pairs = gtl::ArraySlice<std::pair<std::string, std::string>>;
    return Create(name, Texts(in), Texts(out), Texts(attrs), gtl::ArraySlice<Node>(nodes), Pairs(ret),
                  Pairs(control_ret));
  }
  // Nodes name their inputs by the results of other nodes.
  static FunctionDef Define(const std::string& name, gtl::ArraySlice<std::string> args,
                            gtl::ArraySlice<std::string> rets, gtl::ArraySlice<std::string> attrs,
                            gtl::ArraySlice<Node> nodes) {
    FunctionDef function = Signature(name, args, rets, attrs);
    std::map<std::string, std::string> source;
    for (const OpDef_ArgDef& arg : function.signature().input_arg()) source[arg.name()] = arg.name();
    const auto find = [&source](const std::string& text) {
      const auto found = source.find(text);
      return found == source.end() ? text : found->second;
    };
    for (const Node& item : nodes) {
      NodeDef* const node = function.add_node_def();
      *node = item.ToNodeDef();
      for (int i = 0; i < static_cast<int>(item.arg.size()); ++i)
        *node->mutable_input(i) = find(item.arg[static_cast<std::size_t>(i)]);
      const OpDef* op = nullptr;
      NameRangeMap outputs;
      std::size_t taken = 0;
      if (OpRegistry::Global()->LookUpOpDef(item.op, &op).ok()) {
        NodeDef full = *node;
        AddDefaultsToNodeDef(*op, &full);
        for (auto& [attr, value] : *full.mutable_attr())  // any value will do for the number of outputs
          if (value.has_placeholder()) value.set_type(DT_FLOAT);
        if (NameRangesForNode(full, *op, nullptr, &outputs).ok())
          for (const OpDef_ArgDef& out : op->output_arg())
            for (int k = outputs[out.name()].first; k < outputs[out.name()].second && taken < item.ret.size(); ++k)
              source[item.ret[taken++]] =
                  strings::StrCat(node->name(), ":", out.name(), ":", k - outputs[out.name()].first);
      }
      for (; taken < item.ret.size(); ++taken)
        source[item.ret[taken]] = strings::StrCat(node->name(), ":output:", taken);
    }
    for (const OpDef_ArgDef& ret : function.signature().output_arg())
      (*function.mutable_ret())[ret.name()] = find(ret.name());
    return function;
  }
  static FunctionDef Define(gtl::ArraySlice<std::string> args, gtl::ArraySlice<std::string> rets,
                            gtl::ArraySlice<std::string> attrs, gtl::ArraySlice<Node> nodes) {
    return Define("_", args, rets, attrs, nodes);
  }
  template <class T>
  static Node Const(const std::string& name, gtl::ArraySlice<T> values) {
    Tensor tensor(DataTypeToEnum<T>::value, TensorShape({static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), tensor.base<T>());
    return {{name}, "Const", {}, {{"dtype", tensor.dtype()}, {"value", tensor}}, {}, {}};
  }
  template <class T>
  static Node Const(const std::string& name, const T& value) {
    const Tensor tensor(value);
    return {{name}, "Const", {}, {{"dtype", tensor.dtype()}, {"value", tensor}}, {}, {}};
  }

 private:
  static FunctionDef Signature(const std::string& name, gtl::ArraySlice<std::string> in,
                               gtl::ArraySlice<std::string> out, gtl::ArraySlice<std::string> attrs) {
    OpDefBuilder builder(name);
    for (const std::string& spec : in) builder.Input(spec);
    for (const std::string& spec : out) builder.Output(spec);
    for (const std::string& spec : attrs) builder.Attr(spec);
    OpRegistrationData data;
    TF_CHECK_OK(builder.Finalize(&data));
    FunctionDef function;
    *function.mutable_signature() = data.op_def;
    return function;
  }
};
using FDH = FunctionDefHelper;

namespace gradient {
typedef std::function<Status(const AttrSlice& attrs, FunctionDef*)> Creator;

// Gradient functions by op; read by GetOpGradientCreator. thread-safe.
class Creators {
 public:
  static Creators& Global() {
    static Creators* const all = new Creators();  // never destroyed
    return *all;
  }
  void Set(const std::string& op, Creator creator) {
    const tenon::MutexLock lock(mutex_);
    creators_[op] = std::move(creator);
  }
  Status Get(const std::string& op, Creator* creator) {
    const tenon::MutexLock lock(mutex_);
    const auto found = creators_.find(op);
    if (found == creators_.end()) return errors::NotFound("No gradient defined for op: ", op);
    *creator = found->second;
    return Status();
  }

 private:
  tenon::Mutex mutex_;
  std::map<std::string, Creator> creators_;
};
inline bool RegisterOp(const std::string& op, Creator creator) {
  Creators::Global().Set(op, std::move(creator));
  return true;
}
inline Status GetOpGradientCreator(const std::string& op, Creator* creator) {
  return Creators::Global().Get(op, creator);
}
}  // namespace gradient

}  // namespace tensorflow

#define REGISTER_OP_GRADIENT(NAME, ...)                                                                    \
  [[maybe_unused]] static const bool TENON_DETAIL_REGISTER_NAME(tenon_tensorflow_gradient_, __COUNTER__) = \
      ::tensorflow::gradient::RegisterOp(NAME, __VA_ARGS__)
#define REGISTER_OP_NO_GRADIENT(NAME) REGISTER_OP_GRADIENT(NAME, nullptr)
#define REGISTER_OP_GRADIENT_UNIQ_HELPER(COUNTER, NAME, FN) REGISTER_OP_GRADIENT(NAME, FN)
