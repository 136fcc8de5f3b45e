// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniformQuantizedDot, UniformQuantizedDotHybrid: products of matrices of bytes with scales and zero points.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/quantize/uniform.hpp>
#include <tenon/ops/quantize/uniform_product.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN
// Inputs 0 and 1 are [m, k] and [k, n]; scales and zero points follow, of `tensors` tensors, the right one first.
inline Status UniformDotShape(InferenceContext* c, int first, int tensors) {
  ShapeHandle lhs, rhs, unused_scale;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &lhs));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &rhs));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(lhs, 1), c->Dim(rhs, 0), &unused));
  for (int i = 2; i < first; ++i) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 0, &unused_scale));
  for (int i = first; i < first + 2 * tensors; i += 2) TENON_RETURN_IF_ERROR(CheckUniformScales(c, i, c->Dim(rhs, 1)));
  c->set_output(0, c->Matrix(c->Dim(lhs, 0), c->Dim(rhs, 1)));
  return OkStatus();
}
TENON_DETAIL_SETUP_CODE_END

// *product = the shape of inputs 0 and 1 multiplied.
inline Status UniformDotProduct(const OpKernelContext& context, TensorShape* product) {
  const TensorShape &lhs = context.input(0).shape(), &rhs = context.input(1).shape();
  const std::string_view op = context.op_kernel().type_string();
  if (lhs.dims() != 2) return errors::InvalidArgument(op, ": lhs rank must be 2, but given lhs shape ", lhs);
  if (rhs.dims() != 2) return errors::InvalidArgument(op, ": rhs rank must be 2, but given rhs shape ", rhs);
  if (lhs.dim_size(1) != rhs.dim_size(0))
    return errors::InvalidArgument(op, ": lhs.dim_size(1) and rhs.dim_size(0) must be equal, but given lhs shape ", lhs,
                                   " and rhs shape ", rhs);
  const Index sizes[] = {lhs.dim_size(0), rhs.dim_size(1)};
  return TensorShape::Build(sizes, product);
}

// Sums of products of [m, k] and [k, n], in TensorFlow's order: each step rounds to float, so sums beyond 2^24 differ
// from exact ones, and a sum beyond int32 is the smallest integer.
inline void AddInFloat(const Tensor& lhs, std::int32_t zero, const Tensor& rhs, const UniformScale& scale, Index begin,
                       Index end, std::int32_t* sums) {
  const Index depth = lhs.dim_size(1), columns = rhs.dim_size(1);
  const auto* const x = static_cast<const std::int8_t*>(lhs.raw_data());
  const auto* const y = static_cast<const std::int8_t*>(rhs.raw_data());
  for (Index r = begin; r < end; ++r) {
    std::int32_t* const row = sums + r * columns;
    std::fill_n(row, columns, 0);
    for (Index k = 0; k < depth; ++k) {
      const std::int32_t a = WrapSubtract(x[r * depth + k], zero);
      for (Index c = 0; c < columns; ++c) {
        const std::int32_t product = WrapMultiply(a, WrapSubtract(y[k * columns + c], scale.zero(c)));
        row[c] = CutToInt32(static_cast<float>(row[c]) + static_cast<float>(product));
      }
    }
  }
}
// Whether no partial sum of AddInFloat can be beyond 2^24: then it is exact in any order.
inline bool SumsAreExact(const Tensor& lhs, std::int32_t zero, const Tensor& rhs, const UniformScale& scale) {
  const Index rows = lhs.dim_size(0), depth = lhs.dim_size(1), columns = rhs.dim_size(1);
  const auto* const x = static_cast<const std::int8_t*>(lhs.raw_data());
  std::int64_t largest_zero = 0, largest_row = 0;
  for (Index c = 0; c < (scale.per_axis() ? columns : 1); ++c)
    largest_zero = std::max(largest_zero, std::abs(std::int64_t{scale.zero(c)}));
  for (Index r = 0; r < rows; ++r) {
    std::int64_t sum = 0;
    for (Index k = 0; k < depth; ++k) sum += std::abs(x[r * depth + k] - std::int64_t{zero});
    largest_row = std::max(largest_row, sum);
  }
  return static_cast<double>(largest_row) * static_cast<double>(largest_zero + 128) <= 16777216.0;
}

