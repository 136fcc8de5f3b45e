// SPDX-License-Identifier: Apache-2.0
// Any text as spec strings: its lines are an op, given as "Name", then "attr ...", "in ...", "out ..." and "control
// ...". A mistake or an op; an op that is written as spec strings again is the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/op/op_def/op_def_builder.hpp>
#include <tenon/op/op_def/owned_op.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>
#include <tenon/op/op_def/op_list.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

std::string_view Line(std::string_view* text) {
  const std::size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == text->npos ? text->size() : end + 1);
  return line;
}
bool EatWord(std::string_view word, std::string_view* line) {
  if (line->substr(0, word.size()) != word) return false;
  line->remove_prefix(word.size());
  return true;
}

// The reader's answer is inside of the text, and it says the same when asked again.
void ReadAlone(std::string_view text) {
  tenon::AttrSpec attr;
  const tenon::SpecIssue issue = tenon::ReadAttrSpec(text, &attr);
  Expect(issue.begin <= issue.end && issue.end <= text.size());
  if (issue.ok()) {
    Expect(attr.name().size() <= text.size() && attr.default_text().size() <= text.size());
    for (tenon::AllowedReader allowed(attr); allowed.Next();) Expect(allowed.string().size() <= text.size());
    tenon::DefaultReader values(attr);
    for (tenon::SpecValue value; attr.has_default && values.Next(&value);) Expect(value.text.size() <= text.size());
    Expect(!attr.has_default || !values.failed());
  }
  tenon::ArgSpec arg;
  const tenon::SpecIssue arg_issue = tenon::ReadArgSpec(text, &arg);
  Expect(arg_issue.begin <= arg_issue.end && arg_issue.end <= text.size());
}

tenon::Status Build(std::string_view text, tenon::OpDef* def) {
  tenon::OpDefBuilder builder{std::string(Line(&text))};
  while (!text.empty()) {
    std::string_view line = Line(&text);
    if (EatWord("attr ", &line)) {
      builder.Attr(std::string(line));
    } else if (EatWord("in ", &line)) {
      builder.Input(std::string(line));
    } else if (EatWord("out ", &line)) {
      builder.Output(std::string(line));
    } else if (EatWord("control ", &line)) {
      builder.ControlOutput(std::string(line));
    } else if (EatWord("doc ", &line)) {
      builder.Doc(std::string(text));
      text = {};
    }
    ReadAlone(line);
  }
  return builder.Finalize(def);
}

std::string AsText(const tenon::OpView& op) {
  std::string text(op.name);
  for (const tenon::AttrSpec& attr : op.attrs) tenon::StrAppend(&text, "\nattr ", attr.text);
  for (const tenon::ArgSpec& arg : op.inputs) tenon::StrAppend(&text, "\nin ", arg.text);
  for (const tenon::ArgSpec& arg : op.outputs) tenon::StrAppend(&text, "\nout ", arg.text);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tenon::OpDef def;
  const tenon::Status status = Build(text, &def);
  if (!status.ok()) {
    Expect(!status.message().empty());
    return 0;
  }
  Expect(tenon::ValidateOpDef(def).ok() && !tenon::SummarizeOpDef(def).empty());
  const tenon::Result<tenon::OwnedOp> owned = tenon::OwnedOp::FromOpDef(def);
  if (!owned.ok()) return 0;  // a default without a text: a tensor that cannot exist
  tenon::RemoveDescriptions(&def);
  const std::string written = AsText(owned->view());
  if (written.find('\n') == written.npos) return 0;
  tenon::OpDef again;
  Expect(Build(written, &again).ok());
  Expect(again.attr == def.attr && again.input_arg == def.input_arg && again.output_arg == def.output_arg);
  return 0;
}
