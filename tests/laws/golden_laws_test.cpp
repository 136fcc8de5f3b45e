// SPDX-License-Identifier: Apache-2.0
// Laws of running a graph, over every case that TensorFlow's answers are recorded for: however a session runs it, the
// values are the same bit by bit. What they should be is for tenon_golden to say.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <tenon/types/numeric.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/runtime/api/session.hpp>
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
    for (const char* name :
         {"array_a", "array_b", "conv", "flow", "image", "math_binary", "math_linalg", "math_reduce", "math_unary",
          "nn", "random", "sparse", "state", "state_more", "string", "train", "edges"}) {
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

// The tensor's elements in memory of their own: aligned for an element and for nothing more, and right in front of a
// page that nobody may touch. Texts and handles stay where they are.
Tensor BeforeForbiddenPage(const Tensor& tensor) {
  if (!kPodTypes.contains(tensor.dtype()) || tensor.NumElements() == 0) return tensor;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = tensor.TotalBytes(), room = (bytes + page - 1) / page * page;
  void* const memory = mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return tensor;
  auto* const begin = static_cast<unsigned char*>(memory);
  mprotect(begin + room, page, PROT_NONE);
  std::memcpy(begin + room - bytes, tensor.raw_data(), bytes);
  return Tensor::FromMemory(tensor.dtype(), tensor.shape(), begin + room - bytes,
                            [memory, all = room + page](void*) { munmap(memory, all); });
}

// Placeholders of one type that are fed tensors of one shape in every run become one, with a copy of its own behind it,
// and are fed what the first of them is. False if there are none. `twice`: the same law with all of them.
bool MergeInputs(Law* law, Law* twice) {
  const auto fed_alike = [&](const std::string& a, const std::string& b) {
    for (const Law::Run& run : law->runs) {
      const Tensor *x = nullptr, *y = nullptr;
      for (const NamedTensor& feed : run.feeds) {
        if (feed.name == a) x = &feed.tensor;
        if (feed.name == b) y = &feed.tensor;
      }
      if ((x == nullptr) != (y == nullptr)) return false;
      if (x != nullptr && (x->dtype() != y->dtype() || !(x->shape() == y->shape()))) return false;
    }
    return true;
  };
  std::map<std::string, std::string> first_of;
  std::vector<std::string> firsts;
  for (const NodeDef& node : law->graph.node) {
    if (node.op != "Placeholder") continue;
    const auto same = std::find_if(firsts.begin(), firsts.end(),
                                   [&](const std::string& first) { return fed_alike(first, node.name); });
    if (same == firsts.end())
      firsts.push_back(node.name);
    else
      first_of[node.name] = *same;
  }
  if (first_of.empty()) return false;
  for (Law::Run& run : law->runs)
    for (NamedTensor& feed : run.feeds)
      if (const auto first = first_of.find(feed.name); first != first_of.end())
        for (const NamedTensor& other : run.feeds)
          if (other.name == first->second) feed.tensor = other.tensor;
  *twice = *law;
  for (NodeDef& node : twice->graph.node)
    for (std::string& input : node.input) {
      const std::string name = input.ends_with(":0") ? input.substr(0, input.size() - 2) : input;
      if (const auto first = first_of.find(name); first != first_of.end()) input = first->second;
    }
  return GiveOwnInputs(&twice->graph);
}

// Whether a node draws numbers with a seed of its own in every session.
bool DrawsAnew(const GraphDef& graph) {
  for (const NodeDef& node : graph.node) {
    bool has_seed = false;
    std::int64_t seeds = 0, seed = 0;
    for (const AttrSpec& attr : Registry::Global().FindOp(node.op)->attrs) {
      if (attr.name() != "seed" && attr.name() != "seed2") continue;
      has_seed = true;
      if (GetNodeAttr(node, attr.name(), &seed).ok()) seeds |= seed;
    }
    if (has_seed && seeds == 0) return true;
  }
  return false;
}

// What is fed, made into something that the case is not about.
enum class Change { kEmpty, kScalar, kRank8, kNan };
Tensor Changed(const Tensor& tensor, Change change) {
  if (change == Change::kEmpty) return tensor.dims() == 0 ? tensor : tensor.Slice(0, 0);
  if (change == Change::kNan) {
    Tensor copy = tensor.DeepCopy();
    if (tensor.dtype() == DataType::kFloat)
      std::fill_n(copy.data<float>(), copy.NumElements(), std::numeric_limits<float>::quiet_NaN());
    if (tensor.dtype() == DataType::kDouble)
      std::fill_n(copy.data<double>(), copy.NumElements(), std::numeric_limits<double>::quiet_NaN());
    if (tensor.dtype() == DataType::kHalf)
      std::fill_n(copy.data<half>(), copy.NumElements(), half(std::numeric_limits<float>::quiet_NaN()));
    return copy;
  }
  TensorShape shape;
  if (change == Change::kRank8) {
    shape = tensor.shape();
    while (shape.dims() < 8) shape.InsertDim(0, 1);
  } else if (tensor.NumElements() != 1) {
    return tensor;
  }
  Tensor other;
  return other.CopyFrom(tensor, shape) ? other : tensor;
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

  TEST_CASE_FIXTURE(InTempFolder,
                    "inputs that are aligned for their elements only give the same, and nobody reads past") {
    Complaints complaints;
    for (const Law& law : Laws()) {
      Law odd = law;
      for (Law::Run& run : odd.runs)
        for (NamedTensor& feed : run.feeds) feed.tensor = BeforeForbiddenPage(feed.tensor);
      const std::vector<Answer> a = RunAll(law, law.graph, Plain()), b = RunAll(odd, law.graph, Plain());
      for (std::size_t i = 0; i < a.size(); ++i)
        if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
    }
    TENON_LAW_HOLDS(complaints);
  }

  TEST_CASE_FIXTURE(InTempFolder, "one buffer as several inputs that may be written over gives the same") {
    Complaints complaints;
    int tested = 0;
    for (const Law& law : Laws()) {
      Law apart = law, twice;
      if (!MergeInputs(&apart, &twice)) continue;
      ++tested;
      const std::vector<Answer> a = RunAll(apart, apart.graph, Plain()), b = RunAll(twice, twice.graph, Plain());
      for (std::size_t i = 0; i < a.size(); ++i)
        if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
    }
    TENON_LAW_HOLDS(complaints);
    CHECK(tested > 100);
  }

  TEST_CASE_FIXTURE(InTempFolder,
                    "empty, scalar, rank 8 and NaN: what a case does not expect ends the same way twice") {
    Complaints complaints;
    for (const Law& law : Laws()) {
      const bool is_fed =
          std::any_of(law.runs.begin(), law.runs.end(), [](const auto& run) { return !run.feeds.empty(); });
      if (!is_fed || DrawsAnew(law.graph)) continue;
      for (const Change change : {Change::kEmpty, Change::kScalar, Change::kRank8, Change::kNan}) {
        Law changed = law;
        for (NodeDef& node : changed.graph.node)
          if (node.op == "Placeholder") node.attr.Set("shape", AttrValue(PartialTensorShape()));
        for (Law::Run& run : changed.runs)
          for (NamedTensor& feed : run.feeds) feed.tensor = Changed(feed.tensor, change);
        GuardedAllocator zeros(0), ones(0xff);
        {
          SessionOptions first = Plain(&zeros), second = Plain(&ones);
          first.operation_timeout_in_ms = second.operation_timeout_in_ms = 50;
          const std::vector<Answer> a = RunAll(changed, changed.graph, first),
                                    b = RunAll(changed, changed.graph, second);
          for (std::size_t i = 0; i < a.size(); ++i) {
            const auto in_time = [](const Answer& answer) { return answer.status().code() != Code::kDeadlineExceeded; };
            if (!in_time(a[i]) || !in_time(b[i])) break;  // a loop without end, or a queue that waits
            if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
          }
        }
        if (!zeros.WaitUntilAllAreBack() || !ones.WaitUntilAllAreBack()) complaints.Add(law, "a block is kept");
        if (zeros.overruns() + ones.overruns() != 0) complaints.Add(law, "a block is overrun");
      }
    }
    TENON_LAW_HOLDS(complaints);
  }

  TEST_CASE_FIXTURE(InTempFolder, "several threads give what one gives") {
    Complaints complaints;
    ThreadPool two(2, "two"), five(5, "five");
    for (const Law& law : Laws()) {
      const std::vector<Answer> a = RunAll(law, law.graph, Plain());
      for (ThreadPool* const pool : {&two, &five}) {
        SessionOptions options = Plain();
        options.inter_op_pool = pool;
        options.intra_op_pool = pool;
        options.executor = ExecutorKind::kDataflow;
        const std::vector<Answer> b = RunAll(law, law.graph, options);
        for (std::size_t i = 0; i < a.size(); ++i)
          if (const std::string d = Difference(law, b[i], a[i]); !d.empty()) complaints.Add(law, d);
      }
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

  // As in TensorFlow: with an axis that is not known a negative batch_dims gives a wrong rank, an assignment that does
  // not validate may change a variable's shape, and a scalar's counts are no scalar.
  bool MayDiffer(std::string_view name) {
    return StartsWith(name, "GatherV2/batch_negative") || name == "VariableV2/assign_other_shape_not_validated" ||
           StartsWith(name, "DenseBincount/rank_0_size_fed");
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
