// SPDX-License-Identifier: Apache-2.0
#pragma once
// Range, LinSpace: numbers at equal distances. CheckNumerics: the input, which must be finite.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_COLD_CODE_BEGIN

// How many numbers start, start + delta, ... there are before limit.
template <class T>
Status RangeSize(T start, T limit, T delta, std::int64_t* size) {
  const bool rises = delta > T(0);
  if (delta == T(0)) return errors::InvalidArgument("Requires delta != 0");
  if (start > limit && rises)
    return errors::InvalidArgument("Requires start <= limit when delta > 0: ", static_cast<double>(start), "/",
                                   static_cast<double>(limit));
  if (start < limit && !rises)
    return errors::InvalidArgument("Requires start >= limit when delta < 0: ", static_cast<double>(start), "/",
                                   static_cast<double>(limit));
  if constexpr (std::is_integral_v<T>) {
    const auto wide = [](T x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
    const std::uint64_t distance = limit >= start ? wide(limit) - wide(start) : wide(start) - wide(limit);
    const std::uint64_t step = rises ? wide(delta) : std::uint64_t{0} - wide(delta);
    const std::uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return errors::InvalidArgument("Requires ((limit - start) / delta) <= 2^63 - 1");
    *size = static_cast<std::int64_t>(count);
  } else {
    const double count =
        std::ceil(std::abs(static_cast<double>(static_cast<T>(static_cast<T>(limit - start) / delta))));
    if (!(count < 9.2e18))
      return errors::InvalidArgument("Requires ((limit - start) / delta) <= 2^63 - 1, but it is ", count);
    *size = static_cast<std::int64_t>(count);
  }
  return OkStatus();
}

inline Status RangeShape(InferenceContext* c) {
  ShapeHandle unused;
  const Tensor* values[3];
  for (int i = 0; i < 3; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    values[i] = c->input_tensor(i);
  }
  DimensionHandle size = c->UnknownDim();
  if (values[0] != nullptr && values[1] != nullptr && values[2] != nullptr) {
    using Known = TypeList<std::int32_t, std::int16_t, std::int8_t, std::int64_t, std::uint16_t, std::uint32_t,
                           std::uint64_t, float, double, bfloat16>;
    std::int64_t n = 0;
    TENON_RETURN_IF_ERROR(DispatchType<Known>(
        values[0]->dtype(),
        [&]<class T>() {
          return RangeSize<T>(*values[0]->data<T>(), *values[1]->data<T>(), *values[2]->data<T>(), &n);
        },
        "Range: Unsupported dtype"));
    size = c->MakeDim(n);
  }
  c->set_output(0, c->Vector(size));
  return OkStatus();
}

inline Status LinSpaceShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  std::int64_t num = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &num, &known));
  if (known && num <= 0) return errors::InvalidArgument("Requires num > 0: ", num);
  c->set_output(0, c->Vector(known ? c->MakeDim(num) : c->UnknownDim()));
  return OkStatus();
}

TENON_DETAIL_COLD_CODE_END

template <class T>
inline constexpr bool kIsRangeType =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, bfloat16> || std::is_same_v<T, half>;

struct CheckNumericsAttrs {
  std::string_view message;
};
// InvalidArgument where `tensor` has a number that is not finite, with the kinds of such numbers.
TENON_DETAIL_NOINLINE inline Status RunCheckNumerics(std::string_view message, bool tells_signs, const Tensor& tensor) {
  bool plus = false, minus = false, nan = false;
  TENON_RETURN_IF_ERROR(DispatchType<TypeList<bfloat16, half, float, double>>(tensor.dtype(), [&]<class T>() {
    const T* x = tensor.data<T>();
    for (Index i = 0; i < tensor.NumElements(); ++i) {
      const double value = static_cast<double>(x[i]);
      plus |= std::isinf(value) && value > 0;
      minus |= std::isinf(value) && value < 0;
      nan |= std::isnan(value);
    }
  }));
  if (!plus && !minus && !nan) return OkStatus();
  const std::string_view infinities = !tells_signs ? "Inf" : plus && minus ? "-Inf, +Inf" : plus ? "+Inf" : "-Inf";
  const std::string_view both = tells_signs && plus && minus ? ", and NaN" : " and NaN";
  return errors::InvalidArgument(message, " : Tensor had ", plus || minus ? infinities : std::string_view(),
                                 !nan            ? std::string_view()
                                 : plus || minus ? both
                                                 : std::string_view("NaN"),
                                 " values");
}
constexpr auto CheckNumericsOp(const char* name) {
  return Op(name)
      .Input("tensor: T")
      .Output("output: T")
      .Attr("T: {bfloat16, half, float, double}")
      .Attr("message: string")
      .SetIsStateful()
      .SetShapeFn(shape_inference::UnchangedShape);
}
template <bool tells_signs>
struct CheckNumericsKernel : CheckNumericsAttrs {
  Status operator()(Cpu&, const Tensor& tensor, Tensor& output) const {
    output = tensor;
    return RunCheckNumerics(this->message, tells_signs, tensor);
  }
};

}  // namespace detail

