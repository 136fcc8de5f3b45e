// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/run_kernel.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tenon/base/log.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
#include "run_op.hpp"

namespace run_kernel_test {
using namespace tenon;

namespace {

constexpr auto kSignature = Op("RkFault").Output("y: float");
constexpr OpView kOp = kSignature.view();

struct Lines : LogSink {
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override {
    const std::lock_guard lock(mutex);
    text += entry.text;
  }
  std::mutex mutex;
  std::string text;
};

// A node with one kernel, outside of any session.
template <class Kernel>
struct OneNode {
  OneNode() {
    def.name = "here";
    def.op = "RkFault";
    frame.kernel = &kernel;
    frame.outputs = &output;
    frame.output_escapes = &escapes;
    frame.env = &env;
    env.step_allocator = env.result_allocator = CpuAllocator();
    context.Enter(&frame);
  }
  NodeDef def;
  DataType type = DataType::kFloat;
  OpKernelConstruction construction{&def, &kOp, "CPU", {}, {&type, 1}, CpuAllocator()};
  Kernel kernel{&construction};
  Tensor output{DataType::kInvalid};
  std::uint8_t escapes = 0;
  StepEnvironment env;
  OpKernelContext::NodeFrame frame{};
  OpKernelContext context;
};

enum class Fault { kException, kNoMemory, kNumber };
template <Fault fault>
struct Throws : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {
    if (fault == Fault::kException) throw std::runtime_error("out of luck");
    if (fault == Fault::kNoMemory) throw std::bad_alloc();
    throw 7;
  }
};

enum class Ending { kOnce, kTwice, kThrow, kOnceAndThrow, kNever, kCopyOnAThread };
template <Ending ending>
struct Async : AsyncOpKernel {
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext*, DoneCallback done) override {
    if (ending == Ending::kNever) return;
    if (ending == Ending::kCopyOnAThread) return std::thread([copy = done] { (void)copy; }).detach();
    if (ending != Ending::kThrow) done();
    if (ending == Ending::kTwice) done();
    if (ending == Ending::kThrow || ending == Ending::kOnceAndThrow) throw std::runtime_error("too late");
  }
};
void CountOne(void* count) { ++*static_cast<int*>(count); }

struct AllocatesTwice : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    ctx->SetStatus(ctx->allocate_output(0, {2}, &y));
    ctx->SetStatus(ctx->allocate_output(0, {2}, &y));
  }
};
struct AllocatesAnother : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    ctx->SetStatus(ctx->allocate_output(1, {2}, &y));
  }
};

template <class Kernel>
std::string StatusOf() {
  OneNode<Kernel> node;
  RunKernel(&node.kernel, &node.context);
  return node.context.status().ToString();
}

}  // namespace

TEST_SUITE("RunKernel") {
  TEST_CASE("what a kernel throws is an error that names op and node") {
    CHECK(StatusOf<Throws<Fault::kException>>() ==
          "INTERNAL: the kernel of op 'RkFault' threw out of node 'here': out of luck");
    CHECK(StatusOf<Throws<Fault::kNoMemory>>() ==
          "RESOURCE_EXHAUSTED: the kernel of op 'RkFault' threw out of node 'here': std::bad_alloc: no memory");
    CHECK(StatusOf<Throws<Fault::kNumber>>() ==
          "INTERNAL: the kernel of op 'RkFault' threw out of node 'here': something that is no std::exception");
  }
  TEST_CASE("an output may be allocated once, and must be there") {
    CHECK(StatusOf<AllocatesTwice>() ==
          "INTERNAL: allocate_output on same index multiple times. index = 0, kernel=here");
    CHECK(StatusOf<AllocatesAnother>() == "INTERNAL: allocate_output with bad index=1 kernel=here; it has 1 outputs");
  }
}

