// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placeholder: an input of the graph. Its kernel runs only without a feed, and returns InvalidArgument.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Placeholder {
  static constexpr auto signature = Op("Placeholder")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape = { unknown_rank: true }")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          PartialTensorShape shape;
                                          TENON_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
        // Graphs older than version 24 write [] for "unknown".
                                          if (c->graph_def_version() < 24 && shape.dims() == 0)
                                            shape = PartialTensorShape();
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });

  struct Attrs {
    PartialTensorShape shape;
  };

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, Tensor& output) const {
      (void)output;
      const OpKernel& self = context.op().op_kernel();
      return errors::InvalidArgument("You must feed a value for placeholder tensor '", self.name(), "' with dtype ",
                                     self.output_type(0), " and shape ", shape);
    }
  };
};

// Placeholder as it was before version 23 of graphs: `shape` must be given.
struct PlaceholderV2 {
  static constexpr auto signature = Op("PlaceholderV2")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .SetShapeFn(shape_inference::ExplicitShape)
                                        .Deprecated(23, "Placeholder now behaves the same as PlaceholderV2.");

  struct Attrs {
    PartialTensorShape shape;
  };

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, Tensor&) const {
      const OpKernel& self = context.op().op_kernel();
      return errors::InvalidArgument("You must feed a value for placeholder tensor '", self.name(), "' with dtype ",
                                     self.output_type(0), " and shape ", this->shape);
    }
  };
};

// The fed value, or the input without a feed.
struct PlaceholderWithDefault {
  static constexpr auto signature = Op("PlaceholderWithDefault")
                                        .Input("input: dtype")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out, unused;
                                          TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &out));
                                          TENON_RETURN_IF_ERROR(c->Merge(c->input(0), out, &unused));
                                          c->set_output(0, out);  // a fed value may differ from the default
                                          return OkStatus();
                                        });

  static constexpr std::string_view unused[] = {"shape"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
