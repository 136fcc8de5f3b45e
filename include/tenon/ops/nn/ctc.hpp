// SPDX-License-Identifier: Apache-2.0
#pragma once
// CTCLoss, CTCGreedyDecoder: connectionist temporal classification (Graves et al. 2006), sums over all
// alignments of labels and time, and the likeliest label at each time.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

template <class Device, class T>
concept TakesCtc = Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>);

inline Status CtcLossShape(InferenceContext* c) {
  ShapeHandle inputs, indices, values, lengths;
  DimensionHandle unused, batch;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &inputs));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &lengths));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(inputs, 1), c->Dim(lengths, 0), &batch));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(inputs, 1, batch, &inputs));
  c->set_output(0, c->Vector(batch));
  c->set_output(1, inputs);
  return OkStatus();
}
inline Status CtcGreedyShape(InferenceContext* c) {
  ShapeHandle inputs, lengths;
  DimensionHandle batch;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &inputs));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(inputs, 1), c->Dim(lengths, 0), &batch));
  c->set_output(0, c->Matrix(c->UnknownDim(), 2));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(2));
  c->set_output(3, c->Matrix(batch, 1));
  return OkStatus();
}

// log(exp(a) + exp(b)); both may be minus infinity. The difference counts as a float, for doubles too, as in
// TensorFlow.
template <class T>
T LogSum(T a, T b) {
  if (a == -std::numeric_limits<T>::infinity()) return b;
  if (b == -std::numeric_limits<T>::infinity()) return a;
  const T most = a > b ? a : b, least = a > b ? b : a;
  return most + static_cast<T>(std::log1p(std::exp(static_cast<float>(least - most))));
}

struct CtcRules {
  bool collapse_repeated = false;  // labels, before anything else
  bool merge_repeated = true;      // equal labels at consecutive times are one
  bool ignore_longer = false;      // labels that do not fit into the time have no loss
  Index blank = 0;
};

// One example: y: [time, classes] the classes' probabilities; l: the labels with a blank around each.
template <class T>
class CtcLattice {
 public:
  CtcLattice(const SlimVector<std::int32_t>& labels, const CtcRules& rules) : rules_(rules) {
    l_.push_back(static_cast<std::int32_t>(rules.blank));
    for (const std::int32_t label : labels) {
      l_.push_back(label);
      l_.push_back(static_cast<std::int32_t>(rules.blank));
    }
  }

  // The loss, and y less the share of each class in all alignments.
  T Run(const T* y, Index time, Index classes, T* gradient, Index gradient_step) {
    const Index states = static_cast<Index>(l_.size());
    SlimVector<T> alpha(static_cast<std::size_t>(time * states), kNever), beta = alpha;
    Forward(y, time, classes, alpha.data());
    Backward(y, time, classes, beta.data());
    T total = kNever;
    for (Index u = 0; u < states; ++u) total = LogSum(total, alpha[At(u)] + beta[At(u)]);
    SlimVector<T> share(static_cast<std::size_t>(classes));
    for (Index t = 0; t < time; ++t) {
      std::fill(share.begin(), share.end(), kNever);
      for (Index u = 0; u < states; ++u) {
        T& of = share[static_cast<std::size_t>(l_[At(u)])];
        of = LogSum(of, alpha[At(t * states + u)] + beta[At(t * states + u)]);
      }
      for (Index k = 0; k < classes; ++k)
        gradient[t * gradient_step + k] =
            y[t * classes + k] - (total == kNever ? T(0) : T(std::exp(static_cast<float>(share[At(k)] - total))));
    }
    return -total;
  }

 private:
  static constexpr T kNever = -std::numeric_limits<T>::infinity();
  static constexpr std::size_t At(Index i) { return static_cast<std::size_t>(i); }

  bool StaysOn(Index u) const { return rules_.merge_repeated || l_[At(u)] == rules_.blank; }
  // From state u to state u + 2, over the blank between.
  bool Skips(Index u) const {
    return l_[At(u + 2)] != rules_.blank && !(rules_.merge_repeated && l_[At(u)] == l_[At(u + 2)]);
  }
  // The states that a path through the whole lattice can be in at that time: [*first, *last).
  void Reachable(Index t, Index time, Index* first, Index* last) const {
    const Index states = static_cast<Index>(l_.size());
    *first = std::max(Index{0}, states - 2 * (time - t));
    *last = std::min(states, 2 * (t + 1));
  }

