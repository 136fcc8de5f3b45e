// SPDX-License-Identifier: Apache-2.0
#pragma once
// EditDistance: how many insertions, deletions and replacements make one sequence out of another.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/unique.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Checks the known shapes of inputs first (indices: [n, rank]), first + 1 (values: [n]) and first + 2 (shape: [rank]).
inline Status SparseInputShape(InferenceContext* c, int first) {
  ShapeHandle indices, values, shape;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(first), 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(first + 1), 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(first + 2), 1, &shape));
  const DimensionHandle n = c->Dim(indices, 0), m = c->Dim(values, 0);
  if (c->ValueKnown(n) && c->ValueKnown(m) && c->Value(n) != c->Value(m))
    return errors::InvalidArgument("Number of elements in index (", c->Value(n), ") and values (", c->Value(m),
                                   ") do not match.");
  const DimensionHandle a = c->Dim(indices, 1), b = c->Dim(shape, 0);
  if (c->ValueKnown(a) && c->ValueKnown(b) && c->Value(a) != c->Value(b))
    return errors::InvalidArgument("Index rank (", c->Value(a), ") and shape rank (", c->Value(b), ") do not match.");
  return OkStatus();
}
inline Status EditDistanceShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseInputShape(c, 0));
  TENON_RETURN_IF_ERROR(SparseInputShape(c, 3));
  SlimVector<std::int64_t> hypothesis, truth;
  bool known = false, truth_known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &hypothesis, &known));
  TENON_RETURN_IF_ERROR(c->ReadInput(5, &truth, &truth_known));
  if (!known || !truth_known) return shape_inference::UnknownShape(c);
  if (hypothesis.size() != truth.size())
    return errors::InvalidArgument("Num elements of hypothesis_shape does not match truth_shape: ", hypothesis.size(),
                                   " vs. ", truth.size());
  SlimVector<std::int64_t> sizes;
  for (std::size_t d = 0; d + 1 < truth.size(); ++d) sizes.push_back(std::max(hypothesis[d], truth[d]));
  c->set_output(0, c->MakeShape(std::span<const std::int64_t>(sizes.data(), sizes.size())));
  return OkStatus();
}

// One of the two sparse tensors. A sequence is a run of elements with equal indices in all dimensions but the last.
class SequenceReader {
 public:
  SequenceReader(In<std::int64_t> indices, Index rank) : indices_(indices), rank_(rank), n_(indices.size() / rank) {
    FindEnd();
  }
  bool done() const { return begin_ == n_; }
  Index begin() const { return begin_; }
  Index size() const { return end_ - begin_; }
  void Next() {
    begin_ = end_;
    FindEnd();
  }
  // Which sequence this is, rank - 1 numbers.
  const std::int64_t* group() const { return indices_.data + begin_ * rank_; }

 private:
  void FindEnd() {
    for (end_ = begin_; end_ < n_; ++end_)
      if (!std::equal(group(), group() + rank_ - 1, indices_.data + end_ * rank_)) return;
  }
  In<std::int64_t> indices_;
  Index rank_, n_, begin_ = 0, end_ = 0;
};

// Compares complex numbers by value: both zeros are equal, a NaN equals nothing. Other types compare as in ElementKeys.
class SymbolKeys {
 public:
  explicit SymbolKeys(const Tensor& x) : keys_(x), data_(static_cast<const char*>(x.raw_data())), type_(x.dtype()) {}
  bool Equal(Index i, const SymbolKeys& other, Index j) const {
    if (type_ == DataType::kComplex64) return At<complex64>(i) == other.At<complex64>(j);
    if (type_ == DataType::kComplex128) return At<complex128>(i) == other.At<complex128>(j);
    return keys_.Equal(i, other.keys_, j);
  }

 private:
  template <class T>
  T At(Index i) const {
    return reinterpret_cast<const T*>(data_)[i];
  }
  ElementKeys keys_;
  const char* data_;
  DataType type_;
};

inline std::size_t AsSize(Index i) { return static_cast<std::size_t>(i); }

