// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorProto and TensorShapeProto: tensors and shapes in serialised form. Reading understands every way in which
// TensorFlow writes values; raw contents become views of the bytes where those have an owner.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/release_pages.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/writer.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace wire {

// -------------------------------------------------------------------------------------------------- TensorShapeProto
// dim = 2 {size = 1, name = 2 (dropped)}, unknown_rank = 3

namespace detail {

struct RawShape {
  Index dims[kMaxTensorRank];  // of the first kMaxTensorRank dimensions
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
  static void Serialize(Writer& writer, const void* object) {
    const auto& shape = *static_cast<const PartialTensorShape*>(object);
    detail::WriteShape(writer, shape.dim_sizes(), shape.unknown_rank());
  }
  static constexpr Message message{"TensorShapeProto", &Parse, &Serialize};
};

// ------------------------------------------------------------------------------------------------ ResourceHandleProto

template <>
struct Schema<DtypeAndPartialShape> {
  static const Message message;
};
inline constexpr Field kDtypeAndShapeFields[] = {
    MakeField<&DtypeAndPartialShape::dtype>(1, "dtype"),
    MakeFieldAlways<&DtypeAndPartialShape::shape>(2, "shape"),  // a missing one is that of a scalar
};
inline constexpr Message Schema<DtypeAndPartialShape>::message("DtypeAndShape", kDtypeAndShapeFields);

template <>
struct Schema<ResourceHandle> {
  static const Message message;
};
inline constexpr Field kResourceHandleFields[] = {
    MakeField<&ResourceHandle::device>(1, "device"),
    MakeField<&ResourceHandle::container>(2, "container"),
    MakeField<&ResourceHandle::name>(3, "name"),
    MakeField<&ResourceHandle::hash_code>(4, "hash_code"),
    MakeField<&ResourceHandle::maybe_type_name>(5, "maybe_type_name"),
    MakeField<&ResourceHandle::dtypes_and_shapes>(6, "dtypes_and_shapes"),
};
inline constexpr Message Schema<ResourceHandle>::message("ResourceHandleProto", kResourceHandleFields);

// --------------------------------------------------------------------------------------------- VariantTensorDataProto

// Variants inside variants are read up to this depth; it is about what the limit of kMaxDepth messages leaves.
inline constexpr int kMaxVariantDepth = 48;

template <>
struct Schema<VariantTensorData> {
  static const Message message;
};
// A Variant in the same form. One that was read stays serialised (VariantRegistry::Decode, GetVariantValue); one
// without a type, bytes and tensors is empty. A value whose type cannot be serialised is written as its type's name.
template <>
struct Schema<Variant> {
  static bool Parse(Reader& reader, ParseContext& context, void* object);
  static void Serialize(Writer& writer, const void* object);
  static constexpr Message message{"VariantTensorDataProto", &Parse, &Serialize};
};

// ------------------------------------------------------------------------------------------------------- TensorProto

namespace detail {

enum TensorField : std::uint32_t {
  kDtypeField = 1,
  kShapeField = 2,
  kContentField = 4,
  kStringField = 8,
  kResourceField = 14,
  kVariantField = 15,
  kFloat8Field = 18,
};

// Where the values of a dtype stand when not in tensor_content. Complex numbers: two values an element.
struct TypedField {
  std::uint32_t number;
  Kind kind;
};
constexpr TypedField TypedFieldOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return {5, Kind::kFloat};
    case DataType::kDouble: return {6, Kind::kDouble};
    case DataType::kInt32:
    case DataType::kInt16:
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kUint16:
    case DataType::kQint8:
    case DataType::kQuint8:
    case DataType::kQint16:
    case DataType::kQuint16:
    case DataType::kQint32:
    case DataType::kInt4:
    case DataType::kUint4:
    case DataType::kInt2:
    case DataType::kUint2: return {7, Kind::kInt32};
    case DataType::kString: return {kStringField, Kind::kString};
    case DataType::kComplex64: return {9, Kind::kFloat};
    case DataType::kInt64: return {10, Kind::kInt64};
    case DataType::kBool: return {11, Kind::kBool};
    case DataType::kComplex128: return {12, Kind::kDouble};
    case DataType::kHalf:
    case DataType::kBfloat16: return {13, Kind::kInt32};
    case DataType::kResource: return {kResourceField, Kind::kMessage};
    case DataType::kVariant: return {kVariantField, Kind::kMessage};
    case DataType::kUint32: return {16, Kind::kUint32};
    case DataType::kUint64: return {17, Kind::kUint64};
    case DataType::kFloat8E5M2:
    case DataType::kFloat8E4M3FN:
    case DataType::kFloat8E4M3FNUZ:
    case DataType::kFloat8E4M3B11FNUZ:
    case DataType::kFloat8E5M2FNUZ:
    case DataType::kFloat4E2M1FN: return {kFloat8Field, Kind::kString};
    default: return {0, Kind::kMessage};
  }
}

