// SPDX-License-Identifier: Apache-2.0
// Random graphs give the same results in every engine, natively and lowered, on one device and on several, and op by
// op. TENON_RANDOM_GRAPHS says how many, TENON_RANDOM_SEED the seed of the first; graph i has that seed plus i. Without
// them TENON_TEST_TURN, the number of commits, selects a quarter of the first thousand.
//
//   TENON_RANDOM_GRAPHS=1 TENON_RANDOM_SEED=711 tenon_test_runtime -tc="*however they run*"
#include "random_graphs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tenon/base/env.hpp>
#include <tenon/eager.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/runtime/multi_device/multi_device_session.hpp>

#include "four_devices.hpp"
#include "sanitizers.hpp"

namespace random_graphs_test {
using namespace tenon;
using namespace random_graphs;
using runtime_test::kFour;
using runtime_test::MakeDeviceMgr;
using runtime_test::SameBits;

namespace {

bool Same(const Tensor& a, const Tensor& b) {
  if (SameBits(a, b)) return true;
  if (a.dtype() != DataType::kFloat || b.dtype() != DataType::kFloat || !(a.shape() == b.shape())) return false;
  for (std::int64_t i = 0; i < a.NumElements(); ++i) {
    const float x = a.flat<float>()[i], y = b.flat<float>()[i];
    if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

// Runs a program op by op; its frames are loops and branches here.
class EagerInterpreter {
 public:
  explicit EagerInterpreter(const GraphDef& graph) { status_ = context_.AddFunctions(graph.library); }

  Result<std::vector<Tensor>> Run(const Block& block, const std::vector<Tensor>& args) {
    TENON_RETURN_IF_ERROR(status_);
    std::vector<std::vector<Tensor>> made;
    const auto value = [&](Value v) {
      return v.node < 0 ? args[static_cast<std::size_t>(-1 - v.node)]
                        : made[static_cast<std::size_t>(v.node)][static_cast<std::size_t>(v.out)];
    };
    for (const Item& item : block.items) {
      std::vector<Tensor> inputs;
      for (const Value& v : item.inputs) inputs.push_back(value(v));
      TENON_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, RunItem(item, std::move(inputs)));
      made.push_back(std::move(outputs));
    }
    std::vector<Tensor> results;
    for (const Value& v : block.results) results.push_back(value(v));
    return results;
  }

 private:
  Result<std::vector<Tensor>> RunItem(const Item& item, std::vector<Tensor> inputs) {
    if (item.kind == Item::Kind::kCond) {
      const bool taken = inputs[0].scalar<bool>()[0];
      inputs.erase(inputs.begin());
      TENON_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, Run(item.blocks[taken ? 0 : 1], inputs));
      outputs.push_back(Tensor::Scalar(std::int32_t{taken}));
      return outputs;
    }
    if (item.kind == Item::Kind::kLoop) {
      for (std::int32_t i = 0; i < item.trips; ++i) {
        std::vector<Tensor> args = inputs;
        args.insert(args.begin(), Tensor::Scalar(i));
        TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> next, Run(item.blocks[0], args));
        std::copy(next.begin(), next.end(), inputs.begin());
      }
      inputs.resize(static_cast<std::size_t>(item.carried));
      inputs.push_back(Tensor::Scalar(std::int32_t{item.trips}));
      return inputs;
    }
    if (item.op == "NoOp") return std::vector<Tensor>();
    if (item.op == "Const") return std::vector<Tensor>{item.attrs[1].second.tensor()};
    std::vector<eager::Argument> arguments;
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
      if (i == item.list_begin && item.list_size > 0) {
        const auto first = inputs.begin() + i;
        arguments.emplace_back(std::vector<Tensor>(first, first + item.list_size));
        i += item.list_size - 1;
      } else {
        arguments.emplace_back(inputs[static_cast<std::size_t>(i)]);
      }
    }
    return context_.Call(item.op, arguments, item.attrs);
  }

