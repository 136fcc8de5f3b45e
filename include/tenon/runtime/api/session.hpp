// SPDX-License-Identifier: Apache-2.0
#pragma once
// Session and Callable, declared. One source file of the program includes <tenon/runtime.hpp>, which defines them, or
// the program links the CMake target tenon::runtime.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/function.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct GraphDef;
struct Node;
class Graph;
class GraphBuilder;

// A tensor by name: {"x:0", tensor}. "x" means "x:0". Immutable while a run uses it.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A device's memory for a tensor, both by name: {"x:0", "GPU:0"}.
struct TensorDevice {
  std::string tensor;
  std::string device;
};

// Endpoints of a prepared run, in this order.
struct CallableOptions {
  std::vector<std::string> feeds = {};  // names of input tensors: "x:0"
  std::vector<std::string> fetches = {};  // names of output tensors
  std::vector<std::string> targets = {};  // nodes that run although their outputs are not fetched
  // Feeds that come in the memory of a device of the session; all other feeds are in host memory. Names are written as
  // in `feeds`. The tensors must go before the session, unless the device is the caller's. Needs <tenon/devices.hpp> in
  // one source file. Unimplemented: strings, resources and variants, and fetches of variables by reference.
  std::vector<TensorDevice> feed_devices = {};
  std::vector<TensorDevice> fetch_devices = {};  // fetches that stay in the memory of a device; as feed_devices
};

// One execution of one node in a traced run.
struct NodeTiming {
  std::string_view name, op;  // the node's; live as long as the session
  std::string_view device;  // "CPU:0"; lives as long as the session
  std::int64_t start_ns = 0, end_ns = 0;  // since the start of the run
  std::int64_t output_bytes = 0;  // bytes of all outputs
  std::int64_t temp_bytes = 0, persistent_bytes = 0;  // taken beside the outputs, by kernels that are not asynchronous
  int thread = 0;  // number of the thread in the process, from 1, in the order in which traced runs met threads
  // Node of the graph (graph/graph.hpp); lives as long as the session. For a copy or a fetch: the node whose value it
  // takes. Null: something within a node, a node of a function that it calls or a measurement of its kernel.
  const Node* node = nullptr;
  // Time within the execution that is not work: an asynchronous kernel that ends after its call waits from the call to
  // its end, for a tensor of another device or for a queue.
  std::int64_t wait_ns = 0;
  DataType dtype = DataType::kInvalid;  // output 0's; kInvalid: the node has no output
  TensorShape shape = {};  // output 0's
  std::int64_t ready_ns = -1;  // when all inputs were there, since the start of the run; -1: not known
  // Node of a called function, and the function's graph; they live as long as the session. Null: not a function's node.
  const Node* body_node = nullptr;
  const Graph* body = nullptr;
};
// The executions of one node that a trace holds only as sums (SessionOptions::max_trace_events).
struct NodeTotal {
  std::string_view name, op, device;  // as in NodeTiming
  const Node* node = nullptr;  // as in NodeTiming
  std::int64_t count = 0;  // executions
  std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t start_ns = 0, end_ns = 0;  // first start and last end, since the start of the run
  std::int64_t output_bytes = 0;  // bytes of all of these executions
  std::int64_t wait_ns = 0;  // sum of NodeTiming::wait_ns
  const Node* body_node = nullptr;  // as in NodeTiming
  const Graph* body = nullptr;
};
// Where the time of one run went. Names and nodes in it live as long as the session.
struct RunTrace {
  std::int64_t start_ns = 0;  // SteadyNanoseconds()
  std::int64_t total_ns = 0;  // duration of the run
  int thread = 0;  // number of the thread that asked for the run
  std::vector<NodeTiming> nodes;  // in the order in which they ended
  std::vector<NodeTotal> folded;  // executions that are not in `nodes`, by first execution
  std::int64_t num_dropped = 0, dropped_ns = 0;  // executions of further nodes, in neither list
};

// How the memory of a callable's runs is planned for the feed shapes of its last run.
struct PlanReport {
  std::size_t arena_bytes = 0;  // size of the arena
  std::size_t value_bytes = 0;  // size of all values in the arena, as if each had its own memory
  std::size_t lower_bound_bytes = 0;  // the most that live at one time
  int planned_nodes = 0;  // nodes that run without shape functions and allocation
  int other_nodes = 0;  // nodes that run as without a plan
};

