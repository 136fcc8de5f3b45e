// SPDX-License-Identifier: Apache-2.0
// Session::Run and Callable::Run with RunOptions, as programs call them.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/call_frame.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context_access.hpp>
#include <tenon/kernel/rendezvous.hpp>
#include <tenon/kernel/session_tensors.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/register.hpp>
#include <tenon/runtime/session/run_metadata.hpp>
#include <tenon/session.hpp>

#include "graph/function_graphs.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace run_with_options_test {
using namespace tenon;
using namespace runtime_test;

namespace {

using Strings = std::vector<std::string>;
using Feeds = std::vector<NamedTensor>;

GraphBuilder EmptyQueue() {
  GraphBuilder b;
  const SlimVector<DataType> floats{DataType::kFloat};
  const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
  b.Add("QueueDequeueV2", "get", {q}, {{"component_types", floats}});
  b.Add("QueueEnqueueV2", "put", {q, {b.Placeholder("x", DataType::kFloat)}});
  return b;
}
// Loops for ever: i *= 1 while i < 10.
FlowGraph Endless() {
  FlowGraph g(DataType::kInt32);
  g.Const("zero", Tensor::Scalar(0)).Const("ten", Tensor::Scalar(10)).Const("one", Tensor::Scalar(1));
  g.Enter("enter", "zero", "f").Enter("lim", "ten", "f", true).Enter("unit", "one", "f", true);
  g.Merge("merge", {"enter", "next"}).Node("less", "Less", {"merge", "lim"});
  g.Node("cond", "LoopCond", {"less"}, {}, false).Switch("switch", "merge", "cond");
  g.Node("mul", "Mul", {"switch:1", "unit"}).Node("next", "NextIteration", {"mul"}).Node("exit", "Exit", {"switch"});
  return g;
}
// The same by a native While whose functions run no node.
GraphDef EndlessNative() {
  using function_test::Call;
  const FunctionDef yes = function_test::Floats("yes", {"x"}, {}, "x"),
                    same = function_test::Floats("same", {"x"}, {}, "x");
  AttrValue types;
  types.mutable_list()->type.push_back(DataType::kFloat);
  GraphDef graph;
  graph.versions.producer = 1500;
  graph.library.function = {yes, same};
  graph.node = {function_test::MakeNode("x", "Placeholder", {}, {{"dtype", AttrValue(DataType::kFloat)}}),
                function_test::MakeNode("exit", "StatelessWhile", {"x"},
                                        {{"T", types}, {"cond", Call("yes")}, {"body", Call("same")}})};
  return graph;
}

// Calls of a function that dequeues, and as many enqueues behind them; "sum" adds up what was dequeued.
GraphDef CallsThatWait(int count) {
  using function_test::MakeNode;
  AttrValue floats, resource;
  floats.mutable_list()->type.push_back(DataType::kFloat);
  resource.mutable_list()->type.push_back(DataType::kResource);
  const AttrValue float_type(DataType::kFloat);
  FunctionDef get = function_test::Floats(
      "get", {}, {MakeNode("out", "QueueDequeueV2", {"q"}, {{"component_types", floats}})}, "out:components:0");
  get.signature.input_arg.push_back(function_test::Arg("q", DataType::kResource));
  get.signature.is_stateful = true;
  GraphDef graph;
  graph.versions.producer = 1500;
  graph.library.function = {get};
  graph.node = {MakeNode("q", "FIFOQueueV2", {}, {{"component_types", floats}}),
                MakeNode("x", "Placeholder", {}, {{"dtype", float_type}}),
                MakeNode("sum_0", "Identity", {"x"}, {{"T", float_type}})};
  for (int i = 0; i < count; ++i) {
    graph.node.push_back(MakeNode(StrCat("get_", i), "StatefulPartitionedCall", {"q"},
                                  {{"Tin", resource}, {"Tout", floats}, {"f", function_test::Call("get")}}));
    graph.node.push_back(
        MakeNode(StrCat("sum_", i + 1), "AddV2", {StrCat("sum_", i), StrCat("get_", i)}, {{"T", float_type}}));
  }
  for (int i = 0; i < count; ++i)
    graph.node.push_back(MakeNode(StrCat("put_", i), "QueueEnqueueV2", {"q", "x"}, {{"Tcomponents", floats}}));
  return graph;
}

}  // namespace

