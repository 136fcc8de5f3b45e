// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedTensorToVariant, RaggedTensorFromVariant: ragged tensors as values, one whole or one per row.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/variant_elements.hpp>
#include <tenon/ops/ragged/splits.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A ragged tensor as one value; without splits any tensor.
struct RaggedTensorVariant {
  SlimVector<Tensor> splits;  // outermost first
  Tensor values;

  std::string_view TypeName() const { return "RaggedTensorVariant"; }
  std::string DebugString() const {
    return StrCat("RaggedTensorVariant(dtype=", values.dtype(), ", ragged_rank=", splits.size(),
                  ", values=", values.DebugString(), ")");
  }
  void Encode(VariantTensorData* data) const {
    data->metadata.clear();
    for (const Tensor& one : splits) data->tensors.push_back(one);
    data->tensors.push_back(values);
  }
  bool Decode(VariantTensorData data) {
    if (data.tensors.empty()) return false;
    values = std::move(data.tensors.back());
    data.tensors.pop_back();
    for (const Tensor& one : data.tensors)
      if (one.dims() != 1 || (one.dtype() != DataType::kInt32 && one.dtype() != DataType::kInt64)) return false;
    splits = std::move(data.tensors);
    return true;
  }
};

namespace ops {

namespace detail {

inline Status ZerosLikeRagged(OpKernelContext* context, const RaggedTensorVariant& x, RaggedTensorVariant* out) {
  out->splits = x.splits;
  return ZerosLikeElement(context, x.values, &out->values);
}
inline Status AddRagged(OpKernelContext* context, const RaggedTensorVariant& a, const RaggedTensorVariant& b,
                        RaggedTensorVariant* out) {
  bool same = a.splits.size() == b.splits.size();
  for (std::size_t d = 0; same && d < a.splits.size(); ++d)
    same = tenon::detail::SameContents(a.splits[d], b.splits[d]);
  if (!same)
    return errors::InvalidArgument("Can only add RaggedTensorVariants with the same row splits, got ", a.DebugString(),
                                   " and ", b.DebugString());
  out->splits = a.splits;
  return AddElements(context, a.values, b.values, &out->values);
}
inline Status CopyRagged(const RaggedTensorVariant& from, RaggedTensorVariant* to, const VariantTensorCopy& copy) {
  *to = from;
  for (std::size_t d = 0; d < from.splits.size(); ++d) TENON_RETURN_IF_ERROR(copy(from.splits[d], &to->splits[d]));
  return copy(from.values, &to->values);
}
// Called when kernels are made; the second call does nothing.
inline Status RegisterRaggedVariant() {
  static const Status status = [] {
    VariantRegistry& registry = VariantRegistry::Global();
    TENON_RETURN_IF_ERROR(registry.AddType<RaggedTensorVariant>());
    TENON_RETURN_IF_ERROR(registry.AddUnary<RaggedTensorVariant>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLikeRagged));
    TENON_RETURN_IF_ERROR(registry.AddBinary<RaggedTensorVariant>(VariantBinaryOp::kAdd, "CPU", &AddRagged));
    for (const VariantCopyDirection direction :
         {VariantCopyDirection::kHostToDevice, VariantCopyDirection::kDeviceToHost,
          VariantCopyDirection::kDeviceToDevice})
      TENON_RETURN_IF_ERROR(registry.AddCopy<RaggedTensorVariant>(direction, &CopyRagged));
    return OkStatus();
  }();
  return status;
}
inline constexpr DataTypeSet kRaggedVariantTypes =
    kPodAndStringTypes | kQuantizedTypes | ToSet(DataType::kVariant) | ToSet(DataType::kResource);

inline Status ToVariantShape(InferenceContext* c) {
  const int n = c->num_inputs() - 1;
  bool batched = false;
  ShapeHandle unused;
  DimensionHandle rows;
  TENON_RETURN_IF_ERROR(c->GetAttr("batched_input", &batched));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(n), n == 0 && !batched ? 0 : 1, &unused));
  for (int i = 0; i < n; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  if (batched && n > 0)
    TENON_RETURN_IF_ERROR(c->Subtract(c->Dim(c->input(0), 0), 1, &rows));
  else if (batched)
    rows = c->Dim(c->input(0), 0);
  c->set_output(0, batched ? c->Vector(rows) : c->Scalar());
  return OkStatus();
}
inline Status FromVariantShape(InferenceContext* c) {
  std::int64_t input_rank = 0, output_rank = 0;
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->GetAttr("input_ragged_rank", &input_rank));
  TENON_RETURN_IF_ERROR(c->GetAttr("output_ragged_rank", &output_rank));
  if (c->RankKnown(c->input(0)) && input_rank >= 0)
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), output_rank - input_rank, &unused));
  const int n = static_cast<int>(output_rank);
  for (int i = 0; i < n; ++i) c->set_output(i, c->UnknownShapeOfRank(1));
  c->set_output(n, c->UnknownShape());
  return OkStatus();
}

