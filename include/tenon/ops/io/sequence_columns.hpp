// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the ops that parse SequenceExamples. Finds and counts features and lists of features, and writes them
// to dense, sparse and ragged outputs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/example.hpp>
#include <tenon/ops/io/feature_columns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// How many outputs of each kind the context or the feature lists have.
struct ColumnCounts {
  std::int64_t sparse = 0, dense = 0, ragged = 0;
};

// One call of one of the ops.
struct SequenceParse {
  const Tensor* serialized = nullptr;
  const Tensor* names = nullptr;  // may be null or empty
  SlimVector<FeatureColumn> context_columns, list_columns;
  ColumnCounts context_counts, list_counts;
  bool lengths = true;    // whether dense feature lists have an output with their lengths
  bool any_kind = false;  // whether columns of different kinds may have one key
  FoundFeatures context_found;
  SlimVector<FoundFeature> rows;  // rows of all lists, column by column and example by example
  SlimVector<Index> begin;        // where the rows of a column and example begin; one more at the end
  SlimVector<std::string_view> lists;

  bool single() const { return serialized->dims() == 0; }
  Index examples() const { return serialized->NumElements(); }
  // The shape of splits of the examples: a scalar, of no use, where there is one example.
  TensorShape ExampleSplits() const { return single() ? TensorShape() : TensorShape({examples() + 1}); }
  std::size_t Slot(std::size_t c, Index example) const {
    return c * static_cast<std::size_t>(examples()) + static_cast<std::size_t>(example);
  }
  std::string_view NameOf(Index example) const {
    return names == nullptr || names->NumElements() == 0 ? "<unknown>" : KeyAt(*names, example);
  }

  TENON_DETAIL_RARE Status Find() {
    ColumnIndex contexts, list_index;
    const bool shared = contexts.Build(context_columns), shared_lists = list_index.Build(list_columns);
    if (shared && !any_kind) TENON_RETURN_IF_ERROR(CheckKinds("Context", context_columns, contexts));
    if (shared_lists && !any_kind) TENON_RETURN_IF_ERROR(CheckKinds("Sequence", list_columns, list_index));
    context_found.Reset(context_columns.size(), examples());
    lists.resize(list_columns.size() * static_cast<std::size_t>(examples()));
    for (Index i = 0; i < examples(); ++i) {
      const bool good = ForEachMap(KeyAt(*serialized, i), [&](std::uint32_t field, std::string_view map) {
        if (field == 1) return FindFeatures(map, contexts, i, &context_found);
        return field != 2 || FindLists(map, list_index, i);
      });
      if (!good) return errors::InvalidArgument("Invalid protocol message input, example id: ", NameOf(i));
      if (shared || shared_lists) Share(contexts, list_index, i);
      TENON_RETURN_IF_ERROR(CountContext(i));
    }
    return CountRows();
  }

  // The outputs in the order of the signatures, from output 0 on.
  TENON_DETAIL_RARE Status Write(OpKernelContext& context) {
    int at = 0;
    TENON_RETURN_IF_ERROR(WriteContext(context, &at));
    return WriteLists(context, &at);
  }

