// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zip files: ReadZipMembers lists members, ReadZipMember gets their bytes, ZipWriter makes files. Nothing in a file
// is trusted: data that it has twice must agree, and no byte may belong to two members.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/compression/deflate.hpp>
#include <tenon/io/compression/inflate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct ZipMember {
  std::string_view name;  // in the file's bytes
  std::uint64_t at = 0;  // offset of its header
  std::uint64_t data_at = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;  // offset behind the data and their descriptor
  std::uint32_t crc32 = 0;
  bool deflated = false;
};

struct ZipLimits {
  std::uint64_t max_bytes = std::uint64_t{1} << 32;  // limit for a deflated member, decompressed
  std::uint64_t max_ratio = 0;  // decompressed to compressed bytes; 0: any that there can be
  bool check_crc = true;
};

namespace detail {

inline constexpr std::uint32_t kZipLocal = 0x04034b50, kZipCentral = 0x02014b50, kZipEnd = 0x06054b50,
                               kZip64End = 0x06064b50, kZip64Locator = 0x07064b50, kZipDescriptor = 0x08074b50;
inline constexpr std::uint64_t kZipMax16 = 0xffff, kZipMax32 = 0xffffffff;
inline constexpr std::uint64_t kMostInflated = 1032;  // bytes that one byte of deflated data can make

// Returns the fault of a member's name, or "". A name must not lead an unpacking program out of its folder.
inline std::string_view ZipNameError(std::string_view name) {
  if (name.empty()) return "it is empty";
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "it has a control character";
  }
  if (name.find('\\') != std::string_view::npos) return "it has a backslash; folders are divided by '/'";
  if (name.front() == '/') return "it is an absolute path";
  const char drive = static_cast<char>(name.front() | 0x20);
  if (name.size() > 2 && name[1] == ':' && name[2] == '/' && drive >= 'a' && drive <= 'z')
    return "it is an absolute path";
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t slash = name.find('/', at);
    const std::size_t end = slash == std::string_view::npos ? name.size() : slash;
    if (name.substr(at, end - at) == "..") return "it has '..', which leaves the folder";
    at = end + 1;
  }
  return {};
}

class ZipReader {
 public:
  ZipReader(Span<const std::byte> bytes, std::string_view where)
      : data_(reinterpret_cast<const unsigned char*>(bytes.data())), size_(bytes.size()), where_(where) {}

  // In the order of the file's list.
  Status Read(SlimVector<ZipMember>* members) {
    TENON_RETURN_IF_ERROR(FindList());
    std::uint64_t at = list_at_;
    if (count_ > (list_end_ - list_at_) / 46)
      return Bad(at, "the list of ", list_end_ - list_at_, " bytes is too small for ", count_, " members");
    members->clear();
    members->reserve(static_cast<std::size_t>(count_));
    for (std::uint64_t i = 0; i < count_; ++i) {
      ZipMember member;
      TENON_RETURN_IF_ERROR(Entry(&at, &member));
      members->push_back(member);
    }
    if (at != list_end_) return Bad(at, "the list of members goes on behind its last one, to byte ", list_end_);
    return CheckTogether(*members);
  }

 private:
  template <class... Args>
  Status Bad(std::uint64_t at, const Args&... args) const {
    return errors::DataLoss(where_, ": at byte ", at, ": ", args...);
  }
  template <class... Args>
  Status Unsupported(std::uint64_t at, const Args&... args) const {
    return errors::InvalidArgument(where_, ": at byte ", at, ": ", args...);
  }
  std::uint64_t Number(std::uint64_t at, int bytes) const {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= static_cast<std::uint64_t>(data_[at + static_cast<std::uint64_t>(i)]) << (8 * i);
    return value;
  }
  std::uint64_t U16(std::uint64_t at) const { return Number(at, 2); }
  std::uint64_t U32(std::uint64_t at) const { return Number(at, 4); }
  std::uint64_t U64(std::uint64_t at) const { return Number(at, 8); }
  std::string_view Text(std::uint64_t at, std::uint64_t size) const {
    return {reinterpret_cast<const char*>(data_) + at, static_cast<std::size_t>(size)};
  }