namespace {

// Says what its run offers.
struct RwOffer {
  static constexpr auto signature =
      Op("RwOffer").Output("text: string").SetIsStateful().SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : OpKernel {
    using OpKernel::OpKernel;
    void Compute(OpKernelContext* ctx) override {
      std::string text;
      const auto add = [&](std::string_view name, bool there) {
        StrAppend(&text, there ? name : "", there ? " " : "");
      };
      add("call_frame", ctx->call_frame() != nullptr);
      add("slice_reader_cache", ctx->slice_reader_cache() != nullptr);
      add("collective_executor", ctx->collective_executor() != nullptr);
      add("graph_collector", ctx->graph_collector() != nullptr);
      add("stats_collector", ctx->stats_collector() != nullptr);
      add("resources", ctx->resource_manager() != nullptr);
      add("step_container", ctx->step_container() != nullptr);
      add("cancellation", ctx->cancellation_manager() != nullptr);
      add("rendezvous", ctx->rendezvous() != nullptr && ctx->rendezvous() == ctx->rendezvous());
      add("functions", ctx->function_library() != nullptr);
      add("inline", ctx->run_all_kernels_inline());
      add("deadline", ctx->deadline_us() != 0);
      if (ctx->session_metadata() != nullptr) StrAppend(&text, "model=", ctx->session_metadata()->name, " ");
      Ref<SessionState> state;
      Ref<TensorStore> store;
      add("state", SessionStateOf(*ctx, &state).ok() && TensorStoreOf(*ctx, &store).ok());
      StrAppend(&text, ctx->session_handle(), " ", ctx->executor_type());
      if (StepStatsCollector* stats = ctx->stats_collector()) stats->AddEvent(*ctx, "MyPart", 1, stats->Now());
      ctx->set_output(0, Tensor::Scalar(text));
    }
  };
};
// Hands a value over, or takes it, through the run's rendezvous.
RendezvousKey KeyOf(const OpKernelContext& ctx) {
  const std::string device(ctx.device_name());
  return RendezvousKey::Parse(RendezvousKey::Create(device, 1, device, "edge", {})).value();
}
struct RwSend {
  static constexpr auto signature =
      Op("RwSend").Input("x: float").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : OpKernel {
    using OpKernel::OpKernel;
    void Compute(OpKernelContext* ctx) override {
      ctx->SetStatus(ctx->rendezvous()->Send(KeyOf(*ctx), {}, ctx->input(0), false));
    }
  };
};
struct RwRecv {
  static constexpr auto signature =
      Op("RwRecv").Output("y: float").SetIsStateful().SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : AsyncOpKernel {
    using AsyncOpKernel::AsyncOpKernel;
    void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
      ctx->rendezvous()->RecvAsync(KeyOf(*ctx), {},
                                   [ctx, done](const Status& status, const Rendezvous::Args&, const Rendezvous::Args&,
                                               const Tensor& tensor, bool) {
                                     ctx->SetStatus(status);
                                     if (status.ok()) ctx->set_output(0, tensor);
                                     done();
                                   });
    }
  };
};
TENON_REGISTER(RwOffer, RwSend, RwRecv);

}  // namespace
}  // namespace run_with_options_test

// Programs bring these classes along.
TENON_DETAIL_NAMESPACE_BEGIN
class GraphCollector {};
class CollectiveExecutor {};
class TensorSliceReaderCache {};
TENON_DETAIL_NAMESPACE_END

