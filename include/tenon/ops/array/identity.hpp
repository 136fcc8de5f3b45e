// SPDX-License-Identifier: Apache-2.0
#pragma once
// Identity and its kin: outputs that are their inputs, sharing the buffer.

#include <cstddef>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Identity {
  static constexpr auto signature =
      Op("Identity").Input("input: T").Output("output: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

// Each output is the input of the same number.
struct IdentityN {
  static constexpr auto signature = Op("IdentityN")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 1")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          for (int i = 0; i < c->num_inputs(); ++i) c->set_output(i, c->input(i));
                                          return OkStatus();
                                        });

  template <class Device>
  struct kernel {
    Status operator()(Device&, std::span<const Tensor> input, std::span<Tensor> output) const {
      for (std::size_t i = 0; i < input.size(); ++i) output[i] = input[i];
      return OkStatus();
    }
  };
};

namespace detail {
struct ListForm {
  static Status Shapes(InferenceContext* c) {
    if (c->num_inputs() != c->num_outputs()) return shape_inference::UnknownShape(c);  // the kernel refuses it
    for (int i = 0; i < c->num_inputs(); ++i) c->set_output(i, c->input(i));
    return OkStatus();
  }
  static Status Init(OpKernelConstruction& c) {
    const auto in = c.input_types(), out = c.output_types();
    if (in.size() != out.size()) return errors::Internal("#inputs != #outputs : ", in.size(), " vs. ", out.size());
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] != out[i])
        return errors::Internal("Input and output types for position ", i, " do not match: ", in[i], " vs. ", out[i]);
    return OkStatus();
  }
};
}  // namespace detail

// TensorFlow's `_ListToArray`: bodies of functions take a list for an array of tensors of one type.
struct ListToArray {
  static constexpr auto signature = Op("_ListToArray")
                                        .Input("input: Tin")
                                        .Output("output: N * T")
                                        .Attr("Tin: list(type)")
                                        .Attr("T: type")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(detail::ListForm::Shapes);
  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return detail::ListForm::Init(c); }
    Status operator()(Device&, std::span<const Tensor> input, std::span<Tensor> output) const {
      for (std::size_t i = 0; i < input.size(); ++i) output[i] = input[i];
      return OkStatus();
    }
  };
};
// TensorFlow's `_ArrayToList`.
struct ArrayToList {
  static constexpr auto signature = Op("_ArrayToList")
                                        .Input("input: N * T")
                                        .Output("output: out_types")
                                        .Attr("T: type")
                                        .Attr("N: int >= 1")
                                        .Attr("out_types: list(type)")
                                        .SetShapeFn(detail::ListForm::Shapes);
  template <class Device>
  using kernel = ListToArray::kernel<Device>;
};

// The input as it is now: TensorFlow copies it, here a value cannot change any more.
struct Snapshot {
  static constexpr auto signature =
      Op("Snapshot").Input("input: T").Output("output: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

struct StopGradient {
  static constexpr auto signature = Op("StopGradient")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = Identity::kernel<Device>;
};

// `message` is for whoever asks for a gradient.
struct PreventGradient {
  static constexpr auto signature = Op("PreventGradient")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("message: string = ''")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr std::string_view unused[] = {"message"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = Identity::kernel<Device>;
};

// The input, which must have a shape that `shape` allows.
struct EnsureShape {
  static constexpr auto signature = Op("EnsureShape")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("shape: shape")
                                        .Attr("T: type")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle wanted, input = c->input(0), out;
                                          TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &wanted));
                                          // As in TensorFlow, an input of known rank does not have "the rank -1" of an
                                          // unknown shape.
                                          if (c->RankKnown(input))
                                            TENON_RETURN_IF_ERROR(c->WithRank(input, c->Rank(wanted), &input));
                                          TENON_RETURN_IF_ERROR(c->Merge(wanted, input, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });

  struct Attrs {
    PartialTensorShape shape;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      if (!this->shape.IsCompatibleWith(input.shape()))
        return errors::InvalidArgument("EnsureShape: Shape of tensor '", context.op().op_kernel().name(), "' ",
                                       input.shape(), " is not compatible with expected shape ", this->shape, ".");
      output = input;
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
