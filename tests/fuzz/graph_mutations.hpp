// SPDX-License-Identifier: Apache-2.0
#pragma once
// Changes of a GraphDef that keep it a GraphDef: attrs, inputs, ops, devices, nodes and functions that are missing,
// swapped or of another kind.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/kernel/registry/registry.hpp>

#include "ops_choices.hpp"

namespace ops_fuzz {

using tenon::AttrMap;
using tenon::AttrValue;
using tenon::FunctionDef;
using tenon::GraphDef;
using tenon::NodeDef;
using tenon::SlimVector;
using tenon::StrCat;

class GraphMutation {
 public:
  GraphMutation(GraphDef* graph, Choices& choices) : graph_(*graph), choices_(choices) {}

  void MakeOne() {
    const std::size_t functions = graph_.library.function.size();
    if (functions > 0 && choices_.OneIn(3)) {
      FunctionDef& function = graph_.library.function[Any(functions)];
      if (choices_.OneIn(3)) return ChangeFunction(&function);
      return ChangeBody(&function.node_def, &function);
    }
    if (choices_.OneIn(40)) graph_.versions.producer = static_cast<std::int32_t>(AnyInt(choices_));
    ChangeBody(&graph_.node, nullptr);
  }

 private:
  std::size_t Any(std::size_t n) { return static_cast<std::size_t>(choices_.Below(n)); }
  DataType AnyType() { return static_cast<DataType>(choices_.Below(choices_.OneIn(10) ? 140 : 24)); }
  std::string AnyFunction() {
    const auto& functions = graph_.library.function;
    return functions.empty() || choices_.OneIn(10) ? "none" : functions[Any(functions.size())].signature.name;
  }

  void ChangeBody(SlimVector<NodeDef>* nodes, FunctionDef* function) {
    if (nodes->empty()) return;
    NodeDef& node = (*nodes)[Any(nodes->size())];
    switch (choices_.Below(12)) {
      case 0:
      case 1:
      case 2:
      case 3: return ChangeAttr(&node, (*nodes)[Any(nodes->size())]);
      case 4:
      case 5:
      case 6: return ChangeInput(&node, *nodes, function);
      case 7: node.op = AnyOp(*nodes); return;
      case 8: {
        static constexpr const char* kDevices[] = {"",   "/device:CPU:1", "/cpu:2", "/job:a/task:1/CPU:0", "GPU:0",
                                                   "/x:"};
        node.device = choices_.Of(kDevices);
        return;
      }
      case 9: {
        NodeDef copy = node;
        if (!choices_.OneIn(8)) copy.name += "_2";
        nodes->push_back(std::move(copy));
        return;
      }
      case 10: node.name = choices_.OneIn(2) ? AnyText(choices_) : (*nodes)[Any(nodes->size())].name; return;
      default: {
        const std::size_t at = Any(nodes->size());
        std::swap((*nodes)[at], nodes->back());
        nodes->pop_back();
      }
    }
  }
  std::string AnyOp(const SlimVector<NodeDef>& nodes) {
    if (choices_.OneIn(3)) return AnyFunction();
    if (choices_.OneIn(2)) return nodes[Any(nodes.size())].op;
    return std::string(choices_.Of(tenon::Registry::Global().ops().ops())->name);
  }

  void ChangeInput(NodeDef* node, const SlimVector<NodeDef>& nodes, const FunctionDef* function) {
    const std::string other = nodes[Any(nodes.size())].name;
    std::string input;
    if (function == nullptr) {
      input = choices_.OneIn(3) ? StrCat(other, ":", AnyInt(choices_)) : other;
    } else if (!function->signature.input_arg.empty() && choices_.OneIn(2)) {
      input = function->signature.input_arg[Any(function->signature.input_arg.size())].name;
    } else {
      static constexpr const char* kOutputs[] = {"output", "z", "y", "out", "output_handle", "handle", "?"};
      input = StrCat(other, ":", choices_.Of(kOutputs), ":", choices_.Below(3));
    }
    if (choices_.OneIn(8)) input = StrCat("^", other);
    SlimVector<std::string>& inputs = node->input;
    if (inputs.empty() || choices_.OneIn(6)) return inputs.push_back(std::move(input));
    std::string& chosen = inputs[Any(inputs.size())];
    if (choices_.OneIn(6)) {
      std::swap(chosen, inputs.back());
    } else if (choices_.OneIn(6)) {
      inputs.pop_back();
    } else {
      chosen = std::move(input);
    }
  }

