// SPDX-License-Identifier: Apache-2.0
// Single calls without memory: the k-th request for memory of a call is refused, for every k. The call says
// ResourceExhausted, throws nothing and leaks nothing.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/env.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/runtime/multi_device/partitioned_graph.hpp>
#include <tenon/runtime/multi_device/multi_device_session.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/executor/run_node.hpp>

#include "runtime/four_devices.hpp"
#include "runtime/graphs.hpp"
#include "runtime/heap_counter.hpp"
#include "runtime/split_graph.hpp"

namespace no_memory_calls_test {

using namespace tenon;
using namespace runtime_test;

namespace {

// Calls call(make()) with request k of the call refused, for k from 1 on. Of a call with many requests TENON_TEST_TURN
// selects a part.
template <class Make, class Call>
void Sweep(const std::string& name, const Make& make, const Call& call) {
  if (!kCountsHeapCalls) return;
  NoMemory& limits = HeapLimits();
  constexpr long kMost = 20'000;
  std::int64_t turn = 0;
  REQUIRE(GetEnvInt64("TENON_TEST_TURN", 0, &turn).ok());
  long k = 0, usual = 0, failed = 0, step = 1;
  for (bool more = true; more && k < kMost; k = k == 0 ? 1 + static_cast<long>(turn % step) : k + step) {
    Code code = Code::kOk;
    bool throws = false;
    long requests = 0;
    limits.refused = 0;
    limits.all_later = false;
    limits.watches = true;
    const long before = limits.blocks;
    {
      auto given = make();
      limits.requests = 0;
      limits.refused = k;  // in the first round none
#if defined(__cpp_exceptions)
      try {
        code = call(given).code();
      } catch (...) {
        throws = true;
      }
#else
      code = call(given).code();
#endif
      requests = limits.requests;
      limits.refused = 0;
    }
    limits.watches = false;
    CHECK_MESSAGE(!throws, name, ", request ", k);
    CHECK_MESSAGE((code == Code::kOk || code == Code::kResourceExhausted), name, ", request ", k);
    const long more_blocks = limits.blocks - before;
    if (k == 0) {
      usual = more_blocks;
      step = 1 + requests / 3000;
    }
    CHECK_MESSAGE(more_blocks <= usual, name, ", request ", k, " leaks ", more_blocks - usual);
    failed += code == Code::kOk ? 0 : 1;
    more = k == 0 || requests >= k;
  }
  CHECK(k < kMost);
  CHECK_MESSAGE(failed > 0, name);
}

}  // namespace

TEST_SUITE("no memory, call by call") {
  TEST_CASE("GraphBuilder") {
    const Tensor one = Tensor::Scalar(1.0f);
    Sweep(
        "GraphBuilder", [] { return MakeOwned<GraphBuilder>(); },
        [&](const Owned<GraphBuilder>& b) -> Status {
          const Output x = b->Placeholder("x", DataType::kFloat, PartialTensorShape());
          const Output c = b->Const("c", one);
          const Output pair[] = {x, c};
          const Output y = b->Add("AddV2", "y", Span<const Output>(pair, 2));
          b->AddControlInput(y, c);
          b->SetDevice(y, "/job:localhost/replica:0/task:0/device:CPU:0");
          return b->status();
        });
  }

  TEST_CASE("ImportGraphDef") {
    const GraphDef def = SplitChain();
    Sweep(
        "ImportGraphDef", [&] { return GraphDef(def); },
        [](GraphDef& graph) { return ImportGraphDef(std::move(graph), Registry::Global().ops()).status(); });
  }

  TEST_CASE("PartitionedGraph") {
    struct Parts {
      SlimVector<DeviceGraph> graphs = GraphSplitter::Split(SplitChain());
      Owned<DeviceMgr> devices = MakeDeviceMgr(kFour);
    };
    Sweep(
        "PartitionedGraph::Create", [] { return Parts(); },
        [](Parts& parts) {
          return PartitionedGraph::Create(std::move(parts.graphs), std::move(parts.devices)).status();
        });
    const Ref<PartitionedGraph> graph = *Load(SplitChain());
    const CallableOptions options{.feeds = {"x"}, .fetches = {"w"}};
    for (int i = 0; i < 2; ++i) REQUIRE(graph->MakeCallable(options).ok());  // the kernels are made
    struct Settled {  // copies of constants may be on their way when the call has failed
      ~Settled() {
        for (Device* device : devices.ListDevices()) CHECK(device->Synchronize().ok());
      }
      const DeviceMgr& devices;
    };
    Sweep(
        "PartitionedGraph::MakeCallable", [&] { return Settled{graph->devices()}; },
        [&](const Settled&) { return graph->MakeCallable(options).status(); });
    CHECK(graph->MakeCallable(options).ok());
  }

  TEST_CASE("MultiDeviceSession") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output y = b.Add("Neg", "y", {x}), z = b.Add("Neg", "z", {y});
    b.SetDevice(y, "/device:SIM:0");
    b.SetDevice(z, "/device:CPU:1");
    struct Given {
      GraphDef graph;
      Owned<DeviceMgr> devices = MakeDeviceMgr(kFour);
    };
    Sweep(
        "MultiDeviceSession::Create", [&] { return Given{b.graph_def()}; },
        [](Given& given) {
          return MultiDeviceSession::Create(std::move(given.graph), std::move(given.devices)).status();
        });
    const CallableOptions options{.feeds = {"x"}, .fetches = {"z"}};
    Sweep(
        "MultiDeviceSession::MakeCallable",
        [&] { return *MultiDeviceSession::Create(b.graph_def(), MakeDeviceMgr(kFour)); },
        [&](const Ref<MultiDeviceSession>& session) { return session->MakeCallable(options).status(); });
  }