namespace run_with_options_test {

TEST_SUITE("what kernels are offered") {
  TEST_CASE("by a session, and by the options of a run") {
    constexpr std::string_view kAlways = "resources step_container cancellation rendezvous functions ";
    GraphBuilder b;
    b.AddNode("RwOffer", "offer", {});
    const auto text = [](const Result<std::vector<Tensor>>& out) {
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      return std::string((*out)[0].scalar<tstring>()());
    };
    const Strings fetches = {"offer"};
    const auto plain = Session::FromGraph(b, {.executor = ExecutorKind::kSequential});
    CHECK(text(plain->Run({}, fetches)) == StrCat(kAlways, "state direct "));
    CHECK(text(plain->Run({}, fetches, {}, RunOptions())) == StrCat(kAlways, "state direct SINGLE_THREADED_EXECUTOR"));
    CHECK(
        text(plain->Run({}, fetches, {},
                        {.timeout_in_ms = 60'000, .inter_op_thread_pool = -1, .executor = ExecutorKind::kDataflow})) ==
        StrCat(kAlways, "inline deadline state direct DEFAULT"));
    FunctionCallFrame frame({}, {});
    GraphCollector graphs;
    CollectiveExecutor collectives;
    TensorSliceReaderCache readers;
    const SessionMetadata model{"mnist", 3};
    StepServices services;
    services.graph_collector = &graphs;
    services.session_metadata = &model;
    services.session_handle = "mine";
    StepServices more = services;
    more.call_frame = &frame;
    more.collective_executor = &collectives;
    more.slice_reader_cache = &readers;
    more.executor_type = "ANOTHER";
    const auto given = Session::FromGraph(b, {.services = &services});
    CHECK(text(given->Run({}, fetches)) == StrCat("graph_collector ", kAlways, "model=mnist state mine "));
    CHECK(text(given->Run({}, fetches, {}, {.services = &more})) ==
          StrCat("call_frame slice_reader_cache collective_executor graph_collector ", kAlways,
                 "model=mnist state mine ANOTHER"));
    RunMetadata metadata;
    CHECK(text(given->Run({}, fetches, {}, {.trace_level = TraceLevel::kFull}, &metadata)) ==
          StrCat("graph_collector stats_collector ", kAlways, "model=mnist state mine SINGLE_THREADED_EXECUTOR"));
    int events = 0;
    const auto callable = given->MakeCallable({.fetches = {"offer"}});
    Tensor out;
    RunTrace trace;
    REQUIRE(callable->RunTraced({}, {&out, 1}, &trace).ok());
    for (const NodeTiming& timing : trace.nodes)
      events += timing.name == "offer" && timing.op == "MyPart" && timing.start_ns == 1 && timing.end_ns > 1;
    CHECK(events == 1);
  }
  TEST_CASE("a rendezvous of the run: values cross, nobody waits longer than the run") {
    GraphBuilder b;
    b.AddNode("RwRecv", "recv", {});
    const std::vector<GraphBuilder::Input> inputs = {b.Placeholder("x", DataType::kFloat)};
    b.AddNode("RwSend", "send", inputs);
    const auto session = Session::FromGraph(b, {.inter_op_threads = 2});
    for (int round = 0; round < 3; ++round) {
      const auto out = session->Run({{"x", Tensor::Scalar(1.0f * static_cast<float>(round))}}, {"recv"}, {"send"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<float>()() == static_cast<float>(round));
    }
    CHECK(session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"send"}).ok());  // nobody takes it
    const auto out = session->Run({}, {"recv"}, {}, {.timeout_in_ms = 50});
    CHECK(out.status().code() == Code::kDeadlineExceeded);
    CHECK_MESSAGE(Contains(out.status().message(), "[node 'recv', CPU:0]"), out.status().message());
  }
}

TEST_SUITE("RunOptions") {
  TEST_CASE("sessions that share a pool go on when its threads wait in kernels") {
    constexpr int kCount = 4;
    std::vector<std::string> puts;
    for (int i = 0; i < kCount; ++i) puts.push_back(StrCat("put_", i));
    ThreadPool pool(2, "shared");
    std::vector<std::thread> threads;
    std::vector<Status> ends(2);
    for (std::size_t s = 0; s < 2; ++s)
      threads.emplace_back([&, s] {
        const auto session = Session::FromGraphDef(CallsThatWait(kCount), {.inter_op_pool = &pool});
        if (!session.ok()) return void(ends[s] = session.status());
        for (int round = 0; round < 5; ++round) {
          const auto out = session->Run(Feeds{{"x", Tensor::Scalar(1.0f)}}, Strings{StrCat("sum_", kCount)}, puts,
                                        {.timeout_in_ms = 60'000});
          ends[s].Update(out.status());
          if (out.ok() && (*out)[0].scalar<float>()() != 1 + kCount) ends[s].Update(errors::Internal("wrong sum"));
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const Status& end : ends) CHECK_MESSAGE(end.ok(), end.message());
  }
  TEST_CASE("a deadline ends what waits, and nothing else changes") {
    for (const int threads : {1, 2}) {
      const auto session = Session::FromGraph(EmptyQueue(), {.inter_op_threads = threads});
      REQUIRE(session.ok());
      const auto late = session->Run({}, {"get"}, {}, {.timeout_in_ms = 5});
      CHECK(late.status().code() == Code::kDeadlineExceeded);
      CHECK(late.status().message() ==
            "Timed out waiting for notification: the run did not end within 5 ms; it stopped at: Dequeue operation was "
            "cancelled [node 'get', CPU:0]");
      REQUIRE(session->Run({{"x", Tensor::Scalar(4.0f)}}, {}, {"put"}).ok());
      const auto in_time = session->Run({}, {"get"}, {}, {.timeout_in_ms = 60'000});
      REQUIRE_MESSAGE(in_time.ok(), in_time.status().message());
      CHECK((*in_time)[0].scalar<float>()() == 4);
    }
  }
  TEST_CASE("a deadline of the session is that of every run without one") {
    const auto session = Session::FromGraph(EmptyQueue(), {.operation_timeout_in_ms = 5});
    REQUIRE(session.ok());
    CHECK(session->Run({}, {"get"}).status().code() == Code::kDeadlineExceeded);
    const auto callable = session->MakeCallable({.fetches = {"get"}});
    std::vector<Tensor> out(1);
    CHECK(callable->Run({}, out).code() == Code::kDeadlineExceeded);
    CHECK(callable->Run({}, out, {.timeout_in_ms = 1}).code() == Code::kDeadlineExceeded);
    CHECK(Session::FromGraph(EmptyQueue(), {.operation_timeout_in_ms = -1}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("endless loops end: by frames, on a pool, and native") {
    for (const int threads : {1, 3}) {
      const SessionOptions options{.inter_op_threads = threads,
                                   .executor = threads > 1 ? ExecutorKind::kDataflow : ExecutorKind::kAuto};
      const auto frames = Endless().Load(options);
      REQUIRE_MESSAGE(frames.ok(), frames.status().message());
      const Status late = frames->Run({}, {"exit"}, {}, {.timeout_in_ms = 50}).status();
      CHECK(late.code() == Code::kDeadlineExceeded);
      CHECK_MESSAGE(Contains(late.message(), "Loop execution was cancelled."), late.message());
      const auto native = Session::FromGraphDef(EndlessNative(), options);
      REQUIRE_MESSAGE(native.ok(), native.status().message());
      const Status stopped = native->Run({{"x", Tensor::Scalar(1.0f)}}, {"exit"}, {}, {.timeout_in_ms = 50}).status();
      CHECK(stopped.code() == Code::kDeadlineExceeded);
      CHECK_MESSAGE(Contains(stopped.message(), "Loop execution was cancelled."), stopped.message());
    }
  }
  TEST_CASE("somebody's CancellationManager gives the run up") {
    const auto session = Session::FromGraph(EmptyQueue());
    // Where the machine is busy, it may be given up before the queue is asked.
    Status status;
    std::unique_ptr<CancellationManager> users;
    for (int ms = 3; ms < 5000 && !Contains(status.message(), "Dequeue operation was cancelled"); ms *= 4) {
      users = std::make_unique<CancellationManager>();
      std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        users->StartCancel();
      });
      status = session->Run({}, {"get"}, {}, {.cancellation = users.get()}).status();
      later.join();
      CHECK(status.code() == Code::kCancelled);
    }
    CHECK(Contains(status.message(), "Dequeue operation was cancelled"));
    const auto again = session->Run({}, {"get"}, {}, {.cancellation = users.get()});
    CHECK(again.status().code() == Code::kCancelled);
    CHECK(again.status().message() == "Run call was cancelled");
  }
  TEST_CASE("the pool and the engine may be chosen") {
    const auto session =
        Session::FromGraph(WideGraph(4, 3), {.inter_op_pools = {{.num_threads = 1}, {.num_threads = 3}}});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    ThreadPool own(2, "own");
    for (const int pool : {-1, 0, 1})
      for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kSequential, ExecutorKind::kDataflow})
        for (ThreadPoolInterface* users :
             {static_cast<ThreadPoolInterface*>(nullptr), static_cast<ThreadPoolInterface*>(&own)}) {
          const auto out = session->Run({{"x", Tensor::Scalar(1.0f)}}, {"out"}, {},
                                        {.inter_op_thread_pool = pool, .inter_op_pool = users, .executor = executor});
          REQUIRE_MESSAGE(out.ok(), out.status().message());
          CHECK((*out)[0].scalar<float>()() == 17);
        }
    for (const int pool : {-2, 2}) {
      const auto out = session->Run({{"x", Tensor::Scalar(1.0f)}}, {"out"}, {}, {.inter_op_thread_pool = pool});
      CHECK(out.status().code() == Code::kInvalidArgument);
      CHECK(Contains(out.status().message(), StrCat("Invalid inter_op_thread_pool: ", pool)));
    }
    CHECK(session->Run({{"x", Tensor::Scalar(1.0f)}}, {"out"}, {}, {.timeout_in_ms = -1}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("a kernel that waits leaves the caller's thread to others") {
    const auto session = Session::FromGraph(EmptyQueue());
    const auto out = session->Run({{"x", Tensor::Scalar(5.0f)}}, {"get"}, {"put"}, {.inter_op_thread_pool = -1});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()() == 5);
  }
  TEST_CASE("metadata tells what ran, when, and for how long") {
    const auto session = Session::FromGraph(SmallGraph());
    RunMetadata metadata;
    const auto before =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    const Feeds feeds{{"x", MakeTensor<float>({2}, {1, 2})}};
    const auto out = session->Run(feeds, Strings{"z"}, Strings{},
                                  {.trace_level = TraceLevel::kFull, .output_partition_graphs = true}, &metadata);
    REQUIRE(out.ok());
    REQUIRE(metadata.step_stats.dev_stats.size() == 1);
    const DeviceStepStats& device = metadata.step_stats.dev_stats[0];
    CHECK(device.device == "/job:localhost/replica:0/task:0/device:CPU:0");
    REQUIRE(device.node_stats.size() == 2);
    CHECK(device.node_stats[0].node_name == "y");
    CHECK(device.node_stats[0].timeline_label == "y = AddV2(_arg_x_0_0, one)");
    CHECK(device.node_stats[1].timeline_label == "z = Mul(y, y)");
    CHECK(device.node_stats[0].all_start_micros >= before);
    CHECK(device.node_stats[1].all_start_nanos >= device.node_stats[0].all_start_nanos);
    CHECK(device.node_stats[0].memory[0].total_bytes == 8);

    REQUIRE(metadata.partition_graphs.size() == 1);
    Strings names;
    for (const NodeDef& node : metadata.partition_graphs[0].node) names.push_back(node.name);
    CHECK(names == Strings{"one", "y", "z", "_arg_x_0_0", "_retval_z_0_0"});
    CHECK(metadata.partition_graphs[0].node[1].input[0] == "_arg_x_0_0");
    REQUIRE(metadata.cost_graph.node.size() == 3);
    CHECK(metadata.cost_graph.node[2].is_final);
    CHECK_FALSE(metadata.cost_graph.node[1].is_final);
    CHECK(metadata.cost_graph.node[2].input_info.size() == 2);

    REQUIRE(session->Run(feeds, Strings{"z"}, Strings{}, {}, &metadata).ok());
    CHECK(metadata.step_stats.dev_stats.empty());
    CHECK(metadata.partition_graphs.empty());
  }
  TEST_CASE("when memory runs out, the tensors in use are listed to who asked") {
    TrackingAllocator memory(CpuAllocator());
    const auto session = Session::FromGraph(SmallGraph(), {.intra_op_threads = 1, .allocator = &memory});
    const Feeds feeds{{"x", MakeTensor<float>({100}, std::vector<float>(100, 1.0f))}};
    memory.FailAllocations(2);
    const Status plain = session->Run(feeds, Strings{"z"}).status();
    CHECK(plain.code() == Code::kResourceExhausted);
    CHECK_MESSAGE(Contains(plain.message(), "Hint: If you want to see a list of allocated tensors when OOM happens"),
                  plain.message());
    memory.FailAllocations(1);
    const Status listed =
        session->Run(feeds, Strings{"z"}, Strings{}, {.report_tensor_allocations_upon_oom = true}).status();
    CHECK(listed.code() == Code::kResourceExhausted);
    CHECK_MESSAGE(Contains(listed.message(), "400 bytes from y:0/AddV2 (float[100])"), listed.message());
    CHECK_FALSE(Contains(listed.message(), "z:0/Mul"));
  }

  TEST_CASE("a deadline or a cancellation ends what prepares a run, and the next run prepares it again") {
    GraphBuilder b;
    Output x = b.Placeholder("x", DataType::kFloat);
    for (int i = 0; i < 100'000; ++i) x = b.Add("Identity", StrCat("n", i), {x});
    const auto session = Session::FromGraph(b);
    const Feeds feeds{{"x", Tensor::Scalar(2.0f)}};
    const Strings fetches{"n99999"};
    CHECK(session->Run(feeds, fetches, {}, {.timeout_in_ms = 1}).status().code() == Code::kDeadlineExceeded);
    CancellationManager cancellation;
    std::thread cancel([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      cancellation.StartCancel();
    });
    CHECK(session->Run(feeds, fetches, {}, {.cancellation = &cancellation}).status().code() == Code::kCancelled);
    cancel.join();
    CHECK(session->num_cached_signatures() == 0);
    const auto out = session->Run(feeds, fetches, {}, {.timeout_in_ms = 1'000'000});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].scalar<float>()() == 2);
    const auto bounded = Session::FromGraph(b, {.operation_timeout_in_ms = 1});
    CHECK(bounded->Run(feeds, fetches).status().code() == Code::kDeadlineExceeded);
  }
}
}  // namespace run_with_options_test
