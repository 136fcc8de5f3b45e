// SPDX-License-Identifier: Apache-2.0
#pragma once
// SdcaOptimizer, SdcaOptimizerV2: stochastic dual coordinate ascent for linear models. Each run takes one step for each
// example of a batch.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/argument_lists.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/context_access.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/unigram_weights.hpp>
#include <tenon/ops/training/sdca.hpp>
#include <tenon/ops/training/sdca_loss.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status SdcaShape(InferenceContext* c) {
  SlimVector<ShapeHandle> sparse, dense;
  TENON_RETURN_IF_ERROR(c->input("sparse_weights", &sparse));
  TENON_RETURN_IF_ERROR(c->set_output("out_delta_sparse_weights", sparse));
  TENON_RETURN_IF_ERROR(c->input("dense_weights", &dense));
  TENON_RETURN_IF_ERROR(c->set_output("out_delta_dense_weights", dense));
  c->set_output(0, c->Matrix(c->UnknownDim(), c->MakeDim(4)));
  return OkStatus();
}

// One group of sparse features: the elements of example e are [first[e], first[e + 1]).
struct SdcaSparseGroup {
  SlimVector<Index> first;
  SlimVector<Index> column;  // the place of each element's weight
  const float* value = nullptr;  // null: 1 for each element
  const float* weight = nullptr;
  float* delta = nullptr;

  double ValueOf(Index i) const { return value == nullptr ? 1.0 : static_cast<double>(value[i]); }
};
// One group of dense features: [examples, width].
struct SdcaDenseGroup {
  const float* value = nullptr;
  Index width = 0;
  const float* weight = nullptr;
  float* delta = nullptr;
};

// The batch of one run.
struct SdcaBatch {
  Index count = 0;
  const float* weights = nullptr;
  const float* labels = nullptr;
  SlimVector<SdcaSparseGroup> sparse;
  SlimVector<SdcaDenseGroup> dense;
  double l2 = 0, shrinkage = 0;
  double partitions = 1;

  double Shrunk(double w) const {
    const double left = std::fabs(w) - shrinkage;
    return left > 0 ? std::copysign(left, w) : 0.0;
  }
  // The prediction for an example before the run and now, and its squared norm.
  void Predict(Index e, double* before, double* now, double* norm) const {
    *before = *now = *norm = 0;
    for (const SdcaSparseGroup& group : sparse)
      for (Index i = group.first[static_cast<std::size_t>(e)]; i < group.first[static_cast<std::size_t>(e) + 1]; ++i) {
        const Index at = group.column[static_cast<std::size_t>(i)];
        const auto w = static_cast<double>(group.weight[at]), d = static_cast<double>(group.delta[at]);
        const double x = group.ValueOf(i);
        *before += x * Shrunk(w);
        *now += x * Shrunk(w + d * partitions);
        *norm += x * x;
      }
    for (const SdcaDenseGroup& group : dense) {
      const float* const x = group.value + e * group.width;
      float old_sum = 0, sum = 0, squares = 0;
      for (Index i = 0; i < group.width; ++i) {
        const float w = group.weight[i], changed = w + group.delta[i] * static_cast<float>(partitions);
        old_sum += x[i] * static_cast<float>(Shrunk(static_cast<double>(w)));
        sum += x[i] * static_cast<float>(Shrunk(static_cast<double>(changed)));
        squares += x[i] * x[i];
      }
      *before += static_cast<double>(old_sum);
      *now += static_cast<double>(sum);
      *norm += static_cast<double>(squares);
    }
  }
  void AddToWeights(Index e, double step) const {
    for (const SdcaSparseGroup& group : sparse)
      for (Index i = group.first[static_cast<std::size_t>(e)]; i < group.first[static_cast<std::size_t>(e) + 1]; ++i) {
        float& delta = group.delta[group.column[static_cast<std::size_t>(i)]];
        delta = static_cast<float>(static_cast<double>(delta) + group.ValueOf(i) * step);
      }
    for (const SdcaDenseGroup& group : dense)
      for (Index i = 0; i < group.width; ++i)
        group.delta[i] += group.value[e * group.width + i] * static_cast<float>(step);
  }
};