  TEST_CASE("Session::Extend leaves the graph as it was, or adds all") {
    const GraphDef first = SmallGraph().graph_def();
    GraphDef more;
    more.versions = first.versions;
    for (int i = 0; i < 40; ++i) {
      NodeDef node = MakeNode(StrCat("more", i), "Neg", {{"T", DataType::kFloat}});
      node.input.push_back(i == 0 ? "z" : StrCat("more", i - 1));
      more.node.push_back(std::move(node));
    }
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    Sweep(
        "Session::Extend",
        [&] {
          Session session = Session::Create({.intra_op_threads = 1}).value();
          REQUIRE(session.Extend(first).ok());
          return session;
        },
        [&](Session& session) {
          const Status status = session.Extend(more);
          NoMemory& limits = HeapLimits();
          const long refused = limits.refused.exchange(0), requests = limits.requests;
          if (!status.ok()) CHECK(session.Extend(more).ok());
          const auto out = session.Run({{"x", x}}, {"z:0", "more39:0"});
          REQUIRE_MESSAGE(out.ok(), out.status().ToString());
          CHECK((*out)[0].flat<float>()(1) == (*out)[1].flat<float>()(1));
          limits.requests = requests;
          limits.refused = refused;
          return status;
        });
  }

  TEST_CASE("SavedModel::Load, and a run of the model") {
    const std::string folder = TENON_TEST_DATA "/saved_models/module_counter";
    const Tensor by = Tensor::Scalar(std::int64_t{3}), note = Tensor::Scalar(tstring("n"));
    Sweep(
        "SavedModel::Load", [] { return SavedModelOptions{.session = {.intra_op_threads = 1}}; },
        [&](SavedModelOptions& options) -> Status {
          const Result<SavedModel> model = SavedModel::Load(folder, std::move(options));
          if (!model.ok()) return model.status();
          const Result<ModelSignature> bump = model->signature("bump");
          return bump.ok() ? bump->Run({{"by", by}, {"note", note}}).status() : bump.status();
        });
  }

  TEST_CASE("a task that waits goes on waiting, and the pool can have threads again") {
    if (!kCountsHeapCalls) return;
    struct Shared {
      ThreadPool* pool = nullptr;
      std::atomic<int> released{0};
      std::atomic<int> ended{0};
      std::atomic<bool> threw{false};
    } shared;
    const auto wait_without_memory = [](void* arg) {
      auto* s = static_cast<Shared*>(arg);
      NoMemory& limits = HeapLimits();
      limits.requests = 0;
      limits.refused = 1;
      limits.all_later = true;
      limits.watches = true;
#if defined(__cpp_exceptions)
      try {
        const ThreadPool::Waiting waiting;
      } catch (...) {
        s->threw = true;
      }
#else
      {
        const ThreadPool::Waiting waiting;
      }
#endif
      limits.watches = false;
      limits.refused = 0;
      limits.all_later = false;
      s->ended.fetch_add(1);
    };
    const auto wait_for_the_next = [](void* arg) {
      auto* s = static_cast<Shared*>(arg);
      const ThreadPool::Waiting waiting;
      while (s->released.load() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      s->ended.fetch_add(1);
    };
    const auto release = [](void* arg) { static_cast<Shared*>(arg)->released.store(1); };
    {
      ThreadPool pool(2, "test");
      pool.Schedule(wait_without_memory, &shared);
      while (shared.ended.load() < 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      pool.Schedule(wait_for_the_next, &shared);
      pool.Schedule(release, &shared);
    }
    CHECK(shared.ended.load() == 2);
    CHECK_FALSE(shared.threw.load());
  }

  TEST_CASE("what waits without memory for another thread gets one later") {
    if (!kCountsHeapCalls) return;
    struct Shared {
      Notification first, second;
    } shared;
    const auto wait_for_first = [](void* arg) { detail::WaitFor(static_cast<Shared*>(arg)->first); };
    const auto wait_for_second = [](void* arg) {
      NoMemory& limits = HeapLimits();
      limits.requests = 0;
      limits.refused = 1;
      limits.all_later = true;
      limits.watches = true;
      detail::WaitFor(static_cast<Shared*>(arg)->second);
    };
    const auto notify = [](void* arg) {
      static_cast<Shared*>(arg)->second.Notify();
      static_cast<Shared*>(arg)->first.Notify();
    };
    NoMemory& limits = HeapLimits();
    limits.requests = 0;
    ThreadPool pool(2, "test");  // has room for one thread more
    pool.Schedule(wait_for_first, &shared);
    pool.Schedule(wait_for_second, &shared);  // on that thread
    while (limits.requests < 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool.Schedule(notify, &shared);
    CHECK_FALSE(shared.first.WaitForNotificationWithTimeout(20'000));  // no thread runs it
    limits.watches = false;
    limits.refused = 0;
    limits.all_later = false;
    const bool notified = shared.first.WaitForNotificationWithTimeout(20'000'000);
    CHECK(notified);
    if (!notified) notify(&shared);
  }
}

}  // namespace no_memory_calls_test
