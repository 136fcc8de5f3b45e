// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of many matrices: x: [..., m, k]  y: [..., k, n]  ->  [..., m, n], the leading dimensions broadcast. Small
// products go to the threads whole, large ones are split by Gemm; one matrix y for all rows of x makes one product.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A transposed operand is stored as [k, m] or [n, k]; a conjugated one (complex numbers only) counts with its imaginary
// parts negated. immutable once made.
struct BatchMatMulPlan {
  struct Dim {
    Index size, x, y;  // steps in matrices; 0 where the operand is repeated
  };
  Index m = 1, k = 1, n = 1;
  bool transpose_x = false, transpose_y = false, conjugate_x = false, conjugate_y = false;
  InlinedVector<Dim, 8> batch;  // outermost first
  Index batches = 1, x_batches = 1, y_batches = 1;

  // Adds the next dimension, inside of those that there are; sizes of 1 are repeated. False if the sizes do not fit.
  bool Add(Index x_size, Index y_size) {
    if (x_size != y_size && x_size != 1 && y_size != 1) return false;
    const Index size = x_size == 1 ? y_size : x_size;
    for (Dim& dim : batch) {
      dim.x = Times(dim.x, x_size);
      dim.y = Times(dim.y, y_size);
    }
    batches = Times(batches, size);
    x_batches = Times(x_batches, x_size);
    y_batches = Times(y_batches, y_size);
    if (size != 1) batch.push_back({size, x_size == 1 ? 0 : 1, y_size == 1 ? 0 : 1});
    return true;
  }

 private:
  // Where operands are empty the numbers may be too large, but do not matter.
  static Index Times(Index a, Index b) { return a < 0 ? a : MultiplyWithoutOverflow(a, b); }
};

namespace detail {

// Number of the matrices of x and y that make product number `i`.
struct BatchPlace {
  Index x = 0, y = 0;
  BatchPlace(const BatchMatMulPlan& plan, Index i) {
    if (plan.x_batches == plan.batches && plan.y_batches == plan.batches) {  // nothing is repeated
      x = y = i;
      return;
    }
    for (std::size_t d = plan.batch.size(); d-- > 0; i /= plan.batch[d].size) {
      x += i % plan.batch[d].size * plan.batch[d].x;
      y += i % plan.batch[d].size * plan.batch[d].y;
    }
  }
};

// Rows of x that all meet the same matrix y become rows of one product.
inline void JoinBatches(BatchMatMulPlan* plan) {
  if (plan->y_batches != 1 || plan->transpose_x || plan->batches != plan->x_batches) return;
  plan->m *= plan->batches;
  plan->batch.clear();
  plan->batches = 1;
}

// body(device, i) -> Status for every product, `ns` nanoseconds each on one thread: side by side where they are many or
// small, with the device's threads inside otherwise.
template <class Body>
Status ForEachProduct(Cpu& device, Index count, double ns, const Body& body) {
  constexpr double kSmallNs = 60000;
  const bool side_by_side = device.pool != nullptr && (ns < kSmallNs || count >= 4 * device.pool->NumThreads());
  if (!side_by_side || count == 1) {
    for (Index i = 0; i < count; ++i) TENON_RETURN_IF_ERROR(body(device, i));
    return OkStatus();
  }
  std::atomic<bool> failed{false};
  ParallelFor(device, count, ns, [&](Index begin, Index end) {
    Cpu alone;  // the device's allocator may be for one thread
    for (Index i = begin; i < end; ++i)
      if (!body(alone, i).ok()) failed.store(true, std::memory_order_relaxed);
  });
  if (failed.load()) return errors::ResourceExhausted("BatchMatMul: OOM when allocating scratch memory");
  return OkStatus();
}

#if !defined(__NVCC__)  // vectors are for the host's compiler
// Small products, one after the other: what Gemm would find out about each is found out once.
inline void MultiplySmall(Cpu& device, const BatchMatMulPlan& plan, SmallProduct run, const GemmKernels& kernels,
                          const GemmArgs<void>& g, double ns, const void* x, const void* y, void* z) {
  const Index x_bytes = plan.m * plan.k * kernels.size, y_bytes = plan.k * plan.n * kernels.size,
              z_bytes = plan.m * plan.n * kernels.size;
  ParallelFor(device, plan.batches, ns, [&](Index begin, Index end) {
    GemmArgs<void> product = g;
    for (Index i = begin; i < end; ++i) {
      const BatchPlace at(plan, i);
      product.a = static_cast<const char*>(x) + at.x * x_bytes;
      product.b = static_cast<const char*>(y) + at.y * y_bytes;
      product.c = static_cast<char*>(z) + i * z_bytes;
      run(kernels, product);
    }
  });
}
#endif

template <class T>
Status MultiplyMatrices(Cpu& device, const BatchMatMulPlan& plan, const void* px, const void* py, void* pz,
                        PackedWeights* weights) {
  const T* x = static_cast<const T*>(px);
  const T* y = static_cast<const T*>(py);
  T* z = static_cast<T*>(pz);
  const Index m = plan.m, k = plan.k, n = plan.n;
  const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const double ns = 20 + products * (std::is_convertible_v<T, double> && !std::is_integral_v<T> ? 0.1 : 0.5);
#if !defined(__NVCC__)
  if constexpr (std::is_floating_point_v<T>) {
    if (m > 0 && n > 0 && k > 0 && plan.batches > 1) {
      const GemmKernels& kernels = GemmKernelsOf<T>(n);
      const Index x_row = plan.transpose_x ? 1 : k, x_column = plan.transpose_x ? m : 1;
      const Index y_row = plan.transpose_y ? 1 : n, y_column = plan.transpose_y ? k : 1;
      const GemmArgs<void> g{m, n, k, nullptr, x_row, x_column, nullptr, y_row, y_column, nullptr, n};
      if (const SmallProduct run = FindSmallProduct<T>(kernels, g, weights != nullptr); run != nullptr) {
        MultiplySmall(device, plan, run, kernels, g, ns, px, py, pz);
        return OkStatus();
      }
    }
  }
#endif
  const Index x_sizes[] = {plan.transpose_x ? k : m, plan.transpose_x ? m : k};
  const Index y_sizes[] = {plan.transpose_y ? n : k, plan.transpose_y ? k : n};
  const Index z_sizes[] = {m, n};
  return ForEachProduct(device, plan.batches, ns, [&](Cpu& on, Index i) {
    const BatchPlace at(plan, i);
    return Gemm<T>(on, In<T, 2>(x + at.x * m * k, x_sizes), plan.transpose_x, In<T, 2>(y + at.y * k * n, y_sizes),
                   plan.transpose_y, Out<T, 2>(z + i * m * n, z_sizes), weights);
  });
}

using BatchMatMulFn = Status (*)(Cpu& device, const BatchMatMulPlan& plan, const void* x, const void* y, void* out,
                                 PackedWeights* weights);

inline BatchMatMulFn BatchMatMulFor(DataType type) {
  switch (type) {
    case DataType::kHalf: return &MultiplyMatrices<half>;
    case DataType::kBfloat16: return &MultiplyMatrices<bfloat16>;
    case DataType::kFloat: return &MultiplyMatrices<float>;
    case DataType::kDouble: return &MultiplyMatrices<double>;
    case DataType::kInt16: return &MultiplyMatrices<std::int16_t>;
    case DataType::kInt32: return &MultiplyMatrices<std::int32_t>;
    case DataType::kInt64: return &MultiplyMatrices<std::int64_t>;
    case DataType::kComplex64: return &MultiplyMatrices<complex64>;
    case DataType::kComplex128: return &MultiplyMatrices<complex128>;
    default: return nullptr;
  }
}

// to = conj(from), n complex numbers of 2 * sizeof(Real) bytes.
template <class Real>
void ConjugateRun(const void* from, void* to, Index n) {
  const Real* in = static_cast<const Real*>(from);
  Real* out = static_cast<Real*>(to);
  for (Index i = 0; i < n; ++i) {
    out[2 * i] = in[2 * i];
    out[2 * i + 1] = -in[2 * i + 1];
  }
}
// *data becomes a conjugated copy in `copy`.
inline void ConjugateInto(DataType type, Index n, const Scratch& copy, const void** data) {
  if (type == DataType::kComplex64)
    ConjugateRun<float>(*data, copy.As<char>(), n);
  else
    ConjugateRun<double>(*data, copy.As<char>(), n);
  *data = copy.As<char>();
}

}  // namespace detail

