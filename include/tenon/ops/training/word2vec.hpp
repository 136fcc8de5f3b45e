// SPDX-License-Identifier: Apache-2.0
#pragma once
// Skipgram, NegTrain: word2vec of old graphs. Pairs of a word and a neighbour out of a text, and the step of training
// with them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/unigram_weights.hpp>
#include <tenon/ops/training/training.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// The words of a text by number: 0 is a rare word, the others come in the order of their frequencies.
struct TextWords {
  SlimVector<std::int32_t> corpus;
  SlimVector<std::string> words;
  SlimVector<std::int32_t> counts;

  void Read(std::string_view text, std::int64_t min_count) {
    struct Word {
      std::string_view text;
      std::int32_t count;
      std::int32_t id;
    };
    SlimVector<Word> seen;
    FlatMap<std::string_view, std::size_t> places;
    for (std::string_view word; Scan(&text, &word);) {
      const auto place = places.try_emplace(word, seen.size());
      if (place.second) seen.push_back({word, 0, 0});
      ++seen[place.first->second].count;
      corpus.push_back(static_cast<std::int32_t>(place.first->second));
    }
    SlimVector<std::int32_t> order;
    std::int32_t rare = 0;
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i].count >= min_count)
        order.push_back(static_cast<std::int32_t>(i));
      else
        rare += seen[i].count;
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const std::int32_t m = seen[static_cast<std::size_t>(a)].count, n = seen[static_cast<std::size_t>(b)].count;
      return m != n ? m > n : a < b;
    });
    words.emplace_back("UNK");
    counts.push_back(rare);
    for (const std::int32_t i : order) {
      Word& word = seen[static_cast<std::size_t>(i)];
      word.id = static_cast<std::int32_t>(words.size());
      words.emplace_back(word.text);
      counts.push_back(word.count);
    }
    for (std::int32_t& word : corpus) word = seen[static_cast<std::size_t>(word)].id;
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool Scan(std::string_view* text, std::string_view* word) {
    std::size_t begin = 0;
    while (begin < text->size() && IsSpace((*text)[begin])) ++begin;
    std::size_t end = begin;
    while (end < text->size() && !IsSpace((*text)[end])) ++end;
    *word = text->substr(begin, end - begin);
    text->remove_prefix(end);
    return !word->empty();
  }
};

// Pairs of words that stand near each other in a text, one after the other. one thread.
class SkipgramPairs {
 public:
  static constexpr std::size_t kSentence = 1000;  // words

  TextWords vocabulary;
  std::int64_t window = 5;
  float subsample = 0;
  std::int32_t epoch = -1;
  std::int64_t processed = 0;

  void Begin(TextWords read) {
    vocabulary = std::move(read);
    at_ = vocabulary.corpus.size();
  }
  // The next pair. Cancelled: drawing the words of a sentence takes long, and the run is given up.
  Status Next(const CancellationManager* cancellation, std::int32_t* word, std::int32_t* neighbour) {
    for (;; ++label_) {
      if (label_ >= limit_) {
        ++processed;
        if (++place_ >= static_cast<std::int64_t>(kSentence)) {
          place_ = 0;
          TENON_RETURN_IF_ERROR(ReadSentence(cancellation));
        }
        const std::int64_t reach = 1 + std::int64_t{BelowOf32(&words_, static_cast<std::uint32_t>(window))};
        label_ = std::max<std::int64_t>(0, place_ - reach);
        limit_ = std::min<std::int64_t>(kSentence, place_ + reach + 1);
      }
      if (label_ != place_) break;
    }
    *word = sentence_[place_];
    *neighbour = sentence_[label_++];
    return OkStatus();
  }

 private:
  // Frequent words are left out at random.
  Status ReadSentence(const CancellationManager* cancellation) {
    constexpr std::int64_t kLookEvery = 1 << 16;
    const auto size = static_cast<float>(vocabulary.corpus.size());
    std::int64_t tries = 0;
    for (std::size_t i = 0; i < kSentence; ++at_) {
      if (at_ >= vocabulary.corpus.size()) {
        ++epoch;
        at_ = 0;
      }
      const std::int32_t word = vocabulary.corpus[at_];
      if (subsample > 0) {
        const auto count = static_cast<float>(vocabulary.counts[static_cast<std::size_t>(word)]);
        const float kept = (std::sqrt(count / (subsample * size)) + 1) * (subsample * size) / count;
        if (++tries % kLookEvery == 0 && cancellation != nullptr && cancellation->IsCancelled())
          return errors::Cancelled("Skipgram was cancelled");
        if (tenon::detail::UniformFloat(words_.Next()) > kept) continue;
      }
      sentence_[i++] = word;
    }
    return OkStatus();
  }

  PhiloxWords words_{Philox::FromSeeds(0, 0)};
  std::int32_t sentence_[kSentence] = {};
  std::size_t at_ = 0;               // the next word of the text
  std::int64_t place_ = kSentence;  // the word of the next pairs, in the sentence
  std::int64_t label_ = 0, limit_ = 0;
};

