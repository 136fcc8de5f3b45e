// SPDX-License-Identifier: Apache-2.0
#pragma once
// DynamicStitch, DynamicPartition: rows merged by number and dealt out by number.

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

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DynamicStitchShape(InferenceContext* c) {
  const int n = c->num_inputs() / 2;
  bool all_known = true;
  std::int64_t most = -1;
  ShapeHandle extra = c->UnknownShape(), unused, rest, out;
  for (int i = 0; i < n; ++i) {
    SlimVector<std::int64_t> values;
    bool known = false;
    TENON_RETURN_IF_ERROR(c->ReadInput(i, &values, &known));
    all_known = all_known && known;
    const ShapeHandle indices = c->input(i), data = c->input(i + n);
    if (!c->RankKnown(indices)) continue;
    TENON_RETURN_IF_ERROR(c->MergePrefix(data, indices, &unused, &unused));
    TENON_RETURN_IF_ERROR(c->Subshape(data, c->Rank(indices), &rest));
    TENON_RETURN_IF_ERROR(c->Merge(extra, rest, &extra));
    for (const std::int64_t value : values) most = std::max(most, value);
  }
  const ShapeHandle rows = c->Vector(all_known ? c->MakeDim(most + 1) : c->UnknownDim());
  TENON_RETURN_IF_ERROR(c->Concatenate(rows, extra, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status DynamicPartitionShape(InferenceContext* c) {
  const ShapeHandle data = c->input(0), partitions = c->input(1);
  if (!c->RankKnown(partitions)) return shape_inference::UnknownShape(c);
  ShapeHandle unused, rest, out;
  TENON_RETURN_IF_ERROR(c->MergePrefix(data, partitions, &unused, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(data, c->Rank(partitions), &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &out));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, out);
  return OkStatus();
}

inline bool StartsWithShape(const TensorShape& shape, const TensorShape& prefix) {
  return shape.dims() >= prefix.dims() && std::equal(prefix.begin(), prefix.end(), shape.begin());
}

}  // namespace detail

// merged[indices[i][j]] = data[i][j]; the last of equal indices stays, rows without an index are zero
struct DynamicStitch {
  static constexpr auto signature = Op("DynamicStitch")
                                        .Input("indices: N * int32")
                                        .Input("data: N * T")
                                        .Output("merged: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::DynamicStitchShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes | ToSet(DataType::kVariant) | ToSet(DataType::kQint8) |
                                         ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), kServed); }
    Status operator()(Context<Device>& context, InList<std::int32_t> indices, std::span<const Tensor> data,
                      Tensor& merged) const {
      return Run(context.op(), context.device(), indices, data, &merged);
    }
  };

 private:
  friend struct ParallelDynamicStitch;

  static Status Run(OpKernelContext& context, Cpu& device, const InList<std::int32_t>& indices,
                    std::span<const Tensor> data, Tensor* merged) {
    Index rows = 0;
    TensorShape row;  // shape of each row
    for (int i = 0; i < indices.size(); ++i) {
      const In<std::int32_t> at = indices[i];
      const Tensor& part = data[static_cast<std::size_t>(i)];
      if (!detail::StartsWithShape(part.shape(), at.shape()))
        return errors::InvalidArgument("DynamicStitch: data[", i, "].shape = ", part.shape(),
                                       " does not start with indices[", i, "].shape = ", at.shape());
      TensorShape own = part.shape();
      TENON_RETURN_IF_ERROR(own.RemoveDimRangeWithStatus(0, at.shape().dims()));
      if (i == 0) row = own;
      if (!(own == row))
        return errors::InvalidArgument("DynamicStitch: Need data[0].shape[", indices[0].shape().dims(), ":] = data[", i,
                                       "].shape[", at.shape().dims(), ":], got data[0].shape = ", data[0].shape(),
                                       ", data[", i, "].shape = ", part.shape());
      for (Index j = 0; j < at.size(); ++j) {
        if (at[j] < 0 || at[j] == std::numeric_limits<std::int32_t>::max())  // that many rows are not an int32
          return errors::InvalidArgument("DynamicStitch: indices[", j, "] = ", at[j], " is out of range");
        rows = std::max<Index>(rows, Index{at[j]} + 1);
      }
    }
    TensorShape shape = row;
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, rows));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &merged));
    const ElementMover mover = MoverOf(merged->dtype());
    const Index run = row.num_elements();
    Zero(device, mover, merged->raw_data(), merged->NumElements());
    for (int i = 0; i < indices.size() && run > 0; ++i) {
      const In<std::int32_t> at = indices[i];
      for (Index j = 0; j < at.size(); ++j)
        CopyRun(mover, mover.At(data[static_cast<std::size_t>(i)].raw_data(), j * run),
                mover.At(merged->raw_data(), at[j] * run), run);
    }
    return OkStatus();
  }
};

// outputs[k] = the rows of data whose partition is k, in their order
struct DynamicPartition {
  static constexpr auto signature = Op("DynamicPartition")
                                        .Input("data: T")
                                        .Input("partitions: int32")
                                        .Output("outputs: num_partitions * T")
                                        .Attr("num_partitions: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::DynamicPartitionShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& data, In<std::int32_t> partitions,
                      std::span<Tensor> outputs) const {
      return Run(context.op(), data, partitions, outputs);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& data, const In<std::int32_t>& partitions,
                    std::span<Tensor> outputs) {
    const auto count = static_cast<Index>(outputs.size());
    if (!detail::StartsWithShape(data.shape(), partitions.shape()))
      return errors::InvalidArgument("DynamicPartition: data.shape must start with partitions.shape, got data.shape = ",
                                     data.shape(), ", partitions.shape = ", partitions.shape());
    SlimVector<Index> next(outputs.size(), 0);
    for (Index i = 0; i < partitions.size(); ++i) {
      const Index k = partitions[i];
      if (k < 0 || k >= count)
        return errors::InvalidArgument("DynamicPartition: partitions[", i, "] = ", k, " is not in [0, ", count, ")");
      ++next[static_cast<std::size_t>(k)];
    }
    TensorShape row = data.shape();
    TENON_RETURN_IF_ERROR(row.RemoveDimRangeWithStatus(0, partitions.shape().dims()));
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      TensorShape shape = row;
      TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, next[k]));
      Tensor* out = &outputs[k];
      TENON_RETURN_IF_ERROR(context.allocate_output(static_cast<int>(k), shape, &out));
      next[k] = 0;
    }
    const ElementMover mover = MoverOf(data.dtype());
    const Index run = row.num_elements();
    for (Index i = 0; i < partitions.size() && run > 0; ++i) {
      const auto k = static_cast<std::size_t>(partitions[i]);
      CopyRun(mover, mover.At(data.raw_data(), i * run), mover.At(outputs[k].raw_data(), next[k]++ * run), run);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
