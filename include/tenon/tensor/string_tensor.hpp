// SPDX-License-Identifier: Apache-2.0
#pragma once
// tstring: the element of a string tensor. 24 bytes; up to 22 characters live inside it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/hash.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Bytes of any value, zeros too. Bytes that the string owns have a zero behind them. One of: small (inside the object),
// large (on the heap), a view of bytes that another object owns, such as a mapped file, or an offset, a view of bytes
// at a distance from the object itself, for strings and bytes that are mapped or moved in memory as one block. Copying
// a view copies its bytes, so that a copy never dangles; moving a view gives a view. externally synchronised.
class tstring {
 public:
  static constexpr std::size_t kSmallCapacity = 22;

  // An empty string, or a copy of the text or characters.
  tstring() noexcept : raw_{} {}
  tstring(std::string_view text) : raw_{} { assign(text); }
  tstring(const std::string& text) : tstring(std::string_view(text)) {}
  tstring(const char* text) : tstring(std::string_view(text)) {}
  tstring(const char* text, std::size_t size) : tstring(std::string_view(text, size)) {}
  tstring(std::size_t count, char c) : raw_{} { resize(count, c); }
  tstring(const tstring& other) {
    if (other.kind() == Kind::kSmall) {
      CopyRaw(other);
    } else {
      std::memset(raw_, 0, sizeof raw_);
      assign(other.view());
    }
  }
  tstring(tstring&& other) noexcept { Take(other); }
  tstring& operator=(const tstring& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  tstring& operator=(tstring&& other) noexcept {
    if (this == &other) return *this;
    FreeHeap();
    Take(other);
    return *this;
  }
  tstring& operator=(std::string_view text) { return assign(text); }
  tstring& operator=(const std::string& text) { return assign(text); }
  tstring& operator=(const char* text) { return assign(text); }
  ~tstring() { FreeHeap(); }

  // `text` may be part of this string.
  tstring& assign(std::string_view text) {
    if (text.size() <= capacity() && !is_view()) {
      char* to = mdata();
      if (!text.empty()) std::memmove(to, text.data(), text.size());
      SetSize(text.size());
      return *this;
    }
    tstring made;
    if (!text.empty()) std::memcpy(made.Grow(text.size()), text.data(), text.size());
    made.SetSize(text.size());
    return *this = std::move(made);
  }
  tstring& assign(const char* text, std::size_t size) { return assign(std::string_view(text, size)); }
  // Becomes a view: the bytes must outlive it and everything it is moved to.
  tstring& assign_as_view(std::string_view text) {
    FreeHeap();
    Store(reinterpret_cast<std::uintptr_t>(text.data()), text.size(), 0, Kind::kView);
    return *this;
  }
  // Becomes a view of bytes whose distance from this object never changes. Moved to another object, it is a view.
  tstring& assign_as_offset(std::string_view text) {
    FreeHeap();
    const auto distance = reinterpret_cast<std::uintptr_t>(text.data()) - reinterpret_cast<std::uintptr_t>(this);
    Store(distance, text.size(), 0, Kind::kOffset);
    return *this;
  }
  // `text` may be part of this string.
  tstring& append(std::string_view text) {
    const std::size_t before = size(), after = before + text.size();
    if (text.empty()) return *this;
    if (after > capacity() || is_view()) {
      tstring longer;
      char* to = longer.Grow(after < 2 * before ? 2 * before : after);
      if (before != 0) std::memcpy(to, data(), before);
      std::memcpy(to + before, text.data(), text.size());
      longer.SetSize(after);
      return *this = std::move(longer);
    }
    std::memmove(mdata() + before, text.data(), text.size());
    SetSize(after);
    return *this;
  }
  tstring& append(const char* text, std::size_t size) { return append(std::string_view(text, size)); }
  tstring& append(std::size_t count, char c) {
    resize(size() + count, c);
    return *this;
  }
  tstring& operator+=(std::string_view text) { return append(text); }  // as append
  void push_back(char c) { append(std::string_view(&c, 1)); }  // appends one character
  // Puts `text`, which may be part of this string, before character `at`, which must not be beyond the end.
  tstring& insert(std::size_t at, std::string_view text) {
    tstring made;
    made.reserve(size() + text.size());
    made.append(view().substr(0, at)).append(text).append(view().substr(at));
    return *this = static_cast<tstring&&>(made);
  }
  // Puts up to `count` characters of `text`, from number `from` on, before character `at`.
  tstring& insert(std::size_t at, std::string_view text, std::size_t from, std::size_t count) {
    return insert(at, text.substr(from < text.size() ? from : text.size(), count));
  }
  // Removes up to `count` characters from number `at` on, which must not be beyond the end.
  tstring& erase(std::size_t at, std::size_t count = static_cast<std::size_t>(-1)) {
    const std::size_t before = size(), removed = count < before - at ? count : before - at;
    char* const to = mdata() + at;
    std::memmove(to, to + removed, before - at - removed);
    SetSize(before - removed);
    return *this;
  }
  void swap(tstring& other) noexcept {  // exchanges the contents
    tstring mine(static_cast<tstring&&>(*this));
    *this = static_cast<tstring&&>(other);
    other = static_cast<tstring&&>(mine);
  }
  // New characters are `c`.
  void resize(std::size_t count, char c = '\0') {
    const std::size_t before = size();
    resize_uninitialized(count);
    if (count > before) std::memset(mdata() + before, c, count - before);
  }
  // New characters have any value.
  void resize_uninitialized(std::size_t count) {
    if (count > capacity() || is_view()) {
      const std::size_t keep = size() < count ? size() : count;
      tstring other;
      char* to = other.Grow(count);
      if (keep != 0) std::memcpy(to, data(), keep);
      *this = std::move(other);
    }
    SetSize(count);
  }
  void reserve(std::size_t count) {  // makes room for `count` characters
    if (count <= capacity()) return;
    const std::size_t before = size();
    resize_uninitialized(count);
    SetSize(before);
  }
  void reserve_amortized(std::size_t count) {  // as reserve, for a text that grows step by step
    if (count > capacity()) reserve(count > 2 * capacity() ? count : 2 * capacity());
  }
  void clear() {  // becomes empty and frees its memory
    FreeHeap();
    std::memset(raw_, 0, sizeof raw_);
  }

  std::size_t size() const { return kind() == Kind::kSmall ? raw_[kTag] >> 2 : LoadSize(); }  // number of bytes
  std::size_t length() const { return size(); }  // as size()
  bool empty() const { return size() == 0; }  // whether size() is 0
  // Characters that fit without an allocation; 0 for a view.
  std::size_t capacity() const {
    if (kind() == Kind::kSmall) return kSmallCapacity;
    if (is_view()) return 0;
    std::uint32_t units;
    std::memcpy(&units, raw_ + 16, sizeof units);
    return std::size_t{units} * kCapacityUnit;
  }
  // Returns the first character. Behind the last one is a zero, unless the string is a view.
  const char* data() const { return kind() == Kind::kSmall ? reinterpret_cast<const char*>(raw_) : LoadData(); }
  const char* c_str() const { return data(); }  // as data()
  // A view gets its own copy of the bytes first.
  char* mdata() {
    if (is_view()) *this = tstring(*this);
    return kind() == Kind::kSmall ? reinterpret_cast<char*>(raw_) : LoadData();
  }
  // Returns whether another object owns the bytes.
  bool is_view() const { return raw_[kTag] == static_cast<unsigned char>(Kind::kView) || is_offset(); }
  // Returns whether the bytes lie at a fixed distance.
  bool is_offset() const { return raw_[kTag] == static_cast<unsigned char>(Kind::kOffset); }
  std::string_view view() const { return {data(), size()}; }  // valid until the string changes
  operator std::string_view() const { return view(); }  // as view()
  operator std::string() const { return std::string(view()); }  // a copy
  const char& operator[](std::size_t i) const { return data()[i]; }  // not checked
  char& operator[](std::size_t i) { return mdata()[i]; }  // not checked; a view becomes a copy
  char front() const { return data()[0]; }  // the string must not be empty
  char back() const { return data()[size() - 1]; }  // the string must not be empty
  const char* begin() const { return data(); }  // the first byte
  const char* end() const { return data() + size(); }  // one past the last byte

  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  friend bool operator==(const tstring& a, const Text& b) {
    return a.view() == std::string_view(b);
  }
  // Compares bytes as unsigned numbers.
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  friend auto operator<=>(const tstring& a, const Text& b) {
    return a.view() <=> std::string_view(b);
  }
  // Writes the bytes to a standard stream: std::cout << text. Does not include <ostream>.
  template <class Stream>
    requires requires(Stream& stream, std::string_view bytes) {
      typename Stream::traits_type;
      stream << bytes;
    }
  friend Stream& operator<<(Stream& stream, const tstring& text) {
    stream << text.view();
    return stream;
  }
  // Members of std::string that older sources of TensorFlow call on elements.
  static constexpr std::size_t npos = std::string_view::npos;  // what find and rfind return when they find nothing
  // Returns where the text first begins, from number `from` on.
  std::size_t find(std::string_view text, std::size_t from = 0) const { return view().find(text, from); }
  std::size_t find(char c, std::size_t from = 0) const { return view().find(c, from); }
  // Returns where the text last begins, up to number `from`.
  std::size_t rfind(std::string_view text, std::size_t from = npos) const { return view().rfind(text, from); }
  std::size_t rfind(char c, std::size_t from = npos) const { return view().rfind(c, from); }
  // Returns up to `count` characters from number `from` on; nothing if `from` is beyond the end.
  std::string substr(std::size_t from = 0, std::size_t count = npos) const {
    return std::string(view().substr(from < size() ? from : size(), count));
  }
  // Returns both texts, one behind the other.
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  friend std::string operator+(const tstring& a, const Text& b) {
    return std::string(a.view()).append(std::string_view(b));
  }
  template <class Text>
    requires(std::is_convertible_v<const Text&, std::string_view> && !std::is_same_v<Text, tstring>)
  friend std::string operator+(const Text& a, const tstring& b) {
    return std::string(std::string_view(a)).append(b.view());
  }
  int compare(std::string_view text) const { return view().compare(text); }  // less than, equal to or greater than 0

 private:
  // The last byte is the tag: kind in its low two bits, the size of a small string in the other six. Large and view
  // hold pointer, size and (large) the capacity in units of 16 bytes; an offset has a distance instead of the
  // pointer. All zero bytes are an empty small string.
  enum class Kind : unsigned char { kSmall = 0, kLarge = 1, kView = 2, kOffset = 3 };
  static constexpr std::size_t kTag = 23;
  static constexpr std::size_t kCapacityUnit = 16;

  Kind kind() const { return static_cast<Kind>(raw_[kTag] & 3); }
  void CopyRaw(const tstring& other) { std::memcpy(raw_, other.raw_, sizeof raw_); }
  // Takes the contents of `other`, which is empty then. Frees nothing of this string.
  void Take(tstring& other) noexcept {
    if (other.is_offset()) [[unlikely]] {
      Store(reinterpret_cast<std::uintptr_t>(other.LoadData()), other.LoadSize(), 0, Kind::kView);
    } else {
      CopyRaw(other);
    }
    std::memset(other.raw_, 0, sizeof other.raw_);
  }
  char* LoadData() const {
    std::uintptr_t data;
    std::memcpy(&data, raw_, sizeof data);
    if (is_offset()) [[unlikely]]
      data += reinterpret_cast<std::uintptr_t>(this);
    return reinterpret_cast<char*>(data);
  }
  std::size_t LoadSize() const {
    std::uint64_t size;
    std::memcpy(&size, raw_ + 8, sizeof size);
    return static_cast<std::size_t>(size);
  }
  void Store(std::uintptr_t data, std::size_t size, std::uint32_t capacity_units, Kind kind) {
    const std::uint64_t wide = size;
    std::memset(raw_, 0, sizeof raw_);
    std::memcpy(raw_, &data, sizeof data);
    std::memcpy(raw_ + 8, &wide, sizeof wide);
    std::memcpy(raw_ + 16, &capacity_units, sizeof capacity_units);
    raw_[kTag] = static_cast<unsigned char>(kind);
  }
  void SetSize(std::size_t size) {
    if (kind() == Kind::kSmall) {
      raw_[kTag] = static_cast<unsigned char>(size << 2);
      raw_[size] = 0;
    } else {
      const std::uint64_t wide = size;
      std::memcpy(raw_ + 8, &wide, sizeof wide);
      LoadData()[size] = 0;  // a view has no size to set: it is copied first
    }
  }
  // For an empty small string: room for `count` characters, and where they go.
  char* Grow(std::size_t count) {
    if (count <= kSmallCapacity) return reinterpret_cast<char*>(raw_);
    const std::size_t units = (count + kCapacityUnit - 1) / kCapacityUnit;
    char* heap = static_cast<char*>(::operator new(units * kCapacityUnit + 1));  // and a zero
    Store(reinterpret_cast<std::uintptr_t>(heap), 0,
          units > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(units), Kind::kLarge);
    return heap;
  }
  void FreeHeap() {
    if (kind() == Kind::kLarge) ::operator delete(LoadData());
  }

  alignas(8) unsigned char raw_[24];
};
static_assert(sizeof(tstring) == 24);

TENON_DETAIL_NAMESPACE_END

// Hash64 of the bytes, whatever form the string has.
template <>
struct std::hash<tenon::tstring> {
  std::size_t operator()(const tenon::tstring& text) const {
    return static_cast<std::size_t>(tenon::Hash64(text.view()));
  }
};
