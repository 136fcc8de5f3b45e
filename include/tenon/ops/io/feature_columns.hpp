// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the ops that parse Examples. Finds wanted features in serialised examples, checks and counts them, and
// writes them to dense, sparse and ragged outputs.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/name_table.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/example.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

enum class ColumnKind : std::uint8_t { kSparse, kDense, kRagged };

// One wanted feature.
struct FeatureColumn {
  std::string_view key;
  ColumnKind kind = ColumnKind::kSparse;
  DataType dtype = DataType::kInvalid;
  // kDense only: the shape of one example's values; of a variable one the first size is unknown.
  PartialTensorShape shape;
  bool variable = false;
  Index stride = 1;  // values of one example, of a variable one: of one row
  const Tensor* missing = nullptr;  // the value of examples without the feature, or padding; null or empty: none
  bool may_be_missing = false;  // a feature list: no rows then
};

// The values of one column in one example, or in one row of a feature list.
struct FoundFeature {
  FeatureView view;
  Index count = 0;
};

// -2: not that many; else the product of the sizes from `first` on.
inline Index ElementsFrom(const PartialTensorShape& shape, int first) {
  Index product = 1;
  for (int d = first; d < shape.dims(); ++d) {
    const Index size = shape.dim_size(d);
    if (size < 0) return -1;
    if (size > 0 && product > std::numeric_limits<Index>::max() / size) return -2;
    product *= size;
  }
  return product;
}
// Fills in shape, variable and stride. InvalidArgument unless all sizes but the first are known.
inline Status SetDenseShape(const PartialTensorShape& shape, std::size_t i, bool may_vary, FeatureColumn* column) {
  const bool ranked = !shape.unknown_rank();
  const bool variable = ranked && shape.dims() > 0 && shape.dim_size(0) < 0;
  const Index stride = ranked ? ElementsFrom(shape, variable ? 1 : 0) : -1;
  if (stride < 0 || (variable && !may_vary))
    return errors::InvalidArgument(
        "dense_shapes[", i, "] has ",
        stride == -2 ? "too many elements: " : "unknown rank or unknown inner dimensions: ", shape);
  if (variable && stride == 0)
    return errors::InvalidArgument("dense_shapes[", i, "] has rows without elements: ", shape);
  column->shape = shape;
  column->variable = variable;
  column->stride = stride;
  return OkStatus();
}
// Sets the value that stands for a dense feature that an example does not have.
inline Status SetDefault(const Tensor& value, std::size_t i, FeatureColumn* column) {
  if (value.dtype() != column->dtype)
    return errors::InvalidArgument("dense_defaults[", i, "].dtype() == ", value.dtype(), " != dense_types_[", i,
                                   "] == ", column->dtype);
  if (column->variable && value.NumElements() != 1)
    return errors::InvalidArgument(
        "dense_shape[", i, "] is a variable length shape: ", column->shape, ", therefore def_value[", i,
        "] must contain a single element (the padding element).  But its shape is: ", value.shape());
  if (!column->variable && value.NumElements() > 0 && !column->shape.IsCompatibleWith(value.shape()))
    return errors::InvalidArgument("def_value[", i, "].shape() == ", value.shape(),
                                   " is not compatible with dense_shapes_[", i, "] == ", column->shape);
  column->missing = &value;
  return OkStatus();
}

// The value of element i, a scalar key or one of a vector of keys.
inline std::string_view KeyAt(const Tensor& keys, Index i) { return keys.data<tstring>()[i].view(); }

// Values of examples one after the other, or of the rows of feature lists. externally synchronised.
class FoundFeatures {
 public:
  // `columns` rows of `examples` entries.
  void Reset(std::size_t columns, Index examples) {
    examples_ = examples;
    found_.clear();
    found_.resize(columns * static_cast<std::size_t>(examples));
  }
  FoundFeature& at(std::size_t column, Index example) {
    return found_[column * static_cast<std::size_t>(examples_) + static_cast<std::size_t>(example)];
  }
  std::span<FoundFeature> column(std::size_t c) {
    return {found_.data() + c * static_cast<std::size_t>(examples_), static_cast<std::size_t>(examples_)};
  }

