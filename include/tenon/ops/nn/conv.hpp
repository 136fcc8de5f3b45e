// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2D: a filter that slides over images.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/conv/winograd_choice.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/packs_input.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The algorithm that the optimizer marked a node with.
template <class Device>
struct HasAlgorithm {
  static constexpr ConvAlgorithm algorithm = ConvAlgorithm::kDirect;
};
template <class Device>
  requires(Device::type == "CPU")
struct HasAlgorithm<Device> {
  ConvAlgorithm algorithm = ConvAlgorithm::kDirect;

  Status Init(OpKernelConstruction& c) {
    bool is_free = false;
    (void)TryGetNodeAttr(c.def(), tenon::detail::kMayReassociateAttr, &is_free);
    const AttrValue* const chosen = is_free ? c.def().attr.Find(tenon::detail::kAlgorithmAttr) : nullptr;
    if (is_free) algorithm = ConvAlgorithm::kBySize;
    if (chosen != nullptr && chosen->s() == "winograd") algorithm = ConvAlgorithm::kWinograd;
    return OkStatus();
  }
};

// The base of convolutions whose filter is input 1.
template <class Device>
struct PacksFilter : PacksInputOn<Device, 1>, HasAlgorithm<Device> {};
template <class Device>
  requires(Device::type == "CPU")
struct PacksFilter<Device> : PacksInput<1>, HasAlgorithm<Device> {
  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(HasAlgorithm<Device>::Init(c));
    return PacksInput<1>::Init(c);
  }
};

}  // namespace detail

// input: [n, h, w, c]  filter: [fh, fw, c / groups, k]  ->  [n, oh, ow, k]
struct Conv2D {
  static constexpr auto signature = Op("Conv2D")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double, int32}")
                                        .Attr("strides: list(int)")
                                        .Attr("use_cudnn_on_gpu: bool = true")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(shape_inference::Conv2DShapeWithExplicitPadding);

  struct Attrs {
    std::span<const std::int64_t> strides, explicit_paddings, dilations;
    std::string_view padding, data_format;
  };
  static constexpr std::string_view unused[] = {"use_cudnn_on_gpu"};

  // Where the window is larger than the image the shape function refuses, the kernel gives an empty image: so it sizes
  // the output itself.
  template <class Device, class T>
  struct kernel : Attrs, detail::PacksFilter<Device> {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> input, In<T> filter, Late<T>& output) const {
      if (!TakesImageFormat<Device>(this->data_format))
        return errors::Unimplemented(
            "The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: ",
            this->data_format);
      Padding kind{};
      TENON_RETURN_IF_ERROR(ParsePadding(this->padding, &kind));
      Conv2DGeometry geometry;
      TENON_RETURN_IF_ERROR(MakeConv2DGeometry(input.shape(), filter.shape(), this->strides, this->dilations, kind,
                                               this->explicit_paddings, &geometry, this->data_format == "NCHW"));
      TENON_ASSIGN_OR_RETURN(const Out<T> out, output.Allocate(geometry.output_shape()));
      if constexpr (Device::type == "CPU")
        return tenon::Conv2D(device, geometry, input.data, filter.data, out.data, this->packed(), this->algorithm);
      else
        return tenon::Conv2D(device, geometry, input.data, filter.data, out.data, this->packed());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
