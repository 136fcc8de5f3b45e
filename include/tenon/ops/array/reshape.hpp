// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reshape: the same elements under another shape; shares the input's buffer.

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

struct Reshape {
  static constexpr auto signature = Op("Reshape")
                                        .Input("tensor: T")
                                        .Input("shape: Tshape")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(shape_inference::ReshapeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& tensor, HostIndices shape, Tensor& output) const {
      TensorShape target;
      TENON_RETURN_IF_ERROR(Target(tensor.shape(), shape, &target));
      output = Tensor(tensor.dtype());
      (void)output.CopyFrom(tensor, target);  // the element counts agree
      return OkStatus();
    }
  };

 private:
  // The shape asked for, with its -1 (at most one) replaced by what is left. A scalar is taken as a vector of one size.
  static Status Target(const TensorShape& input, const HostIndices& sizes, TensorShape* target) {
    if (sizes.shape().dims() > 1) return errors::InvalidArgument("sizes input must be 1-D, not shape ", sizes.shape());
    InlinedVector<Index, 8> dims;
    Index product = 1;  // of the sizes that are not 0
    int unknown = -1;
    bool zero = false;
    for (Index d = 0; d < sizes.size(); ++d) {
      const Index size = sizes[d];
      if (size == -1) {
        if (unknown >= 0)
          return errors::InvalidArgument("Only one input size may be -1, not both ", unknown, " and ", d);
        unknown = static_cast<int>(d);
      } else if (size < 0) {
        return errors::InvalidArgument("Size ", d, " must be non-negative, not ", size);
      } else if (size == 0) {
        zero = true;
      } else {
        product = MultiplyWithoutOverflow(product, size);
        if (product < 0)
          return errors::InvalidArgument("Shape is too large: the product of the sizes up to number ", d,
                                         " overflows int64");
      }
      dims.push_back(size == -1 ? 1 : size);
    }
    const Index elements = input.num_elements();
    if (unknown >= 0) {
      // Beside a size of 0 the missing one follows from the input's sizes that are not 0.
      Index left = 1;
      bool skipped = false;
      for (const Index size : input) {
        if (size > 0 || !zero)
          left *= size;
        else
          skipped = true;
      }
      const Index missing = left / product;
      if (!skipped && product * missing != left)
        return errors::InvalidArgument("Input to reshape is a tensor with ", left,
                                       " values, but the requested shape requires a multiple of ", product);
      dims[static_cast<std::size_t>(unknown)] = missing;
      product *= missing;
    }
    if (zero) product = 0;
    TENON_RETURN_IF_ERROR(TensorShape::Build({dims.data(), dims.size()}, target));
    if (product != elements)
      return errors::InvalidArgument("Input to reshape is a tensor with ", elements,
                                     " values, but the requested shape has ", product);
    return OkStatus();
  }
};

}  // namespace ops

TENON_NAMESPACE_END
