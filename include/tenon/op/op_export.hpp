// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between the op language and OpDef: a signature as TensorFlow's OpDef, an OpDef as a signature (OwnedOp), and the same
// spec strings read at run time, where a mistake is a Status with TensorFlow's text (OpDefBuilder).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr_def.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/op_def.hpp>
#include <tenon/op/signature.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// ------------------------------------------------------------------------------------------------ signature to OpDef

namespace detail {

inline OpDef::ArgDef ToArgDef(const ArgSpec& arg) {
  OpDef::ArgDef def;
  def.name = arg.name();
  def.type = arg.type;
  def.type_attr = arg.type_attr();
  def.number_attr = arg.number_attr();
  def.type_list_attr = arg.type_list_attr();
  def.is_ref = arg.is_ref;
  return def;
}

// The texts of Doc(): summary, description, then "name: text" for arguments and attrs. Returns the names that there are
// not.
class DocReader {
 public:
  static SlimVector<std::string> Read(std::string_view text, OpDef* def) { return DocReader(text, def).Run(); }

 private:
  DocReader(std::string_view text, OpDef* def) : def_(def) {
    for (;;) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
      lines_.push_back(line);
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }
  SlimVector<std::string> Run() {
    std::size_t at = 0;
    while (at < lines_.size() && lines_[at].empty()) ++at;
    if (at < lines_.size()) def_->summary = lines_[at++];
    while (at < lines_.size() && lines_[at].empty()) ++at;
    std::size_t end = EndOfBlock(at);
    def_->description = Join(at, end, 0);
    SlimVector<std::string> unknown;
    while (end < lines_.size()) {
      std::string_view name;
      lines_[end] = AfterName(lines_[end], &name);
      at = end;
      end = EndOfBlock(at + 1);
      if (std::string* to = Find(name))
        *to = Join(at, end, 1);
      else
        unknown.emplace_back(name);
    }
    return unknown;
  }
  // The text behind "name:"; name stays empty when the line does not begin so.
  static std::string_view AfterName(std::string_view line, std::string_view* name) {
    TextCursor in(line);
    if (!IsLetter(in.peek())) return line;
    const std::string_view word = in.EatWhile(kWordChars);
    in.SkipSpace();
    if (!in.Eat(":")) return line;
    in.SkipSpace();
    *name = word;
    return in.rest();
  }
  std::size_t EndOfBlock(std::size_t at) const {
    for (; at < lines_.size(); ++at) {
      std::string_view name;
      (void)AfterName(lines_[at], &name);
      if (!name.empty()) break;
    }
    return at;
  }
  // Lines [begin, end) without blank ones at the end; from line begin + `first` on without the indent that all share.
  std::string Join(std::size_t begin, std::size_t end, std::size_t first) const {
    while (end > begin && lines_[end - 1].empty()) --end;
    std::size_t indent = static_cast<std::size_t>(-1);
    for (std::size_t i = begin + first; first > 0 && i < end; ++i)
      if (!lines_[i].empty()) indent = std::min(indent, lines_[i].find_first_not_of(' '));
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) text += '\n';
      text += first > 0 && i > begin && !lines_[i].empty() ? lines_[i].substr(indent) : lines_[i];
    }
    return text;
  }
  std::string* Find(std::string_view name) {
    for (auto* list : {&def_->input_arg, &def_->output_arg})
      for (OpDef::ArgDef& arg : *list)
        if (arg.name == name) return &arg.description;
    for (OpDef::AttrDef& attr : def_->attr)
      if (attr.name == name) return &attr.description;
    return nullptr;
  }

  OpDef* def_;
  SlimVector<std::string_view> lines_;
};

}  // namespace detail

