// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reshape, ExpandDims, Squeeze: the same elements under another shape, in the input's buffer.

#include <cstddef>
#include <cstdint>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

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

  // The requested shape, for QuantizedReshape, too. Its -1 (at most one) becomes the size that is left. A scalar counts
  // as a vector of one size.
  static Status Target(const TensorShape& input, const HostIndices& sizes, TensorShape* target) {
    if (sizes.shape().dims() > 1) return errors::InvalidArgument("sizes input must be 1-D, not shape ", sizes.shape());
    InlinedVector<Index, 8> dims;
    Index product = 1;  // product of the sizes that are not 0
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
          left = MultiplySizes(left, size);
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

namespace detail {
TENON_DETAIL_COLD inline Status ExpandDimsShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  SlimVector<std::int64_t> dims;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &dims, &known));
  if (known && dims.size() != 1) return errors::InvalidArgument("'dim' input must be a tensor with a single value");
  if (!known || !c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input) + 1;
  std::int64_t dim = dims[0];
  if (dim < -rank || dim >= rank)
    return errors::InvalidArgument("dim ", dim, " not in the interval [", -rank, ", ", rank - 1, "].");
  if (dim < 0) dim += rank;
  ShapeHandle before, after, out;
  TENON_RETURN_IF_ERROR(c->Subshape(input, 0, dim, &before));
  TENON_RETURN_IF_ERROR(c->Subshape(input, dim, &after));
  TENON_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(1), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace detail

// A new dimension of size 1: input [a, b]  ->  [1, a, b] (dim 0), [a, b, 1] (dim 2 or -1)
struct ExpandDims {
  static constexpr auto signature = Op("ExpandDims")
                                        .Input("input: T")
                                        .Input("dim: Tdim")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tdim: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::ExpandDimsShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, HostIndices dim, Tensor& output) const {
      if (dim.size() != 1)
        return errors::InvalidArgument("ExpandDims: 'dim' must be a tensor with a single value, not shape ",
                                       dim.shape());
      const int rank = input.dims() + 1;
      if (dim[0] < -rank || dim[0] >= rank)
        return errors::InvalidArgument("ExpandDims: Tried to expand dim index ", dim[0], " for tensor with ", rank - 1,
                                       " dimensions.");
      TensorShape shape = input.shape();
      TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(static_cast<int>(dim[0] < 0 ? dim[0] + rank : dim[0]), 1));
      output = Tensor(input.dtype());
      (void)output.CopyFrom(input, shape);  // the element counts agree
      return OkStatus();
    }
  };
};

namespace detail {
TENON_DETAIL_COLD inline Status SqueezeShape(InferenceContext* c) {
  SlimVector<std::int64_t> squeeze_dims;
  TENON_RETURN_IF_ERROR(c->GetAttr("squeeze_dims", &squeeze_dims));
  const ShapeHandle input = c->input(0);
  if (!c->RankKnown(input)) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->Rank(input);
  SlimVector<std::int64_t> named(static_cast<std::size_t>(rank), 0);  // flags
  for (std::size_t i = 0; i < squeeze_dims.size(); ++i) {
    const std::int64_t d = squeeze_dims[i];
    if (d < -rank || d >= rank)
      return errors::InvalidArgument("squeeze_dims[", i, "] not in [", -rank, ",", rank, ").");
    named[static_cast<std::size_t>(d < 0 ? d + rank : d)] = 1;
  }
  SlimVector<DimensionHandle> dims;
  for (std::int64_t d = 0; d < rank; ++d) {
    const DimensionHandle dim = c->Dim(input, d);
    const bool is_named = named[static_cast<std::size_t>(d)] != 0;
    if (is_named && c->ValueKnown(dim) && c->Value(dim) != 1)
      return errors::InvalidArgument("Can not squeeze dim[", d, "], expected a dimension of 1, got ", c->Value(dim));
    if (squeeze_dims.empty() && !c->ValueKnown(dim)) return shape_inference::UnknownShape(c);
    if (!is_named && !(squeeze_dims.empty() && c->Value(dim) == 1)) dims.push_back(dim);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}
}  // namespace detail

// Removes all dimensions of size 1, or only the dimensions in squeeze_dims.
struct Squeeze {
  static constexpr auto signature = Op("Squeeze")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("squeeze_dims: list(int) >= 0 = []")
                                        .SetShapeFn(detail::SqueezeShape);

  struct Attrs {
    std::span<const std::int64_t> squeeze_dims;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      return Run(this->squeeze_dims, input, &output);
    }
  };

 private:
  static Status Run(std::span<const std::int64_t> squeeze_dims, const Tensor& input, Tensor* output) {
    const int rank = input.dims();
    bool named[kMaxTensorRank] = {};
    for (const std::int64_t d : squeeze_dims) {
      if (d < -rank || d >= rank)
        return errors::InvalidArgument("Squeeze: Tried to squeeze dim index ", d, " for tensor with ", rank,
                                       " dimensions.");
      named[d < 0 ? d + rank : d] = true;
    }
    InlinedVector<Index, 8> sizes;
    for (int d = 0; d < rank; ++d) {
      const Index size = input.dim_size(d);
      if (named[d] && size != 1)
        return errors::InvalidArgument("Squeeze: Can not squeeze dim[", d, "], expected a dimension of 1, got ", size);
      if (!(named[d] || (squeeze_dims.empty() && size == 1))) sizes.push_back(size);
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    *output = Tensor(input.dtype());
    (void)output->CopyFrom(input, shape);  // the element counts agree
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
