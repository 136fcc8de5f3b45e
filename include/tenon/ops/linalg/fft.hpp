// SPDX-License-Identifier: Apache-2.0
#pragma once
// FFT, IFFT, RFFT, IRFFT and their forms over two and three dimensions: Fourier transforms of the last dimensions.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/fft.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

enum class FftKind : std::uint8_t { kForward, kInverse, kRealForward, kRealInverse };

TENON_SETUP_CODE_BEGIN

template <int kDims>
Status FftShape(InferenceContext* c) {
  return shape_inference::UnchangedShapeWithRankAtLeast(c, kDims);
}
inline Status RealFftShape(InferenceContext* c, int dims, bool forward) {
  ShapeHandle out, length;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), dims, &out));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &length));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(length, 0), dims, &unused));
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &sizes, &known));
  for (int i = 0; i < dims; ++i) {
    std::int64_t size = known ? sizes[static_cast<std::size_t>(i)] : -1;
    if (forward && i == dims - 1 && size > 0) size = size / 2 + 1;
    TENON_RETURN_IF_ERROR(c->ReplaceDim(out, i - dims, size < 0 ? c->UnknownDim() : c->MakeDim(size), &out));
  }
  c->set_output(0, out);
  return OkStatus();
}
template <int kDims, bool kForward>
Status RealFftShapeOf(InferenceContext* c) {
  return RealFftShape(c, kDims, kForward);
}

TENON_SETUP_CODE_END

// What a transform does to a tensor. The blocks that are transformed are the last `dims` dimensions: `in` of the input
// (at least `used`, or 0), `full` while they are transformed, `out` of the output.
struct FftLayout {
  InlinedVector<Index, 3> in, used, full, out;
  Index blocks = 1;

  static Index Product(const InlinedVector<Index, 3>& sizes) {
    Index n = 1;
    for (const Index size : sizes) n *= size;
    return n;
  }
};

inline Status ReadFftLayout(std::string_view op, FftKind kind, int dims, const TensorShape& shape,
                            const HostIndices* length, FftLayout* layout, TensorShape* output) {
  const int rank = shape.dims();
  if (rank < dims) return errors::InvalidArgument(op, ": Input must have rank of at least ", dims, " but got: ", shape);
  if (length != nullptr && (length->shape().dims() != 1 || length->size() != dims))
    return errors::InvalidArgument(op, ": fft_length must have shape [", dims, "], got ", length->shape());
  *output = shape;
  for (int i = 0; i < dims; ++i) {
    const int d = rank - dims + i;
    const Index have = shape.dim_size(d), full = length == nullptr ? have : (*length)[i];
    if (full < 0) return errors::InvalidArgument(op, ": fft_length[", i, "] must >= 0, but got: ", full);
    const bool last = i == dims - 1;
    const Index half = full == 0 ? 0 : full / 2 + 1;
    const Index used = kind == FftKind::kRealInverse && last ? half : full;
    if (have != 0 && have < used)
      return errors::InvalidArgument(op, ": Input dimension ", i, " must have length of at least ", used,
                                     " but got: ", have);
    layout->in.push_back(have);
    layout->used.push_back(used);
    layout->full.push_back(full);
    layout->out.push_back(kind == FftKind::kRealForward && last ? half : full);
    TENON_RETURN_IF_ERROR(output->SetDimWithStatus(d, layout->out.back()));
  }
  if (output->num_elements() > 0)
    for (int d = 0; d < rank - dims; ++d) layout->blocks *= shape.dim_size(d);
  return OkStatus();
}

// body(from, to, n) for every run of n elements of a block of `used` sizes: where it begins in blocks of sizes a and b.
template <class Body>
void ForEachRow(const InlinedVector<Index, 3>& used, const InlinedVector<Index, 3>& a, const InlinedVector<Index, 3>& b,
                const Body& body) {
  const std::size_t dims = used.size();
  const Index planes = dims > 2 ? used[0] : 1, rows = dims > 1 ? used[dims - 2] : 1, n = used[dims - 1];
  const auto rows_of = [dims](const InlinedVector<Index, 3>& sizes) { return dims > 1 ? sizes[dims - 2] : 1; };
  for (Index p = 0; p < planes; ++p)
    for (Index r = 0; r < rows; ++r) body((p * rows_of(a) + r) * a[dims - 1], (p * rows_of(b) + r) * b[dims - 1], n);
}

template <class From, class To>
void CopyFftRow(const From* from, To* to, Index n) {
  for (Index i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<To>)
      to[i] = static_cast<To>(std::real(from[i]));
    else
      to[i] = To(static_cast<typename To::value_type>(std::real(from[i])),
                 static_cast<typename To::value_type>(std::imag(from[i])));
  }
}

