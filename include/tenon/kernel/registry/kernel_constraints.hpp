// SPDX-License-Identifier: Apache-2.0
#pragma once
// KernelMatch: which nodes a kernel is for, beside its device and types, and which of its arguments lie in host memory.
// Stands for Label, Priority, AttrConstraint, TypeConstraint and HostMemory of TensorFlow's kernel builder.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
void kernel_match_error_has_more_than_4_constraints();
void kernel_match_error_allows_more_than_16_values();
void kernel_match_error_has_more_than_8_host_arguments();
}  // namespace detail

// A member of an op struct: its kernels serve only these nodes. Another struct may hold the kernels for other nodes.
// Where several fit a node, the one of the highest priority is taken. Immutable, a constant.
//
//   struct MatMulFast {
//     static constexpr auto signature = MatMul::signature;
//     static constexpr auto kernel_match = tenon::KernelMatch().Priority(1).Attr("transpose_a", {false});
struct KernelMatch {
  static constexpr std::size_t kMaxConstraints = 4, kMaxValues = 16, kMaxHostArguments = 8;
  enum class Kind : std::uint8_t { kInt, kBool, kString, kType };  // kinds of attrs that can be constrained
  // A value that a constraint allows.
  struct Value {
    std::int64_t number = 0;
    std::string_view text;

    friend constexpr bool operator==(const Value&, const Value&) = default;
  };
  // An attr and the values that it may have.
  struct Constraint {
    std::string_view attr;
    Kind kind = Kind::kInt;
    std::size_t count = 0;
    Value values[kMaxValues];
    const Value* external_values = nullptr;  // instead of `values`, in memory that outlives this

    constexpr Span<const Value> allowed() const {
      return {external_values != nullptr ? external_values : values, count};
    }
    // Whether attrs of this kind have such values; among lists, only lists of types do.
    constexpr bool Takes(AttrKind of, bool is_list) const {
      switch (kind) {
        case Kind::kInt: return of == AttrKind::kInt && !is_list;
        case Kind::kBool: return of == AttrKind::kBool && !is_list;
        case Kind::kString: return of == AttrKind::kString && !is_list;
        default: return of == AttrKind::kType;
      }
    }
  };

  std::string_view label;  // nodes ask for it with their attr `_kernel`
  int priority = 0;
  std::size_t count = 0;
  Constraint constraints[kMaxConstraints];
  std::size_t host_count = 0;
  std::string_view host_arguments[kMaxHostArguments];
  // Instead of the lists above, of any length, in memory that outlives this: compat/register.hpp.
  const Constraint* external_constraints = nullptr;
  const std::string_view* external_host_arguments = nullptr;

  constexpr Span<const Constraint> all_constraints() const {  // the constraints
    return {external_constraints != nullptr ? external_constraints : constraints, count};
  }
  constexpr Span<const std::string_view> all_host_arguments() const {  // names
    return {external_host_arguments != nullptr ? external_host_arguments : host_arguments, host_count};
  }

  constexpr KernelMatch Label(std::string_view text) const {  // only for nodes with this `_kernel`
    KernelMatch match = *this;
    match.label = text;
    return match;
  }
  constexpr KernelMatch Priority(int value) const {  // the highest of those that fit wins
    KernelMatch match = *this;
    match.priority = value;
    return match;
  }
  // Requires that the attr has one of these values: bool, int, string or DataType. In a list of types, all have.
  template <class T>
  constexpr KernelMatch Attr(std::string_view attr, std::initializer_list<T> values) const {
    if (count == kMaxConstraints) detail::kernel_match_error_has_more_than_4_constraints();
    if (values.size() > kMaxValues) detail::kernel_match_error_allows_more_than_16_values();
    KernelMatch match = *this;
    Constraint& constraint = match.constraints[match.count++];
    constraint.attr = attr;
    for (const T& value : values) Add(&constraint, value);
    return match;
  }

  // Places the input or output of that name, or a list of them, in host memory on any device. For kernels in the raw
  // form; other kernels use parameter types.
  constexpr KernelMatch HostMemory(std::string_view argument) const {
    if (host_count == kMaxHostArguments) detail::kernel_match_error_has_more_than_8_host_arguments();
    KernelMatch match = *this;
    match.host_arguments[match.host_count++] = argument;
    return match;
  }

 private:
  static constexpr void Add(Constraint* to, Kind kind, Value value) {
    to->kind = kind;
    to->values[to->count++] = value;
  }
  static constexpr void Add(Constraint* to, std::string_view text) { Add(to, Kind::kString, {0, text}); }
  static constexpr void Add(Constraint* to, const char* text) { Add(to, std::string_view(text)); }
  static constexpr void Add(Constraint* to, DataType type) {
    Add(to, Kind::kType, {static_cast<std::int64_t>(type), {}});
  }
  static constexpr void Add(Constraint* to, int number) { Add(to, Kind::kInt, {number, {}}); }
  static constexpr void Add(Constraint* to, long number) { Add(to, Kind::kInt, {number, {}}); }
  static constexpr void Add(Constraint* to, long long number) { Add(to, Kind::kInt, {number, {}}); }
  static constexpr void Add(Constraint* to, bool flag) { Add(to, Kind::kBool, {flag ? 1 : 0, {}}); }
};

// A device for kernels that run on any: Register(registry, Ops<...>{}, Devices<AnyDevice>{}). Such a kernel serves
// where a device has no kernel of its own; all its arguments lie in host memory, and what it needs it gets from its
// context.
struct AnyDevice {
  static constexpr std::string_view type = "DEFAULT";
};

