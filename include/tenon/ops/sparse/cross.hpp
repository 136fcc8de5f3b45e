// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseCross, SparseCrossV2, SparseCrossHashed: all combinations of the features of each row of a batch, as joined
// strings or as hashes of hashes.

#include <algorithm>
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
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SparseCrossShape(InferenceContext* c) {
  c->set_output(0, c->Matrix(c->UnknownDim(), 2));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(2));
  return OkStatus();
}

// The lists of inputs.
struct CrossInputs {
  std::span<const Tensor> indices, values, shapes, dense;

  // Rows of the batch; the inputs must have been checked.
  Index batch() const {
    if (!shapes.empty()) return shapes[0].data<std::int64_t>()[0];
    return dense.empty() ? 0 : dense[0].dim_size(0);
  }
};

inline Status CheckCrossInputs(std::string_view op, const CrossInputs& in, bool refuse_integers) {
  const auto wrong_type = [&](const Tensor& t) { return refuse_integers && t.dtype() == DataType::kInt64; };
  for (std::size_t i = 0; i < in.indices.size(); ++i) {
    if (in.indices[i].dims() != 2)
      return errors::InvalidArgument(op, ": Input indices should be a matrix but received shape ",
                                     in.indices[i].shape(), " at position ", i);
    if (in.indices[i].dim_size(1) != 2)
      return errors::InvalidArgument(op, ": Expected D2 of index to be 2 got ", in.indices[i].dim_size(1),
                                     " at position ", i);
  }
  if (in.values.size() != in.indices.size())
    return errors::InvalidArgument(op, ": Expected ", in.indices.size(), " input values, got ", in.values.size());
  for (std::size_t i = 0; i < in.values.size(); ++i) {
    if (wrong_type(in.values[i]))
      return errors::InvalidArgument(op, ": Input values should be of internal type string but received int64 at ",
                                     "position ", i);
    if (in.values[i].dims() != 1)
      return errors::InvalidArgument(op, ": Input values should be a vector but received shape ", in.values[i].shape(),
                                     " at position ", i);
    if (in.indices[i].dim_size(0) != in.values[i].dim_size(0))
      return errors::InvalidArgument(op, ": Expected size of values to be ", in.indices[i].dim_size(0), " got ",
                                     in.values[i].dim_size(0), " at position ", i);
  }
  for (std::size_t i = 0; i < in.shapes.size(); ++i) {
    if (in.shapes[i].dims() != 1)
      return errors::InvalidArgument(op, ": Input shapes should be a vector but received shape ", in.shapes[i].shape(),
                                     " at position ", i);
    if (in.shapes[i].NumElements() != 2)
      return errors::InvalidArgument(op, ": shape should imply a 2D tensor, but got ", in.shapes[i].shape(),
                                     " at position ", i);
  }
  for (std::size_t i = 0; i < in.dense.size(); ++i) {
    if (wrong_type(in.dense[i]))
      return errors::InvalidArgument(op, ": Dense inputs should be of internal type string but received int64 at ",
                                     "position ", i);
    if (in.dense[i].dims() != 2)
      return errors::InvalidArgument(op, ": Dense inputs should be a matrix but received shape ", in.dense[i].shape(),
                                     " at position ", i);
  }
  const Index batch = in.batch();
  if (batch < 0) return errors::InvalidArgument(op, ": batch size must not be negative, got ", batch);
  for (std::size_t i = 0; i < in.shapes.size(); ++i)
    if (in.shapes[i].data<std::int64_t>()[0] != batch)
      return errors::InvalidArgument(op, ": Expected batch size ", batch, " got ", in.shapes[i].data<std::int64_t>()[0],
                                     " at position ", i);
  for (std::size_t i = 0; i < in.dense.size(); ++i)
    if (in.dense[i].dim_size(0) != batch)
      return errors::InvalidArgument(op, ": Expected batch size ", batch, " got ", in.dense[i].dim_size(0),
                                     " at dense tensor ", i);
  return OkStatus();
}

