// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes, inputs and attrs as they are written in constant expressions, and the default of an attr there.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A shape in a constant expression, at most 8 dimensions; -1 is an unknown size.
struct StaticShape {
  static constexpr int kMaxRank = 8;

  int rank = -1;  // -1: unknown
  std::int64_t dims[kMaxRank] = {};

  constexpr StaticShape() = default;
  constexpr StaticShape(std::initializer_list<std::int64_t> sizes) : rank(static_cast<int>(sizes.size())) {
    int i = 0;
    for (const std::int64_t size : sizes) dims[i++] = size;
  }
  friend constexpr bool operator==(const StaticShape&, const StaticShape&) = default;
};

// An input in a constant expression: its shape, and the value of a small integer tensor if that is known.
struct StaticInput {
  StaticShape shape;
  int value_count = -1;  // -1: not known
  std::int64_t values[StaticShape::kMaxRank] = {};

  constexpr StaticInput(std::initializer_list<std::int64_t> sizes) : shape(sizes) {}
  constexpr StaticInput(const StaticShape& s) : shape(s) {}
  static constexpr StaticInput Vector(std::initializer_list<std::int64_t> list) {
    StaticInput input({static_cast<std::int64_t>(list.size())});
    input.value_count = 0;
    for (const std::int64_t v : list) input.values[input.value_count++] = v;
    return input;
  }
  static constexpr StaticInput Scalar(std::int64_t v) {
    StaticInput input(std::initializer_list<std::int64_t>{});
    input.values[0] = v;
    input.value_count = 1;
    return input;
  }
};

// An attr in a constant expression: {"transpose_a", true}, {"strides", {1, 2, 2, 1}}, {"padding", "SAME"},
// {"shape", StaticShape{2, -1}}, {"shapes", {StaticShape{2, -1}, StaticShape()}}. Lists have at most 16 elements, and
// the shapes of a list at most 32 sizes.
struct StaticAttr {
  static constexpr std::size_t kMaxList = 16, kMaxNumbers = 32;

  std::string_view name;
  AttrKind kind = AttrKind::kInt;
  bool is_list = false;
  std::int64_t number = 0;  // kInt; kBool as 0 or 1
  float real = 0;
  DataType type = DataType::kInvalid;
  std::string_view text;
  std::size_t list_size = 0;
  std::int64_t numbers[kMaxNumbers] = {};  // sizes of a shape or of shapes, one behind the other
  DataType types[kMaxList] = {};
  std::int8_t ranks[kMaxList] = {};  // ranks of shapes

  template <class Int>
    requires std::is_integral_v<Int>
  constexpr StaticAttr(std::string_view n, Int v)
      : name(n),
        kind(std::is_same_v<Int, bool> ? AttrKind::kBool : AttrKind::kInt),
        number(static_cast<std::int64_t>(v)) {}
  constexpr StaticAttr(std::string_view n, float v) : name(n), kind(AttrKind::kFloat), real(v) {}
  constexpr StaticAttr(std::string_view n, double v) : StaticAttr(n, static_cast<float>(v)) {}
  constexpr StaticAttr(std::string_view n, DataType v) : name(n), kind(AttrKind::kType), type(v) {}
  constexpr StaticAttr(std::string_view n, const char* v) : name(n), kind(AttrKind::kString), text(v) {}
  constexpr StaticAttr(std::string_view n, std::string_view v) : name(n), kind(AttrKind::kString), text(v) {}
  constexpr StaticAttr(std::string_view n, std::initializer_list<std::int64_t> v) : name(n), is_list(true) {
    for (const std::int64_t x : v) numbers[list_size++] = x;
  }
  constexpr StaticAttr(std::string_view n, std::initializer_list<DataType> v)
      : name(n), kind(AttrKind::kType), is_list(true) {
    for (const DataType x : v) types[list_size++] = x;
  }
  constexpr StaticAttr(std::string_view n, const StaticShape& v) : name(n), kind(AttrKind::kShape) {
    AddShapes({&v, 1});
  }
  constexpr StaticAttr(std::string_view n, std::initializer_list<StaticShape> v)
      : name(n), kind(AttrKind::kShape), is_list(true) {
    AddShapes({v.begin(), v.size()});
  }

