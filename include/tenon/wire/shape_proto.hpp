// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorShapeProto: shapes in serialised form.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

// dim = 2 {size = 1, name = 2 (dropped)}, unknown_rank = 3

namespace detail {

struct RawShape {
  Index dims[kMaxTensorRank];  // sizes of the first kMaxTensorRank dimensions
  int rank = 0;                // may be more than kMaxTensorRank
  bool unknown_rank = false;

  Span<const Index> sizes() const {
    return {dims, static_cast<std::size_t>(rank < kMaxTensorRank ? rank : kMaxTensorRank)};
  }
  std::string DebugString() const {
    if (unknown_rank && rank == 0) return "<unknown>";
    return StrCat(
        unknown_rank ? "<unknown>" : "", "[",
        StrJoin(sizes(), ",", [](std::string* out, Index d) { d < 0 ? StrAppend(out, "?") : StrAppend(out, d); }),
        rank > kMaxTensorRank ? ",...]" : "]");
  }
};

// Reads the rest of the reader's message.
inline bool ReadShape(Reader& reader, RawShape* shape) {
  std::string_view bytes;
  for (Tag tag; reader.ReadField(&tag, &bytes);) {
    std::uint64_t value;
    if (tag.field == 2 && tag.type == WireType::kBytes) {
      Reader::Outer outer;
      if (!reader.Enter(bytes, &outer)) return false;
      Index size = 0;
      for (Tag inner; reader.ReadTag(&inner);) {
        if (inner.field != 1 || inner.type != WireType::kVarint) {
          if (!reader.Skip(inner)) return false;
        } else if (!reader.ReadVarint(&value)) {
          return false;
        } else {
          size = static_cast<Index>(value);
        }
      }
      if (!reader.ok()) return false;
      reader.Leave(outer);
      if (shape->rank < kMaxTensorRank) shape->dims[shape->rank] = size;
      if (shape->rank <= kMaxTensorRank) ++shape->rank;
    } else if (tag.field == 3 && tag.type == WireType::kVarint) {
      if (!reader.ReadVarint(&value)) return false;
      shape->unknown_rank = value != 0;
    } else if (tag.type != WireType::kBytes && !reader.Skip(tag)) {
      return false;
    }
  }
  return reader.ok();
}

// Are the numbers a shape? `partial`: -1 and an unknown rank are allowed.
inline Status CheckShape(const RawShape& shape, bool partial) {
  if (partial && shape.unknown_rank) {
    if (shape.rank == 0) return OkStatus();
    return errors::InvalidArgument("An unknown shape must not have any dimensions set.");
  }
  if (shape.rank > kMaxTensorRank) return errors::InvalidArgument("Shape ", shape, " has too many dimensions");
  Index elements = 1, without_zeros = 1;
  bool known = true;
  for (const Index size : shape.sizes()) {
    if (size < -1 && partial) {
      return errors::InvalidArgument("Shape ", shape, " has dimensions with values below -1 (where -1 means unknown)");
    }
    if (size < 0 && !partial) return errors::InvalidArgument("Shape ", shape, " is not fully defined");
    known = known && size >= 0;
    if (size > 0) without_zeros = MultiplyWithoutOverflow(without_zeros, size);
    if (!known) continue;
    elements = MultiplyWithoutOverflow(elements, size);
    if (elements < 0) return errors::InvalidArgument("Shape ", shape, " is too large (more than 2**63 - 1 entries)");
  }
  if (without_zeros < 0) return errors::InvalidArgument("Encountered overflow when multiplying shape dimensions");
  return OkStatus();
}
inline Status MakePartialShape(const RawShape& raw, PartialTensorShape* shape) {
  TENON_RETURN_IF_ERROR(CheckShape(raw, true));
  if (raw.unknown_rank) {
    *shape = PartialTensorShape();
    return OkStatus();
  }
  return PartialTensorShape::Build(raw.sizes(), shape);
}
inline Status MakeFullShape(const RawShape& raw, TensorShape* shape) {  // unknown_rank is ignored, as TensorFlow does
  TENON_RETURN_IF_ERROR(CheckShape(raw, false));
  return TensorShape::Build(raw.sizes(), shape);
}

inline void WriteShape(Writer& writer, Span<const Index> dims, bool unknown_rank) {
  if (unknown_rank) {
    writer.Varint(1);
    return writer.FieldTag(3, WireType::kVarint);
  }
  for (std::size_t d = dims.size(); d-- > 0;) {
    const std::size_t end = writer.size();
    if (dims[d] != 0) {
      writer.Varint(static_cast<std::uint64_t>(dims[d]));
      writer.FieldTag(1, WireType::kVarint);
    }
    writer.BytesTag(2, writer.size() - end);
  }
}

}  // namespace detail

template <>
struct Schema<PartialTensorShape> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    detail::RawShape raw;
    if (!detail::ReadShape(reader, &raw)) return false;
    context.status = detail::MakePartialShape(raw, static_cast<PartialTensorShape*>(object));
    return context.status.ok();
  }
  static void Serialize(MessageWriter& writer, const void* object) {
    const auto& shape = *static_cast<const PartialTensorShape*>(object);
    detail::WriteShape(writer, shape.dim_sizes(), shape.unknown_rank());
  }
  static constexpr Message message{"TensorShapeProto", &Parse, &Serialize};
};

}  // namespace wire

// Returns the shape in a TensorShapeProto. InvalidArgument, with TensorFlow's message: its numbers are not a shape.
inline Result<PartialTensorShape> PartialShapeFromProto(Span<const std::byte> bytes) {
  PartialTensorShape shape;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &shape));
  return shape;
}
// Returns the shape, which must be known; the flag for an unknown rank is ignored, as TensorFlow does.
inline Result<TensorShape> ShapeFromProto(Span<const std::byte> bytes) {
  wire::Reader reader(bytes);
  wire::detail::RawShape raw;
  if (!wire::detail::ReadShape(reader, &raw)) return reader.status("TensorShapeProto");
  TensorShape shape;
  TENON_RETURN_IF_ERROR(wire::detail::MakeFullShape(raw, &shape));
  return shape;
}
// Appends to *out.
inline void ShapeToProto(const PartialTensorShape& shape, std::string* out) {
  wire::Writer writer;
  wire::detail::WriteShape(writer, shape.dim_sizes(), shape.unknown_rank());
  writer.AppendTo(out);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
