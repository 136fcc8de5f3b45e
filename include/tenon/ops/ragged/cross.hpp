// SPDX-License-Identifier: Apache-2.0
#pragma once
// RaggedCross: all combinations of the features of each row of ragged, sparse and dense inputs, as joined strings or as
// hashes.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/array/places.hpp>
#include <tenon/ops/ragged/splits.hpp>
#include <tenon/ops/sparse/cross.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status UnequalBatches() {
  return errors::InvalidArgument("RaggedCross: inputs must all have the same batch dimension size.");
}
inline Status CrossNeedsRankTwo() {
  return errors::InvalidArgument("RaggedCross: tf.ragged.cross only supports inputs with rank=2.");
}
inline Status RaggedCrossShape(InferenceContext* c) {
  SlimVector<DataType> values, splits, dense;
  std::int64_t sparse = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("ragged_values_types", &values));
  TENON_RETURN_IF_ERROR(c->GetAttr("ragged_splits_types", &splits));
  TENON_RETURN_IF_ERROR(c->GetAttr("dense_types", &dense));
  TENON_RETURN_IF_ERROR(c->GetAttr("Nsparse", &sparse));
  if (values.size() != splits.size())
    return errors::InvalidArgument("Parameters `values` and `row_splits` must be the same length, got ", values.size(),
                                   " and ", splits.size());
  ShapeHandle out = c->UnknownShapeOfRank(1);
  const int ragged = static_cast<int>(values.size());
  for (int i = 0; i < ragged; ++i)
    if (!c->Merge(out, c->input(ragged + i), &out).ok()) return UnequalBatches();
  const int first_dense = c->num_inputs() - static_cast<int>(dense.size());
  for (int i = first_dense; i < c->num_inputs(); ++i) {
    ShapeHandle matrix;
    if (!c->WithRank(c->input(i), 2, &matrix).ok()) return CrossNeedsRankTwo();
    const DimensionHandle batch = c->Dim(matrix, 0);
    if (c->ValueKnown(batch) && !c->Merge(out, c->Vector(c->Value(batch) + 1), &out).ok()) return UnequalBatches();
  }
  c->set_output(0, c->UnknownShapeOfRank(1));
  c->set_output(1, out);
  return OkStatus();
}

// One input's features, row by row.
class RaggedFeatures {
 public:
  explicit RaggedFeatures(const Tensor& dense) : values_(&dense), columns_(dense.dim_size(1)) {}
  RaggedFeatures(const Tensor& values, const Tensor& splits) : values_(&values), splits_(&splits) {}
  // Elements of a sparse tensor belong to the first row whose number is not below theirs, and never to one before the
  // element before.
  RaggedFeatures(const Tensor& indices, const Tensor& values, Index batch) : values_(&values) {
    const std::int64_t* const rows = indices.data<std::int64_t>();
    const Index n = values.NumElements(), width = indices.dim_size(1);
    starts_.reserve(static_cast<std::size_t>(batch + 1));
    starts_.push_back(0);
    Index i = 0;
    for (Index row = 0; row < batch; ++row) {
      while (i < n && rows[i * width] <= row) ++i;
      starts_.push_back(i);
    }
  }
  Index Start(Index row) const {
    if (splits_ != nullptr) return Splits(*splits_)[row];
    return starts_.empty() ? row * columns_ : starts_[static_cast<std::size_t>(row)];
  }
  Index Count(Index row) const { return Start(row + 1) - Start(row); }

  std::uint64_t Hash(Index at) const {
    if (values_->dtype() == DataType::kString) return Fingerprint64(values_->data<tstring>()[at].view());
    return static_cast<std::uint64_t>(values_->data<std::int64_t>()[at]);
  }
  void AppendTo(std::string* text, Index at) const {
    if (values_->dtype() == DataType::kString)
      text->append(values_->data<tstring>()[at].view());
    else
      StrAppend(text, values_->data<std::int64_t>()[at]);
  }

 private:
  const Tensor* values_;
  const Tensor* splits_ = nullptr;  // the row splits of a ragged tensor
  SlimVector<Index> starts_;  // where rows of a sparse tensor begin and end
  Index columns_ = 0;  // the row size of a dense tensor
};

// The lists of inputs.
struct RaggedCrossInputs {
  std::span<const Tensor> values, splits, indices, sparse_values, shapes, dense;

