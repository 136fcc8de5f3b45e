// SPDX-License-Identifier: Apache-2.0
#pragma once
// SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse: a sparse tensor as three strings or
// variants: indices, values, shape.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/sparse/batch_rows.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status SerializeSparseShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, 0));
  c->set_output(0, c->Vector(3));
  return OkStatus();
}
inline Status SerializeManySparseShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, 0));
  c->set_output(0, c->Matrix(c->UnknownDim(), 3));
  return OkStatus();
}
inline Status DeserializeSparseShape(InferenceContext* c) {
  ShapeHandle serialized;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &serialized));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(serialized, -1), 3, &unused));
  return JoinedSparseShape(c);
}
inline Status DeserializeManySparseShape(InferenceContext* c) {
  ShapeHandle serialized;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &serialized));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(serialized, 1), 3, &unused));
  return JoinedSparseShape(c);
}

// Element i of `out`, a string or a variant.
inline Status StoreSerialized(std::string_view op, const Tensor& tensor, Tensor* out, Index i) {
  if (out->dtype() == DataType::kVariant) {
    out->data<Variant>()[i] = Variant(Tensor(tensor));
    return OkStatus();
  }
  if (const Status status = CheckTensorCanBeWritten(tensor); !status.ok())
    return Status(status.code(), StrCat(op, ": ", status.message()));
  std::string bytes;
  TensorToProto(tensor, &bytes, TensorProtoForm::kContent);
  out->data<tstring>()[i].assign(bytes);
  return OkStatus();
}
inline Status LoadSerialized(std::string_view op, const Tensor& from, Index i, Tensor* tensor) {
  if (from.dtype() == DataType::kVariant) {
    Variant variant = from.data<Variant>()[i];
    const Result<Tensor*> value = GetVariantValue<Tensor>(&variant);
    if (!value.ok()) return errors::InvalidArgument(op, ": Could not get a tensor from Variant element ", i);
    *tensor = **value;
    return OkStatus();
  }
  const std::string_view bytes = from.data<tstring>()[i].view();
  Result<Tensor> parsed = TensorFromProto(std::as_bytes(std::span<const char>(bytes)));
  if (!parsed.ok() && !errors::IsResourceExhausted(parsed.status()))
    return errors::InvalidArgument(op, ": Could not parse serialized proto ", i, ": ", parsed.status().message());
  TENON_RETURN_IF_ERROR(parsed.status());
  *tensor = *std::move(parsed);
  return OkStatus();
}

inline Status RunSerializeSparse(OpKernelContext& context) {
  constexpr const char* kOp = "SerializeSparse";
  const SparseInput x = SparseInputAt(context, 0);
  TENON_RETURN_IF_ERROR(CheckSparseRanks(kOp, x));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({3}), &out));
  TENON_RETURN_IF_ERROR(StoreSerialized(kOp, *x.indices, out, 0));
  TENON_RETURN_IF_ERROR(StoreSerialized(kOp, *x.values, out, 1));
  return StoreSerialized(kOp, *x.shape, out, 2);
}

inline Status RunSerializeManySparse(OpKernelContext& context) {
  constexpr const char* kOp = "SerializeManySparse";
  const SparseInput x = SparseInputAt(context, 0);
  TENON_RETURN_IF_ERROR(CheckBatch(kOp, x));
  const Index rows = x.sizes()[0], rank = x.rank() - 1;
  Tensor* out = nullptr;
  const Index sizes[] = {rows, 3};
  TensorShape out_shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(kOp, sizes, 2, &out_shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, out_shape, &out));
  Tensor shape;
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({rank}), &shape));
  std::memcpy(shape.raw_data(), x.sizes() + 1, static_cast<std::size_t>(rank) * sizeof(std::int64_t));
  Index at = 0;
  for (Index row = 0; row < rows; ++row) {
    SparsePart part;
    TENON_RETURN_IF_ERROR(TakeBatchRow(context, x, row, &at, &part));
    TENON_RETURN_IF_ERROR(StoreSerialized(kOp, part.indices, out, 3 * row));
    TENON_RETURN_IF_ERROR(StoreSerialized(kOp, part.values, out, 3 * row + 1));
    TENON_RETURN_IF_ERROR(StoreSerialized(kOp, shape, out, 3 * row + 2));
  }
  return OkStatus();
}

