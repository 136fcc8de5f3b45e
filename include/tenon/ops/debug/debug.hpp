// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copy, DebugIdentity, DebugNanCount, DebugNumericSummary and their forms: nodes of TensorFlow's debugger.
// Tenon has no debugger: a node that would send its tensor to a URL is refused.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/summary/summary_proto.hpp>
#include <tenon/ops/variable/ref_variable.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// Real numbers, and bool.
inline constexpr DataTypeSet kWatchedTypes{kPodTypes.mask & ~kComplexTypes.mask};

inline Status CheckNoUrls(const OpKernelConstruction& c) {
  SlimVector<std::string_view> urls;
  TENON_RETURN_IF_ERROR(c.GetAttr("debug_urls", &urls));
  if (urls.empty()) return OkStatus();
  return errors::Unimplemented(c.op().name, " cannot send its tensor to '", urls[0],
                               "': Tenon has no debugger; leave debug_urls empty");
}

// TensorFlow says other shapes, of a count [] and of a node with a gate the input's: its outputs do not have them.
inline Status WatchedShapeOr(InferenceContext* c, ShapeHandle shape) {
  bool gated = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("gated_grpc", &gated));
  c->set_output(0, gated ? c->Vector(0) : shape);
  return OkStatus();
}
inline Status WatchedShape(InferenceContext* c) { return WatchedShapeOr(c, c->input(0)); }
inline Status WatchedCountShape(InferenceContext* c) { return WatchedShapeOr(c, c->Vector(1)); }

// A node of TensorFlow's older debugger. Its gate opens for URLs alone: a node with a gate gives an empty vector.
class WatchKernel : public OpKernel {
 public:
  explicit WatchKernel(OpKernelConstruction* c) : OpKernel(c) {
    std::string_view name;
    c->SetStatus(c->GetAttr("tensor_name", &name));
    c->SetStatus(c->GetAttr("gated_grpc", &gated_));
    c->SetStatus(CheckNoUrls(*c));
    if (name.empty() || std::count(name.begin(), name.end(), ':') > 1)
      c->SetStatus(errors::InvalidArgument("Failed to parse tensor name: \"", name, "\"; it is node or node:output"));
  }
  void Compute(OpKernelContext* context) override {
    Tensor* none = nullptr;
    context->SetStatus(gated_ ? context->allocate_output(0, TensorShape({0}), &none) : Watch(*context));
  }

 private:
  virtual Status Watch(OpKernelContext& context) const = 0;
  bool gated_ = false;
};

class WatchedValue : public WatchKernel {
 public:
  using WatchKernel::WatchKernel;

 private:
  Status Watch(OpKernelContext& context) const override {
    context.set_output(0, context.input(0));
    return OkStatus();
  }
};

class WatchedNans : public WatchKernel {
 public:
  explicit WatchedNans(OpKernelConstruction* c) : WatchKernel(c) {
    c->SetStatus(ServeOnly(*c, c->input_type(0), DataTypeSet{kWatchedTypes.mask & ~ToSet(DataType::kBool).mask}));
  }

 private:
  Status Watch(OpKernelContext& context) const override {
    const Tensor& input = context.input(0);
    Tensor* output = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({1}), &output));
    std::int64_t count = 0;
    for (Index i = 0; input.IsInitialized() && i < input.NumElements(); ++i)
      count += std::isnan(ElementAs<double>(input, i)) ? 1 : 0;
    output->data<std::int64_t>()[0] = count;
    return OkStatus();
  }
};

// How many elements are negative infinities, ..., NaN.
struct KindCounts {
  std::int64_t minus_inf = 0, negative = 0, zero = 0, positive = 0, inf = 0, nan = 0;

  // Finite numbers beyond the bounds count as infinities.
  void Add(double x, double lower, double upper) {
    ++(std::isnan(x) ? nan : x <= lower ? minus_inf : x >= upper ? inf : x < 0 ? negative : x > 0 ? positive : zero);
  }
};

class WatchedNumbers : public WatchKernel {
 public:
  explicit WatchedNumbers(OpKernelConstruction* c) : WatchKernel(c) {
    constexpr DataTypeSet kSmall = ToSet(DataType::kHalf) | ToSet(DataType::kBfloat16);
    c->SetStatus(ServeOnly(*c, c->input_type(0), DataTypeSet{kWatchedTypes.mask & ~kSmall.mask}));
    c->SetStatus(c->GetAttr("lower_bound", &lower_));
    c->SetStatus(c->GetAttr("upper_bound", &upper_));
  }

