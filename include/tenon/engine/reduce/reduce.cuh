// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions over any set of dimensions on a GPU. Threads, their number and the order in which their results are
// folded follow from the shape and the GPU alone: no atomics, so each run gives the same bits.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/reduce/reduce.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/reduce/fold.cuh>
#include <tenon/engine/reduce/reduce.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr int kMaxCudaReduceDims = 6;

// Some dimensions of the input, innermost first, as a GPU walks over them.
struct CudaDims {
  int rank = 0;
  bool wide = false;  // positions do not fit the fast division
  Index size[kMaxCudaReduceDims];
  Index step[kMaxCudaReduceDims];
  FastDivisor divisor[kMaxCudaReduceDims];

  // The first of them is [n] with the step `step`.
  CudaDims(Index n, Index first_step, const ReduceDims& outer) {
    Add(n, first_step);
    for (int d = 0; d < outer.rank; ++d) Add(outer.size[d], outer.step[d]);
    Index all = 1;
    for (int d = 0; d < rank; ++d) all *= size[d];
    wide = all >= kMaxCudaBroadcastElements;
    for (int d = 0; d < rank; ++d)
      if (!wide && all > 0) divisor[d] = FastDivisor(static_cast<std::uint32_t>(size[d]));
  }

  // The element of the input at position `i` among these dimensions.
  TENON_HD Index Locate(Index i) const {
    Index at = 0;
    if (wide) {
      for (int d = 0; d < rank - 1; ++d) {
        const Index outer = i / size[d];
        at += (i - outer * size[d]) * step[d];
        i = outer;
      }
      return at + i * step[rank - 1];
    }
    auto u = static_cast<std::uint32_t>(i);
    for (int d = 0; d < rank - 1; ++d) {
      const std::uint32_t outer = divisor[d].Divide(u);
      at += static_cast<Index>(u - outer * divisor[d].divisor) * step[d];
      u = outer;
    }
    return at + static_cast<Index>(u) * step[rank - 1];
  }

 private:
  void Add(Index n, Index elements) {
    size[rank] = n;
    step[rank++] = elements;
  }
};

// One launch: part p of output o folds the terms [p * part, (p + 1) * part) into result p * outputs + o.
template <class T, class R>
struct CudaReduceWork {
  const T* x;
  R* out;
  CudaDims kept, reduced;
  Index outputs, terms, part, parts;
  Index all_terms;     // that make one output, over all launches
  unsigned lanes;      // threads that share one result
  bool lanes_first;    // they are neighbours; else neighbours have neighbouring outputs
  bool packed;         // terms lie side by side and are read in packs
  const T* other = nullptr;       // for a reducer with PairTerm
  const float* centre = nullptr;  // likewise
};

// A reduction's last step for one output. The mean of no integers is 0.
template <class Reducer, class T, class A>
TENON_HD T FinishReduction(const A& sum, Index terms) {
  if constexpr (requires { Reducer::template Finish<T>(sum); }) {
    return Reducer::template Finish<T>(sum);
  } else if constexpr (Reducer::is_mean) {
    if constexpr (std::is_integral_v<A>)
      return terms == 0 ? T(0) : static_cast<T>(sum / static_cast<A>(terms));
    else if constexpr (std::is_floating_point_v<A>)
      return static_cast<T>(sum / static_cast<A>(terms));  // 0 / 0 is NaN
    else
      return sum / static_cast<decltype(sum.real)>(terms);
  } else {
    return static_cast<T>(sum);
  }
}
template <class Reducer, class A, class T>
TENON_HD A ReductionTerm(const T& x) {
  if constexpr (requires { Reducer::template Term<A>(x); })
    return Reducer::template Term<A>(x);
  else
    return Widen<A>(x);
}
// Folds the accumulators of an earlier launch.
template <class Reducer>
struct FoldParts : Reducer {
  static constexpr bool takes_pairs = false;
  template <class A>
  TENON_HD static A Term(const A& x) {
    return x;
  }
};
// Keeps them as they are.
template <class Reducer>
struct KeepParts : Reducer {
  template <class A>
  TENON_HD static A Finish(const A& x) {
    return x;
  }
};

template <class Reducer>
concept TakesPairs = requires { requires Reducer::takes_pairs; };
// The term from element `at` of the input for an output. A reducer with PairTerm takes the same element of another
// input and a number of the output, too.
template <class Reducer, class A, class T, class R>
__device__ A TermAt(const CudaReduceWork<T, R>& work, Index at, [[maybe_unused]] Index output) {
  if constexpr (TakesPairs<Reducer>)
    return Reducer::template PairTerm<A>(work.x[at], work.other[at], work.centre[output]);
  else
    return ReductionTerm<Reducer, A>(work.x[at]);
}

