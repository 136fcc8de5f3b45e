// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images made larger or smaller on the CPU: nearest neighbour, bilinear, bicubic, area. NHWC. All
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

// row(number of the output row, scratch of this many floats) for all rows of all images. Each part of the rows has a
// copy of `row`, which may remember what it has in its scratch.
template <class Body>
Status ForResizedRows(Cpu& device, const ResizeGeometry& g, Index scratch_floats, double ns, const Body& row) {
  const Index rows = g.batch * g.rows.output;
  const Index parts = WorthwhileParts(device, ns * static_cast<double>(rows));
  const std::size_t bytes = ScratchBytes<float>(scratch_floats);
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Resize"));
  RunParts(device, parts, [&](Index part) {
    float* const own = scratch.As<float>(static_cast<std::size_t>(part) * bytes);
    Body own_row = row;
    for (Index i = PartBegin(rows, parts, 1, part); i < PartBegin(rows, parts, 1, part + 1); ++i) own_row(i, own);
  });
  return OkStatus();
}
inline double ResizedRowNs(const ResizeGeometry& g, double ns_per_element) {
  return ns_per_element * static_cast<double>(g.columns.output * g.depth) +
         0.3 * static_cast<double>(g.columns.input * g.depth);
}

}  // namespace detail

namespace detail {

// The usual numbers of channels are known to the compiler: body.template Run<channels>(args...), 0 for any number.
template <class Body, class... Args>
void ForChannels(Index depth, const Body& body, Args... args) {
  switch (depth) {
    case 1: return body.template Run<1>(args...);
    case 3: return body.template Run<3>(args...);
    case 4: return body.template Run<4>(args...);
    default: return body.template Run<0>(args...);
  }
}

// One row, made longer or shorter.
struct LinearColumns {
  const PlacesOfColumns<LinearPlace>& places;
  Index columns, any_depth;

  template <int channels>
  void Run(const float* from, float* to) const {
    const Index depth = channels > 0 ? channels : any_depth;
    for (Index j = 0; j < columns; ++j, to += depth) {
      const LinearPlace& x = places[j];
      const float *const left = from + x.lower * depth, *const right = from + x.upper * depth;
      for (Index d = 0; d < depth; ++d) to[d] = left[d] + (right[d] - left[d]) * x.lerp;
    }
  }
};
struct CubicColumns {
  const PlacesOfColumns<CubicPlace>& places;
  Index columns, any_depth;

  template <int channels>
  void Run(const float* from, float* to) const {
    const Index depth = channels > 0 ? channels : any_depth;
    for (Index j = 0; j < columns; ++j, to += depth) {
      const CubicPlace& x = places[j];
      for (Index d = 0; d < depth; ++d) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += from[x.at[k] * depth + d] * x.weight[k];
        to[d] = sum;
      }
    }
  }
};

// ResizeBilinear, row by row. The last two input rows keep their new lengths: enlarged images use them again.
struct BilinearRows {
  const ResizeGeometry& g;
  const FloatRows& rows;
  LinearColumns columns;
  float* out;
  Index kept[2] = {-1, -1};

  void operator()(Index i, float* scratch) {
    const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
    const LinearPlace y = LinearPlaceOf(g.rows, g.half_pixel_centers, i % g.rows.output);
    const Index first = i / g.rows.output * g.rows.input, top = first + y.lower, bottom = first + y.upper;
    float* const lines[] = {scratch + row, scratch + row + out_row};
    const auto find = [&](Index wanted, Index other) {
      if (kept[0] == wanted || kept[1] == wanted) return kept[0] == wanted ? 0 : 1;
      const int place = kept[0] == other ? 1 : 0;
      ForChannels(g.depth, columns, rows.Get(wanted, scratch), lines[place]);
      kept[place] = wanted;
      return place;
    };
    const int above = find(top, bottom), below = find(bottom, top);
    LerpRun(lines[above], lines[below], y.lerp, out + i * out_row, out_row);
  }
};

}  // namespace detail

// `images` has elements of `dtype`; out: float [batch, out_rows, out_columns, depth].
inline Status ResizeBilinear(Cpu& device, const ResizeGeometry& g, DataType dtype, const void* images, float* out) {
  const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
  const detail::FloatRows rows(images, dtype, row);
  const detail::PlacesOfColumns<detail::LinearPlace> columns(
      device, g.columns.output, [&](Index j) { return detail::LinearPlaceOf(g.columns, g.half_pixel_centers, j); });
  TENON_RETURN_IF_ERROR(columns.status());
  const detail::BilinearRows work{g, rows, {columns, g.columns.output, g.depth}, out};
  return detail::ForResizedRows(device, g, row + 2 * out_row, detail::ResizedRowNs(g, 1), work);
}

