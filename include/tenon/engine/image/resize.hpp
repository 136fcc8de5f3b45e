// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images made larger or smaller on the CPU: nearest neighbour, bilinear, bicubic, area, and the gradients. NHWC. All
// but the nearest neighbour give float whatever they read: rows of other types are first copied as float. Arithmetic
// and rounding are those of TensorFlow, step by step.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/conv/max_pool_argmax.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/half_conversion.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// One dimension: from `input` elements to `output`.
struct ResizeAxis {
  Index input = 0, output = 0;
  float scale = 1;

  ResizeAxis() = default;
  // align_corners: the first and last elements keep their positions.
  ResizeAxis(Index in, Index out, bool align_corners)
      : input(in),
        output(out),
        scale(align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                       : static_cast<float>(in) / static_cast<float>(out)) {}
};

struct ResizeGeometry {
  Index batch = 0, depth = 0;
  ResizeAxis rows, columns;
  bool align_corners = false, half_pixel_centers = false;
};

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void ToFloatRun(const void* px, float* out, Index n) {
  const T* const x = static_cast<const T*>(px);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]);
}
// out[i] = from[i] + (to[i] - from[i]) * t
TENON_DETAIL_LOOP inline void LerpRun(const float* from, const float* to, float t, float* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = from[i] + (to[i] - from[i]) * t;
}
// sum[i] += x[i] * weight
TENON_DETAIL_LOOP inline void AddWeightedRun(const float* x, float weight, float* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] += x[i] * weight;
}

TENON_DETAIL_LOOPS_END

template <class T>
void SmallToFloatRun(const void* x, float* out, Index n) {
  WidenRun(static_cast<const T*>(x), out, n);
}
using ToFloat = void (*)(const void* x, float* out, Index n);
// For real numbers; null for float.
inline ToFloat ToFloatOf(DataType dtype) {
  switch (dtype) {
    case DataType::kHalf: return &SmallToFloatRun<half>;
    case DataType::kBfloat16: return &SmallToFloatRun<bfloat16>;
    case DataType::kDouble: return &ToFloatRun<double>;
    case DataType::kInt8: return &ToFloatRun<std::int8_t>;
    case DataType::kInt16: return &ToFloatRun<std::int16_t>;
    case DataType::kInt32: return &ToFloatRun<std::int32_t>;
    case DataType::kInt64: return &ToFloatRun<std::int64_t>;
    case DataType::kUint8: return &ToFloatRun<std::uint8_t>;
    case DataType::kUint16: return &ToFloatRun<std::uint16_t>;
    case DataType::kUint32: return &ToFloatRun<std::uint32_t>;
    case DataType::kUint64: return &ToFloatRun<std::uint64_t>;
    default: return nullptr;
  }
}

// Rows of images as float: where they lie, or copied.
struct FloatRows {
  const void* data;
  ToFloat convert;
  Index bytes;  // size of an element
  Index elements;  // length of a row

  FloatRows(const void* images, DataType dtype, Index row_elements)
      : data(images), convert(ToFloatOf(dtype)), bytes(static_cast<Index>(SizeOf(dtype))), elements(row_elements) {}
  // `buffer` has room for a row.
  const float* Get(Index row, float* buffer) const {
    const char* const from = static_cast<const char*>(data) + row * elements * bytes;
    if (convert == nullptr) return reinterpret_cast<const float*>(from);
    convert(from, buffer, elements);
    return buffer;
  }
};

// Where an output element is among the inputs.
TENON_HD float Place(const ResizeAxis& axis, bool half_pixel_centers, Index i) {
  const float x = static_cast<float>(i);
  return half_pixel_centers ? (x + 0.5f) * axis.scale - 0.5f : x * axis.scale;
}

TENON_HD Index NearestPlace(const ResizeAxis& axis, bool align_corners, bool half_pixel_centers, Index i) {
  const float x = half_pixel_centers ? (static_cast<float>(i) + 0.5f) * axis.scale : static_cast<float>(i) * axis.scale;
  const Index place = static_cast<Index>(align_corners ? std::round(x) : std::floor(x)), last = axis.input - 1;
  return place < 0 ? 0 : place < last ? place : last;
}

struct LinearPlace {
  Index lower, upper;
  float lerp;  // from lower to upper
};
TENON_HD LinearPlace LinearPlaceOf(const ResizeAxis& axis, bool half_pixel_centers, Index i) {
  const float x = Place(axis, half_pixel_centers, i), below = std::floor(x);
  const Index above = static_cast<Index>(std::ceil(x)), last = axis.input - 1, upper = above < last ? above : last;
  const Index wanted = static_cast<Index>(below), lower = wanted > 0 ? wanted : 0;
  return {lower < upper ? lower : upper, upper, x - below};
}

