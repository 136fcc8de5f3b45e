// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writer: makes protobuf's wire format, last byte first. So the length of a message is known when it is written, and
// one pass is enough. What is written later stands before what was written earlier.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

// one thread.
//
//   Writer writer;
//   const std::size_t end = writer.size();
//   writer.Bytes(name);                     // the last field first, and in it the value before the tag
//   writer.BytesTag(1, name.size());
//   writer.BytesTag(7, writer.size() - end);  // ... as field 7 of the message around it
//   writer.AppendTo(&out);
class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { delete[] buffer_; }

  std::size_t size() const { return capacity_ - start_; }  // bytes written

  void Bytes(const void* data, std::size_t size) {
    if (size != 0) std::memcpy(Prepend(size), data, size);
  }
  void Bytes(std::string_view text) { Bytes(text.data(), text.size()); }
  // `size` bytes that the caller fills in before the next call.
  char* Prepend(std::size_t size) {
    if (size > start_) [[unlikely]]
      Grow(size);
    start_ -= size;
    return buffer_ + start_;
  }
  void Varint(std::uint64_t value) {
    const std::size_t size = VarintSize(value);
    char* to = Prepend(size);
    for (std::size_t i = 0; i + 1 < size; ++i, value >>= 7) *to++ = static_cast<char>((value & 0x7f) | 0x80);
    *to = static_cast<char>(value);
  }
  void Fixed32(std::uint32_t value) { Bytes(&value, sizeof value); }
  void Fixed64(std::uint64_t value) { Bytes(&value, sizeof value); }
  // Before the value of a field: its number and how it is written.
  void FieldTag(std::uint32_t field, WireType type) {
    Varint((std::uint64_t{field} << 3) | static_cast<std::uint64_t>(type));
  }
  // Before text, a message or packed numbers: length and field number.
  void BytesTag(std::uint32_t field, std::size_t size) {
    Varint(size);
    FieldTag(field, WireType::kBytes);
  }

  std::string_view view() const { return {buffer_ + start_, size()}; }
  void AppendTo(std::string* out) const { out->append(view()); }

  static constexpr std::size_t VarintSize(std::uint64_t value) {
    return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
  }

 private:
  TENON_DETAIL_COLD void Grow(std::size_t size) {
    const std::size_t used = this->size();
    std::size_t capacity = capacity_ < 256 ? 512 : 2 * capacity_;
    if (capacity - used < size) capacity = used + size + (size < 1024 ? 1024 : size / 8);  // room for what is around it
    char* buffer = new char[capacity];
    if (used != 0) std::memcpy(buffer + capacity - used, buffer_ + start_, used);
    delete[] buffer_;
    buffer_ = buffer;
    start_ = capacity - used;
    capacity_ = capacity;
  }

  char* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t start_ = 0;  // bytes [start_, capacity_) are written
};

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
