// SPDX-License-Identifier: Apache-2.0
#pragma once
// Print, PrintV2, Timestamp: ops that show something of a run as it goes. Texts go to stderr, to the log, to a file, or
// - only when the graph says so - to stdout; SetPrintSink takes them elsewhere.

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

// Gets what Print and PrintV2 print, line ends included. `stream` is "stdout", "stderr" or "file://" and a path. Called
// from any thread, several at a time.
using PrintSink = Status (*)(std::string_view stream, std::string_view text);

namespace detail {

// One call each: texts of two threads do not mix.
inline Status WriteTo(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0) return OkStatus();
  return errors::Unavailable("PrintV2: cannot write ", text.size(), " bytes: ", std::strerror(errno));
}
inline Status PrintToStream(std::string_view stream, std::string_view text) {
  if (stream == "stdout") return WriteTo(stdout, text);
  if (stream == "stderr") return WriteTo(stderr, text);
  const std::string path(stream.substr(std::string_view("file://").size()));
  std::FILE* const file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) return errors::NotFound("PrintV2: cannot open '", path, "': ", std::strerror(errno));
  const Status written = WriteTo(file, text);
  return std::fclose(file) == 0 ? written : errors::Unavailable("PrintV2: cannot write to '", path, "'");
}
inline constinit std::atomic<PrintSink> print_sink{&PrintToStream};

inline constexpr std::string_view kPrintStreams[] = {"stdout", "stderr", "log(info)", "log(warning)", "log(error)"};

inline Status CheckPrintStream(std::string_view stream) {
  if (stream.starts_with("file://")) return OkStatus();
  for (const std::string_view known : kPrintStreams)
    if (stream == known) return OkStatus();
  return errors::InvalidArgument("Unknown output stream: ", stream,
                                 ", Valid streams are: ", StrJoin(kPrintStreams, " "), " file://PATH");
}
inline Status PrintText(std::string_view stream, const std::string& text) {
  if (stream == "log(info)") {
    TENON_LOG(kInfo, text);
  } else if (stream == "log(warning)") {
    TENON_LOG(kWarning, text);
  } else if (stream == "log(error)") {
    TENON_LOG(kError, text);
  } else {
    return print_sink.load(std::memory_order_acquire)(stream, text);
  }
  return OkStatus();
}

// Raw form: it counts its runs.
class PrintKernel : public OpKernel {
 public:
  explicit PrintKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("message", &message_));
    c->SetStatus(c->GetAttr("first_n", &first_n_));
    c->SetStatus(c->GetAttr("summarize", &summarize_));
    for (int i = 1; i < num_inputs(); ++i) set_input_memory_type(i, MemoryType::kHost);
  }
  void Compute(OpKernelContext* context) override {
    context->set_output(0, context->input(0));
    if (first_n_ >= 0 && runs_.fetch_add(1, std::memory_order_relaxed) >= first_n_) return;
    std::string text(message_);
    for (int i = 1; i < context->num_inputs(); ++i)
      StrAppend(&text, "[", context->input(i).SummarizeValue(summarize_), "]");
    text += '\n';
    context->SetStatus(PrintText("stderr", text));
  }
  bool IsExpensive() const override { return false; }

 private:
  std::string_view message_;
  std::int64_t first_n_ = -1;
  std::int32_t summarize_ = 3;
  std::atomic<std::int64_t> runs_{0};
};

}  // namespace detail

// Null: the streams themselves again. Returns the one before, null for the streams. thread-safe.
inline PrintSink SetPrintSink(PrintSink sink) {
  const PrintSink before =
      detail::print_sink.exchange(sink != nullptr ? sink : &detail::PrintToStream, std::memory_order_acq_rel);
  return before == &detail::PrintToStream ? nullptr : before;
}

// Passes `input` on and shows `data`, in the first first_n runs (all when negative), on stderr.
struct Print {
  static constexpr auto signature = Op("Print")
                                        .Input("input: T")
                                        .Input("data: U")
                                        .Output("output: T")
                                        .SetIsStateful()
                                        .Attr("T: type")
                                        .Attr("U: list(type) >= 0")
                                        .Attr("message: string = ''")
                                        .Attr("first_n: int = -1")
                                        .Attr("summarize: int = 3")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::PrintKernel {
    using detail::PrintKernel::PrintKernel;
  };
};

// Shows one text, and `end` behind it. A file is appended to.
struct PrintV2 {
  static constexpr auto signature = Op("PrintV2")
                                        .Input("input: string")
                                        .SetIsStateful()
                                        .Attr("output_stream: string = 'stderr'")
                                        .Attr("end: string = '\\n'")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          return c->WithRank(c->input(0), 0, &unused);
                                        });
  struct Attrs {
    std::string_view output_stream, end;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckPrintStream(this->output_stream); }
    Status operator()(Device&, const Tensor& input) const {
      if (input.dims() != 0) return errors::InvalidArgument("Input is expected to be scalar, but got ", input.shape());
      return detail::PrintText(this->output_stream, StrCat(input.data<tstring>()->view(), this->end));
    }
  };
};

// Seconds since the beginning of 1970.
struct Timestamp {
  static constexpr auto signature =
      Op("Timestamp").Output("ts: double").SetIsStateful().SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, Out<double> ts) const {
      ts[0] = static_cast<double>(SystemNanoseconds()) * 1e-9;
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
