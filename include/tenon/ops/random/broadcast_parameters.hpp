// SPDX-License-Identifier: Apache-2.0
#pragma once
// BroadcastSamples: samples of distributions whose parameters are broadcast against each other.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// shape: [samples..., batch...]. Sample s of batch b is element s * batches + b.
struct BroadcastSamples {
  static constexpr int kMost = 4;  // parameters
  TensorShape shape, batch;
  const TensorShape* parameter[kMost] = {};
  Index batches = 1, samples = 1;

  // Reads `sizes` and the shapes of `count` parameters, inputs from `first` on.
  Status Read(OpKernelContext& context, std::string_view op, std::string_view names, const HostIndices& sizes,
              int first, int count) {
    for (int i = 0; i < count; ++i) {
      parameter[i] = &context.input(first + i).shape();
      const TensorShape before = batch;
      if (!BroadcastShape(before, *parameter[i], &batch).ok())
        return errors::InvalidArgument(op, ": ", names, " must have compatible batch dimensions: ", before, " vs. ",
                                       *parameter[i]);
    }
    TENON_RETURN_IF_ERROR(ShapeOfInput(op, sizes, &shape));
    const int extra = shape.dims() - batch.dims();
    bool ends = extra >= 0;
    for (int d = 0; ends && d < batch.dims(); ++d) ends = shape.dim_size(extra + d) == batch.dim_size(d);
    if (!ends)
      return errors::InvalidArgument(op, ": Shape passed in must end with broadcasted shape, got ", shape, " and ",
                                     batch);
    samples = ProductOfSizes(shape, 0, extra);
    batches = batch.num_elements();
    return OkStatus();
  }
  // The element of parameter i that belongs to a batch.
  Index At(int i, Index number) const {
    const TensorShape& own = *parameter[i];
    Index at = 0, step = 1;
    for (int d = batch.dims() - 1, p = own.dims() - 1; p >= 0; --d, --p) {
      const Index place = number % batch.dim_size(d);
      number /= batch.dim_size(d);
      if (own.dim_size(p) > 1) at += place * step;
      step *= own.dim_size(p);
    }
    return at;
  }
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
