// SPDX-License-Identifier: Apache-2.0
#pragma once
// TextSink: makes protobuf's wire format, first byte first, for readers of text. Lengths are filled in when a message
// ends. wire/writer.hpp writes structs, last byte first.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/wire/field.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace wire {

// Bytes that grow at their end. one thread.
class TextSink {
 public:
  explicit TextSink(std::size_t expected) { bytes_.resize(expected); }

  // `count` bytes behind the last one, to be filled in; Commit says how far.
  char* Room(std::size_t count) {
    if (bytes_.size() - size_ < count) [[unlikely]]
      bytes_.resize(2 * bytes_.size() + count);
    return bytes_.data() + size_;
  }
  void Commit(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }
  char* at(std::size_t offset) { return bytes_.data() + offset; }
  std::size_t size() const { return size_; }
  std::string Take() {
    bytes_.resize(size_);
    return static_cast<std::string&&>(bytes_);
  }

  void Bytes(std::string_view bytes) {
    if (bytes.empty()) return;
    char* const to = Room(bytes.size());
    std::memcpy(to, bytes.data(), bytes.size());
    Commit(to + bytes.size());
  }
  void Varint(std::uint64_t value) {
    char* to = Room(10);
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>((value & 0x7f) | 0x80);
    *to++ = static_cast<char>(value);
    Commit(to);
  }
  void Tag(std::uint32_t number, WireType type) {
    Varint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
  }
  // A number without its tag, from its bits in memory.
  void Number(WireType type, std::uint64_t bits) {
    if (type == WireType::kVarint) return Varint(bits);
    const std::size_t size = type == WireType::kFixed32 ? 4 : 8;  // the low bytes come first
    char* const to = Room(size);
    std::memcpy(to, &bits, size);
    Commit(to + size);
  }
  // Begins a value with a length before it. Returns where its bytes begin.
  std::size_t Open(std::uint32_t number) {
    Tag(number, WireType::kBytes);
    Commit(Room(1) + 1);
    return size();
  }
  // Writes the length: one byte was left for it.
  void Close(std::size_t start) {
    std::uint64_t length = size() - start;
    if (length >= 0x80) {
      const std::size_t more = Writer::VarintSize(length) - 1;
      char* const end = Room(more);
      std::memmove(at(start + more), at(start), static_cast<std::size_t>(length));
      Commit(end + more);
    }
    char* to = at(start - 1);
    for (; length >= 0x80; length >>= 7) *to++ = static_cast<char>((length & 0x7f) | 0x80);
    *to = static_cast<char>(length);
  }

 private:
  std::string bytes_;
  std::size_t size_ = 0;
};

}  // namespace wire

TENON_DETAIL_NAMESPACE_END
