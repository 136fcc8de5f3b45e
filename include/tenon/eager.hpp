// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eager calls: an op runs on tensors at once, without a graph.
//
//   TENON_REGISTER(tenon::Types<float>, tenon::ops::MatMul);
//   tenon::Result<tenon::Tensor> c = tenon::eager::Call<tenon::ops::MatMul>({.transpose_b = true}, a, b);
//
// The first call of an op with other types or attrs prepares a kernel, which later ones find.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/register.hpp>
#include <tenon/runtime.hpp>
#include <tenon/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr_def.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/function_def.hpp>
#include <tenon/op/graph_proto.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/attrs.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/function.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace eager {

// What one argument of an op gets: a tensor, or the tensors of a list.
class Argument {
 public:
  Argument(Tensor tensor) : tensors_{std::move(tensor)} {}
  Argument(std::vector<Tensor> list) : tensors_(std::move(list)), is_list_(true) {}
  Argument(std::initializer_list<Tensor> list) : tensors_(list), is_list_(true) {}

  const std::vector<Tensor>& tensors() const { return tensors_; }
  bool is_list() const { return is_list_; }

 private:
  std::vector<Tensor> tensors_;
  bool is_list_ = false;
};
using Attr = std::pair<std::string, AttrValue>;

namespace detail {

// Where an argument comes in. It is always fed, so there is no kernel.
struct EagerInput {
  static constexpr auto signature = Op("_EagerInput")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
};
inline const bool eager_input_is_registered = tenon::detail::BatchOf<Devices<Cpu>, EagerInput>::Link();

struct NoAttrs {
  NoAttrs() = delete;
};
template <class Op>
struct AttrsOfOp {
  using type = NoAttrs;
};
template <class Op>
  requires requires { typename Op::Attrs; }
struct AttrsOfOp<Op> {
  using type = typename Op::Attrs;
};

// What a call of an op gives: a Status where there is no output, a tensor where there is one, else all of them.
template <class Op>
constexpr auto ResultKind() {
  constexpr OpView op = Op::signature.view();
  if constexpr (op.outputs.empty()) {
    return std::type_identity<Status>{};
  } else if constexpr (op.outputs.size() == 1 && op.outputs[0].number_attr_index < 0 && !op.outputs[0].is_type_list) {
    return std::type_identity<Result<Tensor>>{};
  } else {
    return std::type_identity<Result<std::vector<Tensor>>>{};
  }
}

// Members of an Attrs struct as values of attrs.
inline AttrValue ValueOf(std::int64_t x) { return AttrValue(x); }
inline AttrValue ValueOf(float x) { return AttrValue(x); }
inline AttrValue ValueOf(bool x) { return AttrValue(x); }
inline AttrValue ValueOf(std::string_view x) { return AttrValue(x); }
inline AttrValue ValueOf(DataType x) { return AttrValue(x); }
inline AttrValue ValueOf(const PartialTensorShape& x) { return AttrValue(x); }
inline AttrValue ValueOf(const Tensor& x) { return AttrValue(x); }
inline AttrValue ValueOf(const NameAttrList* x) { return AttrValue(x == nullptr ? NameAttrList() : *x); }
inline AttrValue ValueOf(std::span<const char> x) {
  AttrValue value;
  for (const char b : x) value.mutable_list()->b.push_back(b != 0);
  return value;
}
template <class T>
AttrValue ValueOf(std::span<const T> x) {
  return AttrValue(x);
}
struct ValuesOf {
  template <class... M>
  std::vector<AttrValue> operator()(const M&... members) const {
    return {ValueOf(members)...};
  }
};
// Whether it is what a member has that was not named: 0, false, "", an empty list, no type...
inline bool IsZero(const AttrValue& value) {
  switch (value.kind()) {
    case AttrValue::Kind::kInt: return value.i() == 0;
    case AttrValue::Kind::kFloat: return value.f() == 0;
    case AttrValue::Kind::kBool: return !value.b();
    case AttrValue::Kind::kString: return value.s().empty();
    case AttrValue::Kind::kType: return value.type() == DataType::kInvalid;
    case AttrValue::Kind::kShape: return value.shape().unknown_rank();
    case AttrValue::Kind::kTensor: return value.tensor().dtype() == DataType::kInvalid;
    case AttrValue::Kind::kFunc: return value.func().name.empty();
    default: return value == AttrValue() || value == AttrValue(AttrList());
  }
}

}  // namespace detail

