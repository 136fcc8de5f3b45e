// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpDefBuilder: the op language's spec strings read while the program runs, where a mistake is a Status with
// TensorFlow's text.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/signature/spec_words.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

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

  // Errors: InvalidArgument: mistakes of the strings, or of the whole (ValidateOpDef).
  Status Finalize(OpDef* out) const {
    OpDef def;
    TENON_RETURN_IF_ERROR(Read(&def));
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    *out = std::move(def);
    return OkStatus();
  }
  // As Finalize, without ValidateOpDef.
  Status Read(OpDef* out) const {
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
    *out = std::move(def);
    return OkStatus();
  }

 private:
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
    errors->push_back(
        StrCat(detail::SpecIssueText(issue, spec, true), " from Attr(\"", spec, "\") for Op ", def->name));
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
    if (!type_read) return fail(detail::SpecIssueText(issue, spec, false));
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
    if (!issue.ok()) return fail(detail::SpecIssueText(issue, spec, false));
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

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