  // Finds the list of members and their number.
  Status FindList() {
    constexpr std::uint64_t kRecord = 22;
    if (size_ < kRecord) return errors::DataLoss(where_, " is not a zip file: it has ", size_, " bytes");
    std::uint64_t end = size_ - kRecord;
    while (U32(end) != kZipEnd || end + kRecord + U16(end + 20) != size_) {
      if (end == 0 || size_ - end >= kRecord + kZipMax16)
        return errors::DataLoss(where_, " is not a zip file or cut short: it does not end with a list of members");
      --end;
    }
    std::uint64_t disk = U16(end + 4), list_disk = U16(end + 6), here = U16(end + 8), bytes = U32(end + 12);
    count_ = U16(end + 10);
    list_at_ = U32(end + 16);
    list_end_ = end;
    if (end >= 20 && U32(end - 20) == kZip64Locator) {
      const std::uint64_t locator = end - 20, record = U64(locator + 8);
      if (U32(locator + 16) > 1) return Unsupported(locator, "a zip file in several parts; one whole file is wanted");
      if (record > locator || locator - record < 56 || U32(record) != kZip64End ||
          U64(record + 4) != locator - record - 12) {
        return Bad(locator, "there is no zip64 record at byte ", record);
      }
      const auto agree = [](std::uint64_t& narrow, std::uint64_t most, std::uint64_t large) {
        return narrow == most || narrow == large ? (narrow = large, true) : false;
      };
      if (!agree(disk, kZipMax16, U32(record + 16)) || !agree(list_disk, kZipMax16, U32(record + 20)) ||
          !agree(here, kZipMax16, U64(record + 24)) || !agree(count_, kZipMax16, U64(record + 32)) ||
          !agree(bytes, kZipMax32, U64(record + 40)) || !agree(list_at_, kZipMax32, U64(record + 48))) {
        return Bad(record, "the zip64 record and the record at byte ", end, " differ");
      }
      list_end_ = record;
    }
    if (disk != 0 || list_disk != 0 || here != count_)
      return Unsupported(end, "a zip file in several parts; one whole file is wanted");
    if (list_at_ > list_end_ || bytes != list_end_ - list_at_) {
      return Bad(end, "the list of members is said to have ", bytes, " bytes from byte ", list_at_,
                 " on, and must end at byte ", list_end_);
    }
    return OkStatus();
  }

  // Reads the member whose entry of the list starts at *at, and moves *at on.
  Status Entry(std::uint64_t* at, ZipMember* member) {
    const std::uint64_t e = *at;
    if (list_end_ - e < 46 || U32(e) != kZipCentral) return Bad(e, "there is no entry of the list of members");
    const std::uint64_t flags = U16(e + 8), method = U16(e + 10), name = U16(e + 28), extra = U16(e + 30);
    const std::uint64_t size = 46 + name + extra + U16(e + 32);
    if (size > list_end_ - e) return Bad(e, "an entry of the list of members goes beyond the list's end");
    *at = e + size;
    member->name = Text(e + 46, name);
    member->crc32 = static_cast<std::uint32_t>(U32(e + 16));
    member->compressed_bytes = U32(e + 20);
    member->bytes = U32(e + 24);
    member->at = U32(e + 42);
    member->deflated = method == 8;
    std::uint64_t disk = U16(e + 34);
    std::uint64_t* const large[] = {&member->bytes, &member->compressed_bytes, &member->at};
    TENON_RETURN_IF_ERROR(Zip64(e + 46 + name, extra, large, &disk));
    if (const std::string_view wrong = ZipNameError(member->name); !wrong.empty())
      return Unsupported(e, "the name of member '", CEscape(member->name.substr(0, 200)), "' is refused: ", wrong);
    if ((flags & 0x2041) != 0) return Unsupported(e, "member '", member->name, "' is encrypted");
    if ((flags & 0x20) != 0) return Unsupported(e, "member '", member->name, "' is a patch of another file");
    if (method != 0 && method != 8) {
      return Unsupported(e, "member '", member->name, "' is compressed by method ", method,
                         "; stored (0) and deflated (8) ones can be read");
    }
    if (disk != 0) return Unsupported(e, "a zip file in several parts; one whole file is wanted");
    if (!member->deflated && member->bytes != member->compressed_bytes)
      return Bad(e, "member '", member->name, "' is stored, and its two sizes differ");
    return Local(member, flags, method);
  }

  // Replaces the numbers that are too large for their 32 bits by those of the extra field.
  Status Zip64(std::uint64_t at, std::uint64_t size, Span<std::uint64_t* const> large, std::uint64_t* disk) {
    bool wanted = disk != nullptr && *disk == kZipMax16;
    for (const std::uint64_t* number : large) wanted = wanted || *number == kZipMax32;
    for (const std::uint64_t end = at + size; wanted;) {
      if (end - at < 4) return Bad(at, "a size or place of more than 32 bits is missing (no zip64 field)");
      const std::uint64_t id = U16(at), field = U16(at + 2);
      at += 4;
      if (field > end - at) return Bad(at - 4, "an extra field goes beyond its entry's end");
      if (id == 1) {
        const std::uint64_t field_end = at + field;
        for (std::uint64_t* number : large) {
          if (*number != kZipMax32) continue;
          if (field_end - at < 8) return Bad(at, "the zip64 field is too short");
          *number = U64(at);
          at += 8;
        }
        if (disk != nullptr && *disk == kZipMax16) {
          if (field_end - at < 4) return Bad(at, "the zip64 field is too short");
          *disk = U32(at);
        }
        return OkStatus();
      }
      at += field;
    }
    return OkStatus();
  }