// The attrs that an op's kernel reads: MatMul's are `bool transpose_a, transpose_b`. A member that is not named is zero
// or empty, unless it has an initialiser of its own; where that is not the attr's default the call is refused, so that
// nobody gets a zero unawares. What is no member (num_split of Split, say) can be given to a call by name.
template <class Op>
using AttrsOf = typename detail::AttrsOfOp<Op>::type;
template <class Op>
using ResultOf = typename decltype(detail::ResultKind<Op>())::type;

// Where eager calls run: a device, its threads, its resources (variables live here from call to call), and the kernels
// that were prepared. thread-safe but for AddFunctions.
class Context {
 public:
  // `options` as for a session; executor and inter-op threads matter to calls of functions only.
  explicit Context(SessionOptions options = {}) : options_(std::move(options)) {
    if (options_.resources == nullptr) options_.resources = &own_resources_;
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The one that calls without a context use. Lives until the process ends.
  static Context& Default() {
    static Context* const context = new Context;
    return *context;
  }

  // Calls an op by its name, or a function that AddFunctions brought. Type attrs and lengths of lists follow from the
  // inputs, other attrs that are not given have their defaults.
  // NotFound: no such op (names that are near), no kernel. InvalidArgument: inputs or attrs that the op does not take.
  // Unimplemented: an op of references to variables, which only graphs have. Else what the kernel says.
  //
  //   context.Call("ConcatV2", {{a, b}, axis});
  //   context.Call("LeakyRelu", {x}, {{"alpha", 0.0f}});
  Result<std::vector<Tensor>> Call(std::string_view op, const std::vector<Argument>& inputs,
                                   const std::vector<Attr>& attrs = {}) {
    return CallArguments(op, inputs, attrs, nullptr);
  }
  // Calls an op: Tensor is an argument, std::vector<Tensor> a list. ResultOf<Op> is a Status for ops without an output,
  // a Result<Tensor> for those with one, a Result<std::vector<Tensor>> for others.
  template <class Op, std::convertible_to<Argument>... Inputs>
  ResultOf<Op> Call(const Inputs&... inputs) {
    return Pick<Op>(CallArguments(Op::signature.name, {Argument(inputs)...}, {}, nullptr));
  }
  template <class Op, std::convertible_to<Argument>... Inputs>
  ResultOf<Op> Call(AttrsOf<Op> attrs, const Inputs&... inputs) {
    static constexpr TypedOp kOp{Op::signature.view(), &NamedAttrs<Op>};
    return Pick<Op>(CallArguments(kOp.view.name, {Argument(inputs)...}, NamedAttrs<Op>(&attrs), &kOp));
  }

  // Functions that may be called by name, and by the attrs of ops (If, While, PartitionedCall...). InvalidArgument:
  // another function of that name is there. Not while another thread calls.
  Status AddFunctions(const FunctionDefLibrary& functions) {
    for (const FunctionDef& function : functions.function) {
      const FunctionDef* known = FindFunction(functions_, function.signature.name);
      if (known != nullptr && !(*known == function))
        return errors::InvalidArgument("Cannot add function '", function.signature.name,
                                       "' because a different function with the same name already exists.");
    }
    for (const FunctionDef& function : functions.function)
      if (FindFunction(functions_, function.signature.name) == nullptr) functions_.function.push_back(function);
    return OkStatus();
  }

  ResourceMgr* resources() { return options_.resources; }
  std::size_t num_kernels() const {
    const MutexLock lock(mutex_);
    return kernels_.size();
  }

 private:
  // An op with given types and attrs, prepared.
  struct Kernel {
    Callable run;
    std::size_t num_outputs = 0;
  };

  // An op whose attrs came as members.
  struct TypedOp {
    OpView view;
    std::vector<Attr> (*named)(const void* attrs);  // of null: what members have that nobody names
  };
  template <class Op>
  static std::vector<Attr> NamedAttrs(const void* attrs) {
    AttrsOf<Op> unnamed{};
    const AttrsOf<Op>& given = attrs == nullptr ? unnamed : *static_cast<const AttrsOf<Op>*>(attrs);
    constexpr auto names = tenon::detail::MemberNames<AttrsOf<Op>>();
    std::vector<AttrValue> values = tenon::detail::WithMembers(given, detail::ValuesOf{});
    std::vector<Attr> named;
    for (std::size_t i = 0; i < names.size(); ++i) named.emplace_back(std::string(names[i]), std::move(values[i]));
    return named;
  }

  template <class Op>
  static ResultOf<Op> Pick(Result<std::vector<Tensor>> outputs) {
    if constexpr (std::is_same_v<ResultOf<Op>, Status>) {
      return outputs.status();
    } else if constexpr (std::is_same_v<ResultOf<Op>, Result<Tensor>>) {
      if (!outputs.ok()) return outputs.status();
      return std::move((*outputs)[0]);
    } else {
      return outputs;
    }
  }

  // `typed`: where attrs may be zero because nobody named them; else null.
  Result<std::vector<Tensor>> CallArguments(std::string_view op, const std::vector<Argument>& inputs,
                                            const std::vector<Attr>& attrs, const TypedOp* typed) {
    std::string key;
    std::vector<Tensor> feeds;
    MakeKey(op, inputs, attrs, &key, &feeds);
    const Kernel* kernel = FindKernel(key);
    if (kernel == nullptr) {
      if (typed != nullptr) TENON_RETURN_IF_ERROR(CheckZeros(*typed, attrs));
      TENON_ASSIGN_OR_RETURN(kernel, MakeKernel(op, inputs, attrs, key));
    }
    std::vector<Tensor> outputs(kernel->num_outputs);
    TENON_RETURN_IF_ERROR(kernel->run.Run(feeds, outputs));
    return outputs;
  }

  static void MakeKey(std::string_view op, const std::vector<Argument>& inputs, const std::vector<Attr>& attrs,
                      std::string* key, std::vector<Tensor>* feeds) {
    key->append(op);
    for (const Argument& input : inputs) {
      key->push_back(input.is_list() ? '[' : ' ');
      for (const Tensor& tensor : input.tensors()) {
        key->push_back(static_cast<char>(tensor.dtype()));
        feeds->push_back(tensor);
      }
    }
    for (const auto& [name, value] : attrs) {
      StrAppend(key, "\n", name, "=");
      wire::SerializeTo(value, key);
    }
  }
  const Kernel* FindKernel(std::string_view key) const {
    const MutexLock lock(mutex_);
    const Owned<Kernel>* const found = kernels_.FindValue(key);
    return found == nullptr ? nullptr : found->get();
  }

  TENON_COLD static Status CheckZeros(const TypedOp& typed, const std::vector<Attr>& attrs) {
    const OpView& op = typed.view;
    const std::vector<Attr> unnamed = typed.named(nullptr);
    for (std::size_t i = 0; i < attrs.size(); ++i) {
      const auto& [name, value] = attrs[i];
      const AttrSpec* const spec = op.FindAttr(name);
      if (spec == nullptr || !spec->has_default || !detail::IsZero(value) || !detail::IsZero(unnamed[i].second))
        continue;
      AttrValue usual;
      if (!ParseAttrText(spec->kind, spec->is_list, spec->default_text(), &usual)) continue;
      if (usual == value || (detail::IsZero(usual) && usual.kind() == AttrValue::Kind::kList)) continue;
      return errors::InvalidArgument(
          "eager::Call<", op.name, ">: attr '", name, "' is ", SummarizeAttrValue(value),
          " or was not given, and its default is ", SummarizeAttrValue(usual),
          ". Name every attr whose default is not zero, or call the op by name, with the attrs that are meant: Call(\"",
          op.name, "\", {...}, {{\"", name, "\", ...}})");
    }
    return OkStatus();
  }

  TENON_COLD Result<const Kernel*> MakeKernel(std::string_view op, const std::vector<Argument>& inputs,
                                              const std::vector<Attr>& attrs, const std::string& key) {
    const Registry& registry = options_.registry != nullptr ? *options_.registry : Registry::Global();
    TENON_RETURN_IF_ERROR(registry.status());
    // A registry of the caller's own may have no _EagerInput.
    const std::string_view input_op = registry.FindOp("_EagerInput") != nullptr ? "_EagerInput" : "Placeholder";
    GraphBuilder b(registry.ops());
    CallableOptions ends;
    SlimVector<GraphBuilder::Input> arguments;
    SlimVector<Output> all;
    for (const Argument& input : inputs) {
      SlimVector<Output> fed;
      for (const Tensor& tensor : input.tensors()) {
        if (tensor.dtype() == DataType::kInvalid)
          return errors::InvalidArgument("eager call of '", op, "': input ", ends.feeds.size(), " is an empty tensor");
        ends.feeds.push_back(StrCat("input_", ends.feeds.size()));
        fed.push_back(b.Add(input_op, ends.feeds.back(), {}, {{"dtype", tensor.dtype()}}));
      }
      all.append(fed.begin(), fed.end());
      arguments.push_back(input.is_list() ? GraphBuilder::Input(std::move(fed)) : GraphBuilder::Input(fed[0]));
    }
    if (const OpView* const known = registry.FindOp(op); known != nullptr) {
      for (const Attr& attr : attrs)
        if (known->FindAttr(attr.first) == nullptr && !attr.first.starts_with('_'))
          return NoSuchAttr(*known, attr.first);
    }
    const std::string name = IsValidNodeName(op) ? std::string(op) : "call";
    const FunctionDef* const function = registry.FindOp(op) != nullptr ? nullptr : FindFunction(functions_, op);
    const Output call = function == nullptr ? b.Add(op, name, arguments, attrs)
                                            : AddFunctionCall(&b, *function, name, std::move(all), attrs);
    TENON_RETURN_IF_ERROR(b.status());
    GraphDef graph = b.graph_def();
    if (function != nullptr || std::any_of(attrs.begin(), attrs.end(), NamesFunctions)) graph.library = functions_;
    auto kernel = MakeOwned<Kernel>();
    for (; b.dtype(call[static_cast<int>(kernel->num_outputs)]) != DataType::kInvalid; ++kernel->num_outputs) {
      if (IsRefType(b.dtype(call[static_cast<int>(kernel->num_outputs)])))
        return errors::Unimplemented("eager call of '", op,
                                     "': it gives a reference to a variable, which only graphs have; use resource "
                                     "variables (VarHandleOp, ReadVariableOp, AssignVariableOp)");
      ends.fetches.push_back(StrCat(name, ":", kernel->num_outputs));
    }
    if (ends.fetches.empty()) ends.targets.push_back(name);
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, options_));
    TENON_ASSIGN_OR_RETURN(kernel->run, session.MakeCallable(ends));
    const MutexLock lock(mutex_);
    Owned<Kernel>& place = kernels_[key];
    if (place == nullptr) place = std::move(kernel);  // somebody may have been quicker
    return static_cast<const Kernel*>(place.get());
  }
  TENON_COLD static Status NoSuchAttr(const OpView& op, std::string_view attr) {
    const auto name = [](std::string* out, const AttrSpec& spec) { StrAppend(out, "'", spec.name(), "'"); };
    return errors::InvalidArgument("eager call of '", op.name, "': the op has no attr '", attr, "'; it has ",
                                   op.attrs.empty() ? "none" : StrJoin(op.attrs, ", ", name));
  }
  static bool NamesFunctions(const Attr& attr) {
    return attr.second.kind() == AttrValue::Kind::kFunc || !attr.second.list().func.empty();
  }
  static Output AddFunctionCall(GraphBuilder* b, const FunctionDef& function, const std::string& name,
                                SlimVector<Output> inputs, const std::vector<Attr>& attrs) {
    NameAttrList f;
    f.name = function.signature.name;
    for (const auto& [key, value] : attrs) f.attr.Set(key, value);
    std::vector<DataType> results;
    for (const OpDef::ArgDef& result : function.signature.output_arg) {
      const AttrValue* const type = f.attr.Find(result.type_attr);
      results.push_back(type != nullptr ? type->type() : result.type);
    }
    const GraphBuilder::Attr given[] = {{"f", std::move(f)}, {"Tout", AttrValue(results)}};
    const GraphBuilder::Input list[] = {GraphBuilder::Input(std::move(inputs))};
    return b->AddNode(function.signature.is_stateful ? "StatefulPartitionedCall" : "PartitionedCall", name, list,
                      given);
  }

  ResourceMgr own_resources_;  // outlives the kernels' sessions
  SessionOptions options_;
  FunctionDefLibrary functions_;
  mutable Mutex mutex_;
  FlatMap<std::string, Owned<Kernel>> kernels_;  // none is ever dropped: found ones are used without the lock
};

// Calls in the default context.
inline Result<std::vector<Tensor>> Call(std::string_view op, const std::vector<Argument>& inputs,
                                        const std::vector<Attr>& attrs = {}) {
  return Context::Default().Call(op, inputs, attrs);
}
template <class Op, std::convertible_to<Argument>... Inputs>
ResultOf<Op> Call(const Inputs&... inputs) {
  return Context::Default().Call<Op>(inputs...);
}
template <class Op, std::convertible_to<Argument>... Inputs>
ResultOf<Op> Call(AttrsOf<Op> attrs, const Inputs&... inputs) {
  return Context::Default().Call<Op>(std::move(attrs), inputs...);
}

}  // namespace eager

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
