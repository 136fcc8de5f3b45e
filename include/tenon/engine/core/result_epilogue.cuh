// SPDX-License-Identifier: Apache-2.0
#pragma once
// CudaEpilogue: steps that a product or a convolution applies to its result before it writes it.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/core/result_epilogue.cuh> only from files that nvcc compiles."
#endif

#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/device/cuda.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

// Each element of the result becomes x + offset[column] + added[element], between `low` and `high`; NaN stays. A kernel
// that finds one in its Cuda may do this, and says so. Columns lie along the last axis.
struct CudaEpilogue {
  const void* offset = nullptr;  // both have the result's type; null: nothing is added
  const void* added = nullptr;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool done = false;

  bool clamps_below() const { return low != -std::numeric_limits<float>::infinity(); }
  bool clamps_above() const { return high != std::numeric_limits<float>::infinity(); }
};

namespace detail {

// The steps of a CudaEpilogue for elements of type T. Only results of float and double have one.
template <class T>
struct EpilogueSteps {
  const T* offset = nullptr;
  const T* added = nullptr;
  T low = -std::numeric_limits<T>::infinity(), high = std::numeric_limits<T>::infinity();

  EpilogueSteps() = default;
  // Takes the device's epilogue, which is done then.
  explicit EpilogueSteps(Cuda& device) {
    if (device.epilogue == nullptr) return;
    const CudaEpilogue& steps = *device.epilogue;
    offset = static_cast<const T*>(steps.offset);
    added = static_cast<const T*>(steps.added);
    if (steps.clamps_below()) low = static_cast<T>(steps.low);
    if (steps.clamps_above()) high = static_cast<T>(steps.high);
    device.epilogue->done = true;
  }
  __device__ __forceinline__ T operator()(T x, Index column, Index at) const {
    if (offset != nullptr) x += offset[column];
    if (added != nullptr) x += added[at];
    return x < low ? low : x > high ? high : x;
  }
  void Skip(Index elements) {
    if (added != nullptr) added += elements;
  }
};
template <class T>
  requires(!std::is_same_v<T, float> && !std::is_same_v<T, double>)
struct EpilogueSteps<T> {
  EpilogueSteps() = default;
  explicit EpilogueSteps(Cuda&) {}
  __device__ __forceinline__ T operator()(T x, Index, Index) const { return x; }
  void Skip(Index) {}
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
