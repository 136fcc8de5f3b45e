// SPDX-License-Identifier: Apache-2.0
#pragma once
// DenseToDenseSetOperation and its sisters, SetSize: the last dimension holds sets, the other dimensions number them.
// The results are a - b, b - a, a and b, a or b of each pair of sets.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// ---- shape functions
inline Status SetResultShape(InferenceContext* c, DimensionHandle rank) {
  c->set_output(0, c->Matrix(c->UnknownDim(), rank));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(rank));
  return OkStatus();
}
inline Status SparseSetShape(InferenceContext* c, int first) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, first));
  const auto differ = [&](DimensionHandle a, DimensionHandle b) {
    return c->ValueKnown(a) && c->ValueKnown(b) && c->Value(a) != c->Value(b);
  };
  const DimensionHandle n = c->Dim(c->input(first), 0), values = c->Dim(c->input(first + 1), 0);
  const DimensionHandle width = c->Dim(c->input(first), 1), rank = c->Dim(c->input(first + 2), 0);
  if (differ(n, values))
    return errors::InvalidArgument("Number of elements in index (", c->Value(n), ") and values (", c->Value(values),
                                   ") do not match.");
  if (differ(width, rank))
    return errors::InvalidArgument("Index rank (", c->Value(width), ") and shape rank (", c->Value(rank),
                                   ") do not match.");
  return OkStatus();
}
inline Status DenseToDenseSetShape(InferenceContext* c) {
  ShapeHandle a, b, groups_a, groups_b, unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  if (!c->RankKnown(a)) return SetResultShape(c, c->RankKnown(b) ? c->MakeDim(c->Rank(b)) : c->UnknownDim());
  TENON_RETURN_IF_ERROR(c->WithRank(b, c->Rank(a), &b));
  TENON_RETURN_IF_ERROR(c->Subshape(a, 0, c->Rank(a) - 1, &groups_a));
  TENON_RETURN_IF_ERROR(c->Subshape(b, 0, c->Rank(a) - 1, &groups_b));
  TENON_RETURN_IF_ERROR(c->Merge(groups_a, groups_b, &unused));
  return SetResultShape(c, c->MakeDim(c->Rank(a)));
}
inline Status DenseToSparseSetShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseSetShape(c, 1));
  ShapeHandle a;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  DimensionHandle rank = c->Dim(c->input(3), 0);
  if (c->RankKnown(a)) TENON_RETURN_IF_ERROR(c->WithValue(rank, c->Rank(a), &rank));
  return SetResultShape(c, rank);
}
inline Status SparseToSparseSetShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseSetShape(c, 0));
  TENON_RETURN_IF_ERROR(SparseSetShape(c, 3));
  DimensionHandle rank = c->Dim(c->input(2), 0), other = c->Dim(c->input(5), 0);
  for (int i = 0; i < 2; ++i) {
    const DimensionHandle own = i == 0 ? rank : other;
    if (c->ValueKnown(own) && c->Value(own) < 2)
      return errors::InvalidArgument("Input ", i, ", expected rank >= 2, got ", c->Value(own), ".");
  }
  TENON_RETURN_IF_ERROR(c->Merge(rank, other, &rank));
  return SetResultShape(c, rank);
}

// ---- sets
enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

inline Status ParseSetOperation(std::string_view text, SetOperation* operation) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::string_view kNames[] = {"a-b", "b-a", "intersection", "union"};
  for (int i = 0; i < 4; ++i)
    if (lower == kNames[i]) {
      *operation = static_cast<SetOperation>(i);
      return OkStatus();
    }
  return errors::InvalidArgument("Invalid set_operation ", text, "; it must be a-b, b-a, intersection or union.");
}

// An element: a key to compare and the address that it is copied from.
template <class Key>
struct SetElement {
  Key key;
  const void* source;
};
inline std::int64_t KeyOf(const Tensor& values, Index i, std::int64_t*) {
  switch (values.dtype()) {
    case DataType::kInt8: return values.data<std::int8_t>()[i];
    case DataType::kUint8: return values.data<std::uint8_t>()[i];
    case DataType::kInt16: return values.data<std::int16_t>()[i];
    case DataType::kUint16: return values.data<std::uint16_t>()[i];
    case DataType::kInt32: return values.data<std::int32_t>()[i];
    default: return values.data<std::int64_t>()[i];
  }
}
inline std::string_view KeyOf(const Tensor& values, Index i, std::string_view*) { return values.data<tstring>()[i]; }

