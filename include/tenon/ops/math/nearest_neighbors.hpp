// SPDX-License-Identifier: Apache-2.0
#pragma once
// NearestNeighbors: the centers that are nearest to each point.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

struct Neighbor {
  float distance;
  Index center;
  bool operator<(const Neighbor& other) const {
    return distance != other.distance ? distance < other.distance : center < other.center;
  }
};

// sums[c] = the sum of (point[d] - centers[d, c])^2, for 64 centers.
struct SquaredDistances {
  static constexpr Index kCenters = 64;

  template <int bytes>
  TENON_HD static void Run(const float* point, const float* centers, Index size, float* sums) {
#if TENON_DETAIL_LANES
    using L = simd::Lanes<float, bytes>;
    for (Index c = 0; c < kCenters; c += 2 * L::size) {
      L first = L::Zero(), second = L::Zero();
      for (Index d = 0; d < size; ++d) {
        const L x = L::Repeat(point[d]), a = x - L::Load(centers + d * kCenters + c),
                b = x - L::Load(centers + d * kCenters + c + L::size);
        first = first + a * a;
        second = second + b * b;
      }
      first.Store(sums + c);
      second.Store(sums + c + L::size);
    }
#else
    for (Index c = 0; c < kCenters; ++c) {
      sums[c] = 0;
      for (Index d = 0; d < size; ++d) {
        const float step = point[d] - centers[d * kCenters + c];
        sums[c] += step * step;
      }
    }
#endif
  }
  static void Of(const float* point, const float* centers, Index size, float* sums) {
#if TENON_DETAIL_LANES
    using Levels = simd::detail::ForLevels<SquaredDistances, simd::Compiled, const float*, const float*, Index, float*>;
    Levels::Best()(point, centers, size, sums);
#else
    Run<16>(point, centers, size, sums);
#endif
  }
};

inline Status RunNearestNeighbors(OpKernelContext& context, const Tensor& points, const Tensor& centers,
                                  const Tensor& k) {
  if (points.dims() != 2)
    return errors::InvalidArgument("Input points should be a matrix, got shape ", points.shape(), ".");
  if (centers.dims() != 2)
    return errors::InvalidArgument("Input centers should be a matrix, got shape ", centers.shape(), ".");
  if (k.dims() != 0) return errors::InvalidArgument("Input k should be a scalar, got shape ", k.shape(), ".");
  const Index count = points.dim_size(0), size = points.dim_size(1);
  Index num_centers = centers.dim_size(0);
  if (size != centers.dim_size(1))
    return errors::InvalidArgument("Expected point_dimensions == center_dimensions: ", size, " vs ",
                                   centers.dim_size(1), ".");
  if (count == 0) return errors::InvalidArgument("Expected points.rows() > 0, got shape ", points.shape(), ".");
  const Index wanted = std::min<Index>(*k.data<std::int64_t>(), num_centers);
  if (wanted < 0) return errors::InvalidArgument("NearestNeighbors: k must be >= 0, got ", wanted);
  const Index sizes[] = {count, wanted};
  TensorShape shape;
  Tensor *indices = nullptr, *distances = nullptr;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, shape, &distances));
  if (wanted == 0) return OkStatus();
  if (size == 0) num_centers = wanted;  // all are equally near
  // Centers with their coordinates apart, distances of some centers, and the nearest so far.
  constexpr Index kTogether = SquaredDistances::kCenters;
  const Index blocks = (num_centers + kTogether - 1) / kTogether;
  const Index bytes[] = {blocks * kTogether * size * Index{sizeof(float)} + wanted * Index{sizeof(Neighbor)}};
  Tensor memory;
  TENON_RETURN_IF_ERROR(TensorShape::Build(bytes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, shape, &memory));
  auto* const neighbors = static_cast<Neighbor*>(memory.raw_data());
  auto* const apart = reinterpret_cast<float*>(neighbors + wanted);
  for (Index c = 0; c < blocks * kTogether; ++c)
    for (Index d = 0; d < size; ++d)
      apart[(c / kTogether * size + d) * kTogether + c % kTogether] =
          c < num_centers ? centers.data<float>()[c * size + d] : 0;
  for (Index p = 0; p < count; ++p) {
    const float* const point = points.data<float>() + p * size;
    Index found = 0;
    for (Index block = 0; block < blocks; ++block) {
      float sums[kTogether];
      SquaredDistances::Of(point, apart + block * size * kTogether, size, sums);
      const Index first = block * kTogether, here = std::min(kTogether, num_centers - first);
      for (Index c = 0; c < here; ++c) {
        // A NaN is the farthest: an order needs numbers.
        const Neighbor next{sums[c] == sums[c] ? sums[c] : std::numeric_limits<float>::infinity(), first + c};
        if (found == wanted) {
          if (!(next.distance < neighbors[0].distance)) continue;  // later centers lose against equal ones
          std::pop_heap(neighbors, neighbors + found--);
        }
        neighbors[found++] = next;
        std::push_heap(neighbors, neighbors + found);
      }
    }
    std::sort_heap(neighbors, neighbors + found);
    for (Index i = 0; i < wanted; ++i) {
      indices->data<std::int64_t>()[p * wanted + i] = neighbors[i].center;
      distances->data<float>()[p * wanted + i] = neighbors[i].distance;
    }
  }
  return OkStatus();
}

}  // namespace detail

// points: [n, d], centers: [m, d]; the min(k, m) nearest centers and their squared distances, nearest first.
struct NearestNeighbors {
  static constexpr auto signature = Op("NearestNeighbors")
                                        .Input("points: float")
                                        .Input("centers: float")
                                        .Input("k: int64")
                                        .Output("nearest_center_indices: int64")
                                        .Output("nearest_center_distances: float")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& points, const Tensor& centers, const Tensor& k, Tensor&,
                      Tensor&) const {
      return detail::RunNearestNeighbors(context.op(), points, centers, k);
    }
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