 private:
  Status Watch(OpKernelContext& context) const override {
    const Tensor& input = context.input(0);
    const bool is_there = input.IsInitialized();
    const Index n = is_there ? input.NumElements() : 0;
    const int dims = is_there ? input.dims() : 0;
    Tensor* output = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({14 + dims}), &output));
    KindCounts kinds;
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0, squares = 0, finite = 0;
    for (Index i = 0; i < n; ++i) {
      const double x = ElementAs<double>(input, i);
      kinds.Add(x, static_cast<double>(lower_), static_cast<double>(upper_));
      if (!std::isfinite(x)) continue;
      least = std::min(least, x);
      most = std::max(most, x);
      sum += x;
      ++finite;
    }
    const double mean = sum / finite;  // NaN of nothing
    for (Index i = 0; i < n; ++i)
      if (const double x = ElementAs<double>(input, i); std::isfinite(x)) squares += (x - mean) * (x - mean);
    const double head[] = {is_there ? 1.0 : 0.0,
                           static_cast<double>(n),
                           static_cast<double>(kinds.nan),
                           static_cast<double>(kinds.minus_inf),
                           static_cast<double>(kinds.negative),
                           static_cast<double>(kinds.zero),
                           static_cast<double>(kinds.positive),
                           static_cast<double>(kinds.inf),
                           least,
                           most,
                           mean,
                           squares / finite,
                           static_cast<double>(input.dtype()),
                           static_cast<double>(dims)};
    double* const out = std::copy(std::begin(head), std::end(head), output->data<double>());
    for (int d = 0; d < dims; ++d) out[d] = static_cast<double>(input.dim_size(d));
    return OkStatus();
  }
  float lower_ = 0, upper_ = 0;
};

// The summary of a mode, of `size` numbers.
struct HealthSummary {
  double numbers[11];
  int size = 0;

  void Put(double number) { numbers[size++] = number; }
};

// Mode 2: a flag; 3: counts of infinities and NaN; 4: of all kinds; 5: the shape; 8: infinities and NaN themselves.
inline Status SummarizeHealth(const Tensor& input, std::int64_t mode, std::int64_t id, HealthSummary* out) {
  if (mode < 2 || mode > 8 || mode == 6 || mode == 7)
    return errors::Unimplemented("Unimplemented tensor debug mode: ", mode, "; there are 2, 3, 4, 5 and 8");
  constexpr double kInf = std::numeric_limits<double>::infinity();
  KindCounts kinds;
  for (Index i = 0; mode != 5 && i < input.NumElements(); ++i) kinds.Add(ElementAs<double>(input, i), -kInf, kInf);
  if (mode == 8) {
    out->Put(kinds.minus_inf > 0 ? -kInf : 0);
    out->Put(kinds.inf > 0 ? kInf : 0);
    out->Put(kinds.nan > 0 ? std::numeric_limits<double>::quiet_NaN() : 0);
    return OkStatus();
  }
  out->Put(static_cast<double>(id));
  if (mode == 2) {
    out->Put(kinds.minus_inf + kinds.inf + kinds.nan > 0 ? 1 : 0);
    return OkStatus();
  }
  if (mode == 4) out->Put(-1);  // the device
  if (mode >= 4) out->Put(static_cast<double>(input.dtype()));
  if (mode >= 4) out->Put(input.dims());
  out->Put(static_cast<double>(input.NumElements()));
  if (mode == 5) {
    for (int d = std::max(0, input.dims() - 6); d < input.dims(); ++d) out->Put(static_cast<double>(input.dim_size(d)));
    while (out->size < 10) out->Put(0);
    return OkStatus();
  }
  for (const std::int64_t count : {kinds.minus_inf, kinds.inf, kinds.nan}) out->Put(static_cast<double>(count));
  if (mode == 4)
    for (const std::int64_t count : {kinds.negative, kinds.zero, kinds.positive}) out->Put(static_cast<double>(count));
  return OkStatus();
}
inline Status RunHealthSummary(OpKernelContext& context, std::int64_t mode, std::int64_t id, const Tensor& input) {
  const bool wide = context.expected_output_dtype(0) == DataType::kDouble;
  const int digits = wide ? std::numeric_limits<double>::digits : std::numeric_limits<float>::digits;
  if (mode != 8 && id > std::int64_t{1} << digits)
    return errors::InvalidArgument("DebugNumericSummaryV2Op requires tensor_id to be less than or equal to (2^", digits,
                                   "). Given tensor_id:", id);
  HealthSummary summary;
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(SummarizeHealth(input, mode, id, &summary));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({summary.size}), &output));
  for (int i = 0; i < summary.size; ++i) {
    if (wide)
      output->data<double>()[i] = summary.numbers[i];
    else
      output->data<float>()[i] = static_cast<float>(summary.numbers[i]);
  }
  return OkStatus();
}

// The input. Each of debug_ops_spec is "op;url;gate".
class CopyKernel : public OpKernel {
 public:
  explicit CopyKernel(OpKernelConstruction* c) : OpKernel(c) {
    SlimVector<std::string_view> specs;
    c->SetStatus(c->GetAttr("debug_ops_spec", &specs));
    for (const std::string_view spec : specs)
      if (std::count(spec.begin(), spec.end(), ';') != 2)
        c->SetStatus(errors::Internal("Unexpected number of semicolons in debug_ops_spec element: ", spec));
  }
  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(0)); }
};