class SkipgramKernel : public OpKernel {
 public:
  explicit SkipgramKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(Init(*c)); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  static constexpr std::size_t kDrawn = 3000;  // pairs that are drawn ahead, as the counts of words tell
  struct Pair {
    std::int32_t word, neighbour;
  };

  Status Init(const OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(c.GetAttr("filename", &file_));
    TENON_RETURN_IF_ERROR(c.GetAttr("batch_size", &batch_));
    TENON_RETURN_IF_ERROR(c.GetAttr("window_size", &pairs_.window));
    TENON_RETURN_IF_ERROR(c.GetAttr("min_count", &min_count_));
    TENON_RETURN_IF_ERROR(c.GetAttr("subsample", &pairs_.subsample));
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (pairs_.window < 1 || pairs_.window > kMost || batch_ < 0 || batch_ > kMost)
      return errors::InvalidArgument(
          "Skipgram: window_size must be an int32 above 0 and batch_size one from 0 on, got ", pairs_.window, " and ",
          batch_);
    return OkStatus();
  }
  // Reads the text, in the first run.
  Status Begin() {
    TENON_ASSIGN_OR_RETURN(const MappedFile text, MappedFile::Open(file_, FileAccess::kRead));
    if (text.bytes().size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
      return errors::InvalidArgument("Skipgram: the text file ", file_, " has more than 2^31 - 1 bytes");
    TextWords vocabulary;
    vocabulary.Read({reinterpret_cast<const char*>(text.bytes().data()), text.bytes().size()}, min_count_);
    const auto size = static_cast<std::int64_t>(vocabulary.corpus.size());
    if (size / 10 < pairs_.window)
      return errors::InvalidArgument("The text file ", file_, " contains too little data: ", size, " words");
    pairs_.Begin(std::move(vocabulary));
    return OkStatus();
  }

  Status Run(OpKernelContext& context) {
    const tenon::MutexLock lock(mutex_);
    if (pairs_.vocabulary.corpus.empty()) TENON_RETURN_IF_ERROR(Begin());
    Tensor* out[7] = {};
    const auto words = static_cast<Index>(pairs_.vocabulary.words.size());
    const TensorShape shapes[7] = {{words}, {words}, {}, {}, {}, {batch_}, {batch_}};
    for (int i = 0; i < 7; ++i) TENON_RETURN_IF_ERROR(context.allocate_output(i, shapes[i], &out[i]));
    if (drawn_.empty()) TENON_RETURN_IF_ERROR(Draw(context));
    for (Index i = 0; i < batch_; ++i) {
      out[5]->data<std::int32_t>()[i] = drawn_[used_].word;
      out[6]->data<std::int32_t>()[i] = drawn_[used_].neighbour;
      if (++used_ == kDrawn) TENON_RETURN_IF_ERROR(Draw(context));
    }
    for (std::size_t i = 0; i < pairs_.vocabulary.words.size(); ++i) {
      out[0]->data<tstring>()[i].assign(pairs_.vocabulary.words[i]);
      out[1]->data<std::int32_t>()[i] = pairs_.vocabulary.counts[i];
    }
    *out[2]->data<std::int64_t>() = static_cast<std::int64_t>(pairs_.vocabulary.corpus.size());
    *out[3]->data<std::int32_t>() = pairs_.epoch;
    *out[4]->data<std::int64_t>() = pairs_.processed;
    return OkStatus();
  }
  Status Draw(const OpKernelContext& context) {
    drawn_.clear();
    used_ = 0;
    for (std::size_t i = 0; i < kDrawn; ++i) {
      Pair pair{};
      Status status = pairs_.Next(context.cancellation_manager(), &pair.word, &pair.neighbour);
      if (!status.ok()) drawn_.clear();
      TENON_RETURN_IF_ERROR(status);
      drawn_.push_back(pair);
    }
    return OkStatus();
  }

  std::string file_;
  std::int64_t batch_ = 0, min_count_ = 0;
  Mutex mutex_;
  SkipgramPairs pairs_;
  SlimVector<Pair> drawn_;
  std::size_t used_ = 0;
};

class NegTrainKernel : public OpKernel {
 public:
  explicit NegTrainKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(Init(*c)); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  Status Init(const OpKernelConstruction& c) {
    SlimVector<std::int64_t> counts;
    TENON_RETURN_IF_ERROR(c.GetAttr("vocab_count", &counts));
    TENON_RETURN_IF_ERROR(c.GetAttr("num_negative_samples", &samples_));
    SlimVector<float> weights;
    double sum = 0;
    for (const std::int64_t count : counts) {
      if (count < 0) return errors::InvalidArgument("NegTrain: vocab_count must not be negative, got ", count);
      weights.push_back(std::pow(static_cast<float>(count), 0.75f));
      sum += static_cast<double>(weights.back());
    }
    size_ = static_cast<Index>(weights.size());
    if (!(sum > 0)) return errors::InvalidArgument("NegTrain: vocab_count must have a number above 0");
    if (samples_ > std::numeric_limits<std::int32_t>::max())
      return errors::InvalidArgument("NegTrain: num_negative_samples must be an int32, got ", samples_);
    table_ = AliasTable(weights);
    stream_.Seed(0, 0);
    return OkStatus();
  }