  // False when the value has another type.
  template <class T>
  constexpr bool Get(T* out) const {
    if constexpr (std::is_same_v<T, bool>) {
      return Take(kind == AttrKind::kBool && !is_list, number != 0, out);
    } else if constexpr (std::is_integral_v<T>) {
      return Take(kind == AttrKind::kInt && !is_list, static_cast<T>(number), out);
    } else if constexpr (std::is_same_v<T, float>) {
      return Take(kind == AttrKind::kFloat, real, out);
    } else if constexpr (std::is_same_v<T, DataType>) {
      return Take(kind == AttrKind::kType && !is_list, type, out);
    } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
      return Take(kind == AttrKind::kString, T(text), out);
    } else if constexpr (std::is_same_v<T, std::span<const DataType>>) {
      return Take(kind == AttrKind::kType && is_list, T(types, list_size), out);
    } else if constexpr (std::is_same_v<T, std::span<const std::int64_t>>) {
      return Take(kind == AttrKind::kInt && is_list, T(numbers, list_size), out);
    } else if constexpr (GrowableListOf<T, DataType>) {
      return Take(kind == AttrKind::kType && is_list, T(types, types + list_size), out);
    } else if constexpr (GrowableListOf<T, std::int64_t> || GrowableListOf<T, std::int32_t>) {
      if (kind != AttrKind::kInt || !is_list) return false;
      out->clear();
      for (std::size_t i = 0; i < list_size; ++i) out->push_back(static_cast<typename T::value_type>(numbers[i]));
      return true;
    } else {
      return false;
    }
  }

 private:
  constexpr void AddShapes(Span<const StaticShape> shapes) {
    std::size_t at = 0;
    for (const StaticShape& shape : shapes) {
      ranks[list_size++] = static_cast<std::int8_t>(shape.rank);
      for (int d = 0; d < shape.rank; ++d) numbers[at++] = shape.dims[d];
    }
  }
  template <class T>
  static constexpr bool Take(bool fits, const T& value, T* out) {
    if (fits) *out = value;
    return fits;
  }
};

namespace detail {

// A decimal number of at most 15 digits and a power of ten up to 22, which a double represents exactly, or an infinity
// or NaN. False for other numbers.
constexpr bool ReadSimpleFloat(std::string_view text, float* out) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (SameIgnoringCase(text, "nan")) return *out = std::numeric_limits<float>::quiet_NaN(), true;
  if (SameIgnoringCase(text, "inf") || SameIgnoringCase(text, "infinity")) {
    *out = negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    return true;
  }
  TextCursor in(text);
  double value = 0;
  int digits = 0, point = 0;
  for (bool behind_point = false; IsDigit(in.peek()) || (in.peek() == '.' && !behind_point); ++in.at) {
    if (in.peek() == '.') {
      behind_point = true;
      continue;
    }
    value = value * 10 + (in.peek() - '0');
    digits += value > 0 ? 1 : 0;
    point -= behind_point ? 1 : 0;
  }
  std::int64_t exponent = 0;
  if (in.Eat("e") || in.Eat("E")) {
    if (!ReadDecimal(in.rest(), &exponent)) return false;
  } else if (!in.done()) {
    return false;
  }
  exponent += point;
  if (digits > 15 || exponent < -22 || exponent > 22) return false;
  double scale = 1;
  for (std::int64_t i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) scale *= 10;
  value = exponent < 0 ? value / scale : value * scale;
  *out = static_cast<float>(negative ? -value : value);
  return true;
}

// The sizes of a shape and of its dims, which are sinks of their own.
struct ShapeSink {
  SlimVector<std::int64_t> sizes;
  std::int64_t size = 0;
  bool unknown_rank = false;

  constexpr ShapeSink Inner() const { return {}; }
  constexpr void Message(const TextField&, const ShapeSink& dim) { sizes.push_back(dim.size); }
  constexpr void Text(const TextField&, std::string_view) {}
  constexpr void Number(const TextField& field, std::int64_t number) {
    if (field.type == 'b')
      unknown_rank = number != 0;
    else
      size = number;
  }
  constexpr void Real(const TextField&, std::string_view) {}
};

// -1 for a size that is not known. False when the text is not a shape's; any number may stand for a size.
constexpr bool ReadShapeText(std::string_view block, SlimVector<std::int64_t>* sizes, bool* unknown_rank) {
  ShapeSink sink;
  if (!MessageReader(block).Block(TextSchema::kShape, &sink)) return false;
  *sizes = sink.sizes;
  *unknown_rank = sink.unknown_rank;
  return true;
}

// An attr's default from the text of its spec, where that needs no allocation of strings. False for other types.
template <class T>
constexpr bool ReadAttrDefault(const AttrSpec& spec, T* out) {
  DefaultReader values(spec);
  SpecValue v;
  if constexpr (std::is_same_v<T, bool>) {
    if (spec.kind != AttrKind::kBool || spec.is_list || !values.Next(&v)) return false;
    *out = v.i != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (spec.kind != AttrKind::kInt || spec.is_list || !values.Next(&v)) return false;
    *out = static_cast<T>(v.i);
  } else if constexpr (std::is_same_v<T, float>) {
    if (spec.kind != AttrKind::kFloat || spec.is_list || !values.Next(&v)) return false;
    return ReadSimpleFloat(v.text, out);
  } else if constexpr (std::is_same_v<T, DataType>) {
    if (!spec.is_type() || !values.Next(&v)) return false;
    *out = v.type;
  } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
    if (spec.kind != AttrKind::kString || spec.is_list || !values.Next(&v) || v.text.find('\\') != v.text.npos)
      return false;
    *out = T(v.text);
  } else if constexpr (GrowableListOf<T, std::int64_t> || GrowableListOf<T, std::int32_t>) {
    if (spec.kind != AttrKind::kInt || !spec.is_list) return false;
    for (out->clear(); values.Next(&v);) out->push_back(static_cast<typename T::value_type>(v.i));
  } else if constexpr (GrowableListOf<T, DataType>) {
    if (!spec.is_type_list()) return false;
    for (out->clear(); values.Next(&v);) out->push_back(v.type);
  } else {
    return false;
  }
  return true;
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
