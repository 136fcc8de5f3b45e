// SPDX-License-Identifier: Apache-2.0
#pragma once
// UnicodeTranscode, UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeScript: strings and code points.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/charset.hpp>
#include <tenon/engine/text/unicode_scripts.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The treatment of bytes that are not a character: replaced, left out, or the end of the run.
struct UnicodeErrors {
  bool strict = false, ignore = false, control_characters = false;
  std::int32_t replacement = kReplacementCharacter;

  Status Read(std::string_view errors, std::int64_t replacement_char, bool replace_control_characters) {
    if (replacement_char < 0 || replacement_char > kLargestCodePoint)
      return errors::InvalidArgument("replacement_char out of unicode codepoint range: ", replacement_char,
                                     " is not in [0, ", kLargestCodePoint, "]");
    strict = errors == "strict";
    ignore = errors == "ignore";
    control_characters = replace_control_characters;
    replacement = static_cast<std::int32_t>(replacement_char);
    return OkStatus();
  }
  // The code that stands for a character as it was read, or TextDecoder::kNone; kInvalid: the run must fail. With
  // `strict`, control characters are mistakes for UnicodeTranscode only.
  std::int32_t Apply(std::int32_t code, bool strict_control) const {
    const bool control = control_characters && code >= 0 && code <= 0x1f;
    if (code != TextDecoder::kInvalid && !control) return code;
    if (strict && (!control || strict_control)) return TextDecoder::kInvalid;
    return ignore ? TextDecoder::kNone : replacement;
  }
};

inline Status OpenDecoder(std::string_view encoding, TextDecoder* decoder) {
  if (decoder->Open(encoding)) return OkStatus();
  return errors::InvalidArgument(
      "Could not create converter for input encoding: ", encoding,
      "; there are UTF-8, UTF-16, UTF-32 (-BE, -LE), US-ASCII, ISO-8859-1 and what the C library's iconv knows");
}
inline Charset OutputCharset(std::string_view encoding) {
  return encoding == "UTF-16-BE" ? Charset::kUtf16 : encoding == "UTF-32-BE" ? Charset::kUtf32 : Charset::kUtf8;
}
// A surrogate, which no string may hold, becomes U+FFFD.
inline std::int32_t Scalar(std::int32_t code) { return IsSurrogate(code) ? kReplacementCharacter : code; }

inline Status UnicodeDecodeShape(InferenceContext* c) {
  const DimensionHandle texts = c->NumElements(c->input(0));
  DimensionHandle splits;
  TENON_RETURN_IF_ERROR(c->Add(texts, 1, &splits));
  c->set_output(0, c->Vector(splits));
  for (int i = 1; i < c->num_outputs(); ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  return OkStatus();
}
inline Status UnicodeEncodeShape(InferenceContext* c) {
  ShapeHandle unused;
  DimensionHandle rows;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->Subtract(c->Dim(c->input(1), 0), 1, &rows));
  c->set_output(0, c->Vector(rows));
  return OkStatus();
}

