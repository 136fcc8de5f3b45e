// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functors of TensorFlow's own kernels that move elements: gathers, scatters, tiles, transposes, reversals.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <tenon/compat/tensorflow/kernels/functors.hpp>

namespace tensorflow {
namespace internal {

// Each place of the output and its source: the sum of strides[d] * (at[d] % wrap[d]).
struct MovePlan {
  std::vector<int64_t> sizes;    // the output's
  std::vector<int64_t> strides;  // the input's, by dimension of the output
  std::vector<int64_t> wrap;     // the input's sizes, by dimension of the output
};
template <class Copy>
void MoveElements(const MovePlan& plan, int64_t count, const Copy& copy) {
  std::vector<int64_t> at(plan.sizes.size(), 0);
  for (int64_t to = 0; to < count; ++to) {
    int64_t from = 0;
    for (std::size_t d = 0; d < at.size(); ++d) from += at[d] % plan.wrap[d] * plan.strides[d];
    copy(from, to);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < plan.sizes[d]) break;
      at[d] = 0;
    }
  }
}
// Unimplemented: elements that are objects of C++ other than strings.
inline Status MoveElements(const MovePlan& plan, const Tensor& in, Tensor* out) {
  const int64_t count = out->NumElements();
  if (in.dtype() == DT_STRING) {
    const auto* const from = static_cast<const tstring*>(in.data());
    auto* const to = static_cast<tstring*>(out->data());
    MoveElements(plan, count, [from, to](int64_t i, int64_t o) { to[o] = from[i]; });
    return Status();
  }
  if (!DataTypeCanUseMemcpy(in.dtype())) return errors::Unimplemented("Unhandled dtype: ", DataTypeString(in.dtype()));
  const auto size = static_cast<std::size_t>(DataTypeSize(in.dtype()));
  const auto* const from = static_cast<const char*>(in.data());
  auto* const to = static_cast<char*>(out->data());
  MoveElements(plan, count, [from, to, size](int64_t i, int64_t o) {
    std::memcpy(to + static_cast<std::size_t>(o) * size, from + static_cast<std::size_t>(i) * size, size);
  });
  return Status();
}
inline std::vector<int64_t> RowMajorStrides(const TensorShape& shape) {
  std::vector<int64_t> strides(static_cast<std::size_t>(shape.dims()), 1);
  for (int d = shape.dims() - 2; d >= 0; --d)
    strides[static_cast<std::size_t>(d)] = strides[static_cast<std::size_t>(d) + 1] * shape.dim_size(d + 1);
  return strides;
}

}  // namespace internal

// `out` has the shape of the result. InvalidArgument: the permutation or the shape does not fit.
template <class Device>
Status DoTranspose(const Device&, const Tensor& in, gtl::ArraySlice<int32> perm, Tensor* out) {
  const auto rank = static_cast<std::size_t>(in.dims());
  if (perm.size() != rank || out->dims() != in.dims() || out->dtype() != in.dtype())
    return errors::InvalidArgument("Transpose of ", in.shape(), " by ", perm.size(), " dimensions to ", out->shape());
  internal::MovePlan plan;
  const std::vector<int64_t> strides = internal::RowMajorStrides(in.shape());
  std::vector<bool> seen(rank, false);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto from = static_cast<std::size_t>(perm[d]);
    if (from >= rank || seen[from] || in.dim_size(perm[d]) != out->dim_size(static_cast<int>(d)))
      return errors::InvalidArgument("Transpose of ", in.shape(), " to ", out->shape(), ": not a permutation");
    seen[from] = true;
    plan.sizes.push_back(in.dim_size(perm[d]));
    plan.strides.push_back(strides[from]);
  }
  plan.wrap = plan.sizes;
  return internal::MoveElements(plan, in, out);
}
template <class Device>
Status DoConjugateTranspose(const Device& device, const Tensor& in, gtl::ArraySlice<int32> perm, Tensor* out) {
  TF_RETURN_IF_ERROR(DoTranspose(device, in, perm, out));
  if (in.dtype() == DT_COMPLEX64) out->flat<complex64>() = out->flat<complex64>().conjugate();
  if (in.dtype() == DT_COMPLEX128) out->flat<complex128>() = out->flat<complex128>().conjugate();
  return Status();
}
namespace internal {
inline std::vector<int32> LastTwoSwapped(int rank) {
  std::vector<int32> perm;
  for (int d = 0; d < rank; ++d) perm.push_back(d);
  if (rank >= 2) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return perm;
}
}  // namespace internal
// Swaps the last two dimensions.
template <class Device>
Status DoMatrixTranspose(const Device& device, const Tensor& in, Tensor* out) {
  return DoTranspose(device, in, internal::LastTwoSwapped(in.dims()), out);
}
template <class Device>
Status DoConjugateMatrixTranspose(const Device& device, const Tensor& in, Tensor* out) {
  return DoConjugateTranspose(device, in, internal::LastTwoSwapped(in.dims()), out);
}

