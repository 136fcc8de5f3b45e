// SPDX-License-Identifier: Apache-2.0
#pragma once
// The attrs and shapes of UniformQuantizedConvolution and its hybrid form: dimensions in any order, strides, padding,
// dilations and groups.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/ops/quantize/uniform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

struct UniformConvAttrs {
  std::span<const std::int64_t> window_strides;
  std::string_view padding;
  std::span<const std::int64_t> explicit_padding, lhs_dilation, rhs_dilation;
  std::int64_t batch_group_count, feature_group_count;
  std::string_view dimension_numbers;
};

// Where the dimensions of one tensor are: the first is the batch, or the output features of a filter.
struct ConvDimensions {
  Index first = 0, feature = 1;
  SlimVector<Index> spatial;

  Status Check(int rank) const {
    TENON_RETURN_IF_ERROR(CheckOne(rank, first));
    TENON_RETURN_IF_ERROR(CheckOne(rank, feature));
    if (static_cast<int>(spatial.size()) != rank - 2)
      return errors::InvalidArgument("Spatial dimensions size must be rank - 2. Given rank ", rank,
                                     " and spatial dimensions size ", spatial.size());
    for (const Index d : spatial) TENON_RETURN_IF_ERROR(CheckOne(rank, d));
    return OkStatus();
  }
  // Whether no dimension is named twice.
  bool distinct() const {
    bool found = first == feature;
    for (std::size_t i = 0; i < spatial.size(); ++i) {
      found = found || spatial[i] == first || spatial[i] == feature;
      for (std::size_t k = 0; k < i; ++k) found = found || spatial[i] == spatial[k];
    }
    return !found;
  }

 private:
  static Status CheckOne(int rank, Index d) {
    if (d >= 0 && d < rank) return OkStatus();
    return errors::InvalidArgument("Each dimension number must be in region [0, rank). Given rank ", rank,
                                   " and dimension number value ", d);
  }
};

// One spatial dimension. Places between and around dilated elements count as zeros.
struct ConvSpatial {
  Index in = 0, window = 0, out = 0;
  Index stride = 1, in_dilation = 1, window_dilation = 1, padding_before = 0;

  // The element of the input that window element `k` meets at output `at`, or -1.
  Index Meets(Index at, Index k) const {
    const Index place = at * stride - padding_before + k * window_dilation;
    if (place < 0 || place % in_dilation != 0) return -1;
    return place / in_dilation < in ? place / in_dilation : -1;
  }
};

struct UniformConvGeometry {
  ConvDimensions lhs, rhs, out;
  SlimVector<ConvSpatial> spatial;
  SlimVector<Index> out_sizes;
  Index batch = 0, features = 0, out_features = 0, window_features = 0;
  Index batch_groups = 1, feature_groups = 1;

  Status Make(const UniformConvAttrs& a, const TensorShape& l, const TensorShape& r) {
    const int rank = l.dims();
    if (rank < 3 || r.dims() < 3)
      return errors::InvalidArgument("lhs and rhs shape dims must be at least 3. Given: ", std::min(rank, r.dims()));
    if (rank != r.dims())
      return errors::InvalidArgument("lhs and rhs must have same dims. Given lhs and rhs of shapes: ", l, " and ", r);
    TENON_RETURN_IF_ERROR(ReadDimensions(a.dimension_numbers, rank));
    if (a.padding != "EXPLICIT" && a.padding != "SAME" && a.padding != "VALID")
      return errors::InvalidArgument("padding Attr must be one of [EXPLICIT | SAME | VALID], but given: ", a.padding);
    TENON_RETURN_IF_ERROR(CheckList("window_strides", a.window_strides, rank));
    TENON_RETURN_IF_ERROR(CheckList("lhs_dilation", a.lhs_dilation, rank));
    TENON_RETURN_IF_ERROR(CheckList("rhs_dilation", a.rhs_dilation, rank));
    TENON_RETURN_IF_ERROR(CheckPadding(a, rank));
    TENON_RETURN_IF_ERROR(SetGroups(a, l, r));
    for (std::size_t i = 0; i < lhs.spatial.size(); ++i) TENON_RETURN_IF_ERROR(AddSpatial(a, l, r, i));
    out_sizes.resize(static_cast<std::size_t>(rank), Index{0});
    At(out.first) = batch / batch_groups;
    At(out.feature) = out_features;
    for (std::size_t i = 0; i < spatial.size(); ++i) At(out.spatial[i]) = spatial[i].out;
    for (const Index size : out_sizes)
      if (size < 0) return errors::InvalidArgument("Expected shape dimensions to be non-negative, got ", size);
    return OkStatus();
  }

