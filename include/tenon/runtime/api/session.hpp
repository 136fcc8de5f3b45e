// SPDX-License-Identifier: Apache-2.0
#pragma once
// Session and Tensor: the cheap front door. Declarations only: one source file of the program includes
// <tenon/runtime.hpp> (or <tenon/tenon.hpp>, which has everything), as with doctest's implementation.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct GraphDef;
struct Node;
class GraphBuilder;

// A tensor by name: {"x:0", tensor}. "x" means "x:0".
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
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};  // nodes that run although their outputs are not fetched
  // Feeds that come in the memory of a device of the session, and fetches that are to stay in one; the others are in
  // host memory. Names are written as in `feeds` and `fetches`. A run ends when the values are there. They must go
  // before the session, unless the device is the caller's. Such a callable does not share its program. Needs
  // <tenon/devices.hpp> in one source file. Unimplemented: strings and the like, fetches beside variables by reference.
  std::vector<TensorDevice> feed_devices = {};
  std::vector<TensorDevice> fetch_devices = {};
};

// Where the time of one run went.
struct NodeTiming {
  std::string_view name, op;  // the node's; live as long as the session
  std::string_view device;
  std::int64_t start_ns = 0, end_ns = 0;  // since the start of the run
  std::int64_t output_bytes = 0;
  std::int64_t temp_bytes = 0, persistent_bytes = 0;  // taken beside the outputs, by kernels that are not asynchronous
  int thread = 0;  // its number in the process, from 1: in the order in which traced runs met threads
  // Node of the graph (graph/graph.hpp); lives as long as the session. For a copy or a fetch: the node whose value it
  // takes. Null: something within a node, a node of a function that it calls or a measurement of its kernel.
  const Node* node = nullptr;
};
// The executions of one node that a trace holds only as sums (SessionOptions::max_trace_events).
struct NodeTotal {
  std::string_view name, op, device;  // as in NodeTiming
  const Node* node = nullptr;  // as in NodeTiming
  std::int64_t count = 0;  // executions
  std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t start_ns = 0, end_ns = 0;  // first start and last end, since the start of the run
  std::int64_t output_bytes = 0;  // bytes of all of these executions
};
struct RunTrace {
  std::int64_t start_ns = 0;  // SteadyNanoseconds()
  std::int64_t total_ns = 0;
  int thread = 0;  // number of the thread that asked for the run
  std::vector<NodeTiming> nodes;  // in the order in which they ended
  std::vector<NodeTotal> folded;  // executions that are not in `nodes`, by first execution
  std::int64_t num_dropped = 0, dropped_ns = 0;  // executions of further nodes, in neither list
};

// How the memory of a callable's runs is planned for the feed shapes of its last run.
struct PlanReport {
  std::size_t arena_bytes = 0;
  std::size_t value_bytes = 0;  // size of all values in the arena, as if each had its own memory
  std::size_t lower_bound_bytes = 0;  // the most that live at one time
  int planned_nodes = 0;  // run without shape functions and allocation
  int other_nodes = 0;
};

// An endpoint of a loaded graph, as `Session::inputs()` lists it.
struct Endpoint {
  std::string name;  // "pixels:0"
  DataType dtype = DataType::kInvalid;
  std::string shape;  // "[?,784]", "<unknown>"
};

// A device of a session, as ListDevices() describes it.
struct SessionDevice {
  std::string name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  std::string device_type;  // "CPU"
  std::int64_t memory_limit = 0;  // bytes; 0: none known
  std::uint64_t incarnation = 0;  // another number for every session
};

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
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options);
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options);
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

// Runs with RunOptions.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_run_with_options_hpp_in_one_source_file {
  static Result<std::vector<Tensor>> Run(const Session& session, Span<const NamedTensor> feeds,
                                         Span<const std::string> fetches, Span<const std::string> targets,
                                         const RunOptions& options, RunMetadata* metadata);
  static Status RunCallable(const RefCounted* callable, Span<const Tensor> feeds, Span<Tensor> fetches,
                            const RunOptions& options, RunMetadata* metadata);
};
using OptionsRuntime = undefined_symbol_means_include_tenon_runtime_run_with_options_hpp_in_one_source_file<void>;

// Functions that change or list a session.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_session_admin_hpp_in_one_source_file {
  static Status Extend(const Session& session, const GraphDef& graph);
  static Status Finalize(const Session& session);
  static Status Reset(const Session& session, Span<const std::string> containers);
  static Result<std::vector<SessionDevice>> ListDevices(const Session& session);
  static std::size_t NumSignatures(const Session& session);
};
using AdminRuntime = undefined_symbol_means_include_tenon_runtime_session_admin_hpp_in_one_source_file<void>;

