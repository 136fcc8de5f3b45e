// SPDX-License-Identifier: Apache-2.0
#pragma once
// An op with all that a signature can say, and what the tests of ops, OpDefs and spec strings share.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/op_def/op_def_builder.hpp>
#include <tenon/op/signature/signature.hpp>

#ifndef TENON_TEST_DATA
#define TENON_TEST_DATA "tests/golden"
#endif

namespace op_test {
using namespace tenon;

struct ZeroOut {
  static constexpr auto signature =
      Op("ZeroOut")
          .Attr("preserve_index: int >= 0 = 0")
          .Attr("T: {float, int32} = DT_INT32")
          .Attr("mode: list({'a', \"b\\n\"}) >= 1 = ['a', 'b\\n']")
          .Attr("rate: float = 1e-3")
          .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
          .Attr("value: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [3, 4] }")
          .Attr("f: func = { name: \"F\" attr { key: \"T\" value { type: DT_FLOAT } } }")
          .Attr("N: int")
          .Input("to_zero: N * T")
          .Input("ref: Ref(float)")
          .Output("zeroed: T")
          .ControlOutput("done")
          .SetIsCommutative()
          .Deprecated(7, "Gone")
          .Doc(R"doc(
Zeroes out.

Keeps one
element.

to_zero: The input,
  on several
    lines.
preserve_index: Which one.
)doc");
};
inline constexpr OpView kZeroOut = ZeroOut::signature.view();

inline std::string Read(const std::string& path) {
  std::string bytes;
  if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
    char buffer[1 << 16];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
    std::fclose(file);
  }
  return bytes;
}
inline std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// The fields of a protobuf message, just enough for the recorded cases.
struct ProtoField {
  std::uint32_t number;
  std::uint64_t varint;
  std::string_view text;
};
inline std::vector<ProtoField> ProtoFields(std::string_view message) {
  std::vector<ProtoField> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0; at < message.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(message[at++]);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.size()) {
    const std::uint64_t tag = varint();
    ProtoField field{static_cast<std::uint32_t>(tag >> 3), varint(), {}};
    if ((tag & 7) == 2) {
      field.text = message.substr(at, static_cast<std::size_t>(field.varint));
      at += field.text.size();
    }
    fields.push_back(field);
  }
  return fields;
}

inline std::string Finalize(const OpDefBuilder& builder) {
  OpDef def;
  const std::string text(builder.Finalize(&def).message());
  return text.substr(0, text.find("; in OpDef:"));
}

// The op made from its own spec strings.
inline OpDef Rebuilt(const OpView& op) {
  OpDefBuilder builder((std::string(op.name)));
  for (const AttrSpec& attr : op.attrs) builder.Attr(std::string(attr.text));
  for (const ArgSpec& arg : op.inputs) builder.Input(std::string(arg.text));
  for (const ArgSpec& arg : op.outputs) builder.Output(std::string(arg.text));
  for (const std::string_view name : op.control_outputs) builder.ControlOutput(std::string(name));
  if (op.flags.is_stateful) builder.SetIsStateful();
  if (op.flags.is_commutative) builder.SetIsCommutative();
  if (op.flags.is_aggregate) builder.SetIsAggregate();
  if (op.flags.allows_uninitialized_input) builder.SetAllowsUninitializedInput();
  if (op.flags.is_distributed_communication) builder.SetIsDistributedCommunication();
  if (op.deprecated_since != 0) builder.Deprecated(op.deprecated_since, std::string(op.deprecation_text));
  OpDef def;
  const Status status = builder.Finalize(&def);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return def;
}

}  // namespace op_test
