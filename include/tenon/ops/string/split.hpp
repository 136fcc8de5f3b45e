// SPDX-License-Identifier: Apache-2.0
#pragma once
// StringSplit, StringSplitV2: texts cut into pieces, as a sparse tensor [texts, most pieces].

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/strings.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status StringSplitShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Matrix(c->UnknownDim(), 2));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(2));
  return OkStatus();
}

using Pieces = SlimVector<std::string_view>;

// Any byte of `delimiters` separates; without delimiters every byte is a piece. An empty text has no pieces.
inline void SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty, Pieces* pieces) {
  if (text.empty()) return;
  if (delimiters.empty()) {
    for (std::size_t i = 0; i < text.size(); ++i) pieces->push_back(text.substr(i, 1));
    return;
  }
  constexpr std::size_t kTogether = 64;
  std::string_view some[kTogether];
  std::size_t count = 0;
  bool separates[256] = {};
  for (const char c : delimiters) separates[static_cast<unsigned char>(c)] = true;
  const char *begin = text.data(), *const end = begin + text.size();
  for (const char* at = begin;; ++at) {
    while (at != end && !separates[static_cast<unsigned char>(*at)]) ++at;
    if (!skip_empty || at != begin) some[count++] = {begin, static_cast<std::size_t>(at - begin)};
    if (at == end || count == kTogether) {
      pieces->append(some, some + count);
      count = 0;
    }
    if (at == end) return;
    begin = at + 1;
  }
}
// As Python's str.split: the whole separator, or runs of white space where it is empty. At most `most` cuts unless that
// is negative.
inline void SplitAtText(std::string_view text, std::string_view separator, Index most, Pieces* pieces) {
  const auto skip_spaces = [&text] {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  };
  Index cuts = 0;
  if (most == 0) return pieces->push_back(text);
  if (separator.empty()) {
    for (skip_spaces(); !text.empty();) {
      const auto end = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), IsSpace) - text.begin());
      pieces->push_back(text.substr(0, end));
      text.remove_prefix(end);
      skip_spaces();
      if (++cuts == most) return pieces->push_back(text);
    }
    return;
  }
  for (std::size_t at; (at = text.find(separator)) != text.npos;) {
    pieces->push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
    if (++cuts == most) break;
  }
  pieces->push_back(text);
}

// The pieces of all texts as the outputs; counts: of each text.
inline Status WritePieces(OpKernelContext& context, const Pieces& pieces, const SlimVector<Index>& counts) {
  Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
  const auto n = static_cast<Index>(pieces.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, 2}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &values));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({2}), &shape));
  Index at = 0, most = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    most = std::max(most, counts[i]);
    for (Index k = 0; k < counts[i]; ++k, ++at) {
      indices->data<std::int64_t>()[2 * at] = static_cast<std::int64_t>(i);
      indices->data<std::int64_t>()[2 * at + 1] = k;
      values->data<tstring>()[at].assign(pieces[static_cast<std::size_t>(at)]);
    }
  }
  shape->data<std::int64_t>()[0] = static_cast<std::int64_t>(counts.size());
  shape->data<std::int64_t>()[1] = most;
  return OkStatus();
}

// `cut` says how one text is cut; `option` is for it.
inline Status SplitTexts(OpKernelContext& context, const char* separator_name, Index option,
                         void (*cut)(std::string_view text, std::string_view separator, Index option, Pieces* pieces)) {
  const Tensor &input = context.input(0), &separator = context.input(1);
  if (input.dims() != 1) return errors::InvalidArgument("input must be a vector, got shape: ", input.shape());
  if (separator.dims() != 0)
    return errors::InvalidArgument(separator_name, " must be a scalar, got shape: ", separator.shape());
  Pieces pieces;
  SlimVector<Index> counts;
  for (Index i = 0; i < input.NumElements(); ++i) {
    const std::size_t before = pieces.size();
    cut(input.data<tstring>()[i].view(), separator.data<tstring>()[0].view(), option, &pieces);
    counts.push_back(static_cast<Index>(pieces.size() - before));
  }
  return WritePieces(context, pieces, counts);
}

}  // namespace detail

// At every byte of `delimiter`.
struct StringSplit {
  static constexpr auto signature = Op("StringSplit")
                                        .Input("input: string")
                                        .Input("delimiter: string")
                                        .Output("indices: int64")
                                        .Output("values: string")
                                        .Output("shape: int64")
                                        .Attr("skip_empty: bool = true")
                                        .SetShapeFn(detail::StringSplitShape);

  struct Attrs {
    bool skip_empty;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::SplitTexts(
          context.op(), "delimiter", this->skip_empty ? 1 : 0,
          [](std::string_view text, std::string_view separator, Index option, detail::Pieces* pieces) {
            detail::SplitAtAny(text, separator, option != 0, pieces);
          });
    }
  };
};

// At every `sep`, or at white space where that is empty.
struct StringSplitV2 {
  static constexpr auto signature = Op("StringSplitV2")
                                        .Input("input: string")
                                        .Input("sep: string")
                                        .Output("indices: int64")
                                        .Output("values: string")
                                        .Output("shape: int64")
                                        .Attr("maxsplit: int = -1")
                                        .SetShapeFn(detail::StringSplitShape);

  struct Attrs {
    std::int64_t maxsplit;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::SplitTexts(context.op(), "sep", this->maxsplit, &detail::SplitAtText);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