// Elements [begin, end) of values in ascending order, each once.
template <class Key>
void MakeSet(const Tensor& values, Index begin, Index end, SlimVector<SetElement<Key>>* set) {
  set->clear();
  const ElementMover mover = MoverOf(values.dtype());
  for (Index i = begin; i < end; ++i)
    set->push_back({KeyOf(values, i, static_cast<Key*>(nullptr)), mover.At(values.raw_data(), i)});
  std::sort(set->begin(), set->end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  const auto same = [](const auto& a, const auto& b) { return a.key == b.key; };
  set->resize(static_cast<std::size_t>(std::unique(set->begin(), set->end(), same) - set->begin()));
}
// The number of different elements in [begin, end) of values that are not texts, by a table of open addresses.
class DistinctCounter {
 public:
  Index Count(const Tensor& values, Index begin, Index end) {
    const auto n = static_cast<std::size_t>(end - begin);
    std::size_t slots = 16;
    int shift = 60;
    for (; slots < 2 * n; slots *= 2) --shift;
    slots_.assign(slots, Slot{});
    const std::size_t mask = slots - 1;
    Index count = 0;
    for (Index i = begin; i < end; ++i) {
      const std::int64_t key = KeyOf(values, i, static_cast<std::int64_t*>(nullptr));
      std::size_t at = static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u) >> shift);
      while (slots_[at].used && slots_[at].key != key) at = (at + 1) & mask;
      count += slots_[at].used ? 0 : 1;
      slots_[at] = {key, true};
    }
    return count;
  }

 private:
  struct Slot {
    std::int64_t key = 0;
    bool used = false;
  };
  SlimVector<Slot> slots_;
};
template <class Key>
void Combine(SetOperation operation, const SlimVector<SetElement<Key>>& a, const SlimVector<SetElement<Key>>& b,
             SlimVector<SetElement<Key>>* out) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = i < a.size() && (j == b.size() || !(b[j].key < a[i].key));
    const bool from_b = j < b.size() && (i == a.size() || !(a[i].key < b[j].key));
    const bool wanted = operation == SetOperation::kUnion          ? true
                        : operation == SetOperation::kIntersection ? from_a && from_b
                        : operation == SetOperation::kAMinusB      ? !from_b
                                                                   : !from_a;
    if (wanted) out->push_back(from_a ? a[i] : b[j]);
    i += from_a ? 1 : 0;
    j += from_b ? 1 : 0;
  }
}

// The sets of one operand, one after the other: runs of elements with the same first rank - 1 indices.
class SetGroups {
 public:
  // All sets of a dense tensor, in row-major order.
  explicit SetGroups(const Tensor& dense) : values_(&dense), rank_(dense.dims()), index_(MakeIndex(rank_ - 1)) {
    for (int d = 0; d < dense.dims() - 1; ++d) sizes_.push_back(dense.dim_size(d));
    length_ = dense.dim_size(dense.dims() - 1);
    done_ = false;
    for (const Index size : sizes_) done_ = done_ || size == 0;
    end_ = length_;
  }
  explicit SetGroups(const SparseInput& sparse) : values_(sparse.values), rank_(sparse.rank()), rows_(sparse.rows()) {
    for (Index d = 0; d + 1 < rank_; ++d) sizes_.push_back(sparse.sizes()[d]);
    length_ = sparse.sizes()[rank_ - 1];
    FindRun();
  }
  bool done() const { return done_; }
  const std::int64_t* index() const { return rows_.data != nullptr ? rows_.Row(begin_) : index_.data(); }
  const SlimVector<Index>& sizes() const { return sizes_; }
  const Tensor& values() const { return *values_; }
  Index begin() const { return begin_; }
  Index end() const { return end_; }
  Index rank() const { return rank_; }
  // Internal: an element of this set lies outside of the last dimension. One below 0 is taken, as in TensorFlow.
  Status CheckColumns(std::string_view op) const {
    for (Index i = begin_; rows_.data != nullptr && i < end_; ++i)
      if (const std::int64_t column = rows_.Row(i)[rank_ - 1]; column >= length_)
        return errors::Internal(op, ": indices[", i, ", ", rank_ - 1, "] expected < ", length_, ", got ", column);
    return OkStatus();
  }
  void Next() {
    begin_ = end_;
    if (rows_.data != nullptr) return FindRun();
    end_ += length_;
    std::size_t d = index_.size();
    while (d > 0 && ++index_[d - 1] == sizes_[d - 1]) index_[--d] = 0;
    done_ = d == 0;
  }

