// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShapeArena: the shapes and dimensions that a shape function makes and compares. The known facts of them only grow, by
// the requirements that the function states. The base of InferenceContext.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/op/shape/shape_errors.hpp>
#include <tenon/op/shape/shape_handles.hpp>
#include <tenon/op/shape/static_shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Handles belong to the arena that made them. externally synchronised.
class ShapeArena {
 public:
  static constexpr std::int64_t kUnknownDim = -1;
  static constexpr std::int32_t kUnknownRank = -1;

  // --- questions about shapes and dimensions
  static constexpr std::int32_t Rank(ShapeHandle s) { return s.rank_; }
  static constexpr bool RankKnown(ShapeHandle s) { return Rank(s) != kUnknownRank; }
  static constexpr std::int64_t Value(DimensionOrConstant d) {
    if (!d.dim.IsSet()) return d.val;
    return d.dim.rep_ >= 0 ? d.dim.rep_ : kUnknownDim;
  }
  static constexpr bool ValueKnown(DimensionOrConstant d) { return Value(d) != kUnknownDim; }
  // Counts from the end when i is negative. A new unknown when the rank is unknown or there is no such dimension.
  constexpr DimensionHandle Dim(ShapeHandle s, std::int64_t i) {
    const std::int64_t rank = RankKnown(s) ? Rank(s) : 0;
    return -rank <= i && i < rank ? DimKnownRank(s, i) : UnknownDim();
  }
  constexpr DimensionHandle DimKnownRank(ShapeHandle s, std::int64_t i) const {
    return dims_[s.begin_ + static_cast<std::size_t>(i < 0 ? s.rank_ + i : i)];
  }
  constexpr bool FullyDefined(ShapeHandle s) const {
    if (!RankKnown(s)) return false;
    for (std::int32_t i = 0; i < Rank(s); ++i)
      if (!ValueKnown(DimKnownRank(s, i))) return false;
    return true;
  }
  // 0 as soon as one size is 0, unknown when a size or the rank is unknown.
  constexpr DimensionHandle NumElements(ShapeHandle s) {
    if (!RankKnown(s)) return UnknownDim();
    bool unknown = false;
    std::uint64_t size = 1;
    for (std::int32_t i = 0; i < Rank(s); ++i) {
      const std::int64_t v = Value(DimKnownRank(s, i));
      if (v == 0) return MakeDim(0);
      if (v == kUnknownDim)
        unknown = true;
      else
        size *= static_cast<std::uint64_t>(v);
    }
    return unknown || static_cast<std::int64_t>(size) < 0 ? UnknownDim() : MakeDim(static_cast<std::int64_t>(size));
  }
  std::string DebugString(ShapeHandle s) const {
    if (!RankKnown(s)) return "?";
    std::string text = "[";
    for (std::int32_t i = 0; i < Rank(s); ++i) StrAppend(&text, i == 0 ? "" : ",", DebugString(DimKnownRank(s, i)));
    return text + "]";
  }
  std::string DebugString(DimensionHandle d) const { return ValueKnown(d) ? StrCat(Value(d)) : "?"; }
  std::string DebugString(const ShapeAndType& held) const { return StrCat(DebugString(held.shape), ":", held.dtype); }
  std::string DebugString(Span<const ShapeAndType> held) const {
    return StrCat(
        "[", StrJoin(held, ",", [this](std::string* out, const ShapeAndType& h) { out->append(DebugString(h)); }), "]");
  }

