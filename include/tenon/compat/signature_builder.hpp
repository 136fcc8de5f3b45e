// SPDX-License-Identifier: Apache-2.0
#pragma once
// SignatureBuilder: a signature of spec strings that are read while the program runs. It makes no OpDef, so that
// programs that only register ops hold no code of messages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_get.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/signature/spec_words.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The strings that describe an op.
struct SignatureTexts {
  std::string name, doc, deprecation;
  SlimVector<std::string> attrs, inputs, outputs, control_outputs;
  ShapeFn shape_fn = nullptr;
  OpFlags flags;
  int deprecated_since = 0;
};

// A signature and the strings that its view points at. immutable.
class BuiltSignature {
 public:
  BuiltSignature(const BuiltSignature&) = delete;
  BuiltSignature& operator=(const BuiltSignature&) = delete;
  const OpView& view() const { return view_; }

 private:
  friend class SignatureBuilder;
  template <class T, class... Args>
  friend Owned<T> MakeOwned(Args&&... args);

  explicit BuiltSignature(const SignatureTexts& texts) : texts_(texts) {}

  // ----------------------------------------------------------------------------------------------------------- reading
  Status Read(const SlimVector<std::string>& earlier_mistakes) {
    mistakes_ = earlier_mistakes;
    for (const std::string& text : texts_.attrs) ReadAttr(text);
    for (const std::string& text : texts_.inputs) ReadArg(text, "Input", &inputs_.emplace_back());
    for (const std::string& text : texts_.outputs) ReadArg(text, "Output", &outputs_.emplace_back());
    for (const std::string& text : texts_.control_outputs) ReadControlOutput(text);
    ReadDoc();
    if (!mistakes_.empty()) return errors::InvalidArgument(StrJoin(mistakes_, "\n"));
    view_ = {texts_.name,        inputs_,         outputs_,     attrs_,
             controls_,          texts_.shape_fn, texts_.flags, texts_.deprecated_since,
             texts_.deprecation, texts_.doc};
    return OkStatus();
  }
  void ReadAttr(const std::string& text) {
    AttrSpec& attr = attrs_.emplace_back();
    const SpecIssue issue = ReadAttrSpec(text, &attr);
    const bool has_type = issue.ok() || issue.error == SpecError::kBadMinimum ||
                          issue.error == SpecError::kBadDefault || issue.error == SpecError::kTextLeftOver;
    types_.push_back(has_type ? detail::AttrTypeText(attr) : std::string());
    if (issue.ok()) return;
    if (issue.error == SpecError::kNameNotIdentifier || issue.error == SpecError::kNoColon) attr.name_size = 0;
    Mistake(issue, "Attr", text);
  }
  void ReadArg(const std::string& text, std::string_view what, ArgSpec* arg) {
    const SpecIssue issue = ReadArgSpec(text, arg);
    const bool has_type =
        issue.ok() || issue.error == SpecError::kRefNotClosed || issue.error == SpecError::kTextLeftOver;
    if (!has_type) return Mistake(issue, what, text);
    for (std::size_t i = 0; i < attrs_.size(); ++i) detail::Link(arg, &attrs_[i], i);
    if (arg->type == DataType::kResource) texts_.flags.is_stateful = true;
    if (arg->type == DataType::kInvalid) {
      const std::string_view name = arg->Word(arg->type_begin);
      if (arg->type_attr_index < 0) return Mistake(StrCat("Reference to unknown attr '", name, "'"), what, text);
      const std::string& type = types_[static_cast<std::size_t>(arg->type_attr_index)];
      if (type != "type" && type != "list(type)")
        return Mistake(StrCat("Reference to attr '", name, "' with type ", type, " that isn't type or list(type)"),
                       what, text);
    }
    if (!issue.ok()) Mistake(issue, what, text);
  }
  void ReadControlOutput(const std::string& text) {
    detail::TextCursor in(text);
    if (detail::IsLetter(in.peek()))
      controls_.push_back(in.EatWhile(detail::kWordChars));
    else
      Mistake("Trouble parsing 'name:'", "ControlOutput", text);
  }
  // A line "name: ..." explains an argument or an attr. It may be any but the first that is not blank.
  void ReadDoc() {
    bool has_summary = false;
    for (detail::TextCursor in(texts_.doc); !in.done(); (void)in.Eat('\n')) {
      const std::string_view name = detail::IsLetter(in.peek()) ? in.EatWhile(detail::kWordChars) : std::string_view();
      while (detail::IsSpace(in.peek()) && in.peek() != '\n') ++in.at;
      const bool explains = has_summary && !name.empty() && in.peek() == ':';
      has_summary = has_summary || !name.empty() || !(in.done() || in.peek() == '\n');
      while (!in.done() && in.peek() != '\n') ++in.at;
      if (explains && !IsNamed(name))
        mistakes_.push_back(
            StrCat("No matching input/output/attr for name '", name, "' from Doc() for Op ", texts_.name));
    }
  }
  bool IsNamed(std::string_view name) const {
    return detail::IsNamed(Span<const ArgSpec>(inputs_), name) ||
           detail::IsNamed(Span<const ArgSpec>(outputs_), name) || detail::IsNamed(Span<const AttrSpec>(attrs_), name);
  }
  void Mistake(std::string_view sentence, std::string_view what, const std::string& text) {
    mistakes_.push_back(StrCat(sentence, " from ", what, "(\"", text, "\") for Op ", texts_.name));
  }
  void Mistake(const SpecIssue& issue, std::string_view what, const std::string& text) {
    Mistake(detail::SpecIssueText(issue, text, what == "Attr"), what, text);
  }

