// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniformCandidateSampler, LogUniformCandidateSampler, LearnedUnigramCandidateSampler,
// ThreadUnsafeUnigramCandidateSampler, FixedUnigramCandidateSampler, AllCandidateSampler, ComputeAccidentalHits:
// classes drawn for a sampled loss.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/strings.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/ops/array/unique.hpp>
#include <tenon/ops/random/range_sampler.hpp>
#include <tenon/ops/random/unigram_weights.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status CandidateSamplerShape(InferenceContext* c) {
  std::int64_t num_sampled = 0, num_true = 0;
  ShapeHandle classes;
  TENON_RETURN_IF_ERROR(c->GetAttr("num_sampled", &num_sampled));
  TENON_RETURN_IF_ERROR(c->GetAttr("num_true", &num_true));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &classes));
  c->set_output(0, c->Vector(num_sampled));
  c->set_output(1, c->Matrix(c->Dim(classes, 0), num_true));
  c->set_output(2, c->Vector(num_sampled));
  return OkStatus();
}
inline Status AccidentalHitsShape(InferenceContext* c) {
  std::int64_t num_true = 0;
  ShapeHandle classes, unused;
  DimensionHandle columns;
  TENON_RETURN_IF_ERROR(c->GetAttr("num_true", &num_true));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &classes));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(classes, 1), num_true, &columns));
  for (int i = 0; i < 3; ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// ---- the weights of FixedUnigramCandidateSampler
struct FixedUnigramAttrs {
  std::int64_t num_true;
  std::int64_t num_sampled;
  bool unique;
  std::int64_t range_max;
  std::string_view vocab_file;
  float distortion;
  std::int64_t num_reserved_ids;
  std::int64_t num_shards;
  std::int64_t shard;
  std::span<const float> unigrams;
  std::int64_t seed;
  std::int64_t seed2;

  CandidateAttrs candidates() const { return {num_true, num_sampled, unique, seed, seed2}; }
};

// Adds the weights that belong to the shard; the first has the number `first` of all.
struct FixedWeights {
  RangeSampler* sampler;
  std::int32_t num_shards, shard;
  float distortion;
  std::int32_t next = 0;

  bool Mine() const { return next % num_shards == shard; }
  void Add(float weight) {
    weight = std::pow(weight, distortion);
    sampler->total += weight;
    sampler->fixed.push_back(weight);
  }
  // The last column of each line.
  Status AddLines(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line(text.substr(at, end - at));
      at = end + 1;
      line.resize(static_cast<std::size_t>(std::remove(line.begin(), line.end(), '\r') - line.begin()));
      if (line.empty()) continue;
      const std::size_t comma = line.rfind(',');
      const std::string_view column = std::string_view(line).substr(comma == line.npos ? 0 : comma + 1);
      double weight = 0;
      if (Mine() && !ReadReal(column, &weight))
        return errors::InvalidArgument("FixedUnigramCandidateSampler: Wrong vocabulary format at line: ", line);
      if (Mine()) Add(static_cast<float>(weight));
      next = static_cast<std::int32_t>(static_cast<std::uint32_t>(next) + 1);
    }
    return OkStatus();
  }
};

inline Status MakeFixedUnigram(const FixedUnigramAttrs& attrs, RangeSampler* sampler) {
  constexpr const char* kOp = "FixedUnigramCandidateSampler";
  if (attrs.vocab_file.empty() && attrs.unigrams.empty())
    return errors::InvalidArgument(kOp, ": Must provide either vocab_file or unigrams.");
  if (!attrs.vocab_file.empty() && !attrs.unigrams.empty())
    return errors::InvalidArgument(kOp, ": Must only provide one of vocab_file and unigrams, got '", attrs.vocab_file,
                                   "' and ", attrs.unigrams.size(), " unigrams");
  FixedWeights weights{sampler, static_cast<std::int32_t>(attrs.num_shards), static_cast<std::int32_t>(attrs.shard),
                       attrs.distortion};
  if (weights.num_shards <= 0)
    return errors::InvalidArgument(kOp, ": num_shards must be a positive int32, got ", attrs.num_shards);
  sampler->Make(SamplerKind::kFixed, attrs.range_max);
  const auto reserved = static_cast<std::int32_t>(attrs.num_reserved_ids);
  // Reserved ids have the weight 0; those of the shard are shard, shard + num_shards, ...
  const Index mine = weights.shard >= 0 && weights.shard < weights.num_shards && reserved > weights.shard
                         ? (Index{reserved} - 1 - weights.shard) / weights.num_shards + 1
                         : 0;
  // One more than the range are too many already.
  sampler->fixed.resize(static_cast<std::size_t>(mine > attrs.range_max ? attrs.range_max + 1 : mine), 0.0F);
  weights.next = static_cast<std::int32_t>(sampler->fixed.size());
  if (attrs.vocab_file.empty()) {
    for (const float weight : attrs.unigrams) {
      if (weights.Mine()) weights.Add(weight);
      ++weights.next;
    }
  } else {
    const Result<MappedFile> file = MappedFile::Open(std::string(attrs.vocab_file), FileAccess::kRead);
    if (!file.ok() && !errors::IsFailedPrecondition(file.status())) return file.status();
    if (file.ok())  // a folder counts as an empty file
      TENON_RETURN_IF_ERROR(
          weights.AddLines({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}));
  }
  if (static_cast<Index>(sampler->fixed.size()) != attrs.range_max)
    return errors::InvalidArgument(kOp, ": range is ", attrs.range_max, " must be equal to weights size  ",
                                   sampler->fixed.size());
  sampler->table = AliasTable(sampler->fixed);
  sampler->drawable = sampler->table.CountDrawable();
  return OkStatus();
}

