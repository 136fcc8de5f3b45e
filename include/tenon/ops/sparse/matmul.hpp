// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseTensorDenseMatMul: a sparse matrix times a dense one.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SparseMatMulShape(InferenceContext* c) {
  ShapeHandle unused, a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(a, 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 2, &b));
  bool adjoint_a = false, adjoint_b = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("adjoint_a", &adjoint_a));
  TENON_RETURN_IF_ERROR(c->GetAttr("adjoint_b", &adjoint_b));
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, adjoint_a ? 0 : 1), c->Dim(b, adjoint_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, adjoint_a ? 1 : 0), c->Dim(b, adjoint_b ? 0 : 1)));
  return OkStatus();
}

// Element i of a is at [row, column] = places[2 i], places[2 i + 1], of the matrix after its adjoint was taken.
struct SparseProduct {
  const std::int64_t* places;
  const void* values;
  Index count;
  const void* b;
  Index b_row, b_column;  // steps to the next row and column of b, after its adjoint was taken
  bool conjugate_a, conjugate_b;
  void* out;              // [rows, columns], zero; of floats where T is half
  Index columns;
};

template <class T>
T Conjugated(const T& x, bool conjugate) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
    return conjugate ? T(x.real(), -x.imag()) : x;
  else
    return static_cast<void>(conjugate), x;
}
// Without the special cases for infinities that operator* has: as the loops of TensorFlow's matrix products.
template <class T>
T Times(const T& x, const T& y) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
    return T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return static_cast<T>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
  else
    return x * y;
}
template <class T>
T Plus(const T& x, const T& y) {
  if constexpr (std::is_same_v<T, std::int32_t>)
    return static_cast<T>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y));
  else
    return x + y;
}

// Adds elements [first, last), all of one row, to columns [n, n + kColumns), which stay in registers meanwhile.
template <int kColumns, class T, class Sum>
void AddSparseElements(const SparseProduct& p, Index first, Index last, Index n) {
  constexpr Index kAhead = 8;  // rows of b that nothing foresees are asked for
  const T *values = static_cast<const T*>(p.values), *b = static_cast<const T*>(p.b) + n;
  Sum* const to = static_cast<Sum*>(p.out) + p.places[2 * first] * p.columns + n;
  Sum sums[kColumns];
  for (int k = 0; k < kColumns; ++k) sums[k] = to[k];
  for (Index i = first; i < last; ++i) {
    if (i + kAhead < p.count) TENON_DETAIL_PREFETCH(b + p.places[2 * (i + kAhead) + 1] * p.b_row);
    const Sum a = static_cast<Sum>(Conjugated(values[i], p.conjugate_a));
    const T* const row = b + p.places[2 * i + 1] * p.b_row;
    for (int k = 0; k < kColumns; ++k) sums[k] = Plus(sums[k], Times(a, static_cast<Sum>(row[k])));
  }
  for (int k = 0; k < kColumns; ++k) to[k] = sums[k];
}
// Columns [begin, end) of the product. Sums are of type Sum: float for half, else T (bfloat16 rounds every step, as
// TensorFlow does).
template <class T, class Sum>
void MultiplySparse(const SparseProduct& p, Index begin, Index end) {
  if (p.b_column == 1 && !p.conjugate_b) {
    for (Index first = 0, last = 0; first < p.count; first = last) {
      while (last < p.count && p.places[2 * last] == p.places[2 * first]) ++last;
      Index n = begin;
      for (; n + 16 <= end; n += 16) AddSparseElements<16, T, Sum>(p, first, last, n);
      for (; n + 4 <= end; n += 4) AddSparseElements<4, T, Sum>(p, first, last, n);
      for (; n < end; ++n) AddSparseElements<1, T, Sum>(p, first, last, n);
    }
    return;
  }
  const T *values = static_cast<const T*>(p.values), *b = static_cast<const T*>(p.b);
  Sum* const out = static_cast<Sum*>(p.out);
  for (Index i = 0; i < p.count; ++i) {
    const Sum a = static_cast<Sum>(Conjugated(values[i], p.conjugate_a));
    const T* const row = b + p.places[2 * i + 1] * p.b_row;
    Sum* const to = out + p.places[2 * i] * p.columns;
    for (Index n = begin; n < end; ++n)
      to[n] = Plus(to[n], Times(a, static_cast<Sum>(Conjugated(row[n * p.b_column], p.conjugate_b))));
  }
}
using SparseMultiplier = void (*)(const SparseProduct& p, Index begin, Index end);
inline SparseMultiplier SparseMultiplierOf(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return &MultiplySparse<half, float>;
    case DataType::kBfloat16: return &MultiplySparse<bfloat16, bfloat16>;
    case DataType::kFloat: return &MultiplySparse<float, float>;
    case DataType::kDouble: return &MultiplySparse<double, double>;
    case DataType::kInt32: return &MultiplySparse<std::int32_t, std::int32_t>;
    case DataType::kComplex64: return &MultiplySparse<complex64, complex64>;
    case DataType::kComplex128: return &MultiplySparse<complex128, complex128>;
    default: return nullptr;
  }
}