// Numbers of symbols, of all elements of two tensors: equal symbols have equal numbers, -1 equals nothing. Not for
// complex numbers.
class SymbolNumbers {
 public:
  // `truth_keys` outlives this object.
  SymbolNumbers(Cpu& device, const ElementKeys& truth_keys, const Tensor& hypothesis)
      : table_(device, truth_keys), truth_(AsSize(truth_keys.size())), hypothesis_(AsSize(hypothesis.NumElements())) {
    if (!table_.status("EditDistance").ok()) return;
    const ElementKeys keys(hypothesis);
    for (std::size_t i = 0; i < truth_.size(); ++i) {
      const Index j = static_cast<Index>(i), found = table_.FindOrAdd(j);
      truth_[i] = found >= 0 ? truth_[AsSize(found)] : IsNan(truth_keys, j) ? -1 : count_++;
    }
    for (std::size_t i = 0; i < hypothesis_.size(); ++i) {
      const Index found = table_.Find(keys, static_cast<Index>(i));
      hypothesis_[i] = found >= 0 ? truth_[AsSize(found)] : -1;
    }
  }
  Status status() const { return table_.status("EditDistance"); }
  Index count() const { return count_; }  // numbers are less
  const Index* truth() const { return truth_.data(); }
  const Index* hypothesis() const { return hypothesis_.data(); }

 private:
  static bool IsNan(const ElementKeys& keys, Index i) { return !keys.is_text() && keys.IsNan(i); }
  ElementTable table_;
  SlimVector<Index> truth_, hypothesis_;
  Index count_ = 0;
};

// Levenshtein's distance of numbered symbols, 64 rows of the table in a word (Hyyro's form of Myers' algorithm).
class BitParallelEdits {
 public:
  explicit BitParallelEdits(Index symbols) : local_(AsSize(symbols), Index{-1}) {}

  // The distance of a[0, n) and b[0, m); -1 where the places of a's symbols would take more than 32 MiB.
  Index Between(const Index* a, Index n, const Index* b, Index m) {
    if (n == 0 || m == 0) return n + m;
    const std::size_t words = AsSize((n + 63) / 64);
    if (!MarkPlaces(a, n, words)) {
      Forget(a, n);
      return -1;
    }
    if (words == 1) return OneWord(n, b, m, a);
    up_.assign(words, ~std::uint64_t{0});
    down_.assign(words, std::uint64_t{0});
    const std::uint64_t last = std::uint64_t{1} << ((n - 1) % 64);
    Index edits = n;
    for (Index j = 0; j < m; ++j) {
      const std::uint64_t* const places = PlacesOf(b[j], words);
      std::uint64_t plus = 1, minus = 0;  // what the word above hands down
      for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t more, less;
        Step(places[w], minus, &up_[w], &down_[w], plus, &more, &less);
        if (w + 1 == words) edits += static_cast<Index>((more & last) != 0) - static_cast<Index>((less & last) != 0);
        plus = more >> 63;
        minus = less >> 63;
      }
    }
    Forget(a, n);
    return edits;
  }

 private:
  // One word of one column: differences to the row above (up, down) from those to the column before.
  static void Step(std::uint64_t places, std::uint64_t minus, std::uint64_t* up, std::uint64_t* down,
                   std::uint64_t plus, std::uint64_t* more, std::uint64_t* less) {
    const std::uint64_t equal = places | minus;
    const std::uint64_t diagonal = (((equal & *up) + *up) ^ *up) | equal | *down;
    *more = *down | ~(diagonal | *up);
    *less = diagonal & *up;
    const std::uint64_t more_below = *more << 1 | plus, less_below = *less << 1 | minus;
    *up = less_below | ~(diagonal | more_below);
    *down = more_below & diagonal;
  }
  Index OneWord(Index n, const Index* b, Index m, const Index* a) {
    std::uint64_t up = ~std::uint64_t{0}, down = 0, more, less;
    const std::uint64_t last = std::uint64_t{1} << (n - 1);
    Index edits = n;
    for (Index j = 0; j < m; ++j) {
      Step(*PlacesOf(b[j], 1), 0, &up, &down, 1, &more, &less);
      edits += static_cast<Index>((more & last) != 0) - static_cast<Index>((less & last) != 0);
    }
    Forget(a, n);
    return edits;
  }
  // places_: for each symbol of `a` the bits of its places. The first words are those of symbols that `a` lacks. False:
  // that would be too many.
  bool MarkPlaces(const Index* a, Index n, std::size_t words) {
    Index rows = 1;
    for (Index i = 0; i < n; ++i)
      if (a[i] >= 0 && local_[AsSize(a[i])] < 0) local_[AsSize(a[i])] = rows++;
    if (AsSize(rows) > kMostPlaces / words) return false;
    places_.assign(AsSize(rows) * words, std::uint64_t{0});
    for (Index i = 0; i < n; ++i)
      if (a[i] >= 0) places_[AsSize(local_[AsSize(a[i])]) * words + AsSize(i / 64)] |= std::uint64_t{1} << (i % 64);
    return true;
  }
  const std::uint64_t* PlacesOf(Index symbol, std::size_t words) const {
    const Index row = symbol < 0 ? -1 : local_[AsSize(symbol)];
    return places_.data() + (row < 0 ? 0 : AsSize(row) * words);
  }
  void Forget(const Index* a, Index n) {
    for (Index i = 0; i < n; ++i)
      if (a[i] >= 0) local_[AsSize(a[i])] = -1;
  }

  static constexpr std::size_t kMostPlaces = std::size_t{1} << 22;

  SlimVector<Index> local_;  // rows of symbols in places_; -1: none
  SlimVector<std::uint64_t> places_, up_, down_;
};

