// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedTensorToSparse, RaggedTensorToTensor: ragged tensors in other forms.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/ragged/splits.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status RaggedToSparseShape(InferenceContext* c) {
  const int n = c->num_inputs() - 1;
  ShapeHandle unused, values;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(n), 1, &values));
  for (int i = 0; i < n; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
  const DimensionHandle rank = c->RankKnown(values) ? c->MakeDim(c->Rank(values) + n) : c->UnknownDim();
  const DimensionHandle count = c->NumElements(values);
  c->set_output(0, c->Matrix(count, rank));
  c->set_output(1, c->Vector(count));
  c->set_output(2, c->Vector(rank));
  return OkStatus();
}

}  // namespace detail

struct RaggedTensorToSparse {
  static constexpr auto signature = Op("RaggedTensorToSparse")
                                        .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
                                        .Input("rt_dense_values: T")
                                        .Output("sparse_indices: int64")
                                        .Output("sparse_values: T")
                                        .Output("sparse_dense_shape: int64")
                                        .Attr("RAGGED_RANK: int >= 1")
                                        .Attr("T: type")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::RaggedToSparseShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, std::span<const Tensor> splits, const Tensor& values, Tensor&, Tensor&,
                      Tensor&) const {
      return Run(context.op(), splits, values);
    }
  };

 private:
  static Status Check(std::span<const Tensor> splits, const Tensor& values) {
    if (values.dims() < 1)
      return errors::InvalidArgument("RaggedTensorToSparse: values must not be a scalar, got shape ", values.shape());
    for (std::size_t d = 0; d < splits.size(); ++d) {
      const detail::Splits one(splits[d]);
      if (splits[d].dims() != 1)
        return errors::InvalidArgument("RaggedTensorToSparse: splits must be vectors, got shape ", splits[d].shape());
      if (one.size() == 0) return errors::InvalidArgument("ragged splits may not be empty.");
      if (one[0] != 0) return errors::InvalidArgument("First value of ragged splits must be 0., got ", one[0]);
      for (Index i = 1; i < one.size(); ++i)
        if (one[i] < one[i - 1])
          return errors::InvalidArgument("Ragged splits should be non decreasing, but we got ", one[i - 1],
                                         " followed by ", one[i]);
      const Index values_here = d + 1 < splits.size() ? splits[d + 1].NumElements() - 1 : values.dim_size(0);
      if (one.back() != values_here)
        return errors::InvalidArgument(
            "Final value of ragged splits must match the length the corresponding ragged values. Got ", one.back(),
            ", there are ", values_here);
    }
    return OkStatus();
  }
  static Status Run(OpKernelContext& context, std::span<const Tensor> splits, const Tensor& values) {
    TENON_RETURN_IF_ERROR(Check(splits, values));
    const std::size_t nested = splits.size();
    const Index rank = static_cast<Index>(nested) + values.dims(), n = values.NumElements();
    Tensor *indices = nullptr, *dense_shape = nullptr, flat = values;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, rank}), &indices));
    TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({rank}), &dense_shape));
    if (!flat.CopyFrom(values, TensorShape({n}))) return errors::Internal("RaggedTensorToSparse: flattening failed");
    context.set_output(1, flat);

    std::int64_t* const sizes = dense_shape->data<std::int64_t>();
    sizes[0] = splits[0].NumElements() - 1;
    for (std::size_t d = 0; d < nested; ++d) {
      const detail::Splits one(splits[d]);
      Index widest = 0;
      for (Index i = 0; i < one.rows(); ++i) widest = std::max(widest, one[i + 1] - one[i]);
      sizes[d + 1] = widest;
    }
    for (int d = 1; d < values.dims(); ++d) sizes[nested + static_cast<std::size_t>(d)] = values.dim_size(d);

    if (n == 0) return OkStatus();  // for any number of rows
    const Index rows = values.dim_size(0), run = n / rows;
    SlimVector<Index> row(nested, 0);  // per splits: the row that has the present row of values
    std::int64_t* to = indices->data<std::int64_t>();
    for (Index i = 0; i < rows; ++i) {
      Index at = i;  // row of the next dimension
      for (std::size_t d = nested; d-- > 0; at = row[d])
        for (const detail::Splits one(splits[d]); one[row[d] + 1] <= at;) ++row[d];
      for (Index k = 0; k < run; ++k) {
        *to++ = row[0];
        for (std::size_t d = 0; d < nested; ++d)
          *to++ = (d + 1 < nested ? row[d + 1] : i) - detail::Splits(splits[d])[row[d]];
        Index rest = k;
        to += values.dims() - 1;
        for (int d = values.dims() - 1; d >= 1; rest /= values.dim_size(d), --d)
          to[d - values.dims()] = rest % values.dim_size(d);
      }
    }
    return OkStatus();
  }
};

