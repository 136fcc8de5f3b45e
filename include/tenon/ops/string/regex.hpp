// SPDX-License-Identifier: Apache-2.0
#pragma once
// RegexReplace, RegexFullMatch and their forms with a fixed pattern, by RE2. They need the component tenon::re2, which
// defines TENON_WITH_RE2 (the same in all files of a program); without it the ops match literal beginnings only.

#include <string>
#include <string_view>

#ifdef TENON_WITH_RE2
#include <re2/re2.h>
#endif

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status RegexMatchShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}
inline Status RegexReplaceShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return RegexMatchShape(c);
}

// Without RE2: whether texts begin with a literal, "^s3://.*". The savers of TensorFlow 2 ask nothing else.
class PrefixRegex {
 public:
  Status Compile(std::string_view pattern) {
    if (pattern.starts_with('^')) pattern.remove_prefix(1);
    if (pattern.ends_with(".*") && pattern.find_first_of("\\^$.|?*+()[]{}") == pattern.size() - 2) {
      prefix_ = pattern.substr(0, pattern.size() - 2);
      return OkStatus();
    }
    return errors::Unimplemented(
        "regular expressions need RE2: link the CMake component tenon::re2, or define TENON_WITH_RE2 and link -lre2");
  }
  Status Replace(std::string_view, bool, In<tstring>, Out<tstring>) const {
    return errors::Unimplemented("RegexReplace needs RE2: link the CMake component tenon::re2");
  }
  Status FullMatch(In<tstring> in, Out<bool> out) const {
    for (Index i = 0; i < in.size(); ++i) {
      const std::string_view text = in[i].view();  // a dot is no end of a line
      out[i] = text.starts_with(prefix_) && text.find('\n', prefix_.size()) == text.npos;
    }
    return OkStatus();
  }

 private:
  std::string_view prefix_;
};
// A compiled pattern. immutable after Compile.
#ifdef TENON_WITH_RE2
class Re2Regex {
 public:
  Status Compile(std::string_view pattern) {
    RE2::Options options;
    options.set_log_errors(false);
    regex_ = Owned<RE2>(new RE2(re2::StringPiece(pattern.data(), pattern.size()), options));
    if (regex_->ok()) return OkStatus();
    return errors::InvalidArgument("Invalid pattern: ", pattern, ", error: ", regex_->error());
  }
  Status Replace(std::string_view rewrite, bool all, In<tstring> in, Out<tstring> out) const {
    const re2::StringPiece to(rewrite.data(), rewrite.size());
    std::string text;
    for (Index i = 0; i < in.size(); ++i) {
      text.assign(in[i].data(), in[i].size());
      if (all)
        RE2::GlobalReplace(&text, *regex_, to);
      else
        RE2::Replace(&text, *regex_, to);
      out[i].assign(text);
    }
    return OkStatus();
  }
  Status FullMatch(In<tstring> in, Out<bool> out) const {
    for (Index i = 0; i < in.size(); ++i)
      out[i] = RE2::FullMatch(re2::StringPiece(in[i].data(), in[i].size()), *regex_);
    return OkStatus();
  }

 private:
  Owned<RE2> regex_;
};
using Regex = Re2Regex;
#else
using Regex = PrefixRegex;
#endif

inline Status CheckRegexInput(const In<tstring>& text, const char* what) {
  if (text.shape().dims() == 0) return OkStatus();
  return errors::InvalidArgument(what, " must be scalar, but received ", text.shape());
}

// The kernels are templates over how patterns are matched, so that files with and without RE2 have different ones.
template <class Engine>
struct RegexReplaceKernel {
  static Status Run(bool all, In<tstring> input, In<tstring> pattern, In<tstring> rewrite, Out<tstring> output) {
    Engine regex;
    TENON_RETURN_IF_ERROR(CheckRegexInput(pattern, "Pattern"));
    TENON_RETURN_IF_ERROR(CheckRegexInput(rewrite, "Rewrite"));
    TENON_RETURN_IF_ERROR(regex.Compile(pattern[0].view()));
    return regex.Replace(rewrite[0].view(), all, input, output);
  }
};
template <class Engine>
struct RegexMatchKernel {
  static Status Run(In<tstring> input, In<tstring> pattern, Out<bool> output) {
    Engine regex;
    TENON_RETURN_IF_ERROR(CheckRegexInput(pattern, "Pattern"));
    TENON_RETURN_IF_ERROR(regex.Compile(pattern[0].view()));
    return regex.FullMatch(input, output);
  }
};

}  // namespace detail

// `rewrite` may name groups of the pattern: \1.
struct RegexReplace {
  static constexpr auto signature = Op("RegexReplace")
                                        .Input("input: string")
                                        .Input("pattern: string")
                                        .Input("rewrite: string")
                                        .Output("output: string")
                                        .Attr("replace_global: bool = true")
                                        .SetShapeFn(detail::RegexReplaceShape);

  struct Attrs {
    bool replace_global;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device&, In<tstring> input, In<tstring> pattern, In<tstring> rewrite, Out<tstring> output) const {
      return detail::RegexReplaceKernel<detail::Regex>::Run(this->replace_global, input, pattern, rewrite, output);
    }
  };
};

struct StaticRegexReplace {
  static constexpr auto signature = Op("StaticRegexReplace")
                                        .Input("input: string")
                                        .Attr("pattern: string")
                                        .Attr("rewrite: string")
                                        .Output("output: string")
                                        .Attr("replace_global: bool = true")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view pattern;
    std::string_view rewrite;
    bool replace_global;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return regex.Compile(this->pattern); }
    Status operator()(Device&, In<tstring> input, Out<tstring> output) const {
      return regex.Replace(this->rewrite, this->replace_global, input, output);
    }
    detail::Regex regex;
  };
};

// Whether the pattern matches all of each text.
struct RegexFullMatch {
  static constexpr auto signature = Op("RegexFullMatch")
                                        .Input("input: string")
                                        .Input("pattern: string")
                                        .Output("output: bool")
                                        .SetShapeFn(detail::RegexMatchShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> input, In<tstring> pattern, Out<bool> output) const {
      return detail::RegexMatchKernel<detail::Regex>::Run(input, pattern, output);
    }
  };
};

struct StaticRegexFullMatch {
  static constexpr auto signature = Op("StaticRegexFullMatch")
                                        .Input("input: string")
                                        .Attr("pattern: string")
                                        .Output("output: bool")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view pattern;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) { return regex.Compile(this->pattern); }
    Status operator()(Device&, In<tstring> input, Out<bool> output) const { return regex.FullMatch(input, output); }
    detail::Regex regex;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