 private:
  Index examples_ = 0;
  SlimVector<FoundFeature> found_;
};

// The columns by name.
class ColumnIndex {
 public:
  // Holds the first column of each key. Returns whether a key repeats.
  bool Build(std::span<const FeatureColumn> columns) {
    bool repeats = false;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (table_.Find(columns[c].key) != nullptr)
        repeats = true;
      else
        table_.Insert(columns[c].key, c);
    }
    return repeats;
  }
  // The column of a feature, or -1 when the feature is not wanted.
  std::ptrdiff_t Find(std::string_view key) const {
    const std::size_t* c = table_.Find(key);
    return c == nullptr ? -1 : static_cast<std::ptrdiff_t>(*c);
  }

 private:
  NameTable<std::size_t> table_;
};

// Notes the wanted features of a serialised Features message; of equal keys the last with a list counts. False when the
// bytes are not such a message.
inline bool FindFeatures(std::string_view features, const ColumnIndex& index, Index example, FoundFeatures* found) {
  return ForEachEntry(features, [&](std::string_view key, std::string_view value) {
    const std::ptrdiff_t c = index.Find(key);
    if (c < 0) return true;
    FeatureView view;
    if (!ReadFeature(value, &view)) return false;
    if (view.dtype != DataType::kInvalid) found->at(static_cast<std::size_t>(c), example).view = view;
    return true;
  });
}

// "[?,2]" is not counted; other columns need as many values as their shape has.
inline Status CountFeature(const FeatureColumn& column, FoundFeature* feature) {
  if (feature->view.dtype == DataType::kInvalid) {
    const bool required = column.kind == ColumnKind::kDense && !column.variable &&
                          (column.missing == nullptr || (column.missing->NumElements() == 0 && column.stride != 0));
    return required ? Status(Code::kNotFound, "missing") : OkStatus();
  }
  if (feature->view.dtype != column.dtype) {
    if (column.kind == ColumnKind::kDense)
      return errors::InvalidArgument("Data types don't match. Data type: ", feature->view.dtype,
                                     " but expected type: ", column.dtype);
    return errors::InvalidArgument("Data types don't match. Expected type: ", column.dtype,
                                   ", Actual type: ", feature->view.dtype);
  }
  feature->count = CountValues(feature->view);
  if (feature->count < 0) return errors::InvalidArgument("Can't parse serialized Example.");
  if (column.kind != ColumnKind::kDense) return OkStatus();
  if (!column.variable && feature->count != column.stride)
    return errors::InvalidArgument("Number of ", column.dtype, " values != expected. Values size: ", feature->count,
                                   " but output shape: ", column.shape);
  if (column.variable && feature->count % column.stride != 0)
    return errors::InvalidArgument("Number of ", column.dtype, " values is not a multiple of stride length. Saw ",
                                   feature->count, " values but output shape is: ", column.shape);
  return OkStatus();
}

// Writes the feature's values from element `at` on.
inline Status WriteFeature(const FoundFeature& feature, Tensor* out, Index at) {
  bool good = true;
  switch (out->dtype()) {
    case DataType::kFloat: good = ReadValues(feature.view, out->data<float>() + at); break;
    case DataType::kInt64: good = ReadValues(feature.view, out->data<std::int64_t>() + at); break;
    default: good = ReadValues(feature.view, out->data<tstring>() + at);
  }
  return good ? OkStatus() : errors::InvalidArgument("Can't parse serialized Example.");
}
inline void FillWith(const Tensor& value, Tensor* out, Index at, Index count) {
  const ElementMover mover = MoverOf(out->dtype());
  if (value.NumElements() == count) return CopyRun(mover, value.raw_data(), mover.At(out->raw_data(), at), count);
  for (Index i = 0; i < count; ++i) CopyRun(mover, value.raw_data(), mover.At(out->raw_data(), at + i), 1);
}
inline void FillWithZero(Tensor* out, Index at, Index count) {
  if (out->dtype() == DataType::kString || count == 0) return;  // strings are made empty
  const auto size = static_cast<std::size_t>(SizeOf(out->dtype()));
  std::memset(static_cast<char*>(out->raw_data()) + static_cast<std::size_t>(at) * size, 0,
              static_cast<std::size_t>(count) * size);
}

