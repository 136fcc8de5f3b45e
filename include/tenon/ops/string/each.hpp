// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops on each string alone: StringLength, StringLower, StringUpper, StringStrip, Substr, EncodeBase64, DecodeBase64.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/text/case_mapping.hpp>
#include <tenon/engine/text/strings.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// Bytes, or characters: bytes that begin one.
struct StringLength {
  static constexpr auto signature = Op("StringLength")
                                        .Input("input: string")
                                        .Output("output: int32")
                                        .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view unit;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device&, In<tstring> input, Out<std::int32_t> output) const {
      const bool bytes = this->unit == "BYTE";
      for (Index i = 0; i < input.size(); ++i)
        output[i] = static_cast<std::int32_t>(bytes ? static_cast<Index>(input[i].size()) : CountUtf8(input[i].view()));
      return OkStatus();
    }
  };
};

namespace detail {

inline void LowerAscii(std::string_view in, tstring* out) {
  out->resize_uninitialized(in.size());
  std::transform(in.begin(), in.end(), out->mdata(), AsciiLower);
}
inline void UpperAscii(std::string_view in, tstring* out) {
  out->resize_uninitialized(in.size());
  std::transform(in.begin(), in.end(), out->mdata(), AsciiUpper);
}
inline Status CheckCaseEncoding(std::string_view encoding) {
  if (encoding.empty() || encoding == "utf-8") return OkStatus();
  return errors::InvalidArgument("only utf-8 or '' (no encoding) is supported, received ", encoding);
}

}  // namespace detail

// ASCII letters only, or with encoding 'utf-8' all letters; bytes that are not UTF-8 become U+FFFD then.
struct StringLower {
  static constexpr auto signature = Op("StringLower")
                                        .Input("input: string")
                                        .Output("output: string")
                                        .Attr("encoding: string =''")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view encoding;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::CheckCaseEncoding(this->encoding); }
    Status operator()(Device& device, In<tstring> input, Out<tstring> output) const {
      const bool ascii = this->encoding.empty();
      MapTexts(device, input.data, output.data, input.size(), ascii ? 30 : 300,
               ascii ? &detail::LowerAscii : &LowerUtf8);
      return OkStatus();
    }
  };
};

struct StringUpper {
  static constexpr auto signature = Op("StringUpper")
                                        .Input("input: string")
                                        .Output("output: string")
                                        .Attr("encoding: string =''")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view encoding;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return detail::CheckCaseEncoding(this->encoding); }
    Status operator()(Device& device, In<tstring> input, Out<tstring> output) const {
      const bool ascii = this->encoding.empty();
      MapTexts(device, input.data, output.data, input.size(), ascii ? 30 : 300,
               ascii ? &detail::UpperAscii : &UpperUtf8);
      return OkStatus();
    }
  };
};

struct StringStrip {
  static constexpr auto signature =
      Op("StringStrip").Input("input: string").Output("output: string").SetShapeFn(shape_inference::UnchangedShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device& device, In<tstring> input, Out<tstring> output) const {
      MapTexts(device, input.data, output.data, input.size(), 30,
               [](std::string_view in, tstring* out) { out->assign(WithoutSpaces(in)); });
      return OkStatus();
    }
  };
};

namespace detail {

inline Status SubstrShape(InferenceContext* c) {
  const ShapeHandle pos = c->input(1), len = c->input(2);
  ShapeHandle unused;
  if (c->RankKnown(len)) TENON_RETURN_IF_ERROR(c->WithRank(pos, c->Rank(len), &unused));
  // As in TensorFlow, a size that is known differs from one that is not.
  for (std::int32_t d = 0; d < c->Rank(pos); ++d)
    if (c->Value(c->Dim(pos, d)) != c->Value(c->Dim(len, d)))
      return errors::InvalidArgument("pos and len shapes must match: ", c->DebugString(pos), " vs. ",
                                     c->DebugString(len));
  return shape_inference::BroadcastBinaryOpShapeFn(c);
}

// The bytes of `text` that `length` characters from number `pos` on take; false when pos is outside. Negative positions
// count from the end; there a negative length is outside too, elsewhere it is 0.
inline bool SubstrUtf8(std::string_view text, Index pos, Index length, std::string_view* out) {
  const auto forward = [text](std::size_t from, Index count, Index* counted) {
    for (*counted = 0; *counted < count && from < text.size(); ++*counted) do
        ++from;
      while (from < text.size() && IsUtf8Trail(text[from]));
    return from;
  };
  std::size_t begin = 0;
  Index counted = 0;
  if (pos >= 0) {
    begin = forward(0, pos, &counted);
    if (counted < pos) return false;
  } else {
    begin = text.size();
    for (; counted > pos && begin > 0; --counted) do
        --begin;
      while (begin > 0 && IsUtf8Trail(text[begin]));
    if (counted > pos || length < 0) return false;
  }
  *out = text.substr(begin, forward(begin, length, &counted) - begin);
  return true;
}
// SubstrUtf8 in bytes. A negative length takes all the rest.
inline bool SubstrBytes(std::string_view text, Index pos, Index length, std::string_view* out) {
  const Index size = static_cast<Index>(text.size());
  if (pos < -size || pos > size) return false;
  const auto begin = static_cast<std::size_t>(pos < 0 ? pos + size : pos);
  *out = length < 0 ? text.substr(begin) : text.substr(begin, static_cast<std::size_t>(length));
  return true;
}

}  // namespace detail

