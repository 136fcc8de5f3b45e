// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one reader of TensorFlow's spec strings, "to_zero: T" and "preserve_index: int >= 0 = 0". It is constexpr and
// reports where and why it stopped: the op language turns that into a compile error whose name is the message
// (StopOnSpecError below), op_export.hpp into a Status with TensorFlow's text. No allocation, no dependency but
// DataType.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>

TENON_NAMESPACE_BEGIN

enum class AttrKind : std::uint8_t { kString, kInt, kFloat, kBool, kType, kShape, kTensor, kFunc };

// The word in a spec: "string", "int", ...
constexpr std::string_view Name(AttrKind kind) {
  constexpr std::string_view kNames[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
  return kNames[static_cast<std::size_t>(kind)];
}

// What is wrong with a spec string.
enum class SpecError : std::uint8_t {
  kNone,
  kNameNotIdentifier,
  kNoColon,
  kUnknownAttrKind,
  kNotACompoundType,
  kUnknownTypeInList,
  kNoTypeInList,
  kBadStringInList,
  kBadEscapeInList,
  kNoCommaAfterString,
  kNoCommaAfterType,
  kListNotClosed,
  kBadMinimum,
  kBadDefault,
  kNoType,
  kRefNotClosed,
  kTextLeftOver,
  kTooLong,
};

struct SpecIssue {
  SpecError error = SpecError::kNone;
  bool word_runs_on = false;  // the attr kind goes on with letters: "integer"
  std::size_t begin = 0;      // text[begin, end) is what the message quotes
  std::size_t end = 0;

  constexpr bool ok() const { return error == SpecError::kNone; }
};

// One input or output: "name: T", "name: N * T", "name: Ref(float)", "name: list_attr". Points into its text, which
// outlives it (string literals, or an OwnedOp's own storage). The attr indices are filled by Signature as attrs and
// arguments meet: positions in the op's attr list, -1 for none.
struct ArgSpec {
  std::string_view text;
  DataType type = DataType::kInvalid;  // the fixed type; kInvalid when an attr says it
  std::uint16_t name_size = 0;         // the name is at the start of the text
  std::uint16_t type_begin = 0;
  std::uint16_t number_begin = 0;      // 0: no "N *"
  std::int16_t type_attr_index = -1;   // the attr of kind type or list(type)
  std::int16_t number_attr_index = -1;
  bool is_ref = false;
  bool is_type_list = false;           // the type attr is a list(type)

  constexpr std::string_view name() const { return text.substr(0, name_size); }
  constexpr std::string_view type_attr() const {
    return type == DataType::kInvalid && !is_type_list ? Word(type_begin) : "";
  }
  constexpr std::string_view type_list_attr() const { return is_type_list ? Word(type_begin) : ""; }
  constexpr std::string_view number_attr() const { return number_begin == 0 ? "" : Word(number_begin); }
  constexpr bool is_list() const { return is_type_list || number_begin != 0; }  // any number of tensors
  constexpr std::string_view Word(std::size_t begin) const {
    const char* data = text.data();
    const std::size_t size = text.size();
    std::size_t end = begin;
    while (end < size && ((data[end] >= 'a' && data[end] <= 'z') || (data[end] >= 'A' && data[end] <= 'Z') ||
                          (data[end] >= '0' && data[end] <= '9') || data[end] == '_'))
      ++end;
    return {data + begin, end - begin};
  }
};

// How the allowed values of an attr are written.
enum class AllowedForm : std::uint8_t {
  kNone,
  kTypeSet,
  kTypes,
  kStrings
};  // "numbertype"; "{float, int32}"; "{'a', 'b'}"

// One attr: "name: kind", "name: list(kind) >= 1 = []", ... Points into its text as ArgSpec does.
struct AttrSpec {
  std::string_view text;
  std::int64_t minimum = 0;         // smallest value of an int, smallest length of a list
  DataTypeSet allowed_types;        // empty: any type
  std::uint32_t default_begin = 0;
  std::uint32_t allowed_begin = 0;  // of "numbertype" or of the first item in braces
  std::uint16_t name_size = 0;
  AttrKind kind = AttrKind::kInt;
  AllowedForm allowed = AllowedForm::kNone;
  bool is_list = false;
  bool has_default = false;
  bool has_minimum = false;

  constexpr std::string_view name() const { return text.substr(0, name_size); }
  // Text behind the last '=': "false", "[1, 2]", "'SAME'", "DT_FLOAT", "{ unknown_rank: true }".
  constexpr std::string_view default_text() const { return has_default ? text.substr(default_begin) : ""; }
  // From the first allowed value on, in the order of the source; read it with AllowedReader.
  constexpr std::string_view allowed_text() const {
    return allowed == AllowedForm::kNone ? "" : text.substr(allowed_begin);
  }
  constexpr bool is_type() const { return kind == AttrKind::kType && !is_list; }
  constexpr bool is_type_list() const { return kind == AttrKind::kType && is_list; }
};
static_assert(sizeof(ArgSpec) == 32 && sizeof(AttrSpec) == 48);

namespace detail {

// Compilers run the reader for every signature, slowly: about 10 microseconds per function call. So the loops over
// characters below go through plain pointers and tables.
inline constexpr unsigned kLowerChar = 1, kUpperChar = 2, kDigitChar = 4, kUnderscore = 8, kSignChar = 16, kDot = 32,
                          kSpaceChar = 64;
inline constexpr unsigned kLetterChars = kLowerChar | kUpperChar;
inline constexpr unsigned kWordChars = kLetterChars | kDigitChar | kUnderscore;
inline constexpr unsigned kNumberChars = kLetterChars | kDigitChar | kSignChar | kDot;

struct CharClasses {
  unsigned char of[256] = {};

  constexpr CharClasses() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = kLowerChar;
    for (int c = 'A'; c <= 'Z'; ++c) of[c] = kUpperChar;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigitChar;
    for (int c = '\t'; c <= '\r'; ++c) of[c] = kSpaceChar;
    of[' '] = kSpaceChar;
    of['_'] = kUnderscore;
    of['+'] = of['-'] = kSignChar;
    of['.'] = kDot;
  }
};
inline constexpr CharClasses kCharClasses;

constexpr bool Is(char c, unsigned classes) { return (kCharClasses.of[static_cast<unsigned char>(c)] & classes) != 0; }
constexpr bool IsLetter(char c) { return Is(c, kLetterChars); }
constexpr bool IsDigit(char c) { return Is(c, kDigitChar); }
constexpr bool IsWordChar(char c) { return Is(c, kWordChars); }
constexpr bool IsSpace(char c) { return Is(c, kSpaceChar); }
constexpr int HexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

constexpr bool SameText(std::string_view a, const char* b, std::size_t b_size) {
  const std::size_t n = a.size();
  if (n != b_size) return false;
  const char* data = a.data();
  std::size_t i = 0;
  while (i < n && data[i] == b[i]) ++i;
  return i == n;
}

// A position in a text. Every Eat... moves on only if it returns true.
struct TextCursor {
  const char* data;
  std::size_t size;
  std::size_t at = 0;

  constexpr explicit TextCursor(std::string_view text) : data(text.data()), size(text.size()) {}

  constexpr bool done() const { return at >= size; }
  constexpr char peek() const { return at < size ? data[at] : '\0'; }
  constexpr std::string_view text() const { return {data, size}; }
  constexpr std::string_view rest() const { return {data + at, size - at}; }
  constexpr void SkipSpace() {
    while (at < size && (kCharClasses.of[static_cast<unsigned char>(data[at])] & kSpaceChar) != 0) ++at;
  }
  constexpr void SkipSpaceAndComments() {
    for (;;) {
      SkipSpace();
      if (at >= size || data[at] != '#') return;
      while (at < size && data[at] != '\n') ++at;
    }
  }
  constexpr bool Eat(char c) {
    if (at >= size || data[at] != c) return false;
    ++at;
    return true;
  }
  constexpr bool Eat(const char* token) {
    std::size_t i = at;
    for (; *token != '\0'; ++token, ++i)
      if (i >= size || data[i] != *token) return false;
    at = i;
    return true;
  }
  // All characters from here on that are of the classes.
  constexpr std::string_view EatWhile(unsigned classes) {
    const std::size_t begin = at;
    while (at < size && (kCharClasses.of[static_cast<unsigned char>(data[at])] & classes) != 0) ++at;
    return {data + begin, at - begin};
  }
};

// The names of all dtypes for quick comparisons, chained by their first letter; aliases at the end.
struct TypeWords {
  static constexpr int kCount = kDataTypeCount + 3;

  const char* text[kCount] = {};
  unsigned char size[kCount] = {};
  unsigned char type[kCount] = {};
  unsigned char next[kCount] = {};  // the word before with the same first letter; 0: none
  unsigned char last[256] = {};     // by first letter, small or capital

  constexpr TypeWords() {
    int n = 1;
    for (int i = 1; i < kDataTypeCount; ++i) Add(n++, Name(static_cast<DataType>(i)), i);
    Add(n++, "float32", static_cast<int>(DataType::kFloat));
    Add(n++, "float64", static_cast<int>(DataType::kDouble));
    Add(n++, "float16", static_cast<int>(DataType::kHalf));
  }
  constexpr void Add(int n, std::string_view name, int value) {
    text[n] = name.data();
    size[n] = static_cast<unsigned char>(name.size());
    type[n] = static_cast<unsigned char>(value);
    const int letter = text[n][0];
    next[n] = last[letter];
    last[letter] = last[letter - 'a' + 'A'] = static_cast<unsigned char>(n);
  }
};
inline constexpr TypeWords kTypeWords;

// "float", "int32_ref" as DataTypeFromName reads them; or, for `upper`, the same in capitals and without aliases, which
// is what stands behind "DT_" in the enumerators' names.
constexpr DataType FindType(const char* data, std::size_t size, bool upper = false) {
  int ref = 0;
  const char* suffix = upper ? "_REF" : "_ref";
  if (size > 4 && data[size - 4] == suffix[0] && data[size - 3] == suffix[1] && data[size - 2] == suffix[2] &&
      data[size - 1] == suffix[3]) {
    ref = kDataTypeRefOffset;
    size -= 4;
  }
  if (size == 0) return DataType::kInvalid;
  for (int n = kTypeWords.last[static_cast<unsigned char>(data[0])]; n != 0; n = kTypeWords.next[n]) {
    if (kTypeWords.size[n] != size || (upper && n >= kDataTypeCount)) continue;
    const char* name = kTypeWords.text[n];
    std::size_t i = 0;
    while (i < size &&
           data[i] == (upper && name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 32) : name[i]))
      ++i;
    if (i == size) return static_cast<DataType>(kTypeWords.type[n] + ref);
  }
  return DataType::kInvalid;
}

