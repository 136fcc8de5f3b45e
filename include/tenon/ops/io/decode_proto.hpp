// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodeProtoV2: fields of serialised messages as tensors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/io/proto_message.hpp>
#include <tenon/ops/io/proto_pool.hpp>
#include <tenon/ops/io/proto_text.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

inline Status DecodeProtoShape(InferenceContext* c) {
  SlimVector<DataType> types;
  TENON_RETURN_IF_ERROR(c->GetAttr("output_types", &types));
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->Vector(static_cast<std::int64_t>(types.size())), &out));
  c->set_output(0, out);
  for (int i = 1; i < c->num_outputs(); ++i) {
    TENON_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->UnknownShapeOfRank(1), &out));
    c->set_output(i, out);
  }
  return OkStatus();
}

// Writes a number of a field to element i. Numbers of 32 bits that come packed have no sign in an int64, as in
// TensorFlow.
inline void StoreProtoNumber(ProtoType type, DataType dtype, std::uint64_t bits, bool is_packed, void* data, Index i) {
  const auto low = static_cast<std::uint32_t>(bits);
  std::int64_t number = static_cast<std::int64_t>(bits);
  switch (type) {
    case ProtoType::kFloat: {
      float value;
      std::memcpy(&value, &low, sizeof value);
      if (dtype == DataType::kDouble)
        static_cast<double*>(data)[i] = static_cast<double>(value);
      else
        static_cast<float*>(data)[i] = value;
      return;
    }
    case ProtoType::kBool: static_cast<bool*>(data)[i] = bits != 0; return;
    case ProtoType::kInt32: number = is_packed ? std::int64_t{low} : static_cast<std::int32_t>(low); break;
    case ProtoType::kSint32:
      number = static_cast<std::int32_t>(static_cast<std::uint32_t>(wire::detail::FromZigZag(low)));
      break;
    case ProtoType::kSint64: number = static_cast<std::int64_t>(wire::detail::FromZigZag(bits)); break;
    case ProtoType::kSfixed32:
    case ProtoType::kEnum: number = static_cast<std::int32_t>(low); break;
    case ProtoType::kUint32:
    case ProtoType::kFixed32: number = low; break;
    default: break;  // the bits of a double, too
  }
  if (dtype == DataType::kInt32 || dtype == DataType::kUint32) {
    const auto narrow = static_cast<std::int32_t>(number);
    std::memcpy(static_cast<std::int32_t*>(data) + i, &narrow, sizeof narrow);
  } else {
    std::memcpy(static_cast<std::int64_t*>(data) + i, &number, sizeof number);
  }
}

// The attrs of a node. Immutable once it is initialised.
class ProtoDecoder {
 public:
  Status Init(const OpKernelConstruction& c) {
    std::string_view source, type, format;
    SlimVector<std::string_view> names;
    SlimVector<DataType> types;
    TENON_RETURN_IF_ERROR(c.GetAttr("descriptor_source", &source));
    TENON_RETURN_IF_ERROR(c.GetAttr("message_type", &type));
    TENON_RETURN_IF_ERROR(FindProtoMessage(source, type, &pool_, &message_));
    TENON_RETURN_IF_ERROR(c.GetAttr("field_names", &names));
    TENON_RETURN_IF_ERROR(c.GetAttr("output_types", &types));
    if (names.size() != types.size())
      return errors::InvalidArgument("field_names and output_types attributes must have the same length, got ",
                                     names.size(), " and ", types.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ProtoField* field = nullptr;
      TENON_RETURN_IF_ERROR(FindProtoField(*message_, names[i], true, &field));
      if (!HoldsField(field->type, types[i]))
        return errors::InvalidArgument("Unexpected output type for ", field->full_name, ": ", types[i],
                                       " cannot hold the field's values");
      wanted_.push_back({field, static_cast<int>(i)});
    }
    std::sort(wanted_.begin(), wanted_.end(), [](const Wanted& a, const Wanted& b) {
      return a.field->number != b.field->number ? a.field->number < b.field->number : a.output < b.output;
    });
    TENON_RETURN_IF_ERROR(c.GetAttr("message_format", &format));
    if (format != "binary" && format != "text")
      return errors::InvalidArgument("format must be one of binary or text, got '", format, "'");
    is_text_ = format == "text";
    return c.GetAttr("sanitize", &sanitizes_);
  }