inline Status ResizeBicubic(Cpu& device, const ResizeGeometry& g, DataType dtype, const void* images, float* out) {
  const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
  const detail::FloatRows rows(images, dtype, row);
  const detail::PlacesOfColumns<detail::CubicPlace> columns(
      device, g.columns.output, [&](Index j) { return detail::CubicPlaceOf(g.columns, g.half_pixel_centers, j); });
  TENON_RETURN_IF_ERROR(columns.status());
  const detail::CubicColumns in_row{columns, g.columns.output, g.depth};
  const auto work = [&](Index i, float* scratch) {
    const detail::CubicPlace y = detail::CubicPlaceOf(g.rows, g.half_pixel_centers, i % g.rows.output);
    const Index first = i / g.rows.output * g.rows.input;
    float* const sums = scratch + row;  // over the rows
    std::fill_n(sums, row, 0.0f);
    for (int k = 0; k < 4; ++k) detail::AddWeightedRun(rows.Get(first + y.at[k], scratch), y.weight[k], sums, row);
    detail::ForChannels(g.depth, in_row, static_cast<const float*>(sums), out + i * out_row);
  };
  return detail::ForResizedRows(device, g, 2 * row, detail::ResizedRowNs(g, 6), work);
}

namespace detail {

// An input column that an output column covers, and by how much.
struct AreaTap {
  Index at;
  float weight;
};
inline void AreaBounds(const ResizeAxis& axis, Index i, float* begin, float* end) {
  *begin = static_cast<float>(i) * axis.scale;
  *end = static_cast<float>(i + 1) * axis.scale;
}
// Input elements [first, last) that output element i covers; perhaps beyond the input.
struct Covered {
  Index first, last;
  float begin, end;
};
inline Covered CoveredBy(const ResizeAxis& axis, Index i) {
  Covered c;
  AreaBounds(axis, i, &c.begin, &c.end);
  c.first = static_cast<Index>(std::floor(c.begin));
  c.last = static_cast<Index>(std::ceil(c.end));
  return c;
}

struct AreaColumns {
  const AreaTap* taps;
  const Index* counts;  // taps of each output column
  Index columns, any_depth;

  // to += weight * the sums of `from` over the columns' taps.
  template <int channels>
  void Run(const float* from, float weight, float* to) const {
    const Index depth = channels > 0 ? channels : any_depth;
    constexpr Index kTogether = channels > 0 ? channels : 4;
    const AreaTap* tap = taps;
    for (Index j = 0; j < columns; tap += counts[j], ++j, to += depth) {
      for (Index d = 0; d < depth; d += kTogether) {
        const Index some = channels > 0 ? kTogether : std::min(kTogether, depth - d);
        float sums[kTogether] = {};
        for (Index k = 0; k < counts[j]; ++k) {
          const float* const pixel = from + tap[k].at * depth + d;
          for (Index c = 0; c < some; ++c) sums[c] += pixel[c] * tap[k].weight;
        }
        for (Index c = 0; c < some; ++c) to[d + c] += sums[c] * weight;
      }
    }
  }
};

}  // namespace detail

// Each output pixel is the mean of the piece of the input that it covers: of something, so that a single row or column
// is repeated even where its corners are aligned.
inline Status ResizeArea(Cpu& device, const ResizeGeometry& geometry, DataType dtype, const void* images, float* out) {
  ResizeGeometry g = geometry;
  for (ResizeAxis* const axis : {&g.rows, &g.columns})
    if (axis->input == 1) *axis = ResizeAxis(1, axis->output, false);
  const Index row = g.columns.input * g.depth, out_row = g.columns.output * g.depth;
  const detail::FloatRows rows(images, dtype, row);
  const float scale = static_cast<float>(1.0 / static_cast<double>(g.rows.scale * g.columns.scale));
  Index all_taps = 0;
  for (Index j = 0; j < g.columns.output; ++j) {
    const detail::Covered c = detail::CoveredBy(g.columns, j);
    all_taps += std::max<Index>(c.last - c.first, 0);
  }
  const std::size_t count_bytes = detail::ScratchBytes<Index>(g.columns.output);
  Scratch tables(device, count_bytes + detail::ScratchBytes<detail::AreaTap>(all_taps));
  TENON_RETURN_IF_ERROR(tables.status("Resize"));
  Index* const counts = tables.As<Index>();
  detail::AreaTap* const taps = tables.As<detail::AreaTap>(count_bytes);
  detail::AreaTap* tap = taps;
  for (Index j = 0; j < g.columns.output; ++j) {
    const detail::Covered c = detail::CoveredBy(g.columns, j);
    counts[j] = std::max<Index>(c.last - c.first, 0);
    for (Index x = c.first; x < c.last; ++x)
      *tap++ = {std::clamp<Index>(x, 0, g.columns.input - 1), detail::AreaWeight(g.columns, c.begin, c.end, x)};
  }
  const detail::AreaColumns columns{taps, counts, g.columns.output, g.depth};
  const auto work = [&](Index i, float* scratch) {
    const detail::Covered c = detail::CoveredBy(g.rows, i % g.rows.output);
    const Index first = i / g.rows.output * g.rows.input;
    float* to = out + i * out_row;
    std::fill_n(to, out_row, 0.0f);
    for (Index y = c.first; y < c.last; ++y) {
      const float weight = detail::AreaWeight(g.rows, c.begin, c.end, y);
      const float* const from = rows.Get(first + std::clamp<Index>(y, 0, g.rows.input - 1), scratch);
      detail::ForChannels(g.depth, columns, from, weight, to);
    }
    for (Index k = 0; k < out_row; ++k) to[k] *= scale;
  };
  const double covered = static_cast<double>(g.rows.scale + 1) * static_cast<double>(g.columns.scale + 1);
  return detail::ForResizedRows(device, g, row, detail::ResizedRowNs(g, covered), work);
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

TENON_DETAIL_NAMESPACE_END