// The table of elements that are messages: handles and variants.
constexpr const Message& MessageOfElement(DataType dtype) {
  return dtype == DataType::kVariant ? Schema<Variant>::message : Schema<ResourceHandle>::message;
}

// Reads one TensorProto. Every step returns false when the bytes are no message (the reader knows why) or, with
// `status` set, when they make no tensor.
class TensorDecoder {
 public:
  TensorDecoder(Reader& reader, ParseContext& context) : reader_(reader), context_(context), again_(reader) {}

  bool Decode(Tensor* out) {
    std::string_view content;
    if (!ReadHeader(&content)) return false;
    if (!CheckHeader()) return false;
    elements_ = shape_.num_elements();
    if (elements_ == 0) {
      *out = Tensor(dtype_, shape_, nullptr);
      return true;
    }
    const bool plain = SizeOf(dtype_) != 0;
    if (!content.empty()) return plain ? TakePlainContent(content, out) : TakeObjectContent(content, out);
    if (!Allocate(out)) return false;
    switch (TypedFieldOf(dtype_).kind) {
      case Kind::kFloat: return TakeNumbers(4, out);
      case Kind::kDouble:
      case Kind::kInt64:
      case Kind::kUint64: return TakeNumbers(8, out);
      case Kind::kString: return dtype_ == DataType::kString ? TakeStrings(out) : TakeBytes(out);
      case Kind::kMessage: return TakeMessages(out);
      default: break;
    }
    return TakeNumbers(SizeOf(dtype_) < 4 ? static_cast<std::size_t>(SizeOf(dtype_)) : 4, out);
  }

  const Status& status() const { return status_; }

 private:
  TENON_COLD bool Fail(std::string_view what) {
    status_ =
        errors::InvalidArgument("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_, ": ", what);
    return false;
  }

  bool ReadHeader(std::string_view* content) {
    for (Tag tag; reader_.ReadTag(&tag);) {
      if (tag.field == kDtypeField && tag.type == WireType::kVarint) {
        std::uint64_t value;
        if (!reader_.ReadVarint(&value)) return false;
        dtype_ = static_cast<DataType>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
      } else if (tag.field == kShapeField && tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!reader_.Enter(&outer) || !ReadShape(reader_, &raw_shape_)) return false;
        reader_.Leave(outer);
      } else if (tag.field == kContentField && tag.type == WireType::kBytes) {
        if (!reader_.ReadBytes(content)) return false;
      } else {
        if (!reader_.Skip(tag)) return false;
      }
    }
    return reader_.ok();
  }

  bool CheckHeader() {
    if (TypedFieldOf(dtype_).number == 0) {
      return Fail(StrCat(static_cast<std::int32_t>(dtype_), " is not the number of a dtype that a tensor can have"));
    }
    if (Status s = MakeFullShape(raw_shape_, &shape_); !s.ok()) return Fail(s.message());
    return true;
  }

  // Takes `bytes` from what may be made out of nothing.
  bool Spend(std::uint64_t count, std::uint64_t bytes_each) {
    if (bytes_each == 0 || count <= context_.repeat_bytes / bytes_each) {
      context_.repeat_bytes -= count * bytes_each;
      return true;
    }
    status_ = errors::ResourceExhausted("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_,
                                        ": repeating a value over so many elements needs more than the ",
                                        context_.repeat_bytes, " bytes that are left for it");
    return false;
  }
  bool Allocate(Tensor* out) {
    // A value takes at least one byte of the message (a string two); what elements need beyond that is repetition.
    const std::uint64_t given = again_.remaining(), needed = static_cast<std::uint64_t>(elements_);
    if (needed > given && !Spend(needed - given, tenon::detail::ElementBytes(dtype_))) return false;
    Result<Tensor> made = Tensor::Make(dtype_, shape_);
    if (!made.ok()) {
      status_ = made.status();
      return false;
    }
    *out = *std::move(made);
    return true;
  }