  eager::Context context_;
  Status status_;
};

struct Way {
  const char* name;
  SessionOptions options;
};
std::vector<Way> Ways() {
  const auto dataflow = ExecutorKind::kDataflow;
  return {{"sequential", {.intra_op_threads = 1}},
          {"sequential, nothing folded or planned", {.constant_folding = false, .plan_after_runs = 0}},
          {"planned at once", {.constant_folding = false, .plan_after_runs = 1}},
          {"dataflow, one thread", {.inter_op_threads = 1, .executor = dataflow}},
          {"dataflow, three threads", {.inter_op_threads = 3, .executor = dataflow}},
          {"optimised", {.optimizer = {.level = OptimizerLevel::kExact}}},
          {"optimised, planned at once", {.plan_after_runs = 1, .optimizer = {.level = OptimizerLevel::kExact}}},
          {"optimised, lowered",
           {.lower_control_flow = LowerAllFunctionalOps, .optimizer = {.level = OptimizerLevel::kExact}}},
          {"optimised, lowered, three threads",
           {.inter_op_threads = 3,
            .executor = dataflow,
            .lower_control_flow = LowerAllFunctionalOps,
            .optimizer = {.level = OptimizerLevel::kExact}}},
          {"lowered", {.lower_control_flow = LowerFunctionalOps}},
          {"lowered, three threads",
           {.inter_op_threads = 3, .executor = dataflow, .lower_control_flow = LowerFunctionalOps}},
          {"all lowered", {.lower_control_flow = LowerAllFunctionalOps}},
          {"all lowered, three threads",
           {.inter_op_threads = 3,
            .executor = dataflow,
            .constant_folding = false,
            .lower_control_flow = LowerAllFunctionalOps}}};
}
struct Places {
  const char* name;
  SlimVector<std::string> devices;
  GraphPass lower;
};
std::vector<Places> AllPlaces() {
  return {{"one device", {"CPU:0"}, &LowerFunctionalOps},
          {"two devices", {"CPU:0", "SIM:0"}, nullptr},
          {"three devices", {"SIM:0", "CPU:0", "SIM:1"}, &LowerFunctionalOps},
          {"three devices, calls taken apart", {"CPU:0", "SIM:0", "SIM:1"}, &LowerForDevices},
          {"four devices", kFour, &LowerAllFunctionalOps},
          {"three CPUs", {"CPU:0", "CPU:1", "CPU:2"}, &LowerAllFunctionalOps}};
}

