// SPDX-License-Identifier: Apache-2.0
#pragma once
// StringFormat; SerializeTensor, ParseTensor; DecodeRaw, DecodePaddedRaw: tensors to strings and strings to tensors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The number of placeholders in `text`. An empty one stands between all bytes, as absl::StrSplit has it.
inline Index CountPlaceholders(std::string_view text, std::string_view placeholder) {
  if (placeholder.empty()) return text.empty() ? 0 : static_cast<Index>(text.size()) - 1;
  Index count = 0;
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != text.npos; at += placeholder.size()) ++count;
  return count;
}

inline Status StringFormatShape(InferenceContext* c) {
  std::string text, placeholder;
  TENON_RETURN_IF_ERROR(c->GetAttr("template", &text));
  TENON_RETURN_IF_ERROR(c->GetAttr("placeholder", &placeholder));
  const Index places = CountPlaceholders(text, placeholder);
  if (places != c->num_inputs())
    return errors::InvalidArgument("num placeholders in template and num inputs must match: ", places, " vs. ",
                                   c->num_inputs());
  c->set_output(0, c->Scalar());
  return OkStatus();
}

}  // namespace detail

// `template` with its placeholders replaced by the inputs as tf.print writes them.
struct StringFormat {
  static constexpr auto signature = Op("StringFormat")
                                        .Input("inputs: T")
                                        .Output("output: string")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("template: string = '%s'")
                                        .Attr("placeholder: string = '%s'")
                                        .Attr("summarize: int = 3")
                                        .SetShapeFn(detail::StringFormatShape);

  struct Attrs {
    std::string_view template_;
    std::string_view placeholder;
    std::int64_t summarize;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    static constexpr bool tensors_on_host = true;
    Status operator()(Context<Device>& context, std::span<const Tensor> inputs, Tensor& output) const {
      std::string text;
      std::string_view rest = this->template_;
      for (const Tensor& input : inputs) {
        const std::size_t at = this->placeholder.empty() ? 1 : rest.find(this->placeholder);
        text.append(rest.substr(0, at));
        rest.remove_prefix(at + this->placeholder.size());
        text.append(input.SummarizeValue(this->summarize, true));
      }
      text.append(rest);
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape(), &out));
      out->data<tstring>()[0].assign(text);
      return OkStatus();
    }
  };
};

// The tensor as a serialised TensorProto.
struct SerializeTensor {
  static constexpr auto signature = Op("SerializeTensor")
                                        .Input("tensor: T")
                                        .Output("serialized: string")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::ScalarShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& tensor, Tensor& serialized) const {
      if (const Status status = CheckTensorCanBeWritten(tensor); !status.ok())
        return Status(status.code(), StrCat("SerializeTensor: ", status.message()));
      std::string bytes;
      TensorToProto(tensor, &bytes,
                    tensor.dtype() == DataType::kString ? TensorProtoForm::kTyped : TensorProtoForm::kContent);
      Tensor* out = &serialized;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape(), &out));
      out->data<tstring>()[0].assign(bytes);
      return OkStatus();
    }
  };
};

struct ParseTensor {
  static constexpr auto signature = Op("ParseTensor")
                                        .Input("serialized: string")
                                        .Output("output: out_type")
                                        .Attr("out_type: type")
                                        .SetShapeFn(shape_inference::UnknownShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& serialized, Tensor&) const {
      return Run(context.op(), serialized);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& serialized) {
    if (serialized.dims() != 0)
      return errors::InvalidArgument("ParseTensor: Expected `serialized` to be a scalar, got shape: ",
                                     serialized.shape());
    const std::string_view bytes = serialized.data<tstring>()[0].view();
    Result<Tensor> parsed = TensorFromProto(std::as_bytes(std::span<const char>(bytes)));
    if (!parsed.ok() && !errors::IsResourceExhausted(parsed.status()))
      return errors::InvalidArgument("ParseTensor: Cannot parse tensor from proto: ", parsed.status().message());
    TENON_RETURN_IF_ERROR(parsed.status());
    const DataType wanted = context.expected_output_dtype(0);
    if (parsed->dtype() != wanted)
      return errors::InvalidArgument("Type mismatch between parsed tensor (", parsed->dtype(), ") and dtype (", wanted,
                                     ")");
    context.set_output(0, *std::move(parsed));
    return OkStatus();
  }
};

