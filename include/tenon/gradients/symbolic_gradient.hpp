// SPDX-License-Identifier: Apache-2.0
#pragma once
// MakeGradientFunction: the gradient of a function or an op as a function, for SymbolicGradient nodes. Including this
// header makes it the GradientMaker of the process, unless there is one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/graph/gradient_maker.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/graph/validate.hpp>
#include <tenon/gradients/function_derivation.hpp>
#include <tenon/gradients/function_writer.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// A function of one node of the op.
inline Result<FunctionDef> FunctionOfOp(const NameAttrList& f, OpInfoCache* ops) {
  const OpInfo* const info = ops->Find(f.name);
  if (info == nullptr) return errors::NotFound("No gradient defined for op: ", f.name);
  FunctionDef out;
  out.signature.name = StrCat("__op_", f.name);
  NodeDef& node = out.node_def.emplace_back();
  node.name = "node";
  node.op = f.name;
  node.attr = f.attr;
  info->AddDefaults(&node);
  const auto find = [&node](const AttrSpec& spec, ArgAttrValue* value) {
    const AttrValue* const attr = node.attr.Find(spec.name());
    if (attr == nullptr) return false;
    value->number = attr->i();
    value->type = attr->type();
    value->types = attr->list().type;
    return true;
  };
  std::int64_t inputs = 0;
  for (const ArgSpec& arg : info->op().inputs) inputs += info->op().ArgCount(arg, find);
  if (inputs < 0 || inputs > kMaxNodeOutputs)
    return errors::InvalidArgument("The attrs of '", f.name, "' are not complete");
  for (std::int64_t i = 0; i < inputs; ++i) node.input.push_back(StrCat("arg", i));
  OpInfo::Types in, result;
  TENON_RETURN_IF_ERROR(info->Resolve(node, &in, &result));
  for (std::size_t i = 0; i < in.size(); ++i) {
    OpDef::ArgDef& arg = out.signature.input_arg.emplace_back();
    arg.name = StrCat("arg", i);
    arg.type = BaseType(in[i]);
  }
  std::size_t number = 0;
  for (const ArgSpec& arg : info->op().outputs) {
    const std::int64_t count = info->op().ArgCount(arg, find);
    for (std::int64_t i = 0; i < count; ++i, ++number) {
      OpDef::ArgDef& one = out.signature.output_arg.emplace_back();
      one.name = StrCat("result", number);
      one.type = BaseType(result[number]);
      out.ret.emplace_back(one.name, StrCat("node:", arg.name(), ":", i));
    }
  }
  SortByKey(&out.ret);
  return out;
}

inline Result<FunctionDef> DeriveFunction(NameAttrList f, const FunctionDefLibrary& library,
                                          const OpRegistry& registry) {
  OpInfoCache ops(registry);
  Graph root;
  root.mutable_versions().producer = kGraphDefVersion;
  root.mutable_library() = library;
  if (FunctionIndex(library).Find(f.name) == nullptr) {
    TENON_ASSIGN_OR_RETURN(FunctionDef wrapper, FunctionOfOp(f, &ops));
    f = NameAttrList{wrapper.signature.name, {}};
    root.mutable_library().function.push_back(std::move(wrapper));
  }
  ShapeRefiner refiner(&root);
  GraphEditor outer(&root, &refiner, &ops);
  outer.set_adds_functions(false);
  outer.set_scope("gradients");
  const FunctionDef* const function = FunctionIndex(root.library()).Find(f.name);
  TENON_ASSIGN_OR_RETURN(const FunctionGraph types,
                         InstantiateFunction(*function, f.attr, FunctionIndex(root.library()), &ops));
  const SlimVector<InEdge> inputs(types.args.size());
  const SlimVector<PartialTensorShape> shapes(types.args.size());
  FunctionDerivation body;
  TENON_RETURN_IF_ERROR(body.Import(outer, f, inputs, shapes));
  SlimVector<char> has_grad;
  for (const InEdge result : body.results()) has_grad.push_back(IsTrainable(body.TypeOf(result)) ? 1 : 0);
  const GradientIndex functions;
  TENON_RETURN_IF_ERROR(body.Derive(functions, has_grad));
  SlimVector<InEdge> grads, results;
  for (std::size_t i = 0; i < has_grad.size(); ++i)
    grads.push_back(has_grad[i] != 0 ? body.grad_args()[i] : body.AddArg(body.TypeOf(body.results()[i]), {}).edge());
  for (std::size_t i = 0; i < body.args().size(); ++i) {
    const TensorGradient& gradient = body.gradients()[i];
    results.push_back((gradient ? DenseOf(body.editor(), gradient) : body.ZerosLike(body.args()[i])).edge());
  }
  TENON_RETURN_IF_ERROR(body.editor().status());
  FunctionWriter writer(body.graph(), StrCat("__gradient_", f.name));
  for (const InEdge arg : body.args()) writer.AddArg(arg);
  for (const InEdge grad : grads) writer.AddArg(grad);
  for (const InEdge result : results) writer.AddResult(result);
  return writer.Write();
}

}  // namespace detail

// The gradient of `function`, one of the library or an op, as graph/gradient_maker.hpp describes it. NotFound: no
// gradient is defined for one of its nodes. Unimplemented: it has branches or loops, whose gradients are functions.
// thread-safe.
inline Result<FunctionDef> MakeGradientFunction(const NameAttrList& function, const FunctionDefLibrary& library,
                                                const OpRegistry& ops) {
  Result<FunctionDef> made = FunctionDef();
  const Status status = detail::CatchAll("MakeGradientFunction", [&]() -> Status {
    made = detail::DeriveFunction(function, library, ops);
    return made.status();
  });
  if (!status.ok()) return status;
  return made;
}

namespace detail {
inline bool AddGradientMaker(GradientMaker maker) {
  const GradientMaker before = SetGradientMaker(maker);
  if (before != nullptr) SetGradientMaker(before);
  return before == nullptr;
}
inline const bool makes_gradients = AddGradientMaker(&MakeGradientFunction);
}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
