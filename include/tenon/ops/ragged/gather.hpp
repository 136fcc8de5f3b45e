// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedGather: rows of a ragged tensor by number.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/engine/move.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/ragged/splits.hpp>

TENON_NAMESPACE_BEGIN

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
  using Built = SlimVector<SlimVector<Index>>;  // the output's splits, outermost first

  static Status Check(std::span<const Tensor> splits, const Tensor& values, const HostIndices& indices) {
    if (values.dims() < 1) return errors::InvalidArgument("RaggedGather: params.rank must be nonzero");
    for (const Tensor& one : splits)
      if (one.dims() != 1)
        return errors::InvalidArgument("RaggedGather: params_nested_splits must be vectors, got shape ", one.shape());
    const Index rows = splits[0].NumElements() - 1;
    for (Index i = 0; i < indices.size(); ++i)
      if (indices[i] < 0 || indices[i] >= rows)
        return errors::InvalidArgument("RaggedGather: indices[", i, "] = ", indices[i], " is not in [0, ", rows, ")");
    for (std::size_t d = 0; d < splits.size(); ++d) {
      const detail::Splits one(splits[d]);
      const Index most = d + 1 < splits.size() ? splits[d + 1].NumElements() - 1 : values.dim_size(0);
      if (one.size() == 0) return errors::InvalidArgument("Ragged splits may not be empty");
      if (one[0] < 0) return errors::InvalidArgument("Ragged splits must be non-negative, got ", one[0]);
      if (one.back() > most)
        return errors::InvalidArgument("Ragged splits must not point past values: ", one.back(), " > ", most);
      for (Index i = 1; i < one.size(); ++i)
        if (one[i] < one[i - 1])
          return errors::InvalidArgument("Ragged splits must be sorted: ", one[i - 1], " is followed by ", one[i]);
    }
    return OkStatus();
  }

  // The splits of the output, and which values it has.
  static void Gather(std::span<const Tensor> splits, const HostIndices& indices, Built* built,
                     SlimVector<detail::RowRange>* ranges) {
    const int outer =
        indices.shape().dims() - 1;  // dimensions of the indices that become splits; -1: none, and one less
    Index rows = 1;
    for (int d = 0; d < outer; ++d) {
      rows *= indices.shape().dim_size(d);
      const Index width = indices.shape().dim_size(d + 1);
      for (Index i = 1; i <= rows; ++i) (*built)[static_cast<std::size_t>(d)].push_back(i * width);
    }
    for (Index i = 0; i < indices.size(); ++i) {
      Index begin = indices[i], end = begin + 1;
      for (std::size_t d = 0; d < splits.size(); ++d) {
        const detail::Splits one(splits[d]);
        if (const int at = static_cast<int>(d) + outer; at >= 0) {
          SlimVector<Index>& to = (*built)[static_cast<std::size_t>(at)];
          const Index shift = to.back() - one[begin];
          for (Index k = begin; k < end; ++k) to.push_back(one[k + 1] + shift);
        }
        begin = one[begin];
        end = one[end];
      }
      if (begin < end) ranges->push_back({begin, end});
    }
  }

  static Status Run(OpKernelContext& context, std::span<const Tensor> splits, const Tensor& values,
                    const HostIndices& indices) {
    TENON_RETURN_IF_ERROR(Check(splits, values, indices));
    const int nested = context.num_outputs() - 1;
    if (nested != static_cast<int>(splits.size()) + indices.shape().dims() - 1)
      return errors::InvalidArgument(
          "RaggedGather: OUTPUT_RAGGED_RANK must be indices.rank - 1 + PARAMS_RAGGED_RANK = ",
          static_cast<int>(splits.size()) + indices.shape().dims() - 1, ", got ", nested);
    Built built(static_cast<std::size_t>(nested), SlimVector<Index>(1, 0));
    SlimVector<detail::RowRange> ranges;
    Gather(splits, indices, &built, &ranges);
    for (int d = 0; d < nested; ++d) {
      const SlimVector<Index>& from = built[static_cast<std::size_t>(d)];
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(d, TensorShape({static_cast<Index>(from.size())}), &out));
      if (out->dtype() == DataType::kInt32 && from.back() > std::numeric_limits<std::int32_t>::max())
        return errors::InvalidArgument("RaggedGather: the output has ", from.back(),
                                       " rows, too many for int32 splits");
      for (std::size_t i = 0; i < from.size(); ++i) detail::StoreIndex(out, static_cast<Index>(i), from[i]);
    }
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

TENON_NAMESPACE_END
