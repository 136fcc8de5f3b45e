// SPDX-License-Identifier: Apache-2.0
// Runs a graph that TensorFlow made.
//
//   run_frozen_graph MODEL_FOLDER         classifies images: graph.pb, images.npy (uint8, [n, h, w, 1]), labels.txt
//   run_frozen_graph GRAPH.pb INPUT.npy   feeds the array to the graph's placeholder and shows every result
//
// Both write demo_timeline.html: when which node ran.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/io/npy.hpp>
#include <tenon/runtime/trace/export.hpp>

namespace {

using Clock = std::chrono::steady_clock;
double Microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

// Median of 200 runs, in microseconds.
double TimeRun(const tenon::Callable& callable, const tenon::Tensor& input, std::vector<tenon::Tensor>* outputs) {
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    const Clock::time_point start = Clock::now();
    if (!callable.Run({&input, 1}, *outputs).ok()) return 0;
    times.push_back(Microseconds(start));
  }
  std::nth_element(times.begin(), times.begin() + 100, times.end());
  return times[100];
}

// An image as text, two rows of pixels a line.
void Draw(const unsigned char* pixels, int height, int width, const std::string& caption) {
  constexpr char kInk[] = " .:-=+*#%@";
  for (int y = 0; y + 1 < height; y += 2) {
    std::string line = "  ";
    for (int x = 0; x < width; ++x) line += kInk[(pixels[y * width + x] + pixels[(y + 1) * width + x]) * 9 / 510];
    std::printf("%s%s\n", line.c_str(), y == height / 2 - height / 2 % 2 ? ("   " + caption).c_str() : "");
  }
}

tenon::Status ShowTimeline(const tenon::Callable& callable, const tenon::Tensor& input, const std::string& title) {
  std::vector<tenon::Tensor> outputs(callable.num_fetches());
  tenon::RunTrace trace;
  TENON_RETURN_IF_ERROR(callable.RunTraced({&input, 1}, outputs, &trace));
  std::map<std::string_view, std::pair<int, double>> by_op;
  double busy = 0;
  for (const tenon::NodeTiming& node : trace.nodes) {
    auto& [count, us] = by_op[node.op];
    ++count;
    us += static_cast<double>(node.end_ns - node.start_ns) / 1000;
    busy += static_cast<double>(node.end_ns - node.start_ns) / 1000;
  }
  std::printf("\nWhere the time of one run went (%zu nodes, traced):\n", trace.nodes.size());
  std::multimap<double, std::string_view, std::greater<>> longest_first;
  for (const auto& [op, row] : by_op) longest_first.emplace(row.second, op);
  for (const auto& [us, op] : longest_first)
    std::printf("  %-14s %3d  %8.1f us  %5.1f %%\n", std::string(op).c_str(), by_op[op].first, us, 100 * us / busy);
  TENON_RETURN_IF_ERROR(tenon::WriteTimelineHtml(trace, title, "demo_timeline.html"));
  std::printf("\nThe timeline is in demo_timeline.html: open it in a browser.\n");
  return tenon::OkStatus();
}

std::vector<std::string> ReadLabels(const std::string& path) {
  std::vector<std::string> labels;
  if (std::FILE* file = std::fopen(path.c_str(), "r")) {
    char name[256], label[256];
    while (std::fscanf(file, "%255s %255s", name, label) == 2) labels.emplace_back(label);
    std::fclose(file);
  }
  return labels;
}

