// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseMatMul: a product of dense matrices, of which one may have many zeros.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// to: [rows, columns] := the matrix x, which is stored the other way round where `turned`.
inline void CopyAsFloats(const Tensor& x, bool turned, Index rows, Index columns, float* to) {
  const bool is_float = x.dtype() == DataType::kFloat;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      const Index from = turned ? c * rows + r : r * columns + c;
      *to++ = is_float ? x.data<float>()[from] : static_cast<float>(x.data<bfloat16>()[from]);
    }
}

struct ZeroSkippingProduct {
  const float *a, *b;  // [m, k], [k, n]
  Index k, n;
  bool skips_a, skips_b;  // terms whose factor of a, of b, is 0 are left out, even where the other one is NaN
  float* out;

  void Run(Index begin, Index end) const {
    for (Index r = begin; r < end; ++r) {
      float* const to = out + r * n;
      for (Index c = 0; c < n; ++c) to[c] = 0;
      for (Index i = 0; i < k; ++i) {
        const float factor = a[r * k + i];
        const float* const row = b + i * n;
        if (skips_a && factor == 0) continue;
        if (skips_b) {
          for (Index c = 0; c < n; ++c) to[c] += row[c] == 0 ? 0 : factor * row[c];
        } else {
          for (Index c = 0; c < n; ++c) to[c] += factor * row[c];
        }
      }
    }
  }
};

inline Status RunSparseMatMul(OpKernelContext& context, bool turn_a, bool turn_b, bool skips_a, bool skips_b) {
  constexpr const char* kOp = "SparseMatMul";
  const Tensor &a = context.input(0), &b = context.input(1);
  if (a.dims() != 2) return errors::InvalidArgument(kOp, ": a is not a matrix, got shape ", a.shape());
  if (b.dims() != 2) return errors::InvalidArgument(kOp, ": b is not a matrix, got shape ", b.shape());
  const Index m = a.dim_size(turn_a ? 1 : 0), k = a.dim_size(turn_a ? 0 : 1), n = b.dim_size(turn_b ? 0 : 1);
  if (k != b.dim_size(turn_b ? 1 : 0))
    return errors::InvalidArgument(kOp, ": Matrix size incompatible: a: ", a.shape(), ", b: ", b.shape());
  TensorShape shape;
  const Index sizes[] = {m, n};
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes, 2}, &shape));
  Tensor *out = nullptr, left, right;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (out->NumElements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, TensorShape({m, k}), &left));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, TensorShape({k, n}), &right));
  if (k > 0) {
    CopyAsFloats(a, turn_a, m, k, left.data<float>());
    CopyAsFloats(b, turn_b, k, n, right.data<float>());
  }
  const ZeroSkippingProduct product{left.data<float>(),  right.data<float>(), k, n, skips_a,
                                    skips_b && !skips_a, out->data<float>()};
  ParallelFor(context.device<Cpu>(), m, 2 * static_cast<double>(k) * static_cast<double>(n),
              [&](Index begin, Index end) { product.Run(begin, end); });
  return OkStatus();
}

}  // namespace detail

// a: [m, k]  b: [k, n]  ->  [m, n]; a transposed operand is stored the other way round.
struct SparseMatMul {
  static constexpr auto signature = Op("SparseMatMul")
                                        .Input("a: Ta")
                                        .Input("b: Tb")
                                        .Output("product: float")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("a_is_sparse: bool = false")
                                        .Attr("b_is_sparse: bool = false")
                                        .Attr("Ta: {float, bfloat16} = DT_FLOAT")
                                        .Attr("Tb: {float, bfloat16} = DT_FLOAT")
                                        .SetShapeFn(shape_inference::MatMulShape);
  static constexpr auto kernel_types = TypeAttrs();
  struct Attrs {
    bool transpose_a, transpose_b, a_is_sparse, b_is_sparse;
  };
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunSparseMatMul(context.op(), this->transpose_a, this->transpose_b, this->a_is_sparse,
                                     this->b_is_sparse);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