// An endpoint of a loaded graph, as `Session::inputs()` lists it.
struct Endpoint {
  std::string name;  // "pixels:0"
  DataType dtype = DataType::kInvalid;  // element type
  std::string shape;  // "[?,784]", "<unknown>"
  bool optional = false;  // the input has a value without a feed
};

// A device of a session, as ListDevices() describes it.
struct SessionDevice {
  std::string name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  std::string device_type;  // "CPU"
  std::int64_t memory_limit = 0;  // bytes; 0: none known
  std::uint64_t incarnation = 0;  // another number for every session
};

// Receives the fetches of a run of RunAsync, or its error, once, on any thread. May hold a thread of the session's
// pool, so that it should be short. May start further runs, and destroy the session. Exceptions are logged.
using RunCallback = Function<void(Result<std::vector<Tensor>> fetches)>;

class Session;
class Callable;
struct RunMetadata;  // <tenon/runtime/session/run_metadata.hpp>
struct SessionCounters;  // <tenon/runtime/session/counters.hpp>

namespace detail {

// For the headers that define what is declared here.
struct SessionAccess {
  static RefCounted* Impl(const Session& session);
  static RefCounted* Impl(const Callable& callable);
};

// The runtime's entry points, defined by <tenon/runtime.hpp>.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file {
  static Result<Session> Create(SessionOptions options);
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options);
  static Result<Session> FromGraphDefBytes(Span<const std::byte> bytes, SessionOptions options);
  static Result<std::vector<Tensor>> Run(const Session& session, Span<const NamedTensor> feeds,
                                         Span<const std::string> fetches, Span<const std::string> targets);
  static Result<Callable> MakeCallable(const Session& session, const CallableOptions& options);
  static void Endpoints(const Session& session, bool inputs, std::vector<Endpoint>* endpoints);
  static std::vector<std::string> Devices(const Session& session);
  static Status RunCallable(const RefCounted* callable, Span<const Tensor> feeds, Span<Tensor> fetches,
                            RunTrace* trace);
  static Result<std::vector<Tensor>> Call(const RefCounted* callable, Span<const Tensor> feeds);
  static bool GetPlanReport(const RefCounted* callable, PlanReport* report);
  static std::size_t NumFeeds(const RefCounted* callable);
  static std::size_t NumFetches(const RefCounted* callable);
  static void Release(RefCounted* callable);
  static Status Close(const Session& session);
};
using Runtime = undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>;

// Entry points that a program with TENON_MINIMAL_RUNTIME lacks. <tenon/runtime.hpp> defines them.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME {
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options);
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options);
  static Result<std::vector<Tensor>> Run(const Session& session, Span<const NamedTensor> feeds,
                                         Span<const std::string> fetches, Span<const std::string> targets,
                                         const RunOptions& options, RunMetadata* metadata);
  static Status RunCallable(const RefCounted* callable, Span<const Tensor> feeds, Span<Tensor> fetches,
                            const RunOptions& options, RunMetadata* metadata);
  static void RunAsync(const Session& session, Span<const NamedTensor> feeds, Span<const std::string> fetches,
                       Span<const std::string> targets, const RunOptions& options, RunCallback done);
  static void CallAsync(const RefCounted* callable, Span<const Tensor> feeds, const RunOptions& options,
                        RunCallback done);
  static Status Extend(const Session& session, const GraphDef& graph);
  static Status Finalize(const Session& session);
  static Status Reset(const Session& session, Span<const std::string> containers);
  static Result<std::vector<SessionDevice>> ListDevices(const Session& session);
  static std::size_t NumSignatures(const Session& session);
  static bool GetCounters(const Session& session, SessionCounters* counters);
  static Result<std::string> SetUpPartialRun(const Session& session, Span<const std::string> feeds,
                                             Span<const std::string> fetches, Span<const std::string> targets,
                                             const RunOptions& options);
  static Result<std::vector<Tensor>> ContinuePartialRun(const Session& session, const std::string& handle,
                                                        Span<const NamedTensor> feeds, Span<const std::string> fetches);
};
using FullRuntime = undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<void>;

}  // namespace detail