  // Reads the header in front of the member's data, which must agree with the list.
  Status Local(ZipMember* member, std::uint64_t flags, std::uint64_t method) {
    const std::uint64_t h = member->at;
    if (h > list_at_ || list_at_ - h < 30 || U32(h) != kZipLocal)
      return Bad(h, "there is no header of member '", member->name, "'");
    const std::uint64_t name = U16(h + 26), extra = U16(h + 28);
    if (name + extra > list_at_ - h - 30) return Bad(h, "the header of member '", member->name, "' is cut short");
    if (Text(h + 30, name) != member->name || U16(h + 8) != method || ((U16(h + 6) ^ flags) & 0x2069) != 0)
      return Bad(h, "the header of member '", member->name, "' and the list of members differ");
    std::uint64_t compressed = U32(h + 18), bytes = U32(h + 22);
    const bool described_behind = (flags & 8) != 0;
    if (!described_behind) {
      std::uint64_t* const large[] = {&bytes, &compressed};
      TENON_RETURN_IF_ERROR(Zip64(h + 30 + name, extra, large, nullptr));
      if (bytes != member->bytes || compressed != member->compressed_bytes || U32(h + 14) != member->crc32) {
        return Bad(h, "the header of member '", member->name,
                   "' and the list of members have different sizes or check sums");
      }
    }
    member->data_at = h + 30 + name + extra;
    if (member->compressed_bytes > list_at_ - member->data_at) {
      return Bad(member->data_at, "member '", member->name, "' of ", member->compressed_bytes,
                 " bytes goes beyond the end of the data at byte ", list_at_);
    }
    member->end = member->data_at + member->compressed_bytes;
    return described_behind ? Described(member) : OkStatus();
  }

  // Reads the descriptor behind the data of a member written in one pass: check sum and sizes, in one of four forms.
  Status Described(ZipMember* member) {
    const std::uint64_t at = member->end, left = list_at_ - at;
    for (const int sign : {4, 0}) {
      for (const int width : {4, 8}) {
        const auto from = at + static_cast<std::uint64_t>(sign), w = static_cast<std::uint64_t>(width);
        const std::uint64_t size = static_cast<std::uint64_t>(sign) + 4 + 2 * w;
        if (left < size || (sign != 0 && U32(at) != kZipDescriptor) || U32(from) != member->crc32 ||
            Number(from + 4, width) != member->compressed_bytes || Number(from + 4 + w, width) != member->bytes) {
          continue;
        }
        member->end = at + size;
        return OkStatus();
      }
    }
    return Bad(at, "what follows the data of member '", member->name,
               "' does not have the check sum and sizes of the list of members");
  }

  // Checks that no name occurs twice and no byte belongs to two members.
  Status CheckTogether(const SlimVector<ZipMember>& members) const {
    const auto by_name =
        SortedOrder(members.size(), [&](std::size_t a, std::size_t b) { return members[a].name < members[b].name; });
    const auto by_place =
        SortedOrder(members.size(), [&](std::size_t a, std::size_t b) { return members[a].at < members[b].at; });
    for (std::size_t i = 1; i < members.size(); ++i) {
      const ZipMember &first = members[by_name[i - 1]], &second = members[by_name[i]];
      if (first.name == second.name)
        return Bad(second.at, "there are two members '", first.name, "'; the other one is at byte ", first.at);
    }
    for (std::size_t i = 1; i < members.size(); ++i) {
      const ZipMember &before = members[by_place[i - 1]], &after = members[by_place[i]];
      if (after.at < before.end) return Bad(after.at, "members '", before.name, "' and '", after.name, "' overlap");
    }
    return OkStatus();
  }

  const unsigned char* data_;
  std::uint64_t size_;
  std::string_view where_;
  std::uint64_t list_at_ = 0, list_end_ = 0, count_ = 0;
};

}  // namespace detail