  // ---- tensor_content
  bool TakePlainContent(std::string_view content, Tensor* out) {
    const auto element = static_cast<std::uint64_t>(SizeOf(dtype_));
    if (content.size() % element != 0 || content.size() / element != static_cast<std::uint64_t>(elements_)) {
      return Fail(StrCat("tensor_content has ", content.size(), " bytes, expected ", elements_, " elements of ",
                         element, " bytes"));
    }
    if (dtype_ == DataType::kBool) {
      for (const char c : content) {
        if (static_cast<unsigned char>(c) > 1)
          return Fail(StrCat("tensor_content has a byte ", static_cast<int>(static_cast<unsigned char>(c)),
                             ", a bool is 0 or 1"));
      }
    }
    if (!IsSubByte(dtype_) && CanView(content)) {
      *out = Tensor::ViewOf(context_.owner, dtype_, shape_, content.data());
      return true;
    }
    if (!Allocate(out)) return false;
    std::memcpy(out->raw_data(), content.data(), content.size());
    if (IsOwned(content)) ReleasePages(context_.owner, content.data(), content.size());
    if (IsSubByte(dtype_)) tenon::detail::WrapSubBytes(dtype_, out->raw_data(), content.size());
    return true;
  }
  // Inside the owner's memory?
  bool IsOwned(std::string_view bytes) const {
    if (context_.owner == nullptr) return false;
    const auto owner = reinterpret_cast<std::uintptr_t>(context_.owner->data());
    const auto data = reinterpret_cast<std::uintptr_t>(bytes.data());
    return data >= owner && data + bytes.size() <= owner + context_.owner->size();
  }
  // There, and aligned for the element type (not for more)?
  bool CanView(std::string_view content) const {
    return IsOwned(content) && tenon::detail::IsAlignedFor(dtype_, content.data());
  }
  // A string that is too long to stand in the element itself becomes a view, for which the tensor keeps the owner.
  void TakeString(std::string_view text, tstring* to, Tensor* out) {
    if (text.size() <= tstring::kSmallCapacity || !IsOwned(text)) {
      to->assign(text);
      return;
    }
    if (!keeps_owner_) out->buffer()->KeepAlive(context_.owner);
    keeps_owner_ = true;
    to->assign_as_view(text);
  }
  // Strings, handles and variants: the lengths of all, then the bytes of all.
  bool TakeObjectContent(std::string_view content, Tensor* out) {
    if (static_cast<std::uint64_t>(elements_) > content.size()) {
      return Fail(
          StrCat("tensor_content has ", content.size(), " bytes, too few for the lengths of ", elements_, " elements"));
    }
    Reader lengths(AsBytes(content));
    std::uint64_t total = 0;
    for (Index i = 0; i < elements_; ++i) {
      std::uint64_t length;
      if (!lengths.ReadVarint(&length) || length > content.size())
        return Fail(StrCat("tensor_content has no proper length for element ", i));
      total += length;
      if (total > content.size()) return Fail("tensor_content is too short for its elements");
    }
    if (total != lengths.remaining()) {
      return Fail(StrCat("tensor_content has ", lengths.remaining(), " bytes after the lengths, expected ", total));
    }
    if (!Allocate(out)) return false;
    std::string_view rest = content.substr(lengths.offset());
    lengths = Reader(AsBytes(content));
    for (Index i = 0; i < elements_; ++i) {
      std::uint64_t length = 0;
      static_cast<void>(lengths.ReadVarint(&length));
      const std::string_view item = rest.substr(0, static_cast<std::size_t>(length));
      rest.remove_prefix(item.size());
      if (dtype_ == DataType::kString) {
        TakeString(item, &out->data<tstring>()[i], out);
      } else if (!TakeObject(item, i, out)) {
        return false;
      }
    }
    return true;
  }

  bool TakeObject(std::string_view item, Index i, Tensor* out) {
    const Message& message = MessageOfElement(dtype_);
    Reader reader(AsBytes(item));
    if (ParseMessage(message, reader, context_, ElementAt(out, i))) return true;
    const Status s = context_.status.ok() ? reader.status(message.name) : std::move(context_.status);
    status_ = Status(s.code(), StrCat("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_,
                                      ": element ", i, ": ", s.message()));
    context_.status = OkStatus();
    return false;
  }
  static void* ElementAt(Tensor* tensor, Index i) {
    return static_cast<char*>(tensor->raw_data()) +
           static_cast<std::size_t>(i) * tenon::detail::ElementBytes(tensor->dtype());
  }