template <class Reducer, class A, class T, class R>
__device__ A ReduceLane(const CudaReduceWork<T, R>& work, Index output, Index begin, Index end, unsigned lane) {
  using Step = typename Reducer::Step;
  constexpr int kPack = kPackSize<T, T>;
  const A none = Step::template Identity<A>();
  A sums[4] = {none, none, none, none};
  const Index step = work.lanes;
  const Index base = work.kept.Locate(output);
  Index t = begin + lane;
  if constexpr (!TakesPairs<Reducer>) {
    if (work.packed) {
      using P = Pack<T, kPack>;
      const P* const packs = reinterpret_cast<const P*>(work.x + base);
      const Index last = end / kPack;
      for (Index p = begin / kPack + lane; p < last; p += step) {
        const P pack = packs[p];
#pragma unroll
        for (int k = 0; k < kPack; ++k)
          sums[k % 4] = Step::Combine(sums[k % 4], ReductionTerm<Reducer, A>(pack.values[k]));
      }
      t = last * kPack + lane;
    }
  }
  for (; t + 3 * step < end; t += 4 * step) {
    A terms[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) terms[k] = TermAt<Reducer, A>(work, base + work.reduced.Locate(t + k * step), output);
#pragma unroll
    for (int k = 0; k < 4; ++k) sums[k] = Step::Combine(sums[k], terms[k]);
  }
  for (; t < end; t += step)
    sums[0] = Step::Combine(sums[0], TermAt<Reducer, A>(work, base + work.reduced.Locate(t), output));
  return Step::Combine(Step::Combine(sums[0], sums[1]), Step::Combine(sums[2], sums[3]));
}

inline constexpr unsigned kReduceThreads = 256;

template <class Reducer, class T, class A, class R>
__global__ void ReduceKernel(const __grid_constant__ CudaReduceWork<T, R> work) {
  using Step = typename Reducer::Step;
  __shared__ SharedArray<A, kReduceThreads> shared;
  const unsigned across = blockDim.x / work.lanes;  // results of one block
  const unsigned lane = work.lanes_first ? threadIdx.x % work.lanes : threadIdx.x / across;
  const unsigned column = work.lanes_first ? threadIdx.x / work.lanes : threadIdx.x % across;
  const Index results = work.outputs * work.parts;
  const A none = Step::template Identity<A>();
  for (Index first = static_cast<Index>(blockIdx.x) * across; first < results;
       first += static_cast<Index>(gridDim.x) * across) {
    const Index result = first + column, p = result / work.outputs, o = result - p * work.outputs;
    A sum = none;
    if (result < results) {
      const Index begin = p * work.part, end = begin + work.part < work.terms ? begin + work.part : work.terms;
      sum = ReduceLane<Reducer, A>(work, o, begin, end, lane);
    }
    if (work.lanes_first) {
      sum = FoldGroup<Step>(sum, none, work.lanes, shared.data());
    } else if (work.lanes > 1) {
      A* const all = shared.data();
      all[threadIdx.x] = sum;
      __syncthreads();
      for (unsigned half = work.lanes / 2; half > 0; half /= 2) {
        if (lane < half) all[threadIdx.x] = Step::Combine(all[threadIdx.x], all[threadIdx.x + half * across]);
        __syncthreads();
      }
      sum = all[threadIdx.x];
    }
    if (lane == 0 && result < results) work.out[result] = FinishReduction<Reducer, R>(sum, work.all_terms);
  }
}

// How the terms of a reduction are shared out.
struct CudaReduceShape {
  unsigned lanes = 1;
  Index parts = 1;
  CudaGrid grid{1, 32};

  CudaReduceShape(const Cuda& device, Index outputs, Index terms, bool lanes_first) {
    constexpr Index kThreadsPerMultiprocessor = 1024, kLeastTerms = 16;
    const Index wanted = kThreadsPerMultiprocessor * (device.multiprocessors > 0 ? device.multiprocessors : 1);
    if (lanes_first) {
      lanes = terms <= kLeastTerms ? 1 : terms <= 2048 ? kWarp : kReduceThreads;
    } else {
      while (lanes < 8 && outputs * lanes < wanted && terms > kLeastTerms * lanes) lanes *= 2;
    }
    const Index threads = outputs * lanes;
    const Index useful = terms / (lanes * kLeastTerms);  // parts that have enough to do
    if (threads < wanted && useful > 1) {
      parts = (wanted + threads - 1) / threads;
      parts = parts < useful ? parts : useful;
    }
    Size(device, outputs * parts);
  }
  // For so many results in all.
  void Size(const Cuda& device, Index results) {
    constexpr Index kBlocksPerMultiprocessor = 16;
    const Index threads = results * lanes;
    grid.threads = threads >= kReduceThreads ? kReduceThreads : lanes > kWarp ? lanes : kWarp;
    const Index across = grid.threads / lanes, blocks = (results + across - 1) / across;
    const Index most = kBlocksPerMultiprocessor * (device.multiprocessors > 0 ? device.multiprocessors : 1);
    grid.blocks = static_cast<unsigned>(blocks < most ? blocks : most);
  }
};