// One block; work: [full].
template <class In, class Out>
void TransformBlock(FftKind kind, const FftLayout& layout, const In* in, Out* out, complex128* work) {
  const std::size_t dims = layout.full.size(), last = dims - 1;
  const std::span<const Index> full(layout.full.data(), dims);
  ForEachRow(layout.used, layout.in, layout.full,
             [&](Index from, Index to, Index n) { CopyFftRow(in + from, work + to, n); });
  const bool inverse = kind == FftKind::kInverse || kind == FftKind::kRealInverse;
  if (kind == FftKind::kRealInverse) {
    // The other dimensions first; then the missing half of each row is the conjugate of the first, backwards.
    const Index n = layout.full[last], rows = n == 0 ? 0 : FftLayout::Product(layout.full) / n;
    for (Index r = 0; r < rows; ++r)
      for (Index k = layout.used[last]; k < n; ++k) work[r * n + k] = complex128();
    for (std::size_t d = 0; d < last; ++d) FftAlong(work, full, d, true);
    for (Index r = 0; r < rows; ++r) {
      complex128* const row = work + r * n;
      row[0] = row[0].real();
      for (Index k = layout.used[last]; k < n; ++k) row[k] = {row[n - k].real(), -row[n - k].imag()};
    }
    FftAlong(work, full, last, true);
  } else {
    for (std::size_t d = 0; d < dims; ++d) FftAlong(work, full, d, inverse);
  }
  ForEachRow(layout.out, layout.full, layout.out,
             [&](Index from, Index to, Index n) { CopyFftRow(work + from, out + to, n); });
}

template <class In, class Out>
void TransformAll(Cpu& device, FftKind kind, const FftLayout& layout, const void* in, void* out) {
  const Index in_size = FftLayout::Product(layout.in), out_size = FftLayout::Product(layout.out);
  const Index size = FftLayout::Product(layout.full);
  ParallelFor(device, layout.blocks, 60.0 * static_cast<double>(size), [&](Index begin, Index end) {
    SlimVector<complex128> work(static_cast<std::size_t>(size), complex128());
    for (Index i = begin; i < end; ++i)
      TransformBlock(kind, layout, static_cast<const In*>(in) + i * in_size, static_cast<Out*>(out) + i * out_size,
                     work.data());
  });
}

inline Status RunFft(OpKernelContext& context, Cpu& device, FftKind kind, int dims, const Tensor& input,
                     const HostIndices* length, Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  const DataType in = input.dtype(), out = context.expected_output_dtype(0);
  const bool wide = in == DataType::kDouble || in == DataType::kComplex128;
  if (wide != (out == DataType::kDouble || out == DataType::kComplex128))
    return errors::InvalidArgument(op, ": Wrong types for ", kind == FftKind::kRealForward ? "forward" : "backward",
                                   " real FFT: in=", Name(in), " out=", Name(out));
  FftLayout layout;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadFftLayout(op, kind, dims, input.shape(), length, &layout, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  if (input.NumElements() == 0) {
    std::memset(output->raw_data(), 0, output->TotalBytes());
    return OkStatus();
  }
  const void* const from = input.raw_data();
  void* const to = output->raw_data();
  if (kind == FftKind::kRealForward)
    wide ? TransformAll<double, complex128>(device, kind, layout, from, to)
         : TransformAll<float, complex64>(device, kind, layout, from, to);
  else if (kind == FftKind::kRealInverse)
    wide ? TransformAll<complex128, double>(device, kind, layout, from, to)
         : TransformAll<complex64, float>(device, kind, layout, from, to);
  else
    wide ? TransformAll<complex128, complex128>(device, kind, layout, from, to)
         : TransformAll<complex64, complex64>(device, kind, layout, from, to);
  return OkStatus();
}

template <class Op, class Device>
  requires(Device::type == "CPU")
struct FftKernel {
  Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
    return RunFft(context.op(), context.device(), Op::kKind, Op::kDims, input, nullptr, &output);
  }
};
template <class Op, class Device>
  requires(Device::type == "CPU")
struct RealFftKernel {
  Status operator()(Context<Device>& context, const Tensor& input, HostIndices fft_length, Tensor& output) const {
    return RunFft(context.op(), context.device(), Op::kKind, Op::kDims, input, &fft_length, &output);
  }
};

}  // namespace detail

// Over the last dimension.
struct FFT {
  static constexpr auto signature = Op("FFT")
                                        .Input("input: Tcomplex")
                                        .Output("output: Tcomplex")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::FftShape<1>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kForward;
  static constexpr int kDims = 1;
  template <class Device>
  using kernel = detail::FftKernel<FFT, Device>;
};

