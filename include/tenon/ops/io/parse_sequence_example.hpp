// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample: features and lists of features of
// serialised SequenceExamples as dense, sparse and ragged tensors.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/io/sequence_columns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct SequenceKeys {
  std::span<const std::string> feature_list_dense_missing_assumed_empty;
  std::span<const std::string> context_sparse_keys;
  std::span<const std::string> context_dense_keys;
  std::span<const std::string> feature_list_sparse_keys;
  std::span<const std::string> feature_list_dense_keys;
  std::span<const PartialTensorShape> context_dense_shapes;
  std::span<const PartialTensorShape> feature_list_dense_shapes;
};

template <class C>
Status CheckSequenceKeys(const C& c, SequenceSizes* sizes) {
  std::int64_t context_dense = 0;
  TENON_RETURN_IF_ERROR(sizes->Read(c, false));
  TENON_RETURN_IF_ERROR(c.GetAttr("Ncontext_dense", &context_dense));
  TENON_RETURN_IF_ERROR(
      SequenceSizes::Same("context_dense_keys", context_dense, "context_dense_types", sizes->context.dense));
  for (const auto& [name, count] :
       {std::pair<std::string_view, std::int64_t>("context_sparse_keys", sizes->context.sparse),
        {"context_dense_keys", sizes->context.dense},
        {"feature_list_sparse_keys", sizes->list.sparse},
        {"feature_list_dense_keys", sizes->list.dense}}) {
    SlimVector<std::string> keys;
    TENON_RETURN_IF_ERROR(c.GetAttr(name, &keys));
    TENON_RETURN_IF_ERROR(SequenceSizes::Same(name, static_cast<std::int64_t>(keys.size()), "its types", count));
  }
  return OkStatus();
}
inline Status ParseSequenceExampleShape(InferenceContext* c) {
  SequenceSizes sizes;
  ShapeHandle examples, unused;
  TENON_RETURN_IF_ERROR(CheckSequenceKeys(*c, &sizes));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &examples));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  return sizes.SetShapes(c, examples, true);
}
inline Status ParseSequenceExampleV2Shape(InferenceContext* c) {
  SequenceSizes sizes;
  ShapeHandle examples, unused;
  TENON_RETURN_IF_ERROR(sizes.Read(*c, true));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &examples));
  for (int i = 2; i <= 8; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  return sizes.SetShapes(c, examples, true);
}
inline Status ParseSingleSequenceExampleShape(InferenceContext* c) {
  SequenceSizes sizes;
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(sizes.Read(*c, false));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  return sizes.SetShapes(c, c->Scalar(), false);
}

inline Status CheckSerialized(const Tensor& serialized, int least_rank, int most_rank) {
  if (serialized.dims() >= least_rank && serialized.dims() <= most_rank) return OkStatus();
  return errors::InvalidArgument("Expected serialized to be a ",
                                 most_rank == 0    ? "scalar"
                                 : least_rank == 1 ? "vector"
                                                   : "scalar or vector",
                                 ", got shape: ", serialized.shape());
}
inline Status CheckDebugName(const Tensor& names, const Tensor& serialized) {
  if (names.NumElements() == 0 || names.shape() == serialized.shape()) return OkStatus();
  return errors::InvalidArgument("Expected debug_name to have the same shape as serialized: debug_name.shape=",
                                 names.shape(), ", serialized.shape=", serialized.shape());
}

}  // namespace detail