namespace scatter_op {
enum class UpdateOp { ASSIGN, ADD, SUB, MUL, DIV, MIN, MAX };
namespace internal {
template <UpdateOp Op, class T>
void Update(T& to, const T& by) {
  if constexpr (Op == UpdateOp::ASSIGN) to = by;
  if constexpr (Op == UpdateOp::ADD) to += by;
  if constexpr (Op == UpdateOp::SUB) to -= by;
  if constexpr (Op == UpdateOp::MUL) to *= by;
  if constexpr (Op == UpdateOp::DIV) to /= by;
  if constexpr (Op == UpdateOp::MIN) to = by < to ? by : to;
  if constexpr (Op == UpdateOp::MAX) to = to < by ? by : to;
}
}  // namespace internal
}  // namespace scatter_op

namespace functor {

// Slices [outer, index, inner] of `params`. Returns -1, or the place of an index that is out of range.
template <class Device, class T, class Index>
struct GatherFunctor {
  int64_t operator()(OpKernelContext*, typename TTypes<T, 3>::ConstTensor params,
                     typename TTypes<Index>::ConstFlat indices, typename TTypes<T, 3>::Tensor out) {
    const int64_t limit = params.dimension(1), inner = params.dimension(2), count = indices.size();
    for (int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<int64_t>(indices(i));
      if (index < 0 || index >= limit) return i;
      for (int64_t outer = 0; outer < params.dimension(0); ++outer) {
        const T* const from = params.data() + (outer * limit + index) * inner;
        std::copy(from, from + inner, out.data() + (outer * count + i) * inner);
      }
    }
    return -1;
  }
};
template <class T, class Index>
using GatherFunctorCPU = GatherFunctor<CPUDevice, T, Index>;

// Updates rows of `params`. Returns -1, or the place of an index that is out of range.
template <class Device, class T, class Index, scatter_op::UpdateOp op>
struct ScatterFunctor {
  Index operator()(OpKernelContext*, const Device&, typename TTypes<T>::Matrix params,
                   typename TTypes<T>::ConstMatrix updates, typename TTypes<Index>::ConstFlat indices) {
    for (Index i = 0; i < static_cast<Index>(indices.size()); ++i) {
      const auto row = static_cast<int64_t>(indices(i));
      if (row < 0 || row >= params.dimension(0)) return i;
      for (int64_t j = 0; j < params.dimension(1); ++j)
        scatter_op::internal::Update<op, T>(params(row, j), updates(i, j));
    }
    return -1;
  }
};
template <class Device, class T, class Index, scatter_op::UpdateOp op>
struct ScatterScalarFunctor {
  Index operator()(OpKernelContext*, const Device&, typename TTypes<T>::Matrix params,
                   const typename TTypes<T>::ConstScalar update, typename TTypes<Index>::ConstFlat indices) {
    for (Index i = 0; i < static_cast<Index>(indices.size()); ++i) {
      const auto row = static_cast<int64_t>(indices(i));
      if (row < 0 || row >= params.dimension(0)) return i;
      for (int64_t j = 0; j < params.dimension(1); ++j) scatter_op::internal::Update<op, T>(params(row, j), update());
    }
    return -1;
  }
};

// Repeats the input along each dimension; `out` has the shape of the result.
template <class Device, class T, class Tmultiples>
struct Tile {
  void operator()(const Device&, Tensor* out, const Tensor& in, const gtl::ArraySlice<Tmultiples>) const {
    tensorflow::internal::MovePlan plan;
    plan.strides = tensorflow::internal::RowMajorStrides(in.shape());
    for (int d = 0; d < in.dims(); ++d) {
      plan.sizes.push_back(out->dim_size(d));
      plan.wrap.push_back(std::max<int64_t>(in.dim_size(d), 1));
    }
    TF_CHECK_OK(tensorflow::internal::MoveElements(plan, in, out));
  }
};

template <class Device, class T, int Dims>
struct Reverse {
  void operator()(const Device& device, typename TTypes<T, Dims>::ConstTensor input,
                  const Eigen::array<bool, Dims>& reverse_dims, typename TTypes<T, Dims>::Tensor output) {
    output.device(device) = input.reverse(reverse_dims);
  }
};
template <class Device, class T>
struct Reverse<Device, T, 0> {
  void operator()(const Device& device, typename TTypes<T, 0>::ConstTensor input, const Eigen::array<bool, 0>&,
                  typename TTypes<T, 0>::Tensor output) {
    output.device(device) = input;
  }
};

}  // namespace functor
}  // namespace tensorflow