struct CubicPlace {
  Index at[4];
  float weight[4];
};
// Keys' cubic with a = -0.5 (half-pixel centers; elements outside do not count) or -0.75 (the border is repeated), from
// a table of 1024 steps.
inline CubicPlace CubicPlaceOf(const ResizeAxis& axis, bool half_pixel_centers, Index i) {
  constexpr float kSteps = 1024;
  const double a = half_pixel_centers ? -0.5 : -0.75;
  const auto near = [a](float x) {
    return static_cast<float>(((a + 2) * static_cast<double>(x) - (a + 3)) * static_cast<double>(x * x) + 1);
  };
  const auto far = [a](float x) {
    const double y = static_cast<double>(x + 1.0f);
    return static_cast<float>(((a * y - 5 * a) * y + 8 * a) * y - 4 * a);
  };
  const float x = Place(axis, half_pixel_centers, i), below = std::floor(x);
  const float step = std::nearbyint((x - below) * kSteps) / kSteps;
  CubicPlace place{{}, {far(step), near(step), near(1 - step), far(1 - step)}};
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const Index wanted = static_cast<Index>(below) - 1 + k;
    place.at[k] = std::clamp<Index>(wanted, 0, axis.input - 1);
    if (half_pixel_centers && place.at[k] != wanted) place.weight[k] = 0;
    sum += place.weight[k];
  }
  if (half_pixel_centers && std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min())
    for (float& weight : place.weight) weight *= 1.0f / sum;
  return place;
}

// The part of input element i that lies in [begin, end), which it meets.
inline float AreaWeight(const ResizeAxis& axis, float begin, float end, Index i) {
  const float x = static_cast<float>(i);
  if (x < begin) return x + 1 > end ? axis.scale : x + 1 - begin;
  return x + 1 > end ? end - x : 1.0f;
}

// The places of all output columns, found once for all rows.
template <class Place>
class PlacesOfColumns {
 public:
  template <class Find>
  PlacesOfColumns(Cpu& device, Index columns, const Find& find)
      : scratch_(device, static_cast<std::size_t>(columns) * sizeof(Place)), places_(scratch_.As<Place>()) {
    for (Index j = 0; places_ != nullptr && j < columns; ++j) places_[j] = find(j);
  }
  Status status() const { return scratch_.status("Resize"); }
  const Place& operator[](Index j) const { return places_[j]; }

 private:
  Scratch scratch_;
  Place* places_;
};

// row(number of the output row, scratch of this many floats) for all rows of all images.
template <class Body>
Status ForResizedRows(Cpu& device, const ResizeGeometry& g, Index scratch_floats, double ns, const Body& row) {
  const Index rows = g.batch * g.rows.output;
  const Index parts = WorthwhileParts(device, ns * static_cast<double>(rows));
  const std::size_t bytes = ScratchBytes<float>(scratch_floats);
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Resize"));
  RunParts(device, parts, [&](Index part) {
    float* const own = scratch.As<float>(static_cast<std::size_t>(part) * bytes);
    for (Index i = PartBegin(rows, parts, 1, part); i < PartBegin(rows, parts, 1, part + 1); ++i) row(i, own);
  });
  return OkStatus();
}
inline double ResizedRowNs(const ResizeGeometry& g, double ns_per_element) {
  return ns_per_element * static_cast<double>(g.columns.output * g.depth) +
         0.3 * static_cast<double>(g.columns.input * g.depth);
}

}  // namespace detail

// `images` has elements of `dtype`; out: float [batch, out_rows, out_columns, depth].
inline Status ResizeBilinear(Cpu& device, const ResizeGeometry& g, DataType dtype, const void* images, float* out) {
  const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
  const detail::FloatRows rows(images, dtype, row);
  const detail::PlacesOfColumns<detail::LinearPlace> columns(
      device, g.columns.output, [&](Index j) { return detail::LinearPlaceOf(g.columns, g.half_pixel_centers, j); });
  TENON_RETURN_IF_ERROR(columns.status());
  const auto work = [&](Index i, float* scratch) {
    const detail::LinearPlace y = detail::LinearPlaceOf(g.rows, g.half_pixel_centers, i % g.rows.output);
    const Index first = i / g.rows.output * g.rows.input;
    const float* const top = rows.Get(first + y.lower, scratch);
    const float* const bottom = rows.Get(first + y.upper, scratch + row);
    float* to = out + i * out_row;
    for (Index j = 0; j < g.columns.output; ++j, to += g.depth) {
      const detail::LinearPlace& x = columns[j];
      const Index left = x.lower * g.depth, right = x.upper * g.depth;
      for (Index d = 0; d < g.depth; ++d) {
        const float above = top[left + d] + (top[right + d] - top[left + d]) * x.lerp;
        const float below = bottom[left + d] + (bottom[right + d] - bottom[left + d]) * x.lerp;
        to[d] = above + (below - above) * y.lerp;
      }
    }
  };
  return detail::ForResizedRows(device, g, 2 * row, detail::ResizedRowNs(g, 2), work);
}