// Output i, with a first split of 0.
template <class Context>
Status AllocateSplits(Context& context, int i, const TensorShape& shape, Tensor** splits) {
  TENON_RETURN_IF_ERROR(context.allocate_output(i, shape, splits));
  if (shape.num_elements() > 0) FillWithZero(*splits, 0, 1);
  return OkStatus();
}
inline Status SetSplit(Tensor* splits, Index i, Index value) {
  if (splits->dtype() == DataType::kInt64) {
    splits->data<std::int64_t>()[i] = value;
    return OkStatus();
  }
  if (value > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument("Ragged row split ", value, " does not fit int32");
  splits->data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
  return OkStatus();
}

// Outputs of a sparse column: indices [n, rank], values [n], the dense shape [rank].
struct SparseOutputs {
  Tensor *indices = nullptr, *values = nullptr;

  template <class Context>
  Status Allocate(Context& context, const int (&outputs)[3], Index n, std::span<const Index> sizes) {
    const auto rank = static_cast<Index>(sizes.size());
    Tensor* shape = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(outputs[0], TensorShape({n, rank}), &indices));
    TENON_RETURN_IF_ERROR(context.allocate_output(outputs[1], TensorShape({n}), &values));
    TENON_RETURN_IF_ERROR(context.allocate_output(outputs[2], TensorShape({rank}), &shape));
    for (Index d = 0; d < rank; ++d) shape->data<std::int64_t>()[d] = sizes[static_cast<std::size_t>(d)];
    return OkStatus();
  }
  // Writes the indices (before..., 0), (before..., 1), ... of `count` values from number `at` on.
  void Place(Index at, std::span<const Index> before, Index count) const {
    const auto rank = static_cast<Index>(before.size() + 1);
    std::int64_t* to = indices->data<std::int64_t>() + at * rank;
    for (Index i = 0; i < count; ++i) {
      for (const Index place : before) *to++ = place;
      *to++ = i;
    }
  }
};

// ---------------------------------------------------------------------------------------------------- shape functions

// Indices, values and shapes of `count` sparse outputs from output *at on; `rank` of the tensors, -1: not known.
inline void SparseParts(InferenceContext* c, std::size_t count, Index rank, int* at) {
  const DimensionHandle columns = rank < 0 ? c->UnknownDim() : c->MakeDim(rank);
  const auto n = static_cast<int>(count);
  for (int i = 0; i < n; ++i) {
    c->set_output(*at + i, c->Matrix(c->UnknownDim(), columns));
    c->set_output(*at + n + i, c->Vector(c->UnknownDim()));
    c->set_output(*at + 2 * n + i, c->Vector(columns));
  }
  *at += 3 * n;
}
// [prefix..., shape...] for every shape.
inline Status DenseParts(InferenceContext* c, ShapeHandle prefix, std::span<const PartialTensorShape> shapes, int* at) {
  for (const PartialTensorShape& shape : shapes) {
    ShapeHandle dense, out;
    TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &dense));
    TENON_RETURN_IF_ERROR(c->Concatenate(prefix, dense, &out));
    c->set_output((*at)++, out);
  }
  return OkStatus();
}
// Values, then `splits` lists of splits. The first list belongs to the examples. For one example by itself, it is a
// vector, or (`scalar_of_one`) a scalar.
inline Status RaggedParts(InferenceContext* c, std::size_t count, ShapeHandle examples, int splits, bool scalar_of_one,
                          int* at) {
  ShapeHandle rows = c->Vector(c->UnknownDim());
  if (scalar_of_one && (!c->RankKnown(examples) || c->Rank(examples) == 0))
    rows = c->RankKnown(examples) ? c->Scalar() : c->UnknownShape();
  DimensionHandle ends;
  if (c->RankKnown(examples) && c->Rank(examples) == 1) {
    TENON_RETURN_IF_ERROR(c->Add(c->Dim(examples, 0), 1, &ends));
    rows = c->Vector(ends);
  }
  for (int list = 0; list <= splits; ++list)
    for (std::size_t i = 0; i < count; ++i) c->set_output((*at)++, list == 1 ? rows : c->Vector(c->UnknownDim()));
  return OkStatus();
}

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