// Decodes C escapes one character after the other: \n, \', \101, \x41, \u00e9.
class EscapeReader {
 public:
  constexpr explicit EscapeReader(std::string_view raw) : raw_(raw) {}

  // False at the end and after a bad escape.
  constexpr bool Next(char* c) {
    if (pending_ > 0) {
      *c = utf8_[4 - pending_--];
      return true;
    }
    if (failed_ || at_ >= raw_.size()) return false;
    *c = raw_[at_++];
    if (*c != '\\') return true;
    if (at_ >= raw_.size()) return Fail();
    const char kind = raw_[at_++];
    switch (kind) {
      case 'a': *c = '\a'; return true;
      case 'b': *c = '\b'; return true;
      case 'f': *c = '\f'; return true;
      case 'n': *c = '\n'; return true;
      case 'r': *c = '\r'; return true;
      case 't': *c = '\t'; return true;
      case 'v': *c = '\v'; return true;
      case '\\':
      case '?':
      case '\'':
      case '"': *c = kind; return true;
      case 'x':
      case 'X': return Hex(c);
      case 'u': return Unicode(4, c);
      case 'U': return Unicode(8, c);
      default: return kind >= '0' && kind <= '7' ? Octal(kind, c) : Fail();
    }
  }
  constexpr bool failed() const { return failed_; }