class SdcaKernel : public OpKernel {
 public:
  SdcaKernel(OpKernelConstruction* c, std::string_view adaptive) : OpKernel(c), loss_(LossOf(*c)) {
    c->SetStatus(c->GetAttr(adaptive, &adaptive_));
    c->SetStatus(c->GetAttr("l1", &l1_));
    c->SetStatus(c->GetAttr("l2", &l2_));
    c->SetStatus(c->GetAttr("num_loss_partitions", &partitions_));
    std::int64_t sparse = 0, dense = 0, valued = 0;
    c->SetStatus(c->GetAttr("num_sparse_features", &sparse));
    c->SetStatus(c->GetAttr("num_dense_features", &dense));
    c->SetStatus(c->GetAttr("num_sparse_features_with_values", &valued));
    if (c->status().ok() && sparse == 0 && dense == 0)
      c->SetStatus(errors::InvalidArgument("Requires at least one feature to train."));
    if (c->status().ok() && valued > sparse)
      c->SetStatus(errors::InvalidArgument("num_sparse_features_with_values is ", valued, ", of ", sparse,
                                           " groups of sparse features"));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  static SdcaLoss LossOf(OpKernelConstruction& c) {
    std::string_view type;
    c.SetStatus(c.GetAttr("loss_type", &type));
    return SdcaLoss(type);
  }

  TENON_DETAIL_RARE Status Run(OpKernelContext& context) const {
    SdcaBatch batch;
    batch.l2 = static_cast<double>(l2_);
    batch.shrinkage = static_cast<double>(l1_) / static_cast<double>(l2_);
    batch.partitions = static_cast<double>(partitions_);
    const Tensor *weights = nullptr, *labels = nullptr, *state = nullptr;
    TENON_RETURN_IF_ERROR(context.input("example_weights", &weights));
    TENON_RETURN_IF_ERROR(context.input("example_labels", &labels));
    TENON_RETURN_IF_ERROR(context.input("example_state_data", &state));
    batch.count = weights->NumElements();
    if (batch.count >= std::numeric_limits<std::int32_t>::max())
      return errors::InvalidArgument("Too many examples in a mini-batch: ", batch.count);
    if (labels->NumElements() != batch.count)
      return errors::InvalidArgument("There are ", batch.count, " example_weights, but ", labels->NumElements(),
                                     " example_labels");
    batch.weights = weights->data<float>();
    batch.labels = labels->data<float>();
    TENON_RETURN_IF_ERROR(ReadSparse(context, &batch));
    TENON_RETURN_IF_ERROR(ReadDense(context, &batch));
    const TensorShape expected({batch.count, 4});
    if (state->shape() != expected)
      return errors::InvalidArgument("Expected shape ", expected, " for example_state_data, got ", state->shape());
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, expected, &out));
    std::copy(state->data<float>(), state->data<float>() + state->NumElements(), out->data<float>());
    SlimVector<Index> order;
    TENON_RETURN_IF_ERROR(Order(batch, out->data<float>(), &order));
    for (const Index e : order) TENON_RETURN_IF_ERROR(Step(batch, e, out->data<float>() + 4 * e));
    return OkStatus();
  }

  Status Step(const SdcaBatch& batch, Index e, float* state) const {
    float label = batch.labels[e];
    TENON_RETURN_IF_ERROR(loss_.ConvertLabel(&label));
    double before = 0, now = 0, norm = 0;
    batch.Predict(e, &before, &now, &norm);
    const auto y = static_cast<double>(label), weight = static_cast<double>(batch.weights[e]);
    const auto dual = static_cast<double>(state[0]);
    const double updated = loss_.UpdatedDual(y, dual, now, batch.partitions * (norm / batch.l2) * weight);
    batch.AddToWeights(e, (updated - dual) * weight / batch.l2);
    state[0] = static_cast<float>(updated);
    state[1] = static_cast<float>(loss_.Primal(before, y, weight));
    state[2] = static_cast<float>(loss_.Dual(dual, y, weight));
    state[3] = batch.weights[e];
    return OkStatus();
  }

  // Every example once in a random order; `adaptive`: examples far from their optimum sooner and more often.
  Status Order(const SdcaBatch& batch, const float* state, SlimVector<Index>* order) const {
    constexpr float kRepeat = 0.1f;  // the share of draws of an example that count once it is there
    const auto n = static_cast<std::size_t>(batch.count);
    PhiloxWords words(Philox::FromSeeds(UnpredictableBits(), UnpredictableBits()));
    order->resize(n);
    for (std::size_t i = 0; i < n; ++i) (*order)[i] = static_cast<Index>(i);
    for (std::size_t i = n; i > 1; --i)
      std::swap((*order)[i - 1], (*order)[BelowOf32(&words, static_cast<std::uint32_t>(i))]);
    if (!adaptive_) return OkStatus();
    SlimVector<float> chances(n), kept(n, 1.0f);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto e = static_cast<Index>(i);
      float label = batch.labels[e];
      TENON_RETURN_IF_ERROR(loss_.ConvertLabel(&label));
      double before = 0, now = 0, norm = 0;
      batch.Predict(e, &before, &now, &norm);
      const double gap = static_cast<double>(state[4 * e]) + loss_.PrimalSlope(now, static_cast<double>(label));
      chances[i] = static_cast<float>(static_cast<double>(batch.weights[e]) *
                                      std::sqrt(norm + batch.l2 * loss_.Smoothness()) * std::fabs(gap));
      if (!(chances[i] >= 0)) return OkStatus();
      sum += static_cast<double>(chances[i]);
    }
    if (!(sum > 0) || !(sum < static_cast<double>(std::numeric_limits<float>::max()))) return OkStatus();
    const AliasTable table(chances);
    std::size_t taken = 0;
    SlimVector<Index> drawn;
    for (std::size_t refused = 0; taken < n && refused < n;) {
      const auto e = static_cast<std::size_t>(table.Draw(&words));
      if (tenon::detail::UniformFloat(words.Next()) > kept[e]) {
        ++refused;
        continue;
      }
      kept[e] *= kRepeat;
      drawn.push_back(static_cast<Index>(e));
      ++taken;
    }
    for (std::size_t i = 0; i < n && taken < n; ++i)
      if (kept[static_cast<std::size_t>((*order)[i])] == 1.0f) {
        drawn.push_back((*order)[i]);
        ++taken;
      }
    *order = std::move(drawn);
    return OkStatus();
  }

  static Status ReadSparse(OpKernelContext& context, SdcaBatch* batch) {
    OpInputList examples, features, values, indices, weights;
    OpOutputList deltas;
    TENON_RETURN_IF_ERROR(context.input_list("sparse_example_indices", &examples));
    TENON_RETURN_IF_ERROR(context.input_list("sparse_feature_indices", &features));
    TENON_RETURN_IF_ERROR(context.input_list("sparse_feature_values", &values));
    TENON_RETURN_IF_ERROR(context.input_list("sparse_indices", &indices));
    TENON_RETURN_IF_ERROR(context.input_list("sparse_weights", &weights));
    TENON_RETURN_IF_ERROR(context.output_list("out_delta_sparse_weights", &deltas));
    for (int g = 0; g < examples.size(); ++g) {
      SdcaSparseGroup& group = batch->sparse.emplace_back();
      const Index n = examples[g].NumElements();
      if (features[g].NumElements() != n)
        return errors::InvalidArgument("Found mismatched example_indices and feature_indices [", examples[g].shape(),
                                       "] vs [", features[g].shape(), "]");
      if (g < values.size() && values[g].NumElements() != n)
        return errors::InvalidArgument("Group ", g, " has ", n, " sparse_feature_indices, but ",
                                       values[g].NumElements(), " sparse_feature_values");
      if (indices[g].NumElements() != weights[g].NumElements())
        return errors::InvalidArgument("Group ", g, " has ", indices[g].NumElements(), " sparse_indices, but ",
                                       weights[g].NumElements(), " sparse_weights");
      Tensor* delta = nullptr;
      TENON_RETURN_IF_ERROR(ZeroLike(&deltas, g, weights[g], &delta));
      group.value = g < values.size() ? values[g].data<float>() : nullptr;
      group.weight = weights[g].data<float>();
      group.delta = delta->data<float>();
      FlatMap<std::int64_t, Index> places;
      for (Index i = 0; i < indices[g].NumElements(); ++i) places[indices[g].data<std::int64_t>()[i]] = i;
      TENON_RETURN_IF_ERROR(
          Split(batch->count, n, examples[g].data<std::int64_t>(), features[g].data<std::int64_t>(), places, &group));
    }
    return OkStatus();
  }
  // Elements belong to the examples in order; elements from the first that is out of order on count for nothing.
  static Status Split(Index count, Index n, const std::int64_t* example, const std::int64_t* feature,
                      const FlatMap<std::int64_t, Index>& places, SdcaSparseGroup* group) {
    Index at = 0;
    FlatMap<std::int64_t, Index> seen;  // feature -> example
    group->first.push_back(0);
    for (Index e = 0; e < count; ++e) {
      for (; at < n && example[at] == e; ++at) {
        const auto place = places.find(feature[at]);
        if (place == places.end())
          return errors::InvalidArgument("Found sparse feature indices out of valid range: ", feature[at]);
        const auto known = seen.try_emplace(feature[at], e);
        if (!known.second && known.first->second == e)
          return errors::InvalidArgument("Duplicate index in sparse vector.");
        known.first->second = e;
        group->column.push_back(place->second);
      }
      group->first.push_back(at);
    }
    return OkStatus();
  }

  static Status ReadDense(OpKernelContext& context, SdcaBatch* batch) {
    OpInputList features, weights;
    OpOutputList deltas;
    TENON_RETURN_IF_ERROR(context.input_list("dense_features", &features));
    TENON_RETURN_IF_ERROR(context.input_list("dense_weights", &weights));
    TENON_RETURN_IF_ERROR(context.output_list("out_delta_dense_weights", &deltas));
    for (int g = 0; g < features.size(); ++g) {
      SdcaDenseGroup& group = batch->dense.emplace_back();
      if (features[g].dims() != 2 || features[g].dim_size(0) != batch->count)
        return errors::InvalidArgument("dense_features must be a matrix of ", batch->count, " rows, got shape ",
                                       features[g].shape());
      group.width = features[g].dim_size(1);
      if (group.width > weights[g].NumElements())
        return errors::InvalidArgument("More dense features than we have parameters for: ", group.width);
      Tensor* delta = nullptr;
      TENON_RETURN_IF_ERROR(ZeroLike(&deltas, g, weights[g], &delta));
      group.value = features[g].data<float>();
      group.weight = weights[g].data<float>();
      group.delta = delta->data<float>();
    }
    return OkStatus();
  }
  static Status ZeroLike(OpOutputList* outputs, int i, const Tensor& like, Tensor** out) {
    TENON_RETURN_IF_ERROR(outputs->allocate(i, like.shape(), out));
    std::fill((*out)->data<float>(), (*out)->data<float>() + (*out)->NumElements(), 0.0f);
    return OkStatus();
  }

  const SdcaLoss loss_;
  bool adaptive_ = false;
  float l1_ = 0, l2_ = 0;
  std::int64_t partitions_ = 1;
};