inline Status ResizeBicubic(Cpu& device, const ResizeGeometry& g, DataType dtype, const void* images, float* out) {
  const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
  const detail::FloatRows rows(images, dtype, row);
  const detail::PlacesOfColumns<detail::CubicPlace> columns(
      device, g.columns.output, [&](Index j) { return detail::CubicPlaceOf(g.columns, g.half_pixel_centers, j); });
  TENON_RETURN_IF_ERROR(columns.status());
  const auto work = [&](Index i, float* scratch) {
    const detail::CubicPlace y = detail::CubicPlaceOf(g.rows, g.half_pixel_centers, i % g.rows.output);
    const Index first = i / g.rows.output * g.rows.input;
    float* const sums = scratch + row;  // over the rows
    std::fill_n(sums, row, 0.0f);
    for (int k = 0; k < 4; ++k) detail::AddWeightedRun(rows.Get(first + y.at[k], scratch), y.weight[k], sums, row);
    float* to = out + i * out_row;
    for (Index j = 0; j < g.columns.output; ++j, to += g.depth) {
      const detail::CubicPlace& x = columns[j];
      for (Index d = 0; d < g.depth; ++d) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += sums[x.at[k] * g.depth + d] * x.weight[k];
        to[d] = sum;
      }
    }
  };
  return detail::ForResizedRows(device, g, 2 * row, detail::ResizedRowNs(g, 6), work);
}

// Each output pixel is the mean of the piece of the input that it covers: of something, so that a single row or column
// is repeated even where its corners are aligned.
inline Status ResizeArea(Cpu& device, const ResizeGeometry& geometry, DataType dtype, const void* images, float* out) {
  ResizeGeometry g = geometry;
  for (ResizeAxis* const axis : {&g.rows, &g.columns})
    if (axis->input == 1) *axis = ResizeAxis(1, axis->output, false);
  const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
  const detail::FloatRows rows(images, dtype, row);
  const float scale = static_cast<float>(1.0 / static_cast<double>(g.rows.scale * g.columns.scale));
  const auto bounds = [](const ResizeAxis& axis, Index i, float* begin, float* end) {
    *begin = static_cast<float>(i) * axis.scale;
    *end = static_cast<float>(i + 1) * axis.scale;
  };
  struct Covered {
    Index first, last;  // inclusive
    float left, right;
  };
  const detail::PlacesOfColumns<Covered> columns(device, g.columns.output, [&](Index j) {
    Covered covered;
    bounds(g.columns, j, &covered.left, &covered.right);
    covered.first = static_cast<Index>(std::floor(covered.left));
    covered.last = static_cast<Index>(std::ceil(covered.right)) - 1;
    return covered;
  });
  TENON_RETURN_IF_ERROR(columns.status());
  constexpr Index kTogether = 4;  // channels
  const auto work = [&](Index i, float* scratch) {
    float top, bottom;
    bounds(g.rows, i % g.rows.output, &top, &bottom);
    const Index first = i / g.rows.output * g.rows.input;
    float* to = out + i * out_row;
    std::fill_n(to, out_row, 0.0f);
    for (Index y = static_cast<Index>(std::floor(top)); y < static_cast<Index>(std::ceil(bottom)); ++y) {
      const float y_weight = detail::AreaWeight(g.rows, top, bottom, y);
      const float* const from = rows.Get(first + std::clamp<Index>(y, 0, g.rows.input - 1), scratch);
      for (Index j = 0; j < g.columns.output; ++j) {
        const Covered& c = columns[j];
        for (Index d = 0; d < g.depth; d += kTogether) {
          const Index channels = std::min(kTogether, g.depth - d);
          float sums[kTogether] = {};
          for (Index x = c.first; x <= c.last; ++x) {
            const float* const pixel = from + std::clamp<Index>(x, 0, g.columns.input - 1) * g.depth + d;
            const float weight = detail::AreaWeight(g.columns, c.left, c.right, x);
            for (Index k = 0; k < channels; ++k) sums[k] += pixel[k] * weight;
          }
          for (Index k = 0; k < channels; ++k) to[j * g.depth + d + k] += sums[k] * y_weight;
        }
      }
    }
    for (Index k = 0; k < out_row; ++k) to[k] *= scale;
  };
  const double covered = static_cast<double>(g.rows.scale + 1) * static_cast<double>(g.columns.scale + 1);
  return detail::ForResizedRows(device, g, row, detail::ResizedRowNs(g, 3 * covered), work);
}

