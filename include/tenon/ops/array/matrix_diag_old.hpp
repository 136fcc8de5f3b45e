// SPDX-License-Identifier: Apache-2.0
#pragma once
// Older names of ops on diagonals: MatrixDiagV2 and its like, without `align`, and the Batch names of graphs of version
// 13 and before.

#include <tenon/op/shape/diagonal_shape_fns.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/matrix_diag.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// MatrixDiagV3 with all diagonals at the left ends of their rows.
struct MatrixDiagV2 {
  static constexpr auto signature = Op("MatrixDiagV2")
                                        .Input("diagonal: T")
                                        .Input("k: int32")
                                        .Input("num_rows: int32")
                                        .Input("num_cols: int32")
                                        .Input("padding_value: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::MatrixDiagV2Shape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& diagonal, HostIndices k, HostIndices num_rows,
                      HostIndices num_cols, const Tensor& padding_value, Tensor& output) const {
      return detail::MakeMatricesOf("MatrixDiagV2", "LEFT_LEFT", context.op(), context.device(), diagonal, k, num_rows,
                                    num_cols, padding_value, &output);
    }
  };
};

// MatrixDiagPartV3, likewise.
struct MatrixDiagPartV2 {
  static constexpr auto signature = Op("MatrixDiagPartV2")
                                        .Input("input: T")
                                        .Input("k: int32")
                                        .Input("padding_value: T")
                                        .Output("diagonal: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::MatrixDiagPartV2Shape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices k, const Tensor& padding_value,
                      Tensor& diagonal) const {
      return detail::TakeDiagonalsOf("MatrixDiagPartV2", "LEFT_LEFT", context.op(), context.device(), input, k,
                                     padding_value, &diagonal);
    }
  };
};

// MatrixSetDiagV3, likewise.
struct MatrixSetDiagV2 {
  static constexpr auto signature = Op("MatrixSetDiagV2")
                                        .Input("input: T")
                                        .Input("diagonal: T")
                                        .Input("k: int32")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::MatrixSetDiagV2Shape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& diagonal, HostIndices k,
                      Tensor& output) const {
      return detail::ReplaceDiagonalsOf("MatrixSetDiagV2", "LEFT_LEFT", context.op(), context.device(), input, diagonal,
                                        k, &output);
    }
  };
};

struct BatchMatrixDiag {
  static constexpr auto signature = Op("BatchMatrixDiag")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Deprecated(14, "Use MatrixDiag")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = MatrixDiag::kernel<Device>;
};

struct BatchMatrixDiagPart {
  static constexpr auto signature = Op("BatchMatrixDiagPart")
                                        .Input("input: T")
                                        .Output("diagonal: T")
                                        .Attr("T: type")
                                        .Deprecated(14, "Use MatrixDiagPart")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = MatrixDiagPart::kernel<Device>;
};

struct BatchMatrixSetDiag {
  static constexpr auto signature = Op("BatchMatrixSetDiag")
                                        .Input("input: T")
                                        .Input("diagonal: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Deprecated(14, "Use MatrixSetDiag")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = MatrixSetDiag::kernel<Device>;
};

struct BatchMatrixBandPart {
  static constexpr auto signature = Op("BatchMatrixBandPart")
                                        .Input("input: T")
                                        .Input("num_lower: int64")
                                        .Input("num_upper: int64")
                                        .Output("band: T")
                                        .Attr("T: type")
                                        .Deprecated(14, "Use MatrixBandPart")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : MatrixBandPart::kernel<Device> {
    Status Init(OpKernelConstruction& c) {
      constexpr DataTypeSet kServed{kPodTypes.mask & ~ToSet(DataType::kBool).mask};
      return ServeOnly(c, c.input_type(0), kServed);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