 private:
  static Status CheckKinds(std::string_view what, std::span<const FeatureColumn> columns, const ColumnIndex& index) {
    constexpr std::string_view kNames[] = {"sparse", "dense", "ragged"};
    for (const FeatureColumn& column : columns) {
      const ColumnKind first = columns[static_cast<std::size_t>(index.Find(column.key))].kind;
      if (first != column.kind)
        return errors::InvalidArgument(what, " feature ", column.key, " cannot be both ",
                                       kNames[static_cast<std::size_t>(column.kind)], " and ",
                                       kNames[static_cast<std::size_t>(first)]);
    }
    return OkStatus();
  }
  // Gives the columns that repeat a key what the first one found.
  void Share(const ColumnIndex& contexts, const ColumnIndex& list_index, Index example) {
    for (std::size_t c = 0; c < context_columns.size(); ++c) {
      const auto first = static_cast<std::size_t>(contexts.Find(context_columns[c].key));
      context_found.at(c, example).view = context_found.at(first, example).view;
    }
    for (std::size_t c = 0; c < list_columns.size(); ++c) {
      const auto first = static_cast<std::size_t>(list_index.Find(list_columns[c].key));
      lists[Slot(c, example)] = lists[Slot(first, example)];
    }
  }
  bool FindLists(std::string_view map, const ColumnIndex& index, Index example) {
    return ForEachEntry(map, [&](std::string_view key, std::string_view value) {
      const std::ptrdiff_t c = index.Find(key);
      // An empty list is one, too: it must not look like none.
      if (c >= 0)
        lists[Slot(static_cast<std::size_t>(c), example)] = value.data() == nullptr ? std::string_view("") : value;
      return true;
    });
  }
  Status CountContext(Index i) {
    for (std::size_t c = 0; c < context_columns.size(); ++c) {
      FoundFeature& feature = context_found.at(c, i);
      const FeatureColumn& column = context_columns[c];
      if (Status status = CountFeature(column, &feature); !status.ok()) {
        if (status.code() == Code::kNotFound)
          return errors::InvalidArgument("Name: ", NameOf(i), ", Context feature '", column.key,
                                         "' is required but could not be found.");
        return errors::InvalidArgument("Name: ", NameOf(i), ", Context feature: ", column.key, ". ", status.message());
      }
    }
    return OkStatus();
  }
  Status CountRows() {
    for (std::size_t c = 0; c < list_columns.size(); ++c) {
      for (Index i = 0; i < examples(); ++i) {
        const std::string_view list = lists[Slot(c, i)];
        const FeatureColumn& column = list_columns[c];
        begin.push_back(static_cast<Index>(rows.size()));
        if (list.data() == nullptr && column.kind == ColumnKind::kDense && !column.may_be_missing)
          return errors::InvalidArgument("Name: ", NameOf(i), ", Feature list '", column.key,
                                         "' is required but could not be found. Did you mean to include it in "
                                         "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
        Status status;
        const bool good = ForEachFeature(list, [&](std::string_view bytes) {
          FoundFeature feature;
          if (!ReadFeature(bytes, &feature.view)) return false;
          status = CountRow(column, &feature);
          if (!status.ok()) return false;
          rows.push_back(feature);
          return true;
        });
        if (!status.ok())
          return errors::InvalidArgument("Name: ", NameOf(i), ", Feature list: ", column.key,
                                         ", Index: ", static_cast<Index>(rows.size()) - begin.back(), ". ",
                                         status.message());
        if (!good) return errors::InvalidArgument("Invalid protocol message input, example id: ", NameOf(i));
      }
    }
    begin.push_back(static_cast<Index>(rows.size()));
    return OkStatus();
  }
  static Status CountRow(const FeatureColumn& column, FoundFeature* feature) {
    if (feature->view.dtype != DataType::kInvalid && feature->view.dtype != column.dtype)
      return errors::InvalidArgument("Data types don't match. Expected type: ", column.dtype);
    if (feature->view.dtype != DataType::kInvalid) feature->count = CountValues(feature->view);
    if (feature->count < 0) return errors::InvalidArgument("Can't parse serialized SequenceExample.");
    if (column.kind == ColumnKind::kDense && feature->count != column.stride)
      return errors::InvalidArgument("Number of ", column.dtype, " values != expected. Values size: ", feature->count,
                                     " but output shape: ", column.shape);
    return OkStatus();
  }

  // The rows of a column in one example.
  std::span<const FoundFeature> RowsOf(std::size_t c, Index example) const {
    const auto first = static_cast<std::size_t>(begin[Slot(c, example)]);
    return {rows.data() + first, static_cast<std::size_t>(begin[Slot(c, example) + 1]) - first};
  }
  std::span<const FoundFeature> RowsOf(std::size_t c) const {
    if (examples() == 0) return {};
    const auto first = static_cast<std::size_t>(begin[Slot(c, 0)]);
    return {rows.data() + first,
            static_cast<std::size_t>(begin[Slot(c, 0) + static_cast<std::size_t>(examples())]) - first};
  }
  static Index Total(std::span<const FoundFeature> features, Index* longest) {
    Index total = 0;
    *longest = 0;
    for (const FoundFeature& feature : features) {
      total += feature.count;
      if (feature.count > *longest) *longest = feature.count;
    }
    return total;
  }

  Status WriteContext(OpKernelContext& context, int* at) {
    const auto s = static_cast<int>(context_counts.sparse), d = static_cast<int>(context_counts.dense),
               r = static_cast<int>(context_counts.ragged);
    std::size_t c = 0;
    for (int i = 0; i < s; ++i)
      TENON_RETURN_IF_ERROR(WriteContextSparse(context, c++, {*at + i, *at + s + i, *at + 2 * s + i}));
    *at += 3 * s;
    for (int i = 0; i < d; ++i) TENON_RETURN_IF_ERROR(WriteContextDense(context, c++, (*at)++));
    for (int i = 0; i < r; ++i) TENON_RETURN_IF_ERROR(WriteContextRagged(context, c++, *at + i, *at + r + i));
    *at += 2 * r;
    return OkStatus();
  }
  Status WriteContextSparse(OpKernelContext& context, std::size_t c, const int (&outputs)[3]) {
    SparseOutputs out;
    Index longest = 0, at = 0;
    const Index total = Total(context_found.column(c), &longest);
    const Index sizes[] = {examples(), longest};
    TENON_RETURN_IF_ERROR(
        out.Allocate(context, outputs, total, std::span<const Index>(sizes).subspan(single() ? 1 : 0)));
    for (Index i = 0; i < examples(); ++i) {
      const FoundFeature& feature = context_found.at(c, i);
      if (feature.count == 0) continue;
      out.Place(at, std::span<const Index>(&i, single() ? 0 : 1), feature.count);
      TENON_RETURN_IF_ERROR(WriteFeature(feature, out.values, at));
      at += feature.count;
    }
    return OkStatus();
  }
  Status WriteContextDense(OpKernelContext& context, std::size_t c, int output) {
    const FeatureColumn& column = context_columns[c];
    TensorShape shape;
    if (examples() == 0 && column.stride != 0 && (column.missing == nullptr || column.missing->NumElements() == 0))
      return errors::InvalidArgument("Inconsistent max number of elements for feature ", column.key, ": expected ",
                                     column.stride, ", but found 0");
    if (!single()) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(examples()));
    for (int d = 0; d < column.shape.dims(); ++d)
      TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(column.shape.dim_size(d)));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(output, shape, &out));
    for (Index i = 0; i < examples() && column.stride > 0; ++i) {
      const FoundFeature& feature = context_found.at(c, i);
      if (feature.view.dtype == DataType::kInvalid)
        FillWith(*column.missing, out, i * column.stride, column.stride);
      else
        TENON_RETURN_IF_ERROR(WriteFeature(feature, out, i * column.stride));
    }
    return OkStatus();
  }
  Status WriteContextRagged(OpKernelContext& context, std::size_t c, int values_output, int splits_output) {
    Tensor *values = nullptr, *splits = nullptr;
    Index longest = 0, at = 0;
    const Index total = Total(context_found.column(c), &longest);
    TENON_RETURN_IF_ERROR(context.allocate_output(values_output, TensorShape({total}), &values));
    TENON_RETURN_IF_ERROR(AllocateSplits(context, splits_output, ExampleSplits(), &splits));
    for (Index i = 0; i < examples(); ++i) {
      const FoundFeature& feature = context_found.at(c, i);
      if (feature.count > 0) TENON_RETURN_IF_ERROR(WriteFeature(feature, values, at));
      at += feature.count;
      if (!single()) TENON_RETURN_IF_ERROR(SetSplit(splits, i + 1, at));
    }
    return OkStatus();
  }

  Status WriteLists(OpKernelContext& context, int* at) {
    const auto s = static_cast<int>(list_counts.sparse), d = static_cast<int>(list_counts.dense),
               r = static_cast<int>(list_counts.ragged);
    std::size_t c = 0;
    for (int i = 0; i < s; ++i)
      TENON_RETURN_IF_ERROR(WriteListSparse(context, c++, {*at + i, *at + s + i, *at + 2 * s + i}));
    *at += 3 * s;
    for (int i = 0; i < d; ++i)
      TENON_RETURN_IF_ERROR(WriteListDense(context, c++, *at + i, lengths ? *at + d + i : -1));
    *at += lengths ? 2 * d : d;
    for (int i = 0; i < r; ++i)
      TENON_RETURN_IF_ERROR(WriteListRagged(context, c++, *at + i, *at + r + i, *at + 2 * r + i));
    *at += 3 * r;
    return OkStatus();
  }
  Status WriteListSparse(OpKernelContext& context, std::size_t c, const int (&outputs)[3]) {
    SparseOutputs out;
    Index longest = 0, at = 0, most_rows = 0;
    const Index total = Total(RowsOf(c), &longest);
    for (Index i = 0; i < examples(); ++i) most_rows = std::max(most_rows, static_cast<Index>(RowsOf(c, i).size()));
    const Index sizes[] = {examples(), most_rows, longest};
    TENON_RETURN_IF_ERROR(
        out.Allocate(context, outputs, total, std::span<const Index>(sizes).subspan(single() ? 1 : 0)));
    for (Index i = 0; i < examples(); ++i) {
      Index place[] = {i, 0};
      for (const FoundFeature& row : RowsOf(c, i)) {
        out.Place(at, std::span<const Index>(place).subspan(single() ? 1 : 0), row.count);
        if (row.count > 0) TENON_RETURN_IF_ERROR(WriteFeature(row, out.values, at));
        at += row.count;
        ++place[1];
      }
    }
    return OkStatus();
  }
  Status WriteListDense(OpKernelContext& context, std::size_t c, int output, int length_output) {
    const FeatureColumn& column = list_columns[c];
    Index most_rows = 0;
    for (Index i = 0; i < examples(); ++i) most_rows = std::max(most_rows, static_cast<Index>(RowsOf(c, i).size()));
    TensorShape shape;
    if (!single()) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(examples()));
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(most_rows));
    for (int d = 0; d < column.shape.dims(); ++d)
      TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(column.shape.dim_size(d)));
    Tensor *out = nullptr, *length = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(output, shape, &out));
    if (length_output >= 0)
      TENON_RETURN_IF_ERROR(
          context.allocate_output(length_output, single() ? TensorShape() : TensorShape({examples()}), &length));
    for (Index i = 0; i < examples(); ++i) {
      Index at = i * most_rows * column.stride;
      for (const FoundFeature& row : RowsOf(c, i)) {
        if (row.count > 0) TENON_RETURN_IF_ERROR(WriteFeature(row, out, at));
        at += column.stride;
      }
      const auto count = static_cast<Index>(RowsOf(c, i).size());
      FillWithZero(out, at, (most_rows - count) * column.stride);
      if (length != nullptr) length->data<std::int64_t>()[i] = count;
    }
    return OkStatus();
  }
  // Splits of the examples into rows and of the rows into values.
  Status WriteListRagged(OpKernelContext& context, std::size_t c, int values_output, int outer_output,
                         int inner_output) {
    Tensor *values = nullptr, *outer = nullptr, *inner = nullptr;
    Index longest = 0, at = 0, row_number = 0;
    const std::span<const FoundFeature> all = RowsOf(c);
    TENON_RETURN_IF_ERROR(context.allocate_output(values_output, TensorShape({Total(all, &longest)}), &values));
    TENON_RETURN_IF_ERROR(AllocateSplits(context, outer_output, ExampleSplits(), &outer));
    TENON_RETURN_IF_ERROR(
        AllocateSplits(context, inner_output, TensorShape({static_cast<Index>(all.size()) + 1}), &inner));
    for (Index i = 0; i < examples(); ++i) {
      for (const FoundFeature& row : RowsOf(c, i)) {
        if (row.count > 0) TENON_RETURN_IF_ERROR(WriteFeature(row, values, at));
        at += row.count;
        TENON_RETURN_IF_ERROR(SetSplit(inner, ++row_number, at));
      }
      if (!single()) TENON_RETURN_IF_ERROR(SetSplit(outer, i + 1, row_number));
    }
    return OkStatus();
  }
};

