// SPDX-License-Identifier: Apache-2.0
#pragma once
// The header of a .npy file: a Python dict that says type, order and shape of the array. NpyElement: the elements of
// a tensor for that type.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

struct NpyOptions {
  // Type of void elements: bfloat16, one of the float8 types or of the types of less than a byte. numpy.save writes
  // ml_dtypes' bfloat16 as '<V2', which is known without this option. It writes the other types as '<V1' as a rule,
  // which says only their size.
  DataType void_dtype = DataType::kInvalid;
  // Limit for the elements, where they are not a view. The characters of strings beyond 22 come on top.
  std::uint64_t max_bytes = ~std::uint64_t{0};
};

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "tenon: .npy files are read and written on little-endian machines");

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

struct NpyType {
  std::string_view descr;  // without the byte order
  DataType dtype;
  std::uint8_t swapped_bytes;  // bytes of each number, which another byte order reverses
};
inline constexpr NpyType kNpyTypes[] = {
    {"f4", DataType::kFloat, 4},     {"f8", DataType::kDouble, 8},      {"f2", DataType::kHalf, 2},
    {"b1", DataType::kBool, 1},      {"i1", DataType::kInt8, 1},        {"i2", DataType::kInt16, 2},
    {"i4", DataType::kInt32, 4},     {"i8", DataType::kInt64, 8},       {"u1", DataType::kUint8, 1},
    {"u2", DataType::kUint16, 2},    {"u4", DataType::kUint32, 4},      {"u8", DataType::kUint64, 8},
    {"c8", DataType::kComplex64, 4}, {"c16", DataType::kComplex128, 8},
};
// TensorFlow's quantised types are structures of one field, and ml_dtypes' types are void ones or, once, 'f1'.
inline constexpr NpyType kNpyWholeTypes[] = {
    {"[('qint8','|i1')]", DataType::kQint8, 1},
    {"[('quint8','|u1')]", DataType::kQuint8, 1},
    {"[('qint16','<i2')]", DataType::kQint16, 1},
    {"[('quint16','<u2')]", DataType::kQuint16, 1},
    {"[('qint32','<i4')]", DataType::kQint32, 1},
    {"<V2", DataType::kBfloat16, 1},
    {"<f1", DataType::kFloat8E5M2, 1},
    {"|f1", DataType::kFloat8E5M2, 1},
};
inline constexpr DataTypeSet kNpyVoidTypes = ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat8E5M2) |
                                             ToSet(DataType::kFloat8E4M3FN) | ToSet(DataType::kFloat8E4M3FNUZ) |
                                             ToSet(DataType::kFloat8E4M3B11FNUZ) | ToSet(DataType::kFloat8E5M2FNUZ) |
                                             ToSet(DataType::kInt4) | ToSet(DataType::kUint4) | ToSet(DataType::kInt2) |
                                             ToSet(DataType::kUint2) | ToSet(DataType::kFloat4E2M1FN);