// One input's features of one row of the batch after the other.
class CrossColumn {
 public:
  explicit CrossColumn(const Tensor& dense) : values_(&dense), count_(dense.dim_size(1)) {}
  // Rows of indices count as long as their first numbers ascend from 0 and are below `batch`.
  CrossColumn(const Tensor& indices, const Tensor& values, Index batch)
      : values_(&values), rows_(indices.data<std::int64_t>()), sparse_(true) {
    Index last = 0;
    while (end_ < indices.dim_size(0) && rows_[2 * end_] >= last && rows_[2 * end_] < batch) last = rows_[2 * end_++];
  }
  bool sparse() const { return sparse_; }
  // To row b of the batch; they must ascend.
  void MoveTo(Index b) {
    if (!sparse()) {
      first_ = b * count_;
      return;
    }
    first_ += count_;
    while (first_ < end_ && rows_[2 * first_] < b) ++first_;
    count_ = 0;
    while (first_ + count_ < end_ && rows_[2 * (first_ + count_)] == b) ++count_;
  }
  void Rewind() {
    first_ = 0;
    if (sparse()) count_ = 0;
  }
  // The next row of the batch, after row b (-1: from the start), that has features; `batch` when there is none.
  Index NextRow(Index b, Index batch) const {
    if (!sparse()) return count_ > 0 ? b + 1 : batch;
    const Index next = first_ + count_;
    return next < end_ ? rows_[2 * next] : batch;
  }
  Index count() const { return count_; }
  const Tensor& values() const { return *values_; }
  Index At(Index n) const { return first_ + n; }

 private:
  const Tensor* values_;
  const std::int64_t* rows_ = nullptr;  // indices of a sparse column, [n, 2]; may be null when n is 0
  bool sparse_ = false;
  Index end_ = 0, first_ = 0, count_ = 0;
};

// How one cross is made.
struct CrossRule {
  enum Kind { kText, kHash, kKeyedHash };
  Kind kind = kText;
  std::string_view separator = "_X_";
  std::int64_t num_buckets = 0;  // 0: hashes modulo the largest int64
  std::uint64_t hash_key = 0;    // kHash
  bool strong = false;           // kKeyedHash: with the salt as key
  std::uint64_t salt[2] = {};
};

// One hash of two; the order matters.
inline std::uint64_t FingerprintOfTwo(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  const auto mix = [](std::uint64_t x) { return x ^ (x >> 47); };
  const std::uint64_t result = ((a ^ kMultiplier) ^ (mix(b * kMultiplier) * kMultiplier)) * kMultiplier;
  return mix(mix(result) * kMultiplier);
}

inline std::uint64_t FeatureHash(const CrossRule& rule, const CrossColumn& column, Index n) {
  const Tensor& values = column.values();
  if (values.dtype() == DataType::kString) {
    const std::string_view text = values.data<tstring>()[column.At(n)];
    return rule.strong ? SipHash(rule.salt[0], rule.salt[1], text) : Fingerprint64(text);
  }
  const std::int64_t number = values.data<std::int64_t>()[column.At(n)];
  const auto bits = static_cast<std::uint64_t>(number);
  if (rule.kind == CrossRule::kHash || (!rule.strong && !column.sparse())) return bits;
  // TensorFlow hashes as many bytes of the number as its own dtype enumeration has.
  const std::string_view bytes(reinterpret_cast<const char*>(&number), 4);
  return rule.strong ? SipHash(rule.salt[0], rule.salt[1], bytes) : Fingerprint64(bytes);
}

// `choice`: which feature of each column.
inline std::int64_t HashOfCross(const CrossRule& rule, const SlimVector<CrossColumn>& columns,
                                const SlimVector<Index>& choice) {
  std::uint64_t hash = rule.hash_key;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t own = FeatureHash(rule, columns[i], choice[i]);
    hash = i == 0 && rule.kind == CrossRule::kKeyedHash ? own : FingerprintOfTwo(hash, own);
  }
  const auto buckets = rule.num_buckets > 0 ? static_cast<std::uint64_t>(rule.num_buckets)
                                            : std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return static_cast<std::int64_t>(hash % buckets);
}
inline std::string TextOfCross(const CrossRule& rule, const SlimVector<CrossColumn>& columns,
                               const SlimVector<Index>& choice) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Tensor& values = columns[i].values();
    const Index at = columns[i].At(choice[i]);
    if (i > 0) text.append(rule.separator);
    if (values.dtype() == DataType::kString)
      text.append(std::string_view(values.data<tstring>()[at]));
    else
      StrAppend(&text, values.data<std::int64_t>()[at]);
  }
  return text;
}