// Levenshtein's distance of a[a_begin ...] and b[b_begin ...]; `row` is scratch of m + 1 numbers.
inline Index EditsBetween(const SymbolKeys& a, Index a_begin, Index n, const SymbolKeys& b, Index b_begin, Index m,
                          SlimVector<Index>* row) {
  row->assign(static_cast<std::size_t>(m + 1), Index{0});
  Index* const edits = row->data();
  for (Index j = 0; j <= m; ++j) edits[j] = j;
  for (Index i = 1; i <= n; ++i) {
    Index diagonal = edits[0];
    edits[0] = i;
    for (Index j = 1; j <= m; ++j) {
      const Index replaced = diagonal + (a.Equal(a_begin + i - 1, b, b_begin + j - 1) ? 0 : 1);
      diagonal = edits[j];
      edits[j] = std::min({replaced, edits[j] + 1, edits[j - 1] + 1});
    }
  }
  return edits[m];
}

}  // namespace detail

// hypothesis, truth: sparse tensors of rank r  ->  output: rank r - 1, the distance of the sequences in the last
// dimension; normalised: divided by the length of the truth.
struct EditDistance {
  static constexpr auto signature = Op("EditDistance")
                                        .Input("hypothesis_indices: int64")
                                        .Input("hypothesis_values: T")
                                        .Input("hypothesis_shape: int64")
                                        .Input("truth_indices: int64")
                                        .Input("truth_values: T")
                                        .Input("truth_shape: int64")
                                        .Output("output: float")
                                        .Attr("normalize: bool = true")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::EditDistanceShape);

  struct Attrs {
    bool normalize;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, In<std::int64_t> hypothesis_indices, const Tensor& hypothesis_values,
                      In<std::int64_t> hypothesis_shape, In<std::int64_t> truth_indices, const Tensor& truth_values,
                      In<std::int64_t> truth_shape, Tensor& output) const {
      TENON_RETURN_IF_ERROR(Check("hypothesis", hypothesis_indices, hypothesis_values.shape(), hypothesis_shape));
      TENON_RETURN_IF_ERROR(Check("truth", truth_indices, truth_values.shape(), truth_shape));
      return Run(context.op(), context.device(), hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices,
                 truth_values, truth_shape, this->normalize, &output);
    }
  };

 private:
  static Status Check(std::string_view name, const In<std::int64_t>& indices, const TensorShape& values,
                      const In<std::int64_t>& shape) {
    if (indices.shape().dims() != 2)
      return errors::InvalidArgument("EditDistance: ", name,
                                     "_indices should be a matrix, but got shape: ", indices.shape());
    if (values.dims() != 1)
      return errors::InvalidArgument("EditDistance: ", name, "_values should be a vector, but got shape: ", values);
    if (shape.shape().dims() != 1)
      return errors::InvalidArgument("EditDistance: ", name,
                                     "_shape should be a vector, but got shape: ", shape.shape());
    if (values.num_elements() != indices.shape().dim_size(0))
      return errors::InvalidArgument("EditDistance: Expected ", name, "_values.NumElements == #rows(", name,
                                     "_indices), their shapes are: ", values, " and ", indices.shape());
    if (shape.size() != indices.shape().dim_size(1))
      return errors::InvalidArgument("EditDistance: Expected ", name, "_shape.NumElements == #cols(", name,
                                     "_indices), their shapes are: ", shape.shape(), " and ", indices.shape());
    if (shape.size() < 2)
      return errors::InvalidArgument("EditDistance: Input SparseTensors must have rank at least 2, but ", name,
                                     "_shape rank is: ", shape.size());
    return OkStatus();
  }
  // The element of the output that a group belongs to. Internal when there is none, as in TensorFlow.
  static Status Place(const std::int64_t* group, const TensorShape& shape, Index* place) {
    *place = 0;
    for (int d = 0; d < shape.dims(); ++d) {
      if (group[d] < 0 || group[d] >= shape.dim_size(d))
        return errors::Internal("EditDistance: a group of indices would require writing to outside of the buffer for ",
                                "the output tensor: index ", group[d], " in dimension ", d, " of ", shape);
      *place = *place * shape.dim_size(d) + group[d];
    }
    return OkStatus();
  }
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, Cpu& device, const In<std::int64_t>& hypothesis_indices,
                                      const Tensor& hypothesis_values, const In<std::int64_t>& hypothesis_shape,
                                      const In<std::int64_t>& truth_indices, const Tensor& truth_values,
                                      const In<std::int64_t>& truth_shape, bool normalize, Tensor* output) {
    const Index rank = truth_shape.size();
    if (hypothesis_shape.size() != rank)
      return errors::InvalidArgument("EditDistance: Expected truth and hypothesis to have matching ranks, but their ",
                                     "shapes are: ", truth_shape.shape(), " and ", hypothesis_shape.shape());
    TensorShape shape;
    TENON_RETURN_IF_ERROR(MakeShape(hypothesis_shape.data, rank, &shape));
    TENON_RETURN_IF_ERROR(MakeShape(truth_shape.data, rank, &shape));
    InlinedVector<Index, 8> sizes;
    for (Index d = 0; d + 1 < rank; ++d) sizes.push_back(std::max(hypothesis_shape[d], truth_shape[d]));
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    float* const out = output->data<float>();
    for (Index i = 0; i < shape.num_elements(); ++i) out[i] = 0;
    const detail::SymbolKeys hypothesis_keys(hypothesis_values), truth_keys(truth_values);
    detail::SequenceReader hypothesis(hypothesis_indices, rank), truth(truth_indices, rank);
    SlimVector<Index> row;
    const bool is_complex = IsComplex(truth_values.dtype());
    const detail::ElementKeys truth_elements(truth_values);
    const detail::SymbolNumbers numbers(device, truth_elements, is_complex ? truth_values : hypothesis_values);
    TENON_RETURN_IF_ERROR(numbers.status());
    detail::BitParallelEdits bits(numbers.count());
    while (!hypothesis.done() || !truth.done()) {
      // Groups are taken in order; one of the two may be missing.
      int order = truth.done() ? -1 : hypothesis.done() ? 1 : 0;
      for (Index d = 0; order == 0 && d + 1 < rank; ++d)
        if (hypothesis.group()[d] != truth.group()[d]) order = hypothesis.group()[d] < truth.group()[d] ? -1 : 1;
      Index place = 0;
      TENON_RETURN_IF_ERROR(Place(order > 0 ? truth.group() : hypothesis.group(), shape, &place));
      if (order == 0) {
        Index edits = -1;
        if (!is_complex)
          edits = bits.Between(numbers.truth() + truth.begin(), truth.size(), numbers.hypothesis() + hypothesis.begin(),
                               hypothesis.size());
        if (edits < 0)
          edits = detail::EditsBetween(truth_keys, truth.begin(), truth.size(), hypothesis_keys, hypothesis.begin(),
                                       hypothesis.size(), &row);
        out[place] = static_cast<float>(edits);
        if (normalize) out[place] /= static_cast<float>(truth.size());
      } else if (order < 0) {
        out[place] = normalize ? std::numeric_limits<float>::infinity() : static_cast<float>(hypothesis.size());
      } else {
        out[place] = normalize ? 1.0f : static_cast<float>(truth.size());
      }
      if (order <= 0) hypothesis.Next();
      if (order >= 0) truth.Next();
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