struct UniformDotRule {
  UniformAttrs lhs, rhs, out;

  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(lhs.Read(c, kUniformAttrsOfThree));
    TENON_RETURN_IF_ERROR(rhs.Read(c, kUniformAttrsOfThree + 3));
    TENON_RETURN_IF_ERROR(out.Read(c, kUniformAttrsOfThree + 6));
    if (lhs.axis != -1)
      return errors::InvalidArgument("lhs_quantization_axis Attr must be -1 (per-tensor), but is ", lhs.axis);
    TENON_RETURN_IF_ERROR(CheckChannelAxis("rhs", rhs.axis, 1));
    return CheckChannelAxis("output", out.axis, 1);
  }
  Status Run(OpKernelContext& context, Cpu& device) const {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(UniformDotProduct(context, &shape));
    const Tensor &x = context.input(0), &y = context.input(1);
    const Index rows = x.dim_size(0), depth = x.dim_size(1), columns = y.dim_size(1);
    UniformScale from, right;
    UniformFinish finish;
    Tensor memory, *result = nullptr;
    TENON_RETURN_IF_ERROR(from.Read(context, 2, x.shape(), -1));
    TENON_RETURN_IF_ERROR(right.Read(context, 4, y.shape(), rhs.axis));
    TENON_RETURN_IF_ERROR(finish.to.Read(context, 6, shape, out.axis));
    if (rhs.axis == -1 && out.axis != -1)
      return errors::InvalidArgument(
          "UniformQuantizedDot: If rhs is per-tensor quantized, output must be also per-tensor quantized, but its "
          "scales have shape ",
          context.input(6).shape());
    TENON_RETURN_IF_ERROR(from.RequirePositive(context, 2, "lhs"));
    TENON_RETURN_IF_ERROR(right.RequirePositive(context, 4, "rhs"));
    TENON_RETURN_IF_ERROR(finish.to.RequirePositive(context, 6, "output"));
    finish.kept = out.kept;
    TENON_RETURN_IF_ERROR(finish.Make(context, from, right, columns, &memory));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &result));
    if (shape.num_elements() == 0) return OkStatus();
    auto* const sums = static_cast<std::int32_t*>(result->raw_data());
    const std::int32_t zero = from.zero(0);
    if (SumsAreExact(x, zero, y, right)) {
      const ByteProduct product{static_cast<const std::int8_t*>(x.raw_data()),
                                zero,
                                {y.raw_data(), true, columns, 1},
                                &right,
                                0,
                                rows,
                                columns,
                                depth};
      TENON_RETURN_IF_ERROR(product(device, sums));
    } else {
      ParallelFor(device, rows, static_cast<double>(depth) * static_cast<double>(columns),
                  [&](Index begin, Index end) { AddInFloat(x, zero, y, right, begin, end, sums); });
    }
    for (Index i = 0; i < rows * columns; ++i) sums[i] = finish(sums[i], i % columns);
    return OkStatus();
  }
};