  // ---- typed fields
  // The next field `number` of the message; false at the end.
  bool Next(std::uint32_t number, Tag* tag) {
    while (again_.ReadTag(tag)) {
      if (tag->field == number) return true;
      if (!again_.Skip(*tag)) return false;
    }
    return false;
  }
  bool Finish() {  // after the second walk over the message
    if (again_.ok()) return true;
    reader_ = again_;
    return false;
  }

  // stored_bytes: what is kept of a number, 1, 2, 4 or 8; wider ones are cut. Complex numbers are pairs.
  bool TakeNumbers(std::size_t stored_bytes, Tensor* out) {
    const TypedField field = TypedFieldOf(dtype_);
    const std::size_t per_element = static_cast<std::size_t>(SizeOf(dtype_)) / stored_bytes;
    const std::size_t wanted = static_cast<std::size_t>(elements_) * per_element;
    auto* const to = static_cast<char*>(out->raw_data());
    std::size_t have = 0;
    for (Tag tag; Next(field.number, &tag);) {
      if (tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!again_.Enter(&outer)) break;
        while (!again_.AtEnd() && ReadStored(field.kind, stored_bytes, to, wanted, &have)) {
        }
        if (!again_.ok()) break;
        again_.Leave(outer);
      } else if (tag.type == WireTypeOf(field.kind)) {
        if (!ReadStored(field.kind, stored_bytes, to, wanted, &have)) break;
      } else if (!again_.Skip(tag)) {
        break;
      }
    }
    if (!Finish()) return false;
    if (IsSubByte(dtype_)) tenon::detail::WrapSubBytes(dtype_, out->raw_data(), have);
    RepeatLast(to, static_cast<std::size_t>(SizeOf(dtype_)), have / per_element);
    return true;
  }
  bool ReadStored(Kind kind, std::size_t stored_bytes, char* to, std::size_t wanted, std::size_t* have) {
    std::uint64_t value = 0;
    if (kind == Kind::kFloat || kind == Kind::kDouble) {
      if (!ReadNumber(again_, kind, &value)) return false;
    } else {
      if (!again_.ReadVarint(&value)) return false;
      if (kind == Kind::kBool) value = value != 0 ? 1 : 0;
    }
    if (*have >= wanted) return true;
    to += (*have)++ * stored_bytes;
    switch (stored_bytes) {  // the low bytes come first (wire/reader.hpp)
      case 1: std::memcpy(to, &value, 1); break;
      case 2: std::memcpy(to, &value, 2); break;
      case 4: std::memcpy(to, &value, 4); break;
      default: std::memcpy(to, &value, 8);
    }
    return true;
  }
  // Elements from `have` on get the value before them, or zero if there is none.
  void RepeatLast(char* data, std::size_t element_bytes, std::size_t have) const {
    const std::size_t all = static_cast<std::size_t>(elements_) * element_bytes;
    std::size_t done = have * element_bytes;
    if (done >= all) return;
    if (done == 0) {
      std::memset(data, 0, all);
      return;
    }
    const char* const last = data + done - element_bytes;
    for (std::size_t run = element_bytes;
         done < all;) {  // doubles what is copied: [last, data + done) has only equal elements
      const std::size_t n = run < all - done ? run : all - done;
      std::memcpy(data + done, last, n);
      done += n;
      run = done - static_cast<std::size_t>(last - data);
    }
  }
  // float8_val: a byte an element. The last occurrence of the field counts.
  bool TakeBytes(Tensor* out) {
    std::string_view bytes;
    for (Tag tag; Next(kFloat8Field, &tag);) {
      if (tag.type == WireType::kBytes ? !again_.ReadBytes(&bytes) : !again_.Skip(tag)) break;
    }
    if (!Finish()) return false;
    auto* to = static_cast<unsigned char*>(out->raw_data());
    const std::size_t all = static_cast<std::size_t>(elements_), have = bytes.size() < all ? bytes.size() : all;
    if (have != 0) std::memcpy(to, bytes.data(), have);
    if (IsSubByte(dtype_)) tenon::detail::WrapSubBytes(dtype_, to, have);
    RepeatLast(reinterpret_cast<char*>(to), 1, have);
    return true;
  }
  bool TakeStrings(Tensor* out) {
    auto* const to = out->data<tstring>();
    Index have = 0;
    std::string_view text;
    for (Tag tag; Next(kStringField, &tag);) {
      if (tag.type != WireType::kBytes) {
        if (!again_.Skip(tag)) break;
        continue;
      }
      if (!again_.ReadBytes(&text)) break;
      if (have < elements_) TakeString(text, &to[have++], out);
    }
    if (!Finish()) return false;
    if (have == 0 || have == elements_) return true;
    const tstring& last = to[have - 1];
    if (last.is_view()) {
      for (Index i = have; i < elements_; ++i) to[i].assign_as_view(last.view());
      return true;
    }
    if (last.size() > tstring::kSmallCapacity && !Spend(static_cast<std::uint64_t>(elements_ - have), last.size() + 16))
      return false;
    for (Index i = have; i < elements_; ++i) to[i] = last;
    return true;
  }
  // Handles and variants are not repeated: elements without one stay empty.
  bool TakeMessages(Tensor* out) {
    const std::uint32_t number = TypedFieldOf(dtype_).number;
    Index have = 0;
    for (Tag tag; Next(number, &tag);) {
      if (tag.type != WireType::kBytes || have == elements_) {
        if (!again_.Skip(tag)) break;
        continue;
      }
      Reader::Outer outer;
      if (!again_.Enter(&outer)) break;
      if (!ParseMessage(MessageOfElement(dtype_), again_, context_, ElementAt(out, have))) {
        std::swap(status_, context_.status);
        break;
      }
      again_.Leave(outer);
      ++have;
    }
    return Finish() && status_.ok();
  }

  Reader& reader_;
  ParseContext& context_;
  Reader again_;  // a second walk over the same message, for the values
  DataType dtype_ = DataType::kInvalid;
  RawShape raw_shape_;
  TensorShape shape_;
  Index elements_ = 0;
  bool keeps_owner_ = false;
  Status status_;
};

}  // namespace detail

