// SPDX-License-Identifier: Apache-2.0
#pragma once
// Session and Tensor: the cheap front door. Declarations only: one source file of the program includes
// <tenon/runtime.hpp> (or <tenon/tenon.hpp>, which has everything), as with doctest's implementation.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/session_options.hpp>

TENON_NAMESPACE_BEGIN

struct GraphDef;
class GraphBuilder;

// A tensor by name: {"x:0", tensor}. "x" means "x:0".
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// What a prepared run takes and gives, in this order.
struct CallableOptions {
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};  // nodes that run although nothing of theirs is fetched
};

// Where the time of one run went.
struct NodeTiming {
  std::string_view name, op;      // of the node; live as long as the session
  std::string_view device;
  std::int64_t start_ns = 0, end_ns = 0;  // since the start of the run
  std::int64_t output_bytes = 0;
  int thread = 0;
};
struct RunTrace {
  std::int64_t total_ns = 0;
  std::vector<NodeTiming> nodes;  // in the order in which they ended
};

// An endpoint of a loaded graph, as `Session::inputs()` lists it.
struct Endpoint {
  std::string name;  // "pixels:0"
  DataType dtype = DataType::kInvalid;
  std::string shape;  // "[?,784]", "<unknown>"
};

class Session;
class Callable;

namespace detail {

// The runtime's entry points, defined by <tenon/runtime.hpp>.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file {
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options);
  static Result<Session> FromGraphDefBytes(std::span<const std::byte> bytes, SessionOptions options);
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options);
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options);
  static Result<std::vector<Tensor>> Run(const Session& session, std::span<const NamedTensor> feeds,
                                         std::span<const std::string> fetches, std::span<const std::string> targets);
  static Result<Callable> MakeCallable(const Session& session, const CallableOptions& options);
  static void Endpoints(const Session& session, bool inputs, std::vector<Endpoint>* endpoints);
  static std::vector<std::string> Devices(const Session& session);
  static Status RunCallable(const RefCounted* callable, std::span<const Tensor> feeds, std::span<Tensor> fetches,
                            RunTrace* trace);
  static std::size_t NumFeeds(const RefCounted* callable);
  static std::size_t NumFetches(const RefCounted* callable);
};
using Runtime = undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>;

}  // namespace detail

// One signature of a session, prepared: no names are looked up when it runs. thread-safe; keeps its session alive.
class Callable {
 public:
  Callable() = default;

  // feeds[i] is the value of the i-th feed; fetches[i] receives the i-th fetch. Both must have the lengths asked for.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, nullptr);
  }
  Result<std::vector<Tensor>> operator()(std::initializer_list<Tensor> feeds) const {
    std::vector<Tensor> fetches(num_fetches());
    TENON_RETURN_IF_ERROR(Run(std::span<const Tensor>(feeds.begin(), feeds.size()), fetches));
    return fetches;
  }
  // Runs once and records when each node ran.
  Status RunTraced(std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) const {
    return detail::Runtime::RunCallable(impl_.get(), feeds, fetches, trace);
  }

  std::size_t num_feeds() const { return detail::Runtime::NumFeeds(impl_.get()); }
  std::size_t num_fetches() const { return detail::Runtime::NumFetches(impl_.get()); }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
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

  // Reads a binary GraphDef (a frozen graph); large constants stay views of the mapped file.
  // NotFound: no such file. DataLoss: not a GraphDef. Otherwise as FromGraphDef.
  static Result<Session> FromGraphFile(const std::string& path, SessionOptions options = {}) {
    return detail::Runtime::FromGraphFile(path, std::move(options));
  }
  // The same from bytes, which are copied as far as they are needed.
  // NotFound: an op that is not registered (all of them are named). InvalidArgument: any other fault of the graph.
  static Result<Session> FromGraphDef(std::span<const std::byte> bytes, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDefBytes(bytes, std::move(options));
  }
  static Result<Session> FromGraphDef(const GraphDef& graph, SessionOptions options = {}) {
    return detail::Runtime::FromGraphDef(graph, std::move(options));
  }
  static Result<Session> FromGraph(const GraphBuilder& builder, SessionOptions options = {}) {
    return detail::Runtime::FromGraph(builder, std::move(options));
  }

  // Runs what is needed for `fetches` and `targets` and returns the fetches in their order. The way of calling it again
  // with the same names is remembered; a Callable saves the look-up too.
  Result<std::vector<Tensor>> Run(std::span<const NamedTensor> feeds, std::span<const std::string> fetches,
                                  std::span<const std::string> targets = {}) const {
    return detail::Runtime::Run(*this, feeds, fetches, targets);
  }
  Result<std::vector<Tensor>> Run(std::initializer_list<NamedTensor> feeds, std::initializer_list<std::string> fetches,
                                  std::initializer_list<std::string> targets = {}) const {
    return Run(std::span<const NamedTensor>(feeds.begin(), feeds.size()),
               std::span<const std::string>(fetches.begin(), fetches.size()),
               std::span<const std::string>(targets.begin(), targets.size()));
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

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file;
  Ref<RefCounted> impl_;  // detail::SessionImpl
};

TENON_NAMESPACE_END
