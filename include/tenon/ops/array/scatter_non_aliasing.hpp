// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScatterNdNonAliasingAdd: slices added to the places that index vectors name.

#include <cstdint>
#include <string_view>

#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/scatter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// input: [n, a], indices: [b, 1], updates: [b, a]  ->  [n, a]; bools are or-ed.
struct ScatterNdNonAliasingAdd {
  static constexpr auto signature =
      Op("ScatterNdNonAliasingAdd")
          .Input("input: T")
          .Input("indices: Tindices")
          .Input("updates: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64, bool}")
          .Attr("Tindices: {int32, int64}")
          .Attr("bad_indices_policy: string = ''")
          .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodTypes;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::AddTo, detail::ScatterAddable>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<ScatterNdNonAliasingAdd, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
