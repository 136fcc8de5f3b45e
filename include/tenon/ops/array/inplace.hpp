// SPDX-License-Identifier: Apache-2.0
#pragma once
// InplaceUpdate, InplaceAdd, InplaceSub: rows of a tensor replaced or changed. DeepCopy, which graphs put before them.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/scatter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// TensorFlow changes x itself, even while other nodes read it. Here the other nodes keep their value. Rows are counted
// modulo their number. `combine` null: the row is replaced.
inline Status RunInplace(OpKernelContext& context, Cpu& device, const Tensor& x, const HostIndices& rows,
                         const Tensor& v, CombineFn combine, bool served, Tensor* y) {
  const std::string_view op = context.op_kernel().type_string();
  if (rows.shape().dims() != 1) return errors::InvalidArgument(op, ": i must be a vector. ", rows.shape());
  if (x.dims() != v.dims())
    return errors::InvalidArgument(op, ": x and v shape doesn't match (ranks differ): ", x.shape(), " vs. ", v.shape());
  for (int d = 1; d < x.dims(); ++d)
    if (x.dim_size(d) != v.dim_size(d))
      return errors::InvalidArgument(op, ": x and v shape doesn't match at index ", d, " : ", x.shape(), " vs. ",
                                     v.shape());
  if (x.dims() < 1 || rows.size() != v.dim_size(0))
    return errors::InvalidArgument(op, ": i and x shape doesn't match at index 0: ", rows.shape(), " vs. ", v.shape());
  if (!served) return errors::InvalidArgument(op, ": Unsupported data type: ", Name(x.dtype()));
  const void* const before = x.raw_data();
  const TensorShape shape = x.shape();
  const ElementMover mover = MoverOf(x.dtype());
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &y));
  if (y->raw_data() != before) Copy(device, mover, before, y->raw_data(), shape.num_elements());
  if (shape.num_elements() == 0) return OkStatus();
  const Index n = shape.dim_size(0), run = shape.num_elements() / n;
  for (Index j = 0; j < rows.size(); ++j) {
    const Index row = (rows[j] % n + n) % n;
    const void* const from = mover.At(v.raw_data(), j * run);
    void* const to = mover.At(y->raw_data(), row * run);
    combine != nullptr ? combine(from, to, run) : CopyRun(mover, from, to, run);
  }
  return OkStatus();
}

template <class Op, class Device>
  requires(Device::type == "CPU")
struct InplaceKernel {
  Status Init(OpKernelConstruction& c) {
    served = Op::kServed.contains(c.input_type(0));
    if (served) combine = Op::Combine(c.input_type(0));
    return OkStatus();
  }
  Status operator()(Context<Device>& context, const Tensor& x, HostIndices i, const Tensor& v, Tensor& y) const {
    return RunInplace(context.op(), context.device(), x, i, v, combine, served, &y);
  }
  CombineFn combine = nullptr;
  bool served = false;
};

}  // namespace detail

// y = x, but y[i[j], ...] = v[j, ...]
struct InplaceUpdate {
  static constexpr auto signature = Op("InplaceUpdate")
                                        .Input("x: T")
                                        .Input("i: int32")
                                        .Input("v: T")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes;
  static detail::CombineFn Combine(DataType) { return nullptr; }
  template <class Device>
  using kernel = detail::InplaceKernel<InplaceUpdate, Device>;
};

// y[i[j], ...] = x[i[j], ...] + v[j, ...]
struct InplaceAdd {
  static constexpr auto signature = Op("InplaceAdd")
                                        .Input("x: T")
                                        .Input("i: int32")
                                        .Input("v: T")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterNumbers>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::AddTo, detail::ScatterNumbers>(type);
  }
  template <class Device>
  using kernel = detail::InplaceKernel<InplaceAdd, Device>;
};

// y[i[j], ...] = x[i[j], ...] - v[j, ...]
struct InplaceSub {
  static constexpr auto signature = Op("InplaceSub")
                                        .Input("x: T")
                                        .Input("i: int32")
                                        .Input("v: T")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterNumbers>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::SubtractFrom, detail::ScatterNumbers>(type);
  }
  template <class Device>
  using kernel = detail::InplaceKernel<InplaceSub, Device>;
};

// Copies x into a buffer of its own.
struct DeepCopy {
  static constexpr auto signature = Op("DeepCopy")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      Tensor* out = &y;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, x.shape(), &out));
      if (!(kPodAndStringTypes | ToSet(DataType::kVariant)).contains(x.dtype()))
        return errors::InvalidArgument("DeepCopy: Unsupported data type: ", Name(x.dtype()));
      Copy(context.device(), MoverOf(x.dtype()), x.raw_data(), out->raw_data(), x.NumElements());
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
