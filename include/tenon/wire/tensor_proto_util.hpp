// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serialised TensorProtos: one made from values, and the compression that TensorFlow applies to the constants of a
// graph. tensor_proto.hpp reads and writes Tensors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {
namespace detail {

// Types that are compressed: numbers and bool, except those of a byte or less that TensorFlow got later.
inline constexpr DataTypeSet kCompressedTypes =
    kRealNumberTypes | kComplexTypes | kQuantizedTypes | ToSet(DataType::kBool);

// Bytes of one entry of the typed field in protobuf's memory, which TensorFlow's thresholds count.
constexpr Index FieldEntryBytes(Kind kind) {
  switch (kind) {
    case Kind::kBool: return 1;
    case Kind::kInt64:
    case Kind::kUint64:
    case Kind::kDouble: return 8;
    default: return 4;
  }
}

// Are the bytes a zero, whatever its sign (of both parts of a complex number)?
inline bool IsAnyZero(DataType dtype, const char* element) {
  const auto bytes = static_cast<std::size_t>(SizeOf(dtype));
  const std::size_t part = IsComplex(dtype) ? bytes / 2 : bytes;
  for (std::size_t i = 0; i < bytes; ++i) {
    const bool has_sign = (IsFloating(dtype) || IsComplex(dtype)) && i % part == part - 1;
    if ((static_cast<unsigned char>(element[i]) & (has_sign ? 0x7f : 0xff)) != 0) return false;
  }
  return true;
}

// TensorFlow compares entries bit by bit, but half and bfloat16 by value.
inline bool SameEntries(DataType dtype, const char* a, const char* b, bool keep_bits) {
  const auto bytes = static_cast<std::size_t>(SizeOf(dtype));
  const bool same = std::memcmp(a, b, bytes) == 0;
  if (keep_bits || (dtype != DataType::kHalf && dtype != DataType::kBfloat16)) return same;
  if (!same) return IsAnyZero(dtype, a) && IsAnyZero(dtype, b);
  std::uint16_t bits;
  std::memcpy(&bits, a, sizeof bits);
  return (bits & 0x7fff) <= (dtype == DataType::kHalf ? 0x7c00 : 0x7f80);  // above: NaN, which equals nothing
}

// before / ratio in the arithmetic that TensorFlow does it in.
inline Index CompressionLimit(Index before, float ratio) {
  const float limit = static_cast<float>(before) / ratio;
  if (!(limit > 0)) return 0;
  return limit >= 9.0e18f ? Index{9'000'000'000'000'000'000} : static_cast<Index>(limit);
}

// A TensorProto taken apart into the fields that compression changes and all other fields, which stay as they are.
class ProtoCompressor {
 public:
  ProtoCompressor(Index min_elements, float min_ratio, bool keep_bits)
      : min_elements_(min_elements), min_ratio_(min_ratio), keep_bits_(keep_bits) {}

  // True if there is something to Write.
  Result<bool> Compress(std::string_view proto) {
    TENON_RETURN_IF_ERROR(ReadHeader(proto));
    if (!kCompressedTypes.contains(dtype_)) return false;
    TensorShape shape;
    if (Status s = MakeFullShape(raw_shape_, &shape); !s.ok()) {
      return errors::InvalidArgument("CompressTensorProtoInPlace: ", s.message());
    }
    elements_ = shape.num_elements();
    if (elements_ < min_elements_) return false;
    if (!content_.empty()) return CompressContent();
    TENON_RETURN_IF_ERROR(ReadEntries(proto));
    return CompressEntries();
  }

  // The compressed message. Fields in the order of their numbers, as protobuf writes them.
  std::string Write(std::string_view proto) const {
    std::string typed, content;
    if (keep_ != 0) {
      MessageWriter writer = MakeMessageWriter();
      // Only read from, and packed: the address of the bytes may be any.
      const Tensor view =
          Tensor::FromMemory(dtype_, TensorShape{static_cast<Index>(keep_)}, const_cast<char*>(values_));
      WriteTypedValues(writer, view, keep_);
      writer.AppendTo(&typed);
    } else if (!made_content_.empty()) {
      Writer writer;
      writer.Bytes(made_content_);
      writer.BytesTag(kContentField, made_content_.size());
      writer.AppendTo(&content);
    }
    const std::uint32_t number = TypedFieldOf(dtype_).number;
    std::string out;
    for (std::uint32_t next = 0; next <= kLastField; ++next) {
      if (next == kContentField) out += content;
      if (next == number) out += typed;
      AppendFields(proto, next, number, &out);
    }
    return out;
  }