// start, start + delta, ..., before limit
struct Range {
  static constexpr auto signature =
      Op("Range")
          .Input("start: Tidx")
          .Input("limit: Tidx")
          .Input("delta: Tidx")
          .Output("output: Tidx")
          .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32")
          .SetShapeFn(detail::RangeShape);

  template <class Device, class T>
    requires(Device::type == "CPU" && detail::kIsRangeType<T>)
  struct kernel {
    Status operator()(Device&, In<T> start, In<T> limit, In<T> delta, Late<T>& output) const {
      for (const In<T>* input : {&start, &limit, &delta})
        if (input->shape().dims() > 1 || input->size() != 1)
          return errors::InvalidArgument("Range: start, limit and delta must be scalars, not shape ", input->shape());
      std::int64_t n = 0;
      TENON_RETURN_IF_ERROR(detail::RangeSize<T>(start[0], limit[0], delta[0], &n));
      TENON_ASSIGN_OR_RETURN(Out<T> out, output.Allocate({n}));
      for (Index i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<T>)  // wraps
          out[i] = static_cast<T>(static_cast<std::uint64_t>(start[0]) +
                                  static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(delta[0]));
        else
          out[i] = static_cast<T>(start[0] + static_cast<T>(static_cast<T>(i) * delta[0]));
      }
      return OkStatus();
    }
  };
};

// num numbers from start to stop, both included
struct LinSpace {
  static constexpr auto signature = Op("LinSpace")
                                        .Input("start: T")
                                        .Input("stop: T")
                                        .Input("num: Tidx")
                                        .Output("output: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::LinSpaceShape);

  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>))
  struct kernel {
    Status operator()(Device&, In<T> start, In<T> stop, HostIndices num, Late<T>& output) const {
      if (start.shape().dims() != 0)
        return errors::InvalidArgument("LinSpace: start must be a scalar, not shape ", start.shape());
      if (stop.shape().dims() != 0)
        return errors::InvalidArgument("LinSpace: stop must be a scalar, not shape ", stop.shape());
      if (num.shape().dims() != 0)
        return errors::InvalidArgument("LinSpace: num must be a scalar, not shape ", num.shape());
      const Index n = num[0];
      if (n <= 0) return errors::InvalidArgument("LinSpace: Requires num > 0: ", n);
      TENON_ASSIGN_OR_RETURN(Out<T> out, output.Allocate({n}));
      out[0] = start[0];
      if (n == 1) return OkStatus();
      const T step = (stop[0] - start[0]) / static_cast<T>(n - 1);
      for (Index i = 1; i < n - 1; ++i) {
        const T moved = step * static_cast<T>(i);
        out[i] = start[0] + moved;
      }
      out[n - 1] = stop[0];
      return OkStatus();
    }
  };
};

// InvalidArgument, beginning with `message`, when an element is infinite or NaN.
struct CheckNumerics {
  static constexpr auto signature = detail::CheckNumericsOp("CheckNumerics");
  using Attrs = detail::CheckNumericsAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::CheckNumericsKernel<false>;
};

// Tells the signs of infinities, too.
struct CheckNumericsV2 {
  static constexpr auto signature = detail::CheckNumericsOp("CheckNumericsV2");
  using Attrs = detail::CheckNumericsAttrs;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::CheckNumericsKernel<true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
