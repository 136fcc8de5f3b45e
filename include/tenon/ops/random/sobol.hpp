// SPDX-License-Identifier: Apache-2.0
#pragma once
// SobolSample: points that fill a cube evenly.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/sobol.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Writes one coordinate of `count` points, `step` elements apart. `point` is that of point `first`, in units of `unit`.
template <class T>
void FillSobol(const sobol::Directions& directions, std::uint32_t first, std::uint32_t point, T unit, Index count,
               Index step, T* out) {
  *out = static_cast<T>(point) * unit;
  for (Index i = 1; i < count; ++i) {
    point ^= directions[static_cast<std::size_t>(std::countr_one(first + static_cast<std::uint32_t>(i) - 1))];
    out[i * step] = static_cast<T>(point) * unit;
  }
}

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status SobolSampleShape(InferenceContext* c) {
  ShapeHandle unused;
  DimensionHandle rows, columns;
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &rows));
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(0, &columns));
  c->set_output(0, c->Matrix(rows, columns));
  return OkStatus();
}

inline Status CheckSobolSample(std::int32_t dim, std::int32_t num_results, std::int32_t skip) {
  constexpr const char* kOp = "SobolSample";
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max(), kMostOfTensorFlow = 21200;
  if (dim < 1) return errors::InvalidArgument(kOp, ": dim must be at least one, got ", dim);
  if (dim > kMostOfTensorFlow)
    return errors::InvalidArgument(kOp, ": dim must be at most ", kMostOfTensorFlow, ", got ", dim);
  if (dim > sobol::kMaxDimensions)
    return errors::Unimplemented(kOp, ": dim is ", dim, "; there are direction numbers for ", sobol::kMaxDimensions,
                                 " dimensions");
  if (num_results < 1) return errors::InvalidArgument(kOp, ": num_results must be at least one, got ", num_results);
  if (skip < 0) return errors::InvalidArgument(kOp, ": skip must be non-negative, got ", skip);
  if (num_results >= kMost - skip)
    return errors::InvalidArgument(kOp, ": num_results+skip must be less than ", kMost, ", got ", num_results, " + ",
                                   skip);
  return OkStatus();
}

inline Status RunSobolSample(OpKernelContext& context) {
  std::int32_t numbers[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (context.input(i).dims() != 0)
      return errors::InvalidArgument("SobolSample: input ", i, " must be a scalar, got shape ",
                                     context.input(i).shape());
    numbers[i] = context.input(i).data<std::int32_t>()[0];
  }
  const std::int32_t dim = numbers[0], num_results = numbers[1], skip = numbers[2];
  TENON_RETURN_IF_ERROR(CheckSobolSample(dim, num_results, skip));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({num_results, dim}), &out));
  const auto last = static_cast<std::uint32_t>(skip) + static_cast<std::uint32_t>(num_results);
  const int digits = static_cast<int>(std::bit_width(last + 1));
  // With 31 digits TensorFlow's factor overflows, and its points are negative.
  const double unit = (digits == sobol::kMaxDigits ? -1.0 : 1.0) / static_cast<double>(std::uint64_t{1} << digits);
  sobol::DirectionNumbers all;
  for (Index d = 0; d < dim; ++d) {
    sobol::Directions directions = all.Next();
    std::uint32_t point = 0;
    const std::uint32_t first = static_cast<std::uint32_t>(skip) + 1, gray = first ^ first >> 1;
    for (int k = 0; k < digits; ++k) {
      directions[static_cast<std::size_t>(k)] <<= digits - k - 1;
      if ((gray >> k & 1U) != 0) point ^= directions[static_cast<std::size_t>(k)];
    }
    if (out->dtype() == DataType::kFloat)
      FillSobol(directions, first, point, static_cast<float>(unit), num_results, dim, out->data<float>() + d);
    else
      FillSobol(directions, first, point, unit, num_results, dim, out->data<double>() + d);
  }
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// Points skip + 1 to skip + num_results of Sobol's sequence in `dim` dimensions: [num_results, dim], in [0, 1).
struct SobolSample {
  static constexpr auto signature = Op("SobolSample")
                                        .Input("dim: int32")
                                        .Input("num_results: int32")
                                        .Input("skip: int32")
                                        .Output("samples: dtype")
                                        .Attr("dtype: {float, double} = DT_FLOAT")
                                        .SetShapeFn(detail::SobolSampleShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunSobolSample(context.op());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
