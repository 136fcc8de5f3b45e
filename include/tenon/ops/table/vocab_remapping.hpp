// SPDX-License-Identifier: Apache-2.0
#pragma once
// GenerateVocabRemapping: the places that the words of one vocabulary file have in another one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/ops/table/table_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status VocabRemappingShape(InferenceContext* c) {
  ShapeHandle unused;
  std::int64_t count = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  TENON_RETURN_IF_ERROR(c->GetAttr("num_new_vocab", &count));
  c->set_output(0, c->Vector(count));
  c->set_output(1, c->Scalar());
  return OkStatus();
}

// The lines of a file, which they are views of.
struct Vocabulary {
  MappedFile file;
  SlimVector<std::string_view> words;

  static Result<Vocabulary> Open(std::string_view which, const Tensor& filename, std::int64_t size) {
    if (filename.dims() != 0)
      return errors::InvalidArgument(which, "_vocab_file should be a single string, but got ", filename.shape());
    const std::string path(filename.data<tstring>()->view());
    if (path.empty()) return errors::InvalidArgument(which, " vocab filename cannot be empty.");
    TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path, FileAccess::kRead));
    Vocabulary made{std::move(file), {}};
    const VocabularyRule rule{path, kWholeLine, kLineNumber, size, 0, '\t'};
    const Span<const std::byte> bytes = made.file.bytes();
    TENON_RETURN_IF_ERROR(
        VocabularyLines({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, rule, &made.words));
    return made;
  }
};

// A word and its place, in the order of the words.
struct PlacedWord {
  std::string_view word;
  std::int64_t place;
  bool operator<(const PlacedWord& other) const { return word == other.word ? place < other.place : word < other.word; }
};
inline Status SortWords(const Vocabulary& vocabulary, SlimVector<PlacedWord>* sorted) {
  for (std::size_t i = 0; i < vocabulary.words.size(); ++i)
    sorted->push_back({vocabulary.words[i], static_cast<std::int64_t>(i)});
  std::sort(sorted->begin(), sorted->end());
  for (std::size_t i = 1; i < sorted->size(); ++i)
    if ((*sorted)[i].word == (*sorted)[i - 1].word)
      return errors::FailedPrecondition("HashTable has different value for same key. Key ", (*sorted)[i].word, " has ",
                                        (*sorted)[i - 1].place, " and trying to add value ", (*sorted)[i].place);
  return OkStatus();
}

struct VocabRemappingAttrs {
  std::int64_t new_vocab_offset, num_new_vocab, old_vocab_size;
};
inline Status RemapVocabulary(OpKernelContext& context, const VocabRemappingAttrs& attrs, const Tensor& new_file,
                              const Tensor& old_file) {
  TENON_ASSIGN_OR_RETURN(const Vocabulary words, Vocabulary::Open("new", new_file, -1));
  const auto count = static_cast<std::int64_t>(words.words.size());
  if (attrs.new_vocab_offset > count || attrs.num_new_vocab > count - attrs.new_vocab_offset)
    return errors::InvalidArgument("lookup table size must be larger than last new vocab entry's line");
  TENON_ASSIGN_OR_RETURN(const Vocabulary old, Vocabulary::Open("old", old_file, attrs.old_vocab_size));
  SlimVector<PlacedWord> sorted;
  TENON_RETURN_IF_ERROR(SortWords(old, &sorted));
  Tensor *remapping = nullptr, *present = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({attrs.num_new_vocab}), &remapping));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape(), &present));
  std::int32_t found = 0;
  for (std::int64_t i = 0; i < attrs.num_new_vocab; ++i) {
    const std::string_view word = words.words[static_cast<std::size_t>(attrs.new_vocab_offset + i)];
    const PlacedWord* const at = std::lower_bound(sorted.begin(), sorted.end(), PlacedWord{word, 0});
    const bool known = at != sorted.end() && at->word == word;
    remapping->data<std::int64_t>()[i] = known ? at->place : -1;
    found += known ? 1 : 0;
  }
  *present->data<std::int32_t>() = found;
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// Output i is the line of the old file that holds the new file's line new_vocab_offset + i, or -1.
struct GenerateVocabRemapping {
  static constexpr auto signature = Op("GenerateVocabRemapping")
                                        .Input("new_vocab_file: string")
                                        .Input("old_vocab_file: string")
                                        .Attr("new_vocab_offset: int >= 0")
                                        .Attr("num_new_vocab: int >= 0")
                                        .Attr("old_vocab_size: int >= -1 = -1")
                                        .Output("remapping: int64")
                                        .Output("num_present: int32")
                                        .SetShapeFn(detail::VocabRemappingShape);
  using Attrs = detail::VocabRemappingAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& new_file, const Tensor& old_file, Tensor&,
                      Tensor&) const {
      return detail::RemapVocabulary(context.op(), *this, new_file, old_file);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
