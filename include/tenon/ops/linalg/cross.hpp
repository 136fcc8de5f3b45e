// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cross: cross products of vectors of three elements.

#include <cstdint>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CrossShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &a));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &b));
  TENON_RETURN_IF_ERROR(c->Merge(a, b, &a));
  DimensionHandle three;
  if (c->RankKnown(a)) TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(a, -1), 3, &three));
  c->set_output(0, a);
  return OkStatus();
}

using CrossLoop = void (*)(const void* a, const void* b, void* out, Index begin, Index end);

// Vectors [begin, end). Each product and difference is rounded to T; integers wrap around.
template <class T>
void CrossRun(const void* pa, const void* pb, void* pout, Index begin, Index end) {
  const auto difference = [](T x, T y, T z, T w) {  // x y - z w
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(std::uint64_t{x} * std::uint64_t{y} - std::uint64_t{z} * std::uint64_t{w});
    else
      return static_cast<T>(static_cast<T>(x * y) - static_cast<T>(z * w));
  };
  for (Index i = 3 * begin; i < 3 * end; i += 3) {
    const T* const a = static_cast<const T*>(pa) + i;
    const T* const b = static_cast<const T*>(pb) + i;
    T* const out = static_cast<T*>(pout) + i;
    out[0] = difference(a[1], b[2], a[2], b[1]);
    out[1] = difference(a[2], b[0], a[0], b[2]);
    out[2] = difference(a[0], b[1], a[1], b[0]);
  }
}
// One loop for both signs.
inline CrossLoop CrossLoopFor(DataType type) {
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8: return &CrossRun<std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16: return &CrossRun<std::uint16_t>;
    case DataType::kInt32:
    case DataType::kUint32: return &CrossRun<std::uint32_t>;
    case DataType::kInt64:
    case DataType::kUint64: return &CrossRun<std::uint64_t>;
    case DataType::kHalf: return &CrossRun<half>;
    case DataType::kBfloat16: return &CrossRun<bfloat16>;
    case DataType::kFloat: return &CrossRun<float>;
    default: return &CrossRun<double>;
  }
}

}  // namespace detail

// a, b: [..., 3]  ->  [..., 3]
struct Cross {
  static constexpr auto signature =
      Op("Cross")
          .Input("a: T")
          .Input("b: T")
          .Output("product: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(detail::CrossShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& a, const Tensor& b, Tensor& product) const {
      if (!(a.shape() == b.shape()))
        return errors::InvalidArgument("Cross: Both inputs must be of same shape: ", a.shape(), " vs. ", b.shape());
      if (a.dims() < 1) return errors::InvalidArgument("Cross: Input must be at least 1D, got shape ", a.shape());
      if (a.dim_size(a.dims() - 1) != 3)
        return errors::InvalidArgument("Cross: Cross-products are only defined for 3-element vectors, got shape ",
                                       a.shape());
      Tensor* out = &product;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, a.shape(), &out));
      const detail::CrossLoop loop = detail::CrossLoopFor(a.dtype());
      ParallelFor(context.device(), a.NumElements() / 3, 5,
                  [&](Index begin, Index end) { loop(a.raw_data(), b.raw_data(), out->raw_data(), begin, end); });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