// Counters of a session.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_session_counters_hpp_in_one_source_file {
  static bool Get(const Session& session, SessionCounters* counters);
};
using CountersRuntime = undefined_symbol_means_include_tenon_runtime_session_counters_hpp_in_one_source_file<void>;

// Partial runs.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_partial_run_hpp_in_one_source_file {
  static Result<std::string> Setup(const Session& session, Span<const std::string> feeds,
                                   Span<const std::string> fetches, Span<const std::string> targets,
                                   const RunOptions& options);
  static Result<std::vector<Tensor>> Run(const Session& session, const std::string& handle,
                                         Span<const NamedTensor> feeds, Span<const std::string> fetches);
};
using PartialRuntime = undefined_symbol_means_include_tenon_runtime_partial_run_hpp_in_one_source_file<void>;

}  // namespace detail

// One signature of a session, prepared: no names are looked up when it runs. thread-safe; keeps its session alive.
class Callable {
 public:
  Callable() = default;

  // feeds[i] is the value of the i-th feed; fetches[i] receives the i-th fetch. Both must have the lengths asked for.
  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, nullptr);
  }
  Result<std::vector<Tensor>> operator()(std::initializer_list<Tensor> feeds) const {
    return detail::Runtime::Call(impl_.get(), Span<const Tensor>(feeds.begin(), feeds.size()));
  }
  // Runs under RunOptions; `metadata` may be null. DeadlineExceeded, Cancelled: as the options say; InvalidArgument:
  // options that make no sense. Needs <tenon/runtime/session/run_with_options.hpp> in one source file.
  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options,
             RunMetadata* metadata = nullptr) const {
    return detail::OptionsRuntime::RunCallable(impl_.get(), feeds, fetches, options, metadata);
  }
  // Runs once and records when each node ran.
  Status RunTraced(Span<const Tensor> feeds, Span<Tensor> fetches, RunTrace* trace) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, trace);
  }

  // False while there is no plan (SessionOptions::plan_after_runs).
  bool GetPlanReport(PlanReport* report) const { return detail::Runtime::GetPlanReport(impl_.get(), report); }
  // No copy of this callable runs any more: InvalidArgument. Runs under way come to their end.
  void Release() { detail::Runtime::Release(impl_.get()); }

  std::size_t num_feeds() const { return detail::Runtime::NumFeeds(impl_.get()); }
  std::size_t num_fetches() const { return detail::Runtime::NumFetches(impl_.get()); }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  friend struct detail::SessionAccess;
  Ref<RefCounted> impl_;  // detail::CallableImpl
};

// A graph that can be run. thread-safe: any number of threads may call Run at once. Copies share the graph and its
// state.
//
//   TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraphFile("mlp.pb"));
//   TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"pixels:0", image}}, {"probabilities:0"}));
//   const float first = outputs[0].flat<float>()(0);
class Session {
 public:
  Session() = default;

