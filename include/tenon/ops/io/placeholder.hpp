// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placeholder: an input of the graph. Its kernel runs only when nobody fed it, and says so.

#include <tenon/base/errors.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_NAMESPACE_BEGIN

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

}  // namespace ops

TENON_NAMESPACE_END
