// SPDX-License-Identifier: Apache-2.0
// What the registry costs: its index over all kernels of a program, made at the first look-up, and a look-up. The rows
// are made here, so that 2,000 kernels need no minute of the compiler; they have the shape of real ones.
#include "harness.hpp"

#include <deque>
#include <string>
#include <vector>

#include <tenon/kernel/registry/registry.hpp>

using namespace tenon;

namespace {

constexpr auto kSignature = Op("Any").Input("x: T").Output("y: T").Attr("T: {float, double, int32, int64, bool}");

// `kernels` rows of ops with five types each, fifty ops to a unit, as TENON_REGISTER would link them.
struct Program {
  explicit Program(int kernels) {
    const int ops = kernels / 5;
    for (int i = 0; i < ops; ++i) {
      names.push_back("SomeOperation" + std::to_string(i));
      views.push_back(kSignature.view());
      views.back().name = names.back();
      rows.push_back({&views.back(), names.back(), 1, {0}, false, nullptr});
      std::vector<KernelRow>& table = tables.emplace_back();
      for (const DataType type :
           {DataType::kFloat, DataType::kDouble, DataType::kInt32, DataType::kInt64, DataType::kBool}) {
        KernelRow& row = table.emplace_back();
        row.op = &rows.back();
        row.device = "CPU";
        row.types[0] = static_cast<std::uint8_t>(type);
      }
    }
    for (int i = 0; i < ops; ++i) {
      row_pointers.push_back(&rows[static_cast<std::size_t>(i)]);
      table_pointers.push_back(tables[static_cast<std::size_t>(i)].data());
      sizes.push_back(5);
    }
    for (int i = 0; i < ops; i += 50) {
      const auto at = static_cast<std::size_t>(i);
      const auto count = static_cast<std::size_t>(std::min(50, ops - i));
      RegistrationBatch& batch = batches.emplace_back();
      batch.ops = &row_pointers[at];
      batch.tables = &table_pointers[at];
      batch.table_sizes = &sizes[at];
      batch.op_count = batch.table_count = count;
    }
  }
  std::deque<std::string> names;
  std::deque<OpView> views;
  std::deque<OpRow> rows;
  std::deque<std::vector<KernelRow>> tables;
  std::vector<const OpRow*> row_pointers;
  std::vector<const KernelRow*> table_pointers;
  std::vector<std::size_t> sizes;
  std::deque<RegistrationBatch> batches;
};

}  // namespace

// The index over so many kernels, with the registry's end.
TENON_BENCH(registry_index, {500, 2000, 8000}) {
  const Program program(static_cast<int>(state.arg()));
  state.SetItems(static_cast<double>(state.arg()), "kernel");
  for (auto _ : state) {
    (void)_;
    Registry registry;
    for (const RegistrationBatch& batch : program.batches) state.Check(registry.Add(batch));
    bench::Keep(registry);
  }
}

// One kernel of so many, by op, device and type.
TENON_BENCH(registry_find, {500, 2000, 8000}) {
  const Program program(static_cast<int>(state.arg()));
  Registry registry;
  for (const RegistrationBatch& batch : program.batches) state.Check(registry.Add(batch));
  std::vector<KernelKey> keys;
  for (std::size_t i = 0; i < program.names.size(); i += 7)
    keys.push_back({program.names[i], "CPU", {DataType::kInt32}});
  std::size_t next = 0;
  for (auto _ : state) {
    (void)_;
    const auto found = registry.Find(keys[next]);
    if (!found.ok()) state.Fail(found.status());
    bench::Keep(found);
    if (++next == keys.size()) next = 0;
  }
}

// The same for a node of a graph, which says its types as attrs.
TENON_BENCH(registry_find_for_node, {500, 2000, 8000}) {
  const Program program(static_cast<int>(state.arg()));
  Registry registry;
  for (const RegistrationBatch& batch : program.batches) state.Check(registry.Add(batch));
  std::vector<NodeDef> nodes;
  for (std::size_t i = 0; i < program.names.size(); i += 7) {
    NodeDef& node = nodes.emplace_back();
    node.name = "node";
    node.op = program.names[i];
    node.attr.Set("T", AttrValue(DataType::kInt32));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    (void)_;
    const auto found = registry.FindForNode(nodes[next], "CPU");
    if (!found.ok()) state.Fail(found.status());
    bench::Keep(found);
    if (++next == nodes.size()) next = 0;
  }
}