TENON_DETAIL_COLD_CODE_BEGIN
namespace detail {

inline bool Allows(const KernelMatch::Constraint& constraint, std::int64_t number, std::string_view text) {
  for (const KernelMatch::Value& value : constraint.allowed())
    if (value.number == number && value.text == text) return true;
  return false;
}
TENON_DETAIL_COLD inline Status WrongKindOfAttr(const KernelMatch::Constraint& constraint, const NodeDef& node) {
  constexpr std::string_view kKinds[] = {"int", "bool", "string", "type or list(type)"};
  return errors::InvalidArgument("KernelDef of op ", node.op, " has constraint on attr '", constraint.attr,
                                 "' that has type '", kKinds[static_cast<std::size_t>(constraint.kind)],
                                 "', but the node's has another: ", SummarizeNodeDef(node));
}
TENON_DETAIL_COLD inline Status NoConstrainedAttr(const NodeDef& node, std::string_view attr) {
  return errors::InvalidArgument("OpKernel '", node.op, "' has constraint on attr '", attr, "' not in NodeDef '",
                                 SummarizeNodeDef(node), "'");
}
inline Status Satisfies(const KernelMatch::Constraint& constraint, const NodeDef& node, bool* satisfies) {
  using Kind = KernelMatch::Kind;
  if (constraint.count == 0)
    return errors::Unimplemented("KernelDef of op ", node.op, " has constraint on attr '", constraint.attr,
                                 "' with unsupported type: []");
  const AttrValue* const attr = node.attr.Find(constraint.attr);
  if (attr == nullptr) return NoConstrainedAttr(node, constraint.attr);
  const AttrValue::Kind kind = attr->kind();
  if (constraint.kind == Kind::kInt && kind == AttrValue::Kind::kInt) {
    *satisfies = Allows(constraint, attr->i(), {});
  } else if (constraint.kind == Kind::kBool && kind == AttrValue::Kind::kBool) {
    *satisfies = Allows(constraint, attr->b() ? 1 : 0, {});
  } else if (constraint.kind == Kind::kString && kind == AttrValue::Kind::kString) {
    *satisfies = Allows(constraint, 0, attr->s());
  } else if (constraint.kind == Kind::kType && kind == AttrValue::Kind::kType) {
    *satisfies = Allows(constraint, static_cast<std::int64_t>(attr->type()), {});
  } else if (constraint.kind == Kind::kType && kind == AttrValue::Kind::kList) {
    *satisfies = true;
    for (const DataType type : attr->list().type)
      *satisfies = *satisfies && Allows(constraint, static_cast<std::int64_t>(type), {});
  } else {
    return WrongKindOfAttr(constraint, node);
  }
  return OkStatus();
}

TENON_DETAIL_COLD inline Status NotOfTheOp(const OpView& op, std::string_view what, std::string_view name) {
  std::string have;
  for (const auto& list : {op.inputs, op.outputs})
    for (const ArgSpec& argument : list) StrAppend(&have, have.empty() ? "'" : ", '", argument.name(), "'");
  std::string attrs;
  for (const AttrSpec& attr : op.attrs) StrAppend(&attrs, attrs.empty() ? "'" : ", '", attr.name(), "'");
  return errors::InvalidArgument(what, " '", name, "' not found in OpDef: op '", op.name, "' has the arguments ",
                                 have.empty() ? "(none)" : have, " and the attrs ", attrs.empty() ? "(none)" : attrs);
}

}  // namespace detail

// InvalidArgument when a match names arguments or attrs that the op does not have. Attrs that begin with '_' are the
// system's: nodes of any op may have them.
inline Status CheckMatch(const KernelMatch& match, const OpView& op) {
  for (const std::string_view name : match.all_host_arguments())
    if (op.FindArg(name) == nullptr) return detail::NotOfTheOp(op, "HostMemory arg", name);
  for (const KernelMatch::Constraint& constraint : match.all_constraints()) {
    const std::string_view name = constraint.attr;
    if (!StartsWith(name, "_") && op.AttrIndex(name) < 0) return detail::NotOfTheOp(op, "kernel constraint attr", name);
  }
  return OkStatus();
}

// Whether a node satisfies all constraints (the label is not looked at). InvalidArgument when it lacks an attr, or has
// one of another kind; Unimplemented when a constraint allows nothing at all.
inline Status Satisfies(const KernelMatch& match, const NodeDef& node, bool* satisfies) {
  *satisfies = true;
  for (const KernelMatch::Constraint& constraint : match.all_constraints()) {
    if (!*satisfies) break;
    TENON_RETURN_IF_ERROR(detail::Satisfies(constraint, node, satisfies));
  }
  return OkStatus();
}

// Whether both say the same, in the same order.
inline bool SameMatch(const KernelMatch& a, const KernelMatch& b) {
  const auto same = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  const auto same_constraint = [&same](const KernelMatch::Constraint& x, const KernelMatch::Constraint& y) {
    return x.attr == y.attr && x.kind == y.kind && same(x.allowed(), y.allowed());
  };
  const auto x = a.all_constraints(), y = b.all_constraints();
  return a.label == b.label && a.priority == b.priority && same(a.all_host_arguments(), b.all_host_arguments()) &&
         std::equal(x.begin(), x.end(), y.begin(), y.end(), same_constraint);
}
TENON_DETAIL_COLD_CODE_END

TENON_DETAIL_NAMESPACE_END