  Index Batch() const {
    if (!splits.empty()) return splits[0].NumElements() - 1;
    if (!dense.empty()) return dense[0].dim_size(0);
    return shapes.empty() ? 0 : shapes[0].data<std::int64_t>()[0];
  }
};

inline Status CheckRaggedCross(const RaggedCrossInputs& in) {
  for (std::size_t i = 0; i < in.values.size(); ++i) {
    if (in.values[i].dims() != 1 || in.splits[i].dims() != 1) return CrossNeedsRankTwo();
    TENON_RETURN_IF_ERROR(CheckSplits(Splits(in.splits[i]), in.values[i].NumElements()));
  }
  for (std::size_t i = 0; i < in.indices.size(); ++i) {
    if (in.indices[i].dims() != 2 || in.sparse_values[i].dims() != 1 || in.shapes[i].dims() != 1)
      return errors::InvalidArgument("RaggedCross: Invalid SparseTensor ", i);
    if (in.shapes[i].NumElements() != 2) return CrossNeedsRankTwo();
    if (in.indices[i].dim_size(0) != in.sparse_values[i].NumElements() || in.indices[i].dim_size(1) == 0)
      return errors::InvalidArgument("RaggedCross: Invalid SparseTensor ", i, ": indices of shape ",
                                     in.indices[i].shape(), " for ", in.sparse_values[i].NumElements(), " values");
  }
  for (const Tensor& dense : in.dense)
    if (dense.dims() != 2) return CrossNeedsRankTwo();
  const Index batch = in.Batch();
  bool equal = true;
  for (const Tensor& splits : in.splits) equal = equal && splits.NumElements() - 1 == batch;
  for (const Tensor& shape : in.shapes) equal = equal && shape.data<std::int64_t>()[0] == batch;
  for (const Tensor& dense : in.dense) equal = equal && dense.dim_size(0) == batch;
  if (!equal) return UnequalBatches();
  if (batch < 0 || batch == std::numeric_limits<Index>::max())
    return errors::InvalidArgument("RaggedCross: there cannot be ", batch, " rows");
  return OkStatus();
}

// The inputs in the order of the letters R, S and D.
inline Status OrderFeatures(const RaggedCrossInputs& in, std::string_view order, Index batch,
                            SlimVector<RaggedFeatures>* features) {
  std::size_t ragged = 0, sparse = 0, dense = 0;
  for (const char letter : order) {
    if (letter == 'R' && ragged < in.values.size()) {
      features->emplace_back(in.values[ragged], in.splits[ragged]);
      ++ragged;
    } else if (letter == 'S' && sparse < in.indices.size()) {
      features->emplace_back(in.indices[sparse], in.sparse_values[sparse], batch);
      ++sparse;
    } else if (letter == 'D' && dense < in.dense.size()) {
      features->emplace_back(in.dense[dense++]);
    } else if (letter == 'R' || letter == 'S' || letter == 'D') {
      return errors::InvalidArgument("RaggedCross: input_order \"", order, "\" specifies more tensors of kind '",
                                     letter, "' than there are");
    } else {
      return errors::InvalidArgument("RaggedCross: Unexpected input_order value '", letter, "' in \"", order, "\"");
    }
  }
  return OkStatus();
}

// The combinations of one row, the last input's features fastest, into out[at...].
inline void CrossRow(const SlimVector<RaggedFeatures>& features, Index row, Index count, std::int64_t num_buckets,
                     std::uint64_t hash_key, Tensor* out, Index at) {
  const auto buckets = num_buckets > 0 ? static_cast<std::uint64_t>(num_buckets)
                                       : std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  SlimVector<Index> choice(features.size(), 0);
  for (Index n = 0; n < count; ++n, ++at) {
    if (out->dtype() == DataType::kString) {
      std::string text;
      for (std::size_t i = 0; i < features.size(); ++i) {
        if (i > 0) text.append("_X_");
        features[i].AppendTo(&text, features[i].Start(row) + choice[i]);
      }
      out->data<tstring>()[at].assign(text);
    } else {
      std::uint64_t hash = hash_key;
      for (std::size_t i = 0; i < features.size(); ++i)
        hash = FingerprintOfTwo(hash, features[i].Hash(features[i].Start(row) + choice[i]));
      out->data<std::int64_t>()[at] = static_cast<std::int64_t>(hash % buckets);
    }
    for (std::size_t i = features.size(); i-- > 0;) {
      if (++choice[i] < features[i].Count(row)) break;
      choice[i] = 0;
    }
  }
}

