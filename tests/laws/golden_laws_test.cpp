// SPDX-License-Identifier: Apache-2.0
// Laws of running a graph, over every case that TensorFlow's answers are recorded for: however a session runs it, the
// values are the same bit by bit. What they should be is for tenon_golden to say.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/op/proto_io.hpp>
#include <tenon/session.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include <doctest/doctest.h>

#include "conformance/golden/case_file.hpp"
#include "conformance/golden/compare.hpp"
#include "laws/guarded_allocator.hpp"
#include "temp_folder.hpp"

namespace golden_laws_test {
namespace {
using namespace tenon;
using namespace tenon::testing;

// A case whose graph and tensors Tenon can read.
struct Law {
  std::string name;
  GraphDef graph;
  struct Run {
    std::vector<NamedTensor> feeds;
    std::vector<std::string> fetches, targets;
    std::vector<Tensor> wanted;
    bool fails = false;  // in TensorFlow
  };
  std::vector<Run> runs;
  std::string compare;
  bool has_state = false;
};

std::span<const std::byte> BytesOf(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

bool KnowsAll(const GraphDef& graph, bool* has_state) {
  *has_state = !graph.library.function.empty();  // who knows
  for (const NodeDef& node : graph.node) {
    const OpView* const op = Registry::Global().FindOp(node.op);
    if (op == nullptr) return false;
    *has_state = *has_state || op->flags.is_stateful;
  }
  return true;
}
bool Read(const golden::Case& c, Law* law) {
  Result<GraphDef> graph = ParseGraphDef(BytesOf(c.graph));
  if (c.import_code != 0 || !graph.ok() || !KnowsAll(*graph, &law->has_state)) return false;
  law->name = c.name;
  law->graph = *std::move(graph);
  law->compare = c.compare;
  for (const golden::Step& step : c.step) {
    Law::Run& run = law->runs.emplace_back();
    run.fails = step.code != 0;
    run.targets = step.target;
    for (const golden::NamedBytes& feed : step.feed) {
      Result<Tensor> tensor = TensorFromProto(BytesOf(feed.bytes), nullptr);
      if (!tensor.ok()) return false;
      run.feeds.push_back({feed.name, *std::move(tensor)});
    }
    for (const golden::NamedBytes& fetch : step.fetch) {
      run.fetches.push_back(c.note == "by-name" || fetch.name.find(':') != std::string::npos ? fetch.name
                                                                                             : fetch.name + ":0");
      if (run.fails) continue;
      Result<Tensor> tensor = TensorFromProto(BytesOf(fetch.bytes), nullptr);
      if (!tensor.ok()) return false;
      run.wanted.push_back(*std::move(tensor));
    }
  }
  return true;
}

const std::vector<Law>& Laws() {
  static const std::vector<Law> all = [] {
    std::vector<Law> laws;
    for (const char* name : {"array_a", "array_b", "conv", "flow", "image", "math_binary", "math_linalg", "math_reduce",
                             "math_unary", "nn", "random", "sparse", "state", "state_more", "string", "train"}) {
      std::string bytes;
      std::FILE* const file = std::fopen((std::string(TENON_TEST_DATA "/ops/") + name + ".pb").c_str(), "rb");
      if (file == nullptr) continue;
      char buffer[1 << 16];
      for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
      std::fclose(file);
      golden::CaseFile cases;
      if (!wire::Parse(BytesOf(bytes), &cases).ok()) continue;
      for (const golden::Case& c : cases.cases)
        if (Law law; Read(c, &law)) laws.push_back(std::move(law));
    }
    return laws;
  }();
  return all;
}

// What the fetches of a run were, or that it failed.
using Answer = Result<std::vector<Tensor>>;
std::vector<Answer> RunAll(const Law& law, const GraphDef& graph, const SessionOptions& options, int times = 1) {
  std::vector<Answer> answers;
  const Result<Session> session = Session::FromGraphDef(graph, options);
  if (!session.ok()) {
    answers.assign(law.runs.size() * static_cast<std::size_t>(times), Answer(session.status()));
    return answers;
  }
  for (int i = 0; i < times; ++i)
    for (const Law::Run& run : law.runs) answers.push_back(session->Run(run.feeds, run.fetches, run.targets));
  return answers;
}
SessionOptions Plain(Allocator* allocator = nullptr) {
  SessionOptions options;
  options.intra_op_threads = 1;
  options.allocator = allocator;
  options.constant_folding = false;
  options.operation_timeout_in_ms = 5000;  // a queue may wait for ever
  options.plan_after_runs = 0;
  return options;
}
std::string Difference(const Law& law, const Answer& got, const Answer& want) {
  if (got.ok() != want.ok())
    return StrCat("one fails: ", got.ok() ? want.status().ToString() : got.status().ToString());
  if (!got.ok())
    return got.status().code() == want.status().code() ? "" : StrCat("another code: ", got.status().ToString());
  std::string_view compare = "exact";
  if (law.compare == "shape" || law.compare == "set") compare = law.compare;
  for (std::size_t i = 0; i < want->size(); ++i)
    if (std::string d = golden::Difference((*got)[i], (*want)[i], compare, 0, 0); !d.empty()) return StrCat(i, ": ", d);
  return "";
}

// The graph with a copy of its own behind each placeholder, for nodes to write over. False if there is no placeholder.
bool GiveOwnInputs(GraphDef* graph) {
  std::set<std::string> copied;
  const std::size_t count = graph->node.size();
  for (std::size_t i = 0; i < count; ++i) {
    DataType dtype = DataType::kInvalid;
    const std::string name = graph->node[i].name;
    if (graph->node[i].op != "Placeholder" || !GetNodeAttr(graph->node[i], "dtype", &dtype).ok()) continue;
    if (!kPodTypes.contains(dtype)) continue;  // what DeepCopy copies
    NodeDef copy;
    copy.name = name + "/own";
    copy.op = "DeepCopy";
    copy.input = {name};
    copy.attr.Insert("T", AttrValue(dtype));
    graph->node.push_back(std::move(copy));
    copied.insert(name);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::string& input : graph->node[i].input) {
      const std::string name = input.ends_with(":0") ? input.substr(0, input.size() - 2) : input;
      if (copied.contains(name)) input = name + "/own";
    }
  return !copied.empty();
}

// Prints what went wrong, the first ten of many.
class Complaints {
 public:
  void Add(const Law& law, const std::string& text) {
    if (++count_ <= 10) MESSAGE(law.name, ": ", text);
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

#define TENON_LAW_HOLDS(complaints) CHECK_MESSAGE((complaints).count() == 0, (complaints).count(), " cases break it")

}  // namespace

TEST_SUITE("Recorded cases") {
  TEST_CASE_FIXTURE(InTempFolder,
                    "nobody writes in front of or behind a block, reads what nobody wrote, or keeps a block") {
    Complaints complaints;
    for (const Law& law : Laws()) {
      GuardedAllocator zeros(0), ones(0xff);
      {
        const std::vector<Answer> a = RunAll(law, law.graph, Plain(&zeros)), b = RunAll(law, law.graph, Plain(&ones));
        for (std::size_t i = 0; i < a.size(); ++i)
          if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
      }
      if (!zeros.WaitUntilAllAreBack() || !ones.WaitUntilAllAreBack()) complaints.Add(law, "a block is kept");
      if (zeros.overruns() + ones.overruns() != 0) complaints.Add(law, "a block is overrun");
    }
    TENON_LAW_HOLDS(complaints);
    CHECK(Laws().size() > 100);
  }

  TEST_CASE_FIXTURE(InTempFolder, "a node that may write over its inputs gives the same") {
    Complaints complaints;
    int tested = 0;
    for (const Law& law : Laws()) {
      GraphDef own = law.graph;
      if (!GiveOwnInputs(&own)) continue;
      ++tested;
      GuardedAllocator guarded(0xff);
      {
        const std::vector<Answer> a = RunAll(law, law.graph, Plain()), b = RunAll(law, own, Plain(&guarded));
        for (std::size_t i = 0; i < a.size(); ++i)
          if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
      }
      if (!guarded.WaitUntilAllAreBack()) complaints.Add(law, "a block is kept");
      if (guarded.overruns() != 0) complaints.Add(law, "a block is overrun");
    }
    TENON_LAW_HOLDS(complaints);
    CHECK(tested > 100);
  }

  TEST_CASE_FIXTURE(InTempFolder, "several threads give what one gives") {
    Complaints complaints;
    ThreadPool between(3, "between"), inside(3, "inside");
    for (const Law& law : Laws()) {
      SessionOptions options = Plain();
      options.inter_op_pool = &between;
      options.intra_op_pool = &inside;
      options.executor = ExecutorKind::kDataflow;
      const std::vector<Answer> a = RunAll(law, law.graph, Plain()), b = RunAll(law, law.graph, options);
      for (std::size_t i = 0; i < a.size(); ++i)
        if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
    }
    TENON_LAW_HOLDS(complaints);
  }

  TEST_CASE_FIXTURE(InTempFolder, "planned memory and folded constants give what a plain run gives") {
    Complaints complaints;
    for (const Law& law : Laws()) {
      if (law.has_state) continue;
      SessionOptions options = Plain();
      options.plan_after_runs = 1;
      options.constant_folding = true;
      const std::vector<Answer> a = RunAll(law, law.graph, Plain()), b = RunAll(law, law.graph, options, 3);
      for (std::size_t i = 0; i < b.size(); ++i)
        if (const std::string d = Difference(law, b[i], a[i % a.size()]); !d.empty()) complaints.Add(law, d);
    }
    TENON_LAW_HOLDS(complaints);
  }

  TEST_CASE_FIXTURE(InTempFolder, "what is no number stays none, where TensorFlow says so") {
    Complaints complaints;
    int tested = 0;
    for (const Law& law : Laws()) {
      if (law.compare != "close" && law.compare != "exact") continue;
      const std::vector<Answer> got = RunAll(law, law.graph, Plain());
      bool has_nan = false, same = true;
      for (std::size_t r = 0; r < got.size(); ++r)
        for (std::size_t t = 0; got[r].ok() && t < law.runs[r].wanted.size(); ++t) {
          const Tensor &is = (*got[r])[t], &want = law.runs[r].wanted[t];
          for (Index i = 0; is.shape() == want.shape() && i < want.NumElements(); ++i) {
            const std::vector<double> x = golden::Numbers(is, i), y = golden::Numbers(want, i);
            for (std::size_t k = 0; k < y.size() && k < x.size(); ++k) {
              has_nan = has_nan || std::isnan(y[k]);
              same = same && std::isnan(x[k]) == std::isnan(y[k]);
            }
          }
        }
      tested += has_nan ? 1 : 0;
      if (!same) complaints.Add(law, "NaN in other places");
    }
    TENON_LAW_HOLDS(complaints);
    CHECK(tested > 20);
  }

  // As in TensorFlow: with an axis that is not known a negative batch_dims gives a wrong rank, and an assignment that
  // does not validate may change a variable's shape.
  bool MayDiffer(std::string_view name) {
    return StartsWith(name, "GatherV2/batch_negative") || name == "VariableV2/assign_other_shape_not_validated";
  }
  TEST_CASE_FIXTURE(InTempFolder, "a run's shapes are the inferred ones") {
    Complaints complaints;
    int fully_known = 0;
    for (const Law& law : Laws()) {
      if (MayDiffer(law.name)) continue;
      const std::vector<Answer> got = RunAll(law, law.graph, Plain());
      for (std::size_t r = 0; r < got.size(); ++r) {
        if (!got[r].ok()) continue;
        const Law::Run& run = law.runs[r];
        GraphDef graph = law.graph;
        bool feeds_placeholders = true;
        for (const NamedTensor& feed : run.feeds) {
          const std::string name = feed.name.substr(0, feed.name.find(':'));
          bool found = false;
          for (NodeDef& node : graph.node)
            if (node.name == name && StartsWith(node.op, "Placeholder") && node.op != "PlaceholderWithDefault") {
              node.attr.Set("shape", AttrValue(PartialTensorShape(feed.tensor.shape())));
              found = true;
            }
          feeds_placeholders = feeds_placeholders && found;
        }
        if (!feeds_placeholders) continue;
        const Result<Graph> imported = ImportGraphDef(std::move(graph), Registry::Global().ops());
        if (!imported.ok()) continue;  // some kernels look less closely than their shape functions, as TensorFlow's do
        for (std::size_t t = 0; t < run.fetches.size(); ++t) {
          const std::size_t colon = run.fetches[t].find(':');
          int output = 0;
          if (colon != std::string::npos && !ParseInt(std::string_view(run.fetches[t]).substr(colon + 1), &output))
            continue;
          const Node* const node = imported->Find(std::string_view(run.fetches[t]).substr(0, colon));
          if (node == nullptr || output >= node->num_outputs()) continue;
          const PartialTensorShape inferred = node->output_shape(output);
          const TensorShape& shape = (*got[r])[t].shape();
          fully_known += inferred.IsFullyDefined() ? 1 : 0;
          if (!inferred.IsCompatibleWith(PartialTensorShape(shape)))
            complaints.Add(law, StrCat(run.fetches[t], " is ", shape, ", inferred was ", inferred));
        }
      }
    }
    TENON_LAW_HOLDS(complaints);
    CHECK(fully_known > 100);
  }
}
}  // namespace golden_laws_test