 private:
  constexpr bool Fail() {
    failed_ = true;
    return false;
  }
  constexpr bool Octal(char first, char* c) {
    unsigned value = static_cast<unsigned>(first - '0');
    for (int i = 0; i < 2 && at_ < raw_.size() && raw_[at_] >= '0' && raw_[at_] <= '7'; ++i)
      value = value * 8 + static_cast<unsigned>(raw_[at_++] - '0');
    *c = static_cast<char>(value & 0xff);
    return value <= 0xff || Fail();
  }
  constexpr bool Hex(char* c) {
    if (at_ >= raw_.size() || HexDigit(raw_[at_]) < 0) return Fail();
    unsigned value = 0;
    for (; at_ < raw_.size() && HexDigit(raw_[at_]) >= 0; ++at_) {
      value = value * 16 + static_cast<unsigned>(HexDigit(raw_[at_]));
      if (value > 0xff) return Fail();
    }
    *c = static_cast<char>(value);
    return true;
  }
  // A code point as UTF-8.
  constexpr bool Unicode(int digits, char* c) {
    std::uint32_t rune = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      if (at_ >= raw_.size() || HexDigit(raw_[at_]) < 0 || rune > 0x10ffff) return Fail();
      rune = rune * 16 + static_cast<std::uint32_t>(HexDigit(raw_[at_]));
    }
    if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return Fail();
    const int size = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    for (int i = 3; i > 4 - size; --i, rune >>= 6) utf8_[i] = static_cast<char>(0x80 | (rune & 0x3f));
    constexpr unsigned char kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    utf8_[4 - size] = static_cast<char>(kLead[size] | rune);
    pending_ = size;
    return Next(c);
  }

  std::string_view raw_;
  std::size_t at_ = 0;
  int pending_ = 0;  // bytes of utf8_ still to give
  char utf8_[4] = {};
  bool failed_ = false;
};

