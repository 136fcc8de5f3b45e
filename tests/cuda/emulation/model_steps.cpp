// SPDX-License-Identifier: Apache-2.0
// tenon_gpu_steps: what one step of a recorded model costs on an emulated GPU, counted.
//
//   tenon_gpu_steps [--list] MODEL_FOLDER ...
//
// Each model runs as it is and optimised. From the third run on, a step may copy its feeds in and its fetches out, wait
// once and take no memory; launches stay below the model's limit. --list also prints the nodes that run on the host.

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

void PrintHostNodes(const tenon::Callable& callable, const Signature& signature) {
  std::vector<Tensor> outputs(signature.wanted.size());
  tenon::RunTrace trace;
  if (!callable.RunTraced(signature.feeds, outputs, &trace).ok()) return;
  std::map<std::string, int> on_host;
  for (const tenon::NodeTiming& node : trace.nodes)
    ++on_host[std::string(node.device) + " " + std::string(node.op)];
  for (const auto& [what, count] : on_host) std::printf("    %4d %s\n", count, what.c_str());
}

bool RunModel(const std::string& folder, bool optimised, bool list) {
  const std::string name = folder.substr(folder.rfind('/') + 1);
  golden::CaseFile file;
  const std::string bytes = ReadFile(folder + "/io.pb");
  auto graph = tenon::ReadGraphFile(folder + "/graph.pb");
  if (bytes.empty() || !tenon::wire::Parse(golden::Bytes(bytes), &file).ok() || !graph.ok()) {
    std::fprintf(stderr, "tenon_gpu_steps: cannot read '%s'\n", folder.c_str());
    return false;
  }
  tenon::SessionOptions options{.intra_op_threads = 1, .devices = {"GPU:0"}};
  if (optimised) options.optimizer.level = tenon::OptimizerLevel::kFast;
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
    if (run == 0)
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (const std::string d = golden::Difference(outputs[i], signature.wanted[i], c.compare, c.rtol, c.atol);
            !d.empty()) {
          std::printf("%s: %s\n", name.c_str(), d.c_str());
          good = false;
        }
  }
  std::printf("%-28s %-9s launches %4ld graphs %2ld in %3ld (%zu) out %3ld (%zu) on device %3ld waits %3ld allocs %3ld\n",
              name.c_str(), optimised ? "optimised" : "", did.launches, did.graph_launches, did.copies_to_device,
              signature.feeds.size(), did.copies_to_host, signature.wanted.size(), did.copies_on_device, did.waits,
              did.allocations);
  if (list) PrintHostNodes(*callable, signature);
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
    for (const bool optimised : {false, true}) good = RunModel(argv[i], optimised, list) && good;
  }
  return good ? 0 : 1;
}