 private:
  static constexpr std::uint32_t kLastField = kFloat8Field + 1;  // stands for all that follow

  Status ReadHeader(std::string_view proto) {
    Reader reader(AsBytes(proto));
    for (Tag tag; reader.ReadTag(&tag);) {
      std::uint64_t value = 0;
      if (tag.field == kDtypeField && tag.type == WireType::kVarint) {
        if (!reader.ReadVarint(&value)) break;
        dtype_ = static_cast<DataType>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
      } else if (tag.field == kShapeField && tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!reader.Enter(&outer) || !ReadShape(reader, &raw_shape_)) break;
        reader.Leave(outer);
      } else if (tag.field == kContentField && tag.type == WireType::kBytes) {
        if (!reader.ReadBytes(&content_)) break;
      } else if (!reader.Skip(tag)) {
        break;
      }
    }
    return reader.status("TensorProto");
  }

  // All entries of the typed field, cut to the element type.
  Status ReadEntries(std::string_view proto) {
    const TypedField field = TypedFieldOf(dtype_);
    Reader reader(AsBytes(proto));
    for (Tag tag; reader.ReadTag(&tag);) {
      if (tag.field != field.number || (tag.type != WireType::kBytes && tag.type != WireTypeOf(field.kind))) {
        if (!reader.Skip(tag)) break;
      } else if (tag.type != WireType::kBytes) {
        if (!ReadEntry(reader, field.kind)) break;
      } else {
        Reader::Outer outer;
        if (!reader.Enter(&outer)) break;
        while (!reader.AtEnd() && ReadEntry(reader, field.kind)) {
        }
        if (!reader.ok()) break;
        reader.Leave(outer);
      }
    }
    return reader.status("TensorProto");
  }
  bool ReadEntry(Reader& reader, Kind kind) {
    std::uint64_t wide = 0;  // the low bytes of a number are its first
    if (kind == Kind::kFloat || kind == Kind::kDouble) {
      if (!ReadNumber(reader, kind, &wide)) return false;
    } else if (!reader.ReadVarint(&wide)) {
      return false;
    }
    if (kind == Kind::kBool) wide = wide != 0 ? 1 : 0;
    const auto bytes = static_cast<std::size_t>(IsComplex(dtype_) ? SizeOf(dtype_) / 2 : SizeOf(dtype_));
    entries_.append(reinterpret_cast<const char*>(&wide), bytes);
    return true;
  }

  // tensor_content -> the typed field, without the repetitions at the end.
  bool CompressContent() {
    const auto bytes = static_cast<std::size_t>(SizeOf(dtype_));
    if (content_.size() % bytes != 0 || static_cast<Index>(content_.size() / bytes) != elements_) return false;
    const std::size_t last = content_.size() - bytes;
    std::size_t keep = static_cast<std::size_t>(elements_);
    while (keep > 1 && std::memcmp(content_.data() + (keep - 2) * bytes, content_.data() + last, bytes) == 0) --keep;
    if (keep == 1 && IsDropped(content_.data(), keep_bits_)) return true;
    const TypedField field = TypedFieldOf(dtype_);
    const Index numbers = static_cast<Index>(keep) * (IsComplex(dtype_) ? 2 : 1);
    if (numbers * FieldEntryBytes(field.kind) > CompressionLimit(static_cast<Index>(content_.size()), min_ratio_)) {
      return false;
    }
    values_ = content_.data();
    keep_ = keep;
    return true;
  }

  // The typed field, shorter, or tensor_content, whatever takes less.
  bool CompressEntries() {
    const auto bytes = static_cast<std::size_t>(SizeOf(dtype_));
    const std::size_t count = entries_.size() / bytes;
    if (count == 0) return false;
    const char *const data = entries_.data(), *const last = data + (count - 1) * bytes;
    std::size_t keep = count;
    while (keep > 1 && SameEntries(dtype_, data + (keep - 2) * bytes, last, keep_bits_)) --keep;
    if (keep == 1 && IsDropped(last, true)) return true;
    const Index entry = FieldEntryBytes(TypedFieldOf(dtype_).kind);  // once for a complex number, as TensorFlow
    const Index as_field = static_cast<Index>(keep) * entry;
    const Index product = MultiplyWithoutOverflow(elements_, static_cast<Index>(bytes));
    const bool shorter = product < 0 || as_field <= product;
    if ((shorter ? as_field : product) > CompressionLimit(static_cast<Index>(count) * entry, min_ratio_)) return false;
    if (shorter) {
      values_ = data;
      keep_ = keep;
      return true;
    }
    const std::size_t all = static_cast<std::size_t>(product), given = count * bytes < all ? count * bytes : all;
    made_content_.assign(data, given);
    made_content_.resize(all, '\0');
    if (count == 1 || keep_bits_) {
      for (std::size_t at = given; at < all; at += bytes) std::memcpy(&made_content_[at], last, bytes);
    }
    return true;
  }
  // Needs no value, as all that is not there is zero? `exact`: only without a sign.
  bool IsDropped(const char* element, bool exact) const {
    if (!exact) return IsAnyZero(dtype_, element);
    for (int i = 0; i < SizeOf(dtype_); ++i) {
      if (element[i] != 0) return false;
    }
    return true;
  }