// Whether two texts with escapes mean the same bytes.
constexpr bool SameUnescaped(std::string_view a, std::string_view b) {
  EscapeReader left(a), right(b);
  for (;;) {
    char x = 0, y = 0;
    const bool more_left = left.Next(&x), more_right = right.Next(&y);
    if (more_left != more_right || x != y) return false;
    if (!more_left) return true;
  }
}

// The text between quotes at the cursor, still with its escapes; escapes may hide the quote.
constexpr bool EatQuoted(TextCursor* in, std::string_view* raw) {
  const char quote = in->peek();
  if (quote != '"' && quote != '\'') return false;
  const std::size_t begin = in->at + 1;
  std::size_t end = begin;
  while (end < in->size && in->data[end] != quote) end += in->data[end] == '\\' ? 2 : 1;
  if (end >= in->size) return false;
  *raw = {in->data + begin, end - begin};
  in->at = end + 1;
  return true;
}
constexpr bool ValidEscapes(std::string_view raw) {
  const char* data = raw.data();
  std::size_t i = 0;
  while (i < raw.size() && data[i] != '\\') ++i;
  if (i == raw.size()) return true;
  EscapeReader escapes(raw);
  for (char c = 0; escapes.Next(&c);) {
  }
  return !escapes.failed();
}

constexpr bool ReadDecimal(std::string_view text, std::int64_t* value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (p == end) return false;
  const std::uint64_t limit = std::uint64_t{INT64_MAX} + (negative ? 1 : 0);
  std::uint64_t v = 0;
  for (; p != end; ++p) {
    if (*p < '0' || *p > '9') return false;
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (v > (limit - digit) / 10) return false;
    v = v * 10 + digit;
  }
  *value = negative ? static_cast<std::int64_t>(0 - v) : static_cast<std::int64_t>(v);
  return true;
}

// "inf", "-Infinity", "nan": ignoring case, `word` in lower case.
constexpr bool SameIgnoringCase(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((IsLetter(text[i]) ? static_cast<char>(text[i] | 0x20) : text[i]) != word[i]) return false;
  return true;
}

// Whether the text is a float: decimal, hexadecimal ("0x1p3"), infinity or NaN.
constexpr bool LooksLikeFloat(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (SameIgnoringCase(text, "inf") || SameIgnoringCase(text, "infinity") || SameIgnoringCase(text, "nan")) return true;
  TextCursor in(text);
  const bool hex = in.Eat("0x") || in.Eat("0X");
  std::size_t digits = 0;
  for (bool point = false; hex ? HexDigit(in.peek()) >= 0 || (!point && in.peek() == '.')
                               : Is(in.peek(), point ? kDigitChar : kDigitChar | kDot);
       ++in.at) {
    if (in.peek() == '.')
      point = true;
    else
      ++digits;
  }
  if (digits == 0) return false;
  const char mark = in.peek();
  if (hex ? mark == 'p' || mark == 'P' : mark == 'e' || mark == 'E') {
    ++in.at;
    if (in.peek() == '-' || in.peek() == '+') ++in.at;
    if (in.EatWhile(kDigitChar).empty()) return false;
  }
  return in.done();
}

}  // namespace detail

// One value of a default. Which member counts follows from the attr's kind.
struct SpecValue {
  std::int64_t i = 0;  // kInt, and kBool as 0 or 1
  DataType type{};  // kType; any number may stand in a spec
  std::string_view
      text;  // kString: between the quotes, with escapes; kFloat: the digits; kShape, kTensor, kFunc: "{ ... }"
};

// Reads the values of a default one by one, with the grammar of TensorFlow's own text reader. A scalar has one value.
//   DefaultReader values(spec);  SpecValue v;  while (values.Next(&v)) ...;  if (values.failed()) ...
class DefaultReader {
 public:
  constexpr DefaultReader(AttrKind kind, bool is_list, std::string_view text)
      : kind_(kind), is_list_(is_list), in_(text) {}
  constexpr explicit DefaultReader(const AttrSpec& spec)
      : DefaultReader(spec.kind, spec.is_list, spec.default_text()) {}