// The OpDef that TensorFlow makes of the same declaration.
inline OpDef ToOpDef(const OpView& op) {
  OpDef def;
  def.name = op.name;
  for (const ArgSpec& arg : op.inputs) def.input_arg.push_back(detail::ToArgDef(arg));
  for (const ArgSpec& arg : op.outputs) def.output_arg.push_back(detail::ToArgDef(arg));
  for (const AttrSpec& attr : op.attrs) (void)detail::ToAttrDef(attr, &def.attr.emplace_back());
  def.control_output.assign(op.control_outputs.begin(), op.control_outputs.end());
  def.is_stateful = op.flags.is_stateful;
  def.is_commutative = op.flags.is_commutative;
  def.is_aggregate = op.flags.is_aggregate;
  def.allows_uninitialized_input = op.flags.allows_uninitialized_input;
  def.is_distributed_communication = op.flags.is_distributed_communication;
  if (op.deprecated_since != 0 || !op.deprecation_text.empty()) {
    def.deprecation.emplace();
    def.deprecation->version = op.deprecated_since;
    def.deprecation->explanation = op.deprecation_text;
  }
  if (!op.doc.empty()) (void)detail::DocReader::Read(op.doc, &def);
  return def;
}

// -------------------------------------------------------------------------------------------------------- validation

namespace detail {

class OpDefValidator {
 public:
  explicit OpDefValidator(const OpDef& def) : def_(def) {}

  Status Run() {
    if (!IsOpName(def_.name)) return errors::InvalidArgument("Invalid name: ", def_.name, " (Did you use CamelCase?)");
    for (const OpDef::AttrDef& attr : def_.attr) TENON_RETURN_IF_ERROR(Attr(attr));
    for (const OpDef::ArgDef& arg : def_.input_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for input '", arg.name, "'")));
    for (const OpDef::ArgDef& arg : def_.output_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for output '", arg.name, "'")));
    return OkStatus();
  }

 private:
  Status NewName(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      return errors::InvalidArgument("Duplicate name: ", name);
    names_.push_back(name);
    return OkStatus();
  }
  Status Attr(const OpDef::AttrDef& attr) {
    TENON_RETURN_IF_ERROR(NewName(attr.name));
    if (DataTypeFromName(attr.name) != DataType::kInvalid)
      return errors::InvalidArgument("Attr can't have name ", attr.name, " that matches a data type");
    std::string_view type = attr.type;
    const bool is_list = StartsWith(type, "list(");
    if (is_list) type.remove_prefix(5);
    bool found = false;
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc) && !found; ++k) {
      const std::string_view word = Name(static_cast<AttrKind>(k));
      found = StartsWith(type, word);
      if (found) type.remove_prefix(word.size());
    }
    if (!found) return errors::InvalidArgument("Unrecognized type '", type, "' in attr '", attr.name, "'");
    if (is_list) {
      if (!StartsWith(type, ")"))
        return errors::InvalidArgument("'list(' is missing ')' in attr ", attr.name, "'s type ", attr.type);
      type.remove_prefix(1);
    }
    if (!type.empty())
      return errors::InvalidArgument("Extra '", type, "' at the end of attr ", attr.name, "'s type ", attr.type);
    if (attr.has_minimum) {
      if (attr.type != "int" && !is_list)
        return errors::InvalidArgument("Attr '", attr.name, "' has minimum for unsupported type ", attr.type);
      if (is_list && attr.minimum < 0)
        return errors::InvalidArgument("Attr '", attr.name, "' with list type must have a non-negative minimum, not ",
                                       attr.minimum);
    } else if (attr.minimum != 0) {
      return errors::InvalidArgument("Attr '", attr.name, "' with has_minimum = false but minimum ", attr.minimum,
                                     " not equal to default of 0");
    }
    if (attr.allowed_values.has_value()) {
      const Status status =
          AttrValueHasType(attr.allowed_values, is_list ? attr.type : StrCat("list(", attr.type, ")"));
      if (!status.ok()) return status.WithAppended(StrCat("\n\t for attr '", attr.name, "' in Op '", def_.name, "'"));
    }
    if (!attr.default_value) return OkStatus();
    return ValidateAttrValue(*attr.default_value, attr).WithAppended(StrCat("\n\t in Op '", def_.name, "'"));
  }
  Status Arg(const OpDef::ArgDef& arg, const std::string& suffix) {
    TENON_RETURN_IF_ERROR(NewName(arg.name));
    const int types = (arg.type != DataType::kInvalid) + !arg.type_attr.empty() + !arg.type_list_attr.empty();
    if (types == 0) return errors::InvalidArgument("Missing type", suffix);
    if (!arg.number_attr.empty()) {
      TENON_RETURN_IF_ERROR(Reference(arg.number_attr, "length", "int", suffix));
      const OpDef::AttrDef& number = *FindAttr(arg.number_attr, def_);
      const std::string used = StrCat("Attr '", number.name, "' used as length", suffix);
      if (!number.has_minimum) return errors::InvalidArgument(used, " must have minimum");
      if (number.minimum < 0) return errors::InvalidArgument(used, " must have minimum >= 0");
      if (!arg.type_list_attr.empty())
        return errors::InvalidArgument("Can't have both number_attr and type_list_attr", suffix);
      if (types != 1) return errors::InvalidArgument("Exactly one of type, type_attr must be set", suffix);
    } else if (types != 1) {
      return errors::InvalidArgument("Exactly one of type, type_attr, type_list_attr must be set", suffix);
    }
    if (!arg.type_attr.empty()) return Reference(arg.type_attr, "type_attr", "type", suffix);
    if (!arg.type_list_attr.empty()) return Reference(arg.type_list_attr, "type_list_attr", "list(type)", suffix);
    if (IsRefType(arg.type))
      return errors::InvalidArgument("Illegal use of ref type '", arg.type, "'. Use 'Ref(type)' instead", suffix);
    return OkStatus();
  }
  Status Reference(const std::string& name, std::string_view use, std::string_view type,
                   const std::string& suffix) const {
    const OpDef::AttrDef* attr = FindAttr(name, def_);
    if (attr == nullptr) return errors::InvalidArgument("No attr with name '", name, "'", suffix);
    if (attr->type != type)
      return errors::InvalidArgument("Attr '", name, "' used as ", use, suffix, " has type ", attr->type, " != ", type);
    return OkStatus();
  }