// One prepared signature of a session. It runs without looking up names. thread-safe: any number of threads may call
// it at once. A callable keeps its session alive.
//
//   TENON_ASSIGN_OR_RETURN(const Callable mlp, session.MakeCallable({.feeds = {"x:0"}, .fetches = {"y:0"}}));
//   std::vector<Tensor> outputs(mlp.num_fetches());
//   TENON_RETURN_IF_ERROR(mlp.Run({&x, 1}, outputs));
class Callable {
 public:
  Callable() = default;  // without a session: every run returns InvalidArgument

  // Runs the signature. feeds[i] is the value of feed i; fetches[i] receives fetch i. InvalidArgument: another
  // number of feeds or fetches, a feed of another type or shape, or a released callable. Cancelled: the session was
  // closed. Other errors are the errors of the nodes, with the node's name.
  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, nullptr);
  }
  // Runs the signature and returns its fetches. The errors are the errors of Run.
  Result<std::vector<Tensor>> operator()(std::initializer_list<Tensor> feeds) const {
    return detail::Runtime::Call(impl_.get(), Span<const Tensor>(feeds.begin(), feeds.size()));
  }
  // Runs under RunOptions; `metadata` may be null. DeadlineExceeded: the run took longer than timeout_in_ms. Cancelled:
  // RunOptions::cancellation was cancelled. InvalidArgument: a negative timeout, or a pool that the session lacks.
  // Other errors are the errors of the first form.
  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options,
             RunMetadata* metadata = nullptr) const {
    return detail::FullRuntime::RunCallable(impl_.get(), feeds, fetches, options, metadata);
  }
  // Starts a run and returns. Calls `done` once, with the fetches or an error; an error may come before this returns.
  // The inter-op pool that `options` choose runs it, or a pool of the process where that pool has no threads. A run
  // that waits in a kernel, for a queue or a barrier, holds no thread; on several devices, and in a function that a
  // kernel calls, it does. Time limits count from the call. The run keeps feeds and session alive; objects that
  // `options` point to outlive it. Unavailable: SessionOptions::async_limits. Other errors are the errors of Run.
  void RunAsync(Span<const Tensor> feeds, const RunOptions& options, RunCallback done) const {
    detail::FullRuntime::CallAsync(impl_.get(), feeds, options, std::move(done));
  }
  // Runs once and records into *trace when each node ran. The errors are the errors of Run.
  Status RunTraced(Span<const Tensor> feeds, Span<Tensor> fetches, RunTrace* trace) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, trace);
  }

  // Describes the memory plan of the last feed shapes. False: there is no plan (SessionOptions::plan_after_runs).
  bool GetPlanReport(PlanReport* report) const { return detail::Runtime::GetPlanReport(impl_.get(), report); }
  // Ends this callable and its copies: later runs return InvalidArgument. Runs under way come to their end.
  void Release() { detail::Runtime::Release(impl_.get()); }

  std::size_t num_feeds() const { return detail::Runtime::NumFeeds(impl_.get()); }  // 0 without a session
  std::size_t num_fetches() const { return detail::Runtime::NumFetches(impl_.get()); }  // 0 without a session

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  friend struct detail::SessionAccess;
  Ref<RefCounted> impl_;  // detail::CallableImpl
};

// A graph with its state, which runs signatures. thread-safe: any number of threads may call Run at once. Copies share
// the graph and its state, which live as long as a copy or a Callable.
//
//   TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraphFile("mlp.pb"));
//   TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"pixels:0", image}}, {"probabilities:0"}));
//   const float first = outputs[0].flat<float>()(0);
class Session {
 public:
  Session() = default;  // without a session: all calls return InvalidArgument