 private:
  static SlimVector<std::int64_t> MakeIndex(Index n) {
    return SlimVector<std::int64_t>(static_cast<std::size_t>(n), 0);
  }
  void FindRun() {
    done_ = begin_ >= rows_.n;
    end_ = begin_;
    while (end_ < rows_.n && CompareRows(rows_.Row(end_), rows_.Row(begin_), rank_ - 1) == 0) ++end_;
  }
  const Tensor* values_;
  Index rank_;
  SlimVector<std::int64_t> index_;  // dense
  SparseRows rows_{nullptr, 0, 0};  // sparse
  SlimVector<Index> sizes_;  // sizes of all dimensions but the last
  Index length_ = 0;         // size of the last dimension
  Index begin_ = 0, end_ = 0;
  bool done_ = true;
};

// Checks a sparse operand as it comes in.
inline Status CheckSetOperand(std::string_view op, const SparseInput& x, bool validate) {
  TENON_RETURN_IF_ERROR(CheckSparse(op, x));
  if (x.rank() < 2) return errors::InvalidArgument(op, ": Invalid input, expected rank >= 2, got ", x.rank());
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(op, x.sizes(), x.rank(), &shape));
  if (!validate) return OkStatus();
  const SparseRows rows = x.rows();
  if (const Index i = FirstOutside(rows, x.sizes()); i >= 0)
    return errors::InvalidArgument(op, ": indices[", i, "] = ", SizesText(rows.Row(i), rows.rank),
                                   " is out of bounds: need 0 <= index < ", shape);
  for (Index i = 1; i < rows.n; ++i) {
    const int order = CompareRows(rows.Row(i - 1), rows.Row(i), rows.rank);
    if (order == 0)
      return errors::InvalidArgument(op, ": indices[", i, "] = ", SizesText(rows.Row(i), rows.rank), " is repeated");
    if (order > 0)
      return errors::InvalidArgument(op, ": indices[", i, "] = ", SizesText(rows.Row(i), rows.rank),
                                     " is out of order. Many sparse ops require sorted indices.");
  }
  return OkStatus();
}

// The results of all sets so far.
template <class Key>
struct SetResults {
  SlimVector<SetElement<Key>> elements;
  SlimVector<std::int64_t> indices;  // rank numbers for each element
  Index longest = 0;

  void Indices(const std::int64_t* group, Index rank, std::size_t first) {
    const Index n = static_cast<Index>(elements.size() - first);
    for (Index k = 0; k < n; ++k) {
      for (Index d = 0; d + 1 < rank; ++d) indices.push_back(group[d]);
      indices.push_back(k);
    }
    longest = std::max(longest, n);
  }
};

template <class Key>
Status WriteSets(OpKernelContext& context, const SetGroups& like, const SetResults<Key>& results) {
  Tensor *indices = nullptr, *values = nullptr;
  const auto n = static_cast<Index>(results.elements.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, like.rank()}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &values));
  std::copy(results.indices.begin(), results.indices.end(), indices->data<std::int64_t>());
  const ElementMover mover = MoverOf(values->dtype());
  for (Index i = 0; i < n; ++i)
    CopyRun(mover, results.elements[static_cast<std::size_t>(i)].source, mover.At(values->raw_data(), i), 1);
  SlimVector<std::int64_t> sizes(like.sizes().begin(), like.sizes().end());
  sizes.push_back(results.longest);
  return SetVector(context, 2, sizes.data(), static_cast<Index>(sizes.size()));
}