  // A session without a graph: Extend gives it one.
  static Result<Session> Create(SessionOptions options = {}) { return detail::Runtime::Create(std::move(options)); }
  // Reads a binary GraphDef (a frozen graph); large constants stay views of the mapped file, which must not be written
  // to in place while the session lives (SessionOptions::map_graph_file).
  // NotFound: no such file. DataLoss: not a GraphDef. FailedPrecondition: the file was written to while it was read.
  // Otherwise as FromGraphDef.
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options = {}) {
    return detail::Runtime::FromGraphFile(path, std::move(options));
  }
  // Makes a session from bytes, which are copied as far as they are needed.
  // NotFound: an op that is not registered (all of them are named). InvalidArgument: any other fault of the graph.
  static Result<Session> FromGraphDef(Span<const std::byte> bytes, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDefBytes(bytes, std::move(options));
  }
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDef(graph, std::move(options));
  }
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options = {}) {
    return detail::Runtime::FromGraph(builder, std::move(options));
  }

  // Runs the nodes that `fetches` and `targets` need, and returns the fetches in order. The signature is cached:
  // later calls with the same names are cheap. A Callable also skips the look-up by name.
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
  // Runs under RunOptions; `metadata` may be null. DeadlineExceeded, Cancelled: as the options say; InvalidArgument:
  // options that make no sense. Needs <tenon/runtime/session/run_with_options.hpp> in one source file.
  Result<std::vector<Tensor>> Run(Span<const NamedTensor> feeds, Span<const std::string> fetches,
                                  Span<const std::string> targets, const RunOptions& options,
                                  RunMetadata* metadata = nullptr) const {
    return detail::OptionsRuntime::Run(*this, feeds, fetches, targets, options, metadata);
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets, const RunOptions& options,
                                  RunMetadata* metadata = nullptr) const {
    return Run(Span<const NamedTensor>(feeds.begin(), feeds.size()),
               Span<const std::string>(fetches.begin(), fetches.size()),
               Span<const std::string>(targets.begin(), targets.size()), options, metadata);
  }
  Result<Callable> MakeCallable(const CallableOptions& options) const {
    return detail::Runtime::MakeCallable(*this, options);
  }

  // Placeholders, in graph order.
  std::vector<Endpoint> inputs() const {
    std::vector<Endpoint> endpoints;
    detail::Runtime::Endpoints(*this, true, &endpoints);
    return endpoints;
  }
  // Outputs that no other node reads, in graph order.
  std::vector<Endpoint> outputs() const {
    std::vector<Endpoint> endpoints;
    detail::Runtime::Endpoints(*this, false, &endpoints);
    return endpoints;
  }
  std::vector<std::string> devices() const { return detail::Runtime::Devices(*this); }
  // Runs, plans, programs, memory and threads until now. False: an empty Session. Comes with <tenon/runtime.hpp>;
  // <tenon/lean_runtime.hpp> needs <tenon/runtime/session/counters.hpp>, from before the session is made.
  bool GetCounters(SessionCounters* counters) const { return detail::CountersRuntime::Get(*this, counters); }

  // Stops all runs, which fail with Cancelled, and does not wait for them. Later runs fail with Cancelled, too. A
  // second call does nothing. FailedPrecondition: an empty Session.
  Status Close() { return detail::Runtime::Close(*this); }

  // A run in parts; needs <tenon/runtime/session/partial_run.hpp> in one source file. PRunSetup names all feeds and
  // fetches and starts what needs no feed; its result is the run's handle. Each PRun feeds some of them and waits for
  // some fetches, each of which may be asked for once. After an error, or when all has been fed and fetched, the handle
  // is no more. InvalidArgument: names that PRunSetup did not get, or for the second time; fetches that feeds are
  // missing for. Of `options` two apply, others are refused: timeout_in_ms counts from here until all nodes have run,
  // whatever the caller does meanwhile, and then PRun says DeadlineExceeded; `cancellation` outlives the run, which it
  // makes Cancelled. The session's operation_timeout_in_ms is for each PRun, as in TensorFlow.
  Result<std::string> PRunSetup(Span<const std::string> feeds, Span<const std::string> fetches,
                                Span<const std::string> targets = {}, const RunOptions& options = {}) const {
    return detail::PartialRuntime::Setup(*this, feeds, fetches, targets, options);
  }
  Result<std::string> PRunSetup(std::initializer_list<std::string> feeds, std::initializer_list<std::string> fetches,
                                std::initializer_list<std::string> targets = {}, const RunOptions& options = {}) const {
    return PRunSetup(Span<const std::string>(feeds.begin(), feeds.size()),
                     Span<const std::string>(fetches.begin(), fetches.size()),
                     Span<const std::string>(targets.begin(), targets.size()), options);
  }
  Result<std::vector<Tensor>> PRun(const std::string& handle, Span<const NamedTensor> feeds,
                                   Span<const std::string> fetches) const {
    return detail::PartialRuntime::Run(*this, handle, feeds, fetches);
  }
  Result<std::vector<Tensor>> PRun(const std::string& handle, std::initializer_list<NamedTensor> feeds,
                                   std::initializer_list<std::string> fetches) const {
    return PRun(handle, Span<const NamedTensor>(feeds.begin(), feeds.size()),
                Span<const std::string>(fetches.begin(), fetches.size()));
  }

  // The five below need <tenon/runtime/session/extend_reset.hpp> in one source file.
  // Adds nodes and functions; new nodes may read old ones. Runs, callables and state stay as they are. InvalidArgument:
  // a node that is there already, other versions, or any fault of the graph, which is left as it was then.
  Status Extend(const GraphDef& graph) { return detail::AdminRuntime::Extend(*this, graph); }
  // No more Extend and no new signatures: FailedPrecondition. PreparedSignature signatures still run.
  Status Finalize() { return detail::AdminRuntime::Finalize(*this); }
  // Drops the resources of the containers (none given: of the default one), then closes the session.
  Status Reset(Span<const std::string> containers) { return detail::AdminRuntime::Reset(*this, containers); }
  Result<std::vector<SessionDevice>> ListDevices() const { return detail::AdminRuntime::ListDevices(*this); }
  // PreparedSignature (feeds, fetches, targets) that are kept at the moment: at most
  // SessionOptions::max_cached_signatures.
  std::size_t num_cached_signatures() const { return detail::AdminRuntime::NumSignatures(*this); }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  friend struct detail::SessionAccess;
  Ref<RefCounted> impl_;  // detail::SessionImpl
};

inline RefCounted* detail::SessionAccess::Impl(const Session& session) { return session.impl_.get(); }
inline RefCounted* detail::SessionAccess::Impl(const Callable& callable) { return callable.impl_.get(); }

TENON_DETAIL_NAMESPACE_END