 private:
  Index& At(Index d) { return out_sizes[static_cast<std::size_t>(d)]; }

  // A message UniformQuantizedConvolutionDimensionNumbersAttr; empty: NC, OI and NC before the spatial dimensions.
  Status ReadDimensions(std::string_view bytes, int rank) {
    ConvDimensions* const parts[] = {&lhs, &rhs, &out};
    if (bytes.empty()) {
      for (ConvDimensions* const part : parts)
        for (Index d = 2; d < rank; ++d) part->spatial.push_back(d);
      return OkStatus();
    }
    // Fields: batch, feature and spatial of lhs; input feature, output feature and spatial of rhs; as lhs, of out.
    for (ConvDimensions* const part : parts) part->first = part->feature = 0;
    wire::Reader reader(wire::AsBytes(bytes));
    bool good = true;
    for (wire::Tag tag; good && reader.ReadTag(&tag);) {
      std::uint64_t value = 0;
      if (tag.field < 1 || tag.field > 9) {
        good = reader.Skip(tag);
        continue;
      }
      ConvDimensions& part = *parts[(tag.field - 1) / 3];
      const std::uint32_t place = (tag.field - 1) % 3;
      if (tag.type == wire::WireType::kVarint) {
        good = reader.ReadVarint(&value);
        const auto d = static_cast<Index>(value);
        if (good && place == 2)
          part.spatial.push_back(d);
        else if (good)
          ((place == 0) == (&part != &rhs) ? part.first : part.feature) = d;
      } else if (tag.type == wire::WireType::kBytes && place == 2) {
        wire::Reader::Outer outer;
        good = reader.Enter(&outer);
        while (good && !reader.AtEnd()) {
          good = reader.ReadVarint(&value);
          if (good) part.spatial.push_back(static_cast<Index>(value));
        }
        if (good) reader.Leave(outer);
      } else {
        good = reader.Skip(tag);
      }
    }
    if (!good || !reader.ok()) return errors::InvalidArgument("Error parsing convolution dimension numbers.");
    for (ConvDimensions* const part : parts) {
      if (part->spatial.empty())
        for (Index d = 2; d < rank; ++d) part->spatial.push_back(d);
      TENON_RETURN_IF_ERROR(part->Check(rank));
    }
    // An output with a dimension named twice has one of size 0, as in TensorFlow.
    if (!lhs.distinct() || !rhs.distinct())
      return errors::InvalidArgument("Error parsing convolution dimension numbers: a dimension is named twice");
    return OkStatus();
  }