TEST_SUITE("StartKernel") {
  TEST_CASE("done is called once, also by a kernel that calls it twice") {
    Lines lines;
    int count = 0;
    OneNode<Async<Ending::kOnce>> once;
    StartKernel(&once.kernel, &once.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(lines.text.empty());
    OneNode<Async<Ending::kTwice>> twice;
    StartKernel(&twice.kernel, &twice.context, {&CountOne, &count});
    CHECK(count == 2);
    CHECK(lines.text ==
          "the asynchronous kernel of op 'RkFault', node 'here', called its done callback twice; the second call does "
          "nothing");
    CHECK(twice.context.status().ok());
  }
  TEST_CASE("an exception ends the call") {
    int count = 0;
    OneNode<Async<Ending::kThrow>> node;
    StartKernel(&node.kernel, &node.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(node.context.status().message() == "the kernel of op 'RkFault' threw out of node 'here': too late");
  }
  TEST_CASE("an exception after the end is only logged") {
    Lines lines;
    int count = 0;
    OneNode<Async<Ending::kOnceAndThrow>> node;
    StartKernel(&node.kernel, &node.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(node.context.status().ok());
    CHECK(lines.text == "an asynchronous kernel threw: too late, after its end");
  }
  TEST_CASE("a done that is dropped is an error that names op and node") {
    constexpr std::string_view kText =
        "INTERNAL: the asynchronous kernel of op 'RkFault', node 'here', dropped its done callback without calling it";
    int count = 0;
    OneNode<Async<Ending::kNever>> node;
    StartKernel(&node.kernel, &node.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(node.context.TakeStatus().ToString() == kText);
    node.kernel.Compute(&node.context);
    CHECK(node.context.TakeStatus().ToString() == kText);
    OneNode<Async<Ending::kCopyOnAThread>> elsewhere;
    elsewhere.kernel.Compute(&elsewhere.context);
    CHECK(elsewhere.context.status().ToString() == kText);
  }
}

namespace {

// The ways in which a session runs a node: engines, and the body of a function.
enum class Engine { kSequential, kDataflow, kFrames, kParallelFrames, kFunction };
constexpr Engine kEngines[] = {Engine::kSequential, Engine::kDataflow, Engine::kFrames, Engine::kParallelFrames,
                               Engine::kFunction};

SessionOptions OptionsFor(Engine engine) {
  SessionOptions options;
  const bool parallel = engine == Engine::kDataflow || engine == Engine::kParallelFrames;
  options.executor = parallel ? ExecutorKind::kDataflow : ExecutorKind::kSequential;
  options.inter_op_threads = parallel ? 2 : 1;
  return options;
}
// Node "call" of the op: outside of control flow, behind a Switch, or in a function.
GraphDef GraphFor(Engine engine, const std::string& op, const std::string& mode) {
  using function_test::MakeNode;
  const AttrValue kFloat(DataType::kFloat);
  GraphDef graph;
  graph.versions.producer = 1500;
  graph.node.push_back(MakeNode("x", "Placeholder", {}, {{"dtype", kFloat}}));
  if (engine == Engine::kFunction) {
    graph.library.function.push_back(
        function_test::Floats("body", {"a"}, {MakeNode("call", op, {"a"}, {{"mode", AttrValue(mode)}})}, "call:y:0"));
    const AttrValue types(SlimVector<DataType>{DataType::kFloat});
    graph.node.push_back(MakeNode("out", "PartitionedCall", {"x"},
                                  {{"Tin", types}, {"Tout", types}, {"f", function_test::Call("body")}}));
    return graph;
  }
  const bool frames = engine == Engine::kFrames || engine == Engine::kParallelFrames;
  if (frames) {
    graph.node.push_back(MakeNode("p", "Placeholder", {}, {{"dtype", AttrValue(DataType::kBool)}}));
    graph.node.push_back(MakeNode("s", "Switch", {"x", "p"}, {{"T", kFloat}}));
  }
  graph.node.push_back(MakeNode("call", op, {frames ? "s:1" : "x"}, {{"mode", AttrValue(mode)}}));
  graph.node.push_back(MakeNode("out", "Identity", {"call"}, {{"T", kFloat}}));
  return graph;
}
Status RunIn(Engine engine, const std::string& op, const std::string& mode) {
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(GraphFor(engine, op, mode), OptionsFor(engine)));
  std::vector<NamedTensor> feeds = {{"x", MakeTensor<float>({2}, {1, 2})}};
  if (engine == Engine::kFrames || engine == Engine::kParallelFrames) feeds.push_back({"p", Tensor::Scalar(true)});
  const std::vector<std::string> fetches = {"out:0"};
  for (int i = 0; i < 2; ++i) {  // a step that failed is used again
    const Status status = session.Run(feeds, fetches).status();
    if (!status.ok() || i == 1) return status;
  }
  return OkStatus();
}

}  // namespace

namespace {

std::mutex callers_mutex;  // the next run may begin before a kernel has started all its threads
std::vector<std::thread> callers;
std::atomic<bool> go_on{false};
struct TwoThreads : AsyncOpKernel {
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    ctx->set_output(0, ctx->input(0));
    const std::lock_guard lock(callers_mutex);
    for (int i = 0; i < 2; ++i) callers.emplace_back([done] { done(); });
  }
};
struct GoesOn : AsyncOpKernel {
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    ctx->set_output(0, ctx->input(0));
    const std::lock_guard lock(callers_mutex);
    callers.emplace_back([done] {
      done();
      go_on.wait(false);
    });
  }
};
template <class Kernel, class Op>
struct RawOp {
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : Kernel {
    using Kernel::Kernel;
  };
};
struct RkTwoThreads : RawOp<TwoThreads, RkTwoThreads> {
  static constexpr auto signature =
      Op("RkTwoThreads").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
};
struct RkGoesOn : RawOp<GoesOn, RkGoesOn> {
  static constexpr auto signature =
      Op("RkGoesOn").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
};
struct RkAsyncStruct {
  static constexpr auto signature =
      Op("RkAsyncStruct").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    void operator()(Device&, In<float> x, Out<float>, Done done) const {
      if (x[0] == 0) throw std::runtime_error("not now");
      const Done dropped = std::move(done);
    }
  };
};
struct RkStructTwice {
  static constexpr auto signature =
      Op("RkStructTwice").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    void operator()(Device&, In<float> x, Out<float> y, Done done) const {
      y[0] = x[0];
      Done moved = std::move(done);
      moved();
      moved(errors::Aborted("again"));
    }
  };
};
std::optional<Done> kept;
struct RkKeepsAndThrows {
  static constexpr auto signature =
      Op("RkKeepsAndThrows").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    void operator()(Device&, In<float>, Out<float>, Done done) const {
      kept.emplace(std::move(done));
      throw std::runtime_error("kept it");
    }
  };
};
TENON_REGISTER(RkTwoThreads, RkGoesOn, RkAsyncStruct, RkStructTwice, RkKeepsAndThrows);

}  // namespace

