// SPDX-License-Identifier: Apache-2.0
#pragma once
// CTCBeamSearchDecoder: the likeliest sequences of labels, by a search over their prefixes (Graves 2012,
// section 7.5.3).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/nn/ctc.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CtcBeamShape(InferenceContext* c) {
  ShapeHandle inputs, lengths;
  DimensionHandle batch;
  std::int64_t paths = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 3, &inputs));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &lengths));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(inputs, 1), c->Dim(lengths, 0), &batch));
  TENON_RETURN_IF_ERROR(c->GetAttr("top_paths", &paths));
  const int n = static_cast<int>(paths);
  for (int p = 0; p < n; ++p) {
    c->set_output(p, c->Matrix(c->UnknownDim(), 2));
    c->set_output(n + p, c->Vector(c->UnknownDim()));
    c->set_output(2 * n + p, c->Vector(2));
  }
  c->set_output(3 * n, c->Matrix(batch, paths));
  return OkStatus();
}

// Logarithms of the probabilities of one prefix: in all, and of its alignments that end with a blank or its label.
template <class T>
struct CtcChance {
  static constexpr T kNever = -std::numeric_limits<T>::infinity();
  T total = kNever, blank = kNever, label = kNever;
};
// A prefix: its parent's and one label more.
template <class T>
struct CtcPrefix {
  std::int32_t parent, label, child, sibling;  // numbers of prefixes, -1: none; its first child, its parent's next one
  CtcChance<T> before, now;

  bool active() const { return now.total != CtcChance<T>::kNever; }
};

// Higher totals come first, NaN comes last.
template <class T>
struct CtcIsBetter {
  const CtcPrefix<T>* prefixes;

  bool operator()(std::int32_t a, std::int32_t b) const {
    const T x = prefixes[a].now.total, y = prefixes[b].now.total;
    return x > y || (y != y && x == x);
  }
};

// The best `limit` prefixes of all that were added. Equal ones stay or go as in TensorFlow: while there is room they
// are a plain list whose first item may be the worst, then a heap with the worst on top and one spare item at the end.
template <class T>
class CtcBest {
 public:
  explicit CtcBest(Index limit) : limit_(limit) {}

  std::size_t size() const { return is_heap_ ? items_.size() - 1 : items_.size(); }
  bool is_full() const { return static_cast<Index>(size()) >= limit_; }
  const SlimVector<std::int32_t>& items() const { return items_; }

  void Add(std::int32_t item, const CtcIsBetter<T>& better) {
    if (is_heap_) {
      if (!better(item, items_.front())) return;
      items_.back() = item;
      std::pop_heap(items_.begin(), items_.end(), better);
      return;
    }
    items_.push_back(item);
    if (knows_worst_ && !better(items_.back(), items_.front())) std::swap(items_.front(), items_.back());
    if (static_cast<Index>(items_.size()) <= limit_) return;
    std::make_heap(items_.begin(), items_.end(), better);
    std::pop_heap(items_.begin(), items_.end(), better);
    is_heap_ = true;
  }
  std::int32_t Worst(const CtcIsBetter<T>& better) {
    if (!is_heap_ && !knows_worst_) {
      std::size_t worst = 0;
      for (std::size_t i = 1; i < items_.size(); ++i)
        if (better(items_[worst], items_[i])) worst = i;
      std::swap(items_[0], items_[worst]);
      knows_worst_ = true;
    }
    return items_.front();
  }
  // All items, the best one first; none stay.
  void Take(SlimVector<std::int32_t>* out, const CtcIsBetter<T>& better) {
    if (is_heap_) {
      items_.pop_back();
      std::sort_heap(items_.begin(), items_.end(), better);
    } else {
      std::sort(items_.begin(), items_.end(), better);
    }
    out->clear();
    out->swap(items_);
    is_heap_ = knows_worst_ = false;
  }

 private:
  Index limit_;
  bool is_heap_ = false, knows_worst_ = false;
  SlimVector<std::int32_t> items_;
};

// The search over the prefixes of one example.
template <class T>
class CtcBeam {
 public:
  CtcBeam(Index width, Index classes)
      : classes_(classes), leaves_(width), child_of_(static_cast<std::size_t>(classes)) {
    prefixes_.push_back({-1, -1, -1, -1, {}, {T(0), T(0), CtcChance<T>::kNever}});
    leaves_.Add(0, Better());
  }

