// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape and its kin: the sizes of a tensor as a vector, how many there are, and their product.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Shape {
  static constexpr auto signature =
      Op("Shape")
          .Input("input: T")
          .Output("output: out_type")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status {
            const ShapeHandle input = c->input(0);
            c->set_output(0, c->Vector(c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
            return OkStatus();
          });

  template <class Device, class T>
  struct kernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Device&, const Tensor& input, Out<T> output) const { return Write(input, output); }
  };

  template <class T>
  static Status Write(const Tensor& input, Out<T> output) {
    for (int d = 0; d < input.dims(); ++d) {
      if (std::is_same_v<T, std::int32_t> && input.dim_size(d) > std::numeric_limits<std::int32_t>::max())
        return errors::InvalidArgument("Shape: output type is int32 but dim ", d, " is ", input.dim_size(d),
                                       "; use out_type = int64");
      output[d] = static_cast<T>(input.dim_size(d));
    }
    return OkStatus();
  }
};

// Shape of each of N tensors.
struct ShapeN {
  static constexpr auto signature =
      Op("ShapeN")
          .Input("input: N * T")
          .Output("output: N * out_type")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status {
            for (int i = 0; i < c->num_inputs(); ++i) {
              const ShapeHandle input = c->input(i);
              c->set_output(i, c->Vector(c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
            }
            return OkStatus();
          });

  template <class Device, class T>
  struct kernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Device&, std::span<const Tensor> input, OutList<T> output) const {
      for (int i = 0; i < output.size(); ++i)
        TENON_RETURN_IF_ERROR(Shape::Write<T>(input[static_cast<std::size_t>(i)], output[i]));
      return OkStatus();
    }
  };
};

// The number of elements.
struct Size {
  static constexpr auto signature = Op("Size")
                                        .Input("input: T")
                                        .Output("output: out_type")
                                        .Attr("T: type")
                                        .Attr("out_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device, class T>
  struct kernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Device&, const Tensor& input, Out<T> output) const {
      if (std::is_same_v<T, std::int32_t> && input.NumElements() > std::numeric_limits<std::int32_t>::max())
        return errors::InvalidArgument("Size: output type is int32 but the input has ", input.NumElements(),
                                       " elements; use out_type = int64");
      output[0] = static_cast<T>(input.NumElements());
      return OkStatus();
    }
  };
};

// The number of dimensions.
struct Rank {
  static constexpr auto signature =
      Op("Rank").Input("input: T").Output("output: int32").Attr("T: type").SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
  struct kernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Device&, const Tensor& input, Out<std::int32_t> output) const {
      output[0] = input.dims();
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