// The header's text, a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class NpyHeader {
 public:
  std::string_view descr;  // "<f4"; of a structured type the whole list, "[('a', '<i4')]"
  std::size_t descr_at = 0;
  bool fortran_order = false;
  InlinedVector<Index, 8> shape;

  // Returns false on an error; expected() and at() then say what was expected and at which byte of the string.
  bool Parse(std::string_view text) {
    text_ = text;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return Expected("'{'");
    while (!Take('}')) {
      Blanks();
      const std::size_t start = at_;
      std::string_view key;
      if (!String(&key)) return Expected("a key in quotes or '}'");
      bool* const has = key == "descr"           ? &has_descr
                        : key == "fortran_order" ? &has_order
                        : key == "shape"         ? &has_shape
                                                 : nullptr;
      if (has == nullptr || *has) {
        at_ = start;
        return Expected("each of the keys 'descr', 'fortran_order' and 'shape' once");
      }
      if (!Take(':')) return Expected("':'");
      *has = true;
      if (has == &has_descr ? !Descr() : has == &has_order ? !Order() : !Shape()) return false;
      if (!Take(',') && !Peek('}')) return Expected("',' or '}'");
    }
    if (!has_descr || !has_order || !has_shape)
      return Expected("the keys 'descr', 'fortran_order' and 'shape' before '}'");
    Blanks();
    return at_ == text_.size() || Expected("only blanks after '}'");
  }
  std::string_view expected() const { return expected_; }
  std::size_t at() const { return at_; }

 private:
  bool Expected(std::string_view what) {
    if (expected_.empty()) expected_ = what;
    return false;
  }
  void Blanks() {
    while (at_ < text_.size() && std::string_view(" \n\t\r\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool Peek(char c) {
    Blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool Take(char c) {
    if (!Peek(c)) return false;
    ++at_;
    return true;
  }
  bool Word(std::string_view word) {
    Blanks();
    if (!StartsWith(text_.substr(at_), word)) return false;
    at_ += word.size();
    return true;
  }
  // Quoted, on one line, without escapes: no key and no type needs them.
  bool String(std::string_view* out) {
    if (!Peek('\'') && !Peek('"')) return false;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    *out = text_.substr(at_ + 1, end - at_ - 1);
    if (out->find_first_of("\\\n") != std::string_view::npos) return false;
    at_ = end + 1;
    return true;
  }
  bool Descr() {
    Blanks();
    descr_at = at_;
    if (!Peek('[')) return String(&descr) || Expected("a type in quotes or a list of fields");
    std::size_t depth = 0;
    do {
      Blanks();
      std::string_view skipped;
      if (at_ == text_.size()) return Expected("']' at the end of the list of fields");
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        if (!String(&skipped)) return Expected("a closing quote");
        continue;
      }
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    } while (depth > 0);
    descr = text_.substr(descr_at, at_ - descr_at);
    return true;
  }
  bool Order() {
    fortran_order = Word("True");
    return fortran_order || Word("False") || Expected("True or False");
  }
  bool Shape() {
    if (!Take('(')) return Expected("a shape like (2, 3), (2,) or ()");
    bool comma = true;
    while (!Take(')')) {
      Blanks();
      if (!comma) return Expected("',' or ')'");
      std::size_t digits = 0;
      while (at_ + digits < text_.size() && text_[at_ + digits] >= '0' && text_[at_ + digits] <= '9') ++digits;
      Index size = 0;
      if (!ParseInt64(text_.substr(at_, digits), &size)) return Expected("a size between 0 and 2**63 - 1");
      if (shape.size() >= kMaxTensorRank) return Expected("at most 254 dimensions");
      at_ += digits;
      static_cast<void>(Word("L"));  // Python 2
      shape.push_back(size);
      comma = Take(',');
      if (shape.size() == 1 && !comma) return Expected("',' after the first size");
    }
    return true;
  }

  std::string_view text_, expected_;
  std::size_t at_ = 0;
};

// The elements of an array, as the header's descr describes them.
struct NpyElement {
  enum class Kind : unsigned char { kPlain, kBytes, kText };
  DataType dtype = DataType::kInvalid;
  Kind kind = Kind::kPlain;
  bool swapped = false;  // big-endian
  std::size_t swapped_bytes = 1;  // bytes of each number
  std::uint64_t bytes = 0;  // bytes of an element in the file
};

TENON_DETAIL_COLD inline Status NpyTypeError(std::string_view where, const NpyHeader& header, std::size_t at,
                                             std::string_view right) {
  return errors::InvalidArgument(where, ": at byte ", at, ": elements of NumPy type '",
                                 CEscape(header.descr.substr(0, 100)), "' have no place in a tensor; ", right);
}

// `at`: offset of the descr in the file.
inline Status NpyElementOf(const NpyHeader& header, const NpyOptions& options, std::string_view where, std::size_t at,
                           NpyElement* element) {
  std::string whole;
  for (const char c : header.descr.substr(0, 64)) {
    if (c != ' ') whole += c == '"' ? '\'' : c;
  }
  if (whole.size() > 5 && EndsWith(whole, ",)]")) whole.replace(whole.size() - 3, 3, ")]");
  std::string_view type = header.descr;
  const char order = type.empty() ? '?' : type.front();
  if (order == '<' || order == '>' || order == '|' || order == '=') type.remove_prefix(1);
  const char kind = type.empty() ? '?' : type.front();
  std::uint32_t width = 0;
  const bool has_width = ParseInt(type.substr(type.empty() ? 0 : 1), &width) && type[1] != '-' && type[1] != '+';

  const bool is_named = kind == 'V' && has_width && options.void_dtype != DataType::kInvalid;
  if (is_named && kNpyVoidTypes.contains(options.void_dtype) && order != '>' &&
      width == static_cast<std::uint32_t>(SizeOf(options.void_dtype))) {
    *element = {options.void_dtype, NpyElement::Kind::kPlain, false, 1, width};
    return OkStatus();
  }
  for (const NpyType& known : kNpyWholeTypes) {
    if (known.descr != whole) continue;
    *element = {known.dtype, NpyElement::Kind::kPlain, false, 1, static_cast<std::uint64_t>(SizeOf(known.dtype))};
    return OkStatus();
  }
  if (is_named) {
    return NpyTypeError(where, header, at,
                        StrCat("NpyOptions::void_dtype is ", options.void_dtype,
                               ", and must be bfloat16, a float8 type or one of less than a byte, of as many bytes"));
  }
  for (const NpyType& known : kNpyTypes) {
    if (known.descr != type) continue;
    *element = {known.dtype, NpyElement::Kind::kPlain, order == '>' && known.swapped_bytes > 1, known.swapped_bytes,
                static_cast<std::uint64_t>(SizeOf(known.dtype))};
    return OkStatus();
  }
  if ((kind == 'S' || kind == 'a' || kind == 'U') && has_width) {
    if (width == 0) return NpyTypeError(where, header, at, "strings of at least one character are wanted");
    if (kind == 'U') {
      *element = {DataType::kString, NpyElement::Kind::kText, order == '>', 4, std::uint64_t{width} * 4};
    } else {
      *element = {DataType::kString, NpyElement::Kind::kBytes, false, 1, width};
    }
    return OkStatus();
  }
  switch (kind) {
    case 'O':
      return NpyTypeError(where, header, at,
                          "they are Python objects (dtype object); save an array of numbers or strings");
    case 'm':
    case 'M': return NpyTypeError(where, header, at, "save array.astype('int64')");
    case 'f':
    case 'g': return NpyTypeError(where, header, at, "save array.astype('float64')");
    case 'c': return NpyTypeError(where, header, at, "save array.astype('complex128')");
    case '[': return NpyTypeError(where, header, at, "save each field as an array of its own");
    case 'V':
      return NpyTypeError(where, header, at,
                          "NpyOptions::void_dtype says that they are bfloat16, float8 or of less than a byte");
    default: return NpyTypeError(where, header, at, "numbers, bools, complex numbers and strings can be read");
  }
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