  // x: [classes], logits of one time.
  void Step(const T* x) {
    const T offset = LogOfSum(x);
    leaves_.Take(&branches_, Better());
    for (const std::int32_t b : branches_) At(b).before = At(b).now;
    for (const std::int32_t b : branches_) {
      Stay(At(b), x, offset);
      leaves_.Add(b, Better());
    }
    for (const std::int32_t b : branches_)
      if (IsCandidate(At(b).before)) Grow(b, x, offset);
  }

  Index count() const { return static_cast<Index>(leaves_.size()); }
  // The best n prefixes, n at most count().
  void Best(Index n, SlimVector<std::int32_t>* out) const {
    CtcBest<T> best(n);
    for (std::size_t i = 0; i < leaves_.size(); ++i) best.Add(leaves_.items()[i], Better());
    best.Take(out, Better());
  }
  T Score(std::int32_t prefix) const { return prefixes_[static_cast<std::size_t>(prefix)].now.total; }
  // Appends the labels of a prefix.
  Index Labels(std::int32_t prefix, bool merge_repeated, SlimVector<std::int64_t>* out) const {
    const std::size_t begin = out->size();
    std::int32_t last = -1;
    for (const CtcPrefix<T>* p = &prefixes_[static_cast<std::size_t>(prefix)]; p->parent >= 0;
         p = &prefixes_[static_cast<std::size_t>(p->parent)]) {
      if (!merge_repeated || p->label != last) out->push_back(p->label);
      last = p->label;
    }
    std::reverse(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end());
    return static_cast<Index>(out->size() - begin);
  }

 private:
  CtcIsBetter<T> Better() const { return {prefixes_.data()}; }
  CtcPrefix<T>& At(std::int32_t i) { return prefixes_[static_cast<std::size_t>(i)]; }
  bool IsCandidate(const CtcChance<T>& chance) {
    return chance.total > CtcChance<T>::kNever &&
           (!leaves_.is_full() || chance.total > At(leaves_.Worst(Better())).now.total);
  }

  T LogOfSum(const T* x) const {
    const T most = *std::max_element(x, x + classes_);
    T sum = 0;
    for (Index i = 0; i < classes_; ++i) sum += std::exp(x[i] - most);
    return most + std::log(sum);
  }
  // The prefix without a further label: a blank follows, or its last label again, or its parent becomes it.
  void Stay(CtcPrefix<T>& b, const T* x, T offset) {
    if (b.parent >= 0) {
      const CtcPrefix<T>& parent = At(b.parent);
      if (parent.active())
        b.now.label = LogSum(b.now.label, b.label == parent.label ? parent.before.blank : parent.before.total);
      b.now.label += x[b.label] - offset;
    }
    b.now.blank = b.before.total + x[classes_ - 1] - offset;
    b.now.total = LogSum(b.now.blank, b.now.label);
  }
  // The prefix with one more label, each of them.
  void Grow(std::int32_t b, const T* x, T offset) {
    std::fill(child_of_.begin(), child_of_.end(), -1);
    for (std::int32_t c = At(b).child; c >= 0; c = At(c).sibling) child_of_[static_cast<std::size_t>(At(c).label)] = c;
    for (std::int32_t label = 0; label < classes_ - 1; ++label) {
      std::int32_t c = child_of_[static_cast<std::size_t>(label)];
      if (c >= 0 && At(c).active()) continue;
      CtcChance<T> chance;
      chance.label = x[label] - offset + (label == At(b).label ? At(b).before.blank : At(b).before.total);
      chance.total = chance.label;
      if (!IsCandidate(chance)) {
        if (c >= 0) At(c).before = At(c).now = {};
        continue;
      }
      if (c < 0) {
        c = static_cast<std::int32_t>(prefixes_.size());
        const std::int32_t sibling = At(b).child;
        prefixes_.push_back({b, label, -1, sibling, {}, {}});
        At(b).child = c;
      }
      At(c).now = chance;
      if (leaves_.is_full()) At(leaves_.Worst(Better())).now = {};
      leaves_.Add(c, Better());
    }
  }

  Index classes_;
  SlimVector<CtcPrefix<T>> prefixes_;  // the first one is empty
  CtcBest<T> leaves_;
  SlimVector<std::int32_t> branches_, child_of_;
};