inline Status RunAccidentalHits(OpKernelContext& context, Cpu& device, std::int64_t num_true) {
  constexpr const char* kOp = "ComputeAccidentalHits";
  const Tensor &classes = context.input(0), &sampled = context.input(1);
  if (classes.dims() != 2 || classes.dim_size(1) != num_true)
    return errors::InvalidArgument(kOp, ": true_candidates must be a batch_size * num_true matrix, got shape ",
                                   classes.shape(), " for num_true = ", num_true);
  if (sampled.dims() != 1)
    return errors::InvalidArgument(kOp, ": sampled_candidates must be a vector, which is typically an output from ",
                                   "CandidateSampler, got shape ", sampled.shape());
  const ElementKeys class_keys(classes), sampled_keys(sampled);
  ElementTable table(device, class_keys);
  TENON_RETURN_IF_ERROR(table.status(kOp));
  for (Index i = 0; i < classes.NumElements(); ++i) table.FindOrAdd(i);
  // The last candidate that equals a class counts; kept for the first of equal classes.
  SlimVector<Index> last(static_cast<std::size_t>(classes.NumElements()), Index{-1}), hits, ids;
  for (Index k = 0; k < sampled.NumElements(); ++k)
    if (const Index i = table.Find(sampled_keys, k); i >= 0) last[static_cast<std::size_t>(i)] = k;
  for (Index i = 0; i < classes.NumElements(); ++i) {
    const Index candidate = last[static_cast<std::size_t>(table.Find(class_keys, i))];
    if (candidate < 0) continue;
    hits.push_back(i / num_true);
    ids.push_back(candidate);
  }
  Tensor *rows = nullptr, *places = nullptr, *weights = nullptr;
  const auto n = static_cast<Index>(hits.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n}), &rows));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &places));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({n}), &weights));
  for (Index k = 0; k < n; ++k) {
    rows->data<std::int32_t>()[k] = static_cast<std::int32_t>(hits[static_cast<std::size_t>(k)]);
    places->data<std::int64_t>()[k] = ids[static_cast<std::size_t>(k)];
    weights->data<float>()[k] = std::numeric_limits<float>::lowest();
  }
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

struct RangeAttrs {
  std::int64_t num_true;
  std::int64_t num_sampled;
  bool unique;
  std::int64_t range_max;
  std::int64_t seed;
  std::int64_t seed2;

  CandidateAttrs candidates() const { return {num_true, num_sampled, unique, seed, seed2}; }
};

template <class Device, SamplerKind kKind>
struct CandidateKernel : RangeAttrs {
  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(CheckCandidateAttrs(c, this->candidates()));
    if (kKind == SamplerKind::kUnigram && this->range_max >= std::numeric_limits<std::int32_t>::max())
      return errors::InvalidArgument(c.op().name, ": range_max must be less than ",
                                     std::numeric_limits<std::int32_t>::max(), ", got ", this->range_max);
    state.sampler.Make(kKind, this->range_max);
    state.generator.Seed(this->seed, this->seed2);
    return OkStatus();
  }
  Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
    return state.Run(context.op(), this->candidates());
  }
  SamplerState state;
};