  // Fields number `wanted` (kLastField: all from there on) that stay.
  static void AppendFields(std::string_view proto, std::uint32_t wanted, std::uint32_t typed, std::string* out) {
    Reader reader(AsBytes(proto));
    std::size_t start = 0;
    for (Tag tag; reader.ReadTag(&tag) && reader.Skip(tag); start = reader.offset()) {
      if ((tag.field < kLastField ? tag.field : kLastField) != wanted) continue;
      if (tag.field != kContentField && tag.field != typed) out->append(proto.substr(start, reader.offset() - start));
    }
  }

  Index min_elements_;
  float min_ratio_;
  bool keep_bits_;
  DataType dtype_ = DataType::kInvalid;
  RawShape raw_shape_;
  Index elements_ = 0;
  std::string_view content_;
  std::string entries_;
  const char* values_ = nullptr;  // values for the typed field
  std::size_t keep_ = 0;          // elements of it
  std::string made_content_;
};

}  // namespace detail
}  // namespace wire

// A serialised TensorProto with every value in the field of its type. InvalidArgument if there are not as many values
// as the shape has elements.
template <class T>
  requires ElementType<T>
Result<std::string> CreateTensorProto(Span<const T> values, const TensorShape& shape) {
  if (static_cast<std::uint64_t>(values.size()) != static_cast<std::uint64_t>(shape.num_elements())) {
    return errors::InvalidArgument("CreateTensorProto: Shape and number of values (", values.size(),
                                   ") are incompatible. Shape ", shape, " has ", shape.num_elements(), " elements");
  }
  std::string proto;
  const void* const data = values.data();
  TensorToProto(Tensor::FromMemory(dtype_of_v<T>, shape, const_cast<void*>(data)), &proto, TensorProtoForm::kTyped);
  return proto;
}
// CreateTensorProto for strings of other types: std::string, std::string_view, const char*.
template <class Text>
  requires(!ElementType<Text> && std::is_convertible_v<const Text&, std::string_view>)
Result<std::string> CreateTensorProto(Span<const Text> texts, const TensorShape& shape) {
  SlimVector<tstring> views(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) views[i].assign_as_view(std::string_view(texts[i]));
  return CreateTensorProto(Span<const tstring>(views.data(), views.size()), shape);
}
template <class T>
Result<std::string> CreateTensorProto(std::initializer_list<T> values, const TensorShape& shape) {
  return CreateTensorProto(Span<const T>(values.begin(), values.size()), shape);
}

// Makes a serialised TensorProto smaller, with TensorFlow's outcomes: repetitions at the end go, since the last value
// stands for all that follow; zeros need no value at all; a typed field that is larger than the raw bytes becomes
// tensor_content. False, and nothing done, for fewer than min_elements elements, if it would not become min_ratio times
// smaller in TensorFlow's memory, and for types other than numbers and bool (string, resource, float8, int4...).
// TensorFlow does not always keep the bits: a tensor_content of nothing but -0.0 becomes 0.0, a mixture of half zeros
// is one, and of an already shortened field that becomes tensor_content the values left out become 0. `keep_bits`
// avoids all three. DataLoss: the bytes are not a TensorProto. InvalidArgument: its shape is not a shape.
//
//   TENON_ASSIGN_OR_RETURN(std::string proto, CreateTensorProto<float>(values, {1000}));
//   TENON_ASSIGN_OR_RETURN(const bool smaller, CompressTensorProtoInPlace(&proto));
inline Result<bool> CompressTensorProtoInPlace(std::string* proto, Index min_elements = 64, float min_ratio = 2.0f,
                                               bool keep_bits = false) {
  wire::detail::ProtoCompressor compressor(min_elements, min_ratio, keep_bits);
  Result<bool> smaller = compressor.Compress(*proto);
  if (smaller.ok() && *smaller) {
    std::string made = compressor.Write(*proto);  // refers to *proto
    *proto = std::move(made);
  }
  return smaller;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