  void Forward(const T* y, Index time, Index classes, T* alpha) const {
    const Index states = static_cast<Index>(l_.size());
    alpha[0] = std::log(y[rules_.blank]);
    if (states > 1) alpha[1] = std::log(y[l_[1]]);
    for (Index t = 1; t < time; ++t) {
      const T* const before = alpha + (t - 1) * states;
      Index first = 0, last = 0;
      Reachable(t, time, &first, &last);
      for (Index u = first; u < last; ++u) {
        T sum = StaysOn(u) ? before[u] : kNever;
        if (u > 0) sum = LogSum(sum, before[u - 1]);
        if (u > 1 && Skips(u - 2)) sum = LogSum(sum, before[u - 2]);
        alpha[t * states + u] = std::log(y[t * classes + l_[At(u)]]) + sum;
      }
    }
  }
  void Backward(const T* y, Index time, Index classes, T* beta) const {
    const Index states = static_cast<Index>(l_.size());
    for (Index u = std::max(Index{0}, states - 2); u < states; ++u) beta[(time - 1) * states + u] = 0;
    // TensorFlow counts, for an example without labels, the path that ends one step earlier, too.
    if (states == 1 && time > 1) beta[time - 2] = 0;
    for (Index t = time - 2; t >= 0; --t) {
      const T *const after = beta + (t + 1) * states, *const p = y + (t + 1) * classes;
      const auto from = [&](Index u) { return after[u] + std::log(p[l_[At(u)]]); };
      Index first = 0, last = 0;
      Reachable(t, time, &first, &last);
      for (Index u = first; u < last; ++u) {
        T sum = beta[t * states + u];
        if (StaysOn(u)) sum = LogSum(sum, from(u));
        if (u + 1 < states) sum = LogSum(sum, from(u + 1));
        if (u + 2 < states && Skips(u)) sum = LogSum(sum, from(u + 2));
        beta[t * states + u] = sum;
      }
    }
  }

  CtcRules rules_;
  SlimVector<std::int32_t> l_;
};

// Labels of each example, from the rows of a sparse matrix.
struct CtcLabels {
  SlimVector<SlimVector<std::int32_t>> of;

  Status Read(const Tensor& indices, const Tensor& values, Index batch, Index classes, const CtcRules& rules) {
    of.resize(static_cast<std::size_t>(batch));
    const std::int64_t* const places = indices.data<std::int64_t>();
    for (Index i = 0; i < values.NumElements(); ++i) {
      const std::int64_t b = places[2 * i];
      if (b < 0 || b >= batch)
        return errors::InvalidArgument("labels batch index must be between 0 and ", batch, " but saw: ", b);
      if (i > 0 && b < places[2 * i - 2])
        return errors::InvalidArgument("labels SparseTensor must be ordered by batch, but ", b, " follows ",
                                       places[2 * i - 2]);
      of[static_cast<std::size_t>(b)].push_back(values.data<std::int32_t>()[i]);
    }
    for (Index b = 0; b < batch; ++b)
      if (of[static_cast<std::size_t>(b)].empty()) return errors::InvalidArgument("Labels length is zero in batch ", b);
    for (Index b = 0; b < batch; ++b) TENON_RETURN_IF_ERROR(Clean(b, classes, rules, &of[static_cast<std::size_t>(b)]));
    return OkStatus();
  }

 private:
  // Null labels (the blank, or beyond the classes) at the end are dropped; labels after one are a mistake.
  static Status Clean(Index b, Index classes, const CtcRules& rules, SlimVector<std::int32_t>* labels) {
    const bool blank_last = rules.blank == classes - 1;
    SlimVector<std::int32_t> kept;
    bool ended = false;
    for (const std::int32_t label : *labels) {
      if (label < 0)
        return errors::InvalidArgument("All labels must be nonnegative integers, batch: ", b, " label: ", label);
      const bool null = blank_last ? label >= classes - 1 : label == rules.blank;
      if (!blank_last && label >= classes)
        return errors::InvalidArgument("Label ", label, " is not less than the number of classes, ", classes,
                                       ", batch: ", b);
      if (ended && !null)
        return errors::InvalidArgument(
            "Saw a non-null label (index >= num_classes - 1) following a null label, batch: ", b,
            " num_classes: ", classes, " label: ", label);
      ended = ended || null;
      if (null || (rules.collapse_repeated && !kept.empty() && kept.back() == label)) continue;
      kept.push_back(label);
    }
    labels->swap(kept);
    return OkStatus();
  }
};