// Goes through the sets of both, which ascend. Only the groups of a dense `a` count where `all_of_b` is false.
template <class Key>
Status CombineGroups(OpKernelContext& context, SetOperation operation, SetGroups a, SetGroups b, bool all_of_b) {
  const std::string_view op = context.op_kernel().def().op;
  const SetGroups like = a;
  SetResults<Key> results;
  SlimVector<SetElement<Key>> set_a, set_b;
  while (!a.done() || (all_of_b && !b.done())) {
    int order = a.done() ? 1 : b.done() ? -1 : CompareRows(a.index(), b.index(), like.rank() - 1);
    if (order > 0 && !all_of_b) order = -1;  // this set of b belongs to no group of a
    const SetGroups& first = order <= 0 ? a : b;
    for (std::size_t d = 0; d < like.sizes().size(); ++d)
      if (first.index()[d] >= like.sizes()[d])  // one below 0 is taken as it is, as in TensorFlow
        return errors::Internal(op, ": the set at ", SizesText(first.index(), like.rank() - 1),
                                " is outside of the groups ", SizesText(like.sizes().data(), like.rank() - 1));
    if (order <= 0) TENON_RETURN_IF_ERROR(a.CheckColumns(op));
    if (order >= 0) TENON_RETURN_IF_ERROR(b.CheckColumns(op));
    order <= 0 ? MakeSet(a.values(), a.begin(), a.end(), &set_a) : set_a.clear();
    order >= 0 ? MakeSet(b.values(), b.begin(), b.end(), &set_b) : set_b.clear();
    const std::size_t before = results.elements.size();
    Combine(operation, set_a, set_b, &results.elements);
    results.Indices(first.index(), like.rank(), before);
    if (order <= 0) a.Next();
    if (order >= 0) b.Next();
  }
  return WriteSets(context, like, results);
}

TENON_DETAIL_RARE inline Status RunSetOperation(OpKernelContext& context, std::string_view operation_name,
                                                const SetGroups& a, const SetGroups& b, bool all_of_b) {
  const std::string_view op = context.op_kernel().def().op;
  SetOperation operation{};
  TENON_RETURN_IF_ERROR(ParseSetOperation(operation_name, &operation));
  if (a.rank() != b.rank())
    return errors::InvalidArgument(op, ": Ranks do not match: set1 has ", a.rank(), ", set2 ", b.rank());
  for (std::size_t d = 0; d < a.sizes().size(); ++d)
    if (a.sizes()[d] != b.sizes()[d])
      return errors::InvalidArgument(op, ": Mismatched group shapes ", SizesText(a.sizes().data(), a.rank() - 1),
                                     " and ", SizesText(b.sizes().data(), b.rank() - 1));
  if (a.values().dtype() == DataType::kString)
    return CombineGroups<std::string_view>(context, operation, a, b, all_of_b);
  return CombineGroups<std::int64_t>(context, operation, a, b, all_of_b);
}
inline Status CheckDenseSet(std::string_view op, const Tensor& set) {
  if (set.dims() >= 2) return OkStatus();
  return errors::InvalidArgument(op, ": Invalid input, expected rank >= 2, got shape ", set.shape());
}

struct SetAttrs {
  std::string_view set_operation;
  bool validate_indices;
};

}  // namespace detail

// set1: [g..., m]  set2: [g..., n]  ->  a sparse tensor [g..., the largest set]
struct DenseToDenseSetOperation {
  static constexpr auto signature = Op("DenseToDenseSetOperation")
                                        .Input("set1: T")
                                        .Input("set2: T")
                                        .Output("result_indices: int64")
                                        .Output("result_values: T")
                                        .Output("result_shape: int64")
                                        .Attr("set_operation: string")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
                                        .SetShapeFn(detail::DenseToDenseSetShape);

  using Attrs = detail::SetAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& set1, const Tensor& set2, Tensor&, Tensor&,
                      Tensor&) const {
      TENON_RETURN_IF_ERROR(detail::CheckDenseSet("DenseToDenseSetOperation", set1));
      TENON_RETURN_IF_ERROR(detail::CheckDenseSet("DenseToDenseSetOperation", set2));
      return detail::RunSetOperation(context.op(), this->set_operation, detail::SetGroups(set1),
                                     detail::SetGroups(set2), true);
    }
  };
};

// set1: [g..., m]  set2: sparse [g..., n]  ->  a sparse tensor [g..., the largest set]
struct DenseToSparseSetOperation {
  static constexpr auto signature = Op("DenseToSparseSetOperation")
                                        .Input("set1: T")
                                        .Input("set2_indices: int64")
                                        .Input("set2_values: T")
                                        .Input("set2_shape: int64")
                                        .Output("result_indices: int64")
                                        .Output("result_values: T")
                                        .Output("result_shape: int64")
                                        .Attr("set_operation: string")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
                                        .SetShapeFn(detail::DenseToSparseSetShape);

