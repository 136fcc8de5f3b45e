// SPDX-License-Identifier: Apache-2.0
// Sessions in the child of a fork(), in every engine: those made there, those of the parent, and those that the parent
// was using.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/device/executor_pool.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graphs.hpp"
#include "in_child.hpp"
#include "loops.hpp"

namespace forked_sessions_test {
#if TENON_TEST_FORKS
using namespace tenon;
using namespace runtime_test;
using tenon::test::InChild;

namespace {

// Hands its input on when the test lets it.
std::atomic<int> waiting{0};
Notification* gate = nullptr;
struct FsWait {
  static constexpr auto signature =
      Op("FsWait").Input("x: float").Output("y: float").SetIsStateful().SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      if (gate != nullptr) {
        ++waiting;
        gate->WaitForNotification();
      }
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
// Waits until the run is cancelled.
struct FsBlock {
  static constexpr auto signature =
      Op("FsBlock").Input("x: float").Output("y: float").SetIsStateful().SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : AsyncOpKernel {
    using AsyncOpKernel::AsyncOpKernel;
    void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
      ++waiting;
      CancellationManager* const run = context->cancellation_manager();
      const auto cancelled = [context, done] {
        context->SetStatus(errors::Cancelled("FsBlock was cancelled"));
        done();
      };
      if (!run->Register(run->NewToken(), cancelled)) cancelled();
    }
  };
};
TENON_REGISTER(tenon::Types<float>, FsWait, FsBlock);

// z = f(x) in several ways: "z" of wide nodes and loops over elements, "wait" and "block" with kernels that wait, and
// "exit", which counts to "limit".
GraphDef Everything(bool several_devices) {
  FlowGraph g;
  g.Feed("x").Const("one", Tensor::Scalar(1.0f));
  g.Node("a", "AddV2", {"x", "one"}).Node("b", "Mul", {"x", "x"}).Node("c", "Sub", {"x", "one"});
  g.Node("ab", "AddV2", {"a", "b"}).Node("z", "AddV2", {"ab", "c"});
  g.Node("wait", "FsWait", {"x"}, {}, false).Node("block", "FsBlock", {"x"}, {}, false);
  if (several_devices)
    for (NodeDef& node : g.def.node)
      node.device = node.name == "a" ? "/device:CPU:1" : node.name == "b" ? "/device:SIM:0" : "/device:CPU:0";
  return g.def;
}
GraphDef Loop() {
  FlowGraph g(DataType::kInt32);
  g.Feed("limit").Count("", "limit");
  return g.def;
}

struct Engine {
  const char* name;
  SessionOptions options;
};
std::vector<Engine> Engines() {
  return {{"sequential", {.intra_op_threads = 3}},
          {"sequential, one thread", {.intra_op_threads = 1}},
          {"shared pool", {}},
          {"dataflow", {.inter_op_threads = 3, .intra_op_threads = 3, .executor = ExecutorKind::kDataflow}},
          {"dataflow on the caller's thread", {.executor = ExecutorKind::kDataflow}},
          {"pools by number", {.executor = ExecutorKind::kDataflow, .inter_op_pools = {{2}, {2, "forked"}}}},
          {"devices", {.devices = {"CPU:0", "CPU:1", "SIM:0"}}},
          {"devices, dataflow",
           {.inter_op_threads = 3, .devices = {"CPU:0", "CPU:1", "SIM:0"}, .executor = ExecutorKind::kDataflow}}};
}
Result<Session> Make(const Engine& engine) {
  return Session::FromGraphDef(Everything(!engine.options.devices.empty()), engine.options);
}

constexpr Index kElements = 300'000;
Tensor Input() {
  Tensor x(DataType::kFloat, TensorShape({kElements}));
  for (Index i = 0; i < kElements; ++i) x.flat<float>()[i] = static_cast<float>(i % 100);
  return x;
}
// 0: the session and a callable of it answer.
int Answers(const Session& session, const Callable& callable) {
  const Tensor x = Input();
  for (int i = 0; i < 4; ++i) {
    const auto out = session.Run({{"x", x}}, {"z", "wait"});
    if (!out.ok()) return 1;
    std::vector<Tensor> of_callable(1);
    if (!callable.Run({&x, 1}, of_callable).ok()) return 2;
    for (Index k = 0; k < kElements; k += 7'777) {
      const float v = static_cast<float>(k % 100);
      if ((*out)[0].flat<float>()[k] != v * v + 2 * v || (*out)[1].flat<float>()[k] != v) return 3;
      if (of_callable[0].flat<float>()[k] != v * v + 2 * v) return 4;
    }
  }
  return 0;
}
// 0: a deadline ends a run that waits, in time.
int KeepsDeadlines(const Session& session) {
  const auto begin = std::chrono::steady_clock::now();
  const auto out = session.Run({{"x", Tensor::Scalar(1.0f)}}, {"block"}, {}, RunOptions{.timeout_in_ms = 50});
  if (out.status().code() != Code::kDeadlineExceeded) return 5;
  return std::chrono::steady_clock::now() - begin < std::chrono::seconds(5) ? 0 : 6;
}
int WorksAnew(const Engine& engine) {
  const Result<Session> session = Make(engine);
  if (!session.ok()) return 11;
  const Result<Callable> callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
  if (!callable.ok()) return 12;
  const int answers = Answers(*session, *callable);
  return answers != 0 ? answers : KeepsDeadlines(*session);
}
// 0: the session says that it cannot be used here.
int Refuses(const Session& session, const Callable& callable, std::string_view why) {
  const Tensor x = Input();
  std::vector<Tensor> out(1);
  Status of_close;
  for (const Status& status :
       {session.Run({{"x", x}}, {"z"}).status(), session.Run({{"x", x}}, {"a"}).status(), callable.Run({&x, 1}, out),
        session.Run({{"x", x}}, {"z"}, {}, RunOptions{.timeout_in_ms = 50}).status(),
        session.MakeCallable({.feeds = {"x"}, .fetches = {"c"}}).status(), session.PRunSetup({"x"}, {"z"}).status()}) {
    if (status.code() != Code::kFailedPrecondition) return 21;
    if (!Contains(status.message(), "it was made before fork()") || !Contains(status.message(), why)) return 22;
    if (!Contains(status.message(), "make a new session in the child process")) return 23;
  }
  return 0;
}

}  // namespace

TEST_SUITE("Sessions after fork()") {
  TEST_CASE("those of the parent work in the child, and in its children, as do new ones; all end without a wait") {
    for (const Engine& engine : Engines()) {
      INFO(engine.name);
      auto session = MakeOwned<Result<Session>>(Make(engine));
      REQUIRE_MESSAGE(session->ok(), session->status().message());
      auto callable = MakeOwned<Result<Callable>>((*session)->MakeCallable({.feeds = {"x"}, .fetches = {"z"}}));
      REQUIRE(callable->ok());
      for (const bool used : {false, true}) {
        if (used) {
          CHECK(Answers(**session, **callable) == 0);
          CHECK(KeepsDeadlines(**session) == 0);
        }
        CHECK(InChild([&] {
                if (const int code = WorksAnew(engine); code != 0) return 30 + code;
                if (const int code = Answers(**session, **callable); code != 0) return code;
                if (const int code = KeepsDeadlines(**session); code != 0) return code;
                const int code = InChild([&] { return Answers(**session, **callable); });
                callable = nullptr;
                session = nullptr;
                return code;
              }) == 0);
        CHECK(InChild([&] {  // not used at all
                callable = nullptr;
                session = nullptr;
                return 0;
              }) == 0);
      }
      CHECK(Answers(**session, **callable) == 0);
    }
  }
  TEST_CASE("loops of TensorFlow 1") {
    for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraphDef(Loop(), {.inter_op_threads = 2, .executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto counts = [&] {
        const auto out = session->Run({{"limit", Tensor::Scalar(1000)}}, {"exit"});
        if (!out.ok() || (*out)[0].scalar<int>()() != 1000) return 1;
        const Status endless =
            session->Run({{"limit", Tensor::Scalar(2'000'000'000)}}, {"exit"}, {}, RunOptions{.timeout_in_ms = 50})
                .status();
        return endless.code() == Code::kDeadlineExceeded ? 0 : 2;
      };
      CHECK(counts() == 0);
      CHECK(InChild(counts) == 0);
    }
  }
  TEST_CASE("one that a thread of the parent was running says so") {
    for (const Engine& engine : Engines()) {
      for (const char* fetch : {"wait", "block"}) {
        for (const bool by_callable : {false, true}) {
          INFO(engine.name, ", ", fetch, ", ", by_callable);
          waiting = 0;
          auto session = MakeOwned<Result<Session>>(Make(engine));
          REQUIRE(session->ok());
          auto callable = MakeOwned<Result<Callable>>((*session)->MakeCallable({.feeds = {"x"}, .fetches = {"z"}}));
          const auto waits = (*session)->MakeCallable({.feeds = {"x"}, .fetches = {fetch}});
          Notification open;
          gate = &open;
          CancellationManager stop;
          std::thread runs([&] {
            const Tensor x = Tensor::Scalar(1.0f);
            std::vector<Tensor> out(1);
            const RunOptions options{.cancellation = &stop};
            if (by_callable)
              (void)waits->Run({&x, 1}, out, options);
            else
              (void)(*session)->Run({{"x", x}}, {fetch}, {}, options);
          });
          while (waiting == 0) std::this_thread::yield();
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          CHECK(InChild([&] {
                  gate = nullptr;
                  const int code = Refuses(**session, **callable, "was in use by another thread");
                  if (code != 0) return code;
                  if (!(*session)->Close().ok()) return 24;
                  callable = nullptr;
                  session = nullptr;
                  return WorksAnew(engine);
                }) == 0);
          stop.StartCancel();
          open.Notify();
          runs.join();
          gate = nullptr;
          CHECK(Answers(**session, **callable) == 0);
        }
      }
    }
  }
  TEST_CASE("pools of the caller's") {
    std::vector<std::thread> threads;
    ExecutorPool executor(3, [&](PoolTask task) { threads.emplace_back(task); });
    struct Unknown final : ThreadPoolInterface {
      void Schedule(void (*fn)(void*), void* arg) override { fn(arg); }
      int NumThreads() const override { return 2; }
      void ParallelFor(Index total, Index, void (*fn)(void*, Index, Index), void* arg) override { fn(arg, 0, total); }
    } unknown;
    ThreadPool pool(3, "callers");
    const auto check = [](const SessionOptions& options, const char* why) {
      const auto session = Session::FromGraphDef(Everything(false), options);
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
      REQUIRE(callable.ok());
      CHECK(InChild([&] {
              return why == nullptr ? Answers(*session, *callable) : Refuses(*session, *callable, why);
            }) == 0);
      CHECK(Answers(*session, *callable) == 0);
    };
    check({.intra_op_pool = &pool, .inter_op_pool = &pool, .executor = ExecutorKind::kDataflow}, nullptr);
    check({.intra_op_threads = 1, .inter_op_pool = &executor, .executor = ExecutorKind::kDataflow}, nullptr);
    check({.intra_op_threads = 1, .inter_op_pool = &unknown}, "has a thread pool of the caller's");
    check({.intra_op_pool = &unknown}, "has a thread pool of the caller's");
    for (std::thread& thread : threads) thread.join();
  }
  TEST_CASE("a partial run stays with the parent") {
    const auto session = Session::FromGraphDef(Everything(false), {.inter_op_threads = 2});
    REQUIRE(session.ok());
    const auto handle = session->PRunSetup({"x"}, {"z"});
    REQUIRE(handle.ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(InChild([&] {
            return session->PRun(*handle, {{"x", Tensor::Scalar(2.0f)}}, {"z"}).status().code() ==
                           Code::kFailedPrecondition
                       ? 0
                       : 1;
          }) == 0);
    const auto out = session->PRun(*handle, {{"x", Tensor::Scalar(2.0f)}}, {"z"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()() == 8);
  }
  TEST_CASE("forks while other sessions run, again and again") {
    std::atomic<bool> stop{false};
    std::vector<std::thread> busy;
    std::vector<Engine> engines = Engines();
    for (const Engine& engine : engines)
      busy.emplace_back([&] {
        const Result<Session> session = Make(engine);
        const Tensor x = Input();
        while (!stop) {
          (void)session->Run({{"x", x}}, {"z"}, {}, RunOptions{.timeout_in_ms = 10'000});
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    const Result<Session> session = Make(engines[3]);
    const Result<Callable> callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    for (int i = 0; i < 20; ++i) {
      CHECK(InChild([&] { return WorksAnew(engines[static_cast<std::size_t>(i) % engines.size()]); }) == 0);
      CHECK(InChild([&] { return Answers(*session, *callable); }) == 0);
    }
    stop = true;
    for (std::thread& thread : busy) thread.join();
  }
}
#endif
}  // namespace forked_sessions_test
