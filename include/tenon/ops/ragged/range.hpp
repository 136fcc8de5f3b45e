// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedRange: one sequence of numbers per row.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/ragged/splits.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status RaggedRangeShape(InferenceContext* c) {
  DimensionHandle rows = c->UnknownDim();
  bool all_scalars = true;
  for (int i = 0; i < 3; ++i) {
    ShapeHandle shape;
    TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &shape));
    all_scalars = all_scalars && c->Rank(shape) == 0;
    if (c->Rank(shape) == 1) TENON_RETURN_IF_ERROR(c->Merge(c->Dim(shape, 0), rows, &rows));
  }
  if (all_scalars) rows = c->MakeDim(1);
  TENON_RETURN_IF_ERROR(c->Add(rows, 1, &rows));
  c->set_output(0, c->Vector(rows));
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// How many numbers there are from start on, delta apart, before limit; -1 for too many.
template <class T>
Index RangeLength(T start, T limit, T delta) {
  if (delta > 0 ? limit < start : limit > start) return 0;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const auto from = static_cast<U>(start), to = static_cast<U>(limit), step = static_cast<U>(delta);
    const U distance = delta > 0 ? static_cast<U>(to - from) : static_cast<U>(from - to);
    const U width = delta > 0 ? step : static_cast<U>(U{0} - step);
    const U count = distance / width + (distance % width != 0 ? 1 : 0);
    return count > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()) ? -1 : static_cast<Index>(count);
  } else {
    const T count = std::ceil(std::abs((limit - start) / delta));
    return count < static_cast<T>(std::numeric_limits<Index>::max()) ? static_cast<Index>(count) : -1;
  }
}

}  // namespace detail

// starts, limits, deltas: vectors of one length, or scalars for all rows
struct RaggedRange {
  static constexpr auto signature = Op("RaggedRange")
                                        .Input("starts: T")
                                        .Input("limits: T")
                                        .Input("deltas: T")
                                        .Output("rt_nested_splits: Tsplits")
                                        .Output("rt_dense_values: T")
                                        .Attr("T: {bfloat16, float, double, int32, int64} = DT_INT32")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::RaggedRangeShape);

  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU" && std::is_arithmetic_v<T>)
  struct kernel {
    Status operator()(Context<Device>& context, In<T> starts, In<T> limits, In<T> deltas, Tensor&, Tensor&) const {
      Index rows = 0;
      Tensor *splits = nullptr, *values = nullptr;
      TENON_RETURN_IF_ERROR(CountRows(starts.shape(), limits.shape(), deltas.shape(), &rows));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape({rows + 1}), &splits));
      const auto at = [](const In<T>& x, Index row) { return x[x.shape().dims() == 0 ? 0 : row]; };
      Index total = 0;
      detail::StoreIndex(splits, 0, 0);
      for (Index row = 0; row < rows; ++row) {
        const T delta = at(deltas, row);
        if (delta == 0) return errors::InvalidArgument("RaggedRange: Requires delta != 0, row ", row);
        TENON_RETURN_IF_ERROR(
            AddLength(row, detail::RangeLength<T>(at(starts, row), at(limits, row), delta), splits->dtype(), &total));
        detail::StoreIndex(splits, row + 1, total);
      }
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, TensorShape({total}), &values));
      T* out = values->template data<T>();
      for (Index row = 0; row < rows; ++row) {
        const T delta = at(deltas, row);
        T value = at(starts, row);
        for (const detail::Splits ends(*splits); out - values->template data<T>() < ends[row + 1]; ++out) {
          *out = value;
          if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) +
                                   static_cast<std::make_unsigned_t<T>>(delta));
          else
            value += delta;
        }
      }
      return OkStatus();
    }
  };

 private:
  static Status CountRows(const TensorShape& starts, const TensorShape& limits, const TensorShape& deltas,
                          Index* rows) {
    const char* const names[] = {"starts", "limits", "deltas"};
    const TensorShape* const shapes[] = {&starts, &limits, &deltas};
    bool found = false;
    *rows = 1;
    for (int i = 0; i < 3; ++i) {
      if (shapes[i]->dims() > 1)
        return errors::InvalidArgument("RaggedRange: ", names[i], " must be a scalar or vector, got shape ",
                                       *shapes[i]);
      if (shapes[i]->dims() == 0) continue;
      if (found && shapes[i]->dim_size(0) != *rows)
        return errors::InvalidArgument("RaggedRange: starts, limits, and deltas must have the same shape, got ", starts,
                                       ", ", limits, ", ", deltas);
      found = true;
      *rows = shapes[i]->dim_size(0);
    }
    return OkStatus();
  }
  static Status AddLength(Index row, Index length, DataType splits, Index* total) {
    const Index most =
        splits == DataType::kInt32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<Index>::max();
    if (length < 0 || length > most)
      return errors::InvalidArgument("RaggedRange: Requires ((limit - start) / delta) <= ", most, ", row ", row);
    if (length > most - *total)
      return errors::InvalidArgument("RaggedRange: the total range length overflowed ", splits, " in row ", row);
    *total += length;
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