// Lists the members of a zip file, in the order of its list; their names are in `file`. DataLoss: the file is not a
// zip file, is cut short, contradicts itself, or has a name twice or bytes of two members. InvalidArgument: it cannot
// be read (encrypted, other compressions, several parts), or a name leads out of a folder. Messages start with
// `where` and have the byte's number.
inline Status ReadZipMembers(Span<const std::byte> file, std::string_view where, SlimVector<ZipMember>* members) {
  return detail::ZipReader(file, where).Read(members);
}

// Returns the bytes of a member of ReadZipMembers: for a stored one a subspan of `file`; for a deflated one *made
// (uint8 [n]) holds them. ResourceExhausted: more bytes than the limits allow. The declared size is checked before
// memory is allocated, and no more than that is ever made.
inline Result<Span<const std::byte>> ReadZipMember(Span<const std::byte> file, const ZipMember& member,
                                                   std::string_view where, const ZipLimits& limits, Tensor* made) {
  Span<const std::byte> bytes =
      file.subspan(static_cast<std::size_t>(member.data_at), static_cast<std::size_t>(member.compressed_bytes));
  if (member.deflated) {
    if (member.bytes / detail::kMostInflated > member.compressed_bytes) {
      return errors::DataLoss(where, ": member '", member.name, "': ", member.compressed_bytes,
                              " deflated bytes cannot make the ", member.bytes, " that are declared");
    }
    if (member.bytes > limits.max_bytes) {
      return errors::ResourceExhausted(where, ": member '", member.name, "' has ", member.bytes,
                                       " bytes, and the limit is ", limits.max_bytes);
    }
    if (limits.max_ratio != 0 && member.bytes / limits.max_ratio >= member.compressed_bytes &&
        member.bytes > limits.max_ratio * member.compressed_bytes) {
      return errors::ResourceExhausted(where, ": member '", member.name, "': ", member.compressed_bytes,
                                       " bytes become ", member.bytes, ", more than the ratio of ", limits.max_ratio,
                                       " that is allowed");
    }
    TENON_ASSIGN_OR_RETURN(*made, Tensor::Make(DataType::kUint8, TensorShape({static_cast<Index>(member.bytes)})));
    const Span<std::byte> out(static_cast<std::byte*>(made->raw_data()), static_cast<std::size_t>(member.bytes));
    if (const Status s = Inflate(bytes, out); !s.ok())
      return Status(s.code(),
                    StrCat(where, ": member '", member.name, "' at byte ", member.data_at, ": ", s.message()));
    bytes = out;
  }
  if (limits.check_crc) {
    const std::uint32_t sum = Crc32({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (sum != member.crc32) {
      return errors::DataLoss(where, ": member '", member.name, "' at byte ", member.data_at,
                              " is damaged: its check sum is ", sum, ", and ", member.crc32, " is declared");
    }
  }
  return bytes;
}

// Makes a zip file of members as pieces for WriteFile: the data stay where they are. Sizes and offsets beyond 32 bits
// are written as zip64. All dates are 1980-01-01, so that equal members make equal files. one thread.
class ZipWriter {
 public:
  // `head` and `data` together are the member's bytes; they must outlive the pieces. The bytes start at a multiple of
  // 64. InvalidArgument for a name that ReadZipMembers refuses.
  Status Add(std::string_view name, std::string_view head, std::string_view data, bool deflate) {
    if (const std::string_view wrong = detail::ZipNameError(name); !wrong.empty())
      return errors::InvalidArgument("the name '", CEscape(name), "' is refused: ", wrong);
    if (name.size() > detail::kZipMax16 - 64) return errors::InvalidArgument("a name of ", name.size(), " bytes");
    Member member;
    member.name = std::string(name);
    member.at = at_;
    member.bytes = member.compressed_bytes = head.size() + data.size();
    member.crc32 = Crc32(data, Crc32(head));
    if (deflate) {
      std::string both(head);
      both += data;
      member.packed = Deflate(both);
      member.deflated = member.packed.size() < both.size();
      if (!member.deflated) member.packed.clear();
      if (member.deflated) member.compressed_bytes = member.packed.size();
    }
    member.head = head;
    member.data = data;
    LocalHeader(&member);
    at_ += member.header.size() + member.compressed_bytes;
    members_.push_back(static_cast<Member&&>(member));
    return OkStatus();
  }

  // After the last Add; valid as long as the writer. AlreadyExists for two members of one name.
  Result<SlimVector<std::string_view>> Pieces() {
    const auto order =
        SortedOrder(members_.size(), [&](std::size_t a, std::size_t b) { return members_[a].name < members_[b].name; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::string& name = members_[order[i]].name;
      if (name == members_[order[i - 1]].name) return errors::AlreadyExists("there are two members '", name, "'");
    }
    List();
    SlimVector<std::string_view> pieces;
    for (const Member& member : members_) {
      pieces.push_back(member.header);
      if (member.deflated) {
        pieces.push_back(member.packed);
      } else {
        pieces.push_back(member.head);
        pieces.push_back(member.data);
      }
    }
    pieces.push_back(list_);
    return pieces;
  }

 private:
  struct Member {
    std::string name, header, packed;
    std::string_view head, data;
    std::uint64_t at = 0, compressed_bytes = 0, bytes = 0;
    std::uint32_t crc32 = 0;
    bool deflated = false;
  };
  static void Put(std::string* out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
  }
  static std::uint64_t Small(std::uint64_t value, std::uint64_t most) { return value < most ? value : most; }
  static bool IsLarge(std::uint64_t value) { return value >= detail::kZipMax32; }

  // Writes the fields from "version needed" to the sizes, which both headers of a member share.
  static void PutCommon(std::string* out, const Member& member, bool zip64) {
    Put(out, zip64 ? 45 : 20, 2);
    Put(out, 0x800, 2);  // the name is UTF-8
    Put(out, member.deflated ? 8 : 0, 2);
    Put(out, 0, 2);
    Put(out, 0x21, 2);
    Put(out, member.crc32, 4);
    Put(out, zip64 ? detail::kZipMax32 : member.compressed_bytes, 4);
    Put(out, zip64 ? detail::kZipMax32 : member.bytes, 4);
    Put(out, member.name.size(), 2);
  }
  static void LocalHeader(Member* member) {
    const bool zip64 = IsLarge(member->bytes) || IsLarge(member->compressed_bytes);
    std::string* const out = &member->header;
    Put(out, detail::kZipLocal, 4);
    PutCommon(out, *member, zip64);
    const std::size_t fixed = 30 + member->name.size() + (zip64 ? 20 : 0) + 6;
    const std::size_t padding = static_cast<std::size_t>((64 - (member->at + fixed) % 64) % 64);
    Put(out, (zip64 ? 20u : 0u) + 6 + padding, 2);
    *out += member->name;
    if (zip64) {
      Put(out, 1, 2);
      Put(out, 16, 2);
      Put(out, member->bytes, 8);
      Put(out, member->compressed_bytes, 8);
    }
    Put(out, 0xd935, 2);  // the field by which Android's zipalign pads
    Put(out, 2 + padding, 2);
    Put(out, 64, 2);
    out->append(padding, '\0');
  }
  void List() {
    list_.clear();
    for (const Member& member : members_) {
      const bool large = IsLarge(member.bytes) || IsLarge(member.compressed_bytes), distant = IsLarge(member.at);
      Put(&list_, detail::kZipCentral, 4);
      Put(&list_, large || distant ? 45 : 20, 2);
      PutCommon(&list_, member, large);
      Put(&list_, large || distant ? 4u + (large ? 16u : 0u) + (distant ? 8u : 0u) : 0u, 2);
      Put(&list_, 0, 2 + 2 + 2);
      Put(&list_, 0, 4);
      Put(&list_, Small(member.at, detail::kZipMax32), 4);
      list_ += member.name;
      if (!large && !distant) continue;
      Put(&list_, 1, 2);
      Put(&list_, (large ? 16u : 0u) + (distant ? 8u : 0u), 2);
      if (large) Put(&list_, member.bytes, 8), Put(&list_, member.compressed_bytes, 8);
      if (distant) Put(&list_, member.at, 8);
    }
    const std::uint64_t bytes = list_.size(), count = members_.size();
    if (count >= detail::kZipMax16 || IsLarge(bytes) || IsLarge(at_)) {
      Put(&list_, detail::kZip64End, 4);
      Put(&list_, 44, 8);
      Put(&list_, 45, 2);
      Put(&list_, 45, 2);
      Put(&list_, 0, 8);
      for (const std::uint64_t value : {count, count, bytes, at_}) Put(&list_, value, 8);
      Put(&list_, detail::kZip64Locator, 4);
      Put(&list_, 0, 4);
      Put(&list_, at_ + bytes, 8);
      Put(&list_, 1, 4);
    }
    Put(&list_, detail::kZipEnd, 4);
    Put(&list_, 0, 4);
    for (int i = 0; i < 2; ++i) Put(&list_, Small(count, detail::kZipMax16), 2);
    Put(&list_, Small(bytes, detail::kZipMax32), 4);
    Put(&list_, Small(at_, detail::kZipMax32), 4);
    Put(&list_, 0, 2);
  }

  SlimVector<Member> members_;
  std::string list_;
  std::uint64_t at_ = 0;
};

TENON_DETAIL_NAMESPACE_END
