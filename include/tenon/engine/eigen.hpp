// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only file that includes Eigen (3.4 or newer; its Core alone): matrix products of float and double. It calls the
// product's blocked kernel itself, because the expression templates around it cost seven times as much to compile.

#include <cstddef>

#include <Eigen/Core>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/memory/allocator.hpp>

static_assert(EIGEN_VERSION_AT_LEAST(3, 4, 0), "tenon: engine/eigen.hpp needs Eigen 3.4 or newer");

TENON_NAMESPACE_BEGIN

namespace detail {

// c += a b for row-major matrices: a [m, k], b [k, n], c [m, n]; each operand may be stored transposed. The constructor
// chooses block sizes for products of at most that size; every Run needs scratch_bytes() of its own, aligned to 64.
template <class T>
class EigenProduct final : private Eigen::internal::level3_blocking<T, T> {
 public:
  // Eigen sees the transposed problem in column-major order: its left operand is b, its right one a.
  EigenProduct(Index m, Index n, Index k) {
    this->m_mc = n;
    this->m_nc = m;
    this->m_kc = k;
    Eigen::internal::computeProductBlockingSizes<T, T>(this->m_kc, this->m_mc, this->m_nc);
  }

  std::size_t scratch_bytes() const { return LeftBytes() + AlignedBytes(this->m_kc * this->m_nc); }

  struct Matrix {
    const T* data;
    Index stride;  // elements from one stored row to the next
    bool transposed;
  };
  void Run(Index m, Index n, Index k, Matrix a, Matrix b, T* c, Index c_stride, void* scratch) const {
    EigenProduct product(*this);
    product.m_blockA = static_cast<T*>(scratch);
    product.m_blockB = reinterpret_cast<T*>(static_cast<char*>(scratch) + LeftBytes());
    constexpr int kPlain = Eigen::ColMajor, kTransposed = Eigen::RowMajor;
    const auto multiply = b.transposed ? (a.transposed ? &Call<kTransposed, kTransposed> : &Call<kTransposed, kPlain>)
                                       : (a.transposed ? &Call<kPlain, kTransposed> : &Call<kPlain, kPlain>);
    multiply(n, m, k, b.data, b.stride, a.data, a.stride, c, 1, c_stride, T(1), product, nullptr);
  }

 private:
  static std::size_t AlignedBytes(Eigen::Index count) {
    constexpr std::size_t kMask = Allocator::kAlignment - 1;
    return (static_cast<std::size_t>(count) * sizeof(T) + kMask) & ~kMask;
  }
  std::size_t LeftBytes() const { return AlignedBytes(this->m_kc * this->m_mc); }

  template <int left_order, int right_order>
  static void Call(Eigen::Index rows, Eigen::Index columns, Eigen::Index k, const T* left, Eigen::Index left_stride,
                   const T* right, Eigen::Index right_stride, T* c, Eigen::Index c_step, Eigen::Index c_stride, T alpha,
                   EigenProduct& blocking, Eigen::internal::GemmParallelInfo<Eigen::Index>* parallel) {
    Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, left_order, false, T, right_order, false,
                                                   Eigen::ColMajor, 1>::run(rows, columns, k, left, left_stride, right,
                                                                            right_stride, c, c_step, c_stride, alpha,
                                                                            blocking, parallel);
  }
};

}  // namespace detail

TENON_NAMESPACE_END
