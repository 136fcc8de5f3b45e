// SPDX-License-Identifier: Apache-2.0
// tenon_gpu_steps: what one step of a recorded model costs on an emulated GPU, counted.
//
//   tenon_gpu_steps [--list] MODEL_FOLDER ...
//
// Each model runs as it is, optimised, and optimised and recorded. From the third run on, a step of the models in
// kLimits copies its feeds in and its fetches out, waits once and takes no memory. Its launches stay below the model's
// limits; a recorded step is one start. --list also prints the nodes of a step.

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include <tenon/devices.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/planned/recorded_run.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include <conformance/golden/case_file.hpp>
#include <conformance/golden/compare.hpp>
#include <conformance/golden/outcome.hpp>

namespace {

using tenon::Status;
using tenon::Tensor;

std::string ReadFile(const std::string& path) {
  std::string out;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return out;
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out.append(buffer, n);
  std::fclose(file);
  return out;
}

// The most launches of a step, and of an optimised one.
struct Limits {
  std::string_view model;
  long launches, optimised;
};
constexpr Limits kLimits[] = {
    {"bert_tiny", 119, 29},    {"cnn_digits", 16, 9}, {"mlp_digits", 6, 3},
    {"mobilenet_v2", 261, 72}, {"resnet50", 337, 60}, {"wavenet_small", 119, 103},
};

struct Signature {
  std::vector<Tensor> feeds, wanted;
  tenon::CallableOptions options;
};
bool ReadSignature(const golden::Step& step, Signature* signature) {
  for (const golden::NamedBytes& feed : step.feed) {
    auto tensor = tenon::TensorFromProto(golden::Bytes(feed.bytes), nullptr);
    if (!tensor.ok()) return false;
    signature->options.feeds.push_back(feed.name);
    signature->feeds.push_back(*std::move(tensor));
  }
  for (const golden::NamedBytes& fetch : step.fetch) {
    auto tensor = tenon::TensorFromProto(golden::Bytes(fetch.bytes), nullptr);
    if (!tensor.ok()) return false;
    signature->options.fetches.push_back(fetch.name);
    signature->wanted.push_back(*std::move(tensor));
  }
  signature->options.targets = step.target;
  return true;
}

void PrintNodes(const tenon::Callable& callable, const Signature& signature) {
  std::vector<Tensor> outputs(signature.wanted.size());
  tenon::RunTrace trace;
  if (!callable.RunTraced(signature.feeds, outputs, &trace).ok()) return;
  std::map<std::string, int> nodes;
  for (const tenon::NodeTiming& node : trace.nodes) ++nodes[std::string(node.device) + " " + std::string(node.op)];
  for (const auto& [what, count] : nodes) std::printf("    %4d %s\n", count, what.c_str());
}

enum class Mode : std::uint8_t { kPlain, kOptimised, kRecorded };

bool IsWithinLimits(const std::string& name, Mode mode, const Signature& signature, const emulation::Counters& did) {
  for (const Limits& limits : kLimits) {
    if (limits.model != name) continue;
    const long launches = mode == Mode::kPlain ? limits.launches : mode == Mode::kOptimised ? limits.optimised : 0;
    return did.launches <= launches && did.graph_launches == (mode == Mode::kRecorded ? 1 : 0) &&
           did.copies_to_device == static_cast<long>(signature.feeds.size()) &&
           did.copies_to_host == static_cast<long>(signature.wanted.size()) && did.copies_on_device == 0 &&
           did.allocations == 0 && did.waits == 1;
  }
  return true;
}

bool RunModel(const std::string& folder, Mode mode, bool list) {
  const std::string name = folder.substr(folder.rfind('/') + 1);
  golden::CaseFile file;
  const std::string bytes = ReadFile(folder + "/io.pb");
  auto graph = tenon::ReadGraphFile(folder + "/graph.pb");
  if (bytes.empty() || !tenon::wire::Parse(golden::Bytes(bytes), &file).ok() || !graph.ok()) {
    std::fprintf(stderr, "tenon_gpu_steps: cannot read '%s'\n", folder.c_str());
    return false;
  }
  tenon::SessionOptions options{.intra_op_threads = 1, .devices = {"GPU:0"}};
  if (mode != Mode::kPlain) options.optimizer.level = tenon::OptimizerLevel::kFast;
  options.record_steps = mode == Mode::kRecorded;
  const auto session = tenon::Session::FromGraphDef(*graph, options);
  if (!session.ok()) {
    std::printf("%s: %s\n", name.c_str(), session.status().ToString().c_str());
    return false;
  }
  const golden::Case& c = file.cases.at(0);
  bool good = true;
  Signature signature;
  if (!ReadSignature(c.step.at(0), &signature)) return false;
  const auto callable = session->MakeCallable(signature.options);
  if (!callable.ok()) {
    std::printf("%s: %s\n", name.c_str(), callable.status().ToString().c_str());
    return false;
  }
  emulation::Counters did{};
  for (int run = 0; run < 5; ++run) {
    std::vector<Tensor> outputs(signature.wanted.size());
    const emulation::Counters before = emulation::Count();
    const Status status = callable->Run(signature.feeds, outputs);
    if (!status.ok()) {
      std::printf("%s: %s\n", name.c_str(), status.ToString().c_str());
      return false;
    }
    did = emulation::Count() - before;
    for (std::size_t i = 0; c.step.size() == 1 && i < outputs.size(); ++i)
      if (const std::string d = golden::Difference(outputs[i], signature.wanted[i], c.compare, c.rtol, c.atol);
          !d.empty()) {
        std::printf("%s, run %d: %s\n", name.c_str(), run, d.c_str());
        good = false;
      }
    if (run >= 2 && !IsWithinLimits(name, mode, signature, did)) good = false;
  }
  std::printf(
      "%-28s %-9s launches %4ld graphs %2ld in %3ld (%zu) out %3ld (%zu) on device %3ld waits %3ld allocs %3ld\n",
      name.c_str(),
      mode == Mode::kPlain       ? ""
      : mode == Mode::kOptimised ? "optimised"
                                 : "recorded",
      did.launches, did.graph_launches, did.copies_to_device, signature.feeds.size(), did.copies_to_host,
      signature.wanted.size(), did.copies_on_device, did.waits, did.allocations);
  if (list) PrintNodes(*callable, signature);
  if (!good) std::printf("%s: FAILED\n", name.c_str());
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = true, list = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--list") {
      list = true;
      continue;
    }
    for (const Mode mode : {Mode::kPlain, Mode::kOptimised, Mode::kRecorded})
      good = RunModel(argv[i], mode, list) && good;
  }
  return good ? 0 : 1;
}
