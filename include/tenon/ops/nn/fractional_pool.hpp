// SPDX-License-Identifier: Apache-2.0
#pragma once
// FractionalMaxPool, FractionalAvgPool: pools whose windows have random sizes, so that a ratio need not be whole.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/nn/fractional_pool_gradient.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct FractionalPoolAttrs {
  std::span<const float> pooling_ratio;
  bool pseudo_random, overlapping, deterministic;
  std::int64_t seed, seed2;
};

inline Status FractionalPoolShape(InferenceContext* c) {
  ShapeHandle input;
  SlimVector<float> ratios;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->GetAttr("pooling_ratio", &ratios));
  if (ratios.size() != 4)
    return errors::InvalidArgument("pooling_ratio field must specify 4 dimensions, got ", ratios.size());
  SlimVector<DimensionHandle> sizes;
  for (int d = 0; d < 4; ++d) {
    DimensionHandle size = c->Dim(input, d);
    if (c->ValueKnown(size)) {
      const auto ratio = static_cast<double>(ratios[static_cast<std::size_t>(d)]);
      const double pooled = std::floor(static_cast<double>(c->Value(size)) / ratio);
      if (!(pooled >= 0 && pooled < 0x1p63))
        return errors::InvalidArgument("Size computed for dim ", d, " is negative or too large: ", pooled);
      size = c->MakeDim(static_cast<std::int64_t>(pooled));
    }
    sizes.push_back(size);
  }
  c->set_output(0, c->MakeShape({sizes[0], sizes[1], sizes[2], sizes[3]}));
  // TensorFlow says one less than its kernel gives, and graphs carry that in _output_shapes.
  for (int d = 1; d <= 2; ++d) c->set_output(d, c->Vector(c->UnknownDim()));
  return OkStatus();
}

inline Status CheckFractionalPool(const FractionalPoolAttrs& a) {
  if (a.pooling_ratio.size() != 4)
    return errors::InvalidArgument("pooling_ratio field must specify 4 dimensions, got ", a.pooling_ratio.size());
  for (const float ratio : a.pooling_ratio)
    if (!(ratio >= 1)) return errors::InvalidArgument("pooling_ratio cannot be smaller than 1, got: ", ratio);
  if (a.pooling_ratio[0] != 1 || a.pooling_ratio[3] != 1)
    return errors::Unimplemented("Fractional pooling is not yet supported on the batch nor channel dimension.");
  if (!a.deterministic && (a.seed != 0 || a.seed2 != 0))
    return errors::InvalidArgument("Both seed and seed2 should be 0 if deterministic is false, got ", a.seed, " and ",
                                   a.seed2);
  return OkStatus();
}

// The sizes of `count` windows over `size` elements: the whole part of their ratio or one more each. On from `*stream`.
inline void DrawPoolSizes(Index size, bool pseudo_random, Philox* stream, std::int64_t* sizes, Index count) {
  const Index whole = size / count;
  PhiloxWords words(*stream);
  if (pseudo_random) {  // Graham, "Fractional max-pooling", 2014: the ends are ceil(ratio (i + u))
    stream->Skip(1);
    const double ratio = static_cast<double>(size) / static_cast<double>(count);
    const double left = static_cast<double>(whole + 2) / ratio - 1;
    const double right = static_cast<double>(size + 1 - whole) / ratio - static_cast<double>(count - 1);
    const std::uint64_t high = words.Next() & 0xfffffu, low = words.Next();
    const double u =
        (std::bit_cast<double>(std::uint64_t{1023} << 52 | high << 32 | low) - 1.0) * std::min(left, right);
    Index before = 1;
    for (Index i = 1; i <= count; ++i) {
      const Index end = i == count ? size + 1 : static_cast<Index>(std::ceil(ratio * (static_cast<double>(i) + u)));
      sizes[i - 1] = end - before;
      before = end;
    }
    return;
  }
  stream->Skip(static_cast<std::uint64_t>(count + 3) / 4);
  for (Index i = 0; i < count; ++i) sizes[i] = whole + (i < size % count ? 1 : 0);
  for (Index i = 0; i + 1 < count; ++i)
    std::swap(sizes[i], sizes[i + static_cast<Index>(words.Next() % static_cast<std::uint32_t>(count - i))]);
}

// Output `output`: where the windows begin, and the end of the last one.
inline Status SetPoolSequence(OpKernelContext& context, int output, Index size, Index count, bool pseudo_random,
                              Philox* stream, const std::int64_t** sequence) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(output, TensorShape({count + 1}), &out));
  std::int64_t* const ends = out->data<std::int64_t>();
  ends[0] = 0;
  DrawPoolSizes(size, pseudo_random, stream, ends + 1, count);
  for (Index i = 1; i <= count; ++i) ends[i] += ends[i - 1];
  *sequence = ends;
  return OkStatus();
}