inline Index CrossesOfRow(const SlimVector<RaggedFeatures>& features, Index row) {
  Index crosses = 1;
  for (const RaggedFeatures& one : features) {
    const Index count = one.Count(row);
    if (count == 0) return 0;
    if (crosses >= 0) crosses = MultiplyWithoutOverflow(crosses, count);
  }
  return crosses;
}

inline Status RunRaggedCross(OpKernelContext& context, const RaggedCrossInputs& in, std::string_view order,
                             std::int64_t num_buckets, std::int64_t hash_key) {
  TENON_RETURN_IF_ERROR(CheckRaggedCross(in));
  const Index batch = in.Batch();
  Tensor *values = nullptr, *splits = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({batch + 1}), &splits));
  SlimVector<RaggedFeatures> features;
  TENON_RETURN_IF_ERROR(OrderFeatures(in, order, batch, &features));
  const Index most = splits->dtype() == DataType::kInt32 ? Index{std::numeric_limits<std::int32_t>::max()}
                                                         : std::numeric_limits<Index>::max();
  Index total = 0;
  StoreIndex(splits, 0, 0);
  for (Index row = 0; row < batch; ++row) {
    const Index crosses = CrossesOfRow(features, row);
    if (crosses < 0 || crosses > most - total)
      return errors::InvalidArgument("RaggedCross: the crosses up to row ", row, " are more than ", most,
                                     ", which row splits can count");
    total += crosses;
    StoreIndex(splits, row + 1, total);
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({total}), &values));
  for (Index row = 0; row < batch; ++row) {
    const Index at = Splits(*splits)[row];
    CrossRow(features, row, Splits(*splits)[row + 1] - at, num_buckets, static_cast<std::uint64_t>(hash_key), values,
             at);
  }
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// input_order: a letter for each input, R (ragged), S (sparse) or D (dense).
struct RaggedCross {
  static constexpr auto signature = Op("RaggedCross")
                                        .Input("ragged_values: ragged_values_types")
                                        .Input("ragged_row_splits: ragged_splits_types")
                                        .Input("sparse_indices: Nsparse * int64")
                                        .Input("sparse_values: sparse_values_types")
                                        .Input("sparse_shape: Nsparse * int64")
                                        .Input("dense_inputs: dense_types")
                                        .Output("output_values: out_values_type")
                                        .Output("output_row_splits: out_row_splits_type")
                                        .Attr("Nsparse: int >= 0")
                                        .Attr("input_order: string")
                                        .Attr("hashed_output: bool")
                                        .Attr("num_buckets: int >= 0")
                                        .Attr("hash_key: int")
                                        .Attr("ragged_values_types: list({int64, string}) >= 0")
                                        .Attr("ragged_splits_types: list({int32, int64}) >= 0")
                                        .Attr("sparse_values_types: list({int64, string}) >= 0")
                                        .Attr("dense_types: list({int64, string}) >= 0")
                                        .Attr("out_values_type: {int64, string}")
                                        .Attr("out_row_splits_type: {int32, int64}")
                                        .SetShapeFn(detail::RaggedCrossShape);

  struct Attrs {
    std::string_view input_order;
    std::int64_t num_buckets;
    std::int64_t hash_key;
  };
  static constexpr std::string_view unused[] = {"hashed_output"};  // out_values_type says it
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, std::span<const Tensor> values, std::span<const Tensor> splits,
                      std::span<const Tensor> indices, std::span<const Tensor> sparse_values,
                      std::span<const Tensor> shapes, std::span<const Tensor> dense, Tensor&, Tensor&) const {
      if (values.size() != splits.size() || indices.size() != sparse_values.size() ||
          values.size() + indices.size() + dense.size() != this->input_order.size())
        return errors::InvalidArgument("RaggedCross: Invalid length for input_order \"", this->input_order, "\"");
      return detail::RunRaggedCross(context.op(), {values, splits, indices, sparse_values, shapes, dense},
                                    this->input_order, this->num_buckets, this->hash_key);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