// Adds `count` columns; key(i) gives their names, types their types.
template <class Key, class Type>
void AddColumns(ColumnKind kind, std::int64_t count, const Key& key, const Type& type,
                SlimVector<FeatureColumn>* columns) {
  for (std::int64_t i = 0; i < count; ++i) {
    columns->emplace_back();
    columns->back().kind = kind;
    columns->back().key = key(static_cast<std::size_t>(i));
    columns->back().dtype = type(static_cast<int>(i));
  }
}
// The dense ones among them, from number `first` on, get their shapes, all of them known.
inline Status SetFixedShapes(std::span<const PartialTensorShape> shapes, std::int64_t first,
                             SlimVector<FeatureColumn>* columns) {
  for (std::size_t i = 0; i < shapes.size(); ++i)
    TENON_RETURN_IF_ERROR(SetDenseShape(shapes[i], i, false, &(*columns)[static_cast<std::size_t>(first) + i]));
  return OkStatus();
}
inline Status SetContextDefaults(OpKernelContext& context, int first_input, std::int64_t dense, std::int64_t first,
                                 SlimVector<FeatureColumn>* columns) {
  for (std::int64_t i = 0; i < dense; ++i)
    TENON_RETURN_IF_ERROR(SetDefault(context.input(first_input + static_cast<int>(i)), static_cast<std::size_t>(i),
                                     &(*columns)[static_cast<std::size_t>(first + i)]));
  return OkStatus();
}

