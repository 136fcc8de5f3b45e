// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reader: walks bytes in protobuf's wire format, message inside message, without protobuf. Checks every length; the
// first mistake stops it, and status() then says what is wrong and at which byte.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

static_assert(std::endian::native == std::endian::little,
              "tenon: the wire format is read and written on little-endian machines");

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

inline constexpr int kMaxDepth = 100;                          // depth of messages inside messages, as in protobuf
inline constexpr int kDepthOfFiles = 12;  // depth of ordinary files; beyond it readers look at the stack that is left
inline constexpr std::uint32_t kMaxFieldNumber = (1u << 29) - 1;

struct Tag {
  std::uint32_t field;
  WireType type;
};

// one thread. Borrows the bytes. Every Read... returns false at the first mistake and from then on.
//
//   Reader reader(bytes);
//   for (Tag tag; reader.ReadTag(&tag);) {
//     if (tag.field == 1 && tag.type == WireType::kBytes ? !reader.ReadBytes(&name) : !reader.Skip(tag)) break;
//   }
//   return reader.status("NodeDef");
class Reader {
 public:
  explicit Reader(Span<const std::byte> bytes)
      : begin_(reinterpret_cast<const unsigned char*>(bytes.data())), at_(begin_), limit_(begin_ + bytes.size()) {}

  // False at the end of the current message too.
  bool ReadTag(Tag* tag) {
    if (at_ == limit_) return false;
    const std::size_t start = offset();
    std::uint64_t value;
    if (!ReadVarint(&value)) [[unlikely]]
      return false;
    tag->field = static_cast<std::uint32_t>(value >> 3);
    tag->type = static_cast<WireType>(value & 7);
    if (value < 8 || value > 0xffffffff || (value & 7) > 5 || tag->type == WireType::kStartGroup ||
        tag->type == WireType::kEndGroup) [[unlikely]] {
      return FailTag(value, start);
    }
    return true;
  }

  bool ReadVarint(std::uint64_t* value) {
    const std::size_t left = remaining();
    if (left > 0 && at_[0] < 0x80) [[likely]] {
      *value = *at_++;
      return true;
    }
    if (left > 1 && at_[1] < 0x80) [[likely]] {
      *value = (at_[0] & 0x7fu) | (static_cast<std::uint32_t>(at_[1]) << 7);
      at_ += 2;
      return true;
    }
    return ReadLongVarint(value);
  }
  bool ReadFixed32(std::uint32_t* value) { return ReadFixed(value); }
  bool ReadFixed64(std::uint64_t* value) { return ReadFixed(value); }
  // A view of the bytes that were given.
  bool ReadBytes(std::string_view* bytes) {
    std::uint64_t size;
    const std::size_t start = offset();
    if (!ReadVarint(&size)) [[unlikely]]
      return false;
    if (size > remaining()) [[unlikely]]
      return Fail(Error::kTooLong, start, size);
    *bytes = std::string_view(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(size));
    at_ += size;
    return true;
  }
  // Skips the value of a field that is not wanted.
  bool Skip(Tag tag) {
    std::uint64_t ignored;
    std::string_view bytes;
    switch (tag.type) {
      case WireType::kVarint: return ReadVarint(&ignored);
      case WireType::kFixed64: return ReadFixed64(&ignored);
      case WireType::kFixed32: {
        std::uint32_t half;
        return ReadFixed32(&half);
      }
      default: return ReadBytes(&bytes);
    }
  }

  // ReadTag, and for kBytes ReadBytes too: most of all fields in one step.
  bool ReadField(Tag* tag, std::string_view* bytes) {
    const unsigned char* p = at_;
    if (limit_ - p >= 3 && p[0] < 0x80 && p[0] >= 8 && (p[0] & 7) == 2) [[likely]] {
      std::size_t size = p[1];
      const unsigned char* data = p + 2;
      if (size >= 0x80) {
        size = (size & 0x7f) | (static_cast<std::size_t>(*data) << 7);
        ++data;
      }
      if (data[-1] < 0x80 && size <= static_cast<std::size_t>(limit_ - data)) [[likely]] {
        tag->field = p[0] >> 3;
        tag->type = WireType::kBytes;
        *bytes = std::string_view(reinterpret_cast<const char*>(data), size);
        at_ = data + size;
        return true;
      }
    }
    return ReadTag(tag) && (tag->type != WireType::kBytes || ReadBytes(bytes));
  }