// Reads the rest of the reader's current message, a TensorProto. False when the bytes are no such message: the reader
// says why. Otherwise *status says whether they make a tensor.
inline bool ParseTensor(Reader& reader, ParseContext& context, Tensor* tensor, Status* status) {
  detail::TensorDecoder decoder(reader, context);
  const bool done = decoder.Decode(tensor);
  if (!done && decoder.status().ok()) return false;
  *status = decoder.status();
  return true;
}

}  // namespace wire

// How a tensor's values are written.
enum class TensorProtoForm {
  kAuto,  // raw bytes for more than one element, the typed field for one and for strings; long repetitions at the end
          // short
  kContent,  // tensor_content: raw bytes; strings, handles and variants with their lengths before them
  kTyped,  // every element in the field of its type
};

namespace wire {
namespace detail {

// The number of elements to write when the last of them stands for all after it; 0 when all bytes are zero.
inline std::size_t CountWithoutRepetition(const char* data, std::size_t elements, std::size_t element_bytes) {
  const char* const last = data + (elements - 1) * element_bytes;
  std::size_t keep = elements;
  while (keep > 1 && std::memcmp(data + (keep - 2) * element_bytes, last, element_bytes) == 0) --keep;
  if (keep > 1) return keep;
  for (std::size_t i = 0; i < element_bytes; ++i) {
    if (last[i] != 0) return 1;
  }
  return 0;
}

template <class Stored>
void WriteTypedNumbers(Writer& writer, DataType dtype, const char* data, std::size_t count) {
  const TypedField field = TypedFieldOf(dtype);
  const bool is_signed =
      IsSigned(dtype) || (IsQuantized(dtype) && dtype != DataType::kQuint8 && dtype != DataType::kQuint16);
  const std::size_t end = writer.size();
  for (std::size_t i = count; i-- > 0;) {
    Stored value;
    std::memcpy(&value, data + i * sizeof value, sizeof value);
    if constexpr (std::is_same_v<Stored, float>) {
      writer.Fixed32(std::bit_cast<std::uint32_t>(value));
    } else if constexpr (std::is_same_v<Stored, double>) {
      writer.Fixed64(std::bit_cast<std::uint64_t>(value));
    } else if (is_signed) {
      writer.Varint(static_cast<std::uint64_t>(std::int64_t{static_cast<std::make_signed_t<Stored>>(value)}));
    } else {
      writer.Varint(value);
    }
  }
  if (writer.size() != end) writer.BytesTag(field.number, writer.size() - end);
}

inline void WriteTypedValues(Writer& writer, const Tensor& tensor, std::size_t count) {
  const char* const data = static_cast<const char*>(tensor.raw_data());
  const DataType dtype = tensor.dtype();
  const std::size_t numbers = IsComplex(dtype) ? 2 * count : count;
  switch (TypedFieldOf(dtype).kind) {
    case Kind::kFloat: return WriteTypedNumbers<float>(writer, dtype, data, numbers);
    case Kind::kDouble: return WriteTypedNumbers<double>(writer, dtype, data, numbers);
    case Kind::kInt64:
    case Kind::kUint64: return WriteTypedNumbers<std::uint64_t>(writer, dtype, data, count);
    case Kind::kString:
      if (dtype == DataType::kString) {
        for (std::size_t i = count; i-- > 0;) {
          const std::string_view text = tensor.data<tstring>()[i];
          writer.Bytes(text);
          writer.BytesTag(kStringField, text.size());
        }
      } else if (count != 0) {
        writer.Bytes(data, count);
        writer.BytesTag(kFloat8Field, count);
      }
      return;
    case Kind::kMessage:
      for (std::size_t i = count; i-- > 0;) {
        const std::size_t end = writer.size();
        SerializeMessage(MessageOfElement(dtype), writer, data + i * tenon::detail::ElementBytes(dtype));
        writer.BytesTag(TypedFieldOf(dtype).number, writer.size() - end);
      }
      return;
    default: break;
  }
  switch (SizeOf(dtype)) {
    case 1: return WriteTypedNumbers<std::uint8_t>(writer, dtype, data, count);
    case 2: return WriteTypedNumbers<std::uint16_t>(writer, dtype, data, count);
    default: return WriteTypedNumbers<std::uint32_t>(writer, dtype, data, count);
  }
}

inline void WriteContent(Writer& writer, const Tensor& tensor, std::size_t count) {
  const std::size_t end = writer.size();
  if (SizeOf(tensor.dtype()) != 0) {
    writer.Bytes(tensor.raw_data(), count * static_cast<std::size_t>(SizeOf(tensor.dtype())));
  } else {
    SlimVector<std::size_t> lengths(count);
    for (std::size_t i = count; i-- > 0;) {
      const std::size_t item_end = writer.size();
      if (tensor.dtype() == DataType::kString) {
        writer.Bytes(tensor.data<tstring>()[i].view());
      } else {
        SerializeMessage(MessageOfElement(tensor.dtype()), writer,
                         static_cast<const char*>(tensor.raw_data()) + i * tenon::detail::ElementBytes(tensor.dtype()));
      }
      lengths[i] = writer.size() - item_end;
    }
    for (std::size_t i = count; i-- > 0;) writer.Varint(lengths[i]);
  }
  writer.BytesTag(kContentField, writer.size() - end);
}

inline void WriteValues(Writer& writer, const Tensor& tensor, TensorProtoForm form) {
  const auto count = static_cast<std::size_t>(tensor.NumElements());
  if (count == 0 || tensor.raw_data() == nullptr || TypedFieldOf(tensor.dtype()).number == 0) return;
  if (form == TensorProtoForm::kContent) return WriteContent(writer, tensor, count);
  const auto element = static_cast<std::size_t>(SizeOf(tensor.dtype()));
  if (form == TensorProtoForm::kTyped || element == 0) return WriteTypedValues(writer, tensor, count);
  const std::size_t keep = CountWithoutRepetition(static_cast<const char*>(tensor.raw_data()), count, element);
  // A varint has up to ten bytes: typed values are worth it when few are left.
  if (count == 1 || keep == 0 || keep * 10 <= count * element / 2) {
    return WriteTypedValues(writer, tensor, count == 1 ? 1 : keep);
  }
  WriteContent(writer, tensor, count);
}

}  // namespace detail

// Writes a TensorProto's fields. The tensor's memory must be accessible to the host; elements without memory are
// written as none, which reads back as zeros.
inline void SerializeTensor(Writer& writer, const Tensor& tensor, TensorProtoForm form) {
  detail::WriteValues(writer, tensor, form);
  const std::size_t end = writer.size();
  detail::WriteShape(writer, tensor.shape().dim_sizes(), false);
  writer.BytesTag(detail::kShapeField, writer.size() - end);
  if (tensor.dtype() != DataType::kInvalid) {
    writer.Varint(static_cast<std::uint64_t>(tensor.dtype()));
    writer.FieldTag(detail::kDtypeField, WireType::kVarint);
  }
}

template <>
struct Schema<Tensor> {
  static bool Parse(Reader& reader, ParseContext& context, void* object) {
    return ParseTensor(reader, context, static_cast<Tensor*>(object), &context.status) && context.status.ok();
  }
  static void Serialize(Writer& writer, const void* object) {
    SerializeTensor(writer, *static_cast<const Tensor*>(object), TensorProtoForm::kAuto);
  }
  static constexpr Message message{"TensorProto", &Parse, &Serialize};
};

inline constexpr Field kVariantTensorDataFields[] = {
    MakeField<&VariantTensorData::type_name>(1, "type_name"),
    MakeField<&VariantTensorData::metadata>(2, "metadata"),
    MakeField<&VariantTensorData::tensors>(3, "tensors"),
};
inline constexpr Message Schema<VariantTensorData>::message("VariantTensorDataProto", kVariantTensorDataFields);

TENON_COLD inline bool Schema<Variant>::Parse(Reader& reader, ParseContext& context, void* object) {
  if (context.variant_depth >= kMaxVariantDepth) {
    context.status =
        errors::InvalidArgument("VariantTensorDataProto: variants are nested more than ", kMaxVariantDepth, " deep");
    return false;
  }
  ++context.variant_depth;
  VariantTensorData data;
  const bool parsed = ParseMessage(Schema<VariantTensorData>::message, reader, context, &data);
  --context.variant_depth;
  if (!parsed) return false;
  if (data.empty()) {
    static_cast<Variant*>(object)->clear();
  } else {
    *static_cast<Variant*>(object) = std::move(data);
  }
  return true;
}
TENON_COLD inline void Schema<Variant>::Serialize(Writer& writer, const void* object) {
  const Variant& variant = *static_cast<const Variant*>(object);
  if (const VariantTensorData* const data = variant.get<VariantTensorData>(); data != nullptr) {
    return SerializeMessage(Schema<VariantTensorData>::message, writer, data);
  }
  VariantTensorData data;
  static_cast<void>(EncodeVariant(variant, &data));
  SerializeMessage(Schema<VariantTensorData>::message, writer, &data);
}

}  // namespace wire