TEST_SUITE("faults of kernels in a session") {
  TEST_CASE("each names op and node, in every engine") {
    for (const Engine engine : kEngines) {
      CAPTURE(static_cast<int>(engine));
      for (const std::string op : {"KtFault", "KtAsyncFault"}) {
        const auto says = [&](const std::string& mode, std::string_view what) {
          const Status status = RunIn(engine, op, mode);
          CHECK_MESSAGE(status.message().find(what) != std::string_view::npos, op, " ", mode, ": ", status.ToString());
          CHECK(status.code() == Code::kInternal);
          CHECK(status.message().find("'call'") != std::string_view::npos);
          CHECK(status.message().find(StrCat("'", op, "'")) != std::string_view::npos);
        };
        CHECK(RunIn(engine, op, "none").ok());
        says("throw", StrCat("the kernel of op '", op, "' threw out of node 'call': asked to"));
        says("type", "Output 0 of type int32 does not match declared output type float for node {{node call}}");
        says("late", "Missing 0-th output from {{node call}}");
        says("shape", StrCat("Output 0 of node 'call', op '", op,
                             "', has shape [3], but the op's shape function says [2] for its inputs"));
      }
    }
  }
  TEST_CASE("a raw kernel that never calls its done, or twice, in every engine") {
    for (const Engine engine : kEngines) {
      CAPTURE(static_cast<int>(engine));
      for (const std::string mode : {"never", "lost"}) {
        const Status status = RunIn(engine, "KtAsyncFault", mode);
        CHECK(status.code() == Code::kInternal);
        CHECK_MESSAGE(
            status.message().find("the asynchronous kernel of op 'KtAsyncFault', node 'call', dropped its done") !=
                std::string_view::npos,
            status.ToString());
      }
      Lines lines;
      constexpr std::string_view kTwice =
          "the asynchronous kernel of op 'KtAsyncFault', node 'call', called its done callback twice";
      const Status twice = RunIn(engine, "KtAsyncFault", "twice");  // of the first run or the second
      CHECK(twice.code() == Code::kInternal);
      CHECK_MESSAGE(twice.message().find(kTwice) != std::string_view::npos, twice.ToString());
      CHECK(lines.text.find(kTwice) != std::string::npos);
      CHECK(RunIn(engine, "KtAsyncFault", "throw_after").ok());
      CHECK(lines.text.find("an asynchronous kernel threw: too late, after its end") != std::string::npos);
    }
  }
  TEST_CASE("two threads call done at once, a kernel goes on after its done: the run ends once") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow})
      for (const std::string op : {"RkTwoThreads", "RkGoesOn"}) {
        Lines lines;
        go_on.store(false);
        GraphBuilder b;
        b.Add("Neg", "out", {b.Add(op, "call", {b.Placeholder("x", DataType::kFloat)})});
        const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = executor});
        int failed = 0;
        for (int round = 0; round < (op == "RkGoesOn" ? 1 : 20); ++round) {
          const auto out = session->Run({{"x", Tensor::Scalar(3.0f)}}, {"out"});
          failed += !out.ok();
          if (out.ok())
            CHECK((*out)[0].scalar<float>()() == -3);
          else
            CHECK(out.status().ToString().find("INTERNAL: the asynchronous kernel of op 'RkTwoThreads', node 'call', "
                                               "called its done callback twice") == 0);
        }
        CHECK((failed > 0) == (op == "RkTwoThreads"));
        go_on.store(true);
        go_on.notify_all();
        {
          const std::lock_guard lock(callers_mutex);
          for (std::thread& thread : callers) thread.join();
          callers.clear();
        }
        CHECK((lines.text.find("the asynchronous kernel of op 'RkTwoThreads', node 'call', called its done callback "
                               "twice; the second call does nothing") != std::string::npos) == (op == "RkTwoThreads"));
      }
  }
  TEST_CASE("a struct with a Done that throws says what it threw") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow})
      for (const float mode : {0.0f, 1.0f}) {
        const auto out = kernel_test::RunOp("RkAsyncStruct", {}, {Tensor::Scalar(mode)}, 1, false,
                                            {.inter_op_threads = 2, .executor = executor});
        CHECK(out.status().ToString() ==
              (mode == 0 ? "INTERNAL: the kernel of op 'RkAsyncStruct' threw out of node 'call': not now [node 'call', "
                           "CPU:0]"
                         : "INTERNAL: RkAsyncStruct: the kernel dropped its Done without calling it [node 'call', "
                           "CPU:0]"));
      }
  }
  TEST_CASE("a struct that throws when its Done is elsewhere: what becomes of that after the run does nothing") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow})
      for (const bool drops : {false, true}) {
        CAPTURE(drops);
        Lines lines;
        const auto out = kernel_test::RunOp("RkKeepsAndThrows", {}, {Tensor::Scalar(1.0f)}, 1, false,
                                            {.inter_op_threads = 2, .executor = executor});
        CHECK(out.status().ToString() ==
              "INTERNAL: the kernel of op 'RkKeepsAndThrows' threw out of node 'call': kept it [node 'call', CPU:0]");
        REQUIRE(kept.has_value());
        if (!drops) (*kept)(errors::Aborted("too late"));  // session, node and context are gone
        kept.reset();
        CHECK_MESSAGE((lines.text.find("called its done callback twice") != std::string::npos) == !drops, lines.text);
      }
  }
  TEST_CASE("a struct that calls its Done twice is named with its node, and fails the run it is in, in every engine") {
    constexpr std::string_view kTwice =
        "the asynchronous kernel of op 'RkStructTwice', node 'call', called its done callback twice";
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      CAPTURE(static_cast<int>(executor));
      Lines lines;
      const auto out = kernel_test::RunOp("RkStructTwice", {}, {MakeTensor<float>({1}, {1})}, 1, false,
                                          {.inter_op_threads = 2, .executor = executor});
      if (!out.ok()) {
        CHECK(out.status().code() == Code::kInternal);
        CHECK_MESSAGE(out.status().message().find(kTwice) != std::string_view::npos, out.status().ToString());
      }
      CHECK_MESSAGE(lines.text.find(StrCat(kTwice, "; the second call does nothing")) != std::string::npos, lines.text);
    }
  }
  TEST_CASE("a struct that drops its Done, or calls it twice") {
    const auto dropped = kernel_test::RunOp("KtAsync", {{"mode", 2}}, {MakeTensor<float>({1}, {1})});
    CHECK(dropped.status().ToString() ==
          "INTERNAL: KtAsync: the kernel dropped its Done without calling it [node 'call', CPU:0]");
    Lines lines;
    int count = 0;
    Done done([](void* state, Status) { ++*static_cast<int*>(state); }, &count);
    done();
    done(errors::Internal("again"));
    CHECK(count == 1);
    CHECK(lines.text.find("called its Done twice") != std::string::npos);
  }
}