// One program with what it gives.
class Case {
 public:
  explicit Case(std::uint64_t seed) : seed_(seed) {
    RandomProgram random(seed);
    program_ = random.Make();
    has_stateful_calls_ = random.has_stateful_calls();
    for (std::size_t i = 0; i < program_.params.size(); ++i) {
      values_.push_back(random.SomeTensor(program_.params[i]));
      feeds_.push_back({StrCat("p", i), values_.back()});
    }
    graph_ = RandomGraphWriter().Write(&program_, &fetches_);
  }
  bool Evaluate() {
    if (fetches_.empty()) return true;
    EagerInterpreter eager(graph_);
    Result<std::vector<Tensor>> results = eager.Run(program_, values_);
    CHECK_MESSAGE(results.ok(), "seed ", seed_, ", eager: ", results.status().ToString());
    if (!results.ok()) return false;
    expected_ = *std::move(results);
    return true;
  }
  bool Try(const Way& way) {
    const auto session = Session::FromGraphDef(graph_, way.options);
    if (!session.ok()) return Says(way.name, session.status());
    for (int i = 0; i < 4; ++i)
      if (!Compare(way.name, session->Run(feeds_, fetches_))) return false;
    return true;
  }
  bool Try(const Places& places, ThreadPoolInterface* pool) {
    if (places.lower == nullptr && has_stateful_calls_) return true;
    Block copy = program_;
    std::vector<std::string> fetches;
    GraphDef graph = RandomGraphWriter(places.devices).Write(&copy, &fetches);
    MultiDeviceSessionOptions options;
    options.pool = pool;
    options.allow_soft_placement = true;
    options.lower_control_flow = places.lower;
    auto session = MultiDeviceSession::Create(std::move(graph), MakeDeviceMgr(places.devices), options);
    if (!session.ok()) return Says(places.name, session.status());
    for (int i = 0; i < 2; ++i)
      if (!Compare(places.name, (*session)->Run(feeds_, fetches_))) return false;
    return true;
  }
  // All parts on this thread.
  bool TryInOrder(const Places& places) {
    if (places.devices.size() < 2 || (places.lower == nullptr && has_stateful_calls_)) return true;
    Block copy = program_;
    std::vector<std::string> fetches;
    SessionOptions options;
    options.devices.assign(places.devices.begin(), places.devices.end());
    options.executor = ExecutorKind::kSequential;
    options.allow_soft_placement = true;
    options.lower_control_flow = places.lower != nullptr ? places.lower : &KeepFunctionalOps;
    const GraphDef graph = RandomGraphWriter(places.devices).Write(&copy, &fetches);
    const auto session = Session::FromGraphDef(graph, options);
    if (!session.ok()) return Says(places.name, session.status());
    if (!Compare("several devices in order", session->Run(feeds_, fetches_))) return false;
    options.executor = ExecutorKind::kAuto;
    options.optimizer.level = OptimizerLevel::kExact;
    const auto optimised = Session::FromGraphDef(graph, options);
    if (!optimised.ok()) return Says(places.name, optimised.status());
    return Compare("several devices, optimised", optimised->Run(feeds_, fetches_));
  }
  bool empty() const { return fetches_.empty(); }

 private:
  bool Says(const char* way, const Status& status) const {
    CHECK_MESSAGE(status.ok(), "seed ", seed_, ", ", std::string(way), ": ", status.ToString());
    return status.ok();
  }
  bool Compare(const char* way, const Result<std::vector<Tensor>>& results) const {
    if (!results.ok()) return Says(way, results.status());
    bool same = true;
    for (std::size_t i = 0; i < fetches_.size(); ++i) {
      const bool equal = Same((*results)[i], expected_[i]);
      CHECK_MESSAGE(equal, "seed ", seed_, ", ", std::string(way), ", '", fetches_[i],
                    "': ", (*results)[i].DebugString(), " and op by op ", expected_[i].DebugString());
      same = same && equal;
    }
    return same;
  }

  const std::uint64_t seed_;
  bool has_stateful_calls_ = false;
  Block program_;
  GraphDef graph_;
  std::vector<Tensor> values_, expected_;
  std::vector<NamedTensor> feeds_;
  std::vector<std::string> fetches_;
};

}  // namespace

constexpr std::int64_t kUsualCount = TENON_TEST_TSAN ? 25 : 250;

TEST_SUITE("random graphs") {
  TEST_CASE("give the same results however they run") {
    std::int64_t turn = 0, count = 0, seed = 0;
    REQUIRE(GetEnvInt64("TENON_TEST_TURN", 0, &turn).ok());
    REQUIRE(GetEnvInt64("TENON_RANDOM_GRAPHS", kUsualCount, &count).ok());
    REQUIRE(GetEnvInt64("TENON_RANDOM_SEED", 1 + turn % 4 * 250, &seed).ok());
    MESSAGE(count, " graphs, seeds from ", seed);
    ThreadPool pool(4, "parts");
    int wrong = 0;
    for (std::int64_t i = 0; i < count && wrong < 5; ++i) {
      Case c(static_cast<std::uint64_t>(seed + i));
      if (c.empty()) continue;
      bool right = c.Evaluate();
      for (const Way& way : Ways()) right = right && c.Try(way);
      for (const Places& places : AllPlaces()) right = right && c.Try(places, &pool) && c.TryInOrder(places);
      wrong += right ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}
}  // namespace random_graphs_test