inline Status RunDeserializeSparse(OpKernelContext& context) {
  const std::string_view op = context.op_kernel().type_string();
  const Tensor& serialized = context.input(0);
  const DataType dtype = context.expected_output_dtype(1);
  const int dims = serialized.dims();
  const bool variants = serialized.dtype() == DataType::kVariant;  // TensorFlow looks at their sizes less closely
  if (dims == 0)
    return errors::InvalidArgument(op, ": Serialized sparse should have non-zero rank ", serialized.shape());
  if (serialized.dim_size(dims - 1) != 3)
    return errors::InvalidArgument(op, ": Serialized sparse should have 3 as the last dimension ", serialized.shape());
  const Index count = serialized.NumElements() / 3;
  if (count == 0)
    return errors::InvalidArgument(op, ": Serialized sparse should have at least 1 serialized tensor, ",
                                   "but has a zero dimension ", serialized.shape());
  SparseBatch in;
  for (Index i = 0; i < count; ++i) {
    SparsePart part;
    Tensor shape;
    TENON_RETURN_IF_ERROR(LoadSerialized(op, serialized, 3 * i, &part.indices));
    TENON_RETURN_IF_ERROR(LoadSerialized(op, serialized, 3 * i + 1, &part.values));
    TENON_RETURN_IF_ERROR(LoadSerialized(op, serialized, 3 * i + 2, &shape));
    TENON_RETURN_IF_ERROR(CheckPart(op, i, part, shape, dtype));
    if (dims == 1) {
      context.set_output(0, std::move(part.indices));
      context.set_output(1, std::move(part.values));
      context.set_output(2, std::move(shape));
      return OkStatus();
    }
    const Index rank = shape.NumElements();
    TensorShape own;
    if (!variants) TENON_RETURN_IF_ERROR(ShapeOfSizes(op, shape.data<std::int64_t>(), rank, &own));
    TENON_RETURN_IF_ERROR(in.Add(op, std::move(part), shape.data<std::int64_t>(), rank));
  }
  TensorShape lead = serialized.shape(), all;
  TENON_RETURN_IF_ERROR(lead.RemoveDimWithStatus(dims - 1));
  if (variants) return JoinParts(context, in, lead, false);
  TENON_RETURN_IF_ERROR(ShapeOfSizes(op, in.sizes.data(), static_cast<Index>(in.sizes.size()), &all));
  TENON_RETURN_IF_ERROR(all.InsertDimWithStatus(0, count));
  return JoinParts(context, in, lead, lead.dims() > 1);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// A sparse tensor  ->  [3]
struct SerializeSparse {
  static constexpr auto signature = Op("SerializeSparse")
                                        .Input("sparse_indices: int64")
                                        .Input("sparse_values: T")
                                        .Input("sparse_shape: int64")
                                        .Output("serialized_sparse: out_type")
                                        .Attr("T: type")
                                        .Attr("out_type: {string, variant} = DT_STRING")
                                        .SetShapeFn(detail::SerializeSparseShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunSerializeSparse(context.op());
    }
  };
};

// A sparse tensor [n, ...]  ->  [n, 3]: each row by itself
struct SerializeManySparse {
  static constexpr auto signature = Op("SerializeManySparse")
                                        .Input("sparse_indices: int64")
                                        .Input("sparse_values: T")
                                        .Input("sparse_shape: int64")
                                        .Output("serialized_sparse: out_type")
                                        .Attr("T: type")
                                        .Attr("out_type: {string, variant} = DT_STRING")
                                        .SetShapeFn(detail::SerializeManySparseShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunSerializeManySparse(context.op());
    }
  };
};

// [..., 3]  ->  a sparse tensor [..., the largest sizes]
struct DeserializeSparse {
  static constexpr auto signature = Op("DeserializeSparse")
                                        .Input("serialized_sparse: Tserialized")
                                        .Output("sparse_indices: int64")
                                        .Output("sparse_values: dtype")
                                        .Output("sparse_shape: int64")
                                        .Attr("dtype: type")
                                        .Attr("Tserialized: {string, variant} = DT_STRING")
                                        .SetShapeFn(detail::DeserializeSparseShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunDeserializeSparse(context.op());
    }
  };
};

// [n, 3]  ->  a sparse tensor [n, the largest sizes]
struct DeserializeManySparse {
  static constexpr auto signature = Op("DeserializeManySparse")
                                        .Input("serialized_sparse: string")
                                        .Output("sparse_indices: int64")
                                        .Output("sparse_values: dtype")
                                        .Output("sparse_shape: int64")
                                        .Attr("dtype: type")
                                        .SetShapeFn(detail::DeserializeManySparseShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunDeserializeSparse(context.op());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