  void ChangeAttr(NodeDef* node, const NodeDef& other) {
    if (node->attr.empty()) return;
    std::string name;
    std::size_t at = Any(node->attr.size());
    for (const auto& [key, value] : node->attr)
      if (at-- == 0) name = key;
    if (choices_.OneIn(3)) {
      node->attr.erase(name);
      return;
    }
    AttrValue* const value = node->attr.Find(name);
    if (!other.attr.empty() && choices_.OneIn(4)) {
      at = Any(other.attr.size());
      for (const auto& [key, theirs] : other.attr)
        if (at-- == 0) *value = AttrValue(theirs);
      return;
    }
    ChangeValue(value);
  }
  void ChangeValue(AttrValue* value) {
    switch (value->kind()) {
      case AttrValue::Kind::kInt: *value = AttrValue(AnyInt(choices_)); return;
      case AttrValue::Kind::kFloat: *value = AttrValue(static_cast<float>(AnyDouble(choices_))); return;
      case AttrValue::Kind::kBool: *value = AttrValue(!value->b()); return;
      case AttrValue::Kind::kString: *value = AttrValue(AnyText(choices_)); return;
      case AttrValue::Kind::kType: *value = AttrValue(AnyType()); return;
      case AttrValue::Kind::kShape: *value = AttrValue(AnyPartialShape(choices_)); return;
      case AttrValue::Kind::kTensor: *value = AttrValue(Changed(value->tensor(), choices_)); return;
      case AttrValue::Kind::kFunc: return ChangeCall(value->mutable_func());
      case AttrValue::Kind::kPlaceholder: *value = AttrValue(AnyType()); return;
      case AttrValue::Kind::kNone: *value = AttrValue(AnyInt(choices_)); return;
      case AttrValue::Kind::kList: break;
    }
    tenon::AttrList& list = *value->mutable_list();
    if (!list.func.empty()) return ChangeCall(&list.func[Any(list.func.size())]);
    if (!list.type.empty()) return ChangeList(&list.type, AnyType());
    if (!list.i.empty()) return ChangeList(&list.i, AnyInt(choices_));
    if (!list.s.empty()) return ChangeList(&list.s, AnyText(choices_));
    if (!list.shape.empty()) return ChangeList(&list.shape, AnyPartialShape(choices_));
    list.type.push_back(AnyType());
  }
  template <class T>
  void ChangeList(SlimVector<T>* list, T item) {
    switch (choices_.Below(3)) {
      case 0: list->push_back(std::move(item)); return;
      case 1: list->pop_back(); return;
      default: (*list)[Any(list->size())] = std::move(item);
    }
  }
  void ChangeCall(tenon::NameAttrList* call) {
    if (call->attr.empty() || choices_.OneIn(2)) {
      call->name = AnyFunction();
      return;
    }
    call->attr.erase(std::string(call->attr.begin()->first));
  }

  void ChangeFunction(FunctionDef* function) {
    tenon::OpDef& signature = function->signature;
    auto& args = choices_.OneIn(2) ? signature.input_arg : signature.output_arg;
    switch (choices_.Below(8)) {
      case 0: signature.name = AnyFunction(); return;
      case 1:
        if (!args.empty()) args.pop_back();
        return;
      case 2:
        if (!args.empty()) args.push_back(args[0]);
        return;
      case 3:
        if (!args.empty()) args[Any(args.size())].type = AnyType();
        return;
      case 4:
        if (!function->ret.empty()) function->ret[Any(function->ret.size())].second = AnyText(choices_);
        return;
      case 5:
        if (!function->ret.empty()) function->ret.pop_back();
        return;
      case 6: function->control_ret.push_back({"c", AnyText(choices_)}); return;
      default: {
        FunctionDef copy = *function;
        if (choices_.OneIn(2)) copy.signature.name += "_2";
        graph_.library.function.push_back(std::move(copy));
      }
    }
  }

  GraphDef& graph_;
  Choices& choices_;
};

}  // namespace ops_fuzz