  constexpr bool Next(SpecValue* value) {
    if (state_ == kEnd) return false;
    if (is_list_ && state_ == kStart) {
      in_.SkipSpace();
      while (in_.size > 0 && detail::IsSpace(in_.data[in_.size - 1])) --in_.size;
      if (in_.peek() != '[' || in_.size < in_.at + 2 || in_.data[in_.size - 1] != ']') return Fail();
      ++in_.at;
      in_.SkipSpace();
      if (in_.at + 1 == in_.size) return End();
    } else if (is_list_) {
      if (in_.Eat(']')) return in_.done() ? End() : Fail();
      if (!in_.Eat(',')) return Fail();
    } else if (state_ != kStart) {
      return TrailingWordsOnly() ? End() : Fail();
    }
    state_ = kMiddle;
    in_.SkipSpaceAndComments();
    return ReadValue(value) || Fail();
  }
  constexpr bool failed() const { return failed_; }

 private:
  enum State : std::uint8_t { kStart, kMiddle, kEnd };

  constexpr bool End() {
    state_ = kEnd;
    return false;
  }
  constexpr bool Fail() {
    failed_ = true;
    return End();
  }
  constexpr bool ReadValue(SpecValue* value) {
    switch (kind_) {
      case AttrKind::kString:
        if (!detail::EatQuoted(&in_, &value->text) || !detail::ValidEscapes(value->text)) return false;
        break;
      case AttrKind::kInt: {
        const std::string_view digits = Number();
        if (!OneLeadingZeroAtMost(digits) || !detail::ReadDecimal(digits, &value->i)) return false;
        break;
      }
      case AttrKind::kFloat:
        value->text = Number();
        if (!OneLeadingZeroAtMost(value->text) || !detail::LooksLikeFloat(value->text)) return false;
        break;
      case AttrKind::kBool: {
        const std::string_view word = in_.EatWhile(detail::kLetterChars | detail::kDigitChar);
        value->i =
            detail::SameText(word, "true", 4) || detail::SameText(word, "True", 4) || detail::SameText(word, "1", 1);
        if (value->i == 0 && !detail::SameText(word, "false", 5) && !detail::SameText(word, "False", 5) &&
            !detail::SameText(word, "0", 1))
          return false;
        break;
      }
      case AttrKind::kType: return ReadType(value);  // no blanks are skipped behind it: TensorFlow's reader does not
      default:
        if (!EatBlock(&value->text)) return false;
    }
    in_.SkipSpaceAndComments();
    return true;
  }
  constexpr bool ReadType(SpecValue* value) {
    const std::string_view word = in_.EatWhile(detail::kWordChars | detail::kSignChar);
    value->type = DataType::kInvalid;
    if (word.size() > 3 && word[0] == 'D' && word[1] == 'T' && word[2] == '_') {
      value->type = detail::FindType(word.data() + 3, word.size() - 3, true);
      return value->type != DataType::kInvalid || word == "DT_INVALID";
    }
    std::int64_t number = 0;
    if (!detail::ReadDecimal(word, &number) || number < INT32_MIN || number > INT32_MAX) return false;
    value->type = static_cast<DataType>(number);
    return true;
  }
  // "{ ... }" or "< ... >" up to its end; what is inside is read at run time.
  constexpr bool EatBlock(std::string_view* block) {
    const std::size_t begin = in_.at;
    char closing[100] = {};
    std::size_t depth = 0;
    do {
      const char c = in_.peek();
      if (c == '{' || c == '<' || (c == '[' && depth > 0)) {
        if (depth == sizeof closing) return false;
        closing[depth++] = c == '{' ? '}' : c == '<' ? '>' : ']';
      } else if (depth > 0 && c == closing[depth - 1]) {
        --depth;
      } else if (c == '"' || c == '\'') {
        std::string_view raw;
        if (depth == 0 || !detail::EatQuoted(&in_, &raw)) return false;
        continue;
      } else if (depth == 0 || in_.done() || c == '}' || c == '>' || c == ']') {
        return false;
      }
      ++in_.at;
      if (depth > 0) in_.SkipSpaceAndComments();
    } while (depth > 0);
    *block = {in_.data + begin, in_.at - begin};
    return true;
  }
  constexpr std::string_view Number() { return in_.EatWhile(detail::kNumberChars); }
  static constexpr bool OneLeadingZeroAtMost(std::string_view number) {
    int zeros = 0;
    for (const char c : number) {
      if (c == '0') {
        if (++zeros > 1) return false;
      } else if (c != '-') {
        break;
      }
    }
    return true;
  }
  // TensorFlow takes a scalar for a whole message and ignores names of fields that it does not know: "3 4" is 3.
  constexpr bool TrailingWordsOnly() {
    for (;;) {
      in_.SkipSpaceAndComments();
      if (in_.done()) return true;
      const std::string_view word = in_.EatWhile(detail::kWordChars);
      if (word.empty()) return false;
      for (const std::string_view field :
           {"s", "i", "f", "b", "type", "shape", "tensor", "list", "func", "placeholder"})
        if (word == field) return false;
      in_.SkipSpaceAndComments();
      (void)in_.Eat(':');
    }
  }