// Moves all columns to the next row of the batch after b that may have crosses; `batch` when there is none.
inline Index NextCrossRow(SlimVector<CrossColumn>* columns, Index b, Index batch) {
  Index next = b + 1;
  for (const CrossColumn& column : *columns) next = std::max(next, column.NextRow(b, batch));
  if (next < batch)
    for (CrossColumn& column : *columns) column.MoveTo(next);
  return next;
}

inline Status RunSparseCross(OpKernelContext& context, const CrossInputs& in, const CrossRule& rule) {
  const std::string_view op = context.op_kernel().def().op;
  const Index batch = in.batch();
  SlimVector<CrossColumn> columns;
  for (std::size_t i = 0; i < in.values.size(); ++i) columns.emplace_back(in.indices[i], in.values[i], batch);
  for (const Tensor& dense : in.dense) columns.emplace_back(dense);
  Index total = 0, most = 0;
  for (Index b = NextCrossRow(&columns, -1, batch); b < batch; b = NextCrossRow(&columns, b, batch)) {
    Index crosses = 1;
    for (const CrossColumn& column : columns) crosses = MultiplyWithoutOverflow(crosses, column.count());
    if (crosses < 0 || !AddFits(total, crosses, &total))
      return errors::InvalidArgument(op, ": row ", b, " of the batch has more crosses than 63 bits can count");
    most = std::max(most, crosses);
  }
  Tensor *indices = nullptr, *values = nullptr;
  const Index sizes[] = {total, 2};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(op, sizes, 2, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({total}), &values));
  const std::int64_t dense_shape[] = {batch, most};
  TENON_RETURN_IF_ERROR(SetVector(context, 2, dense_shape, 2));
  for (CrossColumn& column : columns) column.Rewind();
  SlimVector<Index> choice(columns.size(), 0);
  Index at = 0;
  for (Index b = NextCrossRow(&columns, -1, batch); b < batch; b = NextCrossRow(&columns, b, batch)) {
    Index crosses = 1;
    for (const CrossColumn& column : columns) crosses *= column.count();
    for (Index n = 0; n < crosses; ++n, ++at) {  // the last column's features change fastest
      Index left = n;
      for (std::size_t i = columns.size(); i-- > 0; left /= columns[i].count()) choice[i] = left % columns[i].count();
      indices->data<std::int64_t>()[2 * at] = b;
      indices->data<std::int64_t>()[2 * at + 1] = n;
      if (rule.kind == CrossRule::kText)
        values->data<tstring>()[at] = tstring(TextOfCross(rule, columns, choice));
      else
        values->data<std::int64_t>()[at] = HashOfCross(rule, columns, choice);
    }
  }
  return OkStatus();
}

}  // namespace detail

// Strings joined by "_X_", or (out_type int64) hashes beginning with hash_key.
struct SparseCross {
  static constexpr auto signature = Op("SparseCross")
                                        .Input("indices: N * int64")
                                        .Input("values: sparse_types")
                                        .Input("shapes: N * int64")
                                        .Input("dense_inputs: dense_types")
                                        .Output("output_indices: int64")
                                        .Output("output_values: out_type")
                                        .Output("output_shape: int64")
                                        .Attr("N: int >= 0")
                                        .Attr("hashed_output: bool")
                                        .Attr("num_buckets: int >= 0")
                                        .Attr("hash_key: int")
                                        .Attr("sparse_types: list({int64, string}) >= 0")
                                        .Attr("dense_types: list({int64, string}) >= 0")
                                        .Attr("out_type: {int64, string}")
                                        .Attr("internal_type: {int64, string}")
                                        .SetShapeFn(detail::SparseCrossShape);