  // ---------------------------------------------------------------------------------------------------------- checking
  // Checks a whole description as ValidateOpDef does.
  Status Check() const {
    if (!detail::IsOpName(texts_.name))
      return errors::InvalidArgument("Invalid name: ", texts_.name, " (Did you use CamelCase?)");
    SlimVector<std::string_view> names;
    for (std::size_t i = 0; i < attrs_.size(); ++i) {
      TENON_RETURN_IF_ERROR(NewName(attrs_[i].name(), &names));
      TENON_RETURN_IF_ERROR(CheckAttr(attrs_[i], types_[i]));
    }
    for (const auto* args : {&inputs_, &outputs_})
      for (const ArgSpec& arg : *args) {
        TENON_RETURN_IF_ERROR(NewName(arg.name(), &names));
        TENON_RETURN_IF_ERROR(
            CheckArg(arg, StrCat(args == &inputs_ ? " for input '" : " for output '", arg.name(), "'")));
      }
    return OkStatus();
  }
  static Status NewName(std::string_view name, SlimVector<std::string_view>* names) {
    for (const std::string_view other : *names)
      if (other == name) return errors::InvalidArgument("Duplicate name: ", name);
    names->push_back(name);
    return OkStatus();
  }
  Status CheckAttr(const AttrSpec& attr, const std::string& type) const {
    if (DataTypeFromName(attr.name()) != DataType::kInvalid)
      return errors::InvalidArgument("Attr can't have name ", attr.name(), " that matches a data type");
    if (attr.has_minimum && type != "int" && !attr.is_list)
      return errors::InvalidArgument("Attr '", attr.name(), "' has minimum for unsupported type ", type);
    if (attr.is_list && attr.minimum < 0)
      return errors::InvalidArgument("Attr '", attr.name(), "' with list type must have a non-negative minimum, not ",
                                     attr.minimum);
    if (!attr.has_default) return OkStatus();
    return CheckDefault(attr).WithAppended(StrCat("\n\t in Op '", texts_.name, "'"));
  }
  static Status CheckDefault(const AttrSpec& attr) {
    std::int64_t count = 0;
    DefaultReader types(attr);
    for (SpecValue value; attr.kind == AttrKind::kType && types.Next(&value);)
      if (const Status status = detail::CheckAttrDataType(value.type, attr.is_list); !status.ok())
        return status.WithAppended(StrCat("\n\t for attr '", attr.name(), "'"));
    DefaultReader values(attr);
    Status not_allowed;
    for (SpecValue value; values.Next(&value); ++count) {
      if (attr.kind == AttrKind::kInt && !attr.is_list && attr.has_minimum && value.i < attr.minimum)
        return errors::InvalidArgument("Value for attr '", attr.name(), "' of ", value.i, " must be at least minimum ",
                                       attr.minimum);
      if (not_allowed.ok() && !IsAllowed(attr, value)) not_allowed = NotAllowed(attr, value);
    }
    if (attr.is_list && attr.has_minimum && count < attr.minimum)
      return errors::InvalidArgument("Length for attr '", attr.name(), "' of ", count, " must be at least minimum ",
                                     attr.minimum);
    return not_allowed;
  }
  static bool IsAllowed(const AttrSpec& attr, const SpecValue& value) {
    if (attr.allowed == AllowedForm::kNone) return true;
    if (attr.allowed != AllowedForm::kStrings) return attr.allowed_types.contains(value.type);
    for (AllowedReader allowed(attr); allowed.Next();)
      if (detail::SameUnescaped(allowed.string(), value.text)) return true;
    return false;
  }
  static Status NotAllowed(const AttrSpec& attr, const SpecValue& value) {
    const bool is_text = attr.allowed == AllowedForm::kStrings;
    const auto quoted = [](std::string_view raw) { return StrCat("\"", detail::Unescape(raw), "\""); };
    std::string all;
    for (AllowedReader allowed(attr); allowed.Next();) {
      if (is_text) StrAppend(&all, all.empty() ? "" : ", ", quoted(allowed.string()));
      for (const DataType type : is_text ? DataTypeSet() : allowed.types())
        StrAppend(&all, all.empty() ? "" : ", ", Name(type));
    }
    return errors::InvalidArgument("Value for attr '", attr.name(), "' of ",
                                   is_text ? quoted(value.text) : std::string(Name(value.type)),
                                   " is not in the list of allowed values: ", all);
  }
  Status CheckArg(const ArgSpec& arg, const std::string& suffix) const {
    if (arg.number_begin != 0) {
      const std::string_view name = arg.number_attr();
      if (arg.number_attr_index < 0) return errors::InvalidArgument("No attr with name '", name, "'", suffix);
      const std::size_t i = static_cast<std::size_t>(arg.number_attr_index);
      if (types_[i] != "int")
        return errors::InvalidArgument("Attr '", name, "' used as length", suffix, " has type ", types_[i], " != int");
      if (attrs_[i].minimum < 0)
        return errors::InvalidArgument("Attr '", name, "' used as length", suffix, " must have minimum >= 0");
      if (arg.is_type_list) return errors::InvalidArgument("Can't have both number_attr and type_list_attr", suffix);
    }
    if (IsRefType(arg.type))
      return errors::InvalidArgument("Illegal use of ref type '", arg.type, "'. Use 'Ref(type)' instead", suffix);
    return OkStatus();
  }