  AttrKind kind_;
  bool is_list_;
  State state_ = kStart;
  bool failed_ = false;
  detail::TextCursor in_;
};

// The numbers and words behind allowed_text(), in source order: sets give several types ("numbertype" ascending).
//   AllowedReader allowed(spec);  while (allowed.Next()) { allowed.types() or allowed.string() }
class AllowedReader {
 public:
  constexpr explicit AllowedReader(const AttrSpec& spec) : form_(spec.allowed), in_(spec.allowed_text()) {}

  constexpr bool Next() {
    if (form_ == AllowedForm::kNone) return false;
    if (form_ == AllowedForm::kStrings) {
      if (!detail::EatQuoted(&in_, &string_)) return false;
    } else {
      const std::string_view word = in_.EatWhile(detail::kWordChars);
      if (word.empty()) return false;
      types_ = NamedTypes(word);
    }
    in_.SkipSpace();
    if (form_ == AllowedForm::kTypeSet || !in_.Eat(',')) form_ = AllowedForm::kNone;
    in_.SkipSpace();
    return true;
  }
  constexpr DataTypeSet types() const { return types_; }
  constexpr std::string_view string() const { return string_; }  // still with its escapes

  // "float", or "numbertype" and the like; the set of kInvalid for any other word.
  static constexpr DataTypeSet NamedTypes(std::string_view word) {
    if (const DataType type = detail::FindType(word.data(), word.size()); type != DataType::kInvalid)
      return ToSet(type);
    if (word == "numbertype" || word == "numerictype") return kNumberTypes;
    if (word == "quantizedtype") return kQuantizedTypes;
    if (word == "realnumbertype" || word == "realnumerictype") return kRealNumberTypes;
    return ToSet(DataType::kInvalid);
  }

 private:
  AllowedForm form_;
  detail::TextCursor in_;
  DataTypeSet types_;
  std::string_view string_;
};

namespace detail {

class SpecReader {
 public:
  constexpr explicit SpecReader(std::string_view text) : in_(text) {}

  constexpr SpecIssue Attr(AttrSpec* out) {
    out->text = in_.text();
    if (in_.size > UINT32_MAX) return Issue(SpecError::kTooLong, 0);
    if (!NameThenColon(false, &out->name_size)) return issue_;
    out->is_list = EatListPrefix();
    if (!Kind(out)) return issue_;
    const bool runs_on = kind_end_ == in_.at && IsWordChar(in_.peek());
    in_.SkipSpace();
    if (out->is_list) {
      if (!in_.Eat(')')) return Issue(SpecError::kListNotClosed, in_.at, runs_on);
      in_.SkipSpace();
    }
    if ((out->is_list || out->kind == AttrKind::kInt) && in_.Eat(">=")) {
      const std::size_t begin = in_.at;
      if (!Minimum(&out->minimum)) return Issue(SpecError::kBadMinimum, begin);
      out->has_minimum = true;
    }
    if (!in_.Eat('=')) return in_.done() ? issue_ : Issue(SpecError::kTextLeftOver, in_.at, runs_on);
    in_.SkipSpace();
    out->has_default = true;
    out->default_begin = static_cast<std::uint32_t>(in_.at);
    DefaultReader values(*out);
    for (SpecValue value; values.Next(&value);) {
    }
    return values.failed() ? Issue(SpecError::kBadDefault, in_.at) : issue_;
  }

