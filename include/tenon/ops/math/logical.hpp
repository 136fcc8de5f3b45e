// SPDX-License-Identifier: Apache-2.0
#pragma once
// Truth values.

#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct LogicalNot {
  static constexpr auto signature =
      Op("LogicalNot").Input("x: bool").Output("y: bool").SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static bool map(const T& x) {
    return !x;
  }

  template <class Device>
  using kernel = Map1<LogicalNot, Device, bool>;
};

struct LogicalAnd {
  static constexpr auto signature = Op("LogicalAnd")
                                        .Input("x: bool")
                                        .Input("y: bool")
                                        .Output("z: bool")
                                        .SetIsCommutative()
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x && y;
  }

  template <class Device>
  using kernel = Map2<LogicalAnd, Device, bool>;
};

struct LogicalOr {
  static constexpr auto signature = Op("LogicalOr")
                                        .Input("x: bool")
                                        .Input("y: bool")
                                        .Output("z: bool")
                                        .SetIsCommutative()
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x || y;
  }

  template <class Device>
  using kernel = Map2<LogicalOr, Device, bool>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
