// SPDX-License-Identifier: Apache-2.0
// Any bytes as saved_model.pb: an error, or a SavedModel whose parts can all be looked at; every graph in it is chosen
// by its tags, pruned to each output, and imported with the test ops.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenon/saved_model.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/left_out.hpp>
#include <tenon/graph/prune.hpp>
#include <tenon/runtime.hpp>

#include "graph/test_ops.hpp"

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

void LookAt(tenon::MetaGraphDef meta_graph) {
  namespace detail = tenon::detail;
  tenon::SlimVector<tenon::AssetFileDef> assets;
  std::vector<tenon::NamedTensor> feeds;
  std::string init_op;
  if (const tenon::Status found = detail::FindAssets(meta_graph, &assets); !found.ok())
    Expect(!found.message().empty());
  static_cast<void>(detail::AssetFeeds(meta_graph, "folder", &feeds));
  static_cast<void>(detail::FindInitOp(meta_graph, "folder", &init_op));
  const tenon::OpRegistry& ops = tenon::testing::TestOps();
  tenon::SlimVector<std::string> fetches = {init_op};
  for (const auto& [name, def] : meta_graph.signature_def) {
    detail::SignatureImpl signature{tenon::Session()};
    detail::DescribeSignature(def, meta_graph.graph_def, &signature);
    for (const tenon::SignatureTensor& output : signature.outputs) {
      static_cast<void>(tenon::Prune(meta_graph.graph_def, {output.tensor}));
      fetches.push_back(output.tensor);
    }
  }
  const tenon::Result<detail::ObjectPaths> objects = detail::ObjectPaths::Make(meta_graph);
  if (objects.ok()) {
    for (const detail::ObjectPaths::Item& item : objects->variables())
      static_cast<void>(objects->TensorOf(static_cast<std::int32_t>(item.object)));
    for (const detail::ObjectPaths::Item& item : objects->functions())
      for (const std::string& trace : objects->TracesOf(item.object)) static_cast<void>(objects->FindTrace(trace));
  }
  tenon::Strip(&meta_graph.graph_def, ops, {.default_attrs = true, .checks = true});
  for (const bool check : {true, false}) {
    tenon::ImportOptions options;
    options.check_functions = check;
    options.leave_out_unknown = !check;
    options.limits.max_nodes = 10000;
    tenon::GraphDef graph = meta_graph.graph_def;
    const tenon::Result<tenon::Graph> imported = tenon::ImportGraphDef(std::move(graph), ops, options);
    Expect(imported.ok() || !imported.status().message().empty());
    if (imported.ok() && imported->left_out() != nullptr)
      static_cast<void>(tenon::CheckLeftOut(*imported->left_out(), {}, fetches, {}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  static_cast<void>(tenon::detail::IsCutMessage(bytes));
  tenon::Result<tenon::SavedModelDef> read = tenon::ParseSavedModelDef(bytes);
  if (!read.ok()) {
    Expect(!read.status().message().empty());
    return 0;
  }
  std::vector<std::vector<std::string>> tags;
  for (const tenon::MetaGraphDef& meta_graph : read->meta_graphs) {
    if (tags.size() == 8) break;
    tags.emplace_back(meta_graph.meta_info_def.tags.begin(), meta_graph.meta_info_def.tags.end());
  }
  for (const std::vector<std::string>& wanted : tags) {
    tenon::SavedModelDef copy = *read;
    tenon::Result<tenon::MetaGraphDef> chosen = tenon::TakeMetaGraph(std::move(copy), wanted, "folder");
    Expect(chosen.ok());
    LookAt(*std::move(chosen));
  }
  return 0;
}
