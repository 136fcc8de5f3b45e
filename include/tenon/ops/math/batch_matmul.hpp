// SPDX-License-Identifier: Apache-2.0
#pragma once
// BatchMatMul, BatchMatMulV2, BatchMatMulV3: products of matrices that lie in the last two dimensions.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/elementwise/cast.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/packs_input.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct BatchMatMulAttrs {
  bool adj_x, adj_y;
};

inline constexpr DataTypeSet kBatchMatMulTypes =
    ToSet(DataType::kBfloat16) | ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble) |
    ToSet(DataType::kInt16) | ToSet(DataType::kInt32) | ToSet(DataType::kInt64) | ToSet(DataType::kComplex64) |
    ToSet(DataType::kComplex128);

// Plans the product and sets *out to its shape. `broadcasts`: whether the operands' leading dimensions may differ.
inline Status PlanBatchMatMul(const TensorShape& x, const TensorShape& y, const BatchMatMulAttrs& attrs,
                              bool broadcasts, BatchMatMulPlan* plan, TensorShape* out) {
  const int x_rank = x.dims(), y_rank = y.dims(), rank = std::max(x_rank, y_rank);
  if (!broadcasts && x_rank != y_rank)
    return errors::InvalidArgument("BatchMatMul: In[0] and In[1] has different ndims: ", x, " vs. ", y);
  if (x_rank < 2) return errors::InvalidArgument("BatchMatMul: In[0] ndims must be >= 2: ", x_rank);
  if (y_rank < 2) return errors::InvalidArgument("BatchMatMul: In[1] ndims must be >= 2: ", y_rank);
  InlinedVector<Index, 8> sizes;
  for (int d = 0; d < rank - 2; ++d) {
    const int in_x = d - (rank - x_rank), in_y = d - (rank - y_rank);
    const Index x_size = in_x < 0 ? 1 : x.dim_size(in_x), y_size = in_y < 0 ? 1 : y.dim_size(in_y);
    if (!broadcasts && x_size != y_size)
      return errors::InvalidArgument("BatchMatMul: In[0].dim(", d, ") and In[1].dim(", d, ") must be the same: ", x,
                                     " vs ", y);
    if (!plan->Add(x_size, y_size))
      return errors::InvalidArgument("BatchMatMul: In[0] and In[1] must have compatible batch dimensions: ", x, " vs. ",
                                     y);
    sizes.push_back(x_size == 1 ? y_size : x_size);
  }
  plan->transpose_x = plan->conjugate_x = attrs.adj_x;
  plan->transpose_y = plan->conjugate_y = attrs.adj_y;
  plan->m = x.dim_size(attrs.adj_x ? x_rank - 1 : x_rank - 2);
  plan->k = x.dim_size(attrs.adj_x ? x_rank - 2 : x_rank - 1);
  plan->n = y.dim_size(attrs.adj_y ? y_rank - 2 : y_rank - 1);
  if (plan->k != y.dim_size(attrs.adj_y ? y_rank - 1 : y_rank - 2))
    return errors::InvalidArgument("BatchMatMul: Matrix size-incompatible: In[0]: ", x, ", In[1]: ", y);
  sizes.push_back(plan->m);
  sizes.push_back(plan->n);
  return TensorShape::Build({sizes.data(), sizes.size()}, out);
}

// An operand of another type than the product (int8 or uint8) in that type, int32 or bfloat16.
template <class Device>
Status WidenOperand(OpKernelContext& context, Device& device, DataType type, Tensor* operand) {
  if (operand->dtype() == type) return OkStatus();
  Tensor wide;
  TENON_RETURN_IF_ERROR(context.allocate_temp(type, operand->shape(), &wide));
  TENON_RETURN_IF_ERROR(
      tenon::Cast(device, operand->dtype(), operand->raw_data(), type, wide.raw_data(), wide.NumElements(), false));
  *operand = std::move(wide);
  return OkStatus();
}