// `code`: for lengths that do not fit; the least one that does is `least`.
inline Status CheckCtcInputs(const Tensor& inputs, const Tensor& lengths, Code code, std::int32_t least) {
  if (inputs.dims() != 3) return errors::InvalidArgument("inputs is not a 3-Tensor, its shape is ", inputs.shape());
  if (inputs.NumElements() == 0) return errors::InvalidArgument("inputs must not be empty, got ", inputs.shape());
  if (lengths.dims() != 1)
    return errors::InvalidArgument("sequence_length is not a vector, its shape is ", lengths.shape());
  if (lengths.NumElements() != inputs.dim_size(1))
    return Status(code, StrCat("len(sequence_length) != batch_size.  len(sequence_length):  ", lengths.NumElements(),
                               " batch_size: ", inputs.dim_size(1)));
  for (Index b = 0; b < lengths.NumElements(); ++b)
    if (lengths.data<std::int32_t>()[b] < least || lengths.data<std::int32_t>()[b] > inputs.dim_size(0))
      return Status(code, StrCat("sequence_length(", b, ") <= ", inputs.dim_size(0), " and at least ", least,
                                 " is wanted, got ", lengths.data<std::int32_t>()[b]));
  return OkStatus();
}

template <class T>
Status RunCtcLoss(OpKernelContext& context, CtcRules rules) {
  const Tensor &inputs = context.input(0), &indices = context.input(1), &values = context.input(2),
               &lengths = context.input(3);
  TENON_RETURN_IF_ERROR(CheckCtcInputs(inputs, lengths, Code::kInvalidArgument, 0));
  if (indices.dims() != 2 || indices.dim_size(1) != 2)
    return errors::InvalidArgument("labels_indices is not a matrix of 2 columns, its shape is ", indices.shape());
  if (values.dims() != 1)
    return errors::InvalidArgument("labels_values is not a vector, its shape is ", values.shape());
  if (indices.dim_size(0) != values.NumElements())
    return errors::InvalidArgument("labels_indices and labels_values must contain the same number of rows, but saw ",
                                   indices.shape(), " vs. ", values.shape());
  const Index time = inputs.dim_size(0), batch = inputs.dim_size(1), classes = inputs.dim_size(2);
  if (classes < 1 || classes > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument("num_classes must be at least 1, the shape of inputs is ", inputs.shape());
  rules.blank = classes - 1;
  CtcLabels labels;
  TENON_RETURN_IF_ERROR(labels.Read(indices, values, batch, classes, rules));
  for (Index b = 0; b < batch; ++b) {
    const auto wanted = static_cast<Index>(labels.of[static_cast<std::size_t>(b)].size());
    const Index there = lengths.data<std::int32_t>()[b];
    if (there > 0 && wanted > there && !rules.ignore_longer)
      return errors::InvalidArgument("Not enough time for target transition sequence (required: ", wanted,
                                     ", available: ", there, ") in batch ", b,
                                     ". You can turn this error into a warning by using "
                                     "the flag ignore_longer_outputs_than_inputs");
  }
  Tensor *loss = nullptr, *gradient = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({batch}), &loss));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, inputs.shape(), &gradient));
  std::fill_n(gradient->data<T>(), inputs.NumElements(), T(0));
  const double states =
      2.0 * static_cast<double>(values.NumElements()) / static_cast<double>(std::max(batch, Index{1})) + 1;
  ParallelFor(context.device<Cpu>(), batch, 60 * static_cast<double>(time) * (states + static_cast<double>(classes)),
              [&](Index begin, Index end) {
                for (Index b = begin; b < end; ++b) {
                  const SlimVector<std::int32_t>& own = labels.of[static_cast<std::size_t>(b)];
                  const Index steps = lengths.data<std::int32_t>()[b];
                  loss->data<T>()[b] = 0;
                  if (steps == 0 || static_cast<Index>(own.size()) > steps) continue;
                  SlimVector<T> y(static_cast<std::size_t>(steps * classes));
                  for (Index t = 0; t < steps; ++t) {
                    const T* const x = inputs.data<T>() + (t * batch + b) * classes;
                    T* const p = y.data() + t * classes;
                    const T most = *std::max_element(x, x + classes);
                    T sum = 0;
                    for (Index k = 0; k < classes; ++k) sum += p[k] = std::exp(x[k] - most);
                    for (Index k = 0; k < classes; ++k) p[k] /= sum;
                  }
                  loss->data<T>()[b] =
                      CtcLattice<T>(own, rules)
                          .Run(y.data(), steps, classes, gradient->data<T>() + b * classes, batch * classes);
                }
              });
  return OkStatus();
}