class DebugIdentityKernel : public OpKernel {
 public:
  explicit DebugIdentityKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(CheckNoUrls(*c)); }
  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(0)); }
};

}  // namespace detail

// TensorFlow's `Copy`: the input.
struct DebugCopy : detail::CpuOp<detail::CopyKernel> {
  static constexpr auto signature = Op("Copy")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("tensor_name: string = ''")
                                        .Attr("debug_ops_spec: list(string) = []")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::UnchangedShape);
};

// The input.
struct CopyHost : detail::CpuOp<detail::CopyKernel> {
  static constexpr auto signature = Op("CopyHost")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("tensor_name: string = ''")
                                        .Attr("debug_ops_spec: list(string) = []")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::UnchangedShape);
};

// The input.
struct DebugIdentity : detail::CpuOp<detail::WatchedValue> {
  static constexpr auto signature = Op("DebugIdentity")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("device_name: string = ''")
                                        .Attr("tensor_name: string = ''")
                                        .Attr("debug_urls: list(string) = []")
                                        .Attr("gated_grpc: bool = false")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(detail::WatchedShape);
};

// The input.
struct DebugIdentityV2 : detail::CpuOp<detail::DebugIdentityKernel> {
  static constexpr auto signature = Op("DebugIdentityV2")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("tfdbg_context_id: string = ''")
                                        .Attr("op_name: string = ''")
                                        .Attr("output_slot: int = -1")
                                        .Attr("tensor_debug_mode: int = -1")
                                        .Attr("debug_urls: list(string) = []")
                                        .Attr("circular_buffer_size: int = 1000")
                                        .Attr("tfdbg_run_id: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);
};

// The input.
struct DebugIdentityV3 : detail::CpuOp<detail::WatchedValue> {
  static constexpr auto signature = Op("DebugIdentityV3")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("device_name: string = ''")
                                        .Attr("tensor_name: string = ''")
                                        .Attr("io_of_node: string = ''")
                                        .Attr("is_input: bool = false")
                                        .Attr("io_index: int = -1")
                                        .Attr("debug_urls: list(string) = []")
                                        .Attr("gated_grpc: bool = false")
                                        .SetIsStateful()
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(detail::WatchedShape);
};

// The input: a place in a graph whose gradient is watched.
struct DebugGradientIdentity {
  static constexpr auto signature = Op("DebugGradientIdentity")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = Identity::kernel<Device>;
};

// The variable.
struct DebugGradientRefIdentity {
  static constexpr auto signature = Op("DebugGradientRefIdentity")
                                        .Input("input: Ref(T)")
                                        .Output("output: Ref(T)")
                                        .Attr("T: type")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = RefIdentity::kernel<Device>;
};

// The number of NaNs: [1].
struct DebugNanCount : detail::CpuOp<detail::WatchedNans> {
  static constexpr auto signature = Op("DebugNanCount")
                                        .Input("input: T")
                                        .Output("output: int64")
                                        .Attr("T: type")
                                        .Attr("device_name: string = ''")
                                        .Attr("tensor_name: string = ''")
                                        .Attr("debug_urls: list(string) = []")
                                        .Attr("gated_grpc: bool = false")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(detail::WatchedCountShape);
};

// [14 + rank]: whether there is a value, its size, counts of NaN, -infinity, negative numbers, 0, positive ones and
// infinity, then least, greatest, mean, variance, dtype, rank and shape.
struct DebugNumericSummary : detail::CpuOp<detail::WatchedNumbers> {
  static constexpr auto signature = Op("DebugNumericSummary")
                                        .Input("input: T")
                                        .Output("output: double")
                                        .Attr("T: type")
                                        .Attr("device_name: string = ''")
                                        .Attr("tensor_name: string = ''")
                                        .Attr("debug_urls: list(string) = []")
                                        .Attr("lower_bound: float = -inf")
                                        .Attr("upper_bound: float = inf")
                                        .Attr("mute_if_healthy: bool = false")
                                        .Attr("gated_grpc: bool = false")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::UnknownShape);
};

// tensor_id, and the summary that tensor_debug_mode names.
struct DebugNumericSummaryV2 {
  static constexpr auto signature = Op("DebugNumericSummaryV2")
                                        .Input("input: T")
                                        .Output("output: output_dtype")
                                        .Attr("output_dtype: {float32, float64} = DT_FLOAT")
                                        .Attr("T: type")
                                        .Attr("tensor_debug_mode: int = -1")
                                        .Attr("tensor_id: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  struct Attrs {
    std::int64_t tensor_debug_mode, tensor_id;
  };
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) const { return ServeOnly(c, c.input_type(0), detail::kWatchedTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&) const {
      return detail::RunHealthSummary(context.op(), this->tensor_debug_mode, this->tensor_id, input);
    }
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
