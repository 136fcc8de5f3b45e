// SPDX-License-Identifier: Apache-2.0
#pragma once
// StringNGrams: neighbouring texts of each row joined, several at a time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status StringNGramsShape(InferenceContext* c) {
  ShapeHandle data, splits;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &data));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &splits));
  c->set_output(0, c->Vector(c->UnknownDim()));
  c->set_output(1, splits);
  return OkStatus();
}

// One row of texts with pads at its ends.
struct NGramMaker {
  std::string_view separator, left_pad, right_pad;
  Index pad_width;  // negative: as wide as there can be

  // Pads in front of the first text, and behind the last, of n-grams of this width.
  Index Pads(Index width) const { return std::min(pad_width < 0 ? width - 1 : pad_width, width - 1); }
  Index Count(Index length, Index width) const { return std::max<Index>(0, length + 2 * Pads(width) - width + 1); }

  void Make(const tstring* texts, tstring* out, Index count, Index width) const {
    const Index pads = Pads(width);
    for (Index i = 0; i < count; ++i) {
      const Index left = std::max<Index>(0, pads - i), right = std::max<Index>(0, pads - (count - (i + 1)));
      const Index tokens = width - (left + right), first = left > 0 ? 0 : i - pads;
      tstring& gram = out[i];
      bool begun = false;
      const auto add = [&](std::string_view part) {
        if (begun) gram.append(separator);
        gram.append(part);
        begun = true;
      };
      for (Index k = 0; k < left; ++k) add(left_pad);
      for (Index k = 0; k < tokens; ++k) add(texts[first + k].view());
      for (Index k = 0; k < right; ++k) add(right_pad);
    }
  }
};

}  // namespace detail

struct StringNGrams {
  static constexpr auto signature = Op("StringNGrams")
                                        .Attr("separator: string")
                                        .Attr("ngram_widths: list(int) >= 0")
                                        .Attr("left_pad: string")
                                        .Attr("right_pad: string")
                                        .Attr("pad_width: int")
                                        .Attr("preserve_short_sequences: bool")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .Input("data: string")
                                        .Input("data_splits: Tsplits")
                                        .Output("ngrams: string")
                                        .Output("ngrams_splits: Tsplits")
                                        .SetShapeFn(detail::StringNGramsShape);

  struct Attrs {
    std::string_view separator;
    std::span<const std::int64_t> ngram_widths;
    std::string_view left_pad;
    std::string_view right_pad;
    std::int64_t pad_width;
    bool preserve_short_sequences;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      for (const std::int64_t width : this->ngram_widths)
        if (width <= 0 || width > kMost)
          return errors::InvalidArgument("StringNGrams: ngram_widths must contain positive values of 32 bits, got ",
                                         width);
      if (this->pad_width > kMost || this->pad_width < -kMost)
        return errors::InvalidArgument("StringNGrams: pad_width ", this->pad_width, " is out of range [-", kMost, ", ",
                                       kMost, "]");
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor& data, HostIndices splits, Tensor&, Tensor&) const {
      return Run(context.op(), *this, data, splits);
    }
  };

 private:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

  static Status CheckSplits(const Tensor& data, const HostIndices& splits) {
    if (data.dims() != 1 || splits.shape().dims() != 1)
      return errors::InvalidArgument("StringNGrams: data and data_splits must be vectors, got ", data.shape(), " and ",
                                     splits.shape());
    const Index n = data.NumElements();
    if (splits.size() == 0) return OkStatus();
    if (splits[0] != 0) return errors::InvalidArgument("First split value must be 0, got ", splits[0]);
    for (Index i = 1; i < splits.size(); ++i)
      if (splits[i] < splits[i - 1] || splits[i] > n)
        return errors::InvalidArgument("Invalid split value ", splits[i], ", must be in [", splits[i - 1], ", ", n,
                                       "]");
    if (splits[splits.size() - 1] != n)
      return errors::InvalidArgument("Last split value must be data size. Expected ", n, ", got ",
                                     splits[splits.size() - 1]);
    return OkStatus();
  }
  static Status Run(OpKernelContext& context, const Attrs& attrs, const Tensor& data, const HostIndices& splits) {
    TENON_RETURN_IF_ERROR(CheckSplits(data, splits));
    const detail::NGramMaker maker{attrs.separator, attrs.left_pad, attrs.right_pad, attrs.pad_width};
    const Index rows = splits.size() - 1;
    const bool nothing = data.NumElements() == 0 || splits.size() == 0;
    Tensor *ngrams = nullptr, *out_splits = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(1, splits.shape(), &out_splits));
    const auto store = [out_splits](Index i, Index value) {
      if (out_splits->dtype() == DataType::kInt32)
        out_splits->data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
      else
        out_splits->data<std::int64_t>()[i] = value;
    };
    Index total = splits.size() == 0 ? data.NumElements() : 0;  // without rows: empty texts, as in TensorFlow
    if (splits.size() > 0) store(0, 0);
    for (Index row = 0; row < rows; ++row) {
      const Index length = splits[row + 1] - splits[row];
      const Index before = total;
      if (!nothing)
        for (const std::int64_t width : attrs.ngram_widths) {
          if (maker.Pads(width) > (kMost - length) / 2)
            return errors::InvalidArgument("Pad width could lead to integer overflow, got pad_width = ",
                                           maker.Pads(width), " for a row of ", length, " texts");
          total += maker.Count(length, width);
        }
      if (!nothing && attrs.preserve_short_sequences && length > 0 && total == before) ++total;
      if (total > kMost)
        return errors::InvalidArgument("StringNGrams: more than ", kMost, " n-grams, the last of row ", row);
      store(row + 1, total);
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({total}), &ngrams));
    if (nothing || total == 0) return OkStatus();
    return Fill(attrs, maker, data, splits, ngrams);
  }
  static Status Fill(const Attrs& attrs, const detail::NGramMaker& maker, const Tensor& data, const HostIndices& splits,
                     Tensor* ngrams) {
    tstring* out = ngrams->data<tstring>();
    for (Index row = 0; row + 1 < splits.size(); ++row) {
      const tstring* const texts = data.data<tstring>() + splits[row];
      const Index length = splits[row + 1] - splits[row];
      tstring* const before = out;
      for (const std::int64_t width : attrs.ngram_widths) {
        const Index count = maker.Count(length, width);
        maker.Make(texts, out, count, width);
        out += count;
      }
      if (!attrs.preserve_short_sequences || length == 0 || out != before) continue;
      if (attrs.pad_width < 0)
        return errors::InvalidArgument(
            "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got ",
            attrs.pad_width);
      maker.Make(texts, out++, 1, length + 2 * attrs.pad_width);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
