// SPDX-License-Identifier: Apache-2.0
#pragma once
// Program: one signature of a graph (feeds, fetches, targets), flattened. Nodes, edges and kernels lie in arrays;
// nothing is looked up by name again. Built once (builder.hpp),
// shared by all steps that run it.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/step_environment.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// One thing to do. Inputs, outputs and consumers are ranges of the program's flat arrays.
struct ProgramNode {
  enum class Kind : std::uint8_t {
    kKernel,
    kNothing,    // NoOp: only its control edges count
    kToDevice,   // copies a value from host memory
    kToHost,     // copies a value to host memory
    kFetch,      // takes a fetched value out of its loop
  };
  Kind kind = Kind::kKernel;
  bool on_host = true;
  bool reads_references = false;  // some input is a reference, and the kernel takes its value
  bool sizes_outputs = false;  // the kernel does, so that their shapes are checked
  bool uses_memo = false;  // the shape function may run, and its answer is kept
  bool ends_later = false;     // a copy to the host that only the caller reads: it may end with the run
  const OpKernel* kernel = nullptr;
  AsyncOpKernel* async = nullptr;
  const Node* node = nullptr;  // node of the graph, for messages; for a copy or a fetch: the producer
  int first_input = 0, num_inputs = 0;
  int first_output = 0, num_outputs = 0;    // values
  int first_consumer = 0, num_consumers = 0;  // nodes to tell, one entry per edge
  int first_release = 0, num_releases = 0;  // in sequential order: values without later readers
  int pending = 0;                          // edges to wait for
};

// One loop of a program with TensorFlow 1 control flow; frame 0 is the world outside of all loops.
struct ProgramFrame {
  int parent = -1;
  int parallel_iterations = 1;  // that may be under way at once
  int num_enters = 0;           // Enter nodes that must arrive before it can end
  std::uint64_t name_hash = 0;  // hash of the frame's name
};

struct ProgramOptions {
  bool constant_folding = true;
  // An Identity that only hands its input on is not a node, but another name for its input.
  bool drop_identities = false;
  int plan_after_runs = 0;  // as in SessionOptions
  bool record_steps = false;  // as in SessionOptions
  const CancellationManager* cancellation = nullptr;  // gives Build up; may be null
  bool dead_values = false;  // may come in from another device: the program gets frames though it has no loops
  // One a feed or fetch, not 0: its value is in the device's memory. Empty: all are in host memory. Both outlive Build.
  // No fetch stays there that may share its memory with a variable by reference.
  Span<const std::uint8_t> feeds_on_device = {}, fetches_on_device = {};
  bool ends_with_device = false;  // every run of the program ends with Device::EndRun, before its fetches are read
};

namespace detail {

// Frees what the cache of a step keeps beyond twice what one run held: runs with other shapes leave blocks behind that
// the next ones may not need. `limit`: bytes, 0: not known yet.
inline void TrimCache(CachingAllocator* cache, std::int64_t* limit) {
  constexpr std::int64_t kSlack = 1 << 20;
  const std::int64_t held = cache->held_bytes();
  if (held <= *limit) [[likely]]
    return;
  if (*limit == 0) {
    *limit = 2 * held + kSlack;
  } else {
    cache->Trim();
    cache->ForgetScratch();
    *limit = 0;  // the next run says how much it needs
  }
}

// Members that all lean steps of a program share: thousands of runs may wait, each with its step. thread-safe.
struct LeanSteps {
  Owned<CachingAllocator, CachingAllocator::Releaser> cache;  // without an owner thread
  Cpu cpu;  // the device of their kernels
  StepConstants constants;
  Ref<RefCounted> faults;  // a RunFaults: the executor's, for their kernels

  void TrimCache() {
    const SpinLockHolder lock(lock_);
    detail::TrimCache(cache.get(), &cache_limit_);
  }

 private:
  SpinLock lock_;
  std::int64_t cache_limit_ = 0;
};

}  // namespace detail

// immutable once built; shared by concurrent steps. Values are numbered: the feeds first, then constants and node
// outputs.
struct Program {
  SlimVector<ProgramNode> nodes;  // in an order that respects all edges
  SlimVector<int> sequence;  // the numbers of the nodes that have something to do, in that order
  SlimVector<int> inputs;  // value per input
  SlimVector<std::uint8_t> last_use;  // per input: in sequential order the value has no later reader
  SlimVector<std::uint8_t> only_use;  // per input: the value has no other reader
  SlimVector<int> consumers;
  SlimVector<int> releases;
  SlimVector<int> readers;  // per value: inputs and fetches that read it
  SlimVector<std::uint8_t> escapes;  // per value: it is fetched
  SlimVector<std::pair<int, Tensor>> constants;
  SlimVector<int> roots;  // nodes with nothing to wait for
  struct Feed {
    std::string name;
    int value;
    DataType dtype;
    PartialTensorShape shape;  // that the graph declares
  };
  SlimVector<Feed> feeds;
  struct Fetch {
    std::string name;
    int value;
    bool last;  // no later fetch of the same value
  };
  SlimVector<Fetch> fetches;
  // These four are empty without TensorFlow 1 control flow. A program with it needs the executor with frames.
  SlimVector<ProgramFrame> frames;  // parents before their children
  SlimVector<int> node_frames;  // per node: where it runs
  SlimVector<int> value_frames;  // per value: where it lives
  SlimVector<std::pair<int, int>> control_edges;  // nodes, from and to
  bool has_control_flow() const { return !frames.empty(); }
  bool may_plan() const {
    return plan_after_runs > 0 && !has_control_flow() && !has_async && (device == host || records);
  }
  int num_values = 0;
  bool has_references = false;  // some value is a reference to a variable
  bool has_async = false;  // some kernel may wait for another node
  int plan_after_runs = 0;  // with the same shapes; 0: never
  bool records = false;  // planned runs are recorded: the device can, and is to do so
  int width = 1;  // nodes that may run side by side, estimated: the widest level
  Device* device = nullptr;
  Device* host = nullptr;
  FunctionRuntime* functions = nullptr;  // functions of the graph's library
  const Graph* graph = nullptr;  // graph that the nodes belong to
  Owned<detail::LeanSteps> lean_steps;  // null: each step has a cache of its own
  Ref<RefCounted> graph_owner;  // keeps the graph and the kernels; null: these outlive the program anyway
  int graph_def_version = 0;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_STEP_NAMESPACE_END