constexpr auto CandidateSamplerOp(std::string_view name) {
  return Op(name)
      .Input("true_classes: int64")
      .Output("sampled_candidates: int64")
      .Output("true_expected_count: float")
      .Output("sampled_expected_count: float")
      .Attr("num_true: int >= 1")
      .Attr("num_sampled: int >= 1")
      .Attr("unique: bool")
      .Attr("range_max: int >= 1")
      .Attr("seed: int = 0")
      .Attr("seed2: int = 0")
      .SetIsStateful()
      .SetShapeFn(CandidateSamplerShape);
}

}  // namespace detail

// Each class of [0, range_max) alike.
struct UniformCandidateSampler {
  static constexpr auto signature = detail::CandidateSamplerOp("UniformCandidateSampler");
  using Attrs = detail::RangeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::CandidateKernel<Device, detail::SamplerKind::kUniform>;
};

// Class k with a probability that falls like 1 / (k + 1).
struct LogUniformCandidateSampler {
  static constexpr auto signature = detail::CandidateSamplerOp("LogUniformCandidateSampler");
  using Attrs = detail::RangeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::CandidateKernel<Device, detail::SamplerKind::kLogUniform>;
};

// As often as a class was among true_classes of earlier runs, and once more.
struct LearnedUnigramCandidateSampler {
  static constexpr auto signature = detail::CandidateSamplerOp("LearnedUnigramCandidateSampler");
  using Attrs = detail::RangeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::CandidateKernel<Device, detail::SamplerKind::kUnigram>;
};

// LearnedUnigramCandidateSampler by another name.
struct ThreadUnsafeUnigramCandidateSampler {
  static constexpr auto signature = detail::CandidateSamplerOp("ThreadUnsafeUnigramCandidateSampler");
  using Attrs = detail::RangeAttrs;
  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::CandidateKernel<Device, detail::SamplerKind::kUnigram>;
};

// With weights from a list or from the last column of a file.
struct FixedUnigramCandidateSampler {
  static constexpr auto signature = Op("FixedUnigramCandidateSampler")
                                        .Input("true_classes: int64")
                                        .Output("sampled_candidates: int64")
                                        .Output("true_expected_count: float")
                                        .Output("sampled_expected_count: float")
                                        .Attr("num_true: int >= 1")
                                        .Attr("num_sampled: int >= 1")
                                        .Attr("unique: bool")
                                        .Attr("range_max: int >= 1")
                                        .Attr("vocab_file: string = ''")
                                        .Attr("distortion: float = 1.0")
                                        .Attr("num_reserved_ids: int = 0")
                                        .Attr("num_shards: int >= 1 = 1")
                                        .Attr("shard: int >= 0 = 0")
                                        .Attr("unigrams: list(float) = []")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::CandidateSamplerShape);
  using Attrs = detail::FixedUnigramAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::CheckCandidateAttrs(c, this->candidates()));
      state.generator.Seed(this->seed, this->seed2);
      return detail::MakeFixedUnigram(*this, &state.sampler);
    }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return state.Run(context.op(), this->candidates());
    }
    detail::SamplerState state;
  };
};

// The classes 0 to num_sampled - 1.
struct AllCandidateSampler {
  static constexpr auto signature = Op("AllCandidateSampler")
                                        .Input("true_classes: int64")
                                        .Output("sampled_candidates: int64")
                                        .Output("true_expected_count: float")
                                        .Output("sampled_expected_count: float")
                                        .Attr("num_true: int >= 1")
                                        .Attr("num_sampled: int >= 1")
                                        .Attr("unique: bool")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::CandidateSamplerShape);
  using Attrs = detail::CandidateAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::CheckCandidateAttrs(c, *this));
      state.sampler.Make(detail::SamplerKind::kAll, this->num_sampled);
      state.generator.Seed(this->seed, this->seed2);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return state.Run(context.op(), *this);
    }
    detail::SamplerState state;
  };
};

// Where a sampled candidate is a true class of a row: the row, the candidate's place and the lowest float.
struct ComputeAccidentalHits {
  static constexpr auto signature = Op("ComputeAccidentalHits")
                                        .Input("true_classes: int64")
                                        .Input("sampled_candidates: int64")
                                        .Output("indices: int32")
                                        .Output("ids: int64")
                                        .Output("weights: float")
                                        .Attr("num_true: int")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .SetShapeFn(detail::AccidentalHitsShape);
  struct Attrs {
    std::int64_t num_true;
  };
  static constexpr std::string_view unused[] = {"seed", "seed2"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunAccidentalHits(context.op(), context.device(), this->num_true);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
