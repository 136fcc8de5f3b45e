// SPDX-License-Identifier: Apache-2.0
// Any text as an attr's value: the first byte says of which type, the rest is the text. A value or none; a value keeps
// its type, equals itself, and is the same after it was written and read.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include <tenon/op/attr/attr_equality.hpp>
#include <tenon/op/graph_def/attr_text.hpp>
#include <tenon/op/graph_def/placeholders.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

constexpr std::string_view kTypes[] = {"string",      "int",        "float",      "bool",         "type",
                                       "shape",       "tensor",     "func",       "list(string)", "list(int)",
                                       "list(float)", "list(bool)", "list(type)", "list(shape)",  "list(tensor)",
                                       "list(func)",  "placeholder"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view type = kTypes[data[0] % std::size(kTypes)];
  tenon::AttrValue value;
  if (!tenon::ParseAttrValue(type, {reinterpret_cast<const char*>(data) + 1, size - 1}, &value)) {
    Expect(!value.has_value());
    return 0;
  }
  const tenon::Status status = tenon::AttrValueHasType(value, type);
  Expect(status.ok() || type == "type" || type == "list(type)" || type == "placeholder");
  Expect(!tenon::SummarizeAttrValue(value).empty());
  Expect(tenon::HasPlaceholder(value) || type != "placeholder");
  const std::string bytes = tenon::SerializeAttrValue(value);
  tenon::wire::ParseContext context;
  context.repeat_bytes = tenon::detail::kMaxRepeatedDefaultBytes;
  tenon::AttrValue again;
  Expect(tenon::wire::Parse(tenon::wire::AsBytes(bytes), &again, context).ok() && again == value);
  Expect(tenon::AttrValueHash(again) == tenon::AttrValueHash(value));
  Expect(tenon::AreAttrValuesEqual(again, value) || value.kind() == tenon::AttrValue::Kind::kTensor ||
         tenon::HasPlaceholder(value) || value.kind() == tenon::AttrValue::Kind::kFunc ||
         value.kind() == tenon::AttrValue::Kind::kList);
  return 0;
}