struct ParseSequenceExample {
  static constexpr auto signature = Op("ParseSequenceExample")
                                        .Input("serialized: string")
                                        .Input("debug_name: string")
                                        .Input("context_dense_defaults: Tcontext_dense")
                                        .Output("context_sparse_indices: Ncontext_sparse * int64")
                                        .Output("context_sparse_values: context_sparse_types")
                                        .Output("context_sparse_shapes: Ncontext_sparse * int64")
                                        .Output("context_dense_values: Tcontext_dense")
                                        .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
                                        .Output("feature_list_sparse_values: feature_list_sparse_types")
                                        .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
                                        .Output("feature_list_dense_values: feature_list_dense_types")
                                        .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
                                        .Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
                                        .Attr("context_sparse_keys: list(string) >= 0")
                                        .Attr("context_dense_keys: list(string) >= 0")
                                        .Attr("feature_list_sparse_keys: list(string) >= 0")
                                        .Attr("feature_list_dense_keys: list(string) >= 0")
                                        .Attr("Ncontext_sparse: int >= 0 = 0")
                                        .Attr("Ncontext_dense: int >= 0 = 0")
                                        .Attr("Nfeature_list_sparse: int >= 0 = 0")
                                        .Attr("Nfeature_list_dense: int >= 0 = 0")
                                        .Attr("context_sparse_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("Tcontext_dense: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_dense_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("context_dense_shapes: list(shape) >= 0 = []")
                                        .Attr("feature_list_sparse_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
                                        .SetShapeFn(detail::ParseSequenceExampleShape);

  using Attrs = detail::SequenceKeys;
  static constexpr std::string_view unused[] = {"Ncontext_dense"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::CheckSequenceKeys(c, &sizes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, std::span<const Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>) const {
      return Run(context.op(), *this, sizes);
    }
    detail::SequenceSizes sizes;
  };

 private:
  static Status Run(OpKernelContext& context, const Attrs& attrs, const detail::SequenceSizes& sizes) {
    using detail::ColumnKind;
    detail::SequenceParse parse;
    parse.serialized = &context.input(0);
    parse.names = &context.input(1);
    parse.context_counts = sizes.context;
    parse.list_counts = sizes.list;
    TENON_RETURN_IF_ERROR(detail::CheckSerialized(*parse.serialized, 1, 1));
    TENON_RETURN_IF_ERROR(detail::CheckDebugName(*parse.names, *parse.serialized));
    const auto add = [&](ColumnKind kind, std::span<const std::string> keys, std::int64_t first_output,
                         SlimVector<detail::FeatureColumn>* columns) {
      detail::AddColumns(
          kind, static_cast<std::int64_t>(keys.size()), [keys](std::size_t i) { return std::string_view(keys[i]); },
          [&](int i) { return context.expected_output_dtype(static_cast<int>(first_output) + i); }, columns);
    };
    const std::int64_t cs = sizes.context.sparse, ls = sizes.list.sparse, lists = 3 * cs + sizes.context.dense;
    add(ColumnKind::kSparse, attrs.context_sparse_keys, cs, &parse.context_columns);
    add(ColumnKind::kDense, attrs.context_dense_keys, 3 * cs, &parse.context_columns);
    add(ColumnKind::kSparse, attrs.feature_list_sparse_keys, lists + ls, &parse.list_columns);
    add(ColumnKind::kDense, attrs.feature_list_dense_keys, lists + 3 * ls, &parse.list_columns);
    TENON_RETURN_IF_ERROR(detail::SetFixedShapes(attrs.context_dense_shapes, cs, &parse.context_columns));
    TENON_RETURN_IF_ERROR(detail::SetFixedShapes(attrs.feature_list_dense_shapes, ls, &parse.list_columns));
    TENON_RETURN_IF_ERROR(detail::SetContextDefaults(context, 2, sizes.context.dense, cs, &parse.context_columns));
    for (detail::FeatureColumn& column : parse.list_columns)
      for (const std::string& key : attrs.feature_list_dense_missing_assumed_empty)
        if (column.key == key) column.may_be_missing = true;
    TENON_RETURN_IF_ERROR(parse.Find());
    return parse.Write(context);
  }
};

struct ParseSequenceExampleV2 {
  static constexpr auto signature = Op("ParseSequenceExampleV2")
                                        .Input("serialized: string")
                                        .Input("debug_name: string")
                                        .Input("context_sparse_keys: string")
                                        .Input("context_dense_keys: string")
                                        .Input("context_ragged_keys: string")
                                        .Input("feature_list_sparse_keys: string")
                                        .Input("feature_list_dense_keys: string")
                                        .Input("feature_list_ragged_keys: string")
                                        .Input("feature_list_dense_missing_assumed_empty: bool")
                                        .Input("context_dense_defaults: Tcontext_dense")
                                        .Output("context_sparse_indices: Ncontext_sparse * int64")
                                        .Output("context_sparse_values: context_sparse_types")
                                        .Output("context_sparse_shapes: Ncontext_sparse * int64")
                                        .Output("context_dense_values: Tcontext_dense")
                                        .Output("context_ragged_values: context_ragged_value_types")
                                        .Output("context_ragged_row_splits: context_ragged_split_types")
                                        .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
                                        .Output("feature_list_sparse_values: feature_list_sparse_types")
                                        .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
                                        .Output("feature_list_dense_values: feature_list_dense_types")
                                        .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
                                        .Output("feature_list_ragged_values: feature_list_ragged_value_types")
                                        .Output("feature_list_ragged_outer_splits: feature_list_ragged_split_types")
                                        .Output("feature_list_ragged_inner_splits: feature_list_ragged_split_types")
                                        .Attr("Ncontext_sparse: int >= 0 = 0")
                                        .Attr("Tcontext_dense: list({float,int64,string}) >= 0 = []")
                                        .Attr("context_sparse_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("context_ragged_value_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("context_ragged_split_types: list({int32,int64}) >= 0 = []")
                                        .Attr("context_dense_shapes: list(shape) >= 0 = []")
                                        .Attr("Nfeature_list_sparse: int >= 0 = 0")
                                        .Attr("Nfeature_list_dense: int >= 0 = 0")
                                        .Attr("feature_list_dense_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_sparse_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_ragged_value_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_ragged_split_types: list({int32,int64}) >= 0 = []")
                                        .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
                                        .SetShapeFn(detail::ParseSequenceExampleV2Shape);

  struct Attrs {
    std::span<const PartialTensorShape> context_dense_shapes;
    std::span<const PartialTensorShape> feature_list_dense_shapes;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return sizes.Read(c, true); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      std::span<const Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>) const {
      return Run(context.op(), *this, sizes);
    }
    detail::SequenceSizes sizes;
  };

 private:
  static Status Run(OpKernelContext& context, const Attrs& attrs, const detail::SequenceSizes& sizes) {
    using detail::ColumnKind;
    detail::SequenceParse parse;
    parse.serialized = &context.input(0);
    parse.names = &context.input(1);
    parse.context_counts = sizes.context;
    parse.list_counts = sizes.list;
    TENON_RETURN_IF_ERROR(detail::CheckSerialized(*parse.serialized, 0, 1));
    TENON_RETURN_IF_ERROR(detail::CheckDebugName(*parse.names, *parse.serialized));
    const auto add = [&](ColumnKind kind, int input, std::string_view what, std::int64_t count,
                         std::int64_t first_output, SlimVector<detail::FeatureColumn>* columns) -> Status {
      const Tensor& keys = context.input(input);
      if (keys.dims() != 1 || keys.NumElements() != count)
        return errors::InvalidArgument("Expected ", what, " to be a vector of ", count,
                                       " keys, got shape: ", keys.shape());
      detail::AddColumns(
          kind, count, [&keys](std::size_t i) { return detail::KeyAt(keys, static_cast<Index>(i)); },
          [&](int i) { return context.expected_output_dtype(static_cast<int>(first_output) + i); }, columns);
      return OkStatus();
    };
    const detail::ColumnCounts &a = sizes.context, &b = sizes.list;
    const std::int64_t lists = 3 * a.sparse + a.dense + 2 * a.ragged, ragged = lists + 3 * b.sparse + 2 * b.dense;
    auto *contexts = &parse.context_columns, *rows = &parse.list_columns;
    TENON_RETURN_IF_ERROR(add(ColumnKind::kSparse, 2, "context_sparse_keys", a.sparse, a.sparse, contexts));
    TENON_RETURN_IF_ERROR(add(ColumnKind::kDense, 3, "context_dense_keys", a.dense, 3 * a.sparse, contexts));
    TENON_RETURN_IF_ERROR(
        add(ColumnKind::kRagged, 4, "context_ragged_keys", a.ragged, 3 * a.sparse + a.dense, contexts));
    TENON_RETURN_IF_ERROR(add(ColumnKind::kSparse, 5, "feature_list_sparse_keys", b.sparse, lists + b.sparse, rows));
    TENON_RETURN_IF_ERROR(add(ColumnKind::kDense, 6, "feature_list_dense_keys", b.dense, lists + 3 * b.sparse, rows));
    TENON_RETURN_IF_ERROR(add(ColumnKind::kRagged, 7, "feature_list_ragged_keys", b.ragged, ragged, rows));
    TENON_RETURN_IF_ERROR(detail::SetFixedShapes(attrs.context_dense_shapes, a.sparse, contexts));
    TENON_RETURN_IF_ERROR(detail::SetFixedShapes(attrs.feature_list_dense_shapes, b.sparse, rows));
    TENON_RETURN_IF_ERROR(detail::SetContextDefaults(context, 9, a.dense, a.sparse, contexts));
    const Tensor& may_be_missing = context.input(8);
    if (may_be_missing.dims() != 1 || may_be_missing.NumElements() != b.dense)
      return errors::InvalidArgument("Expected feature_list_dense_missing_assumed_empty to be a vector of ", b.dense,
                                     " values, got shape: ", may_be_missing.shape());
    for (std::int64_t i = 0; i < b.dense; ++i)
      (*rows)[static_cast<std::size_t>(b.sparse + i)].may_be_missing = may_be_missing.data<bool>()[i];
    TENON_RETURN_IF_ERROR(parse.Find());
    return parse.Write(context);
  }
};

// ParseSequenceExample for one SequenceExample. Each key is an input of its own.
struct ParseSingleSequenceExample {
  static constexpr auto signature = Op("ParseSingleSequenceExample")
                                        .Input("serialized: string")
                                        .Input("feature_list_dense_missing_assumed_empty: string")
                                        .Input("context_sparse_keys: Ncontext_sparse * string")
                                        .Input("context_dense_keys: Ncontext_dense * string")
                                        .Input("feature_list_sparse_keys: Nfeature_list_sparse * string")
                                        .Input("feature_list_dense_keys: Nfeature_list_dense * string")
                                        .Input("context_dense_defaults: Tcontext_dense")
                                        .Input("debug_name: string")
                                        .Output("context_sparse_indices: Ncontext_sparse * int64")
                                        .Output("context_sparse_values: context_sparse_types")
                                        .Output("context_sparse_shapes: Ncontext_sparse * int64")
                                        .Output("context_dense_values: Tcontext_dense")
                                        .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
                                        .Output("feature_list_sparse_values: feature_list_sparse_types")
                                        .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
                                        .Output("feature_list_dense_values: feature_list_dense_types")
                                        .Attr("Ncontext_sparse: int >= 0 = 0")
                                        .Attr("Ncontext_dense: int >= 0 = 0")
                                        .Attr("Nfeature_list_sparse: int >= 0 = 0")
                                        .Attr("Nfeature_list_dense: int >= 0 = 0")
                                        .Attr("context_sparse_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("Tcontext_dense: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_dense_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("context_dense_shapes: list(shape) >= 0 = []")
                                        .Attr("feature_list_sparse_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
                                        .SetShapeFn(detail::ParseSingleSequenceExampleShape);

  struct Attrs {
    std::span<const PartialTensorShape> context_dense_shapes;
    std::span<const PartialTensorShape> feature_list_dense_shapes;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return sizes.Read(c, false); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, std::span<const Tensor>,
                      std::span<const Tensor> context_dense_keys, std::span<const Tensor>, std::span<const Tensor>,
                      std::span<const Tensor>, const Tensor&, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>) const {
      if (static_cast<std::int64_t>(context_dense_keys.size()) != sizes.context.dense)
        return errors::InvalidArgument("Expected len(context_dense_keys) == len(context_dense_defaults), got ",
                                       context_dense_keys.size(), " and ", sizes.context.dense);
      return Run(context.op(), *this, sizes);
    }
    detail::SequenceSizes sizes;
  };

 private:
  static Status Run(OpKernelContext& context, const Attrs& attrs, const detail::SequenceSizes& sizes) {
    using detail::ColumnKind;
    detail::SequenceParse parse;
    const detail::ColumnCounts &a = sizes.context, &b = sizes.list;
    const std::int64_t keys = a.sparse + a.dense + b.sparse + b.dense;
    const Tensor& name = context.input(static_cast<int>(2 + keys + a.dense));
    parse.serialized = &context.input(0);
    parse.names = &name;
    parse.context_counts = a;
    parse.list_counts = b;
    parse.lengths = false;
    parse.any_kind = true;
    TENON_RETURN_IF_ERROR(detail::CheckSerialized(*parse.serialized, 0, 0));
    TENON_RETURN_IF_ERROR(detail::CheckDebugName(name, *parse.serialized));
    for (int i = 0; i < static_cast<int>(keys); ++i)
      if (context.input(2 + i).dims() != 0)
        return errors::InvalidArgument("Expected key ", i,
                                       " to be a scalar, got shape: ", context.input(2 + i).shape());
    std::int64_t input = 2;
    const auto add = [&](ColumnKind kind, std::int64_t count, std::int64_t first_output,
                         SlimVector<detail::FeatureColumn>* columns) {
      detail::AddColumns(
          kind, count,
          [&](std::size_t i) { return detail::KeyAt(context.input(static_cast<int>(input) + static_cast<int>(i)), 0); },
          [&](int i) { return context.expected_output_dtype(static_cast<int>(first_output) + i); }, columns);
      input += count;
    };
    const std::int64_t lists = 3 * a.sparse + a.dense;
    add(ColumnKind::kSparse, a.sparse, a.sparse, &parse.context_columns);
    add(ColumnKind::kDense, a.dense, 3 * a.sparse, &parse.context_columns);
    add(ColumnKind::kSparse, b.sparse, lists + b.sparse, &parse.list_columns);
    add(ColumnKind::kDense, b.dense, lists + 3 * b.sparse, &parse.list_columns);
    TENON_RETURN_IF_ERROR(detail::SetFixedShapes(attrs.context_dense_shapes, a.sparse, &parse.context_columns));
    TENON_RETURN_IF_ERROR(detail::SetFixedShapes(attrs.feature_list_dense_shapes, b.sparse, &parse.list_columns));
    TENON_RETURN_IF_ERROR(
        detail::SetContextDefaults(context, static_cast<int>(input), a.dense, a.sparse, &parse.context_columns));
    const Tensor& may_be_missing = context.input(1);
    if (may_be_missing.dims() != 1)
      return errors::InvalidArgument("Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: ",
                                     may_be_missing.shape());
    for (detail::FeatureColumn& column : parse.list_columns)
      for (Index i = 0; i < may_be_missing.NumElements(); ++i)
        if (column.key == detail::KeyAt(may_be_missing, i)) column.may_be_missing = true;
    TENON_RETURN_IF_ERROR(parse.Find());
    return parse.Write(context);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
