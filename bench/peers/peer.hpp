// SPDX-License-Identifier: Apache-2.0
#pragma once
// Other runtimes that do the same work: TensorFlow and ONNX Runtime, through their C interfaces. On one thread they run
// in the same process; on several each has a process of its own, which is stopped (SIGSTOP) while others are measured:
// ONNX Runtime's threads go on spinning after a run, and would have a processor while Tenon is measured.
// They are looked for when a case asks for them, in the packages of a Python (`tensorflow` or `tensorflow-cpu`,
// `onnxruntime`): the one named by the environment variable TENON_TENSORFLOW_PYTHON, else python3. Nothing of them is
// needed to build.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tenon.hpp>

#include "harness.hpp"

namespace tenon::bench {

// What is run once, for its effects.
struct PeerStep {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> targets;
};

// A graph and one way to run it.
struct PeerGraph {
  std::string graph_def;  // bytes
  std::string onnx_file;  // the same graph for ONNX Runtime; empty: it takes no part
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches, targets;
  std::vector<PeerStep> before = {};  // of a session's first run; not for ONNX Runtime
};

// one thread
class PeerSession {
 public:
  virtual ~PeerSession() = default;
  virtual Status Run(std::int64_t times) = 0;
  // Processor time of the last Run where another process runs it; else 0 [ns].
  virtual double processor_ns() const { return 0; }
  // Runs once and returns the fetches.
  virtual Result<std::vector<Tensor>> Fetch() = 0;
};

struct TensorFlowOptions {
  enum class Executor {
    kInCaller,  // in the thread that calls, inter_op_parallelism_threads = -1
    kSingleThreaded,  // the same by the executor without a queue, experimental.executor_type = SINGLE_THREADED_EXECUTOR
    kPool,  // on a pool of `inter_op_threads`, which is what one gets by default
  };
  Executor executor = Executor::kInCaller;
  int inter_op_threads = 1;
  int intra_op_threads = 1;  // one pool for all sessions: the first decides
  bool optimize = true;  // Grappler, constant folding and common subexpressions
};

// NotFound: the package is not there.
Result<std::unique_ptr<PeerSession>> MakeTensorFlow(const PeerGraph& graph, const TensorFlowOptions& options);
Result<std::unique_ptr<PeerSession>> MakeOnnxRuntime(const PeerGraph& graph, int threads, bool optimize = true);

// A runtime that bench/peers/python_peer.py drives: "xla", "openvino" or "litert", for a graph from `x:0` to `y:0`; or
// "numpy", for an expression of x in the place of the file. NotFound: it is not there, or cannot run the graph.
Result<std::unique_ptr<PeerSession>> MakePythonPeer(const char* kind, const std::string& graph_file, const Tensor& feed,
                                                    int threads);

using MakePeer = std::function<Result<std::unique_ptr<PeerSession>>()>;

// Makes what `make` gives a peer of the case, if its first answers agree with `wanted` (floats: to so much of the value
// plus 1e-5; from 1e30 on only types and shapes count). NotFound: it does not take part.
void AddPeer(State& state, std::string name, const MakePeer& make, std::span<const Tensor> wanted,
             double relative_error);

// TensorFlow in the calling thread, with both executors or without the single-threaded one; the goal is measured
// against the faster one. Named "TensorFlow, ...".
void AddTensorFlowInCaller(State& state, const PeerGraph& graph, bool optimize, bool single_threaded,
                           std::span<const Tensor> wanted, double relative_error);

// For those who implement peers: the folder of a Python package, and a shared library.
Result<std::string> FindPythonPackage(std::string_view package);
class Library {
 public:
  static Result<Library> Open(const std::string& path);  // never closed
  template <class F>
  Status Bind(const char* name, F** function) const {
    *function = reinterpret_cast<F*>(Find(name));
    return *function != nullptr ? OkStatus() : Status(Code::kNotFound, std::string("no function ") + name);
  }

 private:
  void* Find(const char* name) const;
  void* handle_ = nullptr;
};

}  // namespace tenon::bench
