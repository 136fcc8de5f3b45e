// SPDX-License-Identifier: Apache-2.0
#pragma once
// ExampleParse: one call of an op that parses Examples, from serialised examples to the outputs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/example.hpp>
#include <tenon/ops/io/feature_columns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// One call of an op that parses Examples: the wanted columns and the found features.
struct ExampleParse {
  const Tensor* serialized = nullptr;
  const Tensor* names = nullptr;  // names of the examples, for messages; may be empty
  SlimVector<FeatureColumn> columns;  // sparse ones, dense ones, ragged ones
  std::size_t sparse = 0, dense = 0, ragged = 0;
  FoundFeatures found;
  SlimVector<Status> failed;  // per example

  bool single() const { return serialized->dims() == 0; }
  Index examples() const { return serialized->NumElements(); }

  void Add(ColumnKind kind, std::string_view key, DataType dtype) {
    columns.emplace_back();
    columns.back().key = key;
    columns.back().kind = kind;
    columns.back().dtype = dtype;
    ++(kind == ColumnKind::kSparse ? sparse : kind == ColumnKind::kDense ? dense : ragged);
  }
  Status SetDense(std::span<const PartialTensorShape> shapes, OpKernelContext& context, int first_default) {
    for (std::size_t i = 0; i < dense; ++i) {
      FeatureColumn& column = columns[sparse + i];
      TENON_RETURN_IF_ERROR(SetDenseShape(shapes[i], i, true, &column));
      TENON_RETURN_IF_ERROR(SetDefault(context.input(first_default + static_cast<int>(i)), i, &column));
    }
    return OkStatus();
  }