inline Status CheckSparseProduct(const SparseInput& a, const Tensor& b, bool adjoint_a, bool adjoint_b) {
  constexpr const char* kOp = "SparseTensorDenseMatMul";
  if (b.dims() != 2) return errors::InvalidArgument(kOp, ": Tensor 'b' is not a matrix, got shape ", b.shape());
  if (a.shape->dims() != 1)
    return errors::InvalidArgument(kOp, ": Tensor 'a_shape' is not a vector, got shape ", a.shape->shape());
  if (a.shape->NumElements() != 2)
    return errors::InvalidArgument(kOp, ": Tensor 'a_shape' must have 2 elements, got ", a.shape->NumElements());
  if (a.values->dims() != 1)
    return errors::InvalidArgument(kOp, ": Tensor 'a_values' is not a vector, got shape ", a.values->shape());
  if (a.indices->dims() != 2)
    return errors::InvalidArgument(kOp, ": Tensor 'a_indices' is not a matrix, got shape ", a.indices->shape());
  if (a.indices->dim_size(0) != a.values->dim_size(0))
    return errors::InvalidArgument(kOp, ": Number of rows of a_indices does not match number of entries in a_values, ",
                                   "got ", a.indices->dim_size(0), " and ", a.values->dim_size(0));
  if (a.indices->dim_size(1) != 2)
    return errors::InvalidArgument(kOp, ": Number of columns of a_indices does not match number of entries in a_shape",
                                   ", got ", a.indices->dim_size(1), " and 2");
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(kOp, a.sizes(), 2, &shape));
  const Index inner_a = a.sizes()[adjoint_a ? 0 : 1], inner_b = b.dim_size(adjoint_b ? 1 : 0);
  if (inner_a != inner_b)
    return errors::InvalidArgument(kOp, ": Cannot multiply A and B because inner dimension does not match: ", inner_a,
                                   " vs. ", inner_b, ".  Did you forget a transpose?  Dimensions of A: ", shape,
                                   ".  Dimensions of B: ", b.shape());
  return OkStatus();
}

}  // namespace detail

// a: [m, k] sparse  b: [k, n]  ->  [m, n]; adjoint_a, adjoint_b: of their conjugate transposes. Elements at the same
// place add up.
struct SparseTensorDenseMatMul {
  static constexpr auto signature = Op("SparseTensorDenseMatMul")
                                        .Input("a_indices: Tindices")
                                        .Input("a_values: T")
                                        .Input("a_shape: int64")
                                        .Input("b: T")
                                        .Output("product: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64} = DT_INT64")
                                        .Attr("adjoint_a: bool = false")
                                        .Attr("adjoint_b: bool = false")
                                        .SetShapeFn(detail::SparseMatMulShape);