  // Between Enter and Leave the reader sees only the message (or the packed numbers) whose length comes next.
  // Leave is wanted only after success.
  using Outer = const unsigned char*;
  bool Enter(Outer* outer) {
    std::string_view inner;
    return ReadBytes(&inner) && Enter(inner, outer);
  }
  // Enters a message whose bytes have just been read.
  bool Enter(std::string_view inner, Outer* outer) {
    if (depth_ >= kMaxDepth) [[unlikely]]
      return Fail(Error::kTooDeep, offset() - inner.size(), 0);
    if (depth_ >= kDepthOfFiles && StackIsShort(0)) [[unlikely]]
      return Fail(Error::kNoStack, offset() - inner.size(), static_cast<std::uint64_t>(depth_));
    ++depth_;
    *outer = limit_;
    limit_ = at_;
    at_ -= inner.size();
    return true;
  }
  void Leave(Outer outer) {
    at_ = limit_;
    limit_ = outer;
    --depth_;
  }

  // The bytes that were read last are not the text that they should be.
  TENON_DETAIL_COLD bool FailText(std::string_view bytes) {
    return Fail(Error::kNotUtf8, offset() - bytes.size(), bytes.size());
  }

  bool ok() const { return error_ == Error::kNone; }
  bool AtEnd() const { return at_ == limit_; }  // end of the current message
  std::size_t remaining() const { return static_cast<std::size_t>(limit_ - at_); }  // bytes of the current message
  std::string_view rest() const { return {reinterpret_cast<const char*>(at_), remaining()}; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }  // offset of the next byte in all bytes

  // OK, or DataLoss. `what` names the outermost message: "GraphDef".
  Status status(std::string_view what) const { return ok() ? OkStatus() : MakeStatus(what); }

 private:
  enum class Error : std::uint8_t {
    kNone,
    kEnd,
    kVarint,
    kTooLong,
    kFieldNumber,
    kGroup,
    kWireType,
    kNotUtf8,
    kTooDeep,
    kNoStack
  };

  bool Fail(Error error, std::size_t where, std::uint64_t value) {
    Record(error, where, value);
    return false;
  }
  TENON_DETAIL_COLD void Record(Error error, std::size_t where, std::uint64_t value) {
    if (error_ == Error::kNone) {
      error_ = error;
      error_offset_ = where;
      error_value_ = value;
    }
    at_ = limit_;
  }
  bool FailTag(std::uint64_t tag, std::size_t where) {
    if (tag < 8 || tag > 0xffffffff) return Fail(Error::kFieldNumber, where, tag >> 3);
    return Fail((tag & 7) > 5 ? Error::kWireType : Error::kGroup, where, (tag & 7) > 5 ? tag & 7 : tag >> 3);
  }
  // Bits above the 64th are dropped, as protobuf does; more than ten bytes are an error.
  TENON_DETAIL_COLD bool ReadLongVarint(std::uint64_t* value) {
    const std::size_t start = offset();
    std::uint64_t result = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == limit_) [[unlikely]]
        return Fail(Error::kEnd, start, 0);
      const unsigned char byte = *at_++;
      result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return Fail(Error::kVarint, start, 0);
  }
  template <class T>
  bool ReadFixed(T* value) {
    if (remaining() < sizeof(T)) [[unlikely]]
      return Fail(Error::kEnd, offset(), 0);
    std::memcpy(value, at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  TENON_DETAIL_COLD Status MakeStatus(std::string_view what) const {
    std::string text = StrCat(what, ": cannot parse the bytes at offset ", error_offset_, ": ");
    switch (error_) {
      case Error::kNone: break;
      case Error::kEnd: StrAppend(&text, "the message ends inside a number; it is truncated or not a ", what); break;
      case Error::kVarint: text += "a variable-length number has more than 10 bytes"; break;
      case Error::kTooLong:
        StrAppend(&text, "a field of ", error_value_,
                  " bytes goes beyond the end of its message; it is truncated or not a ", what);
        break;
      case Error::kFieldNumber:
        StrAppend(&text, "field number ", error_value_, " is not in 1 to ", kMaxFieldNumber);
        break;
      case Error::kGroup: StrAppend(&text, "field ", error_value_, " is a group, which no message here has"); break;
      case Error::kWireType: StrAppend(&text, "wire type ", error_value_, " does not exist"); break;
      case Error::kNotUtf8: StrAppend(&text, "a text of ", error_value_, " bytes is not UTF-8"); break;
      case Error::kTooDeep: StrAppend(&text, "messages are nested more than ", kMaxDepth, " deep"); break;
      case Error::kNoStack:
        StrAppend(&text, "messages are nested more than ", error_value_, " deep, and the thread has ",
                  StackLeft() / 1024, " KiB of stack left");
        return Status(Code::kResourceExhausted, text);
    }
    return Status(Code::kDataLoss, text);
  }

  const unsigned char* begin_;
  const unsigned char* at_;
  const unsigned char* limit_;  // end of the current message
  int depth_ = 0;
  Error error_ = Error::kNone;
  std::size_t error_offset_ = 0;
  std::uint64_t error_value_ = 0;
};

// The bytes of a string.
inline Span<const std::byte> AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view AsText(Span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