struct UniformDotHybridRule {
  UniformAttrs rhs;

  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(rhs.Read(c, kUniformAttrsOfRhs));
    return CheckChannelAxis("rhs", rhs.axis, 1);
  }
  Status Run(OpKernelContext& context, Cpu& device) const {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(UniformDotProduct(context, &shape));
    const Tensor &x = context.input(0), &y = context.input(1);
    const Index rows = x.dim_size(0), depth = x.dim_size(1), columns = y.dim_size(1);
    UniformScale right;
    Tensor bytes, totals, *result = nullptr;
    TENON_RETURN_IF_ERROR(right.Read(context, 2, y.shape(), rhs.axis));
    TENON_RETURN_IF_ERROR(right.RequirePositive(context, 2, "rhs"));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &result));
    if (shape.num_elements() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, x.shape(), &bytes));
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, shape, &totals));
    auto* const left = static_cast<std::int8_t*>(bytes.raw_data());
    auto* const sums = totals.data<std::int32_t>();
    for (Index r = 0; r < rows; ++r) {  // each row has a scale of its own
      const float* const numbers = x.data<float>() + r * depth;
      const ByteScale scale = ByteScale::Of(numbers, 1, 0, depth);
      for (Index k = 0; k < depth; ++k) left[r * depth + k] = scale(numbers[k]);
    }
    // Zero points of rows come off with the sums of the columns.
    const ByteProduct product{left, 0, {y.raw_data(), true, columns, 1}, &right, 0, rows, columns, depth};
    TENON_RETURN_IF_ERROR(product(device, sums));
    Tensor of_columns;
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({columns}), &of_columns));
    auto* const column_sums = of_columns.data<std::int32_t>();
    std::fill_n(column_sums, columns, 0);
    const auto* const b = static_cast<const std::int8_t*>(y.raw_data());
    for (Index k = 0; k < depth; ++k)
      for (Index c = 0; c < columns; ++c)
        column_sums[c] = WrapAdd(column_sums[c], WrapSubtract(b[k * columns + c], right.zero(c)));
    for (Index r = 0; r < rows; ++r) {
      const ByteScale scale = ByteScale::Of(x.data<float>() + r * depth, 1, 0, depth);
      for (Index c = 0; c < columns; ++c) {
        const std::int32_t sum = WrapSubtract(sums[r * columns + c], WrapMultiply(scale.zero, column_sums[c]));
        result->data<float>()[r * columns + c] =
            scale.scale == 0 ? 0.0f : scale.scale * static_cast<float>(sum) * right.scale(c);
      }
    }
    return OkStatus();
  }
};

}  // namespace detail

// lhs: [m, k], rhs: [k, n]  ->  [m, n]; rhs and output may have a scale for each column.
struct UniformQuantizedDot {
  static constexpr auto signature =
      Op("UniformQuantizedDot")
          .Input("lhs: Tin")
          .Input("rhs: Tin")
          .Input("lhs_scales: float")
          .Input("lhs_zero_points: int32")
          .Input("rhs_scales: float")
          .Input("rhs_zero_points: int32")
          .Input("output_scales: float")
          .Input("output_zero_points: int32")
          .Output("output: Tout")
          .Attr("Tin: {qint8}")
          .Attr("Tout: {qint32}")
          .Attr("lhs_quantization_axis: int = -1")
          .Attr("lhs_quantization_min_val: int")
          .Attr("lhs_quantization_max_val: int")
          .Attr("rhs_quantization_axis: int = -1")
          .Attr("rhs_quantization_min_val: int")
          .Attr("rhs_quantization_max_val: int")
          .Attr("output_quantization_axis: int = -1")
          .Attr("output_quantization_min_val: int")
          .Attr("output_quantization_max_val: int")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::UniformDotShape(c, 4, 2); });
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrsOfThree;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::KernelOfMany<detail::UniformDotRule, 8, 1>;
};

// Quantizes each row of lhs, multiplies, and gives numbers.
struct UniformQuantizedDotHybrid {
  static constexpr auto signature =
      Op("UniformQuantizedDotHybrid")
          .Input("lhs: Tlhs")
          .Input("rhs: Trhs")
          .Input("rhs_scales: float")
          .Input("rhs_zero_points: int32")
          .Output("output: Tout")
          .Attr("Tlhs: {float}")
          .Attr("Trhs: {qint8}")
          .Attr("Tout: {float}")
          .Attr("rhs_quantization_axis: int = -1")
          .Attr("rhs_quantization_min_val: int")
          .Attr("rhs_quantization_max_val: int")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::UniformDotShape(c, 2, 1); });
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrsOfRhs;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::KernelOfMany<detail::UniformDotHybridRule, 4, 1>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