// input[i][pos[i] : pos[i] + len[i]], input and pos broadcast; in bytes or in characters.
struct Substr {
  static constexpr auto signature = Op("Substr")
                                        .Input("input: string")
                                        .Input("pos: T")
                                        .Input("len: T")
                                        .Output("output: string")
                                        .Attr("T: {int32, int64}")
                                        .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
                                        .SetShapeFn(detail::SubstrShape);

  struct Attrs {
    std::string_view unit;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices pos, HostIndices len, Tensor&) const {
      return Run(context.op(), this->unit == "UTF8_CHAR", input, pos, len);
    }
  };

 private:
  static Status Run(OpKernelContext& context, bool utf8, const Tensor& input, const HostIndices& pos,
                    const HostIndices& len) {
    if (!(pos.shape() == len.shape()))
      return errors::InvalidArgument("Substr: pos and len should have the same shape, got: ", pos.shape(), " vs. ",
                                     len.shape());
    TensorShape shape;
    BroadcastPlan plan;
    TENON_RETURN_IF_ERROR(BroadcastShape(input.shape(), pos.shape(), &shape));
    if (pos.shape().dims() != 0 && !(pos.shape() == input.shape()) && shape.dims() > 2)
      return errors::Unimplemented("Substr broadcast not implemented for ", shape.dims(), " dimensions");
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    if (shape.num_elements() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(plan.Make(input.shape(), pos.shape(), shape));
    const tstring* const texts = input.data<tstring>();
    for (Index i = 0; i < shape.num_elements(); ++i) {
      Index from = 0, at = 0, rest = i;
      for (int d = plan.rank - 1; d >= 0; rest /= plan.size[d], --d) {
        from += rest % plan.size[d] * plan.stride_a[d];
        at += rest % plan.size[d] * plan.stride_b[d];
      }
      const std::string_view text = texts[from].view();
      std::string_view part;
      if (!(utf8 ? detail::SubstrUtf8(text, pos[at], len[at], &part)
                 : detail::SubstrBytes(text, pos[at], len[at], &part)))
        return errors::InvalidArgument("Substr: pos ", pos[at], " out of range for string b'", CEscape(text),
                                       "' at index ", i);
      out->data<tstring>()[i].assign(part);
    }
    return OkStatus();
  }
};

struct EncodeBase64 {
  static constexpr auto signature = Op("EncodeBase64")
                                        .Input("input: string")
                                        .Output("output: string")
                                        .Attr("pad: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    bool pad;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device&, In<tstring> input, Out<tstring> output) const {
      for (Index i = 0; i < input.size(); ++i) output[i].assign(tenon::EncodeBase64(input[i].view(), this->pad));
      return OkStatus();
    }
  };
};

struct DecodeBase64 {
  static constexpr auto signature =
      Op("DecodeBase64").Input("input: string").Output("output: string").SetShapeFn(shape_inference::UnchangedShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> input, Out<tstring> output) const {
      std::string bytes;
      for (Index i = 0; i < input.size(); ++i) {
        if (const char* mistake = tenon::DecodeBase64(input[i].view(), &bytes))
          return errors::InvalidArgument("DecodeBase64: ", mistake, " Element ", i);
        output[i].assign(bytes);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
