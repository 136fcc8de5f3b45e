// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eigen (3.4 or newer; its Core alone) for kernels that want it: views of rank 2 as Eigen's maps. The only file that
// includes Eigen; nothing in Tenon needs it, and it is included by those who do.

#include <Eigen/Core>

#include <tenon/base/config.hpp>
#include <tenon/tensor/view.hpp>

static_assert(EIGEN_VERSION_AT_LEAST(3, 4, 0), "tenon: engine/linalg/eigen.hpp needs Eigen 3.4 or newer");

TENON_DETAIL_NAMESPACE_BEGIN

// Rows behind each other, as tensors have them.
template <class T>
using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The view's elements, not a copy: valid as long as they are.
//
//   AsEigen(product).noalias() = AsEigen(a) * AsEigen(b);
template <class T>
Eigen::Map<const EigenMatrix<T>> AsEigen(In<T, 2> matrix) {
  return {matrix.data, matrix.dim(0), matrix.dim(1)};
}
template <class T>
Eigen::Map<EigenMatrix<T>> AsEigen(Out<T, 2> matrix) {
  return {matrix.data, matrix.dim(0), matrix.dim(1)};
}

TENON_DETAIL_NAMESPACE_END