template <class Device>
Status RunBatchMatMul(OpKernelContext& context, Device& device, Tensor x, Tensor y, const BatchMatMulAttrs& attrs,
                      bool broadcasts, Tensor* output, PackedWeights* weights) {
  BatchMatMulPlan plan;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(PlanBatchMatMul(x.shape(), y.shape(), attrs, broadcasts, &plan, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(WidenOperand(context, device, output->dtype(), &x));
  TENON_RETURN_IF_ERROR(WidenOperand(context, device, output->dtype(), &y));
  return tenon::BatchMatMul(device, output->dtype(), plan, x.raw_data(), y.raw_data(), output->raw_data(), weights);
}

// The kernel of the ops whose operands have one type.
template <class Op, class Device>
struct BatchMatMulKernel : BatchMatMulAttrs, PacksInput<1> {
  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(PacksInput<1>::Init(c));
    return ServeOnly(c, c.input_type(0), kBatchMatMulTypes);
  }
  Status operator()(Context<Device>& context, const Tensor& x, const Tensor& y, Tensor& output) const {
    return RunBatchMatMul(context.op(), context.device(), x, y, *this, Op::kBroadcasts, &output, &this->weights);
  }
};

}  // namespace detail

// x: [..., m, k]  y: [..., k, n]  ->  [..., m, n]; adj_x, adj_y: that operand is stored the other way round, and
// conjugated.
struct BatchMatMul {
  static constexpr auto signature = Op("BatchMatMul")
                                        .Input("x: T")
                                        .Input("y: T")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
                                        .Attr("adj_x: bool = false")
                                        .Attr("adj_y: bool = false")
                                        .Attr("grad_x: bool = false")
                                        .Attr("grad_y: bool = false")
                                        .SetShapeFn(shape_inference::BatchMatMulShape);

  using Attrs = detail::BatchMatMulAttrs;
  static constexpr std::string_view unused[] = {"grad_x", "grad_y"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool kBroadcasts = false;

  template <class Device>
  using kernel = detail::BatchMatMulKernel<BatchMatMul, Device>;
};

// BatchMatMul with leading dimensions that are broadcast.
struct BatchMatMulV2 {
  static constexpr auto signature =
      Op("BatchMatMulV2")
          .Input("x: T")
          .Input("y: T")
          .Output("output: T")
          .Attr(
              "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
          .Attr("adj_x: bool = false")
          .Attr("adj_y: bool = false")
          .Attr("grad_x: bool = false")
          .Attr("grad_y: bool = false")
          .SetShapeFn(shape_inference::BatchMatMulV2Shape);

  using Attrs = detail::BatchMatMulAttrs;
  static constexpr std::string_view unused[] = {"grad_x", "grad_y"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool kBroadcasts = true;

  template <class Device>
  using kernel = detail::BatchMatMulKernel<BatchMatMulV2, Device>;
};

// BatchMatMulV2 for operands of two types. Small integers make int32, and together with bfloat16 they make bfloat16.
struct BatchMatMulV3 {
  static constexpr auto signature =
      Op("BatchMatMulV3")
          .Input("x: Ta")
          .Input("y: Tb")
          .Output("output: Tout")
          .Attr("Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}")
          .Attr("Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}")
          .Attr("Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}")
          .Attr("adj_x: bool = false")
          .Attr("adj_y: bool = false")
          .Attr("grad_x: bool = false")
          .Attr("grad_y: bool = false")
          .SetShapeFn(shape_inference::BatchMatMulV2Shape);

  using Attrs = detail::BatchMatMulAttrs;
  static constexpr std::string_view unused[] = {"grad_x", "grad_y"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs, PacksInput<1> {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(PacksInput<1>::Init(c));
      const DataType a = c.input_type(0), b = c.input_type(1), out = c.output_type(0);
      if (HasKernel(a, b, out)) return OkStatus();
      return errors::InvalidArgument("no kernel for op 'BatchMatMulV3' on ", c.device_type(), " with types {", Name(a),
                                     ", ", Name(b), ", ", Name(out),
                                     "}; equal types but half, int8 and uint8 to int32, or one of these with bfloat16");
    }
    Status operator()(Context<Device>& context, const Tensor& x, const Tensor& y, Tensor& output) const {
      return detail::RunBatchMatMul(context.op(), context.device(), x, y, *this, true, &output, &this->weights);
    }
  };

 private:
  static bool HasKernel(DataType a, DataType b, DataType out) {
    const auto is_small = [](DataType t) { return t == DataType::kInt8 || t == DataType::kUint8; };
    if (is_small(a) && is_small(b)) return out == DataType::kInt32;
    if (out == DataType::kBfloat16) return (is_small(a) || a == out) && (is_small(b) || b == out);
    return a == b && b == out && out != DataType::kHalf && detail::kBatchMatMulTypes.contains(out);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