  Status Run(OpKernelContext& context) {
    const Tensor &examples = context.input(2), &labels = context.input(3), &rate = context.input(4);
    LockedSlots matrices;
    TENON_RETURN_IF_ERROR(matrices.Open(context, 2, DataType::kFloat));
    if (matrices[0].dims() != 2) return errors::InvalidArgument("Must be a matrix, got shape ", matrices[0].shape());
    if (matrices[0].shape() != matrices[1].shape())
      return errors::InvalidArgument("w_in.shape == w_out.shape is wanted, got ", matrices[0].shape(), " and ",
                                     matrices[1].shape());
    if (examples.dims() != 1) return errors::InvalidArgument("Must be a vector, got shape ", examples.shape());
    if (examples.shape() != labels.shape())
      return errors::InvalidArgument("examples.shape == labels.shape is wanted, got ", examples.shape(), " and ",
                                     labels.shape());
    if (rate.dims() != 0) return errors::InvalidArgument("Must be a scalar, got shape ", rate.shape());
    const Index size = matrices[0].dim_size(0), dims = matrices[0].dim_size(1), batch = examples.dim_size(0);
    if (size != size_) return errors::InvalidArgument("vocab_size mismatches: ", size, " vs. ", size_);
    for (const Tensor* const words : {&examples, &labels})
      for (Index i = 0; i < batch; ++i)
        if (const std::int32_t word = words->data<std::int32_t>()[i]; word < 0 || word >= size)
          return errors::InvalidArgument("NegTrain: word ", word, " is not in [0, ", size, ")");
    TENON_RETURN_IF_ERROR(matrices.MakeWritable(context));
    SlimVector<float> gradient(static_cast<std::size_t>(dims), 0.0f);
    float* const w_in = matrices[0].data<float>();
    float* const w_out = matrices[1].data<float>();
    const float lr = *rate.data<float>();
    // 8 words of the stream for each negative sample, as in TensorFlow.
    const std::int64_t draws = std::max<std::int64_t>(samples_, 0) * batch;
    PhiloxWords words(stream_.Reserve(2 * static_cast<std::uint64_t>(draws)));
    for (Index i = 0; i < batch; ++i) {
      float* const v = w_in + examples.data<std::int32_t>()[i] * dims;
      const std::int32_t label = labels.data<std::int32_t>()[i];
      float* const u = w_out + label * dims;
      const float g = 1 / (std::exp(Dot(v, u, dims)) + 1) * lr;
      for (Index d = 0; d < dims; ++d) gradient[static_cast<std::size_t>(d)] = u[d] * g;
      for (Index d = 0; d < dims; ++d) u[d] += v[d] * g;
      for (std::int64_t j = 0; j < samples_; ++j) {
        const Index sample = table_.Draw(&words);
        if (sample != label) Repel(v, w_out + sample * dims, lr, dims, gradient.data());
      }
      for (Index d = 0; d < dims; ++d) v[d] += gradient[static_cast<std::size_t>(d)];
    }
    return OkStatus();
  }
  static float Dot(const float* a, const float* b, Index n) {
    float sum = 0;
    for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
  static void Repel(const float* v, float* u, float rate, Index n, float* gradient) {
    const float g = -1 / (std::exp(-Dot(v, u, n)) + 1) * rate;
    for (Index d = 0; d < n; ++d) {
      gradient[d] += u[d] * g;
      u[d] += v[d] * g;
    }
  }

  std::int64_t samples_ = 0;
  Index size_ = 0;
  AliasTable table_;
  SeededGenerator stream_;
};

inline constexpr std::string_view kWord2VecMoved =
    "Moving word2vec into tensorflow_models/tutorials and deprecating its ops here as a result";

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// The words of a text file with their frequencies, and a batch of pairs of words at most window_size apart.
struct Skipgram {
  static constexpr auto signature = Op("Skipgram")
                                        .Output("vocab_word: string")
                                        .Output("vocab_freq: int32")
                                        .Output("words_per_epoch: int64")
                                        .Output("current_epoch: int32")
                                        .Output("total_words_processed: int64")
                                        .Output("examples: int32")
                                        .Output("labels: int32")
                                        .Attr("filename: string")
                                        .Attr("batch_size: int")
                                        .Attr("window_size: int = 5")
                                        .Attr("min_count: int = 5")
                                        .Attr("subsample: float = 0.001")
                                        .Deprecated(19, detail::kWord2VecMoved)
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SkipgramKernel {
    using SkipgramKernel::SkipgramKernel;
  };
};

// Brings the vectors of words and their neighbours together, and those of words drawn by frequency apart.
struct NegTrain {
  static constexpr auto signature = Op("NegTrain")
                                        .Input("w_in: Ref(float)")
                                        .Input("w_out: Ref(float)")
                                        .Input("examples: int32")
                                        .Input("labels: int32")
                                        .Input("lr: float")
                                        .Attr("vocab_count: list(int)")
                                        .Attr("num_negative_samples: int")
                                        .Deprecated(19, detail::kWord2VecMoved)
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::NegTrainKernel {
    using NegTrainKernel::NegTrainKernel;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
