// SPDX-License-Identifier: Apache-2.0
#pragma once
// FFT, IFFT, RFFT, IRFFT and their forms over two and three dimensions: Fourier transforms of the last dimensions.

#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/fft/fft.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

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

TENON_DETAIL_SETUP_CODE_END

inline Status ReadFftSizes(std::string_view op, FftKind kind, int dims, const TensorShape& shape,
                           const HostIndices* length, FftSizes* sizes, TensorShape* output) {
  const int rank = shape.dims();
  if (rank < dims) return errors::InvalidArgument(op, ": Input must have rank of at least ", dims, " but got: ", shape);
  if (length != nullptr && (length->shape().dims() != 1 || length->size() != dims))
    return errors::InvalidArgument(op, ": fft_length must have shape [", dims, "], got ", length->shape());
  *output = shape;
  sizes->dims = dims;
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
    sizes->in[i] = have;
    sizes->full[i] = full;
    sizes->out[i] = kind == FftKind::kRealForward && last ? half : full;
    TENON_RETURN_IF_ERROR(output->SetDimWithStatus(d, sizes->out[i]));
  }
  if (output->num_elements() > 0)
    for (int d = 0; d < rank - dims; ++d) sizes->blocks *= shape.dim_size(d);
  return OkStatus();
}

inline Status RunFft(OpKernelContext& context, Cpu& device, FftKind kind, int dims, const Tensor& input,
                     const HostIndices* length, Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  const DataType in = input.dtype(), out = context.expected_output_dtype(0);
  const bool wide = in == DataType::kDouble || in == DataType::kComplex128;
  if (wide != (out == DataType::kDouble || out == DataType::kComplex128))
    return errors::InvalidArgument(op, ": Wrong types for ", kind == FftKind::kRealForward ? "forward" : "backward",
                                   " real FFT: in=", Name(in), " out=", Name(out));
  FftSizes sizes;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ReadFftSizes(op, kind, dims, input.shape(), length, &sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  if (shape.num_elements() == 0) return OkStatus();
  if (input.NumElements() == 0) {
    std::memset(output->raw_data(), 0, output->TotalBytes());
    return OkStatus();
  }
  const void* const from = input.raw_data();
  void* const to = output->raw_data();
  return wide ? Fft<double>(device, kind, sizes, from, to, op) : Fft<float>(device, kind, sizes, from, to, op);
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
  static constexpr FftKind kKind = FftKind::kForward;
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
  static constexpr FftKind kKind = FftKind::kInverse;
  static constexpr int kDims = 1;
  template <class Device>
  using kernel = detail::FftKernel<IFFT, Device>;
};

// FFT of real numbers, cut to fft_length. Gives the first fft_length / 2 + 1 elements of the last dimension, which
// determine the rest.
struct RFFT {
  static constexpr auto signature = Op("RFFT")
                                        .Input("input: Treal")
                                        .Input("fft_length: int32")
                                        .Output("output: Tcomplex")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<1, true>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr FftKind kKind = FftKind::kRealForward;
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
  static constexpr FftKind kKind = FftKind::kRealInverse;
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
  static constexpr FftKind kKind = FftKind::kForward;
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
  static constexpr FftKind kKind = FftKind::kInverse;
  static constexpr int kDims = 2;
  template <class Device>
  using kernel = detail::FftKernel<IFFT2D, Device>;
};

// FFT2D of real numbers, cut to fft_length. Gives the first fft_length / 2 + 1 elements of the last dimension, which
// determine the rest.
struct RFFT2D {
  static constexpr auto signature = Op("RFFT2D")
                                        .Input("input: Treal")
                                        .Input("fft_length: int32")
                                        .Output("output: Tcomplex")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<2, true>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr FftKind kKind = FftKind::kRealForward;
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
  static constexpr FftKind kKind = FftKind::kRealInverse;
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
  static constexpr FftKind kKind = FftKind::kForward;
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
  static constexpr FftKind kKind = FftKind::kInverse;
  static constexpr int kDims = 3;
  template <class Device>
  using kernel = detail::FftKernel<IFFT3D, Device>;
};

// FFT3D of real numbers, cut to fft_length. Gives the first fft_length / 2 + 1 elements of the last dimension, which
// determine the rest.
struct RFFT3D {
  static constexpr auto signature = Op("RFFT3D")
                                        .Input("input: Treal")
                                        .Input("fft_length: int32")
                                        .Output("output: Tcomplex")
                                        .Attr("Treal: {float, double} = DT_FLOAT")
                                        .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(detail::RealFftShapeOf<3, true>);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr FftKind kKind = FftKind::kRealForward;
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
  static constexpr FftKind kKind = FftKind::kRealInverse;
  static constexpr int kDims = 3;
  template <class Device>
  using kernel = detail::RealFftKernel<IRFFT3D, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
