// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorProtos from tensors, in the form that is shortest or in the one that is asked for; and SerializeTo, which
// writes any message, with the tensors in it.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/shape_proto.hpp>
#include <tenon/wire/tensor_fields.hpp>
#include <tenon/wire/tensor_reader.hpp>  // the tables name what reads, too
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

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

inline void WriteTypedValues(MessageWriter& writer, const Tensor& tensor, std::size_t count) {
  const char* const data = static_cast<const char*>(tensor.raw_data());
  const DataType dtype = tensor.dtype();
  const std::size_t numbers = IsComplex(dtype) ? 2 * count : count;
  switch (TypedFieldOf(dtype).kind) {
    case Kind::kFloat: return WriteTypedNumbers<float>(writer, dtype, data, numbers);
    case Kind::kDouble: return WriteTypedNumbers<double>(writer, dtype, data, numbers);
    case Kind::kInt64:
    case Kind::kUint64: return WriteTypedNumbers<std::uint64_t>(writer, dtype, data, count);
    case Kind::kBytes:
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

inline void WriteContent(MessageWriter& writer, const Tensor& tensor, std::size_t count) {
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

inline void WriteValues(MessageWriter& writer, const Tensor& tensor, TensorProtoForm form) {
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
inline void SerializeTensor(MessageWriter& writer, const Tensor& tensor, TensorProtoForm form) {
  detail::WriteValues(writer, tensor, form);
  const std::size_t end = writer.size();
  detail::WriteShape(writer, tensor.shape().dim_sizes(), false);
  writer.BytesTag(detail::kShapeField, writer.size() - end);
  if (tensor.dtype() != DataType::kInvalid) {
    writer.Varint(static_cast<std::uint64_t>(tensor.dtype()));
    writer.FieldTag(detail::kDtypeField, WireType::kVarint);
  }
}

namespace detail {

inline void SerializeTensorObject(MessageWriter& writer, const void* object) {
  SerializeTensor(writer, *static_cast<const Tensor*>(object), TensorProtoForm::kAuto);
}
TENON_DETAIL_COLD inline void SerializeVariant(MessageWriter& writer, const void* object) {
  const Variant& variant = *static_cast<const Variant*>(object);
  if (const VariantTensorData* const data = variant.get<VariantTensorData>(); data != nullptr) {
    return SerializeMessage(Schema<VariantTensorData>::message, writer, data);
  }
  VariantTensorData data;
  static_cast<void>(EncodeVariant(variant, &data));
  SerializeMessage(Schema<VariantTensorData>::message, writer, &data);
}

}  // namespace detail

inline MessageWriter MakeMessageWriter() { return {&detail::SerializeTensorObject, &detail::SerializeVariant}; }

// Appends the message that the table of T describes.
template <class T>
void SerializeTo(const T& object, std::string* out) {
  MessageWriter writer = MakeMessageWriter();
  SerializeMessage(Schema<T>::message, writer, &object);
  writer.AppendTo(out);
}

}  // namespace wire

namespace wire::detail {

// Counts down `budget` for each tensor in the variants of `tensor`, which are inside of `depth` variants.
inline Status CheckVariants(const Tensor& tensor, int depth, std::int64_t* budget) {
  if (tensor.dtype() != DataType::kVariant || tensor.raw_data() == nullptr) return OkStatus();
  if (depth == kMaxVariantDepth)
    return errors::InvalidArgument("variants are nested more than ", kMaxVariantDepth,
                                   " deep, which is the most that readers accept");
  for (Index i = 0; i < tensor.NumElements(); ++i) {
    const Variant& variant = tensor.data<Variant>()[i];
    VariantTensorData made;
    const VariantTensorData* data = variant.get<VariantTensorData>();
    if (data == nullptr) {
      static_cast<void>(EncodeVariant(variant, &made));
      data = &made;
    }
    for (const Tensor& inner : data->tensors) {
      if (--*budget < 0)
        return errors::ResourceExhausted("variants hold more than ", kMaxVariantTensors,
                                         " tensors, counted as often as "
                                         "they would be written");
      TENON_RETURN_IF_ERROR(CheckVariants(inner, depth + 1, budget));
    }
  }
  return OkStatus();
}

}  // namespace wire::detail

// Whether a tensor may be written as a TensorProto: always, but for variants. InvalidArgument: they nest deeper than
// readers accept. ResourceExhausted: a list that holds another one several times, over many levels, would be written
// too often.
inline Status CheckTensorCanBeWritten(const Tensor& tensor) {
  std::int64_t budget = wire::kMaxVariantTensors;
  return wire::detail::CheckVariants(tensor, 0, &budget);
}

// Appends to *out.
inline void TensorToProto(const Tensor& tensor, std::string* out, TensorProtoForm form = TensorProtoForm::kAuto) {
  wire::MessageWriter writer = wire::MakeMessageWriter();
  wire::SerializeTensor(writer, tensor, form);
  writer.AppendTo(out);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