// Output 0: where each string's characters begin; output 1: the characters; output 2, where there is one: the byte at
// which each begins in its string.
inline Status DecodeTexts(OpKernelContext& context, std::string_view encoding, const UnicodeErrors& errors) {
  const Tensor& input = context.input(0);
  TextDecoder decoder;
  SlimVector<std::int32_t> codes;
  SlimVector<std::int64_t> starts;
  Tensor *splits = nullptr, *values = nullptr, *offsets = nullptr;
  TENON_RETURN_IF_ERROR(OpenDecoder(encoding, &decoder));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({input.NumElements() + 1}), &splits));
  for (Index i = 0; i <= input.NumElements(); ++i) {
    const auto total = static_cast<std::int64_t>(codes.size());
    if (splits->dtype() == DataType::kInt64)
      splits->data<std::int64_t>()[i] = total;
    else if (total <= std::numeric_limits<std::int32_t>::max())
      splits->data<std::int32_t>()[i] = static_cast<std::int32_t>(total);
    else
      return errors::InvalidArgument("UnicodeDecode: ", total, " characters are too many for splits of type int32");
    if (i == input.NumElements()) break;
    const std::string_view text = input.data<tstring>()[i].view();
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Character c = decoder.Next(text, at);
      const std::int32_t code = errors.Apply(c.code, false);
      if (code == TextDecoder::kInvalid)
        return errors::InvalidArgument("Invalid formatting on input string ", i, " at byte ", at);
      if (code != TextDecoder::kNone) {
        codes.push_back(code);
        starts.push_back(static_cast<std::int64_t>(at));
      }
      at += static_cast<std::size_t>(c.bytes);
    }
  }
  const auto n = static_cast<Index>(codes.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &values));
  for (Index i = 0; i < n; ++i) values->data<std::int32_t>()[i] = codes[static_cast<std::size_t>(i)];
  if (context.num_outputs() < 3) return OkStatus();
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({n}), &offsets));
  for (Index i = 0; i < n; ++i) offsets->data<std::int64_t>()[i] = starts[static_cast<std::size_t>(i)];
  return OkStatus();
}

}  // namespace detail

struct UnicodeTranscode {
  static constexpr auto signature = Op("UnicodeTranscode")
                                        .Input("input: string")
                                        .Output("output: string")
                                        .Attr("input_encoding: string")
                                        .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
                                        .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
                                        .Attr("replacement_char: int = 65533")
                                        .Attr("replace_control_characters: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view input_encoding;
    std::string_view output_encoding;
    std::string_view errors;
    std::int64_t replacement_char;
    bool replace_control_characters;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      TextDecoder decoder;
      TENON_RETURN_IF_ERROR(detail::OpenDecoder(this->input_encoding, &decoder));
      return rules.Read(this->errors, this->replacement_char, this->replace_control_characters);
    }
    Status operator()(Device&, In<tstring> input, Out<tstring> output) const {
      return Run(*this, rules, input, output);
    }
    detail::UnicodeErrors rules;
  };

 private:
  static Status Run(const Attrs& attrs, const detail::UnicodeErrors& rules, const In<tstring>& input,
                    const Out<tstring>& output) {
    TextDecoder decoder;
    TENON_RETURN_IF_ERROR(detail::OpenDecoder(attrs.input_encoding, &decoder));
    const Charset charset = detail::OutputCharset(attrs.output_encoding);
    std::string out;
    for (Index i = 0; i < input.size(); ++i) {
      const std::string_view text = input[i].view();
      out.clear();
      for (std::size_t at = 0; at < text.size();) {
        const Utf8Character c = decoder.Next(text, at);
        const std::int32_t code = rules.Apply(c.code, true);
        if (code == TextDecoder::kInvalid)
          return errors::InvalidArgument("Invalid formatting on input string ", i, " at byte ", at);
        if (code != TextDecoder::kNone) AppendEncoded(charset, detail::Scalar(code), &out);
        at += static_cast<std::size_t>(c.bytes);
      }
      output[i].assign(out);
    }
    return OkStatus();
  }
};

// Strings to the characters of all of them, and where each string's characters begin.
struct UnicodeDecode {
  static constexpr auto signature = Op("UnicodeDecode")
                                        .Input("input: string")
                                        .Output("row_splits: Tsplits")
                                        .Output("char_values: int32")
                                        .Attr("input_encoding: string")
                                        .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
                                        .Attr("replacement_char: int = 65533")
                                        .Attr("replace_control_characters: bool = false")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::UnicodeDecodeShape);

  struct Attrs {
    std::string_view input_encoding;
    std::string_view errors;
    std::int64_t replacement_char;
    bool replace_control_characters;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      return rules.Read(this->errors, this->replacement_char, this->replace_control_characters);
    }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&) const {
      return detail::DecodeTexts(context.op(), this->input_encoding, rules);
    }
    detail::UnicodeErrors rules;
  };
};

