// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is a node right? Names, attrs against the op's description, the dtypes that follow from them. Messages are
// TensorFlow's.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/name_table.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/arg_op.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/op_def/op_deprecation.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/graph_def/unknown_attr.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// [A-Za-z0-9.][A-Za-z0-9_./-]*, any number of times with '>' between; names of the runtime's own nodes may begin with
// '_'.
constexpr bool IsValidNodeName(std::string_view name, bool allow_internal = false) {
  const auto is_first = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  bool first = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (first) {
      if (!is_first(c) && !(allow_internal && c == '_' && i == 0)) return false;
      first = false;
    } else if (c == '>') {
      first = true;
    } else if (!is_first(c) && c != '_' && c != '/' && c != '-') {
      return false;
    }
  }
  return !first;
}

// More outputs than any sensible node has, and few enough that a malformed graph cannot exhaust memory with one attr.
inline constexpr std::int64_t kMaxNodeOutputs = std::int64_t{1} << 20;

// An op's description made ready for checking many nodes: defaults and allowed values are read once. immutable.
//
//   OpInfo info(registry.Find("MatMul"));
//   info.AddDefaults(&node);
//   TENON_RETURN_IF_ERROR(info.Validate(node));
class OpInfo {
 public:
  using Types = InlinedVector<DataType, 4>;

  // `op` outlives this.
  explicit OpInfo(const OpView* op) : op_(op), node_class_(NodeClassOf(op->name)) {
    for (const AttrSpec& spec : op->attrs) (void)detail::ToAttrDef(spec, &attrs_.emplace_back());
    by_name_ = SortedOrder(op->attrs.size(),
                           [op](std::size_t a, std::size_t b) { return op->attrs[a].name() < op->attrs[b].name(); });
    for (const OpDef::AttrDef& attr : attrs_) defaults_ += attr.default_value.has_value() ? 1 : 0;
  }

  const OpView& op() const { return *op_; }
  // In the op's order.
  const SlimVector<OpDef::AttrDef>& attrs() const { return attrs_; }
  NodeClass node_class() const { return node_class_; }
  // "Op<name=X; signature=a:T, b:Ref(N*int32) -> y:T; attr=T:type,default=DT_FLOAT; is_stateful=true>", as messages
  // name an op.
  TENON_DETAIL_COLD std::string Summary() const {
    std::string text = StrCat("Op<name=", op_->name, "; signature=");
    SummarizeArgs(op_->inputs, &text);
    text += " -> ";
    SummarizeArgs(op_->outputs, &text);
    detail::SummarizeAttrDefs(attrs_, &text);
    detail::SummarizeOpFlags(op_->flags, &text);
    return text += ">";
  }

  // Attrs that have a default and are absent get it.
  void AddDefaults(NodeDef* node) const {
    if (defaults_ == 0) return;
    Values values;
    if (Match(*node, &values)) return;
    node->attr.reserve(node->attr.size() + static_cast<std::size_t>(defaults_));
    for (std::size_t i = 0; i < attrs_.size(); ++i) {
      if (values[i] == nullptr && attrs_[i].default_value.has_value()) {
        node->attr.Insert(attrs_[i].name, *attrs_[i].default_value);
      }
    }
  }

  // All that can be said of a node by itself: attrs present, of the right kind and allowed, inputs as many as the op
  // takes, control inputs last. Attrs that the op does not have are logged and ignored.
  Status Validate(const NodeDef& node) const {
    Types inputs, outputs;
    return Resolve(node, &inputs, &outputs);
  }

