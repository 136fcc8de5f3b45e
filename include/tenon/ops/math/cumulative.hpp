// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cumsum, Cumprod, CumulativeLogsumexp: running sums and products along an axis.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/reduce/scan.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct ScanAttrs {
  bool exclusive, reverse;
};

// One loop for both signs: integers wrap around.
template <class Operation, class Device>
auto ScanLoopFor(DataType type) {
  constexpr Device* kNoDevice = nullptr;
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8: return MakeScanLoop<Operation, std::uint8_t>(kNoDevice);
    case DataType::kInt16:
    case DataType::kUint16: return MakeScanLoop<Operation, std::uint16_t>(kNoDevice);
    case DataType::kInt32:
    case DataType::kUint32: return MakeScanLoop<Operation, std::uint32_t>(kNoDevice);
    case DataType::kInt64:
    case DataType::kUint64: return MakeScanLoop<Operation, std::uint64_t>(kNoDevice);
    case DataType::kHalf: return MakeScanLoop<Operation, half>(kNoDevice);
    case DataType::kBfloat16: return MakeScanLoop<Operation, bfloat16>(kNoDevice);
    case DataType::kFloat: return MakeScanLoop<Operation, float>(kNoDevice);
    case DataType::kDouble: return MakeScanLoop<Operation, double>(kNoDevice);
    case DataType::kComplex64: return MakeScanLoop<Operation, complex64>(kNoDevice);
    case DataType::kComplex128: return MakeScanLoop<Operation, complex128>(kNoDevice);
    default: return decltype(MakeScanLoop<Operation, float>(kNoDevice)){};
  }
}
template <class Device>
auto LogSumExpLoopFor(DataType type) {
  constexpr Device* kNoDevice = nullptr;
  switch (type) {
    case DataType::kHalf: return MakeScanLoop<ScanLogSumExp, half>(kNoDevice);
    case DataType::kBfloat16: return MakeScanLoop<ScanLogSumExp, bfloat16>(kNoDevice);
    case DataType::kFloat: return MakeScanLoop<ScanLogSumExp, float>(kNoDevice);
    default: return MakeScanLoop<ScanLogSumExp, double>(kNoDevice);
  }
}

template <class Device, class Loop>
Status RunScan(OpKernelContext& context, Device& device, const Loop& loop, const ScanAttrs& attrs, const Tensor& x,
               const HostIndices& axis, Tensor* out) {
  const std::string_view op = context.op_kernel().type_string();
  if (axis.shape().dims() != 0)
    return errors::InvalidArgument(op, ": ScanOp: axis must be a scalar, not ", axis.shape());
  const int rank = x.dims();
  const Index wanted = axis[0];
  if (wanted < -rank || wanted >= rank)
    return errors::InvalidArgument(op, ": ScanOp: Expected scan axis in the range [", -rank, ", ", rank, "), but got ",
                                   wanted);
  const int along = static_cast<int>(wanted < 0 ? wanted + rank : wanted);
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &out));
  if (x.NumElements() == 0) return OkStatus();
  const Index outer = ProductOfSizes(x.shape(), 0, along), inner = ProductOfSizes(x.shape(), along + 1, rank);
  return Scan(device, loop, x.raw_data(), out->raw_data(), outer, x.dim_size(along), inner, attrs.exclusive,
              attrs.reverse);
}

template <class Op, class Device>
struct ScanKernel : ScanAttrs {
  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), Op::kServed));
    loop = Op::template Loop<Device>(c.input_type(0));
    return OkStatus();
  }
  Status operator()(Context<Device>& context, const Tensor& x, HostIndices axis, Tensor& out) const {
    return RunScan(context.op(), context.device(), loop, *this, x, axis, &out);
  }
  decltype(Op::template Loop<Device>(DataType::kFloat)) loop;
};

inline constexpr DataTypeSet kScanTypes = kRealNumberTypes | ToSet(DataType::kComplex64) | ToSet(DataType::kComplex128);

}  // namespace detail

// x = [a, b, c], axis = 0  ->  [a, a + b, a + b + c]; exclusive: [0, a, a + b]; reverse: [a + b + c, b + c, c]
struct Cumsum {
  static constexpr auto signature =
      Op("Cumsum")
          .Input("x: T")
          .Input("axis: Tidx")
          .Output("out: T")
          .Attr("exclusive: bool = false")
          .Attr("reverse: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::ScanAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = detail::kScanTypes;
  template <class Device>
  static auto Loop(DataType type) {
    return detail::ScanLoopFor<ScanSum, Device>(type);
  }

  template <class Device>
  using kernel = detail::ScanKernel<Cumsum, Device>;
};

// Cumsum with products instead of sums.
struct Cumprod {
  static constexpr auto signature =
      Op("Cumprod")
          .Input("x: T")
          .Input("axis: Tidx")
          .Output("out: T")
          .Attr("exclusive: bool = false")
          .Attr("reverse: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("Tidx: {int32, int64} = DT_INT32")
          .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::ScanAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = detail::kScanTypes;
  template <class Device>
  static auto Loop(DataType type) {
    return detail::ScanLoopFor<ScanProduct, Device>(type);
  }

  template <class Device>
  using kernel = detail::ScanKernel<Cumprod, Device>;
};

// log of the running sum of exp(x); exclusive: -inf first.
struct CumulativeLogsumexp {
  static constexpr auto signature = Op("CumulativeLogsumexp")
                                        .Input("x: T")
                                        .Input("axis: Tidx")
                                        .Output("out: T")
                                        .Attr("exclusive: bool = false")
                                        .Attr("reverse: bool = false")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::ScanAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = detail::kScanTypes;  // the op allows some of them
  template <class Device>
  static auto Loop(DataType type) {
    return detail::LogSumExpLoopFor<Device>(type);
  }

  template <class Device>
  using kernel = detail::ScanKernel<CumulativeLogsumexp, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
