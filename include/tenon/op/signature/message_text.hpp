// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defaults of shape, tensor and func attrs: "{ dim { size: 2 } }" in protobuf's text format, read field by field. A
// sink uses the fields: the compiler asks whether the text is right (IsMessageText) and for a shape's sizes
// (static_shape.hpp), attr_def.hpp makes wire bytes of it. constexpr.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/spec.hpp>
#include <tenon/op/signature/spec_text.hpp>
#include <tenon/op/signature/spec_values.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

struct TextField;
struct TextMessage {
  Span<const TextField> fields;
};
struct TextField {
  std::string_view name;
  std::uint32_t number;
  // i int32, I int64, u uint32, U uint64, b bool, f float, d double, e DataType, s string, m message
  char type;
  bool repeated = false;
  bool one_of = false;
  const TextMessage* message = nullptr;
};

struct TextSchema {
  // The schema of an attr of this kind, whose values are messages.
  static constexpr const TextMessage* Of(AttrKind kind);

  static const TextMessage kDim, kShape, kTensor, kFunc, kAttrEntry, kAttr, kList;
  static constexpr TextField kDimFields[] = {{"size", 1, 'I'}, {"name", 2, 's'}};
  static constexpr TextField kShapeFields[] = {{"dim", 2, 'm', true, false, &kDim}, {"unknown_rank", 3, 'b'}};
  static constexpr TextField kTensorFields[] = {{"dtype", 1, 'e'},
                                                {"tensor_shape", 2, 'm', false, false, &kShape},
                                                {"version_number", 3, 'i'},
                                                {"tensor_content", 4, 's'},
                                                {"half_val", 13, 'i', true},
                                                {"float_val", 5, 'f', true},
                                                {"double_val", 6, 'd', true},
                                                {"int_val", 7, 'i', true},
                                                {"string_val", 8, 's', true},
                                                {"scomplex_val", 9, 'f', true},
                                                {"int64_val", 10, 'I', true},
                                                {"bool_val", 11, 'b', true},
                                                {"dcomplex_val", 12, 'd', true},
                                                {"uint32_val", 16, 'u', true},
                                                {"uint64_val", 17, 'U', true},
                                                {"float8_val", 18, 's'}};
  static constexpr TextField kFuncFields[] = {{"name", 1, 's'}, {"attr", 2, 'm', true, false, &kAttrEntry}};
  static constexpr TextField kAttrEntryFields[] = {{"key", 1, 's'}, {"value", 2, 'm', false, false, &kAttr}};
  static constexpr TextField kAttrFields[] = {{"s", 2, 's', false, true},
                                              {"i", 3, 'I', false, true},
                                              {"f", 4, 'f', false, true},
                                              {"b", 5, 'b', false, true},
                                              {"type", 6, 'e', false, true},
                                              {"shape", 7, 'm', false, true, &kShape},
                                              {"tensor", 8, 'm', false, true, &kTensor},
                                              {"list", 1, 'm', false, true, &kList},
                                              {"func", 10, 'm', false, true, &kFunc},
                                              {"placeholder", 9, 's', false, true}};
  static constexpr TextField kListFields[] = {{"s", 2, 's', true},
                                              {"i", 3, 'I', true},
                                              {"f", 4, 'f', true},
                                              {"b", 5, 'b', true},
                                              {"type", 6, 'e', true},
                                              {"shape", 7, 'm', true, false, &kShape},
                                              {"tensor", 8, 'm', true, false, &kTensor},
                                              {"func", 9, 'm', true, false, &kFunc}};
};
inline constexpr TextMessage TextSchema::kDim{kDimFields};
inline constexpr TextMessage TextSchema::kShape{kShapeFields};
inline constexpr TextMessage TextSchema::kTensor{kTensorFields};
inline constexpr TextMessage TextSchema::kFunc{kFuncFields};
inline constexpr TextMessage TextSchema::kAttrEntry{kAttrEntryFields};
inline constexpr TextMessage TextSchema::kAttr{kAttrFields};
inline constexpr TextMessage TextSchema::kList{kListFields};
constexpr const TextMessage* TextSchema::Of(AttrKind kind) {
  return kind == AttrKind::kShape    ? &kShape
         : kind == AttrKind::kTensor ? &kTensor
         : kind == AttrKind::kFunc   ? &kFunc
                                     : nullptr;
}

// Reads one "{ field: value ... }" as TensorFlow's reader does: names that it does not know are skipped.
// A sink has Inner() for the sink of a message inside, Message(field, inner), Text(field, raw), Number(field, value)
// and Real(field, digits). One thread.
class MessageReader {
 public:
  constexpr explicit MessageReader(std::string_view text) : in_(text) {}