  constexpr SpecIssue Arg(ArgSpec* out) {
    out->text = in_.text();
    if (in_.size > UINT16_MAX) return Issue(SpecError::kTooLong, 0);
    if (!NameThenColon(true, &out->name_size)) return issue_;
    const TextCursor before_ref = in_;
    if (in_.Eat("Ref")) {
      in_.SkipSpace();
      out->is_ref = in_.Eat('(');
      if (out->is_ref)
        in_.SkipSpace();
      else
        in_ = before_ref;
    }
    out->type_begin = static_cast<std::uint16_t>(in_.at);
    std::string_view word = Word();
    if (word.empty()) return Issue(SpecError::kNoType, in_.at);
    const TextCursor before_star = in_;
    if (in_.Eat('*')) {
      in_.SkipSpace();
      const std::size_t second = in_.at;
      const std::string_view type = Word();
      if (type.empty()) {
        in_ = before_star;
      } else {
        out->number_begin = out->type_begin;
        out->type_begin = static_cast<std::uint16_t>(second);
        word = type;
      }
    }
    out->type = FindType(word.data(), word.size());
    if (out->is_ref) {
      if (!in_.Eat(')')) return Issue(SpecError::kRefNotClosed, in_.at);
      in_.SkipSpace();
    }
    return in_.done() ? issue_ : Issue(SpecError::kTextLeftOver, in_.at);
  }

 private:
  constexpr SpecIssue Issue(SpecError error, std::size_t begin, bool runs_on = false) {
    issue_ = {error, runs_on, begin, in_.size};
    return issue_;
  }
  constexpr bool Stop(SpecError error, std::size_t begin) {
    Issue(error, begin);
    return false;
  }
  constexpr bool NameThenColon(bool lower, std::uint16_t* size) {
    if (!Is(in_.peek(), lower ? kLowerChar : kLetterChars)) return Stop(SpecError::kNameNotIdentifier, 0);
    const std::string_view name = in_.EatWhile(lower ? kLowerChar | kDigitChar | kUnderscore : kWordChars);
    if (name.size() > UINT16_MAX) return Stop(SpecError::kTooLong, 0);
    *size = static_cast<std::uint16_t>(name.size());
    in_.SkipSpace();
    if (!in_.Eat(':'))
      return Stop(
          lower && IsLetter(in_.peek()) && in_.at == name.size() ? SpecError::kNameNotIdentifier : SpecError::kNoColon,
          0);
    in_.SkipSpace();
    return true;
  }
  constexpr bool EatListPrefix() {
    const TextCursor before = in_;
    if (in_.Eat("list")) {
      in_.SkipSpace();
      if (in_.Eat('(')) {
        in_.SkipSpace();
        return true;
      }
    }
    in_ = before;
    return false;
  }
  // The words are tried in TensorFlow's order, each as a prefix.
  constexpr bool Kind(AttrSpec* out) {
    constexpr const char* kKinds[] = {"string", "int", "float", "bool", "type", "shape", "tensor", "func"};
    constexpr const char* kSets[] = {"numbertype", "numerictype", "quantizedtype", "realnumbertype",
                                     "realnumberictype"};
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k) {
      out->kind = static_cast<AttrKind>(k);
      if (in_.Eat(kKinds[k])) {
        kind_end_ = in_.at;
        return true;
      }
    }
    if (in_.Eat("any")) return Stop(SpecError::kUnknownAttrKind, in_.at);
    out->kind = AttrKind::kType;
    out->allowed_begin = static_cast<std::uint32_t>(in_.at);
    for (const char* word : kSets) {
      if (!in_.Eat(word)) continue;
      out->allowed = AllowedForm::kTypeSet;
      out->allowed_types = AllowedReader::NamedTypes(word);
      kind_end_ = in_.at;
      if (!out->allowed_types.contains(DataType::kInvalid)) return true;
      issue_ = {SpecError::kNotACompoundType, false, out->allowed_begin, in_.at};
      return false;
    }
    if (!in_.Eat('{')) return Stop(SpecError::kUnknownAttrKind, in_.at);
    in_.SkipSpace();
    out->allowed_begin = static_cast<std::uint32_t>(in_.at);
    const bool strings = in_.peek() == '"' || in_.peek() == '\'';
    out->kind = strings ? AttrKind::kString : AttrKind::kType;
    out->allowed = strings ? AllowedForm::kStrings : AllowedForm::kTypes;
    for (;;) {
      if (strings ? !AllowedString() : !AllowedType(out)) return false;
      const bool comma = in_.Eat(',');
      if (comma) in_.SkipSpace();
      if (in_.Eat('}')) return true;
      if (!comma) return Stop(strings ? SpecError::kNoCommaAfterString : SpecError::kNoCommaAfterType, in_.at);
    }
  }
  constexpr bool AllowedString() {
    const std::size_t begin = in_.at;
    std::string_view raw;
    if (!EatQuoted(&in_, &raw)) return Stop(SpecError::kBadStringInList, begin);
    if (!ValidEscapes(raw)) {
      issue_ = {SpecError::kBadEscapeInList, false, begin + 1, begin + 1 + raw.size()};
      return false;
    }
    in_.SkipSpace();
    return true;
  }
  constexpr bool AllowedType(AttrSpec* out) {
    const std::size_t begin = in_.at;
    const std::string_view word = in_.EatWhile(kLowerChar | kDigitChar);
    if (word.empty()) return Stop(SpecError::kNoTypeInList, begin);
    const DataTypeSet types = AllowedReader::NamedTypes(word);
    if (types.contains(DataType::kInvalid)) {
      issue_ = {SpecError::kUnknownTypeInList, false, begin, begin + word.size()};
      return false;
    }
    out->allowed_types = out->allowed_types | types;
    in_.SkipSpace();
    return true;
  }
  constexpr bool Minimum(std::int64_t* value) {
    in_.SkipSpace();
    const std::size_t begin = in_.at;
    (void)in_.Eat('-');
    if (in_.EatWhile(kDigitChar).empty() || !ReadDecimal({in_.data + begin, in_.at - begin}, value)) return false;
    in_.SkipSpace();
    return true;
  }
  constexpr std::string_view Word() {
    if (!IsLetter(in_.peek())) return {};
    const std::string_view word = in_.EatWhile(kWordChars);
    in_.SkipSpace();
    return word;
  }