  // Validate, and the dtypes of all inputs and outputs.
  Status Resolve(const NodeDef& node, Types* inputs, Types* outputs) const {
    std::int64_t data_inputs = 0;
    if (node.op == op_->name) TENON_RETURN_IF_ERROR(CheckInputOrder(node, &data_inputs));
    return Resolve(node, data_inputs, inputs, outputs);
  }
  // Does so for a node with so many data inputs, whatever its list of inputs has.
  Status Resolve(const NodeDef& node, std::int64_t data_inputs, Types* inputs, Types* outputs) const {
    if (node.op != op_->name) {
      return errors::InvalidArgument("NodeDef op '", node.op, "' does not match ", Summary(),
                                     "; NodeDef: ", FormatNodeForError(node.name));
    }
    Values values;
    if (!Match(node, &values)) return MissingAttrs(node, values);
    if (node.attr.size() > values.size()) LogUnknownAttrs(node);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsPlainlyRight(*values[i], op_->attrs[i])) TENON_RETURN_IF_ERROR(CheckAttr(node, i, *values[i]));
    }
    const std::int64_t expected = Count(op_->inputs, values);
    if (expected < 0) return CannotCount(node, op_->inputs, values, std::numeric_limits<std::int32_t>::max());
    if (expected != data_inputs) return WrongInputCount(node, values, expected, data_inputs);
    if (const std::int64_t n = Count(op_->outputs, values); n < 0 || n > kMaxNodeOutputs)
      return CannotCount(node, op_->outputs, values, kMaxNodeOutputs);
    AppendTypes(op_->inputs, values, inputs);
    AppendTypes(op_->outputs, values, outputs);
    return OkStatus();
  }

  // Refuses ops that graphs of version `producer` may not use any more.
  Status CheckDeprecation(int producer) const { return CheckOpDeprecation(*op_, producer); }

 private:
  static void SummarizeArgs(Span<const ArgSpec> args, std::string* text) {
    for (const ArgSpec& arg : args) {
      const std::string_view type_attr = arg.is_type_list ? std::string_view() : arg.type_attr();
      StrAppend(text, &arg == args.data() ? "" : ", ", arg.name(), ":", arg.is_ref ? "Ref(" : "", arg.number_attr(),
                arg.number_attr().empty() ? "" : "*", arg.type != DataType::kInvalid ? Name(arg.type) : type_attr,
                arg.is_ref ? ")" : "");
    }
  }

  using Values = InlinedVector<const AttrValue*, 16>;  // one per attr of the op, null where the node lacks it

  // Looks the node's attrs up, both lists being sorted. False when one of the op's is missing.
  bool Match(const NodeDef& node, Values* values) const {
    values->assign(op_->attrs.size(), nullptr);
    bool complete = true;
    auto have = node.attr.begin();
    const auto end = node.attr.end();
    for (const std::size_t i : by_name_) {
      const std::string_view name = op_->attrs[i].name();
      while (have != end && have->first < name) ++have;
      if (have != end && have->first == name) {
        (*values)[i] = &have->second;
        ++have;
      } else {
        complete = false;
      }
    }
    return complete;
  }

  // Attrs of the runtime, which begin with '_', may be any.
  TENON_DETAIL_COLD void LogUnknownAttrs(const NodeDef& node) const {
    auto known = by_name_.begin();
    for (const auto& [name, value] : node.attr) {
      if (StartsWith(name, "_")) continue;
      while (known != by_name_.end() && op_->attrs[*known].name() < name) ++known;
      if (known == by_name_.end() || op_->attrs[*known].name() != name)
        detail::LogUnknownAttr(name, node.name, [this] { return Summary(); });
    }
  }

  static Status CheckInputOrder(const NodeDef& node, std::int64_t* data_inputs) {
    bool control = false;
    for (const std::string& input : node.input) {
      if (StartsWith(input, "^")) {
        control = true;
        if (input.find(':') != std::string::npos) {
          return errors::InvalidArgument("Control input '", input,
                                         "' must not have ':' in NodeDef: ", FormatNodeForError(node.name));
        }
      } else if (control) {
        return errors::InvalidArgument("Non-control input '", input,
                                       "' after control input in NodeDef: ", FormatNodeForError(node.name));
      } else {
        ++*data_inputs;
      }
    }
    return OkStatus();
  }

  // The common case, decided without text: a scalar of the right kind, without limits or within them.
  static bool IsPlainlyRight(const AttrValue& value, const AttrSpec& spec) {
    if (spec.is_list) return false;
    switch (spec.kind) {
      case AttrKind::kType:
        return value.kind() == AttrValue::Kind::kType && kAllTypes.contains(value.type()) &&
               (spec.allowed_types.empty() || spec.allowed_types.contains(value.type()));
      case AttrKind::kInt:
        return value.kind() == AttrValue::Kind::kInt && (!spec.has_minimum || value.i() >= spec.minimum);
      case AttrKind::kBool: return value.kind() == AttrValue::Kind::kBool;
      case AttrKind::kFloat: return value.kind() == AttrValue::Kind::kFloat;
      case AttrKind::kString: return value.kind() == AttrValue::Kind::kString && spec.allowed == AllowedForm::kNone;
      case AttrKind::kShape: return value.kind() == AttrValue::Kind::kShape;
      case AttrKind::kTensor: return value.kind() == AttrValue::Kind::kTensor;
      case AttrKind::kFunc: return value.kind() == AttrValue::Kind::kFunc;
    }
    return false;
  }

  Status CheckAttr(const NodeDef& node, std::size_t i, const AttrValue& value) const;

  TENON_DETAIL_COLD Status MissingAttrs(const NodeDef& node, const Values& values) const {
    std::string names;
    int count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == nullptr) StrAppend(&names, count++ == 0 ? "'" : ", '", op_->attrs[i].name(), "'");
    }
    return errors::InvalidArgument("NodeDef missing attr", count > 1 ? "s " : " ", names, " from ", Summary(),
                                   "; NodeDef: ", FormatNodeForError(node.name));
  }

  static auto Finder(const OpView* op, const Values& values) {
    return [op, &values](const AttrSpec& spec, ArgAttrValue* out) {
      const AttrValue& value = *values[static_cast<std::size_t>(&spec - op->attrs.data())];
      out->number = value.i();
      out->type = value.type();
      out->types = value.list().type;
      return true;
    };
  }

  // How many tensors the arguments stand for; -1 when that is no int32, or an argument's own number is none.
  std::int64_t Count(Span<const ArgSpec> args, const Values& values) const {
    std::int64_t total = 0;
    for (const ArgSpec& arg : args) {
      const std::int64_t n = op_->ArgCount(arg, Finder(op_, values));
      if (n < 0 || n > std::numeric_limits<std::int32_t>::max()) return -1;
      total += n;
    }
    return total > std::numeric_limits<std::int32_t>::max() ? -1 : total;
  }

  // Why `args` cannot stand for so many tensors: `most` or fewer are allowed.
  TENON_DETAIL_COLD Status CannotCount(const NodeDef& node, Span<const ArgSpec> args, const Values& values,
                                       std::int64_t most) const {
    std::int64_t total = 0;
    for (const ArgSpec& arg : args) {
      const std::int64_t n = op_->ArgCount(arg, Finder(op_, values));
      if (n < 0)
        return errors::InvalidArgument("Value for number_attr() ", n, " < 0; NodeDef: ", FormatNodeForError(node.name));
      total = n > most ? n : total + n;
      if (total > most) break;
    }
    const std::string limit = total > most ? StrCat(" (at most ", most, " are allowed)") : "";
    return errors::InvalidArgument("Number of outputs is too big: ", total, limit,
                                   "; NodeDef: ", FormatNodeForError(node.name));
  }

  void AppendTypes(Span<const ArgSpec> args, const Values& values, Types* types) const {
    for (const ArgSpec& arg : args) {
      op_->ForEachType(arg, Finder(op_, values), [types](DataType type) { types->push_back(type); });
    }
  }

  TENON_DETAIL_COLD Status WrongInputCount(const NodeDef& node, const Values& values, std::int64_t expected,
                                           std::int64_t given) const {
    std::string text;
    if (expected > 1000) {
      text = StrCat(expected, " tensors");
    } else {
      Types types;
      AppendTypes(op_->inputs, values, &types);
      text = StrJoin(types, ", ");
    }
    return errors::InvalidArgument("NodeDef expected inputs '", text, "' do not match ", given, " inputs specified; ",
                                   Summary(), "; NodeDef: ", FormatNodeForError(node.name));
  }

  const OpView* op_;
  SlimVector<OpDef::AttrDef> attrs_;
  NodeClass node_class_;
  SlimVector<std::size_t> by_name_;  // indices of the op's attrs, in the order of their names
  int defaults_ = 0;          // attrs that have one
};

