// SPDX-License-Identifier: Apache-2.0
#pragma once
// Grey-scale dilation on a GPU: a thread an element.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/dilation.cuh> only from files that nvcc compiles."
#endif

#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/dilation.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T>
struct DilateBody {
  DilationGeometry g;
  T lowest;
  Index image, per_image;  // elements of an image of the input and of the output
  const T* input;
  const T* filter;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    Index unused = 0;
    output[i] = LargestSum(g, lowest, input + i / per_image * image, filter, i % per_image, &unused, &unused);
  }
};

}  // namespace detail

// As the CPU's. Returns when it is queued.
template <class T>
Status Dilate(Cuda& device, const DilationGeometry& g, const T* input, const T* filter, T* output) {
  const Index per_image = g.output_elements();
  return ForEach(
      device, g.batch * per_image,
      detail::DilateBody<T>{g, std::numeric_limits<T>::lowest(), g.image_elements(), per_image, input, filter, output});
}

TENON_DETAIL_NAMESPACE_END
