// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's .npz files: named arrays in a zip file, as numpy.savez and numpy.savez_compressed write them.

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
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/npy.hpp>
#include <tenon/io/zip.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct NamedArray {
  std::string name;
  Tensor tensor;
};

// How much memory a file may ask for. Views of the mapped file cost none and are not counted.
struct NpzOptions {
  NpyOptions npy;
  std::uint64_t max_member_bytes = std::uint64_t{1} << 32;  // for one array
  std::uint64_t max_total_bytes = std::uint64_t{1} << 34;   // for all arrays of ReadAll
  std::uint64_t max_ratio = 0;  // decompressed to compressed bytes; 0: any (the format allows 1032)
  bool check_crc = true;        // reads each byte of an array once
};

// An .npz file, mapped: it must not be written to in place (io/mapped_file.hpp). Immutable. Arrays are named without
// the ".npy" of their member; other members are ignored.
//
//   TENON_ASSIGN_OR_RETURN(const NpzFile file, NpzFile::Open("weights.npz"));
//   TENON_ASSIGN_OR_RETURN(const Tensor kernel, file.Read("dense/kernel"));
class NpzFile {
 public:
  // NotFound: no such file. Also returns the errors of ReadZipMembers for its list.
  static Result<NpzFile> Open(const std::string& path, const NpzOptions& options = {}) {
    TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
    return Make(std::move(file), StrCat("ReadNpz: '", path, "'"), options);
  }
  // Opens the file whose bytes are all of `buffer`. The NpzFile gets a reference of its own.
  static Result<NpzFile> FromBuffer(Buffer* buffer, std::string_view where, const NpzOptions& options = {}) {
    buffer->Ref();
    return Make(MappedFile::Adopt(buffer), std::string(where), options);
  }

  std::size_t size() const { return members_.size(); }
  // In the order of the file.
  SlimVector<std::string> Names() const {
    SlimVector<std::string> names;
    for (const ZipMember& member : members_) names.emplace_back(Stem(member));
    return names;
  }
  std::string_view name(std::size_t i) const { return Stem(members_[i]); }
  bool Contains(std::string_view name) const { return Find(name) != nullptr; }

  // Reads one array, as ParseNpy: a view of the file where its member is stored, otherwise a view of the decompressed
  // bytes or a copy. NotFound: no such array; the message names the nearest. DataLoss: the member is damaged.
  // ResourceExhausted: beyond the limits.
  Result<Tensor> Read(std::string_view name) const {
    const ZipMember* member = Find(name);
    if (member == nullptr) {
      detail::NearestNames nearest(name);
      for (const ZipMember& other : members_) nearest.Offer(Stem(other));
      return errors::NotFound(where_, " has no array '", name, "'", nearest.Text());
    }
    std::uint64_t left = options_.max_member_bytes;
    return ReadMember(*member, &left);
  }
  // Reads all arrays in the order of the file. Returns the error of the first array that cannot be read.
  Result<SlimVector<NamedArray>> ReadAll() const {
    SlimVector<NamedArray> all;
    all.reserve(members_.size());
    std::uint64_t left = options_.max_total_bytes;
    for (const ZipMember& member : members_) {
      TENON_ASSIGN_OR_RETURN(Tensor tensor, ReadMember(member, &left));
      all.push_back(NamedArray{std::string(Stem(member)), std::move(tensor)});
    }
    return all;
  }

 private:
  static constexpr std::string_view kExtension = ".npy";