namespace {

struct RawThrows : OpKernel {
  explicit RawThrows(OpKernelConstruction* c) : OpKernel(c) { throw std::runtime_error("not today"); }
  void Compute(OpKernelContext*) override {}
};
struct RkRawConstructor {
  static constexpr auto signature =
      Op("RkRawConstructor").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : RawThrows {
    using RawThrows::RawThrows;
  };
};
int destroyed = 0;
struct Destroyed {
  ~Destroyed() { ++destroyed; }
};
struct Throwing {
  Throwing() { throw std::runtime_error("not today"); }
  ~Throwing() { destroyed += 100; }
};
struct RkConstructor {
  static constexpr auto signature =
      Op("RkConstructor").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Destroyed before;
    Throwing member;
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};
struct RkInit {
  static constexpr auto signature =
      Op("RkInit").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction&) { throw std::runtime_error("not today"); }
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};
// Throws when it sees a shape of rank 3, or any at all.
Status ThrowAtRank3(InferenceContext* c) {
  if (c->RankKnown(c->input(0)) && c->Rank(c->input(0)) == 3) throw std::runtime_error("three is too much");
  return shape_inference::UnchangedShape(c);
}
Status ThrowAlways(InferenceContext*) { throw std::runtime_error("no shapes today"); }
struct RkShape {
  static constexpr auto signature = Op("RkShape").Input("x: float").Output("y: float").SetShapeFn(ThrowAtRank3);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
struct RkNoShape {
  static constexpr auto signature = Op("RkNoShape").Input("x: float").Output("y: float").SetShapeFn(ThrowAlways);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};
struct RkStruct {
  static constexpr auto signature =
      Op("RkStruct").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      if (x[0] < 0) throw std::runtime_error("below zero");
      y[0] = x[0];
      return OkStatus();
    }
  };
};
TENON_REGISTER(RkRawConstructor, RkConstructor, RkInit, RkShape, RkNoShape, RkStruct);

}  // namespace