  // False when the text is not such a message; the sink then holds the fields that were read so far.
  template <class Sink>
  constexpr bool Block(const TextMessage& message, Sink* sink) {
    return Nested(message, sink) && in_.done();
  }

 private:
  static constexpr int kMaxDepth = 100;
  static constexpr std::size_t kMaxFields = 16;

  template <class Sink>
  constexpr bool Nested(const TextMessage& message, Sink* sink) {
    const char close = in_.peek() == '{' ? '}' : '>';
    if ((!in_.Eat('{') && !in_.Eat('<')) || ++depth_ > kMaxDepth) return false;
    bool seen[kMaxFields] = {}, seen_one_of = false;
    for (;;) {
      in_.SkipSpaceAndComments();
      if (in_.Eat(close)) {
        in_.SkipSpaceAndComments();
        --depth_;
        return true;
      }
      const std::string_view name = in_.EatWhile(kWordChars);
      if (name.empty()) return false;
      in_.SkipSpaceAndComments();
      const bool colon = in_.Eat(':');
      if (colon) in_.SkipSpaceAndComments();
      for (std::size_t i = 0; i < message.fields.size(); ++i) {
        const TextField& field = message.fields[i];
        if (field.name != name) continue;
        if (!field.repeated && (seen[i] || (field.one_of && seen_one_of))) return false;
        seen[i] = true;
        seen_one_of = seen_one_of || field.one_of;
        if ((field.type != 'm' && !colon) || !Values(field, sink)) return false;
        break;
      }
    }
  }
  // One value, or "[a, b]".
  template <class Sink>
  constexpr bool Values(const TextField& field, Sink* sink) {
    const bool is_list = field.repeated && in_.peek() == '[';
    Sink packed = sink->Inner();
    const bool pack = field.repeated && field.type != 'm' && field.type != 's';
    do {
      if (is_list) {
        ++in_.at;
        in_.SkipSpaceAndComments();
      }
      if (!Value(field, pack ? &packed : sink)) return false;
    } while (is_list && in_.peek() == ',');
    if (pack) sink->Message(field, packed);
    if (!is_list) return true;
    if (!in_.Eat(']')) return false;
    in_.SkipSpaceAndComments();
    return true;
  }
  template <class Sink>
  constexpr bool Value(const TextField& field, Sink* sink) {
    if (field.type == 'm') {
      Sink inner = sink->Inner();
      if (!Nested(*field.message, &inner)) return false;
      sink->Message(field, inner);
      return true;
    }
    if (field.type == 's') {
      std::string_view raw;
      if (!EatQuoted(&in_, &raw) || !ValidEscapes(raw)) return false;
      in_.SkipSpaceAndComments();
      sink->Text(field, raw);
      return true;
    }
    const AttrKind kind = field.type == 'b'                        ? AttrKind::kBool
                          : field.type == 'e'                      ? AttrKind::kType
                          : field.type == 'f' || field.type == 'd' ? AttrKind::kFloat
                                                                   : AttrKind::kInt;
    const std::string_view word = in_.EatWhile(kNumberChars | kUnderscore);
    DefaultReader reader(kind, false, word);
    SpecValue value;
    if (word.empty() || !reader.Next(&value) || reader.Next(&value) || reader.failed()) return false;
    if (field.type != 'e') in_.SkipSpaceAndComments();
    if (kind == AttrKind::kFloat) {
      sink->Real(field, word);
      return true;
    }
    const std::int64_t number = field.type == 'e' ? static_cast<std::int64_t>(value.type) : value.i;
    if ((field.type == 'i' && (number < INT32_MIN || number > INT32_MAX)) ||
        (field.type == 'u' && (number < 0 || number > UINT32_MAX)) || (field.type == 'U' && number < 0))
      return false;
    sink->Number(field, number);
    return true;
  }

  TextCursor in_;
  int depth_ = 0;
};

struct NoSink {
  constexpr NoSink Inner() const { return {}; }
  constexpr void Message(const TextField&, const NoSink&) {}
  constexpr void Text(const TextField&, std::string_view) {}
  constexpr void Number(const TextField&, std::int64_t) {}
  constexpr void Real(const TextField&, std::string_view) {}
};

constexpr bool IsMessageText(AttrKind kind, std::string_view block) {
  NoSink sink;
  return MessageReader(block).Block(*TextSchema::Of(kind), &sink);
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