// `adaptive`: the attr whose name has changed.
constexpr auto SdcaOp(std::string_view name, std::string_view adaptive) {
  return Op(name)
      .Input("sparse_example_indices: num_sparse_features * int64")
      .Input("sparse_feature_indices: num_sparse_features * int64")
      .Input("sparse_feature_values: num_sparse_features_with_values * float")
      .Input("dense_features: num_dense_features * float")
      .Input("example_weights: float")
      .Input("example_labels: float")
      .Input("sparse_indices: num_sparse_features * int64")
      .Input("sparse_weights: num_sparse_features * float")
      .Input("dense_weights: num_dense_features * float")
      .Input("example_state_data: float")
      .Output("out_example_state_data: float")
      .Output("out_delta_sparse_weights: num_sparse_features * float")
      .Output("out_delta_dense_weights: num_dense_features * float")
      .Attr("loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}")
      .Attr(adaptive)
      .Attr("num_sparse_features: int >= 0")
      .Attr("num_sparse_features_with_values: int >= 0")
      .Attr("num_dense_features: int >= 0")
      .Attr("l1: float")
      .Attr("l2: float")
      .Attr("num_loss_partitions: int >= 1")
      .Attr("num_inner_iterations: int >= 1")
      .SetShapeFn(SdcaShape);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// Changes of the weights, and of each example [its dual variable, primal loss, dual loss, weight].
struct SdcaOptimizer {
  static constexpr auto signature = detail::SdcaOp("SdcaOptimizer", "adaptative: bool = false");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SdcaKernel {
    explicit kernel(OpKernelConstruction* c) : SdcaKernel(c, "adaptative") {}
  };
};

// As SdcaOptimizer.
struct SdcaOptimizerV2 {
  static constexpr auto signature = detail::SdcaOp("SdcaOptimizerV2", "adaptive: bool = false");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SdcaKernel {
    explicit kernel(OpKernelConstruction* c) : SdcaKernel(c, "adaptive") {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
