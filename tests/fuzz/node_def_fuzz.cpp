// SPDX-License-Identifier: Apache-2.0
// Any bytes as a NodeDef and an OpDef: the first two bytes say how long the OpDef is. What is checked against what
// must be an error or fit; the op, if it is right, is a signature that reads as the same op.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/log.hpp>
#include <tenon/op/graph_def/attr_slice.hpp>
#include <tenon/op/op_def/node_check.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_def_compatible.hpp>
#include <tenon/op/op_def/owned_op.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>
#include <tenon/op/graph_def/placeholders.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

template <class T>
bool Parse(std::span<const std::byte> bytes, T* object) {
  tenon::wire::ParseContext context;
  context.repeat_bytes = 1 << 12;  // so that a run is short
  return tenon::wire::Parse(bytes, object, context).ok();
}

// What can be asked of any node and any OpDef, right or wrong.
void Check(tenon::NodeDef node, const tenon::OpDef& def) {
  tenon::AddDefaultsToNodeDef(def, &node);
  const tenon::Status status = tenon::ValidateNodeDef(node, def);
  tenon::SlimVector<tenon::DataType> inputs, outputs;
  tenon::SlimVector<tenon::NameRange> input_ranges, output_ranges;
  const tenon::Status types = tenon::InOutTypesForNode(node, def, &inputs, &outputs);
  const tenon::Status ranges = tenon::NameRangesForNode(node, def, &input_ranges, &output_ranges);
  Expect(types.ok() == ranges.ok());
  Expect(!status.ok() || types.ok());
  if (types.ok()) {
    Expect(input_ranges.empty() ? inputs.empty() : static_cast<std::size_t>(input_ranges.back().end) == inputs.size());
    Expect(output_ranges.size() == def.output_arg.size());
  }
  const tenon::AttrSlice attrs = node;
  Expect(attrs.size() == node.attr.size() && !attrs.SummarizeNode().empty());
  for (const auto& item : node.attr) {
    tenon::AttrValue value = item.second;
    const bool held = tenon::HasPlaceholder(value);
    const auto lookup = [](std::string_view, tenon::AttrValue* to) { return *to = 1, true; };
    if (tenon::SubstitutePlaceholders(lookup, &value)) Expect(!tenon::HasPlaceholder(value));
    Expect(held == tenon::HasPlaceholder(item.second));
    Expect(tenon::AttrValueHash(item.second) == tenon::AttrValueHash(tenon::AttrValue(item.second)));
  }
}

void CheckOp(const tenon::OpDef& def, tenon::NodeDef node) {
  static_cast<void>(tenon::OpDefCompatible(def, def));
  Expect(tenon::OpDefEqual(def, def));
  const tenon::Result<tenon::OwnedOp> owned = tenon::OwnedOp::FromOpDef(def);
  if (!owned.ok()) return;
  tenon::OpRegistry registry;
  Expect(registry.Register(owned->view()).ok());
  const tenon::OpDef again = tenon::ToOpDef(owned->view());
  Expect(again.name == def.name && again.attr.size() == def.attr.size());
  tenon::NodeDef stripped = node;
  tenon::StripDefaultAttributes(registry, &stripped);
  Expect(stripped.attr.size() <= node.attr.size());
  static_cast<void>(tenon::RemoveNewDefaultAttrs(registry, registry, &node));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  tenon::SetMinLogSeverity(tenon::LogSeverity::kNone);
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  const std::size_t op_size = std::min<std::size_t>(bytes.size(), data[0] + 256u * data[1]);
  tenon::OpDef def;
  tenon::NodeDef node;
  if (!Parse(bytes.first(op_size), &def) || !Parse(bytes.subspan(op_size), &node)) return 0;
  Check(node, def);
  node.op = def.name;
  Check(node, def);
  if (tenon::ValidateOpDef(def).ok()) CheckOp(def, node);
  return 0;
}