  std::string_view NameOf(Index example) const {
    return names == nullptr || names->NumElements() == 0 ? "<unknown>" : KeyAt(*names, example);
  }
  TENON_DETAIL_COLD Status Blame(Index example, std::size_t c, const Status& status) const {
    const std::string_view key = columns[c].key;
    if (status.code() == Code::kNotFound) {
      const Status missing = errors::InvalidArgument("Feature: ", key, " (data type: ", columns[c].dtype,
                                                     ") is required but could not be found.");
      return single() ? missing : errors::InvalidArgument("Name: ", NameOf(example), ", ", missing.message());
    }
    if (single()) return errors::InvalidArgument("Key: ", key, ". ", status.message());
    return errors::InvalidArgument("Name: ", NameOf(example), ", Key: ", key, ", Index: ", example, ". ",
                                   status.message());
  }
  Status FindIn(Index example, const ColumnIndex& index) {
    const std::string_view bytes = KeyAt(*serialized, example);
    const bool good = ForEachMap(bytes, [&](std::uint32_t field, std::string_view map) {
      return field != 1 || FindFeatures(map, index, example, &found);
    });
    if (!good) return errors::InvalidArgument("Could not parse example input, value: '", bytes, "'");
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Status status = CountFeature(columns[c], &found.at(c, example));
      if (!status.ok()) return Blame(example, c, status);
    }
    return OkStatus();
  }

  // step(example) for every example, on several threads where that pays; the first error in their order.
  template <class Step>
  Status ForEachExample(Cpu& device, const Step& step) {
    failed.clear();
    failed.resize(static_cast<std::size_t>(examples()));
    double bytes = 0;
    for (Index i = 0; i < examples(); ++i) bytes += static_cast<double>(KeyAt(*serialized, i).size());
    ParallelFor(device, examples(), examples() == 0 ? 0 : 100 + bytes / static_cast<double>(examples()),
                [&](Index begin, Index end) {
                  for (Index i = begin; i < end; ++i) failed[static_cast<std::size_t>(i)] = step(i);
                });
    for (const Status& status : failed) TENON_RETURN_IF_ERROR(status);
    return OkStatus();
  }
  Status Find(Cpu& device) {
    // TensorFlow finds no feature at all when a key repeats.
    ColumnIndex index, none;
    const bool repeats = index.Build(columns);
    found.Reset(columns.size(), examples());
    return ForEachExample(device, [&](Index i) { return FindIn(i, repeats ? none : index); });
  }

  // The outputs in the order of the ops' signatures: sparse indices, values and shapes, dense values, ragged values and
  // splits. `context` allocates them, as an OpKernelContext does.
  template <class Context>
  Status Write(Context& context, Cpu& device) {
    const int s = static_cast<int>(sparse), d = static_cast<int>(dense), r = static_cast<int>(ragged);
    for (int i = 0; i < s; ++i)
      TENON_RETURN_IF_ERROR(WriteSparse(context, static_cast<std::size_t>(i), {i, s + i, 2 * s + i}));
    for (int i = 0; i < d; ++i)
      TENON_RETURN_IF_ERROR(WriteDense(context, device, sparse + static_cast<std::size_t>(i), 3 * s + i));
    for (int i = 0; i < r; ++i)
      TENON_RETURN_IF_ERROR(
          WriteRagged(context, sparse + dense + static_cast<std::size_t>(i), 3 * s + d + i, 3 * s + d + r + i));
    return OkStatus();
  }

 private:
  Index Total(std::size_t c, Index* longest) {
    Index total = 0;
    *longest = 0;
    for (const FoundFeature& feature : found.column(c)) {
      total += feature.count;
      if (feature.count > *longest) *longest = feature.count;
    }
    return total;
  }
  template <class Context>
  Status WriteSparse(Context& context, std::size_t c, const int (&outputs)[3]) {
    SparseOutputs out;
    Index longest = 0, at = 0;
    const Index total = Total(c, &longest);
    const Index sizes[] = {examples(), longest};
    TENON_RETURN_IF_ERROR(
        out.Allocate(context, outputs, total, std::span<const Index>(sizes).subspan(single() ? 1 : 0)));
    for (Index i = 0; i < examples(); ++i) {
      const FoundFeature& feature = found.at(c, i);
      if (feature.count == 0) continue;
      out.Place(at, std::span<const Index>(&i, single() ? 0 : 1), feature.count);
      if (Status status = WriteFeature(feature, out.values, at); !status.ok()) return Blame(i, c, status);
      at += feature.count;
    }
    return OkStatus();
  }
  template <class Context>
  Status WriteRagged(Context& context, std::size_t c, int values_output, int splits_output) {
    Tensor *values = nullptr, *splits = nullptr;
    Index longest = 0, at = 0;
    TENON_RETURN_IF_ERROR(context.allocate_output(values_output, TensorShape({Total(c, &longest)}), &values));
    TENON_RETURN_IF_ERROR(
        AllocateSplits(context, splits_output, TensorShape({single() ? 0 : examples() + 1}), &splits));
    for (Index i = 0; i < examples(); ++i) {
      const FoundFeature& feature = found.at(c, i);
      if (Status status = feature.count == 0 ? OkStatus() : WriteFeature(feature, values, at); !status.ok())
        return Blame(i, c, status);
      at += feature.count;
      if (!single()) TENON_RETURN_IF_ERROR(SetSplit(splits, i + 1, at));
    }
    return OkStatus();
  }
  template <class Context>
  Status WriteDense(Context& context, Cpu& device, std::size_t c, int output) {
    const FeatureColumn& column = columns[c];
    Index each = column.stride, longest = 0;
    Total(c, &longest);
    TensorShape shape;
    if (!single()) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(examples()));
    for (int d = 0; d < column.shape.dims(); ++d) {
      const bool rows = column.variable && d == 0;
      TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(rows ? longest / column.stride : column.shape.dim_size(d)));
    }
    if (column.variable) each = longest;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(output, shape, &out));
    if (each == 0) return OkStatus();
    return ForEachExample(device, [&, each](Index i) -> Status {
      const FoundFeature& feature = found.at(c, i);
      const bool missing = feature.view.dtype == DataType::kInvalid;
      if (!missing)
        if (Status status = WriteFeature(feature, out, i * each); !status.ok()) return Blame(i, c, status);
      if (column.variable) {
        FillWith(*column.missing, out, i * each + feature.count, each - feature.count);
      } else if (missing) {
        FillWith(*column.missing, out, i * each, each);
      }
      return OkStatus();
    });
  }
};

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
