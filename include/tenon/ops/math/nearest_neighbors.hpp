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

inline Status RunNearestNeighbors(OpKernelContext& context, const Tensor& points, const Tensor& centers,
                                  const Tensor& k) {
  if (points.dims() != 2)
    return errors::InvalidArgument("Input points should be a matrix, got shape ", points.shape(), ".");
  if (centers.dims() != 2)
    return errors::InvalidArgument("Input centers should be a matrix, got shape ", centers.shape(), ".");
  if (k.dims() != 0) return errors::InvalidArgument("Input k should be a scalar, got shape ", k.shape(), ".");
  const Index count = points.dim_size(0), size = points.dim_size(1), num_centers = centers.dim_size(0);
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
  const Index bytes[] = {num_centers, sizeof(Neighbor)};
  Tensor memory;
  TENON_RETURN_IF_ERROR(TensorShape::Build(bytes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt8, shape, &memory));
  auto* const neighbors = static_cast<Neighbor*>(memory.raw_data());
  for (Index p = 0; p < count; ++p) {
    const float* const point = points.data<float>() + p * size;
    for (Index c = 0; c < num_centers; ++c) {
      const float* const center = centers.data<float>() + c * size;
      float sum = 0;
      for (Index d = 0; d < size; ++d) sum += (point[d] - center[d]) * (point[d] - center[d]);
      // A NaN is the farthest: an order needs numbers.
      neighbors[c] = {sum == sum ? sum : std::numeric_limits<float>::infinity(), c};
    }
    std::partial_sort(neighbors, neighbors + wanted, neighbors + num_centers);
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