// Elements of `bytes` bytes, copied.
inline Status ResizeNearest(Cpu& device, const ResizeGeometry& g, Index bytes, const void* images, void* out) {
  const Index pixel = g.depth * bytes, row = g.columns.input * pixel, out_row = g.columns.output * pixel;
  ParallelFor(device, g.batch * g.rows.output, detail::ResizedRowNs(g, 1), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index y = detail::NearestPlace(g.rows, g.align_corners, g.half_pixel_centers, i % g.rows.output);
      const char* const from = static_cast<const char*>(images) + (i / g.rows.output * g.rows.input + y) * row;
      char* to = static_cast<char*>(out) + i * out_row;
      for (Index j = 0; j < g.columns.output; ++j, to += pixel)
        std::memcpy(to, from + detail::NearestPlace(g.columns, g.align_corners, g.half_pixel_centers, j) * pixel,
                    static_cast<std::size_t>(pixel));
    }
  });
  return OkStatus();
}

namespace detail {

// Where the gradient of one element of one dimension goes to: at most four positions.
struct GradientPlaces {
  int count;
  Index at[4];
  float weight[4];
};
enum class ResizeMethod { kNearest, kBilinear, kBicubic };
inline GradientPlaces GradientPlacesOf(ResizeMethod method, const ResizeGeometry& g, const ResizeAxis& axis, Index i) {
  if (method == ResizeMethod::kNearest)
    return {1, {NearestPlace(axis, g.align_corners, g.half_pixel_centers, i)}, {1.0f}};
  if (method == ResizeMethod::kBilinear) {
    const LinearPlace p = LinearPlaceOf(axis, g.half_pixel_centers, i);
    return {2, {p.lower, p.upper}, {1.0f - p.lerp, p.lerp}};
  }
  const CubicPlace p = CubicPlaceOf(axis, g.half_pixel_centers, i);
  GradientPlaces places{4, {}, {}};
  std::copy_n(p.at, 4, places.at);
  std::copy_n(p.weight, 4, places.weight);
  return places;
}

}  // namespace detail

// The gradients with respect to the images: grad [batch, out_rows, out_columns, depth] -> out [batch, rows, columns,
// depth], which is overwritten. G is T for the nearest neighbour, else float; sums are rounded to T one by one.
template <class G, class T>
Status ResizeGradient(Cpu& device, const ResizeGeometry& g, detail::ResizeMethod method, const G* grad, T* out) {
  const Index image = g.rows.input * g.columns.input * g.depth, places = g.rows.output * g.columns.output;
  const detail::PlacesOfColumns<detail::GradientPlaces> columns(
      device, g.columns.output, [&](Index j) { return detail::GradientPlacesOf(method, g, g.columns, j); });
  TENON_RETURN_IF_ERROR(columns.status());
  ParallelFor(device, g.batch, 8.0 * static_cast<double>(places * g.depth + image), [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      T* const to = out + n * image;
      for (Index i = 0; i < image; ++i) to[i] = T(0);
      detail::GradientPlaces y = {};
      for (Index i = 0, column = 0; i < places; ++i, column = column + 1 == g.columns.output ? 0 : column + 1) {
        if (column == 0) y = detail::GradientPlacesOf(method, g, g.rows, i / g.columns.output);
        const detail::GradientPlaces& x = columns[column];
        const G* const from = grad + (n * places + i) * g.depth;
        for (int r = 0; r < y.count; ++r) {
          for (int c = 0; c < x.count; ++c) {
            T* const sum = to + (y.at[r] * g.columns.input + x.at[c]) * g.depth;
            for (Index d = 0; d < g.depth; ++d) {
              if constexpr (std::is_same_v<G, T> && !std::is_same_v<G, float>)
                sum[d] = detail::PoolSum(sum[d], from[d]);
              else
                sum[d] = static_cast<T>(sum[d] + static_cast<T>(from[d] * y.weight[r] * x.weight[c]));
            }
          }
        }
      }
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