// The tensor in a serialised TensorProto. With an owner of the bytes, tensor_content that is aligned for its element
// type becomes a view, and so do strings of more than 22 bytes (the tensor keeps the owner alive); otherwise values are
// copied. DataLoss when the bytes are no
// TensorProto, InvalidArgument when they make no tensor, ResourceExhausted when one value repeated needs more than
// `repeat_bytes` bytes or memory is out. Variants stay serialised until VariantRegistry::Decode or GetVariantValue.
inline Result<Tensor> TensorFromProto(Span<const std::byte> bytes, Buffer* owner = nullptr,
                                      std::uint64_t repeat_bytes = std::uint64_t{1} << 31) {
  Tensor tensor;
  wire::ParseContext context;
  context.owner = owner;
  context.repeat_bytes = repeat_bytes;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &tensor, std::move(context)));
  return tensor;
}
// Appends to *out.
inline void TensorToProto(const Tensor& tensor, std::string* out, TensorProtoForm form = TensorProtoForm::kAuto) {
  wire::Writer writer;
  wire::SerializeTensor(writer, tensor, form);
  writer.AppendTo(out);
}

// A TensorShapeProto. InvalidArgument with TensorFlow's texts when its numbers are no shape.
inline Result<PartialTensorShape> PartialShapeFromProto(Span<const std::byte> bytes) {
  PartialTensorShape shape;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &shape));
  return shape;
}
// The same for a shape that must be known; the flag for an unknown rank is ignored, as TensorFlow does.
inline Result<TensorShape> ShapeFromProto(Span<const std::byte> bytes) {
  wire::Reader reader(bytes);
  wire::detail::RawShape raw;
  if (!wire::detail::ReadShape(reader, &raw)) return reader.status("TensorShapeProto");
  TensorShape shape;
  TENON_RETURN_IF_ERROR(wire::detail::MakeFullShape(raw, &shape));
  return shape;
}
// Appends to *out.
inline void ShapeToProto(const PartialTensorShape& shape, std::string* out) { wire::SerializeTo(shape, out); }

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