  TextCursor in_;
  SpecIssue issue_;
  std::size_t kind_end_ = static_cast<std::size_t>(-1);  // just behind "int" and the like
};

// Never constexpr and never defined: reaching one of these while a signature is being read stops the compiler with this
// name in its message.
void op_signature_error_expected_colon_after_name();
void op_signature_error_name_is_not_an_identifier();
void op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
void op_signature_error_unknown_type_in_list();
void op_signature_error_string_in_list_is_not_closed();
void op_signature_error_escape_in_string_is_not_valid();
void op_signature_error_expected_comma_or_closing_brace_in_list();
void op_signature_error_expected_closing_parenthesis_of_list();
void op_signature_error_expected_closing_parenthesis_of_Ref();
void op_signature_error_expected_a_whole_number_after_greater_equal();
void op_signature_error_default_does_not_fit_the_attr();
void op_signature_error_expected_a_type_after_the_colon();
void op_signature_error_text_left_over_after_the_spec();
void op_signature_error_spec_is_too_long();

constexpr void StopOnSpecError(const SpecIssue& issue) {
  if (issue.word_runs_on)
    op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
  switch (issue.error) {
    case SpecError::kNone: return;
    case SpecError::kNameNotIdentifier: return op_signature_error_name_is_not_an_identifier();
    case SpecError::kNoColon: return op_signature_error_expected_colon_after_name();
    case SpecError::kUnknownAttrKind:
    case SpecError::kNotACompoundType:
      op_signature_error_unknown_attr_kind__use_int_float_bool_string_type_shape_tensor_func_list_or_a_brace_list();
      return;
    case SpecError::kUnknownTypeInList:
    case SpecError::kNoTypeInList: return op_signature_error_unknown_type_in_list();
    case SpecError::kBadStringInList: return op_signature_error_string_in_list_is_not_closed();
    case SpecError::kBadEscapeInList: return op_signature_error_escape_in_string_is_not_valid();
    case SpecError::kNoCommaAfterString:
    case SpecError::kNoCommaAfterType: return op_signature_error_expected_comma_or_closing_brace_in_list();
    case SpecError::kListNotClosed: return op_signature_error_expected_closing_parenthesis_of_list();
    case SpecError::kBadMinimum: return op_signature_error_expected_a_whole_number_after_greater_equal();
    case SpecError::kBadDefault: return op_signature_error_default_does_not_fit_the_attr();
    case SpecError::kNoType: return op_signature_error_expected_a_type_after_the_colon();
    case SpecError::kRefNotClosed: return op_signature_error_expected_closing_parenthesis_of_Ref();
    case SpecError::kTextLeftOver: return op_signature_error_text_left_over_after_the_spec();
    case SpecError::kTooLong: return op_signature_error_spec_is_too_long();
  }
}

}  // namespace detail

// Reads one spec into *out. On an issue *out holds what was read so far.
constexpr SpecIssue ReadAttrSpec(std::string_view text, AttrSpec* out) { return detail::SpecReader(text).Attr(out); }
constexpr SpecIssue ReadArgSpec(std::string_view text, ArgSpec* out) { return detail::SpecReader(text).Arg(out); }

TENON_NAMESPACE_END