// The inverse of FFT, divided by the number of elements.
struct IFFT {
  static constexpr auto signature = Op("IFFT")
                                        .Input("input: Tcomplex")
                                        .Output("output: Tcomplex")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::FftShape<1>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kInverse;
  static constexpr int kDims = 1;
  template <class Device>
  using kernel = detail::FftKernel<IFFT, Device>;
};

// Of real numbers, cut to fft_length: the first fft_length / 2 + 1 elements of the last dimension, which tell the
// others.
struct RFFT {
  static constexpr auto signature = Op("RFFT")
                                        .Input("input: Treal")
                                        .Input("fft_length: int32")
                                        .Output("output: Tcomplex")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<1, true>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kRealForward;
  static constexpr int kDims = 1;
  template <class Device>
  using kernel = detail::RealFftKernel<RFFT, Device>;
};

// The inverse of RFFT, for an output of fft_length elements.
struct IRFFT {
  static constexpr auto signature = Op("IRFFT")
                                        .Input("input: Tcomplex")
                                        .Input("fft_length: int32")
                                        .Output("output: Treal")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<1, false>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kRealInverse;
  static constexpr int kDims = 1;
  template <class Device>
  using kernel = detail::RealFftKernel<IRFFT, Device>;
};

// Over the last 2 dimensions.
struct FFT2D {
  static constexpr auto signature = Op("FFT2D")
                                        .Input("input: Tcomplex")
                                        .Output("output: Tcomplex")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::FftShape<2>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kForward;
  static constexpr int kDims = 2;
  template <class Device>
  using kernel = detail::FftKernel<FFT2D, Device>;
};

// The inverse of FFT2D, divided by the number of elements.
struct IFFT2D {
  static constexpr auto signature = Op("IFFT2D")
                                        .Input("input: Tcomplex")
                                        .Output("output: Tcomplex")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::FftShape<2>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kInverse;
  static constexpr int kDims = 2;
  template <class Device>
  using kernel = detail::FftKernel<IFFT2D, Device>;
};

// Of real numbers, cut to fft_length: the first fft_length / 2 + 1 elements of the last dimension, which tell the
// others.
struct RFFT2D {
  static constexpr auto signature = Op("RFFT2D")
                                        .Input("input: Treal")
                                        .Input("fft_length: int32")
                                        .Output("output: Tcomplex")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<2, true>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kRealForward;
  static constexpr int kDims = 2;
  template <class Device>
  using kernel = detail::RealFftKernel<RFFT2D, Device>;
};

// The inverse of RFFT2D, for an output of fft_length elements.
struct IRFFT2D {
  static constexpr auto signature = Op("IRFFT2D")
                                        .Input("input: Tcomplex")
                                        .Input("fft_length: int32")
                                        .Output("output: Treal")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<2, false>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kRealInverse;
  static constexpr int kDims = 2;
  template <class Device>
  using kernel = detail::RealFftKernel<IRFFT2D, Device>;
};

// Over the last 3 dimensions.
struct FFT3D {
  static constexpr auto signature = Op("FFT3D")
                                        .Input("input: Tcomplex")
                                        .Output("output: Tcomplex")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::FftShape<3>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kForward;
  static constexpr int kDims = 3;
  template <class Device>
  using kernel = detail::FftKernel<FFT3D, Device>;
};

// The inverse of FFT3D, divided by the number of elements.
struct IFFT3D {
  static constexpr auto signature = Op("IFFT3D")
                                        .Input("input: Tcomplex")
                                        .Output("output: Tcomplex")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::FftShape<3>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kInverse;
  static constexpr int kDims = 3;
  template <class Device>
  using kernel = detail::FftKernel<IFFT3D, Device>;
};

// Of real numbers, cut to fft_length: the first fft_length / 2 + 1 elements of the last dimension, which tell the
// others.
struct RFFT3D {
  static constexpr auto signature = Op("RFFT3D")
                                        .Input("input: Treal")
                                        .Input("fft_length: int32")
                                        .Output("output: Tcomplex")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<3, true>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kRealForward;
  static constexpr int kDims = 3;
  template <class Device>
  using kernel = detail::RealFftKernel<RFFT3D, Device>;
};

// The inverse of RFFT3D, for an output of fft_length elements.
struct IRFFT3D {
  static constexpr auto signature = Op("IRFFT3D")
                                        .Input("input: Tcomplex")
                                        .Input("fft_length: int32")
                                        .Output("output: Treal")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<3, false>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr detail::FftKind kKind = detail::FftKind::kRealInverse;
  static constexpr int kDims = 3;
  template <class Device>
  using kernel = detail::RealFftKernel<IRFFT3D, Device>;
};

}  // namespace ops

TENON_NAMESPACE_END
