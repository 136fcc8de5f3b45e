// SPDX-License-Identifier: Apache-2.0
#pragma once
// CompressElement, UncompressElement: an element of a dataset as one variant, compressed by Snappy.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/io/compression/snappy.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/scan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Plain data: TensorFlow's CompressedComponentMetadata and CompressedElement.
struct CompressedComponent {
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  SlimVector<std::int64_t> bytes;  // sizes: the tensor's, or that of each string or variant

  friend bool operator==(const CompressedComponent&, const CompressedComponent&) = default;
};
struct CompressedProto {
  std::string data;
  SlimVector<CompressedComponent> components;
  std::int32_t version = 0;

  friend bool operator==(const CompressedProto&, const CompressedProto&) = default;
};

}  // namespace ops::detail

namespace wire {
template <>
struct Schema<ops::detail::CompressedComponent> {
  static const Message message;
};
template <>
struct Schema<ops::detail::CompressedProto> {
  static const Message message;
};
inline constexpr Field kCompressedComponentFields[] = {
    MakeField<&ops::detail::CompressedComponent::dtype>(1, "dtype"),
    MakeFieldAlways<&ops::detail::CompressedComponent::shape>(2, "tensor_shape"),
    MakeField<&ops::detail::CompressedComponent::bytes>(4, "uncompressed_bytes"),
};
inline constexpr Message Schema<ops::detail::CompressedComponent>::message("CompressedComponentMetadata",
                                                                           kCompressedComponentFields);
inline constexpr Field kCompressedProtoFields[] = {
    OfBytes(MakeField<&ops::detail::CompressedProto::data>(1, "data")),
    MakeField<&ops::detail::CompressedProto::components>(2, "component_metadata"),
    MakeField<&ops::detail::CompressedProto::version>(3, "version"),
};
inline constexpr Message Schema<ops::detail::CompressedProto>::message("CompressedElement", kCompressedProtoFields);
}  // namespace wire

namespace ops {

namespace detail {

// The value of a variant.
struct CompressedElement {
  CompressedProto proto;

