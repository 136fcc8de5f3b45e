// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cast: the same numbers in another type. Bitcast: the same bytes under another type.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/elementwise/cast.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
TENON_DETAIL_COLD inline Status cannot_bitcast_last_dimension(DataType from, DataType to, std::int64_t size) {
  return errors::InvalidArgument("Bitcast: Cannot bitcast from ", from, " to ", to,
                                 " due to shape: the last dimension must have ", SizeOf(to) / SizeOf(from),
                                 " elements, got ", size);
}
struct CopyByte {
  const char* from;
  char* to;
  TENON_HD void operator()(Index i) const { to[i] = from[i]; }
};
}  // namespace detail

// To the same type: the input itself, whatever the type.
struct Cast {
  static constexpr auto signature = Op("Cast")
                                        .Input("x: SrcT")
                                        .Output("y: DstT")
                                        .Attr("SrcT: type")
                                        .Attr("DstT: type")
                                        .Attr("Truncate: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    bool Truncate;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      return Run(context.op(), context.device(), x, &y, this->Truncate);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& x, Tensor* y, bool truncate) {
    const DataType target = context.expected_output_dtype(0);
    if (x.dtype() == target) {
      *y = x;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &y));
    return tenon::Cast(device, x.dtype(), x.raw_data(), target, y->raw_data(), x.NumElements(), truncate);
  }
};

// input: [...]  ->  the same shape; narrower elements: one dimension more, of as many as make one; wider elements: the
// last dimension, which has as many as make one, goes away. Shares the input's buffer.
struct Bitcast {
  static constexpr auto signature =
      Op("Bitcast")
          .Input("input: T")
          .Output("output: type")
          .Attr(
              "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
          .Attr(
              "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
          .SetShapeFn([](InferenceContext* c) -> Status {
            DataType from = DataType::kInvalid, to = DataType::kInvalid;
            TENON_RETURN_IF_ERROR(c->GetAttr("T", &from));
            TENON_RETURN_IF_ERROR(c->GetAttr("type", &to));
            const std::int64_t from_bytes = SizeOf(from);
            const std::int64_t to_bytes = SizeOf(to);
            ShapeHandle shape = c->input(0);
            if (!c->RankKnown(shape)) {
              shape = c->UnknownShape();
            } else if (from_bytes > to_bytes) {
              TENON_RETURN_IF_ERROR(c->Concatenate(shape, c->Vector(from_bytes / to_bytes), &shape));
            } else if (from_bytes < to_bytes) {
              TENON_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
              const DimensionHandle last = c->Dim(shape, -1);
              if (c->ValueKnown(last) && c->Value(last) != to_bytes / from_bytes)
                return detail::cannot_bitcast_last_dimension(from, to, c->Value(last));
              TENON_RETURN_IF_ERROR(c->Subshape(shape, 0, -1, &shape));
            }
            c->set_output(0, shape);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      return Run(context.op(), context.device(), input, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& input, Tensor* output) {
    const DataType from = input.dtype(), to = context.expected_output_dtype(0);
    const Index from_bytes = SizeOf(from), to_bytes = SizeOf(to);
    TensorShape shape = input.shape();
    if (from_bytes > to_bytes) {
      TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(from_bytes / to_bytes));
    } else if (from_bytes < to_bytes) {
      if (shape.dims() == 0) return detail::cannot_bitcast_last_dimension(from, to, 1);
      const Index last = shape.dim_size(shape.dims() - 1);
      if (last != to_bytes / from_bytes) return detail::cannot_bitcast_last_dimension(from, to, last);
      TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(shape.dims() - 1));
    }
    if (reinterpret_cast<std::uintptr_t>(input.raw_data()) % static_cast<std::uintptr_t>(to_bytes) == 0)
      return output->BitcastFrom(input, to, shape);
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));  // a part of another tensor, badly aligned
    return ForEach(
        device, input.NumElements() * from_bytes,
        detail::CopyByte{static_cast<const char*>(input.raw_data()), static_cast<char*>(output->raw_data())});
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
