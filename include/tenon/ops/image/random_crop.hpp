// SPDX-License-Identifier: Apache-2.0
#pragma once
// RandomCrop and AdjustContrast: image ops of TensorFlow's first graphs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

inline Status RandomCropShape(InferenceContext* c) {
  ShapeHandle image, unused;
  SlimVector<std::int64_t> size;
  DimensionHandle dims[2] = {c->UnknownDim(), c->UnknownDim()};
  bool known = false;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &image));
  TENON_RETURN_IF_ERROR(c->Merge(c->input(1), c->Vector(2), &unused));
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &size, &known));
  for (std::size_t i = 0; known && i < 2; ++i)
    if (size[i] >= 0) dims[i] = c->MakeDim(size[i]);
  c->set_output(0, c->MakeShape({dims[0], dims[1], c->Dim(image, -1)}));
  return OkStatus();
}

// A number below n, which fits 32 bits, each equally likely. 1 takes no word.
inline Index UniformBelow(PhiloxWords* words, std::uint32_t n) {
  if (n == 1) return 0;
  if ((n & (n - 1)) == 0) return static_cast<Index>(words->Next() & (n - 1));
  const std::uint32_t refused = UINT32_MAX % n + 1;
  std::uint32_t word = words->Next();
  while (word < refused) word = words->Next();
  return static_cast<Index>(word % n);
}

inline Status RunRandomCrop(OpKernelContext& context, SeededGenerator* generator, const Tensor& image,
                            const Tensor& size) {
  if (image.dims() != 3) return errors::InvalidArgument("input must be 3-dimensional, got shape ", image.shape());
  if (size.dims() != 1) return errors::InvalidArgument("size must be 1-D, got shape ", size.shape());
  if (size.NumElements() != 2) return errors::InvalidArgument("size must have two elements, got shape ", size.shape());
  const Index height = size.data<std::int64_t>()[0], width = size.data<std::int64_t>()[1], rows = image.dim_size(0),
              columns = image.dim_size(1), depth = image.dim_size(2);
  if (height < 0 || width < 0)
    return errors::InvalidArgument("size must not be negative, got ", height, " and ", width);
  if (rows < height || columns < width)
    return errors::FailedPrecondition("height and width must be >= the target's: image [", rows, ",", columns,
                                      "], crop [", height, ",", width, "]");
  if (rows == height && columns == width) {
    context.set_output(0, image);
    return OkStatus();
  }
  if (rows - height >= INT32_MAX || columns - width >= INT32_MAX)
    return errors::InvalidArgument("RandomCrop: image of shape ", image.shape(), " is too large");
  PhiloxWords words(generator->Reserve(1));
  const Index left = UniformBelow(&words, static_cast<std::uint32_t>(columns - width + 1)),
              top = UniformBelow(&words, static_cast<std::uint32_t>(rows - height + 1));
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({height, width, depth}), &output));
  if (output->NumElements() == 0) return OkStatus();
  const ElementMover mover = MoverOf(image.dtype());
  for (Index y = 0; y < height; ++y)
    CopyRun(mover, mover.At(image.raw_data(), ((top + y) * columns + left) * depth),
            mover.At(output->raw_data(), y * width * depth), width * depth);
  return OkStatus();
}

inline Status RunAdjustContrast(OpKernelContext& context) {
  const Tensor& images = context.input(0);
  if (images.dims() < 3) return errors::InvalidArgument("input must be at least 3-D, got shape ", images.shape());
  float numbers[3] = {};
  for (int i = 1; i < 4; ++i) {
    constexpr std::string_view kNames[] = {"contrast_factor", "min_value", "max_value"};
    if (context.input(i).dims() != 0)
      return errors::InvalidArgument(kNames[i - 1], " must be scalar: ", context.input(i).shape());
    numbers[i - 1] = *context.input(i).data<float>();
  }
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, images.shape(), &output));
  if (images.NumElements() == 0) return OkStatus();
  const int rank = images.dims();
  const Index channels = images.dim_size(rank - 1), area = images.dim_size(rank - 2) * images.dim_size(rank - 3),
              batch = images.NumElements() / (area * channels);
  float* const out = output->data<float>();
  TENON_RETURN_IF_ERROR(DispatchType<TypeList<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, float, double>>(
      images.dtype(), [&]<class T>() {
        for (Index i = 0; i < images.NumElements(); ++i) out[i] = static_cast<float>(images.data<T>()[i]);
      }));
  for (Index b = 0; b < batch; ++b)
    for (Index c = 0; c < channels; ++c) {
      float* const first = out + b * area * channels + c;
      float sum = 0;
      for (Index i = 0; i < area; ++i) sum += first[i * channels];
      const float mean = sum / static_cast<float>(area);
      for (Index i = 0; i < area; ++i) {
        const float moved = (first[i * channels] - mean) * numbers[0] + mean;
        first[i * channels] = std::max(std::min(moved, numbers[2]), numbers[1]);
      }
    }
  return OkStatus();
}

}  // namespace detail

// image: [h, w, c], size: [2]; a part of that size from a random place.
struct RandomCrop {
  static constexpr auto signature = Op("RandomCrop")
                                        .Input("image: T")
                                        .Input("size: int64")
                                        .Output("output: T")
                                        .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .SetIsStateful()
                                        .Deprecated(8, "Random crop is now pure Python")
                                        .SetShapeFn(detail::RandomCropShape);
  struct Attrs {
    std::int64_t seed, seed2;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      generator.Seed(this->seed, this->seed2);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor& image, const Tensor& size, Tensor&) const {
      return detail::RunRandomCrop(context.op(), &generator, image, size);
    }
    mutable detail::SeededGenerator generator;
  };
};

// AdjustContrastv2 of any numbers, with limits for the result.
struct AdjustContrast {
  static constexpr auto signature = Op("AdjustContrast")
                                        .Input("images: T")
                                        .Input("contrast_factor: float")
                                        .Input("min_value: float")
                                        .Input("max_value: float")
                                        .Output("output: float")
                                        .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
                                        .Deprecated(2, "Use AdjustContrastv2 instead")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          for (int i = 1; i < 4; ++i)
                                            TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
                                          return shape_inference::UnchangedShapeWithRankAtLeast(c, 3);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      Tensor&) const {
      return detail::RunAdjustContrast(context.op());
    }
  };

 private:
  static constexpr DataTypeSet kServed = ToSet(DataType::kUint8) | ToSet(DataType::kInt8) | ToSet(DataType::kInt16) |
                                         ToSet(DataType::kInt32) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