// The attrs that all three ops have, by their names there.
struct SequenceSizes {
  ColumnCounts context, list;
  SlimVector<PartialTensorShape> context_shapes, list_shapes;

  template <class C>
  static Status CountTypes(const C& c, std::string_view name, std::int64_t* count) {
    SlimVector<DataType> types;
    TENON_RETURN_IF_ERROR(c.GetAttr(name, &types));
    *count = static_cast<std::int64_t>(types.size());
    return OkStatus();
  }
  static Status Same(std::string_view a, std::int64_t is, std::string_view b, std::int64_t should_be) {
    if (is == should_be) return OkStatus();
    return errors::InvalidArgument("len(", a, ") != len(", b, "): ", is, " and ", should_be);
  }
  template <class C>
  Status Read(const C& c, bool has_ragged) {
    std::int64_t context_sparse = 0, list_sparse = 0, list_dense = 0, splits = 0;
    TENON_RETURN_IF_ERROR(c.GetAttr("Ncontext_sparse", &context.sparse));
    TENON_RETURN_IF_ERROR(c.GetAttr("Nfeature_list_sparse", &list.sparse));
    TENON_RETURN_IF_ERROR(c.GetAttr("Nfeature_list_dense", &list.dense));
    TENON_RETURN_IF_ERROR(c.GetAttr("context_dense_shapes", &context_shapes));
    TENON_RETURN_IF_ERROR(c.GetAttr("feature_list_dense_shapes", &list_shapes));
    TENON_RETURN_IF_ERROR(CountTypes(c, "context_sparse_types", &context_sparse));
    TENON_RETURN_IF_ERROR(CountTypes(c, "Tcontext_dense", &context.dense));
    TENON_RETURN_IF_ERROR(CountTypes(c, "feature_list_sparse_types", &list_sparse));
    TENON_RETURN_IF_ERROR(CountTypes(c, "feature_list_dense_types", &list_dense));
    TENON_RETURN_IF_ERROR(Same("context_sparse_keys", context.sparse, "context_sparse_types", context_sparse));
    TENON_RETURN_IF_ERROR(Same("context_dense_types", context.dense, "context_dense_shapes",
                               static_cast<std::int64_t>(context_shapes.size())));
    TENON_RETURN_IF_ERROR(Same("feature_list_sparse_keys", list.sparse, "feature_list_sparse_types", list_sparse));
    TENON_RETURN_IF_ERROR(Same("feature_list_dense_keys", list.dense, "feature_list_dense_types", list_dense));
    TENON_RETURN_IF_ERROR(Same("feature_list_dense_keys", list.dense, "feature_list_dense_shapes",
                               static_cast<std::int64_t>(list_shapes.size())));
    if (has_ragged) {
      TENON_RETURN_IF_ERROR(CountTypes(c, "context_ragged_value_types", &context.ragged));
      TENON_RETURN_IF_ERROR(CountTypes(c, "context_ragged_split_types", &splits));
      TENON_RETURN_IF_ERROR(Same("context_ragged_value_types", context.ragged, "context_ragged_split_types", splits));
      TENON_RETURN_IF_ERROR(CountTypes(c, "feature_list_ragged_value_types", &list.ragged));
      TENON_RETURN_IF_ERROR(CountTypes(c, "feature_list_ragged_split_types", &splits));
      TENON_RETURN_IF_ERROR(
          Same("feature_list_ragged_value_types", list.ragged, "feature_list_ragged_split_types", splits));
    }
    FeatureColumn unused;
    for (std::size_t i = 0; i < context_shapes.size(); ++i)
      TENON_RETURN_IF_ERROR(SetDenseShape(context_shapes[i], i, false, &unused));
    for (std::size_t i = 0; i < list_shapes.size(); ++i)
      TENON_RETURN_IF_ERROR(SetDenseShape(list_shapes[i], i, false, &unused));
    return OkStatus();
  }
  // Outputs of the shape function; examples: [], [n] or unknown.
  Status SetShapes(InferenceContext* c, ShapeHandle examples, bool lengths) const {
    int at = 0;
    const Index rank = c->RankKnown(examples) ? c->Rank(examples) : -2;
    SparseParts(c, static_cast<std::size_t>(context.sparse), rank + 1, &at);
    TENON_RETURN_IF_ERROR(DenseParts(c, examples, context_shapes, &at));
    TENON_RETURN_IF_ERROR(RaggedParts(c, static_cast<std::size_t>(context.ragged), examples, 1, true, &at));
    SparseParts(c, static_cast<std::size_t>(list.sparse), rank < 0 ? -1 : rank + 2, &at);
    ShapeHandle rows;
    TENON_RETURN_IF_ERROR(c->Concatenate(examples, c->Vector(c->UnknownDim()), &rows));
    TENON_RETURN_IF_ERROR(DenseParts(c, rows, list_shapes, &at));
    for (std::int64_t i = 0; lengths && i < list.dense; ++i) c->set_output(at++, examples);
    return RaggedParts(c, static_cast<std::size_t>(list.ragged), examples, 2, true, &at);
  }
};

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