TEST_SUITE("exceptions of users' code in a session") {
  TEST_CASE("of a constructor, or Init") {
    for (const std::string op : {"RkRawConstructor", "RkConstructor", "RkInit"}) {
      destroyed = 0;
      const Status status = kernel_test::RunOp(op, {}, {MakeTensor<float>({1}, {1})}).status();
      CHECK(status.ToString() == StrCat("INTERNAL: the constructor of the kernel of op '", op,
                                        "' threw at node 'call': not today [node 'call']"));
      CHECK(destroyed == (op == "RkConstructor" ? 1 : 0));  // what was built before it threw
    }
  }
  TEST_CASE("of a shape function, in a run and while a graph is imported") {
    const auto run = [](std::string_view op, const Tensor& x) {
      const auto out = kernel_test::RunOp(op, {}, {x});
      return out.ok() ? std::string() : out.status().ToString();
    };
    CHECK(run("RkShape", Tensor::Zeros<float>({2, 2})).empty());
    CHECK(run("RkShape", Tensor::Zeros<float>({2, 2, 2})) ==
          "INTERNAL: RkShape: the shape function of op 'RkShape' threw at node 'call': three is too much [node 'call', "
          "CPU:0]");
    const std::string imported = run("RkNoShape", Tensor::Zeros<float>({2}));
    CHECK(imported ==
          "INTERNAL: the shape function threw: no shapes today for '{{node call}} = RkNoShape[](in0)' with input "
          "shapes: ?.");
  }
  TEST_CASE("of operator(), in every run, with a plan and without") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      GraphBuilder b;
      b.Add("Neg", "out", {b.Add("RkStruct", "call", {b.Placeholder("x", DataType::kFloat)})});
      const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = executor, .plan_after_runs = 2});
      for (int round = 0; round < 3; ++round) {
        for (int good = 0; good < 4; ++good) CHECK(session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"out"}).ok());
        for (int bad = 0; bad < 2; ++bad)
          CHECK(session->Run({{"x", MakeTensor<float>({1}, {-1})}}, {"out"}).status().ToString() ==
                "INTERNAL: the kernel of op 'RkStruct' threw out of node 'call': below zero [node 'call', CPU:0]");
      }
    }
  }
}
}  // namespace run_kernel_test