struct UnicodeDecodeWithOffsets {
  static constexpr auto signature = Op("UnicodeDecodeWithOffsets")
                                        .Input("input: string")
                                        .Output("row_splits: Tsplits")
                                        .Output("char_values: int32")
                                        .Output("char_to_byte_starts: int64")
                                        .Attr("input_encoding: string")
                                        .Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'")
                                        .Attr("replacement_char: int = 65533")
                                        .Attr("replace_control_characters: bool = false")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::UnicodeDecodeShape);

  struct Attrs {
    std::string_view input_encoding;
    std::string_view errors;
    std::int64_t replacement_char;
    bool replace_control_characters;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      return rules.Read(this->errors, this->replacement_char, this->replace_control_characters);
    }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::DecodeTexts(context.op(), this->input_encoding, rules);
    }
    detail::UnicodeErrors rules;
  };
};

// Characters, and where each string's characters begin, to strings.
struct UnicodeEncode {
  static constexpr auto signature = Op("UnicodeEncode")
                                        .Input("input_values: int32")
                                        .Input("input_splits: Tsplits")
                                        .Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
                                        .Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
                                        .Attr("replacement_char: int = 65533")
                                        .Attr("Tsplits: {int32, int64} = DT_INT64")
                                        .Output("output: string")
                                        .SetShapeFn(detail::UnicodeEncodeShape);

  struct Attrs {
    std::string_view errors;
    std::string_view output_encoding;
    std::int64_t replacement_char;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return rules.Read(this->errors, this->replacement_char, false); }
    Status operator()(Context<Device>& context, const Tensor& values, HostIndices splits, Tensor&) const {
      return Run(context.op(), detail::OutputCharset(this->output_encoding), rules, values, splits);
    }
    detail::UnicodeErrors rules;
  };

 private:
  static Status Run(OpKernelContext& context, Charset charset, const detail::UnicodeErrors& rules, const Tensor& values,
                    const HostIndices& splits) {
    if (values.dims() != 1 || splits.shape().dims() != 1)
      return errors::InvalidArgument("Both the input_tensor and input_splits should be of rank 1. Got ", values.shape(),
                                     " and ", splits.shape());
    const Index n = values.NumElements(), rows = splits.size() - 1;
    if (rows < 0) return errors::InvalidArgument("input_splits should have at least one element");
    if (splits[0] != 0) return errors::InvalidArgument("First value in input_splits must be zero., got ", splits[0]);
    for (Index i = 0; i < rows; ++i)
      if (splits[i + 1] < splits[i])
        return errors::InvalidArgument("Values in input_splits must be equal or in ascending order., got ", splits[i],
                                       " followed by ", splits[i + 1]);
    if (splits[rows] != n)
      return errors::InvalidArgument("Last value in input_splits must be equal to length of input_tensor. Got ",
                                     splits[rows], " and ", n);
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({rows}), &out));
    std::string text;
    for (Index row = 0; row < rows; ++row) {
      text.clear();
      for (Index i = splits[row]; i < splits[row + 1]; ++i) {
        std::int32_t code = values.data<std::int32_t>()[i];
        if (code < 0 || code > kLargestCodePoint || IsSurrogate(code)) {
          if (rules.strict)
            return errors::InvalidArgument("Code point is out of range for Unicode, or is a surrogate: ", code,
                                           " at position ", i);
          if (rules.ignore) continue;
          code = detail::Scalar(rules.replacement);
        }
        AppendEncoded(charset, code, &text);
      }
      out->data<tstring>()[row].assign(text);
    }
    return OkStatus();
  }
};

// ICU's number of the script that each character belongs to; -1 for a number that is not a character.
struct UnicodeScript {
  static constexpr auto signature =
      Op("UnicodeScript").Input("input: int32").Output("output: int32").SetShapeFn(shape_inference::UnchangedShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<std::int32_t> input, Forward<std::int32_t, 0> output) const {
      ScriptsOf(input.data, input.size(), output.data);
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