  static Status CheckList(std::string_view name, std::span<const std::int64_t> list, int rank) {
    if (list.empty()) return OkStatus();
    if (static_cast<int>(list.size()) != rank - 2)
      return errors::InvalidArgument("Size of ", name, " Attr must be dims - 2. Given ", list.size(), " for ", rank,
                                     " dims");
    for (const std::int64_t x : list)
      if (x < 1) return errors::InvalidArgument("All elements of ", name, " must be >= 1. Given ", x);
    return OkStatus();
  }
  static Status CheckPadding(const UniformConvAttrs& a, int rank) {
    if (a.padding != "EXPLICIT") {
      if (a.explicit_padding.empty()) return OkStatus();
      return errors::InvalidArgument(
          "If padding Attr is not 'EXPLICIT', explicit_padding Attr must be empty. Given padding ", a.padding,
          " and explicit_padding of size ", a.explicit_padding.size());
    }
    if (static_cast<int>(a.explicit_padding.size()) != 2 * (rank - 2))
      return errors::InvalidArgument("Size of explicit_padding Attr must be 2 * (rank - 2). Given rank ", rank,
                                     " and explicit_padding of size ", a.explicit_padding.size());
    for (const std::int64_t x : a.explicit_padding)
      if (x < 0) return errors::InvalidArgument("All explicit_padding elems must be >= 0, Given ", x);
    return OkStatus();
  }
  Status SetGroups(const UniformConvAttrs& a, const TensorShape& l, const TensorShape& r) {
    batch_groups = a.batch_group_count;
    feature_groups = a.feature_group_count;
    batch = l.dim_size(static_cast<int>(lhs.first));
    features = l.dim_size(static_cast<int>(lhs.feature));
    out_features = r.dim_size(static_cast<int>(rhs.first));
    window_features = r.dim_size(static_cast<int>(rhs.feature));
    if (feature_groups < 1)
      return errors::InvalidArgument("feature_group_count must be a positive integer, given: ", feature_groups);
    if (batch_groups < 1)
      return errors::InvalidArgument("batch_group_count Attr must be a positive integer. Given: ", batch_groups);
    if (window_features < 1 || features % window_features != 0)
      return errors::InvalidArgument("rhs input feature dimension must divide lhs feature dimension size, but ",
                                     window_features, " does not divide ", features);
    if (features / feature_groups != window_features || features % feature_groups != 0)
      return errors::InvalidArgument(
          "lhs feature dimension size divided by feature_group_count must equal the rhs input feature dimension size, "
          "but ",
          features, " / ", feature_groups, " != ", window_features);
    if (out_features % feature_groups != 0)
      return errors::InvalidArgument("rhs output dimension size must be a multiple of feature_group_count, but ",
                                     out_features, " is not a multiple of ", feature_groups);
    if (batch % batch_groups != 0)
      return errors::InvalidArgument("batch_group_count must divide lhs batch dimension size, but ", batch_groups,
                                     " does not divide ", batch);
    if (out_features % batch_groups != 0)
      return errors::InvalidArgument("rhs output dimension size must be a multiple of batch_group_count, but ",
                                     out_features, " is not a multiple of ", batch_groups);
    return OkStatus();
  }

  // The size of `n` elements, `dilation` apart; -1 beyond the integers that later sums can have.
  static Index Dilated(Index n, Index dilation) {
    if (n == 0) return 0;
    const Index size = MultiplyWithoutOverflow(n - 1, dilation);
    return size < 0 || size > kMost ? -1 : size + 1;
  }
  static constexpr Index kMost = Index{1} << 60;

  Status AddSpatial(const UniformConvAttrs& a, const TensorShape& l, const TensorShape& r, std::size_t i) {
    ConvSpatial s;
    s.in = l.dim_size(static_cast<int>(lhs.spatial[i]));
    s.window = r.dim_size(static_cast<int>(rhs.spatial[i]));
    if (!a.window_strides.empty()) s.stride = a.window_strides[i];
    if (!a.lhs_dilation.empty()) s.in_dilation = a.lhs_dilation[i];
    if (!a.rhs_dilation.empty()) s.window_dilation = a.rhs_dilation[i];
    const Index in = Dilated(s.in, s.in_dilation), window = Dilated(s.window, s.window_dilation);
    if (in < 0 || window < 0 || s.stride > kMost)
      return errors::InvalidArgument("Convolution: a dimension is too large: ", s.in, " elements ", s.in_dilation,
                                     " apart, a window of ", s.window, " elements ", s.window_dilation,
                                     " apart, stride ", s.stride);
    Index padding = 0;
    if (a.padding == "SAME") {
      s.out = in / s.stride + (in % s.stride != 0 ? 1 : 0);
      if (s.out > 0) padding = std::max<Index>((s.out - 1) * s.stride + window - in, 0);
      s.padding_before = padding / 2;
    } else if (a.padding == "EXPLICIT") {
      s.padding_before = a.explicit_padding[2 * i];
      if (s.padding_before > kMost || a.explicit_padding[2 * i + 1] > kMost)
        return errors::InvalidArgument("Convolution: padding of ", s.padding_before, " and ",
                                       a.explicit_padding[2 * i + 1], " is too large");
      padding = s.padding_before + a.explicit_padding[2 * i + 1];
    }
    s.out = (in + padding - window + s.stride) / s.stride;
    spatial.push_back(s);
    return OkStatus();
  }
};

