// SPDX-License-Identifier: Apache-2.0
// Any bytes as a GraphDef: an error or a graph; a graph that is written and read again is the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <tenon/op/graph_def/proto_io.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

tenon::Status Parse(std::span<const std::byte> bytes, tenon::Buffer* owner, std::uint64_t repeat_bytes,
                    tenon::GraphDef* graph) {
  tenon::wire::ParseContext context;
  context.owner = owner;
  context.repeat_bytes = repeat_bytes;  // so that no run fills gigabytes
  return tenon::wire::Parse(bytes, graph, context);
}

// Reads everything; true if some tensor was refused because of its size.
bool Visit(std::span<const tenon::NodeDef> nodes) {
  bool refused = false;
  for (const tenon::NodeDef& node : nodes) {
    Expect(!tenon::SummarizeNodeDef(node, 8).empty());
    for (const auto& [name, value] : node.attr) {
      refused = refused || tenon::errors::IsResourceExhausted(value.decode_status());
      tenon::Tensor tensor;
      if (value.Get(name, &tensor).ok() && tensor.NumElements() > 0) Expect(tensor.raw_data() != nullptr);
      std::vector<tenon::DataType> types;
      static_cast<void>(value.Get(name, &types));
      std::vector<tenon::TensorShape> shapes;
      static_cast<void>(value.Get(name, &shapes));
      int number = 0;
      static_cast<void>(value.Get(name, &number));
    }
  }
  return refused;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  tenon::Buffer* owner = tenon::Buffer::Wrap(const_cast<std::uint8_t*>(data), size, nullptr, nullptr);
  {
    tenon::GraphDef graph;
    const tenon::Status status = Parse(bytes, owner, 1 << 12, &graph);
    if (status.ok()) {
      bool refused = Visit(graph.node);
      for (const tenon::FunctionDef& function : graph.library.function) refused = Visit(function.node_def) || refused;
      const std::string text = tenon::SerializeGraphDef(graph);
      tenon::GraphDef again;
      // What was refused for its size was not read to its end, and stays as it came, faults and all.
      const bool parsed = Parse(tenon::wire::AsBytes(text), nullptr, 1 << 26, &again).ok();
      Expect(refused || (parsed && graph == again));
    } else {
      Expect(!status.message().empty());
    }
  }
  owner->Unref();
  return 0;
}