tenon::Status Classify(const std::string& folder) {
  TENON_ASSIGN_OR_RETURN(const tenon::Tensor images, tenon::ReadNpy(folder + "/images.npy"));
  if (images.dtype() != tenon::DataType::kUint8 || images.dims() != 4 || images.dim_size(3) != 1)
    return tenon::errors::InvalidArgument(folder,
                                          "/images.npy: the images must be uint8 of shape [n, height, width, 1], got ",
                                          images.DeviceSafeDebugString());
  const std::vector<std::string> labels = ReadLabels(folder + "/labels.txt");
  const Clock::time_point start = Clock::now();
  TENON_ASSIGN_OR_RETURN(const auto session, tenon::Session::FromGraphFile(folder + "/graph.pb"));
  if (session.inputs().size() != 1 || session.outputs().empty())
    return tenon::errors::InvalidArgument(folder,
                                          "/graph.pb: a classifier has one placeholder and an output, this graph has ",
                                          session.inputs().size(), " and ", session.outputs().size());
  TENON_ASSIGN_OR_RETURN(const auto callable, session.MakeCallable({.feeds = {session.inputs()[0].name},
                                                                    .fetches = {session.outputs().back().name}}));
  std::printf("%s/graph.pb, made by TensorFlow, is ready to run after %.1f ms.\n\n", folder.c_str(),
              Microseconds(start) / 1000);

  const int height = static_cast<int>(images.dim_size(1)), width = static_cast<int>(images.dim_size(2));
  tenon::Tensor input(tenon::DataType::kFloat, tenon::TensorShape({1, height, width, 1}));
  std::vector<tenon::Tensor> outputs(1);
  int right = 0;
  for (int n = 0; n < images.dim_size(0); ++n) {
    const unsigned char* pixels = images.data<unsigned char>() + n * height * width;
    for (int i = 0; i < height * width; ++i) input.data<float>()[i] = static_cast<float>(pixels[i]) / 255;
    const double us = TimeRun(callable, input, &outputs);
    TENON_RETURN_IF_ERROR(callable.Run({&input, 1}, outputs));
    if (outputs[0].dtype() != tenon::DataType::kFloat || outputs[0].NumElements() == 0)
      return tenon::errors::InvalidArgument(folder,
                                            "/graph.pb: a classifier gives probabilities as float, this one's '",
                                            session.outputs().back().name, "' is ", outputs[0].DeviceSafeDebugString());
    const auto p = outputs[0].flat<float>();
    const auto best = std::max_element(p.begin(), p.end()) - p.begin();
    const std::string label = n < static_cast<int>(labels.size()) ? labels[static_cast<std::size_t>(n)] : "";
    right += label == std::to_string(best);
    char caption[128];
    std::snprintf(caption, sizeof caption, "-> %ld with %.2f %%   (label %s)   %.1f us", static_cast<long>(best),
                  100 * static_cast<double>(p[best]), label.c_str(), us);
    Draw(pixels, height, width, caption);
  }
  if (!labels.empty()) std::printf("\n%d of %zu images are classified as their labels say.\n", right, labels.size());
  return ShowTimeline(callable, input, folder + "/graph.pb");
}

tenon::Status RunGraph(const std::string& graph, const std::string& array) {
  TENON_ASSIGN_OR_RETURN(const tenon::Tensor input, tenon::ReadNpy(array));
  TENON_ASSIGN_OR_RETURN(const auto session, tenon::Session::FromGraphFile(graph));
  const auto inputs = session.inputs();
  if (inputs.size() != 1) {
    std::string names;
    for (const auto& endpoint : inputs) names += " '" + endpoint.name + "'";
    return tenon::errors::InvalidArgument(graph, ": this program feeds exactly one placeholder, the graph has ",
                                          inputs.size(), names);
  }
  tenon::CallableOptions options{.feeds = {inputs[0].name}};
  for (const auto& endpoint : session.outputs()) {  // not the further outputs of nodes such as FusedBatchNormV3
    if (endpoint.name.ends_with(":0")) options.fetches.push_back(endpoint.name);
  }
  TENON_ASSIGN_OR_RETURN(const auto callable, session.MakeCallable(options));
  std::vector<tenon::Tensor> outputs(callable.num_fetches());
  TENON_RETURN_IF_ERROR(callable.Run({&input, 1}, outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    std::printf("%s = %s\n", options.fetches[i].c_str(), outputs[i].DebugString(20).c_str());
  std::printf("%.1f us a run\n", TimeRun(callable, input, &outputs));
  return ShowTimeline(callable, input, graph);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const bool asks_for_help = first == "--help" || first == "-h";
  if (asks_for_help || argc < 2 || argc > 3) {
    std::fprintf(asks_for_help ? stdout : stderr,
                 "usage: run_frozen_graph MODEL_FOLDER          classifies its images.npy\n"
                 "       run_frozen_graph GRAPH.pb INPUT.npy    feeds the array to the graph's placeholder\n");
    return asks_for_help ? 0 : 2;
  }
  if (argc == 2 && first.ends_with(".pb")) {
    std::fprintf(stderr, "%s is a graph: it needs an array to be fed with, as in\n  run_frozen_graph %s INPUT.npy\n",
                 argv[1], argv[1]);
    return 2;
  }
  const tenon::Status status = argc == 2 ? Classify(argv[1]) : RunGraph(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
