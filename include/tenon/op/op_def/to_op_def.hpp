// SPDX-License-Identifier: Apache-2.0
#pragma once
// ToOpDef: a signature as TensorFlow's OpDef, its documentation split among arguments and attrs.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

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

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