  // Makes a session without a graph; Extend gives it one. InvalidArgument: an option without sense, or a device that
  // does not exist. FailedPrecondition: an option that needs a header which the binary lacks. Also returns the first
  // error of the registrations (Registry::status).
  static Result<Session> Create(SessionOptions options = {}) { return detail::Runtime::Create(std::move(options)); }
  // Makes a session from a binary GraphDef in a file (a frozen graph). Large constants stay views of the mapped file,
  // which must not be written to in place while the session lives (SessionOptions::map_graph_file). NotFound: no such
  // file. DataLoss: not a GraphDef. InvalidArgument: an empty file, or one without a graph. FailedPrecondition: the
  // file was written to while it was read. Other errors are the errors of FromGraphDef and Create.
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options = {}) {
    return detail::Runtime::FromGraphFile(path, std::move(options));
  }
  // Makes a session from a serialised GraphDef, or from a GraphDef. The session keeps copies of what it needs.
  // NotFound: ops that are not registered, with SessionOptions::check_ops; the message names all of them. Without it,
  // signatures that need such ops fail so. InvalidArgument: another fault of the graph, or bytes that are not a
  // GraphDef. ResourceExhausted: SessionOptions::import_limits. Other errors are the errors of Create.
  static Result<Session> FromGraphDef(Span<const std::byte> bytes, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDefBytes(bytes, std::move(options));
  }
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options = {}) {
    return detail::FullRuntime::FromGraphDef(graph, std::move(options));
  }
  // Makes a session from a builder's graph. Returns the first error of the builder, or the errors of FromGraphDef.
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options = {}) {
    return detail::FullRuntime::FromGraph(builder, std::move(options));
  }

  // Runs the nodes that `fetches` and `targets` need, and returns the fetches in order. The signature is cached: later
  // calls with the same names are cheap. A Callable also skips the look-up by name. InvalidArgument: a name that the
  // graph lacks, a feed of another type or shape, a placeholder that is not fed, an op without a kernel, nothing to
  // fetch or run, or an empty Session. NotFound: an unknown target. OutOfRange: an output number that the node lacks.
  // Cancelled: the session was closed. FailedPrecondition: a new signature after Finalize. Other errors are the
  // errors of the nodes, with the node's name. The fetched tensors may outlive the session.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets = {}) const {
    return detail::Runtime::Run(*this, feeds, fetches, targets);
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets = {}) const {
    return Run(Span<const NamedTensor>(feeds.begin(), feeds.size()),
               Span<const std::string>(fetches.begin(), fetches.size()),
               Span<const std::string>(targets.begin(), targets.size()));
  }
  // Runs under RunOptions; `metadata` may be null. DeadlineExceeded: preparation and run took longer than
  // timeout_in_ms. Cancelled: RunOptions::cancellation was cancelled. InvalidArgument: a negative timeout, or a pool
  // that the session lacks. Other errors are the errors of the first form.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets, const RunOptions& options,
                                  RunMetadata* metadata = nullptr) const {
    return detail::FullRuntime::Run(*this, feeds, fetches, targets, options, metadata);
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets, const RunOptions& options,
                                  RunMetadata* metadata = nullptr) const {
    return Run(Span<const NamedTensor>(feeds.begin(), feeds.size()),
               Span<const std::string>(fetches.begin(), fetches.size()),
               Span<const std::string>(targets.begin(), targets.size()), options, metadata);
  }
  // Prepares the signature, unless it is cached, starts a run and returns; then as Callable::RunAsync.
  void RunAsync(Span<const NamedTensor> feeds, Span<const std::string> fetches, Span<const std::string> targets,
                const RunOptions& options, RunCallback done) const {
    detail::FullRuntime::RunAsync(*this, feeds, fetches, targets, options, std::move(done));
  }
  // Prepares a signature. The errors are the errors of Run that concern names, kernels and devices.
  Result<Callable> MakeCallable(const CallableOptions& options) const {
    return detail::Runtime::MakeCallable(*this, options);
  }

  // Lists the outputs of the placeholders, in graph order; those with a default (PlaceholderWithDefault) are
  // `optional`. Without memory this, outputs() and devices() throw std::bad_alloc.
  std::vector<Endpoint> inputs() const {
    std::vector<Endpoint> endpoints;
    detail::Runtime::Endpoints(*this, true, &endpoints);
    return endpoints;
  }
  // Lists the outputs that no other node reads, in graph order.
  std::vector<Endpoint> outputs() const {
    std::vector<Endpoint> endpoints;
    detail::Runtime::Endpoints(*this, false, &endpoints);
    return endpoints;
  }
  // full names, the CPU among them
  std::vector<std::string> devices() const { return detail::Runtime::Devices(*this); }
  // Counts runs, plans, programs, memory and threads until now. False: an empty Session.
  bool GetCounters(SessionCounters* counters) const { return detail::FullRuntime::GetCounters(*this, counters); }

  // Stops all runs without waiting for them. They and later runs return Cancelled. A second call does nothing.
  // InvalidArgument: an empty Session.
  Status Close() { return detail::Runtime::Close(*this); }

  // Starts a run in parts and returns its handle. Names all feeds and fetches; nodes that need no feed start at once.
  // `options` may have timeout_in_ms, which counts until all nodes have run, and `cancellation`, which outlives the
  // run. The session's operation_timeout_in_ms limits each PRun. InvalidArgument: an unknown name, or a negative
  // timeout. Unimplemented: another option. ResourceExhausted: the system has no thread. Cancelled: the session was
  // closed.
  Result<std::string> PRunSetup(Span<const std::string> feeds, Span<const std::string> fetches,
                                Span<const std::string> targets = {}, const RunOptions& options = {}) const {
    return detail::FullRuntime::SetUpPartialRun(*this, feeds, fetches, targets, options);
  }
  Result<std::string> PRunSetup(std::initializer_list<std::string> feeds, std::initializer_list<std::string> fetches,
                                std::initializer_list<std::string> targets = {}, const RunOptions& options = {}) const {
    return PRunSetup(Span<const std::string>(feeds.begin(), feeds.size()),
                     Span<const std::string>(fetches.begin(), fetches.size()),
                     Span<const std::string>(targets.begin(), targets.size()), options);
  }
  // Feeds some tensors of a run in parts, waits for some of its fetches and returns them. Each may be named once. The
  // handle ends after an error, and when all feeds and fetches are done. InvalidArgument: a name that PRunSetup did not
  // get, or a second time; a fetch whose feeds are missing; a handle that has ended. DeadlineExceeded: a time limit.
  // Cancelled: `cancellation`, or a closed session. FailedPrecondition: the handle was made before a fork().
  Result<std::vector<Tensor>> PRun(const std::string& handle, Span<const NamedTensor> feeds,
                                   Span<const std::string> fetches) const {
    return detail::FullRuntime::ContinuePartialRun(*this, handle, feeds, fetches);
  }
  Result<std::vector<Tensor>> PRun(const std::string& handle, std::initializer_list<NamedTensor> feeds,
                                   std::initializer_list<std::string> fetches) const {
    return PRun(handle, Span<const NamedTensor>(feeds.begin(), feeds.size()),
                Span<const std::string>(fetches.begin(), fetches.size()));
  }

  // Adds nodes and functions; new nodes may read old ones. Runs, callables and state stay as they are. After an error
  // the graph is as before. InvalidArgument: a node that exists already, other versions, or another fault of the graph.
  // NotFound: ops that are not registered, with SessionOptions::check_ops. FailedPrecondition: Finalize was called.
  Status Extend(const GraphDef& graph) { return detail::FullRuntime::Extend(*this, graph); }
  // Ends changes of the session: later Extend calls and new signatures return FailedPrecondition. Prepared signatures
  // still run. FailedPrecondition: a second call. InvalidArgument: no graph. Cancelled: the session was closed.
  Status Finalize() { return detail::FullRuntime::Finalize(*this); }
  // Drops the resources of the containers (an empty list: of the default one), then closes the session.
  // InvalidArgument: an empty Session.
  Status Reset(Span<const std::string> containers) { return detail::FullRuntime::Reset(*this, containers); }
  // Describes the devices, the CPU first. InvalidArgument: an empty Session.
  Result<std::vector<SessionDevice>> ListDevices() const { return detail::FullRuntime::ListDevices(*this); }
  // Number of prepared signatures that are kept now: at most SessionOptions::max_cached_signatures.
  std::size_t num_cached_signatures() const { return detail::FullRuntime::NumSignatures(*this); }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME;
  friend struct detail::SessionAccess;
  Ref<RefCounted> impl_;  // detail::SessionImpl
};

inline RefCounted* detail::SessionAccess::Impl(const Session& session) { return session.impl_.get(); }
inline RefCounted* detail::SessionAccess::Impl(const Callable& callable) { return callable.impl_.get(); }

TENON_DETAIL_NAMESPACE_END
