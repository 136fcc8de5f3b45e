// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedGather: rows of a ragged tensor by number.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/ragged/splits.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status RaggedGatherShape(InferenceContext* c) {
  std::int64_t params_rank = 0, output_rank = 0;
  ShapeHandle unused, values;
  TENON_RETURN_IF_ERROR(c->GetAttr("PARAMS_RAGGED_RANK", &params_rank));
  TENON_RETURN_IF_ERROR(c->GetAttr("OUTPUT_RAGGED_RANK", &output_rank));
  const int n = static_cast<int>(params_rank), outputs = static_cast<int>(output_rank);
  for (int i = 0; i < n; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(n), 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(n + 1), output_rank - params_rank + 1, &unused));
  for (int i = 0; i < outputs; ++i) c->set_output(i, c->UnknownShapeOfRank(1));
  TENON_RETURN_IF_ERROR(c->Subshape(values, 1, &values));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->UnknownShapeOfRank(1), values, &values));
  c->set_output(outputs, values);
  return OkStatus();
}

// [begin, end) of the values' rows.
struct RowRange {
  Index begin, end;
};

}  // namespace detail

// params: ragged [n, (...)], indices: [a, b]  ->  ragged [a, b, (...)]
struct RaggedGather {
  static constexpr auto signature = Op("RaggedGather")
                                        .Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
                                        .Input("params_dense_values: Tvalues")
                                        .Input("indices: Tindices")
                                        .Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
                                        .Output("output_dense_values: Tvalues")
                                        .Attr("Tvalues: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .Attr("PARAMS_RAGGED_RANK: int >= 1")
                                        .Attr("OUTPUT_RAGGED_RANK: int >= 0")
                                        .SetShapeFn(detail::RaggedGatherShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.output_type(c.num_outputs() - 1),
                       kPodAndObjectTypes | kQuantizedTypes | ToSet(DataType::kInt4) | ToSet(DataType::kUint4));
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> splits, const Tensor& values,
                      HostIndices indices, std::span<Tensor>, Tensor&) const {
      return Run(context.op(), splits, values, indices);
    }
  };

 private:
  static Status Check(std::span<const Tensor> splits, const Tensor& values, const HostIndices& indices) {
    if (values.dims() < 1) return errors::InvalidArgument("RaggedGather: params.rank must be nonzero");
    for (const Tensor& one : splits)
      if (one.dims() != 1)
        return errors::InvalidArgument("RaggedGather: params_nested_splits must be vectors, got shape ", one.shape());
    const Index rows = std::max(splits[0].NumElements() - 1, Index{0});
    for (Index i = 0; i < indices.size(); ++i)
      if (indices[i] < 0 || indices[i] >= rows)
        return errors::InvalidArgument("RaggedGather: indices[", i, "] = ", indices[i], " is not in [0, ", rows, ")");
    for (std::size_t d = 0; d < splits.size(); ++d) {
      const detail::Splits one(splits[d]);
      const Index most = d + 1 < splits.size() ? splits[d + 1].NumElements() - 1 : values.dim_size(0);
      if (one.size() == 0)
        return errors::InvalidArgument("RaggedGather: Ragged splits may not be empty: params_nested_splits[", d, "]");
      if (one[0] < 0)
        return errors::InvalidArgument("RaggedGather: Ragged splits must be non-negative, got params_nested_splits[", d,
                                       "][0] = ", one[0]);
      if (one.back() > most)
        return errors::InvalidArgument("RaggedGather: Ragged splits must not point past values: params_nested_splits[",
                                       d, "] ends with ", one.back(), " > ", most);
      for (Index i = 1; i < one.size(); ++i)
        if (one[i] < one[i - 1])
          return errors::InvalidArgument("RaggedGather: Ragged splits must be sorted: params_nested_splits[", d, "][",
                                         i, "] = ", one[i], " is smaller than ", one[i - 1], " before it");
    }
    return OkStatus();
  }

  // row(d, begin, end) for every index, at each level of the splits; values(begin, end) for what is left of it.
  template <class Row, class Values>
  static Status ForRows(std::span<const Tensor> splits, const HostIndices& indices, const Row& row,
                        const Values& values) {
    for (Index i = 0; i < indices.size(); ++i) {
      Index begin = indices[i], end = begin + 1;
      for (std::size_t d = 0; d < splits.size(); ++d) {
        const detail::Splits one(splits[d]);
        TENON_RETURN_IF_ERROR(row(d, begin, end));
        begin = one[begin];
        end = one[end];
      }
      if (begin < end) values(begin, end);
    }
    return OkStatus();
  }
  // Output d, splits of so many rows that end at `last`.
  static Status AllocateSplits(OpKernelContext& context, int d, Index rows, Index last, Tensor** out) {
    const Index sizes[] = {rows + 1};
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(d, shape, out));
    if ((*out)->dtype() == DataType::kInt32 && last > std::numeric_limits<std::int32_t>::max())
      return errors::InvalidArgument("RaggedGather: the output has ", last, " rows, too many for int32 splits");
    return OkStatus();
  }
  // The splits that the dimensions of the indices become.
  static Status OuterSplits(OpKernelContext& context, const TensorShape& indices) {
    Index rows = 1;
    for (int d = 0; d + 1 < indices.dims(); ++d) {
      rows *= indices.dim_size(d);
      const Index width = indices.dim_size(d + 1);
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(AllocateSplits(context, d, rows, rows * width, &out));
      for (Index i = 0; i <= rows; ++i) detail::StoreIndex(out, i, i * width);
    }
    return OkStatus();
  }
  // Those of the params' splits, and which values the output has.
  static Status InnerSplits(OpKernelContext& context, std::span<const Tensor> splits, const HostIndices& indices,
                            SlimVector<detail::RowRange>* ranges) {
    const int outer = indices.shape().dims() - 1;  // -1: a scalar's row is none of the output
    SlimVector<Index> sizes(splits.size() + 1, 0), at(splits.size(), 0), last(splits.size(), 0);
    const auto count = [&](std::size_t d, Index begin, Index end) -> Status {
      const Index more = d + 1 == splits.size() ? detail::Splits(splits[d])[end] - detail::Splits(splits[d])[begin] : 0;
      if (end - begin > std::numeric_limits<Index>::max() - 1 - sizes[d] ||
          more > std::numeric_limits<Index>::max() - sizes[splits.size()])
        return errors::InvalidArgument("RaggedGather: the output has more rows than int64 can count");
      sizes[d] += end - begin;
      sizes[splits.size()] += more;
      return OkStatus();
    };
    TENON_RETURN_IF_ERROR(
        ForRows(splits, indices, count, [&](Index begin, Index end) { ranges->push_back({begin, end}); }));
    for (int d = outer < 0 ? 1 : 0; d < static_cast<int>(splits.size()); ++d) {
      const auto level = static_cast<std::size_t>(d);
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(AllocateSplits(context, d + outer, sizes[level], sizes[level + 1], &out));
      detail::StoreIndex(out, 0, 0);
    }
    return ForRows(
        splits, indices,
        [&](std::size_t d, Index begin, Index end) -> Status {
          if (static_cast<int>(d) + outer < 0) return OkStatus();
          const detail::Splits one(splits[d]);
          Tensor* const out = context.mutable_output(static_cast<int>(d) + outer);
          const Index shift = last[d] - one[begin];
          for (Index k = begin; k < end; ++k) detail::StoreIndex(out, ++at[d], last[d] = one[k + 1] + shift);
          return OkStatus();
        },
        [](Index, Index) {});
  }

  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, std::span<const Tensor> splits, const Tensor& values,
                                      const HostIndices& indices) {
    TENON_RETURN_IF_ERROR(Check(splits, values, indices));
    const int nested = context.num_outputs() - 1;
    if (nested != static_cast<int>(splits.size()) + indices.shape().dims() - 1)
      return errors::InvalidArgument(
          "RaggedGather: OUTPUT_RAGGED_RANK must be indices.rank - 1 + PARAMS_RAGGED_RANK = ",
          static_cast<int>(splits.size()) + indices.shape().dims() - 1, ", got ", nested);
    SlimVector<detail::RowRange> ranges;
    TENON_RETURN_IF_ERROR(OuterSplits(context, indices.shape()));
    TENON_RETURN_IF_ERROR(InnerSplits(context, splits, indices, &ranges));
    Index rows = 0;
    for (const detail::RowRange& range : ranges) rows += range.end - range.begin;
    TensorShape shape = values.shape();
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(nested, shape, &out));
    const Index run = rows == 0 ? 0 : shape.num_elements() / rows;
    const ElementMover mover = MoverOf(values.dtype());
    Index at = 0;
    for (const detail::RowRange& range : ranges) {
      const Index n = (range.end - range.begin) * run;
      CopyRun(mover, mover.At(values.raw_data(), range.begin * run), mover.At(out->raw_data(), at), n);
      at += n;
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