  struct Attrs {
    bool adjoint_a;
    bool adjoint_b;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.input_type(1),
                       ToSet(DataType::kHalf) | ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat) |
                           ToSet(DataType::kDouble) | ToSet(DataType::kInt32) | kComplexTypes);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor& b,
                      Tensor& product) const {
      return Run(context.op(), context.device(), this->adjoint_a, this->adjoint_b, b, &product);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, bool adjoint_a, bool adjoint_b, const Tensor& b,
                    Tensor* product) {
    const detail::SparseInput a = detail::SparseInputAt(context, 0);
    TENON_RETURN_IF_ERROR(detail::CheckSparseProduct(a, b, adjoint_a, adjoint_b));
    const Index rows = a.sizes()[adjoint_a ? 1 : 0], columns = b.dim_size(adjoint_b ? 0 : 1);
    const Index inner = b.dim_size(adjoint_b ? 1 : 0), count = a.values->NumElements();
    TensorShape shape;
    const Index sizes[] = {rows, columns};
    TENON_RETURN_IF_ERROR(detail::ShapeOfSizes("SparseTensorDenseMatMul", sizes, 2, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &product));
    if (product->NumElements() == 0) return OkStatus();
    Tensor places;
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({count, 2}), &places));
    TENON_RETURN_IF_ERROR(FindPlaces(*a.indices, adjoint_a, rows, inner, places.data<std::int64_t>()));
    const bool is_half = b.dtype() == DataType::kHalf;
    Tensor sums = *product;
    if (is_half) TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, shape, &sums));
    Zero(device, MoverOf(sums.dtype()), sums.raw_data(), sums.NumElements());
    const detail::SparseProduct work{places.data<std::int64_t>(),
                                     a.values->raw_data(),
                                     count,
                                     b.raw_data(),
                                     adjoint_b ? 1 : columns,
                                     adjoint_b ? inner : 1,
                                     adjoint_a,
                                     adjoint_b,
                                     sums.raw_data(),
                                     columns};
    const detail::SparseMultiplier multiply = detail::SparseMultiplierOf(b.dtype());
    ParallelFor(device, columns, 2.0 * static_cast<double>(count),
                [&](Index begin, Index end) { multiply(work, begin, end); });
    if (is_half)
      for (Index i = 0; i < sums.NumElements(); ++i) product->data<half>()[i] = half(sums.data<float>()[i]);
    return OkStatus();
  }
  // out: [n, 2], row and column after the adjoint was taken.
  static Status FindPlaces(const Tensor& indices, bool adjoint, Index rows, Index inner, std::int64_t* out) {
    const Index count = indices.dim_size(0);
    const Index bad = indices.dtype() == DataType::kInt32
                          ? CopyPlaces(indices.data<std::int32_t>(), adjoint, rows, inner, count, out)
                          : CopyPlaces(indices.data<std::int64_t>(), adjoint, rows, inner, count, out);
    if (bad == count) return OkStatus();
    const std::int64_t* const place = out + 2 * bad;
    if (place[1] < 0 || place[1] >= inner)
      return errors::InvalidArgument("SparseTensorDenseMatMul: k (", place[1], ") from index[", bad, ",",
                                     adjoint ? 0 : 1, "] out of bounds (>=", inner, ")");
    return errors::InvalidArgument("SparseTensorDenseMatMul: m (", place[0], ") from index[", bad, ",", adjoint ? 1 : 0,
                                   "] out of bounds (>=", rows, ")");
  }
  // Returns the first element that is outside of [rows, inner], which is copied, too, or `count`.
  template <class Integer>
  static Index CopyPlaces(const Integer* indices, bool adjoint, Index rows, Index inner, Index count,
                          std::int64_t* out) {
    const int row = adjoint ? 1 : 0;
    for (Index i = 0; i < count; ++i) {
      const Index m = out[2 * i] = indices[2 * i + row], k = out[2 * i + 1] = indices[2 * i + 1 - row];
      if (static_cast<std::uint64_t>(m) >= static_cast<std::uint64_t>(rows) ||
          static_cast<std::uint64_t>(k) >= static_cast<std::uint64_t>(inner))
        return i;
    }
    return count;
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