  SignatureTexts texts_;
  SlimVector<std::string> types_;  // types of the attrs; empty: the spec has none
  SlimVector<std::string> mistakes_;
  SlimVector<AttrSpec> attrs_;
  SlimVector<ArgSpec> inputs_, outputs_;
  SlimVector<std::string_view> controls_;
  OpView view_;
};

// Op("X") for descriptions that are only known while the program runs. Strings may come in any order; all mistakes are
// reported together. one thread.
//
//   TENON_ASSIGN_OR_RETURN(auto op, SignatureBuilder("ZeroOut").Input("to_zero: int32").Output("zeroed:
//   int32").Build());
class SignatureBuilder {
 public:
  explicit SignatureBuilder(std::string name) { texts_.name = std::move(name); }

  SignatureBuilder& Attr(std::string spec) { return texts_.attrs.push_back(std::move(spec)), *this; }
  SignatureBuilder& Input(std::string spec) { return texts_.inputs.push_back(std::move(spec)), *this; }
  SignatureBuilder& Output(std::string spec) { return texts_.outputs.push_back(std::move(spec)), *this; }
  SignatureBuilder& ControlOutput(std::string name) { return texts_.control_outputs.push_back(std::move(name)), *this; }
  SignatureBuilder& Doc(std::string text) {
    if (!texts_.doc.empty()) Mistake("Extra call to Doc() for Op ");
    return texts_.doc = std::move(text), *this;
  }
  SignatureBuilder& Deprecated(int version, std::string explanation) {
    if (is_deprecated_) Mistake("Deprecated called twice for Op ");
    is_deprecated_ = true;
    texts_.deprecated_since = version;
    return texts_.deprecation = std::move(explanation), *this;
  }
  SignatureBuilder& SetIsStateful() { return texts_.flags.is_stateful = true, *this; }
  SignatureBuilder& SetIsCommutative() { return texts_.flags.is_commutative = true, *this; }
  SignatureBuilder& SetIsAggregate() { return texts_.flags.is_aggregate = true, *this; }
  SignatureBuilder& SetAllowsUninitializedInput() { return texts_.flags.allows_uninitialized_input = true, *this; }
  SignatureBuilder& SetIsDistributedCommunication() { return texts_.flags.is_distributed_communication = true, *this; }
  SignatureBuilder& SetShapeFn(ShapeFn fn) {
    if (texts_.shape_fn != nullptr) Mistake("SetShapeFn called twice for Op ");
    return texts_.shape_fn = fn, *this;
  }
  const std::string& name() const { return texts_.name; }

  // The signature, which does not depend on the builder.
  // Errors: InvalidArgument: mistakes of the strings, or of the whole. A default that is a message is read when a node
  // takes it.
  Result<Owned<BuiltSignature>> Build() const {
    Owned<BuiltSignature> op = MakeOwned<BuiltSignature>(texts_);
    TENON_RETURN_IF_ERROR(op->Read(mistakes_));
    const Status status = op->Check();
    if (!status.ok()) return status.WithAppended(StrCat("; in OpDef: Op<name=", texts_.name, ">"));
    return op;
  }

 private:
  void Mistake(std::string_view sentence) { mistakes_.push_back(StrCat(sentence, texts_.name)); }

  SignatureTexts texts_;
  SlimVector<std::string> mistakes_;
  bool is_deprecated_ = false;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
