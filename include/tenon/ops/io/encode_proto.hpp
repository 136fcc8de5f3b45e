// SPDX-License-Identifier: Apache-2.0
#pragma once
// EncodeProto: tensors as fields of serialised messages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/io/proto_message.hpp>
#include <tenon/ops/io/proto_pool.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

inline Status EncodeProtoShape(InferenceContext* c) {
  ShapeHandle out = c->UnknownShape();
  for (int i = c->num_inputs() - 1; i > 0; --i) {
    ShapeHandle input;
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), 2, &input));
    TENON_RETURN_IF_ERROR(c->Subshape(input, 0, -1, &input));
    TENON_RETURN_IF_ERROR(c->Merge(input, out, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}

// The bits of element i as the field has them on the wire.
inline std::uint64_t ProtoBits(ProtoType type, const Tensor& values, Index i) {
  std::int64_t number = 0;
  switch (values.dtype()) {
    case DataType::kBool: return values.data<bool>()[i] ? 1 : 0;
    case DataType::kFloat:
    case DataType::kDouble: {
      std::uint64_t bits = 0;
      const double wide =
          values.dtype() == DataType::kFloat ? static_cast<double>(values.data<float>()[i]) : values.data<double>()[i];
      if (type == ProtoType::kDouble) {
        std::memcpy(&bits, &wide, sizeof wide);
      } else {
        const float narrow = values.dtype() == DataType::kFloat ? values.data<float>()[i] : static_cast<float>(wide);
        std::memcpy(&bits, &narrow, sizeof narrow);
      }
      return bits;
    }
    case DataType::kInt32: number = values.data<std::int32_t>()[i]; break;
    case DataType::kUint32: number = values.data<std::uint32_t>()[i]; break;
    case DataType::kUint64: number = static_cast<std::int64_t>(values.data<std::uint64_t>()[i]); break;
    default: number = values.data<std::int64_t>()[i];
  }
  const auto narrow = static_cast<std::int32_t>(number);
  switch (type) {
    case ProtoType::kInt32:
    case ProtoType::kEnum: return static_cast<std::uint64_t>(std::int64_t{narrow});
    case ProtoType::kSint32: return static_cast<std::uint32_t>(wire::detail::ZigZag(narrow));
    case ProtoType::kSint64: return wire::detail::ZigZag(number);
    case ProtoType::kUint32:
    case ProtoType::kFixed32:
    case ProtoType::kSfixed32: return static_cast<std::uint32_t>(narrow);
    default: return static_cast<std::uint64_t>(number);
  }
}

// The attrs of a node. Immutable once it is initialised.
class ProtoEncoder {
 public:
  Status Init(const OpKernelConstruction& c) {
    std::string_view source, type;
    SlimVector<std::string_view> names;
    TENON_RETURN_IF_ERROR(c.GetAttr("descriptor_source", &source));
    TENON_RETURN_IF_ERROR(c.GetAttr("message_type", &type));
    TENON_RETURN_IF_ERROR(FindProtoMessage(source, type, &pool_, &message_));
    TENON_RETURN_IF_ERROR(c.GetAttr("field_names", &names));
    fields_.resize(names.size(), nullptr);
    for (std::size_t i = 0; i < names.size(); ++i) {
      TENON_RETURN_IF_ERROR(FindProtoField(*message_, names[i], false, &fields_[i]));
      order_.push_back(i);
    }
    std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
      return fields_[a]->number != fields_[b]->number ? fields_[a]->number < fields_[b]->number : a < b;
    });
    return OkStatus();
  }

  Status Encode(OpKernelContext& context, const Tensor& sizes, std::span<const Tensor> values) const {
    if (values.size() != fields_.size())
      return errors::InvalidArgument("Length of inputs list must match field_names: ", values.size(), " values, ",
                                     fields_.size(), " names");
    TensorShape prefix;
    TENON_RETURN_IF_ERROR(Check(sizes, values, &prefix));
    Tensor* output = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, prefix, &output));
    std::string message;
    for (Index m = 0; m < prefix.num_elements(); ++m) {
      message.clear();
      for (const std::size_t f : order_) {
        const std::int32_t count =
            sizes.data<std::int32_t>()[m * static_cast<Index>(fields_.size()) + static_cast<Index>(f)];
        if (count != 0) Append(*fields_[f], values[f], m * values[f].dim_size(values[f].dims() - 1), count, &message);
      }
      output->data<tstring>()[m].assign(message);
    }
    return OkStatus();
  }

 private:
  Status Check(const Tensor& sizes, std::span<const Tensor> values, TensorShape* prefix) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!HoldsField(fields_[i]->type, values[i].dtype()))
        return errors::InvalidArgument("Incompatible type for field ", fields_[i]->name,
                                       ".  Saw dtype: ", values[i].dtype(), ", which cannot hold the field's values");
      if (values[i].dims() < 2)
        return errors::InvalidArgument("Invalid shape for field ", fields_[i]->name, ".  Saw shape ", values[i].shape(),
                                       " but it should be at least a matrix.");
      TensorShape shape = values[i].shape();
      shape.RemoveDim(shape.dims() - 1);
      if (i == 0) *prefix = shape;
      if (!(shape == *prefix))
        return errors::InvalidArgument("Values must match up to the last dimension, got ", values[i].shape(), " and ",
                                       values[0].shape());
    }
    TensorShape wanted = *prefix;
    TENON_RETURN_IF_ERROR(wanted.AddDimWithStatus(static_cast<Index>(fields_.size())));
    if (!(sizes.shape() == wanted))
      return errors::InvalidArgument("sizes should be batch_size + [len(field_names)].  Saw: ", sizes.shape(),
                                     " but expected: ", wanted);
    for (Index i = 0; i < sizes.NumElements(); ++i) {
      const Tensor& value = values[static_cast<std::size_t>(i % static_cast<Index>(fields_.size()))];
      if (sizes.data<std::int32_t>()[i] > value.dim_size(value.dims() - 1))
        return errors::InvalidArgument("Size to write must not be larger than value tensor; but saw: ",
                                       sizes.data<std::int32_t>()[i], " > ", value.dim_size(value.dims() - 1));
    }
    return OkStatus();
  }

  // Appends elements [first, first + count) of a field's values. A negative count is none.
  static void Append(const ProtoField& field, const Tensor& values, Index first, std::int32_t count,
                     std::string* message) {
    const wire::WireType type = WireTypeOf(field.type);
    std::string packed;
    for (Index i = first; i < first + count; ++i) {
      if (values.dtype() != DataType::kString) {
        if (!field.is_packed) AppendTag(field.number, type, message);
        AppendNumber(type, ProtoBits(field.type, values, i), field.is_packed ? &packed : message);
      } else if (type == wire::WireType::kBytes) {
        AppendBytesField(field.number, values.data<tstring>()[i].view(), message);
      } else {
        AppendTag(field.number, wire::WireType::kStartGroup, message);
        message->append(values.data<tstring>()[i].view());
        AppendTag(field.number, wire::WireType::kEndGroup, message);
      }
    }
    if (field.is_packed) AppendBytesField(field.number, packed, message);
  }

  ProtoPool pool_;
  const ProtoMessage* message_ = nullptr;
  SlimVector<const ProtoField*> fields_;  // as the node names them
  SlimVector<std::size_t> order_;  // by number
};

}  // namespace detail

// sizes: [..., fields], values of a field: [..., at least its size].
struct EncodeProto {
  static constexpr auto signature = Op("EncodeProto")
                                        .Input("sizes: int32")
                                        .Input("values: Tinput_types")
                                        .Output("bytes: string")
                                        .Attr("field_names: list(string)")
                                        .Attr("message_type: string")
                                        .Attr("descriptor_source: string = 'local://'")
                                        .Attr("Tinput_types: list(type) >= 1")
                                        .SetShapeFn(detail::EncodeProtoShape);
  static constexpr std::string_view unused[] = {"field_names", "message_type", "descriptor_source"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return encoder.Init(c); }
    Status operator()(Context<Device>& context, const Tensor& sizes, std::span<const Tensor> values, Tensor&) const {
      return encoder.Encode(context.op(), sizes, values);
    }
    detail::ProtoEncoder encoder;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