  Status Decode(OpKernelContext& context, const Tensor& input) const {
    const Index count = input.NumElements();
    if (count < 1) return errors::InvalidArgument("Bufs argument must contain at least one value");
    TensorShape shape = input.shape();
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(static_cast<Index>(wanted_.size())));
    Tensor* sizes = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &sizes));
    const auto* const texts = input.data<tstring>();
    SlimVector<std::string> rewritten;
    if (is_text_ || sanitizes_) {
      rewritten.resize(static_cast<std::size_t>(count));
      for (Index i = 0; i < count; ++i)
        TENON_RETURN_IF_ERROR(Rewrite(texts[i].view(), &rewritten[static_cast<std::size_t>(i)]));
    }
    const auto message = [&](Index i) {
      return rewritten.empty() ? texts[i].view() : std::string_view(rewritten[static_cast<std::size_t>(i)]);
    };
    SlimVector<std::int32_t> most(wanted_.size(), 1), counts;
    for (Index i = 0; i < count; ++i) {
      counts.assign(wanted_.size(), 0);
      TENON_RETURN_IF_ERROR(Walk(message(i), &counts, nullptr, 0));
      for (std::size_t f = 0; f < wanted_.size(); ++f) {
        most[f] = std::max(most[f], counts[f]);
        sizes->data<std::int32_t>()[i * static_cast<Index>(wanted_.size()) + wanted_[f].output] = counts[f];
      }
    }
    SlimVector<Tensor*> outputs(wanted_.size(), nullptr);
    for (std::size_t f = 0; f < wanted_.size(); ++f) {
      TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(shape.dims() - 1, most[f]));
      TENON_RETURN_IF_ERROR(context.allocate_output(wanted_[f].output + 1, shape, &outputs[f]));
    }
    for (Index i = 0; i < count; ++i) {
      counts.assign(wanted_.size(), 0);
      TENON_RETURN_IF_ERROR(Walk(message(i), &counts, outputs.data(), i));
      for (std::size_t f = 0; f < wanted_.size(); ++f) FillDefaults(*wanted_[f].field, counts[f], outputs[f], i);
    }
    return OkStatus();
  }

 private:
  struct Wanted {
    const ProtoField* field;
    int output;  // without the sizes
  };

  Status Rewrite(std::string_view text, std::string* out) const {
    std::string binary;
    if (is_text_) {
      if (!ProtoTextReader(pool_, text).Read(*message_, &binary))
        return errors::DataLoss("Unable to parse text protobuf of type ", message_->full_name);
      text = binary;
    }
    if (ProtoWriter(pool_).Write(*message_, text, out)) return OkStatus();
    return errors::DataLoss("Unable to parse ", is_text_ ? "text" : "binary", " protobuf of type ",
                            message_->full_name);
  }

  // Counts the values of a message, or stores them in row `row` of the outputs; then counts are the next places.
  Status Walk(std::string_view message, SlimVector<std::int32_t>* counts, Tensor* const* outputs, Index row) const {
    wire::Reader reader(wire::AsBytes(message));
    while (!reader.AtEnd()) {
      const char* const start = reader.rest().data();
      wire::Tag tag;
      if (!ReadProtoTag(reader, &tag)) return Lost();
      const auto at = std::lower_bound(wanted_.begin(), wanted_.end(), tag.field,
                                       [](const Wanted& w, std::uint32_t n) { return w.field->number < n; });
      if (at == wanted_.end() || at->field->number != tag.field) {
        if (!SkipProtoValue(reader, tag)) return Lost();
        continue;
      }
      const auto f = static_cast<std::size_t>(at - wanted_.begin());
      std::int32_t* const count = counts->data() + f;
      Tensor* const output = outputs == nullptr ? nullptr : outputs[f];
      const wire::WireType type = WireTypeOf(at->field->type);
      if (tag.type == type) {
        if (!ReadOne(*at->field, tag, start, reader, count, output, row)) return Lost();
      } else if (tag.type == wire::WireType::kBytes) {
        if (!ReadPacked(*at->field, type, reader, count, output, row)) return Lost();
      } else if (!SkipProtoValue(reader, tag)) {
        return Lost();
      }
    }
    return OkStatus();
  }
  Status Lost() const {
    return errors::DataLoss("Unable to parse a message of type ", message_->full_name,
                            ": it is truncated, or not such a message");
  }

  // A group's bytes have its tags around them.
  static bool ReadOne(const ProtoField& field, wire::Tag tag, const char* start, wire::Reader& reader,
                      std::int32_t* count, Tensor* output, Index row) {
    if (*count == std::numeric_limits<std::int32_t>::max()) return false;
    const Index at = field.is_repeated ? *count : 0;
    *count = static_cast<std::int32_t>(at + 1);
    const Index i = output == nullptr ? 0 : row * output->dim_size(output->dims() - 1) + at;
    if (tag.type == wire::WireType::kBytes || tag.type == wire::WireType::kStartGroup) {
      std::string_view bytes;
      if (tag.type == wire::WireType::kBytes ? !reader.ReadBytes(&bytes) : !SkipProtoValue(reader, tag)) return false;
      if (tag.type == wire::WireType::kStartGroup)
        bytes = {start, static_cast<std::size_t>(reader.rest().data() - start)};
      if (output != nullptr) output->data<tstring>()[i].assign(bytes);
      return true;
    }
    std::uint64_t bits = 0;
    if (!ReadProtoNumber(reader, tag.type, &bits)) return false;
    if (output != nullptr) StoreProtoNumber(field.type, output->dtype(), bits, false, output->raw_data(), i);
    return true;
  }
  // Packed values of a field that is not repeated count as one and give the default, as in TensorFlow.
  static bool ReadPacked(const ProtoField& field, wire::WireType type, wire::Reader& reader, std::int32_t* count,
                         Tensor* output, Index row) {
    std::string_view packed;
    if (!reader.ReadBytes(&packed)) return false;
    const Index width = output == nullptr ? 0 : output->dim_size(output->dims() - 1);
    if (output != nullptr && *count >= width) return false;
    if (!packed.empty() && type == wire::WireType::kStartGroup) return false;
    wire::Reader numbers(wire::AsBytes(packed));
    for (std::uint64_t bits = 0; !numbers.AtEnd();) {
      if (!ReadProtoNumber(numbers, type, &bits)) return false;
      if (output == nullptr && !field.is_repeated) {
        *count = 1;
      } else if (field.is_repeated) {
        if (*count == std::numeric_limits<std::int32_t>::max()) return false;
        if (output != nullptr)
          StoreProtoNumber(field.type, output->dtype(), bits, true, output->raw_data(), row * width + *count);
        ++*count;
      }
    }
    return true;
  }

  static void FillDefaults(const ProtoField& field, std::int32_t first, Tensor* output, Index row) {
    const Index width = output->dim_size(output->dims() - 1);
    // A sint is not in zigzag form.
    const bool is_plain = field.type == ProtoType::kSint32 || field.type == ProtoType::kSint64;
    const ProtoType type = is_plain ? ProtoType::kInt64 : field.type;
    for (Index i = row * width + first; i < (row + 1) * width; ++i) {
      if (output->dtype() == DataType::kString)
        output->data<tstring>()[i].assign(field.default_bytes);
      else
        StoreProtoNumber(type, output->dtype(), field.default_bits, false, output->raw_data(), i);
    }
  }

  ProtoPool pool_;
  const ProtoMessage* message_ = nullptr;
  SlimVector<Wanted> wanted_;  // by number
  bool is_text_ = false, sanitizes_ = false;
};

}  // namespace detail

// sizes: [..., fields], values of a field: [..., the most values that a message has], filled up with defaults.
struct DecodeProtoV2 {
  static constexpr auto signature = Op("DecodeProtoV2")
                                        .Input("bytes: string")
                                        .Output("sizes: int32")
                                        .Output("values: output_types")
                                        .Attr("message_type: string")
                                        .Attr("field_names: list(string)")
                                        .Attr("output_types: list(type) >= 0")
                                        .Attr("descriptor_source: string = 'local://'")
                                        .Attr("message_format: string = 'binary'")
                                        .Attr("sanitize: bool = false")
                                        .SetShapeFn(detail::DecodeProtoShape);
  // `decoder` reads them.
  static constexpr std::string_view unused[] = {"message_type", "field_names", "descriptor_source", "message_format",
                                                "sanitize"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return decoder.Init(c); }
    Status operator()(Context<Device>& context, const Tensor& bytes, Tensor&, std::span<Tensor>) const {
      return decoder.Decode(context.op(), bytes);
    }
    detail::ProtoDecoder decoder;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