namespace detail {

// Bytes of one group of an element that is reversed. The groups of a complex number are its two halves.
inline Index SwappedBytes(DataType dtype) {
  const Index bytes = MoverOf(dtype).bytes;
  return kComplexTypes.contains(dtype) ? bytes / 2 : bytes;
}
// Copies `size` bytes, reversed in groups of `group` bytes unless that is 1. `to` may be `from`.
inline void CopyGroups(const char* from, Index size, Index group, char* to) {
  if (size > 0 && to != from) std::memcpy(to, from, static_cast<std::size_t>(size));
  if (group > 1)
    for (Index i = 0; i < size; i += group) std::reverse(to + i, to + i + group);
}

inline Status DecodeRawShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->Vector(c->UnknownDim()), &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status DecodePaddedRawShape(InferenceContext* c) {
  DataType dtype{};
  ShapeHandle out;
  DimensionHandle width;
  TENON_RETURN_IF_ERROR(c->GetAttr("out_type", &dtype));
  if (c->RankKnown(c->input(1)) && c->Rank(c->input(1)) != 0 && c->input_tensor(1) != nullptr)
    return errors::InvalidArgument("Input must be scalar but has rank ", c->Rank(c->input(1)));
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &width));
  TENON_RETURN_IF_ERROR(c->Divide(width, static_cast<std::int64_t>(SizeOf(dtype)), true, &width));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->Vector(width), &out));
  c->set_output(0, out);
  return OkStatus();
}

// Bytes other than 0 and 1 are not a bool; they become 1.
inline void NormalizeBools(Tensor* tensor) {
  if (tensor->dtype() != DataType::kBool) return;
  auto* const bytes = static_cast<unsigned char*>(tensor->raw_data());
  for (Index i = 0; i < tensor->NumElements(); ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
}

}  // namespace detail

// bytes: [a, b] of strings of one length  ->  [a, b, elements]
struct DecodeRaw {
  static constexpr auto signature =
      Op("DecodeRaw")
          .Input("bytes: string")
          .Output("output: out_type")
          .Attr("out_type: {half,float,double,int32,uint16,uint8,int16,int8,int64,complex64,complex128,bool,bfloat16}")
          .Attr("little_endian: bool = true")
          .SetShapeFn(detail::DecodeRawShape);

  struct Attrs {
    bool little_endian;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<tstring> bytes, Tensor&) const {
      return Run(context.op(), bytes, this->little_endian);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const In<tstring>& texts, bool little_endian) {
    const DataType dtype = context.expected_output_dtype(0);
    const Index element = MoverOf(dtype).bytes, size = texts.size() == 0 ? 0 : static_cast<Index>(texts[0].size());
    for (Index i = 0; i < texts.size(); ++i)
      if (static_cast<Index>(texts[i].size()) != size)
        return errors::InvalidArgument("DecodeRaw requires input strings to all be the same size, but element ", i,
                                       " has size ", texts[i].size(), " != ", size);
    if (size % element != 0)
      return errors::InvalidArgument("Input to DecodeRaw has length ", size, " that is not a multiple of ", element,
                                     ", the size of ", dtype);
    TensorShape shape = texts.shape();
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(size / element));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return OkStatus();
    const Index group = little_endian ? 1 : detail::SwappedBytes(dtype);
    char* to = static_cast<char*>(out->raw_data());
    for (Index i = 0; i < texts.size(); ++i) detail::CopyGroups(texts[i].data(), size, group, to + i * size);
    detail::NormalizeBools(out);
    return OkStatus();
  }
};

// DecodeRaw for strings of any length: cut, or filled with zeros, to `fixed_length` bytes.
struct DecodePaddedRaw {
  static constexpr auto signature =
      Op("DecodePaddedRaw")
          .Input("input_bytes: string")
          .Input("fixed_length: int32")
          .Output("output: out_type")
          .Attr("out_type: {half,float,double,int32,uint16,uint8,int16,int8,int64,bfloat16}")
          .Attr("little_endian: bool = true")
          .SetShapeFn(detail::DecodePaddedRawShape);

  struct Attrs {
    bool little_endian;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<tstring> bytes, HostIndices fixed_length, Tensor&) const {
      return Run(context.op(), bytes, fixed_length, this->little_endian);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const In<tstring>& texts, const HostIndices& fixed_length,
                    bool little_endian) {
    if (fixed_length.shape().dims() != 0)
      return errors::InvalidArgument("DecodePaddedRaw: k must be scalar, got shape ", fixed_length.shape());
    const DataType dtype = context.expected_output_dtype(0);
    const Index element = MoverOf(dtype).bytes, length = fixed_length[0];
    if (length % element != 0)
      return errors::InvalidArgument("fixed_length (", length, ") must be a multiple of the size of out_type (",
                                     element, ")");
    if (length <= 0) return errors::InvalidArgument("fixed_length (", length, ") must be greater than zero.");
    TensorShape shape = texts.shape();
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(length / element));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    ZeroRun(MoverOf(dtype), out->raw_data(), out->NumElements());
    char* to = static_cast<char*>(out->raw_data());
    for (Index i = 0; i < texts.size(); ++i, to += length) {
      detail::CopyGroups(texts[i].data(), std::min(length, static_cast<Index>(texts[i].size())), 1, to);
      if (!little_endian) detail::CopyGroups(to, length, element, to);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