// A new tensor with rows [begin, end) of another.
inline Status CopyRows(OpKernelContext& context, const Tensor& from, Index begin, Index end, Tensor* out) {
  TensorShape shape = from.shape();
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, end - begin));
  TENON_RETURN_IF_ERROR(context.allocate_temp(from.dtype(), shape, out));
  const Index run = end > begin ? shape.num_elements() / (end - begin) : 0;
  const ElementMover mover = MoverOf(from.dtype());
  CopyRun(mover, mover.At(from.raw_data(), begin * run), out->raw_data(), shape.num_elements());
  return OkStatus();
}

}  // namespace detail

// A scalar; with batched_input a vector, one for each row of the outermost dimension.
struct RaggedTensorToVariant {
  static constexpr auto signature = Op("RaggedTensorToVariant")
                                        .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
                                        .Input("rt_dense_values: Tvalues")
                                        .Output("encoded_ragged: variant")
                                        .Attr("RAGGED_RANK: int >= 0")
                                        .Attr("Tvalues: type")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .Attr("batched_input: bool")
                                        .SetShapeFn(detail::ToVariantShape);

  struct Attrs {
    bool batched_input;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::RegisterRaggedVariant());
      return ServeOnly(c, c.input_type(c.num_inputs() - 1), detail::kRaggedVariantTypes);
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> splits, const Tensor& values, Tensor&) const {
      return Run(context.op(), splits, values, this->batched_input);
    }
  };

 private:
  static Status Run(OpKernelContext& context, std::span<const Tensor> splits, const Tensor& values, bool batched) {
    const std::size_t rank = splits.size();
    if ((rank > 0 || batched) && values.dims() < 1)
      return errors::InvalidArgument(batched ? "Can't unbatch rank-0 tensor." : "Ragged values must have rank >= 1");
    for (std::size_t d = 0; d < rank; ++d)
      TENON_RETURN_IF_ERROR(detail::CheckSplits(detail::Splits(splits[d]),
                                                d + 1 < rank ? splits[d + 1].NumElements() - 1 : values.dim_size(0)));
    Tensor* out = nullptr;
    if (!batched) {
      RaggedTensorVariant whole;
      for (const Tensor& one : splits) whole.splits.push_back(one);
      whole.values = values;
      TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &out));
      out->data<Variant>()[0] = Variant(std::move(whole));
      return OkStatus();
    }
    const Index rows = rank > 0 ? splits[0].NumElements() - 1 : values.dim_size(0);
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({rows}), &out));
    for (Index row = 0; row < rows; ++row) {
      RaggedTensorVariant part;
      TENON_RETURN_IF_ERROR(TakeRow(context, splits, values, row, &part));
      out->data<Variant>()[row] = Variant(std::move(part));
    }
    return OkStatus();
  }
  static Status TakeRow(OpKernelContext& context, std::span<const Tensor> splits, const Tensor& values, Index row,
                        RaggedTensorVariant* part) {
    Index begin = row, end = row + 1;
    for (std::size_t d = 0; d < splits.size(); ++d) {
      const detail::Splits one(splits[d]);
      if (d > 0) {
        Tensor& own = part->splits.emplace_back();
        TENON_RETURN_IF_ERROR(context.allocate_temp(splits[d].dtype(), TensorShape({end - begin + 1}), &own));
        for (Index i = begin; i <= end; ++i) detail::StoreIndex(&own, i - begin, one[i] - one[begin]);
      }
      begin = one[begin];
      end = one[end];
    }
    TENON_RETURN_IF_ERROR(detail::CopyRows(context, values, begin, end, &part->values));
    if (!splits.empty()) return OkStatus();
    TensorShape shape = part->values.shape();  // a row of a tensor without splits loses its dimension
    TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(0));
    const Tensor rows = part->values;
    if (part->values.CopyFrom(rows, shape)) return OkStatus();
    return errors::Internal("RaggedTensorToVariant: ", rows.shape(), " cannot become ", shape);
  }
};