  // --- requirements: *out is the input with the facts that are known afterwards
  constexpr Status WithRank(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    constexpr std::int64_t kMax = 1 << 25;  // TensorFlow's is 2^31 - 1, and each dimension takes memory
    if (rank > kMax) return Failed(out, detail::rank_is_too_large());
    if (Rank(s) == rank) return Done(out, s);
    if (!RankKnown(s)) return Merge(s, UnknownShapeOfRank(rank < 0 ? 0 : rank), out);  // as TensorFlow reads it
    return Failed(out, detail::shape_has_the_wrong_rank("", rank, Rank(s)));
  }
  constexpr Status WithRankAtLeast(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s) || Rank(s) >= rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("at least ", rank, Rank(s)));
  }
  // At least the rank that has such a dimension; counts from the end when `axis` is negative. Any number may be given.
  constexpr Status WithAxis(ShapeHandle s, std::int64_t axis, ShapeHandle* out) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (axis >= kLargest || axis < -kLargest) return Failed(out, detail::rank_is_too_large());
    return WithRankAtLeast(s, axis < 0 ? -axis : axis + 1, out);
  }
  constexpr Status WithRankAtMost(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s) || Rank(s) <= rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("at most ", rank, Rank(s)));
  }
  constexpr Status WithValue(DimensionHandle d, std::int64_t value, DimensionHandle* out) {
    if (!ValueKnown(d)) return Merge(d, MakeDim(value), out);
    if (Value(d) == value) return Done(out, d);
    return Failed(out, detail::dimension_has_the_wrong_size(value, Value(d)));
  }
  constexpr Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
    if (a.SameHandle(b)) return Done(out, a);
    if (ValueKnown(a) && ValueKnown(b)) return Failed(out, detail::dimensions_must_be_equal(Value(a), Value(b)));
    merged_dims_.push_back({a, b});
    return Done(out, ValueKnown(b) ? b : a);
  }
  constexpr Status Merge(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (a.SameHandle(b)) return Done(out, a);
    if (!RankKnown(a) || !RankKnown(b)) {
      merged_shapes_.push_back({a, b});
      return Done(out, RankKnown(b) ? b : a);
    }
    const std::int32_t rank = Rank(a);
    if (rank != Rank(b)) return Failed(out, detail::shapes_must_have_equal_rank(rank, Rank(b)));
    bool a_knows_all = true, b_knows_all = true;
    for (std::int32_t i = 0; i < rank; ++i) {
      const DimensionHandle x = DimKnownRank(a, i), y = DimKnownRank(b, i);
      if (x.SameHandle(y)) continue;
      if (ValueKnown(x) && ValueKnown(y)) return Failed(out, shapes_differ_in_a_dimension(i, a, b));
      if (ValueKnown(y)) a_knows_all = false;
      if (ValueKnown(x)) b_knows_all = false;
    }
    merged_shapes_.push_back({a, b});
    if (a_knows_all || b_knows_all) return Done(out, a_knows_all ? a : b);
    SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
    for (std::int32_t i = 0; i < rank; ++i)
      TENON_RETURN_IF_ERROR(Merge(DimKnownRank(a, i), DimKnownRank(b, i), &dims[static_cast<std::size_t>(i)]));
    *out = MakeShape(dims);
    merged_shapes_.push_back({a, *out});
    return OkStatus();
  }
  // Merges s's first dimensions with all of prefix's.
  constexpr Status MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle* s_out, ShapeHandle* prefix_out) {
    *s_out = s;
    *prefix_out = prefix;
    if (!RankKnown(s) || !RankKnown(prefix)) return OkStatus();
    *s_out = *prefix_out = ShapeHandle();
    const std::int32_t rank = Rank(prefix);
    TENON_RETURN_IF_ERROR(WithRankAtLeast(s, rank, &s));
    SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
    for (std::int32_t i = 0; i < rank; ++i)
      TENON_RETURN_IF_ERROR(Merge(DimKnownRank(s, i), DimKnownRank(prefix, i), &dims[static_cast<std::size_t>(i)]));
    *prefix_out = MakeShape(dims);
    for (std::int32_t i = rank; i < Rank(s); ++i) dims.push_back(DimKnownRank(s, i));
    *s_out = MakeShape(dims);
    return OkStatus();
  }

  // --- equal shapes and dimensions, in the order found: each pair was different handles before Merge
  // (or a requirement that merges) made them one. For callers that look for one unknown in several shapes.
  struct MergedShape {
    ShapeHandle first, second;
  };
  struct MergedDim {
    DimensionHandle first, second;
  };
  constexpr Span<const MergedShape> MergedShapes() const { return {merged_shapes_.data(), merged_shapes_.size()}; }
  constexpr Span<const MergedDim> MergedDims() const { return {merged_dims_.data(), merged_dims_.size()}; }
  constexpr void ForgetMerges() {
    merged_shapes_.clear();
    merged_dims_.clear();
  }

  // --- new shapes
  constexpr ShapeHandle MakeShape(const SlimVector<DimensionHandle>& dims) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    dims_.append(dims.begin(), dims.end());
    return NewShape(static_cast<std::int32_t>(dims.size()), begin);
  }
  constexpr ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (const DimensionOrConstant& d : dims) dims_.push_back(MakeDim(d));
    return NewShape(static_cast<std::int32_t>(dims.size()), begin);
  }
  // -1 is a new unknown.
  constexpr ShapeHandle MakeShape(Span<const std::int64_t> sizes) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (const std::int64_t size : sizes) dims_.push_back(MakeDim(size));
    return NewShape(static_cast<std::int32_t>(sizes.size()), begin);
  }
  constexpr ShapeHandle UnknownShape() { return NewShape(kUnknownRank, 0); }
  // A negative rank is none: the shape is unknown.
  constexpr ShapeHandle UnknownShapeOfRank(std::int64_t rank) {
    if (rank < 0) return UnknownShape();
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (std::int64_t i = 0; i < rank; ++i) dims_.push_back(UnknownDim());
    return NewShape(static_cast<std::int32_t>(rank), begin);
  }
  constexpr ShapeHandle Scalar() { return NewShape(0, 0); }
  constexpr ShapeHandle Vector(DimensionOrConstant d) { return MakeShape({d}); }
  constexpr ShapeHandle Matrix(DimensionOrConstant rows, DimensionOrConstant columns) {
    return MakeShape({rows, columns});
  }
  constexpr DimensionHandle MakeDim(DimensionOrConstant d) {
    if (d.dim.IsSet()) return d.dim;
    return d.val < 0 ? UnknownDim() : DimensionHandle(d.val);
  }
  constexpr DimensionHandle UnknownDim() { return DimensionHandle(-2 - unknown_dims_++); }

  // --- results
  Status ToPartialTensorShape(ShapeHandle s, PartialTensorShape* out) const {
    if (!RankKnown(s)) {
      *out = PartialTensorShape();
      return OkStatus();
    }
    std::int64_t sizes[kMaxTensorRank];
    TENON_RETURN_IF_ERROR(Sizes(s, sizes));
    return PartialTensorShape::Build({sizes, static_cast<std::size_t>(Rank(s))}, out);
  }
  // Internal unless the shape is fully known.
  Status ToTensorShape(ShapeHandle s, TensorShape* out) const {
    if (!FullyDefined(s)) return errors::Internal("the shape ", DebugString(s), " is not fully known");
    std::int64_t sizes[kMaxTensorRank];
    TENON_RETURN_IF_ERROR(Sizes(s, sizes));
    return TensorShape::Build({sizes, static_cast<std::size_t>(Rank(s))}, out);
  }
  constexpr StaticShape ToStaticShape(ShapeHandle s) const {
    StaticShape out;
    if (!RankKnown(s)) return out;
    out.rank = Rank(s);
    for (int i = 0; i < out.rank; ++i) out.dims[i] = Value(DimKnownRank(s, i));
    return out;
  }

 protected:
  constexpr ShapeArena() = default;
  ShapeArena(const ShapeArena&) = delete;
  ShapeArena& operator=(const ShapeArena&) = delete;

  constexpr void ClearShapes() {
    dims_.clear();
    unknown_dims_ = 0;
    shapes_ = 0;
    ForgetMerges();
  }
  static constexpr Status Done(ShapeHandle* out, ShapeHandle value) {
    *out = value;
    return OkStatus();
  }
  static constexpr Status Done(DimensionHandle* out, DimensionHandle value) {
    *out = value;
    return OkStatus();
  }
  static constexpr Status Failed(ShapeHandle* out, Status status) {
    *out = ShapeHandle();
    return status;
  }
  static constexpr Status Failed(DimensionHandle* out, Status status) {
    *out = DimensionHandle();
    return status;
  }

 private:
  constexpr ShapeHandle NewShape(std::int32_t rank, std::uint32_t begin) { return {++shapes_, rank, begin}; }
  TENON_DETAIL_COLD Status shapes_differ_in_a_dimension(std::int32_t i, ShapeHandle a, ShapeHandle b) const {
    return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ",
                                   Value(DimKnownRank(a, i)), " and ", Value(DimKnownRank(b, i)), ". Shapes are ",
                                   DebugString(a), " and ", DebugString(b), ".");
  }
  Status Sizes(ShapeHandle s, std::int64_t* sizes) const {
    if (Rank(s) > kMaxTensorRank)
      return errors::InvalidArgument("Shape has too many dimensions: ", Rank(s), ", at most ", kMaxTensorRank);
    for (std::int32_t i = 0; i < Rank(s); ++i) sizes[i] = Value(DimKnownRank(s, i));
    return OkStatus();
  }

  std::int64_t unknown_dims_ = 0;
  std::uint32_t shapes_ = 0;  // made so far
  SlimVector<DimensionHandle> dims_;
  SlimVector<MergedShape> merged_shapes_;
  SlimVector<MergedDim> merged_dims_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