// The products of elements of one type: half, bfloat16 (multiplied as float), float, double, int16, int32, int64
// (which wrap around), complex64 or complex128; Internal for others. Zeros where k is 0. ResourceExhausted without
// scratch memory. The result does not depend on the number of threads. `weights` are of y, where it may be the same in
// every run; used where it is one matrix.
inline Status BatchMatMul(Cpu& device, DataType type, BatchMatMulPlan plan, const void* x, const void* y, void* out,
                          PackedWeights* weights = nullptr) {
  const detail::BatchMatMulFn run = detail::BatchMatMulFor(type);
  if (run == nullptr) return errors::Internal("BatchMatMul: no products of type ", Name(type));
  const Index x_elements = plan.x_batches * plan.m * plan.k, y_elements = plan.y_batches * plan.k * plan.n;
  const bool conjugate_x = plan.conjugate_x && IsComplex(type), conjugate_y = plan.conjugate_y && IsComplex(type);
  const auto bytes = static_cast<Index>(SizeOf(type));
  const Scratch x_copy(device, conjugate_x ? static_cast<std::size_t>(x_elements * bytes) : 0);
  const Scratch y_copy(device, conjugate_y ? static_cast<std::size_t>(y_elements * bytes) : 0);
  TENON_RETURN_IF_ERROR(x_copy.status("BatchMatMul"));
  TENON_RETURN_IF_ERROR(y_copy.status("BatchMatMul"));
  if (conjugate_x && x_elements > 0) detail::ConjugateInto(type, x_elements, x_copy, &x);
  if (conjugate_y && y_elements > 0) detail::ConjugateInto(type, y_elements, y_copy, &y);
  detail::JoinBatches(&plan);
  return run(device, plan, x, y, out, plan.y_batches == 1 ? weights : nullptr);
}

TENON_DETAIL_NAMESPACE_END