// Inputs: lhs, rhs, scales and zero points of lhs (where first is 4), of rhs, and of the output (where first is 4).
inline Status UniformConvShape(InferenceContext* c, int first) {
  ShapeHandle shape;
  UniformConvAttrs a;
  SlimVector<std::int64_t> lists[4];
  const int tensors = first == 4 ? 2 : 1;
  for (int i = 2; i < first; ++i) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 0, &shape));
  for (int i = first; i < first + 2 * tensors; ++i) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &shape));
  const ShapeHandle lhs = c->input(0), rhs = c->input(1);
  if (!c->FullyDefined(lhs) || !c->FullyDefined(rhs)) {
    const ShapeHandle& known = c->RankKnown(lhs) ? lhs : rhs;
    c->set_output(0, c->RankKnown(known) ? c->UnknownShapeOfRank(c->Rank(known)) : c->UnknownShape());
    if (c->RankKnown(lhs) && c->RankKnown(rhs) && c->Rank(lhs) != c->Rank(rhs))
      return errors::InvalidArgument("lhs and rhs must have same rank.");
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->GetAttr("window_strides", &lists[0]));
  TENON_RETURN_IF_ERROR(c->GetAttr("explicit_padding", &lists[1]));
  TENON_RETURN_IF_ERROR(c->GetAttr("lhs_dilation", &lists[2]));
  TENON_RETURN_IF_ERROR(c->GetAttr("rhs_dilation", &lists[3]));
  TENON_RETURN_IF_ERROR(c->GetAttr("padding", &a.padding));
  TENON_RETURN_IF_ERROR(c->GetAttr("batch_group_count", &a.batch_group_count));
  TENON_RETURN_IF_ERROR(c->GetAttr("feature_group_count", &a.feature_group_count));
  TENON_RETURN_IF_ERROR(c->GetAttr("dimension_numbers", &a.dimension_numbers));
  std::span<const std::int64_t>* const spans[] = {&a.window_strides, &a.explicit_padding, &a.lhs_dilation,
                                                  &a.rhs_dilation};
  for (int i = 0; i < 4; ++i) *spans[i] = {lists[i].data(), lists[i].size()};
  TensorShape shapes[2];
  for (int k = 0; k < 2; ++k)
    for (int d = 0; d < c->Rank(c->input(k)); ++d)
      TENON_RETURN_IF_ERROR(shapes[k].AddDimWithStatus(c->Value(c->Dim(c->input(k), d))));
  UniformConvGeometry geometry;
  TENON_RETURN_IF_ERROR(geometry.Make(a, shapes[0], shapes[1]));
  SlimVector<DimensionHandle> sizes;
  for (const Index size : geometry.out_sizes) sizes.push_back(c->MakeDim(size));
  for (int i = first; i < first + 2 * tensors; i += 2)
    TENON_RETURN_IF_ERROR(CheckUniformScales(c, i, sizes[static_cast<std::size_t>(geometry.out.feature)]));
  c->set_output(0, c->MakeShape(sizes));
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