  struct Attrs {
    std::int64_t num_buckets;
    std::int64_t hash_key;
    DataType internal_type;
  };
  static constexpr std::string_view unused[] = {"hashed_output"};  // out_type says it
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, std::span<const Tensor> indices, std::span<const Tensor> values,
                      std::span<const Tensor> shapes, std::span<const Tensor> dense, Tensor&, Tensor&, Tensor&) const {
      const detail::CrossInputs in{indices, values, shapes, dense};
      TENON_RETURN_IF_ERROR(detail::CheckCrossInputs("SparseCross", in, this->internal_type == DataType::kString));
      detail::CrossRule rule;
      if (context.op().expected_output_dtype(1) == DataType::kInt64) rule.kind = detail::CrossRule::kHash;
      rule.num_buckets = this->num_buckets;
      rule.hash_key = static_cast<std::uint64_t>(this->hash_key);
      return detail::RunSparseCross(context.op(), in, rule);
    }
  };
};

// Strings joined by sep.
struct SparseCrossV2 {
  static constexpr auto signature = Op("SparseCrossV2")
                                        .Input("indices: N * int64")
                                        .Input("values: sparse_types")
                                        .Input("shapes: N * int64")
                                        .Input("dense_inputs: dense_types")
                                        .Input("sep: string")
                                        .Output("output_indices: int64")
                                        .Output("output_values: string")
                                        .Output("output_shape: int64")
                                        .Attr("N: int >= 0")
                                        .Attr("sparse_types: list({int64, string}) >= 0")
                                        .Attr("dense_types: list({int64, string}) >= 0")
                                        .SetShapeFn(detail::SparseCrossShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, std::span<const Tensor> indices, std::span<const Tensor> values,
                      std::span<const Tensor> shapes, std::span<const Tensor> dense, In<tstring> sep, Tensor&, Tensor&,
                      Tensor&) const {
      const detail::CrossInputs in{indices, values, shapes, dense};
      TENON_RETURN_IF_ERROR(detail::CheckCrossInputs("SparseCrossV2", in, false));
      if (sep.shape().dims() != 0)
        return errors::InvalidArgument("SparseCrossV2: Input separator should be a scalar. Received: ", sep.shape());
      detail::CrossRule rule;
      rule.separator = sep[0];
      return detail::RunSparseCross(context.op(), in, rule);
    }
  };
};

// Hashes, with a key where strong_hash says so. num_buckets 0: as many as there are numbers.
struct SparseCrossHashed {
  static constexpr auto signature = Op("SparseCrossHashed")
                                        .Input("indices: N * int64")
                                        .Input("values: sparse_types")
                                        .Input("shapes: N * int64")
                                        .Input("dense_inputs: dense_types")
                                        .Input("num_buckets: int64")
                                        .Input("strong_hash: bool")
                                        .Input("salt: int64")
                                        .Output("output_indices: int64")
                                        .Output("output_values: int64")
                                        .Output("output_shape: int64")
                                        .Attr("N: int >= 0")
                                        .Attr("sparse_types: list({int64, string}) >= 0")
                                        .Attr("dense_types: list({int64, string}) >= 0")
                                        .SetShapeFn(detail::SparseCrossShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, std::span<const Tensor> indices, std::span<const Tensor> values,
                      std::span<const Tensor> shapes, std::span<const Tensor> dense, In<std::int64_t> num_buckets,
                      In<bool> strong_hash, In<std::int64_t> salt, Tensor&, Tensor&, Tensor&) const {
      const detail::CrossInputs in{indices, values, shapes, dense};
      TENON_RETURN_IF_ERROR(detail::CheckCrossInputs("SparseCrossHashed", in, false));
      if (num_buckets.size() != 1 || strong_hash.size() != 1)
        return errors::InvalidArgument("SparseCrossHashed: num_buckets and strong_hash must be scalars, got shapes ",
                                       num_buckets.shape(), " and ", strong_hash.shape());
      if (salt.size() != 2)
        return errors::InvalidArgument("SparseCrossHashed: Input \"salt\" must have length 2 but has length ",
                                       salt.size());
      detail::CrossRule rule;
      rule.kind = detail::CrossRule::kKeyedHash;
      rule.num_buckets = num_buckets[0];
      rule.strong = strong_hash[0];
      for (int i = 0; i < 2; ++i) rule.salt[i] = static_cast<std::uint64_t>(salt[i]);
      return detail::RunSparseCross(context.op(), in, rule);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