namespace detail {

enum class RowPartition { kFirstDimSize, kValueRowids, kRowSplits };

// How each dimension is cut, by the attr row_partition_types.
struct RowPartitions {
  SlimVector<RowPartition> types;

  template <class Names>
  Status Read(const Names& names) {
    for (const auto& text : names) {
      const std::string_view name(text);
      if (name == "FIRST_DIM_SIZE")
        types.push_back(RowPartition::kFirstDimSize);
      else if (name == "VALUE_ROWIDS")
        types.push_back(RowPartition::kValueRowids);
      else if (name == "ROW_SPLITS")
        types.push_back(RowPartition::kRowSplits);
      else
        return errors::InvalidArgument("Unsupported partition type: ", name);
    }
    if (types.empty()) return errors::InvalidArgument("Partition info types should not be empty");
    for (std::size_t i = 1; i < types.size(); ++i)
      if (types[i] == RowPartition::kFirstDimSize) return errors::InvalidArgument("FIRST_DIM_SIZE must be first");
    if (has_size() && (types.size() < 2 || types[1] != RowPartition::kValueRowids))
      return errors::InvalidArgument("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
    if (types[0] == RowPartition::kValueRowids) return errors::InvalidArgument("VALUE_ROWIDS cannot be first");
    return OkStatus();
  }
  bool has_size() const { return types[0] == RowPartition::kFirstDimSize; }
  int ragged_rank() const { return static_cast<int>(types.size()) - (has_size() ? 1 : 0); }
  // The partition that cuts dimension d, which is 1 or more.
  RowPartition cut(int d) const { return types[static_cast<std::size_t>(has_size() ? d : d - 1)]; }
};

// Checks whether a default value of this shape fits these values.
inline Status CheckDefaultShape(const PartialTensorShape& default_shape, const PartialTensorShape& values) {
  if (default_shape.unknown_rank() || values.unknown_rank()) return OkStatus();
  const int rank = default_shape.dims();
  if (rank >= values.dims())
    return errors::InvalidArgument("default_value.shape=", default_shape, " and rt_input.flat_values.shape=", values,
                                   " are incompatible: default_value.rank = ", rank,
                                   "  must be less than rt_input.flat_values.rank = ", values.dims());
  for (int d = 0; d < rank; ++d) {
    const Index own = default_shape.dim_size(d), other = values.dim_size(d + 1);
    if (own >= 0 && other >= 0 && own != 1 && own != other)
      return errors::InvalidArgument("default_value.shape=", default_shape, " and rt_input.flat_values.shape=", values,
                                     " are incompatible: default_value.shape[", d - rank, "] = ", own,
                                     " but rt_input.flat_values.shape[", d - rank, "] = ", other);
  }
  return OkStatus();
}
// The output's shape as far as the wanted one and that of the values say.
inline Status CombineRaggedShapes(int ragged_rank, const PartialTensorShape& wanted, const PartialTensorShape& values,
                                  PartialTensorShape* out) {
  *out = wanted;
  if (values.unknown_rank()) return OkStatus();
  const int rank = ragged_rank + values.dims();
  if (wanted.unknown_rank()) {
    const SlimVector<Index> unknown(static_cast<std::size_t>(rank), -1);
    TENON_RETURN_IF_ERROR(PartialTensorShape::Build({unknown.data(), unknown.size()}, out));
  }
  if (out->dims() != rank)
    return errors::InvalidArgument("rt_input.shape and shape=", wanted, " are incompatible: rt_input.rank = ", rank,
                                   " but shape.rank = ", out->dims());
  for (int d = 1; d < values.dims(); ++d) {
    const Index size = values.dim_size(d), other = out->dim_size(ragged_rank + d);
    if (size < 0) continue;
    if (other >= 0 && other != size)
      return errors::InvalidArgument("rt_input.shape and shape=", wanted, " are incompatible: rt_input.shape[",
                                     ragged_rank + d, "] = ", size, " but shape[", ragged_rank + d, "] = ", other);
    TENON_RETURN_IF_ERROR(out->SetDimWithStatus(ragged_rank + d, size));
  }
  return OkStatus();
}

inline Status RaggedToTensorShape(InferenceContext* c) {
  ShapeHandle wanted, out;
  PartialTensorShape wanted_shape, values, default_shape, combined;
  SlimVector<std::string> names;
  RowPartitions partitions;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, &wanted));
  TENON_RETURN_IF_ERROR(c->GetAttr("row_partition_types", &names));
  TENON_RETURN_IF_ERROR(partitions.Read(names));
  const int given = c->num_inputs() - 3;
  if (given != static_cast<int>(partitions.types.size()))
    return errors::InvalidArgument("Number of row partition tensors (", given,
                                   ") does not equal the number of row partition types(", partitions.types.size(),
                                   ").");
  for (int i = 0; i < given; ++i) {
    if (!c->RankKnown(c->input(3 + i))) continue;
    const bool size = i == 0 && partitions.has_size();
    if (c->Rank(c->input(3 + i)) != (size ? 0 : 1))
      return errors::InvalidArgument(size ? "FIRST_DIM_SIZE must be a scalar." : "Row partition must be a vector.");
  }
  TENON_RETURN_IF_ERROR(c->ToPartialTensorShape(wanted, &wanted_shape));
  TENON_RETURN_IF_ERROR(c->ToPartialTensorShape(c->input(1), &values));
  TENON_RETURN_IF_ERROR(c->ToPartialTensorShape(c->input(2), &default_shape));
  TENON_RETURN_IF_ERROR(CheckDefaultShape(default_shape, values));
  TENON_RETURN_IF_ERROR(CombineRaggedShapes(partitions.ragged_rank(), wanted_shape, values, &combined));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(combined, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace detail

// The rows side by side, filled up with default_value, cut where the shape is smaller.
struct RaggedTensorToTensor {
  static constexpr auto signature = Op("RaggedTensorToTensor")
                                        .Attr("T: type")
                                        .Attr("Tindex: {int64, int32}")
                                        .Attr("Tshape: {int64, int32}")
                                        .Attr("num_row_partition_tensors: int >= 1")
                                        .Attr("row_partition_types: list(string)")
                                        .Input("shape: Tshape")
                                        .Input("values: T")
                                        .Input("default_value: T")
                                        .Input("row_partition_tensors: num_row_partition_tensors * Tindex")
                                        .Output("result: T")
                                        .SetShapeFn(detail::RaggedToTensorShape);

  struct Attrs {
    std::span<const std::string> row_partition_types;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(partitions.Read(this->row_partition_types));
      return ServeOnly(c, c.output_type(0),
                       kPodAndStringTypes | kQuantizedTypes | ToSet(DataType::kInt4) | ToSet(DataType::kUint4));
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, std::span<const Tensor>,
                      Tensor&) const {
      return Run(context.op(), partitions);
    }
    detail::RowPartitions partitions;
  };

 private:
  using Places = SlimVector<Index>;  // rows of the output; -1: nowhere

  // The width of a row with splits that are not checked yet.
  static Index Width(Index begin, Index end) {
    if (end <= begin) return 0;
    const std::uint64_t width = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
    return static_cast<Index>(std::min<std::uint64_t>(width, std::numeric_limits<Index>::max()));
  }
  static Index Widest(const detail::Splits& part, bool splits) {
    Index widest = 0, length = 0;
    if (splits) {
      for (Index i = 0; i + 1 < part.size(); ++i) widest = std::max(widest, Width(part[i], part[i + 1]));
      return widest;
    }
    for (Index i = 0; i < part.size(); ++i) {
      length = i > 0 && part[i] == part[i - 1] ? length + 1 : 1;
      widest = std::max(widest, length);
    }
    return widest;
  }

  // Where the rows of one dimension begin in the output.
  struct RowPlaces {
    Places known;     // places of the first rows; the other rows are nowhere
    Index count = 0;  // number of all rows

    Index At(Index row) const {
      return row < static_cast<Index>(known.size()) ? known[static_cast<std::size_t>(row)] : -1;
    }
  };

  // Checks the splits of a dimension that has `rows` rows, and at most `most` of the next dimension.
  static Status CheckSplits(const detail::Splits& splits, Index rows, Index most) {
    if (splits.rows() > rows)
      return errors::InvalidArgument("Row partition size is greater than output size: ", splits.rows(), " > ", rows);
    if (splits.size() == 0) return OkStatus();
    if (splits[0] != 0)
      return errors::InvalidArgument("Invalid row split size. row_splits must begin with 0, got ", splits[0]);
    for (Index i = 0; i < splits.rows(); ++i)
      if (splits[i + 1] < splits[i])
        return errors::InvalidArgument("Invalid row split size. row_splits must not decrease, got ", splits[i],
                                       " followed by ", splits[i + 1]);
    if (splits.back() > most)
      return errors::InvalidArgument("Invalid row split size. row_splits end at ", splits.back(), ", more than the ",
                                     most, " there may be");
    return OkStatus();
  }
  // Maps the places of a dimension's rows to the places of the next dimension's rows, at most `most`. Each row has
  // `size` places, `step` apart.
  static Status NextBySplits(const detail::Splits& splits, const RowPlaces& from, Index step, Index size, Index most,
                             RowPlaces* to) {
    TENON_RETURN_IF_ERROR(CheckSplits(splits, from.count, most));
    if (splits.size() == 0) return OkStatus();
    to->known.resize(static_cast<std::size_t>(splits.back()), -1);
    Index* known = to->known.data();
    for (Index i = 0; i < splits.rows(); ++i) {
      const Index place = from.At(i), length = splits[i + 1] - splits[i];
      const Index inside = place < 0 ? 0 : std::min(length, size);
      for (Index k = 0; k < inside; ++k) known[k] = place + k * step;
      known += length;
    }
    to->count = splits.back();
    return OkStatus();
  }
  static Status NextByRowids(const detail::Splits& rowids, const RowPlaces& from, Index step, Index size, Index most,
                             RowPlaces* to) {
    if (rowids.size() > most)
      return errors::InvalidArgument("Invalid row ids. There are ", rowids.size(), " row ids for ", most, " values");
    Index column = 0;
    for (Index i = 0; i < rowids.size(); ++i) {
      const Index row = rowids[i];
      if (row < 0 || row >= from.count)
        return errors::InvalidArgument("Got next_value_rowid=", row, " which is not less than ", from.count);
      column = i > 0 && rowids[i - 1] == row ? column + 1 : 0;
      const Index place = from.At(row);
      to->known.push_back(place < 0 || column >= size ? -1 : place + column * step);
    }
    to->count = rowids.size();
    return OkStatus();
  }

  static Status FindSizes(const OpKernelContext& context, const detail::RowPartitions& partitions, Index rows,
                          int first_cut, SlimVector<Index>* sizes) {
    const Tensor &wanted = context.input(0), &values = context.input(1);
    PartialTensorShape shape, combined;
    if (wanted.dims() > 1 || (wanted.dims() == 0 && detail::Splits(wanted)[0] != -1))
      return errors::InvalidArgument(
          "RaggedTensorToTensor: shape must be a vector or the scalar -1, got a tensor of shape ", wanted.shape());
    if (wanted.dims() == 1)
      TENON_RETURN_IF_ERROR(wanted.dtype() == DataType::kInt32
                                ? MakeShape(wanted.data<std::int32_t>(), wanted.NumElements(), &shape)
                                : MakeShape(wanted.data<std::int64_t>(), wanted.NumElements(), &shape));
    TENON_RETURN_IF_ERROR(detail::CheckDefaultShape(context.input(2).shape(), values.shape()));
    TENON_RETURN_IF_ERROR(detail::CombineRaggedShapes(partitions.ragged_rank(), shape, values.shape(), &combined));
    for (int d = 0; d < combined.dims(); ++d) {
      Index size = combined.dim_size(d);
      if (size < 0 && d == 0) size = rows;
      if (size < 0)
        size = Widest(detail::Splits(context.input(first_cut + d - 1)),
                      partitions.cut(d) == detail::RowPartition::kRowSplits);
      sizes->push_back(size);
    }
    return OkStatus();
  }

  // Makes all rows of the output the default.
  static Status WriteDefault(OpKernelContext& context, int ragged_rank, Tensor* out) {
    const Tensor &values = context.input(1), &default_value = context.input(2);
    Cpu& device = context.device<Cpu>();
    const ElementMover mover = MoverOf(values.dtype());
    TensorShape row = out->shape();
    TENON_RETURN_IF_ERROR(row.RemoveDimRangeWithStatus(0, ragged_rank + 1));
    const Index run = row.num_elements();
    if (default_value.NumElements() == 1) {
      tenon::Fill(device, mover, default_value.raw_data(), out->raw_data(), out->NumElements());
    } else {
      TensorShape both;
      BroadcastPlan plan;
      Tensor filled;
      if (!BroadcastShape(default_value.shape(), row, &both).ok() || !(both == row))
        return errors::InvalidArgument("Error broadcasting default_value of shape ", default_value.shape(), " to ",
                                       row);
      TENON_RETURN_IF_ERROR(plan.Make(default_value.shape(), row, row));
      TENON_RETURN_IF_ERROR(context.allocate_temp(values.dtype(), row, &filled));
      for (Index i = 0; i < run; ++i) {
        Index from = 0, rest = i;
        for (int d = plan.rank - 1; d >= 0; rest /= plan.size[d], --d) from += rest % plan.size[d] * plan.stride_a[d];
        CopyRun(mover, mover.At(default_value.raw_data(), from), mover.At(filled.raw_data(), i), 1);
      }
      for (Index i = 0; i < out->NumElements(); i += run)
        CopyRun(mover, filled.raw_data(), mover.At(out->raw_data(), i), run);
    }
    return OkStatus();
  }
  // Copies `count` rows of the values, from row i on, to the output's rows from `place` on.
  struct RowCopy {
    const Tensor& values;
    Tensor* out;
    ElementMover mover;
    Index run;  // elements of a row

    void operator()(Index i, Index count, Index place) const {
      CopyPieces(mover, count * run, mover.At(values.raw_data(), i * run), 0, mover.At(out->raw_data(), place * run), 0,
                 1);
    }
  };

  static Status Run(OpKernelContext& context, const detail::RowPartitions& partitions) {
    const Tensor& values = context.input(1);
    const int ragged_rank = partitions.ragged_rank(), first_cut = 3 + (partitions.has_size() ? 1 : 0);
    const detail::Splits first(context.input(3));
    if (first.size() == 0)
      return errors::InvalidArgument("Invalid first partition input. Tensor requires at least one element.");
    for (int d = 0; d < ragged_rank; ++d)
      if (context.input(first_cut + d).dims() != 1)
        return errors::InvalidArgument("Row partition must be a vector., got shape ",
                                       context.input(first_cut + d).shape());
    const Index rows = partitions.has_size() ? first[0] : first.rows();
    if (rows < 0) return errors::InvalidArgument("RaggedTensorToTensor: Dimension ", rows, " must be >= 0");

    SlimVector<Index> sizes;
    TENON_RETURN_IF_ERROR(FindSizes(context, partitions, rows, first_cut, &sizes));
    TensorShape shape;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return OkStatus();

    Index step = 1;  // in rows of values
    for (int d = 1; d <= ragged_rank; ++d) step *= sizes[static_cast<std::size_t>(d)];
    RowPlaces places;
    places.count = rows;
    places.known.resize(static_cast<std::size_t>(std::min(rows, sizes[0])));
    for (Index i = 0; i < std::min(rows, sizes[0]); ++i) places.known[static_cast<std::size_t>(i)] = i * step;
    const Index places_of_values = sizes[static_cast<std::size_t>(ragged_rank)];
    const Index run = out->NumElements() / std::max<Index>(1, sizes[0] * step);
    const RowCopy copy{values, out, MoverOf(values.dtype()), run};
    for (int d = 1; d <= ragged_rank; ++d) {
      // Rows of inner dimensions are listed one by one, so wrong splits may only ask for a limited number.
      constexpr Index kMostRows = Index{1} << 28;
      const Index size = sizes[static_cast<std::size_t>(d)];
      const Index most = d < ragged_rank ? kMostRows : values.dim_size(0);
      const detail::Splits part(context.input(first_cut + d - 1));
      if (d == ragged_rank && partitions.cut(d) == detail::RowPartition::kRowSplits) {  // a row of values is one run
        TENON_RETURN_IF_ERROR(CheckSplits(part, places.count, most));
        TENON_RETURN_IF_ERROR(WriteDefault(context, ragged_rank, out));
        for (Index i = 0; i < part.rows(); ++i)
          if (const Index place = places.At(i), length = std::min(part[i + 1] - part[i], places_of_values);
              place >= 0 && length > 0)
            copy(part[i], length, place);
        return OkStatus();
      }
      RowPlaces next;
      step /= size;
      TENON_RETURN_IF_ERROR(partitions.cut(d) == detail::RowPartition::kRowSplits
                                ? NextBySplits(part, places, step, size, most, &next)
                                : NextByRowids(part, places, step, size, most, &next));
      places = std::move(next);
    }
    TENON_RETURN_IF_ERROR(WriteDefault(context, ragged_rank, out));
    for (std::size_t i = 0; i < places.known.size(); ++i)
      if (places.known[i] >= 0) copy(static_cast<Index>(i), 1, places.known[i]);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
