// SPDX-License-Identifier: Apache-2.0
#pragma once
// How eager calls are written, whoever runs them: ops by their types, attrs as members of the op's struct or by name,
// one result or several. eager.hpp runs them at once, eager_async.hpp later.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/graph_def/attr_text.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/attrs.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace eager {

using Attr = std::pair<std::string, AttrValue>;

namespace detail {

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

// Result of a call of an op: a Status where there is no output, a Value where there is one, else all of them.
template <class Op, class Value>
constexpr auto ResultKind() {
  constexpr OpView op = Op::signature.view();
  if constexpr (op.outputs.empty()) {
    return std::type_identity<Status>{};
  } else if constexpr (op.outputs.size() == 1 && op.outputs[0].number_attr_index < 0 && !op.outputs[0].is_type_list) {
    return std::type_identity<Result<Value>>{};
  } else {
    return std::type_identity<Result<std::vector<Value>>>{};
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
// True for the value of a member that was not named: 0, false, "", an empty list, no type...
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
// no call gets a zero unawares. An attr that is not a member (num_split of Split, say) can be given by name.
template <class Op>
using AttrsOf = typename detail::AttrsOfOp<Op>::type;
template <class Op, class Value = Tensor>
using ResultOf = typename decltype(detail::ResultKind<Op, Value>())::type;

namespace detail {

// An op whose attrs came as members.
struct TypedOp {
  OpView view;
  std::vector<Attr> (*named)(const void* attrs);  // null: gives the values of members that are not named
};
template <class Op>
std::vector<Attr> NamedAttrs(const void* attrs) {
  AttrsOf<Op> unnamed{};
  const AttrsOf<Op>& given = attrs == nullptr ? unnamed : *static_cast<const AttrsOf<Op>*>(attrs);
  constexpr auto names = tenon::detail::MemberNames<AttrsOf<Op>>();
  std::vector<AttrValue> values = tenon::detail::WithMembers(given, ValuesOf{});
  std::vector<Attr> named;
  for (std::size_t i = 0; i < names.size(); ++i) named.emplace_back(std::string(names[i]), std::move(values[i]));
  return named;
}

TENON_DETAIL_COLD inline Status CheckZeros(const TypedOp& typed, const std::vector<Attr>& attrs) {
  const OpView& op = typed.view;
  const std::vector<Attr> unnamed = typed.named(nullptr);
  for (std::size_t i = 0; i < attrs.size(); ++i) {
    const auto& [name, value] = attrs[i];
    const AttrSpec* const spec = op.FindAttr(name);
    if (spec == nullptr || !spec->has_default || !IsZero(value) || !IsZero(unnamed[i].second)) continue;
    AttrValue usual;
    if (!ParseAttrText(spec->kind, spec->is_list, spec->default_text(), &usual)) continue;
    if (usual == value || (IsZero(usual) && usual.kind() == AttrValue::Kind::kList)) continue;
    return errors::InvalidArgument(
        "eager::Call<", op.name, ">: attr '", name, "' is ", SummarizeAttrValue(value),
        " or was not given, and its default is ", SummarizeAttrValue(usual),
        ". Name every attr whose default is not zero, or call the op by name, with the attrs that are meant: Call(\"",
        op.name, "\", {...}, {{\"", name, "\", ...}})");
  }
  return OkStatus();
}

}  // namespace detail

// The calls that a Caller offers, which has
//
//   Result<std::vector<Value>> CallOn(std::string_view device, std::string_view op, const std::vector<Argument>&,
//                                     const std::vector<Attr>& attrs, const detail::TypedOp* typed);
//
// `device`: empty where the call names none. `typed`: where attrs may be zero because nobody named them; else null.
template <class Caller, class Argument, class Value>
class Calls {
 public:
  // Calls an op by its name, or a function that AddFunctions brought. Type attrs and lengths of lists follow from the
  // inputs, other attrs that are not given have their defaults.
  // NotFound: no such op (names that are near), no kernel. InvalidArgument: inputs or attrs that the op does not take.
  // Unimplemented: an op of references to variables, which only graphs have. Else what the kernel says.
  //
  //   context.Call("ConcatV2", {{a, b}, axis});
  //   context.Call("LeakyRelu", {x}, {{"alpha", 0.0f}});
  Result<std::vector<Value>> Call(std::string_view op, const std::vector<Argument>& inputs,
                                  const std::vector<Attr>& attrs = {}) {
    return self().CallOn({}, op, inputs, attrs, nullptr);
  }
  // Calls an op: Tensor is an argument, std::vector<Tensor> a list. ResultOf<Op> is a Status for ops without an output,
  // a Result<Tensor> for those with one, a Result<std::vector<Tensor>> for others; a Handle for a Tensor where calls
  // are asynchronous.
  template <class Op, std::convertible_to<Argument>... Inputs>
  ResultOf<Op, Value> Call(const Inputs&... inputs) {
    return Pick<Op>(self().CallOn({}, Op::signature.name, {Argument(inputs)...}, {}, nullptr));
  }
  template <class Op, std::convertible_to<Argument>... Inputs>
  ResultOf<Op, Value> Call(AttrsOf<Op> attrs, const Inputs&... inputs) {
    static constexpr detail::TypedOp kOp{Op::signature.view(), &detail::NamedAttrs<Op>};
    return Pick<Op>(self().CallOn({}, kOp.view.name, {Argument(inputs)...}, detail::NamedAttrs<Op>(&attrs), &kOp));
  }

 private:
  friend Caller;
  Calls() = default;

  Caller& self() { return static_cast<Caller&>(*this); }
  template <class Op>
  static ResultOf<Op, Value> Pick(Result<std::vector<Value>> outputs) {
    if constexpr (std::is_same_v<ResultOf<Op, Value>, Status>) {
      return outputs.status();
    } else if constexpr (std::is_same_v<ResultOf<Op, Value>, Result<Value>>) {
      if (!outputs.ok()) return outputs.status();
      return std::move((*outputs)[0]);
    } else {
      return outputs;
    }
  }
};

// Calls of ops on a device of the caller, which outlives this.
template <class Caller, class Argument, class Value>
class CallsOn : public Calls<CallsOn<Caller, Argument, Value>, Argument, Value> {
 public:
  CallsOn(Caller* caller, std::string device) : caller_(caller), device_(std::move(device)) {}

 private:
  friend class Calls<CallsOn, Argument, Value>;

  Result<std::vector<Value>> CallOn(std::string_view, std::string_view op, const std::vector<Argument>& inputs,
                                    const std::vector<Attr>& attrs, const detail::TypedOp* typed) {
    return caller_->CallOn(device_, op, inputs, attrs, typed);
  }

  Caller* caller_;
  std::string device_;
};

}  // namespace eager

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
