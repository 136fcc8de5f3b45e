// SPDX-License-Identifier: Apache-2.0
#pragma once
// StackFrame, FrozenStackTrace and GraphDebugInfoBuilder: where a program made the nodes of a graph.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/containers.hpp>
#include <tenon/compat/tensorflow/proto/graph.hpp>

namespace tensorflow {

struct StackFrame {
  StackFrame() = default;
  StackFrame(std::string file, int line, std::string function)
      : file_name(std::move(file)), line_number(line), function_name(std::move(function)) {}
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
  std::string file_name;
  int line_number = 0;
  std::string function_name;
};

class AbstractStackTrace {
 public:
  struct TracePrintingOptions {
    bool show_line_contents = false;
    bool filter_common_prefix = false;
    bool drop_internal_frames = false;
  };
  virtual ~AbstractStackTrace() = default;
  virtual gtl::ArraySlice<StackFrame> ToFrames() const = 0;
  virtual std::vector<StackFrame> ToUncachedFrames() const = 0;
  virtual StackFrame LastUserFrame() const = 0;
  // At most `limit`; all, where that is negative.
  virtual std::vector<StackFrame> GetUserFrames(int limit) const = 0;
  virtual std::string ToString(const TracePrintingOptions& options) const = 0;
};

// Frames that a program lists. Immutable.
class FrozenStackTrace : public AbstractStackTrace {
 public:
  explicit FrozenStackTrace(std::vector<StackFrame> frames, std::vector<StackFrame> user_frames = {})
      : frames_(std::move(frames)), user_frames_(std::move(user_frames)) {
    if (user_frames_.empty()) user_frames_ = frames_;
  }
  FrozenStackTrace(const GraphDebugInfo_StackTrace& trace, const GraphDebugInfo& info)
      : FrozenStackTrace(FramesOf(trace, info)) {}

  gtl::ArraySlice<StackFrame> ToFrames() const override { return frames_; }
  std::vector<StackFrame> ToUncachedFrames() const override { return frames_; }
  StackFrame LastUserFrame() const override { return user_frames_.empty() ? StackFrame() : user_frames_.back(); }
  std::vector<StackFrame> GetUserFrames(int limit) const override {
    const auto all = static_cast<int>(user_frames_.size());
    return {user_frames_.begin(), user_frames_.begin() + (limit < 0 ? all : std::min(limit, all))};
  }
  std::string ToString(const TracePrintingOptions& options) const override {
    const std::size_t skipped = options.filter_common_prefix ? CommonFolder().size() : 0;
    std::string out;
    for (const StackFrame& frame : frames_) {
      const std::string& file = frame.file_name;
      if (options.drop_internal_frames && IsInternal(file)) continue;
      if (!out.empty()) out += '\n';
      out += "File \"" + (IsEmbedded(file) ? file : file.substr(skipped)) + "\", line ";
      out += std::to_string(frame.line_number) + ", in " + frame.function_name;
    }
    return out;
  }

 private:
  static std::vector<StackFrame> FramesOf(const GraphDebugInfo_StackTrace& trace, const GraphDebugInfo& info) {
    std::vector<StackFrame> frames;
    for (const GraphDebugInfo_FileLineCol& at : trace.file_line_cols()) {
      const int i = at.file_index();
      frames.emplace_back(i >= 0 && i < info.files_size() ? info.files(i) : "<UNKNOWN_FILE_NAME>", at.line(),
                          at.func());
    }
    return frames;
  }
  static bool IsEmbedded(const std::string& file) { return file.find("<embedded") != std::string::npos; }
  static bool IsInternal(const std::string& file) {
    const auto has = [&](const char* text) { return file.find(text) != std::string::npos; };
    return has("tensorflow/python") && !has("keras") && !has("test.py");
  }
  // The folder that all files are in, with its '/'.
  std::string CommonFolder() const {
    std::string common;
    bool is_first = true;
    for (const StackFrame& frame : frames_) {
      if (IsEmbedded(frame.file_name)) continue;
      if (is_first) common = frame.file_name;
      is_first = false;
      const auto ends = std::mismatch(common.begin(), common.end(), frame.file_name.begin(), frame.file_name.end());
      common.erase(ends.first, common.end());
    }
    common.resize(common.rfind('/') + 1);  // nothing where there is no '/'
    return common;
  }

  std::vector<StackFrame> frames_, user_frames_;
};
using StackTracesMap = std::unordered_map<std::string, std::shared_ptr<AbstractStackTrace>>;

inline StackTracesMap LoadTracesFromDebugInfo(const GraphDebugInfo& info) {
  StackTracesMap traces;
  for (const auto& [name, trace] : info.traces()) traces[name] = std::make_shared<FrozenStackTrace>(trace, info);
  return traces;
}

// Collects traces as a message. one thread.
class GraphDebugInfoBuilder {
 public:
  struct Options {
    Options() {}
    Options(bool only_user_frames, int limit) : user_frames(only_user_frames), user_frames_limit(limit) {}
    bool user_frames = false;
    int user_frames_limit = -1;
  };
  // Each key is a node's name and the suffix.
  void AccumulateStackTracesMap(const StackTracesMap& traces, StringPiece suffix = "",
                                const Options& options = Options()) {
    for (const auto& [name, trace] : traces) AccumulateStackTrace(trace, name + std::string(suffix), options);
  }
  void AccumulateStackTrace(const std::shared_ptr<AbstractStackTrace>& trace, StringPiece key,
                            const Options& options = Options()) {
    GraphDebugInfo_StackTrace& out = (*info_.mutable_traces())[std::string(key)];
    for (const StackFrame& frame :
         options.user_frames ? trace->GetUserFrames(options.user_frames_limit) : trace->ToUncachedFrames()) {
      const auto [place, is_new] = files_.emplace(frame.file_name, info_.files_size());
      if (is_new) info_.add_files(frame.file_name);
      GraphDebugInfo_FileLineCol* const at = out.add_file_line_cols();
      at->set_file_index(place->second);
      at->set_line(frame.line_number);
      at->set_func(frame.function_name);
    }
  }
  GraphDebugInfo Build() const { return info_; }
  std::string ToGraphDebugInfoStr() const { return info_.SerializeAsString(); }

 private:
  GraphDebugInfo info_;
  std::unordered_map<std::string, int> files_;
};
inline GraphDebugInfo StackTracesMapToGraphDebugInfo(const StackTracesMap& traces, bool user_frames = true) {
  GraphDebugInfoBuilder builder;
  builder.AccumulateStackTracesMap(traces, "", {user_frames, -1});
  return builder.Build();
}

}  // namespace tensorflow