template <class T>
Status RunCtcGreedy(OpKernelContext& context, bool merge_repeated, std::int64_t blank_index) {
  const Tensor &inputs = context.input(0), &lengths = context.input(1);
  TENON_RETURN_IF_ERROR(
      CheckCtcInputs(inputs, lengths, Code::kFailedPrecondition, std::numeric_limits<std::int32_t>::min()));
  const Index batch = inputs.dim_size(1), classes = inputs.dim_size(2);
  if (classes < 1) return errors::InvalidArgument("inputs has no classes, its shape is ", inputs.shape());
  if (blank_index < -classes || blank_index >= classes)
    return errors::InvalidArgument("blank_index expected to be between ", -classes, " and ", classes - 1, " but was ",
                                   blank_index);
  const Index blank = blank_index < 0 ? blank_index + classes : blank_index;
  Tensor* scores = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(3, TensorShape({batch, 1}), &scores));
  SlimVector<std::int64_t> values, counts;
  Index longest = 0;
  for (Index b = 0; b < batch; ++b) {
    Index before = -1;
    T score = 0;
    const std::size_t begin = values.size();
    for (Index t = 0; t < lengths.data<std::int32_t>()[b]; ++t) {
      const T* const x = inputs.data<T>() + (t * batch + b) * classes;
      const Index best = std::max_element(x, x + classes) - x;
      score -= x[best];
      if (best != blank && !(merge_repeated && best == before)) values.push_back(best);
      before = best;
    }
    scores->data<T>()[b] = score;
    counts.push_back(static_cast<std::int64_t>(values.size() - begin));
    longest = std::max(longest, static_cast<Index>(counts.back()));
  }
  Tensor *indices = nullptr, *decoded = nullptr, *shape = nullptr;
  const auto n = static_cast<Index>(values.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, 2}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &decoded));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({2}), &shape));
  std::copy(values.begin(), values.end(), decoded->data<std::int64_t>());
  std::int64_t* place = indices->data<std::int64_t>();
  for (Index b = 0; b < batch; ++b)
    for (Index i = 0; i < counts[static_cast<std::size_t>(b)]; ++i) {
      *place++ = b;
      *place++ = i;
    }
  shape->data<std::int64_t>()[0] = batch;
  shape->data<std::int64_t>()[1] = longest;
  return OkStatus();
}

struct CtcLossAttrs {
  bool preprocess_collapse_repeated, ctc_merge_repeated, ignore_longer_outputs_than_inputs;
};
}  // namespace detail

// inputs: [time, batch, classes] logits, the last class is the blank  ->  loss: [batch], its gradient: as the inputs.
struct CTCLoss {
  static constexpr auto signature = Op("CTCLoss")
                                        .Input("inputs: T")
                                        .Input("labels_indices: int64")
                                        .Input("labels_values: int32")
                                        .Input("sequence_length: int32")
                                        .Output("loss: T")
                                        .Output("gradient: T")
                                        .Attr("preprocess_collapse_repeated: bool = false")
                                        .Attr("ctc_merge_repeated: bool = true")
                                        .Attr("ignore_longer_outputs_than_inputs: bool = false")
                                        .Attr("T: {float, double} = DT_FLOAT")
                                        .SetShapeFn(detail::CtcLossShape);

  using Attrs = detail::CtcLossAttrs;
  template <class Device, class T>
    requires detail::TakesCtc<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T>, const Tensor&, const Tensor&, const Tensor&, Tensor&,
                      Tensor&) const {
      return detail::RunCtcLoss<T>(context.op(), {this->preprocess_collapse_repeated, this->ctc_merge_repeated,
                                                  this->ignore_longer_outputs_than_inputs, 0});
    }
  };
};

// inputs: [time, batch, classes]  ->  the likeliest classes as a sparse matrix, less blanks (and repeats); the score is
// the sum of their logits, negated: [batch, 1].
struct CTCGreedyDecoder {
  static constexpr auto signature = Op("CTCGreedyDecoder")
                                        .Input("inputs: T")
                                        .Input("sequence_length: int32")
                                        .Output("decoded_indices: int64")
                                        .Output("decoded_values: int64")
                                        .Output("decoded_shape: int64")
                                        .Output("log_probability: T")
                                        .Attr("merge_repeated: bool = false")
                                        .Attr("blank_index: int = -1")
                                        .Attr("T: {float, double} = DT_FLOAT")
                                        .SetShapeFn(detail::CtcGreedyShape);

  struct Attrs {
    bool merge_repeated;
    std::int64_t blank_index;
  };
  template <class Device, class T>
    requires detail::TakesCtc<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T>, const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunCtcGreedy<T>(context.op(), this->merge_repeated, this->blank_index);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