// encoded_ragged: [a, b] of ragged tensors  ->  one with a dimension more for each of a and b
struct RaggedTensorFromVariant {
  static constexpr auto signature = Op("RaggedTensorFromVariant")
                                        .Input("encoded_ragged: variant")
                                        .Output("output_nested_splits: output_ragged_rank * Tsplits")
                                        .Output("output_dense_values: Tvalues")
                                        .Attr("input_ragged_rank: int >= -1")
                                        .Attr("output_ragged_rank: int >= 0")
                                        .Attr("Tvalues: type")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::FromVariantShape);

  struct Attrs {
    std::int64_t input_ragged_rank;
    DataType Tsplits;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::RegisterRaggedVariant());
      return ServeOnly(c, c.output_type(c.num_outputs() - 1), detail::kRaggedVariantTypes);
    }
    Status operator()(Context<Device>& context, const Tensor&, std::span<Tensor>, Tensor&) const {
      return Run(context.op(), this->input_ragged_rank, this->Tsplits);
    }
  };

 private:
  using Parts = SlimVector<RaggedTensorVariant>;

  // All elements of the input, each checked.
  static Status ReadParts(OpKernelContext& context, Index input_rank, DataType splits_type, Parts* parts) {
    const Tensor& encoded = context.input(0);
    const DataType values_type = context.expected_output_dtype(context.num_outputs() - 1);
    for (Index i = 0; i < encoded.NumElements(); ++i) {
      Variant variant = encoded.data<Variant>()[i];
      const Result<RaggedTensorVariant*> part = GetVariantValue<RaggedTensorVariant>(&variant);
      if (!part.ok())
        return errors::InvalidArgument("Input Variant element at index ", i,
                                       " doesn't hold a RaggedTensorVariant: ", variant.DebugString());
      const RaggedTensorVariant& ragged = **part;
      const Index rank = static_cast<Index>(ragged.splits.size());
      if (rank != input_rank)
        return errors::InvalidArgument("Encoded input RaggedTensorVariant has ragged_rank=", rank,
                                       ".  Expected ragged_rank=", input_rank, ".");
      if (ragged.values.dtype() != values_type)
        return errors::InvalidArgument("Expected values Tensor dtype: ", values_type,
                                       ", found: ", ragged.values.dtype());
      if (ragged.values.dims() < 1 && context.num_outputs() > 1)
        return errors::InvalidArgument("Ragged values must have rank >= 1; encoded scalar element at index ", i,
                                       " has values Tensor: ", ragged.values.DebugString());
      for (Index d = 0; d < rank; ++d) {
        const Tensor& splits = ragged.splits[static_cast<std::size_t>(d)];
        if (splits.dtype() != splits_type)
          return errors::InvalidArgument("Expected row_splits Tensor dtype: ", splits_type,
                                         ", found: ", splits.dtype());
        TENON_RETURN_IF_ERROR(detail::CheckSplits(
            detail::Splits(splits), d + 1 < rank ? ragged.splits[static_cast<std::size_t>(d + 1)].NumElements() - 1
                                                 : ragged.values.dim_size(0)));
      }
      parts->push_back(ragged);
    }
    return OkStatus();
  }
  // Output `at` := these splits.
  static Status SetSplits(OpKernelContext& context, int at, const SlimVector<Index>& splits) {
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(at, TensorShape({static_cast<Index>(splits.size())}), &out));
    if (out->dtype() == DataType::kInt32 && splits.back() > std::numeric_limits<std::int32_t>::max())
      return TooManyForInt32(splits.back());
    for (std::size_t i = 0; i < splits.size(); ++i) detail::StoreIndex(out, static_cast<Index>(i), splits[i]);
    return OkStatus();
  }
  // Output `at` := 0, size, 2 size, ...: those of `rows` rows, which may be very many of an empty tensor.
  static Status SetEvenSplits(OpKernelContext& context, int at, Index rows, Index size) {
    Tensor* out = nullptr;
    const Index count = std::min(rows, std::numeric_limits<Index>::max() - 1) + 1;
    TENON_RETURN_IF_ERROR(context.allocate_output(at, TensorShape({count}), &out));
    if (out->dtype() == DataType::kInt32 && rows * size > std::numeric_limits<std::int32_t>::max())
      return TooManyForInt32(rows * size);
    for (Index i = 0; i <= rows; ++i) detail::StoreIndex(out, i, i * size);
    return OkStatus();
  }
  static Status TooManyForInt32(Index rows) {
    return errors::InvalidArgument("RaggedTensorFromVariant: ", rows, " rows are too many for int32 splits");
  }
  // The dimensions of the input as splits, then those of the parts one behind the other.
  static Status SetAllSplits(OpKernelContext& context, const Parts& parts, Index input_rank) {
    const TensorShape& shape = context.input(0).shape();
    int at = 0;
    for (Index rows = 1; at + 1 < shape.dims(); ++at) {
      rows *= shape.dim_size(at);  // from the first on: the shape has room for that
      TENON_RETURN_IF_ERROR(SetEvenSplits(context, at, rows, shape.dim_size(at + 1)));
    }
    SlimVector<Index> splits(1, 0);
    for (const RaggedTensorVariant& part : parts)
      splits.push_back(splits.back() + (input_rank > 0 ? part.splits[0].NumElements() - 1 : part.values.dim_size(0)));
    TENON_RETURN_IF_ERROR(SetSplits(context, at++, splits));
    for (Index d = 0; d < input_rank; ++d, ++at) {
      SlimVector<Index> joined(1, 0);
      for (const RaggedTensorVariant& part : parts) {
        const detail::Splits own(part.splits[static_cast<std::size_t>(d)]);
        const Index before = joined.back();
        for (Index i = 1; i < own.size(); ++i) joined.push_back(before + own[i]);
      }
      TENON_RETURN_IF_ERROR(SetSplits(context, at, joined));
    }
    return OkStatus();
  }
  static Status SetValues(OpKernelContext& context, const Parts& parts) {
    TensorShape shape({0});
    SlimVector<ConcatPart> runs;
    Index rows = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Tensor& values = parts[i].values;
      TensorShape own = values.shape();
      TENON_RETURN_IF_ERROR(own.SetDimWithStatus(0, 0));
      if (i == 0) shape = own;
      if (!(own == shape))
        return errors::InvalidArgument("All flat_values must have compatible shapes.  Shape at index 0: ",
                                       parts[0].values.shape(), ".  Shape at index ", i, ": ", values.shape(),
                                       ".  If you are using tf.map_fn, then you may need to specify an explicit "
                                       "fn_output_signature with appropriate ragged_rank, and/or convert output "
                                       "tensors to RaggedTensors.");
      rows += values.dim_size(0);
      runs.push_back({values.raw_data(), values.NumElements()});
    }
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
    TENON_RETURN_IF_ERROR(context.allocate_output(context.num_outputs() - 1, shape, &out));
    if (out->NumElements() > 0)
      tenon::Concat(context.device<Cpu>(), MoverOf(out->dtype()), {runs.data(), runs.size()}, 1, out->raw_data());
    return OkStatus();
  }

  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, Index input_rank, DataType splits_type) {
    const Index output_rank = context.num_outputs() - 1, dims = context.input(0).dims();
    if (input_rank == -1) {
      input_rank = output_rank == 0 ? 0 : output_rank - dims;
      if (input_rank < 0)
        return errors::InvalidArgument(
            "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found "
            "output_ragged_rank: ",
            output_rank, ", encoded_variant.dims(): ", dims, ", inferred input_ragged_rank: ", input_rank);
    }
    if (output_rank != dims + input_rank)
      return errors::InvalidArgument(
          "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: ",
          output_rank, ", input_ragged_rank: ", input_rank, ", encoded_variant.dims(): ", dims, ".");
    Parts parts;
    TENON_RETURN_IF_ERROR(ReadParts(context, input_rank, splits_type, &parts));
    if (dims > 0) {
      TENON_RETURN_IF_ERROR(SetAllSplits(context, parts, input_rank));
      return SetValues(context, parts);
    }
    for (Index d = 0; d < output_rank; ++d)
      context.set_output(static_cast<int>(d), parts[0].splits[static_cast<std::size_t>(d)]);
    context.set_output(static_cast<int>(output_rank), parts[0].values);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