  const OpDef& def_;
  SlimVector<std::string> names_;
};

}  // namespace detail

// Everything that can be wrong with an OpDef. InvalidArgument with TensorFlow's text.
inline Status ValidateOpDef(const OpDef& def) {
  const Status status = detail::OpDefValidator(def).Run();
  return status.ok() ? status : status.WithAppended(StrCat("; in OpDef: ", SummarizeOpDef(def)));
}

// ---------------------------------------------------------------------------------------- spec strings at run time

// Op("X") for descriptions that are only known while the program runs. Strings may come in any order; all mistakes are
// reported together. one thread.
//
//   OpDef def;
//   TENON_RETURN_IF_ERROR(OpDefBuilder("ZeroOut").Input("to_zero: int32").Output("zeroed: int32").Finalize(&def));
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) { def_.name = std::move(name); }

  OpDefBuilder& Attr(std::string spec) { return attrs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& Input(std::string spec) { return inputs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& Output(std::string spec) { return outputs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& ControlOutput(std::string name) { return control_outputs_.push_back(std::move(name)), *this; }
  OpDefBuilder& Doc(std::string text) {
    if (!doc_.empty()) errors_.push_back(StrCat("Extra call to Doc() for Op ", def_.name));
    return doc_ = std::move(text), *this;
  }
  OpDefBuilder& Deprecated(int version, std::string explanation) {
    if (def_.deprecation) errors_.push_back(StrCat("Deprecated called twice for Op ", def_.name));
    def_.deprecation.emplace();
    def_.deprecation->version = version;
    def_.deprecation->explanation = std::move(explanation);
    return *this;
  }
  // A mistake that the caller has found; Finalize says it with its own.
  OpDefBuilder& AddError(std::string sentence) { return errors_.push_back(std::move(sentence)), *this; }
  OpDefBuilder& SetIsStateful() { return def_.is_stateful = true, *this; }
  OpDefBuilder& SetIsCommutative() { return def_.is_commutative = true, *this; }
  OpDefBuilder& SetIsAggregate() { return def_.is_aggregate = true, *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return def_.allows_uninitialized_input = true, *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return def_.is_distributed_communication = true, *this; }

  Status Finalize(OpDef* out) const {
    OpDef def = def_;
    SlimVector<std::string> errors = errors_;
    for (const std::string& spec : attrs_) AddAttr(spec, &def, &errors);
    for (const std::string& spec : inputs_) AddArg(spec, "Input", &def.input_arg.emplace_back(), &def, &errors);
    for (const std::string& spec : outputs_) AddArg(spec, "Output", &def.output_arg.emplace_back(), &def, &errors);
    for (const std::string& name : control_outputs_) AddControlOutput(name, &def, &errors);
    if (!doc_.empty())
      for (const std::string& name : detail::DocReader::Read(doc_, &def))
        errors.push_back(StrCat("No matching input/output/attr for name '", name, "' from Doc() for Op ", def.name));
    if (!errors.empty()) return errors::InvalidArgument(StrJoin(errors, "\n"));
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    *out = std::move(def);
    return OkStatus();
  }

 private:
  // TensorFlow's sentence for a mistake in a spec.
  static std::string Text(const SpecIssue& issue, std::string_view spec, bool is_attr) {
    const std::string_view quoted = spec.substr(issue.begin, issue.end - issue.begin);
    switch (issue.error) {
      case SpecError::kNone: return {};
      case SpecError::kNameNotIdentifier:
      case SpecError::kNoColon: return is_attr ? "Trouble parsing '<name>:'" : "Trouble parsing 'name:'";
      case SpecError::kUnknownAttrKind:
      case SpecError::kNoTypeInList: return StrCat("Trouble parsing type string at '", quoted, "'");
      case SpecError::kNotACompoundType: return StrCat("Expected to see a compound type, saw: ", quoted);
      case SpecError::kUnknownTypeInList: return StrCat("Unrecognized type string '", quoted, "'");
      case SpecError::kBadStringInList: return StrCat("Trouble parsing allowed string at '", quoted, "'");
      case SpecError::kBadEscapeInList: return StrCat("Trouble unescaping \"", quoted, "\", got error: not a C escape");
      case SpecError::kNoCommaAfterString: return StrCat("Expected , or } after strings in list, not: '", quoted, "'");
      case SpecError::kNoCommaAfterType: return StrCat("Expected , or } after types in list, not: '", quoted, "'");
      case SpecError::kListNotClosed: return StrCat("Expected ) to close 'list(', not: '", quoted, "'");
      case SpecError::kBadMinimum:
        return StrCat("Could not parse integer lower limit after '>=', found '", quoted, "' instead");
      case SpecError::kBadDefault: return StrCat("Could not parse default value '", quoted, "'");
      case SpecError::kNoType: return StrCat("Trouble parsing either a type or an attr name at '", quoted, "'");
      case SpecError::kRefNotClosed:
        return StrCat("Did not find closing ')' for 'Ref(', instead found: '", quoted, "'");
      case SpecError::kTextLeftOver: return StrCat("Extra '", quoted, "' unparsed at the end");
      case SpecError::kTooLong: return "The spec is longer than 65535 characters";
    }
    return {};
  }
  void AddAttr(const std::string& spec, OpDef* def, SlimVector<std::string>* errors) const {
    AttrSpec attr;
    SpecIssue issue = ReadAttrSpec(spec, &attr);
    const bool type_known = issue.ok() || issue.error == SpecError::kBadMinimum ||
                            issue.error == SpecError::kBadDefault || issue.error == SpecError::kTextLeftOver;
    OpDef::AttrDef& to = def->attr.emplace_back();
    if (issue.ok() && !detail::ToAttrDef(attr, &to))
      issue = {SpecError::kBadDefault, false, attr.default_begin, spec.size()};
    if (issue.ok()) return;
    if (issue.error != SpecError::kNameNotIdentifier && issue.error != SpecError::kNoColon) to.name = attr.name();
    if (type_known) to.type = detail::AttrTypeText(attr);
    errors->push_back(StrCat(Text(issue, spec, true), " from Attr(\"", spec, "\") for Op ", def->name));
  }
  void AddArg(const std::string& spec, std::string_view what, OpDef::ArgDef* to, OpDef* def,
              SlimVector<std::string>* errors) const {
    const auto fail = [&](std::string text) {
      errors->push_back(StrCat(text, " from ", what, "(\"", spec, "\") for Op ", def->name));
    };
    ArgSpec arg;
    const SpecIssue issue = ReadArgSpec(spec, &arg);
    const bool type_read =
        issue.ok() || issue.error == SpecError::kRefNotClosed || issue.error == SpecError::kTextLeftOver;
    to->name = arg.name();
    if (!type_read) return fail(Text(issue, spec, false));
    to->number_attr = arg.number_attr();
    to->is_ref = arg.is_ref;
    to->type = arg.type;
    if (arg.type == DataType::kInvalid) {
      const std::string_view name = arg.type_attr();
      const OpDef::AttrDef* attr = FindAttr(name, *def);
      if (attr == nullptr) return fail(StrCat("Reference to unknown attr '", name, "'"));
      if (attr->type == "type")
        to->type_attr = name;
      else if (attr->type == "list(type)")
        to->type_list_attr = name;
      else
        return fail(StrCat("Reference to attr '", name, "' with type ", attr->type, " that isn't type or list(type)"));
    }
    if (!issue.ok()) return fail(Text(issue, spec, false));
    const std::string& counter = !to->number_attr.empty() ? to->number_attr : to->type_list_attr;
    for (OpDef::AttrDef& attr : def->attr)
      if (!counter.empty() && attr.name == counter && !attr.has_minimum) {
        attr.has_minimum = true;
        attr.minimum = 1;
      }
    if (arg.type == DataType::kResource) def->is_stateful = true;
  }
  void AddControlOutput(const std::string& name, OpDef* def, SlimVector<std::string>* errors) const {
    detail::TextCursor in(name);
    const bool is_name = detail::IsLetter(in.peek());
    def->control_output.emplace_back(is_name ? in.EatWhile(detail::kWordChars) : std::string_view());
    if (!is_name)
      errors->push_back(StrCat("Trouble parsing 'name:' from ControlOutput(\"", name, "\") for Op ", def->name));
  }

  OpDef def_;
  std::string doc_;
  SlimVector<std::string> attrs_, inputs_, outputs_, control_outputs_, errors_;
};

// ------------------------------------------------------------------------------------------------- OpDef to signature

namespace detail {

// A value as a spec writes it; the reverse of ParseAttrText. False for what has no such form (undecoded tensors and
// shapes).
class SpecWriter {
 public:
  static bool Write(const AttrValue& value, std::string* out) {
    switch (value.kind()) {
      case AttrValue::Kind::kString: StrAppend(out, "\"", CEscape(value.s()), "\""); return true;
      case AttrValue::Kind::kInt: StrAppend(out, value.i()); return true;
      case AttrValue::Kind::kFloat: StrAppend(out, value.f()); return true;
      case AttrValue::Kind::kBool: out->append(value.b() ? "true" : "false"); return true;
      case AttrValue::Kind::kType: return Type(value.type(), out);
      case AttrValue::Kind::kShape: return value.decode_status().ok() && Shape(value.shape(), out);
      case AttrValue::Kind::kTensor: return value.decode_status().ok() && TensorText(value.tensor(), out);
      case AttrValue::Kind::kFunc: return Func(value.func(), out);
      case AttrValue::Kind::kList: return List(value.list(), out);
      default: return false;
    }
  }

 private:
  static bool Type(DataType type, std::string* out) {
    if (EnumName(type).empty())
      StrAppend(out, static_cast<std::int32_t>(type));
    else
      out->append(EnumName(type));
    return true;
  }
  static bool Shape(const PartialTensorShape& shape, std::string* out) {
    if (shape.unknown_rank()) return out->append("{ unknown_rank: true }"), true;
    out->append("{ ");
    for (const Index size : shape) StrAppend(out, "dim { size: ", size, " } ");
    return out->append("}"), true;
  }
  static bool TensorText(const Tensor& t, std::string* out) {
    out->append("{ dtype: ");
    Type(t.dtype(), out);
    out->append(" tensor_shape ");
    Shape(t.shape(), out);
    if (t.dtype() == DataType::kString) {
      const auto strings = t.flat<tstring>();
      for (Index i = 0; i < strings.size(); ++i)
        StrAppend(out, " string_val: \"", CEscape(std::string_view(strings[i])), "\"");
    } else if (SizeOf(t.dtype()) == 0) {
      return false;
    } else if (t.NumElements() > 0) {
      StrAppend(out, " tensor_content: \"", CEscape(t.tensor_data()), "\"");
    }
    return out->append(" }"), true;
  }
  static bool Func(const NameAttrList& func, std::string* out) {
    StrAppend(out, "{ name: \"", CEscape(func.name), "\"");
    for (const auto& [name, value] : func.attr) {
      StrAppend(out, " attr { key: \"", CEscape(name), "\" value { ");
      if (value.kind() == AttrValue::Kind::kPlaceholder) {
        StrAppend(out, "placeholder: \"", CEscape(value.placeholder()), "\"");
      } else if (value.kind() == AttrValue::Kind::kList) {
        if (!ListMessage(value.list(), out)) return false;
      } else if (value.has_value()) {
        out->append(FieldName(value.kind())).append(": ");
        if (!Write(value, out)) return false;
      }
      out->append(" } }");
    }
    return out->append(" }"), true;
  }
  static std::string_view FieldName(AttrValue::Kind kind) {
    constexpr std::string_view kNames[] = {"",      "s",      "i",    "f",           "b",   "type",
                                           "shape", "tensor", "func", "placeholder", "list"};
    return kNames[static_cast<std::size_t>(kind)];
  }
  template <class T>
  static bool Items(const SlimVector<T>& items, std::string* out) {
    bool first = true;
    for (const T& item : items) {
      if (!std::exchange(first, false)) out->append(", ");
      bool written = false;
      if constexpr (std::is_same_v<T, char>)
        written = Write(AttrValue(item != 0), out);
      else
        written = Write(AttrValue(item), out);
      if (!written) return false;
    }
    return true;
  }
  static bool List(const AttrList& list, std::string* out) {
    out->append("[");
    const bool written = Items(list.s, out) && Items(list.i, out) && Items(list.f, out) && Items(list.b, out) &&
                         Items(list.type, out) && Items(list.shape, out) && Items(list.tensor, out) &&
                         Items(list.func, out);
    out->append("]");
    return written;
  }
  // "list { i: [1, 2] }"
  static bool ListMessage(const AttrList& list, std::string* out) {
    const bool some[] = {!list.s.empty(),    !list.i.empty(),     !list.f.empty(),      !list.b.empty(),
                         !list.type.empty(), !list.shape.empty(), !list.tensor.empty(), !list.func.empty()};
    std::string_view field;
    for (std::size_t k = 0; k < 8; ++k)
      if (some[k]) field = FieldName(static_cast<AttrValue::Kind>(k + 1));
    if (field.empty()) return out->append("list { }"), true;
    StrAppend(out, "list { ", field, ": ");
    const bool written = List(list, out);
    out->append(" }");
    return written;
  }
};

}  // namespace detail

// A signature made while the program runs: of a graph's functions, or of an OpDef that was read. Owns what its view
// points at; may be moved, the view stays valid. immutable.
class OwnedOp {
 public:
  static Result<OwnedOp> FromOpDef(const OpDef& def, ShapeFn shape_fn = nullptr) {
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    OwnedOp op;
    op.parts_ = MakeOwned<Parts>();
    TENON_RETURN_IF_ERROR(op.parts_->Fill(def, shape_fn));
    return op;
  }
  const OpView& view() const { return parts_->view; }

 private:
  struct Parts {
    std::string name, deprecation_text, doc;
    SlimVector<std::string> texts, control_names;
    SlimVector<std::string_view> control_outputs;
    SlimVector<ArgSpec> inputs, outputs;
    SlimVector<AttrSpec> attrs;
    OpView view;

    Status Fill(const OpDef& def, ShapeFn shape_fn) {
      name = def.name;
      doc = def.summary;
      texts.reserve(def.attr.size() + def.input_arg.size() + def.output_arg.size());
      for (const OpDef::AttrDef& attr : def.attr) TENON_RETURN_IF_ERROR(AddAttr(attr));
      for (const OpDef::ArgDef& arg : def.input_arg) TENON_RETURN_IF_ERROR(AddArg(arg, &inputs.emplace_back()));
      for (const OpDef::ArgDef& arg : def.output_arg) TENON_RETURN_IF_ERROR(AddArg(arg, &outputs.emplace_back()));
      control_names = def.control_output;
      control_outputs.assign(control_names.begin(), control_names.end());
      if (def.deprecation) deprecation_text = def.deprecation->explanation;
      view = {name,
              inputs,
              outputs,
              attrs,
              control_outputs,
              shape_fn,
              {def.is_stateful, def.is_commutative, def.is_aggregate, def.allows_uninitialized_input,
               def.is_distributed_communication},
              def.deprecation ? def.deprecation->version : 0,
              deprecation_text,
              doc};
      return OkStatus();
    }
    static Status TooLong(const std::string& name) {
      return errors::InvalidArgument("OwnedOp: the name '", name.substr(0, 32), "...' has more than 65535 characters");
    }
    // The words are put at known places, so that names need not keep to the grammar.
    Status AddArg(const OpDef::ArgDef& arg, ArgSpec* out) {
      std::string text = arg.name + ": ";
      if (arg.is_ref) text += "Ref(";
      const std::size_t number_begin = text.size();
      if (!arg.number_attr.empty()) text += arg.number_attr + " * ";
      const std::size_t type_begin = text.size();
      const std::string& type_name = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
      text += arg.type != DataType::kInvalid ? std::string(Name(arg.type)) : type_name;
      if (arg.is_ref) text += ")";
      if (text.size() > UINT16_MAX) return TooLong(arg.name);
      out->name_size = static_cast<std::uint16_t>(arg.name.size());
      out->type_begin = static_cast<std::uint16_t>(type_begin);
      out->number_begin = static_cast<std::uint16_t>(arg.number_attr.empty() ? 0 : number_begin);
      out->type = arg.type;
      out->is_ref = arg.is_ref;
      out->is_type_list = !arg.type_list_attr.empty();
      out->type_attr_index = IndexOf(type_name);
      out->number_attr_index = IndexOf(arg.number_attr);
      out->text = texts.emplace_back(std::move(text));
      return OkStatus();
    }
    std::int16_t IndexOf(std::string_view attr_name) const {
      for (std::size_t i = 0; i < attrs.size() && i < INT16_MAX; ++i)
        if (!attr_name.empty() && attrs[i].name() == attr_name) return static_cast<std::int16_t>(i);
      return -1;
    }
    Status AddAttr(const OpDef::AttrDef& attr) {
      if (attr.name.size() > UINT16_MAX) return TooLong(attr.name);
      AttrSpec& out = attrs.emplace_back();
      out.name_size = static_cast<std::uint16_t>(attr.name.size());
      std::string_view type = attr.type;
      out.is_list = StartsWith(type, "list(");
      if (out.is_list) type = type.substr(5, type.size() - 6);
      for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k)
        if (Name(static_cast<AttrKind>(k)) == type) out.kind = static_cast<AttrKind>(k);
      out.has_minimum = attr.has_minimum;
      out.minimum = attr.minimum;
      std::string text = attr.name + ": ";
      if (out.is_list) text += "list(";
      if (attr.allowed_values.has_value()) {
        const AttrList& allowed = attr.allowed_values.list();
        out.allowed_begin = static_cast<std::uint32_t>(text.size() + 1);
        out.allowed = allowed.s.empty() ? AllowedForm::kTypes : AllowedForm::kStrings;
        for (const DataType t : allowed.type) out.allowed_types.insert(t);
        const auto quoted = [](std::string* to, const std::string& s) { StrAppend(to, "'", CEscape(s), "'"); };
        StrAppend(&text, "{", allowed.s.empty() ? StrJoin(allowed.type, ", ") : StrJoin(allowed.s, ", ", quoted), "}");
      } else {
        text += type;
      }
      if (out.is_list) text += ")";
      if (attr.has_minimum) StrAppend(&text, " >= ", attr.minimum);
      if (attr.default_value) {
        out.has_default = true;
        text += " = ";
        out.default_begin = static_cast<std::uint32_t>(text.size());
        if (!detail::SpecWriter::Write(*attr.default_value, &text))
          return errors::InvalidArgument("OwnedOp: the default of attr '", attr.name, "' of op '", name,
                                         "' has no value that can be written");
      }
      out.text = texts.emplace_back(std::move(text));
      return OkStatus();
    }
  };

  OwnedOp() = default;

  Owned<Parts> parts_;
};

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