// Labels of one place in the ranking: of all examples, one behind the other.
struct CtcPaths {
  SlimVector<std::int64_t> labels, counts;
};
inline Status SetCtcPaths(OpKernelContext& context, Index batch, const SlimVector<CtcPaths>& paths) {
  const int n = static_cast<int>(paths.size());
  for (int p = 0; p < n; ++p) {
    const CtcPaths& own = paths[static_cast<std::size_t>(p)];
    const Index count = static_cast<Index>(own.labels.size());
    Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(p, TensorShape({count, 2}), &indices));
    TENON_RETURN_IF_ERROR(context.allocate_output(n + p, TensorShape({count}), &values));
    TENON_RETURN_IF_ERROR(context.allocate_output(2 * n + p, TensorShape({2}), &shape));
    std::copy(own.labels.begin(), own.labels.end(), values->data<std::int64_t>());
    std::int64_t *place = indices->data<std::int64_t>(), longest = 0;
    for (Index b = 0; b < batch; ++b) {
      longest = std::max(longest, own.counts[static_cast<std::size_t>(b)]);
      for (std::int64_t i = 0; i < own.counts[static_cast<std::size_t>(b)]; ++i) {
        *place++ = b;
        *place++ = i;
      }
    }
    shape->data<std::int64_t>()[0] = batch;
    shape->data<std::int64_t>()[1] = longest;
  }
  return OkStatus();
}

template <class T>
TENON_DETAIL_RARE Status RunCtcBeam(OpKernelContext& context, Index width, Index top_paths, bool merge_repeated) {
  const Tensor &inputs = context.input(0), &lengths = context.input(1);
  TENON_RETURN_IF_ERROR(
      CheckCtcInputs(inputs, lengths, Code::kFailedPrecondition, std::numeric_limits<std::int32_t>::min()));
  const Index batch = inputs.dim_size(1), classes = inputs.dim_size(2);
  if (classes > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument("num_classes cannot exceed max int, the shape of inputs is ", inputs.shape());
  if (top_paths > width)
    return errors::InvalidArgument("requested more paths than the beam width. Got ", top_paths, " paths and width ",
                                   width);
  Tensor* scores = nullptr;
  TENON_RETURN_IF_ERROR(
      context.allocate_output(3 * static_cast<int>(top_paths), TensorShape({batch, top_paths}), &scores));
  SlimVector<CtcPaths> paths(static_cast<std::size_t>(top_paths));
  SlimVector<std::int32_t> best;
  for (Index b = 0; b < batch; ++b) {
    CtcBeam<T> beam(width, classes);
    for (Index t = 0; t < lengths.data<std::int32_t>()[b]; ++t) beam.Step(inputs.data<T>() + (t * batch + b) * classes);
    if (beam.count() < top_paths)
      return errors::InvalidArgument("Less leaves in the beam search than requested. Got ", beam.count(), " in batch ",
                                     b, ", requested ", top_paths);
    beam.Best(top_paths, &best);
    for (std::size_t p = 0; p < best.size(); ++p) {
      paths[p].counts.push_back(beam.Labels(best[p], merge_repeated, &paths[p].labels));
      scores->data<T>()[b * top_paths + static_cast<Index>(p)] = beam.Score(best[p]);
    }
  }
  return SetCtcPaths(context, batch, paths);
}

}  // namespace detail

// inputs: [time, batch, classes] logits, the last class is the blank  ->  top_paths sparse matrices [batch, labels] and
// the logarithms of their probabilities: [batch, top_paths]. merge_repeated drops equal neighbours in the result.
struct CTCBeamSearchDecoder {
  static constexpr auto signature = Op("CTCBeamSearchDecoder")
                                        .Input("inputs: T")
                                        .Input("sequence_length: int32")
                                        .Output("decoded_indices: top_paths * int64")
                                        .Output("decoded_values: top_paths * int64")
                                        .Output("decoded_shape: top_paths * int64")
                                        .Output("log_probability: T")
                                        .Attr("beam_width: int >= 1")
                                        .Attr("top_paths: int >= 1")
                                        .Attr("merge_repeated: bool = true")
                                        .Attr("T: {float, double} = DT_FLOAT")
                                        .SetShapeFn(detail::CtcBeamShape);

  struct Attrs {
    std::int64_t beam_width, top_paths;
    bool merge_repeated;
  };
  template <class Device, class T>
    requires detail::TakesCtc<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T>, const Tensor&, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>, Tensor&) const {
      return detail::RunCtcBeam<T>(context.op(), this->beam_width, this->top_paths, this->merge_repeated);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