template <class T>
void PoolFractionally(const FractionalGeometry& g, bool mean, const T* in, T* out) {
  for (Index i = 0; i < g.batch * g.places(); ++i, out += g.depth) {
    const T* const image = in + i / g.places() * g.image();
    std::fill_n(out, g.depth, mean ? T(0) : std::numeric_limits<T>::lowest());
    const Index pixels = g.ForWindow(i % g.places(), [&](Index pixel) {
      for (Index d = 0; d < g.depth; ++d)
        out[d] = mean ? tenon::detail::PoolSum(out[d], image[pixel + d]) : std::max(out[d], image[pixel + d]);
    });
    for (Index d = 0; mean && pixels > 0 && d < g.depth; ++d) out[d] /= static_cast<T>(pixels);
  }
}

TENON_DETAIL_RARE inline Status RunFractionalPool(OpKernelContext& context, const FractionalPoolAttrs& a, bool mean) {
  const Tensor& in = context.input(0);
  const std::string_view op = context.op_kernel().type_string();
  if (in.dims() != 4) return errors::InvalidArgument(op, ": tensor_in must be 4-dimensional, got ", in.shape());
  Index sizes[4];
  for (int d = 0; d < 4; ++d) {
    const float ratio = a.pooling_ratio[static_cast<std::size_t>(d)];
    if (static_cast<float>(in.dim_size(d)) < ratio)
      return errors::InvalidArgument(op, ": Pooling ratio is higher than input dimension size for dimension ", d,
                                     ". Input dim size: ", in.dim_size(d), " pooling ratio: ", ratio);
    const float size = std::floor(static_cast<float>(in.dim_size(d)) / ratio);
    if (!(size >= 0 && size <= 2147483520.0f))  // NaN: the ratio is
      return errors::InvalidArgument(op, ": dimension ", d, " is too large: ", in.dim_size(d), " by ", ratio);
    sizes[d] = static_cast<Index>(size);
  }
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const bool any = !a.deterministic || (a.seed == 0 && a.seed2 == 0);
  Philox stream = Philox::FromSeeds(any ? UnpredictableBits() : static_cast<std::uint64_t>(a.seed),
                                    any ? UnpredictableBits() : static_cast<std::uint64_t>(a.seed2));
  FractionalGeometry g{sizes[0], sizes[3], in.dim_size(3), {}, {}};
  FractionalWindows* const windows[] = {&g.rows, &g.columns};
  for (int d = 0; d < 2; ++d) {
    *windows[d] = {nullptr, sizes[1 + d], in.dim_size(1 + d), a.overlapping};
    TENON_RETURN_IF_ERROR(SetPoolSequence(context, 1 + d, in.dim_size(1 + d), sizes[1 + d], a.pseudo_random, &stream,
                                          &windows[d]->sequence));
  }
  return DispatchType<FractionalTypes>(in.dtype(),
                                       [&]<class T>() { PoolFractionally(g, mean, in.data<T>(), out->data<T>()); });
}

constexpr auto FractionalPoolOp(const char* name) {
  return Op(name)
      .Input("value: T")
      .Output("output: T")
      .Output("row_pooling_sequence: int64")
      .Output("col_pooling_sequence: int64")
      .Attr("pooling_ratio: list(float) >= 4")
      .Attr("pseudo_random: bool = false")
      .Attr("overlapping: bool = false")
      .Attr("deterministic: bool = false")
      .Attr("seed: int = 0")
      .Attr("seed2: int = 0")
      .Attr("T: {float, double, int32, int64}")
      .SetShapeFn(FractionalPoolShape);
}

template <bool mean>
struct FractionalPoolKernel : FractionalPoolAttrs {
  Status Init(OpKernelConstruction&) const { return CheckFractionalPool(*this); }
  Status operator()(Context<Cpu>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
    return RunFractionalPool(context.op(), *this, mean);
  }
};

}  // namespace detail

// value: [n, h, w, c]  ->  output: [n, h / ratio, w / ratio, c], and where its rows and columns begin in the input
struct FractionalMaxPool {
  static constexpr auto signature = detail::FractionalPoolOp("FractionalMaxPool");
  using Attrs = detail::FractionalPoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::FractionalPoolKernel<false>;
};

struct FractionalAvgPool {
  static constexpr auto signature = detail::FractionalPoolOp("FractionalAvgPool");
  using Attrs = detail::FractionalPoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::FractionalPoolKernel<true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