template <class Reducer, class T, class R>
Status RunCudaReduction(Cuda& device, const ReducePlan& plan, const void* px, void* pout, const T* other = nullptr,
                        const float* centre = nullptr) {
  using A = decltype(Reducer::template Accumulator<T>());
  constexpr int kPack = kPackSize<T, T>;
  const CudaDims kept(plan.line, plan.runs ? plan.run : 1, plan.kept);
  const CudaDims reduced(plan.run, plan.runs ? 1 : plan.line, plan.reduced);
  CudaReduceWork<T, R> work{static_cast<const T*>(px),
                            static_cast<R*>(pout),
                            kept,
                            reduced,
                            plan.outputs,
                            plan.terms,
                            plan.terms,
                            1,
                            plan.terms,
                            1,
                            plan.runs,
                            false};
  CudaReduceShape shape(device, plan.outputs, plan.terms, plan.runs);
  work.lanes = shape.lanes;
  work.other = other;
  work.centre = centre;
  work.packed = other == nullptr && kPack > 1 && plan.runs && plan.reduced.rank == 0 && IsPackAligned<kPack>(work.x) &&
                (plan.outputs == 1 || plan.run % kPack == 0);
  if (shape.parts == 1) return LaunchCuda(device, shape.grid, &ReduceKernel<Reducer, T, A, R>, work);

  constexpr Index kPart = 64;  // terms of a part are a multiple: parts begin at a pack
  CudaReduceWork<T, A> first{work.x, nullptr, kept,       reduced,     work.outputs, work.terms,
                             1,      1,       plan.terms, shape.lanes, plan.runs,    work.packed};
  first.part = ((plan.terms + shape.parts - 1) / shape.parts + kPart - 1) / kPart * kPart;
  first.parts = (plan.terms + first.part - 1) / first.part;
  const Scratch sums(*device.allocator, static_cast<std::size_t>(first.parts * plan.outputs) * sizeof(A));
  TENON_RETURN_IF_ERROR(sums.status("Reduce"));
  first.out = sums.As<A>();
  first.other = other;
  first.centre = centre;
  shape.Size(device, plan.outputs * first.parts);
  TENON_RETURN_IF_ERROR(LaunchCuda(device, shape.grid, &ReduceKernel<KeepParts<Reducer>, T, A, A>, first));
  const ReduceDims none{};
  const CudaReduceWork<A, R> second{sums.As<A>(),
                                    work.out,
                                    CudaDims(plan.outputs, 1, none),
                                    CudaDims(first.parts, plan.outputs, none),
                                    plan.outputs,
                                    first.parts,
                                    first.parts,
                                    1,
                                    plan.terms,
                                    plan.outputs < kWarp ? 8u : 1u,
                                    false,
                                    false};
  shape.lanes = second.lanes;
  shape.Size(device, plan.outputs);
  return LaunchCuda(device, shape.grid, &ReduceKernel<FoldParts<Reducer>, A, A, R>, second);
}

// The type that a reduction of T is compiled for.
template <class Reducer, class T>
struct ReduceElement {
  using type = GpuElement<T>;
};
template <class Reducer, class T>
  requires(std::is_integral_v<T> && requires { requires Reducer::ignores_sign; })
struct ReduceElement<Reducer, T> {
  using type = std::make_unsigned_t<T>;
};

template <class Reducer, class T>
struct CudaReduction {
  static Status Run(Cuda& device, const ReducePlan& plan, const void* x, void* out) {
    return RunCudaReduction<Reducer, T, T>(device, plan, x, out);
  }
};

}  // namespace detail

// A reduction of elements of one type on a GPU.
struct CudaReduceLoops {
  Status (*run)(Cuda& device, const detail::ReducePlan& plan, const void* x, void* out) = nullptr;
};
// Stands for complex numbers too.
template <class Reducer, class T>
CudaReduceLoops ReduceLoopsFor(const Cuda&) {
  CudaReduceLoops loops;
  loops.run = &detail::CudaReduction<Reducer, typename detail::ReduceElement<Reducer, T>::type>::Run;
  return loops;
}

// out = x reduced over `axes`. Unimplemented: more than 6 groups of kept or of reduced neighbours. Returns when it is
// queued.
inline Status Reduce(Cuda& device, const CudaReduceLoops& loops, const void* x, const TensorShape& shape,
                     const AxisSet& axes, void* out) {
  const detail::ReducePlan plan(shape, axes);
  if (plan.outputs == 0) return OkStatus();
  if (plan.kept.rank >= detail::kMaxCudaReduceDims || plan.reduced.rank >= detail::kMaxCudaReduceDims)
    return errors::Unimplemented("Reduce: a tensor of shape ", shape, " has more than ", detail::kMaxCudaReduceDims,
                                 " separate groups of dimensions to reduce or to keep; on a GPU there may be no more");
  return loops.run(device, plan, x, out);
}

TENON_DETAIL_NAMESPACE_END