  NpzFile(MappedFile file, std::string where, const NpzOptions& options)
      : file_(std::move(file)), where_(std::move(where)), options_(options) {}
  static Result<NpzFile> Make(MappedFile file, std::string where, const NpzOptions& options) {
    NpzFile made(std::move(file), std::move(where), options);
    SlimVector<ZipMember> members;
    TENON_RETURN_IF_ERROR(ReadZipMembers(made.file_.bytes(), made.where_, &members));
    for (const ZipMember& member : members) {
      if (EndsWith(member.name, kExtension)) made.members_.push_back(member);
    }
    made.by_name_ = SortedOrder(made.members_.size(), [&](std::size_t a, std::size_t b) {
      return Stem(made.members_[a]) < Stem(made.members_[b]);
    });
    return made;
  }
  static std::string_view Stem(const ZipMember& member) {
    return member.name.substr(0, member.name.size() - kExtension.size());
  }
  const ZipMember* Find(std::string_view name) const {
    std::size_t first = 0;
    for (std::size_t count = by_name_.size(); count > 0;) {
      const std::size_t half = count / 2;
      if (Stem(members_[by_name_[first + half]]) < name) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    if (first == by_name_.size() || Stem(members_[by_name_[first]]) != name) return nullptr;
    return &members_[by_name_[first]];
  }
  // *left: bytes of memory that may still be used. The call subtracts the bytes that it uses.
  Result<Tensor> ReadMember(const ZipMember& member, std::uint64_t* left) const {
    const auto allowed = [&] { return *left < options_.max_member_bytes ? *left : options_.max_member_bytes; };
    Tensor inflated;
    TENON_ASSIGN_OR_RETURN(
        const Span<const std::byte> bytes,
        ReadZipMember(file_.bytes(), member, where_, {allowed(), options_.max_ratio, options_.check_crc}, &inflated));
    if (member.deflated) *left -= member.bytes;
    NpyOptions npy = options_.npy;
    if (allowed() < npy.max_bytes) npy.max_bytes = allowed();
    Buffer* const owner = member.deflated ? inflated.buffer() : file_.buffer();
    TENON_ASSIGN_OR_RETURN(Tensor tensor, ParseNpy(bytes, owner, StrCat(where_, ": member '", member.name, "'"), npy));
    if (tensor.buffer() != nullptr && (owner == nullptr || tensor.buffer()->root() != owner->root())) {
      const std::uint64_t used = tensor.TotalBytes();
      *left -= used < *left ? used : *left;
    }
    return tensor;
  }

  MappedFile file_;
  std::string where_;
  NpzOptions options_;
  SlimVector<ZipMember> members_;  // the .npy files
  SlimVector<std::size_t> by_name_;
};

// All arrays of an .npz file, in its order.
inline Result<SlimVector<NamedArray>> ReadNpz(const std::string& path, const NpzOptions& options = {}) {
  TENON_ASSIGN_OR_RETURN(const NpzFile file, NpzFile::Open(path, options));
  return file.ReadAll();
}

// Writes the tensors as numpy.savez would, or with `compressed` as numpy.savez_compressed. Stored arrays start at a
// multiple of 64 bytes, so that reading them gives aligned views. InvalidArgument: a name leads out of a folder.
// AlreadyExists: two tensors have one name. Also returns the errors of WriteNpy for a tensor.
inline Status WriteNpz(const std::string& path, Span<const NamedArray> tensors, bool compressed = false) {
  const std::string where = StrCat("WriteNpz: '", path, "'");
  SlimVector<detail::NpyImage> images;
  images.reserve(tensors.size());  // the pieces point into them
  ZipWriter writer;
  for (const NamedArray& named : tensors) {
    TENON_ASSIGN_OR_RETURN(detail::NpyImage image,
                           detail::MakeNpy(named.tensor, StrCat(where, ": array '", named.name, "'")));
    images.push_back(std::move(image));
    if (Status s = writer.Add(named.name + ".npy", images.back().header, images.back().data, compressed); !s.ok())
      return Status(s.code(), StrCat(where, ": ", s.message()));
  }
  const Result<SlimVector<std::string_view>> pieces = writer.Pieces();
  if (!pieces.ok()) return Status(pieces.status().code(), StrCat(where, ": ", pieces.status().message()));
  return WriteFile(path, Span<const std::string_view>(pieces->data(), pieces->size()));
}

TENON_DETAIL_NAMESPACE_END