  using Attrs = detail::SetAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& set1, const Tensor&, const Tensor&, const Tensor&,
                      Tensor&, Tensor&, Tensor&) const {
      const detail::SparseInput set2 = detail::SparseInputAt(context.op(), 1);
      TENON_RETURN_IF_ERROR(detail::CheckDenseSet("DenseToSparseSetOperation", set1));
      TENON_RETURN_IF_ERROR(detail::CheckSetOperand("DenseToSparseSetOperation", set2, this->validate_indices));
      return detail::RunSetOperation(context.op(), this->set_operation, detail::SetGroups(set1),
                                     detail::SetGroups(set2), false);
    }
  };
};

// set1, set2: sparse [g..., m] and [g..., n]  ->  a sparse tensor [g..., the largest set]
struct SparseToSparseSetOperation {
  static constexpr auto signature = Op("SparseToSparseSetOperation")
                                        .Input("set1_indices: int64")
                                        .Input("set1_values: T")
                                        .Input("set1_shape: int64")
                                        .Input("set2_indices: int64")
                                        .Input("set2_values: T")
                                        .Input("set2_shape: int64")
                                        .Output("result_indices: int64")
                                        .Output("result_values: T")
                                        .Output("result_shape: int64")
                                        .Attr("set_operation: string")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
                                        .SetShapeFn(detail::SparseToSparseSetShape);

  using Attrs = detail::SetAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      const detail::SparseInput set1 = detail::SparseInputAt(context.op(), 0);
      const detail::SparseInput set2 = detail::SparseInputAt(context.op(), 3);
      TENON_RETURN_IF_ERROR(detail::CheckSetOperand("SparseToSparseSetOperation", set1, this->validate_indices));
      TENON_RETURN_IF_ERROR(detail::CheckSetOperand("SparseToSparseSetOperation", set2, this->validate_indices));
      return detail::RunSetOperation(context.op(), this->set_operation, detail::SetGroups(set1),
                                     detail::SetGroups(set2), true);
    }
  };
};

// set: sparse [g..., n]  ->  [g...]: how many different elements each set has
struct SetSize {
  static constexpr auto signature = Op("SetSize")
                                        .Input("set_indices: int64")
                                        .Input("set_values: T")
                                        .Input("set_shape: int64")
                                        .Output("size: int32")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
                                        .SetShapeFn(shape_inference::UnknownShape);

  struct Attrs {
    bool validate_indices;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor& size) const {
      return Run(context.op(), this->validate_indices, &size);
    }
  };

 private:
  static Status Run(OpKernelContext& context, bool validate, Tensor* size) {
    const detail::SparseInput set = detail::SparseInputAt(context, 0);
    TENON_RETURN_IF_ERROR(detail::CheckSetOperand("SetSize", set, validate));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::ShapeOfSizes("SetSize", set.sizes(), set.rank() - 1, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &size));
    ZeroRun(MoverOf(size->dtype()), size->raw_data(), size->NumElements());
    SlimVector<detail::SetElement<std::string_view>> texts;
    detail::DistinctCounter numbers;
    for (detail::SetGroups groups(set); !groups.done(); groups.Next()) {
      Index place = 0;
      for (Index d = 0; d + 1 < set.rank(); ++d) {
        if (groups.index()[d] < 0 || groups.index()[d] >= set.sizes()[d])
          return errors::Internal("SetSize: the set at ", detail::SizesText(groups.index(), set.rank() - 1),
                                  " is outside of the groups ", shape);
        place = place * set.sizes()[d] + groups.index()[d];
      }
      TENON_RETURN_IF_ERROR(groups.CheckColumns("SetSize"));
      const bool text = set.values->dtype() == DataType::kString;
      if (text) detail::MakeSet(*set.values, groups.begin(), groups.end(), &texts);
      const Index count =
          text ? static_cast<Index>(texts.size()) : numbers.Count(*set.values, groups.begin(), groups.end());
      size->data<std::int32_t>()[place] = static_cast<std::int32_t>(count);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