inline Status OpInfo::CheckAttr(const NodeDef& node, std::size_t i, const AttrValue& value) const {
  Status status = ValidateAttrValue(value, attrs_[i]);
  if (status.ok()) return status;
  return status.WithAppended(StrCat("\n\t; NodeDef: ", FormatNodeForError(node.name), "; ", Summary()));
}

namespace detail {
// An argument of a function's body. Graphs of users cannot hold it; every session knows it.
struct ArgOp {
  static constexpr auto signature = Op("_Arg")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("index: int >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ArgShape);
  static constexpr OpView view = signature.view();
};
}  // namespace detail

// OpInfo for every op that is asked for, made once. thread-safe.
class OpInfoCache {
 public:
  explicit OpInfoCache(const OpRegistry& registry) : registry_(&registry) {}

  // Null when no such op is registered.
  const OpInfo* Find(std::string_view op) {
    if (const OpInfo* const* known = index_.Find(op); known != nullptr) return *known;
    const OpView* view = registry_->Find(op);
    if (view == nullptr && op == detail::ArgOp::view.name) view = &detail::ArgOp::view;
    if (view == nullptr) return nullptr;
    const MutexLock lock(mutex_);
    if (const OpInfo* const* known = index_.Find(op); known != nullptr) return *known;  // another thread was faster
    infos_.push_back(MakeOwned<OpInfo>(view));
    return *index_.Insert(view->name, infos_.back().get());
  }
  const OpRegistry& registry() const { return *registry_; }

 private:
  const OpRegistry* registry_;
  Mutex mutex_;  // held while an op is added
  SlimVector<Owned<OpInfo>> infos_;
  NameTable<const OpInfo*> index_;
};

// One node against its op; OpInfo does the same for many.
inline Status ValidateNodeDef(const NodeDef& node, const OpView& op) { return OpInfo(&op).Validate(node); }
inline void AddDefaultsToNodeDef(const OpView& op, NodeDef* node) { OpInfo(&op).AddDefaults(node); }

TENON_DETAIL_NAMESPACE_END
