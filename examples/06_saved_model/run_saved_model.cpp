// SPDX-License-Identifier: Apache-2.0
// Runs a SavedModel that takes texts and returns a number for each, shows its signature, its answers beside those that
// TensorFlow gave, the time of a run, and writes the timeline of one run.
//
//   run_saved_model MODEL_FOLDER ANSWERS.txt      a line of ANSWERS.txt: TensorFlow's answer, a tab, the text

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/saved_model.hpp>
#include <tenon/runtime/trace/export.hpp>

namespace {

using Clock = std::chrono::steady_clock;
double Milliseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void ShowSignature(const tenon::ModelSignature& signature) {
  std::printf("Signature '%s'\n", std::string(signature.name()).c_str());
  const auto show = [](const char* kind, tenon::Span<const tenon::SignatureTensor> tensors) {
    for (const tenon::SignatureTensor& tensor : tensors)
      std::printf("  %-7s %-10s %-7s %s\n", kind, tensor.key.c_str(), std::string(tenon::Name(tensor.dtype)).c_str(),
                  tensor.shape.DebugString().c_str());
  };
  show("input", signature.inputs());
  show("output", signature.outputs());
}

// Median of 200 runs, in milliseconds.
tenon::Result<double> TimeRun(const tenon::ModelSignature& signature, const tenon::Tensor& input) {
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    const Clock::time_point start = Clock::now();
    TENON_RETURN_IF_ERROR(signature({input}).status());
    times.push_back(Milliseconds(start));
  }
  std::nth_element(times.begin(), times.begin() + 100, times.end());
  return times[100];
}

tenon::Status WriteTimeline(const tenon::ModelSignature& signature, const tenon::Tensor& input) {
  const tenon::Callable callable = signature.callable();
  std::vector<tenon::Tensor> outputs(callable.num_fetches());
  TENON_RETURN_IF_ERROR(callable.Run({&input, 1}, outputs));
  tenon::RunTrace trace;
  TENON_RETURN_IF_ERROR(callable.RunTraced({&input, 1}, outputs, &trace));
  std::map<std::string_view, std::pair<int, double>> by_op;
  for (const tenon::NodeTiming& node : trace.nodes) {
    auto& [count, us] = by_op[node.op];
    ++count;
    us += static_cast<double>(node.end_ns - node.start_ns) / 1000;
  }
  std::printf("\nWhere the time of one run went (%zu nodes, traced); the longest:\n", trace.nodes.size());
  std::multimap<double, std::string_view, std::greater<>> longest_first;
  for (const auto& [op, row] : by_op) longest_first.emplace(row.second, op);
  int lines = 0;
  for (const auto& [us, op] : longest_first) {
    if (++lines > 8) break;
    std::printf("  %-24s %4d  %8.1f us\n", std::string(op).c_str(), by_op[op].first, us);
  }
  TENON_RETURN_IF_ERROR(tenon::WriteTimelineHtml(trace, "a review is classified", "demo_timeline.html"));
  std::printf("\nThe timeline is in demo_timeline.html: open it in a browser.\n");
  return tenon::OkStatus();
}

tenon::Status Run(const std::string& folder, const std::string& answers) {
  std::ifstream file(answers);
  std::vector<float> recorded;
  std::vector<std::string> texts;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) continue;
    recorded.push_back(std::strtof(line.c_str(), nullptr));
    texts.push_back(line.substr(tab + 1));
  }
  if (texts.empty()) return tenon::errors::NotFound(answers, ": no lines of a number, a tab and a text");

  const Clock::time_point start = Clock::now();
  TENON_ASSIGN_OR_RETURN(const tenon::SavedModel model, tenon::SavedModel::Load(folder));
  TENON_ASSIGN_OR_RETURN(const tenon::ModelSignature signature, model.signature());
  std::printf("%s, exported by Keras, is ready to run after %.1f ms.\n\n", folder.c_str(), Milliseconds(start));
  ShowSignature(signature);
  if (signature.inputs().size() != 1 || signature.outputs().size() != 1)
    return tenon::errors::InvalidArgument(folder, ": the signature must have one input and one output");

  tenon::Tensor input(tenon::DataType::kString, {static_cast<tenon::Index>(texts.size())});
  for (std::size_t i = 0; i < texts.size(); ++i) input.flat<tenon::tstring>()(static_cast<tenon::Index>(i)) = texts[i];
  TENON_ASSIGN_OR_RETURN(const auto outputs, signature({input}));
  TENON_ASSIGN_OR_RETURN(const auto values, (outputs[0].View<tenon::In<float, 2>>()));
  std::printf("\n  Tenon   TensorFlow\n");
  std::size_t agree = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const float value = values(static_cast<tenon::Index>(i), 0);
    const bool same = std::abs(value - recorded[i]) <= 1e-4f;
    agree += same ? 1 : 0;
    std::printf("  %.4f  %.4f  %s %s\n", static_cast<double>(value), static_cast<double>(recorded[i]), same ? " " : "!",
                texts[i].c_str());
  }
  std::printf("%zu of %zu answers agree with TensorFlow to within 0.0001.\n", agree, texts.size());
  TENON_ASSIGN_OR_RETURN(const double ms, TimeRun(signature, input));
  std::printf("A run of %zu texts takes %.3f ms (median of 200).\n", texts.size(), ms);
  return WriteTimeline(signature, input);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: run_saved_model MODEL_FOLDER ANSWERS.txt\n");
    return 2;
  }
  const tenon::Status status = Run(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