  std::string_view TypeName() const { return "tensorflow.data.CompressedElement"; }
  std::string DebugString() const { return StrCat("CompressedElement of ", proto.components.size(), " tensors"); }
  void Encode(VariantTensorData* data) const { wire::SerializeTo(proto, &data->metadata); }
  bool Decode(VariantTensorData data) {
    return wire::Parse(std::as_bytes(std::span<const char>(data.metadata)), &proto).ok();
  }
};
inline Status RegisterCompressedElement() {
  static const Status status = VariantRegistry::Global().AddType<CompressedElement>();
  return status;
}

inline Status Compress(Span<const Tensor> tensors, CompressedProto* out) {
  std::string all;
  for (const Tensor& tensor : tensors) {
    CompressedComponent& component = out->components.emplace_back();
    component.dtype = tensor.dtype();
    component.shape = PartialTensorShape(tensor.shape());
    const auto add = [&](std::string_view bytes) {
      all.append(bytes);
      component.bytes.push_back(static_cast<std::int64_t>(bytes.size()));
    };
    if (tensor.dtype() == DataType::kString) {
      for (Index i = 0; i < tensor.NumElements(); ++i) add(tensor.data<tstring>()[i].view());
    } else if (tensor.dtype() == DataType::kVariant || tensor.dtype() == DataType::kResource) {
      std::string proto;
      TENON_RETURN_IF_ERROR(CheckTensorCanBeWritten(tensor));
      TensorToProto(tensor, &proto);
      add(proto);
    } else {
      add({static_cast<const char*>(tensor.raw_data()), tensor.TotalBytes()});
    }
  }
  if (all.size() > UINT32_MAX)
    return errors::OutOfRange("Encountered dataset element of size ", all.size(), ", exceeding the 4GB Snappy limit.");
  out->data = Snap(all);
  return OkStatus();
}

inline Status UncompressOne(const CompressedComponent& component, std::string_view* bytes, Tensor* tensor) {
  const auto take = [&](std::size_t i, std::string_view* piece) {
    const auto size = static_cast<std::uint64_t>(component.bytes[i]);
    if (size > bytes->size()) return false;
    *piece = bytes->substr(0, static_cast<std::size_t>(size));
    bytes->remove_prefix(piece->size());
    return true;
  };
  const Status broken = errors::Internal("UncompressElement: the sizes of a component do not fit its shape and data");
  TensorShape shape;
  std::string_view piece;
  if (!component.shape.AsTensorShape(&shape)) return broken;
  if (component.dtype == DataType::kString) {
    if (component.bytes.size() != static_cast<std::size_t>(shape.num_elements())) return broken;
    TENON_ASSIGN_OR_RETURN(*tensor, Tensor::Make(component.dtype, shape));
    for (std::size_t i = 0; i < component.bytes.size(); ++i) {
      if (!take(i, &piece)) return broken;
      tensor->data<tstring>()[i].assign(piece);
    }
    return OkStatus();
  }
  if (component.bytes.size() != 1 || !take(0, &piece)) return broken;
  if (component.dtype == DataType::kVariant || component.dtype == DataType::kResource) {
    TENON_ASSIGN_OR_RETURN(*tensor, TensorFromProto(std::as_bytes(std::span<const char>(piece))));
    return OkStatus();
  }
  const auto size = static_cast<std::size_t>(SizeOf(component.dtype));
  if (size == 0 || piece.size() / size != static_cast<std::size_t>(shape.num_elements())) return broken;
  TENON_ASSIGN_OR_RETURN(*tensor, Tensor::Make(component.dtype, shape));
  if (piece.size() != tensor->TotalBytes()) return broken;
  if (!piece.empty()) std::memcpy(tensor->raw_data(), piece.data(), piece.size());
  return OkStatus();
}
inline Status Uncompress(const CompressedProto& proto, DatasetElement* element) {
  if (proto.version != 0) return errors::Internal("Unsupported compressed element version: ", proto.version);
  TENON_ASSIGN_OR_RETURN(const std::string all, Unsnap(proto.data, UINT32_MAX));
  std::string_view bytes = all;
  for (const CompressedComponent& component : proto.components)
    TENON_RETURN_IF_ERROR(UncompressOne(component, &bytes, &element->emplace_back()));
  return OkStatus();
}

class CompressKernel : public OpKernel {
 public:
  explicit CompressKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(RegisterCompressedElement()); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    DatasetElement tensors;
    CompressedElement made;
    TENON_RETURN_IF_ERROR(DatasetMaker(op).List("components", &tensors));
    TENON_RETURN_IF_ERROR(Compress(tensors, &made.proto));
    TENON_ASSIGN_OR_RETURN(Tensor out, Tensor::Make(DataType::kVariant, TensorShape()));
    out.data<Variant>()[0] = std::move(made);
    op->set_output(0, std::move(out));
    return OkStatus();
  }
};

class UncompressKernel : public OpKernel {
 public:
  explicit UncompressKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(RegisterCompressedElement());
    c->SetStatus(c->GetAttr("output_types", &types_));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  Status Run(OpKernelContext* op) const {
    const Tensor& input = op->input(0);
    DatasetElement element;
    if (input.NumElements() != 1)
      return errors::InvalidArgument("UncompressElement: the input must be a scalar, got shape ", input.shape());
    Variant variant = input.data<Variant>()[0];
    TENON_ASSIGN_OR_RETURN(const CompressedElement* const compressed, GetVariantValue<CompressedElement>(&variant));
    TENON_RETURN_IF_ERROR(Uncompress(compressed->proto, &element));
    if (element.size() != types_.size())
      return errors::FailedPrecondition("Expected ", types_.size(), " outputs from uncompress, but got ",
                                        element.size());
    for (std::size_t i = 0; i < element.size(); ++i)
      if (element[i].dtype() != types_[i])
        return errors::FailedPrecondition("Expected a tensor of type ", types_[i], " but got a tensor of type ",
                                          element[i].dtype());
    for (std::size_t i = 0; i < element.size(); ++i) op->set_output(static_cast<int>(i), std::move(element[i]));
    return OkStatus();
  }
  SlimVector<DataType> types_;
};

}  // namespace detail

// The tensors as one variant.
struct CompressElement : detail::CpuOp<detail::CompressKernel> {
  static constexpr auto signature = Op("CompressElement")
                                        .Input("components: input_types")
                                        .Output("compressed: variant")
                                        .Attr("input_types: list(type) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// The tensors of a variant of CompressElement.
struct UncompressElement : detail::CpuOp<detail::UncompressKernel> {
  static constexpr auto signature = Op("UncompressElement")
                                        .Input("compressed: variant")
                                        .Output("components: output_types")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::ElementShapes);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
