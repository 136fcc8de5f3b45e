// SPDX-License-Identifier: Apache-2.0
#include "spec_cases.hpp"

#include <cstdio>

#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/op_def/op_def_builder.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/wire/schema.hpp>

#include "spec_file.hpp"

namespace golden {

namespace {

using tenon::StrCat;

// ------------------------------------------------------------------------------------ where TensorFlow is plainly lax

// A list(shape) or list(tensor) default with an item that is no shape or tensor: { dim { size: -2 } }, a tensor of no
// dtype. TensorFlow keeps the text of such a default and fails when a node uses it; lists here hold real values.
bool HasImpossibleItem(const std::string& spec) {
  tenon::AttrSpec attr;
  const tenon::SpecIssue issue = tenon::ReadAttrSpec(spec, &attr);
  if (!issue.ok() || !attr.is_list || !attr.has_default) return false;
  if (attr.kind != tenon::AttrKind::kShape && attr.kind != tenon::AttrKind::kTensor) return false;
  tenon::DefaultReader items(attr);
  for (tenon::SpecValue item; items.Next(&item);) {
    tenon::AttrValue value;
    if (tenon::ParseAttrText(attr.kind, false, item.text, &value) && !value.decode_status().ok()) return true;
  }
  return false;
}

// Why Tenon refuses what TensorFlow takes; null when there is no reason.
const char* ReasonToRefuse(const SpecCase& c) {
  for (const std::string& spec : c.attr)
    if (HasImpossibleItem(spec)) return "a default's list holds a shape or tensor that cannot exist";
  return nullptr;
}

// ---------------------------------------------------------------------------------------------------------- comparing

tenon::Status Build(const SpecCase& c, tenon::OpDef* def) {
  tenon::OpDefBuilder builder(c.op);
  for (const std::string& spec : c.attr) builder.Attr(spec);
  for (const std::string& spec : c.input) builder.Input(spec);
  for (const std::string& spec : c.output) builder.Output(spec);
  if (c.is_stateful) builder.SetIsStateful();
  if (c.is_commutative) builder.SetIsCommutative();
  if (c.is_aggregate) builder.SetIsAggregate();
  if (c.allows_uninitialized_input) builder.SetAllowsUninitializedInput();
  return builder.Finalize(def);
}

// The setters of TensorFlow's C interface, through which the answers were made, set a flag whatever they are given: its
// OpDefs have more flags than were asked for. A flag that is set here must be set there.
void TakeUnaskedFlags(const tenon::OpDef& from, tenon::OpDef* to) {
  for (bool tenon::OpDef::* flag : {&tenon::OpDef::is_stateful, &tenon::OpDef::is_commutative,
                                    &tenon::OpDef::is_aggregate, &tenon::OpDef::allows_uninitialized_input})
    to->*flag = to->*flag || from.*flag;
}

// The message without its end, which TensorFlow writes in another form: the OpDef as text, the words of its decoder of
// escapes.
std::string_view Beginning(std::string_view message) {
  for (const std::string_view end : {", got error: ", "; in OpDef:"}) message = message.substr(0, message.find(end));
  return message;
}

Outcome RunSpecCase(const SpecCase& c) {
  tenon::OpDef got;
  const tenon::Status status = Build(c, &got);
  if (c.code == 0 && !status.ok()) {
    if (const char* reason = ReasonToRefuse(c)) return {Outcome::kUnsupported, reason};
    return {Outcome::kFailed, StrCat("TensorFlow takes it: ", status.ToString())};
  }
  if (static_cast<int>(status.code()) != c.code)
    return {Outcome::kFailed, StrCat("got ", status.ToString(), ", TensorFlow's code is ", c.code, ": ", c.message)};
  if (c.code != 0) {
    const std::string_view want = Beginning(c.message);
    if (tenon::StartsWith(status.message(), want)) return {Outcome::kPassed, ""};
    return {Outcome::kFailed, StrCat("got '", status.message(), "', TensorFlow's message is '", c.message, "'")};
  }
  const tenon::Result<tenon::OpDef> want = tenon::ParseOpDef(Bytes(c.op_def));
  if (!want.ok()) return {Outcome::kFailed, StrCat("the recorded OpDef: ", want.status().ToString())};
  TakeUnaskedFlags(*want, &got);
  if (got == *want) return {Outcome::kPassed, ""};
  return {Outcome::kFailed, StrCat(tenon::SummarizeOpDef(got), ", TensorFlow's is ", tenon::SummarizeOpDef(*want))};
}

}  // namespace

tenon::Status RunSpecFile(const std::string& bytes, std::string_view filter, Counts* counts) {
  SpecFile file;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(Bytes(bytes), &file));
  for (const SpecCase& c : file.cases) {
    if (c.name.find(filter) == std::string::npos) continue;
    const Outcome outcome = RunSpecCase(c);
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed) std::printf("FAILED %s: %s\n", c.name.c_str(), outcome.why.c_str());
    if (outcome.kind == Outcome::kUnsupported) std::printf("REFUSED %s: %s\n", c.name.c_str(), outcome.why.c_str());
  }
  return tenon::OkStatus();
}

}  // namespace golden
