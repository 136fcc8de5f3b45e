// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands behind Session and Callable: a validated graph, its kernels, devices and thread pools, and the programs
// prepared from it. Included through <tenon/runtime.hpp>.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <tenon/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/op/graph_def.hpp>
#include <tenon/op/proto_io.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/dataflow_executor.hpp>
#include <tenon/runtime/executor.hpp>
#include <tenon/runtime/frame_executor.hpp>
#include <tenon/runtime/functions.hpp>
#include <tenon/runtime/parallel_frames.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/sequential_executor.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

inline int CpuCount() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// The pool that sessions share unless they ask for another number of threads. Never destroyed.
inline ThreadPool* SharedIntraOpPool() {
  static ThreadPool* pool = new ThreadPool(CpuCount(), "tenon");
  return pool;
}
inline std::atomic<std::int64_t>& NextStepId() {
  static std::atomic<std::int64_t> next{1};
  return next;
}

// One signature with the steps that run it. thread-safe.
class Prepared : public RefCounted {
 public:
  Prepared(Owned<Program> program, bool dataflow)
      : program_(std::move(program)), dataflow_(dataflow), steps_(*program_) {}

  const Program& program() const { return *program_; }

  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches, ThreadPoolInterface* pool, bool flush_denormals,
             ResourceMgr* resources, RunTrace* trace) {
    TENON_RETURN_IF_ERROR(CheckFeeds(feeds, fetches));
    Owned<Running> running = steps_.Take();
    Step* step = &running->step;
    const std::int64_t step_id = NextStepId().fetch_add(1, std::memory_order_relaxed);
    StepContainer container(resources, step_id);
    CancellationManager cancellation;
    const RunServices services{resources, &container, &cancellation};
    step->set_step_id(step_id);
    step->set_services(&services);
    for (std::size_t i = 0; i < feeds.size(); ++i) step->value(program_->feeds[i].value) = feeds[i];
    Status status;
    if (trace == nullptr) [[likely]] {
      status = Execute(running.get(), pool, flush_denormals, nullptr);
    } else {
      TraceCollector collector;
      status = Execute(running.get(), pool, flush_denormals, &collector);
      collector.Finish(trace);
    }
    if (status.ok()) [[likely]] {
      for (std::size_t i = 0; i < fetches.size(); ++i) {
        const Program::Fetch& fetch = program_->fetches[i];
        if (fetch.last)
          fetches[i] = std::exchange(step->value(fetch.value), EmptySlot());
        else
          fetches[i] = step->value(fetch.value);
      }
      for (const Program::Feed& feed : program_->feeds) step->value(feed.value) = EmptySlot();
      if (program_->has_references) [[unlikely]] {
        for (std::size_t i = 0; i < fetches.size(); ++i)
          status.Update(DetachFromVariables(program_->fetches[i].name, &fetches[i]));
      }
    } else {
      step->Clear();
    }
    step->TrimCaches();
    step->set_services(nullptr);
    steps_.Give(std::move(running));
    return status;
  }

 private:
  struct Running {
    explicit Running(const Program& program) : step(program) {}
    Step step;
    Owned<DataflowRun> dataflow;
    Owned<FrameRun> frames;
    Owned<ParallelFrameRun> parallel_frames;
  };
  Status Execute(Running* running, ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) {
    const ScopedFlushDenormals mode(flush_denormals || FlushesDenormals());
    Status status;
    if (program_->has_control_flow()) {
      status = ExecuteFrames(running, pool, flush_denormals, trace);
    } else if (dataflow_ && pool != nullptr) {
      if (running->dataflow == nullptr) running->dataflow = MakeOwned<DataflowRun>(*program_, &running->step);
      status = running->dataflow->Run(pool, flush_denormals, trace);
    } else {
      status = RunSequential(*program_, &running->step, trace);
    }
    if (program_->device != program_->host) status.Update(program_->device->Synchronize());
    return status;
  }

  Status ExecuteFrames(Running* running, ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) {
    if (dataflow_ && pool != nullptr) {
      if (running->parallel_frames == nullptr)
        running->parallel_frames = MakeOwned<ParallelFrameRun>(*program_, &running->step);
      TENON_RETURN_IF_ERROR(running->parallel_frames->RunOn(pool, flush_denormals, trace));
    } else {
      if (running->frames == nullptr) running->frames = MakeOwned<FrameRun>(*program_, &running->step);
      TENON_RETURN_IF_ERROR(running->frames->Run(trace));
    }
    return CheckFetches(*program_, &running->step, Code::kInvalidArgument);
  }

  Status CheckFeeds(std::span<const Tensor> feeds, std::span<Tensor> fetches) const {
    if (feeds.size() != program_->feeds.size()) [[unlikely]]
      return errors::InvalidArgument("Expected ", program_->feeds.size(), " feed tensors, but got ", feeds.size());
    if (fetches.size() != program_->fetches.size()) [[unlikely]]
      return errors::InvalidArgument("Expected room for ", program_->fetches.size(), " fetched tensors, but got ",
                                     fetches.size());
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Program::Feed& feed = program_->feeds[i];
      if (feeds[i].dtype() != feed.dtype) [[unlikely]]
        return errors::InvalidArgument("Expects arg[", i, "] to be ", feed.dtype, " but ", feeds[i].dtype(),
                                       " is provided: feed '", feed.name, "'");
      if (!feed.shape.IsCompatibleWith(feeds[i].shape())) [[unlikely]]
        return errors::InvalidArgument("Cannot feed value of shape ", feeds[i].shape(), " for tensor '", feed.name,
                                       "', which has shape ", feed.shape);
      if (!feeds[i].IsInitialized()) [[unlikely]]
        return errors::InvalidArgument("Feed '", feed.name, "' is a tensor without memory; allocate and fill it first");
    }
    return OkStatus();
  }

  Owned<Program> program_;
  bool dataflow_;
  ProgramPool<Running> steps_;
};

TENON_SETUP_CODE_BEGIN
// thread-safe after Create.
class SessionImpl : public RefCounted {
 public:
  static Result<Ref<SessionImpl>> Create(GraphDef graph_def, SessionOptions options) {
    auto session = Ref<SessionImpl>::Adopt(new SessionImpl);
    session->options_ = std::move(options);
    TENON_RETURN_IF_ERROR(session->MakeDevices());
    session->registry_ = session->options_.registry != nullptr ? session->options_.registry : &Registry::Global();
    TENON_RETURN_IF_ERROR(session->registry_->status());
    TENON_ASSIGN_OR_RETURN(session->graph_, ImportGraphDef(std::move(graph_def), session->registry_->ops()));
    session->functions_ =
        MakeOwned<SessionFunctions>(&session->graph_, session->registry_, session->device_, session->host_.get(),
                                    ProgramOptions{.constant_folding = session->options_.constant_folding});
    session->kernels_ = MakeOwned<KernelCache>(&session->graph_, session->registry_, session->device_,
                                               session->host_.get(), session->functions_.get());
    return session;
  }

  Status Run(const Prepared& prepared, std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) {
    ThreadPoolInterface* pool =
        inter_op_pool_ == nullptr && prepared.program().has_async ? SharedIntraOpPool() : inter_op_pool_;
    return const_cast<Prepared&>(prepared).Run(feeds, fetches, pool, options_.flush_denormals, &resources_, trace);
  }

  // The program of a signature: the one made before, or a new one.
  Result<Ref<Prepared>> Prepare(std::span<const std::string> feeds, std::span<const std::string> fetches,
                                std::span<const std::string> targets) {
    std::string key;
    for (const auto& names : {feeds, fetches, targets}) {
      for (const std::string& name : names) key.append(name).push_back('\n');
      key.push_back('\t');
    }
    const std::uint64_t hash = Hash64(key);
    {
      MutexLock lock(mutex_);
      if (Signature* known = FindSignature(hash, key)) return known->prepared;
    }
    TENON_ASSIGN_OR_RETURN(Ref<Prepared> made, Build(feeds, fetches, targets));
    MutexLock lock(mutex_);
    if (Signature* known = FindSignature(hash, key)) return known->prepared;  // another thread was faster
    if (signatures_.size() >= static_cast<std::size_t>(std::max(1, options_.max_cached_signatures))) {
      std::size_t oldest = 0;
      for (std::size_t i = 1; i < signatures_.size(); ++i)
        if (signatures_[i].last_use < signatures_[oldest].last_use) oldest = i;
      signatures_.erase(signatures_.begin() + oldest);
    }
    signatures_.push_back({hash, ++uses_, std::move(key), made});
    return made;
  }

  const Graph& graph() const { return graph_; }
  std::vector<std::string> DeviceNames() const {
    std::vector<std::string> names;
    if (device_ != host_.get()) names.push_back(device_->name());
    names.push_back(host_->name());
    return names;
  }

 private:
  struct Signature {
    std::uint64_t hash, last_use;
    std::string key;
    Ref<Prepared> prepared;
  };
  Signature* FindSignature(std::uint64_t hash, std::string_view key) {
    for (Signature& signature : signatures_) {
      if (signature.hash != hash || signature.key != key) continue;
      signature.last_use = ++uses_;
      return &signature;
    }
    return nullptr;
  }

  static constexpr std::string_view kPrefix = "/job:localhost/replica:0/task:0/device:";

  Status MakeDevices() {
    if (options_.inter_op_threads < 0 || options_.intra_op_threads < 0)
      return errors::InvalidArgument(
          "SessionOptions: the numbers of threads must not be negative, got inter_op_threads = ",
          options_.inter_op_threads, " and intra_op_threads = ", options_.intra_op_threads);
    ThreadPoolInterface* intra = options_.intra_op_pool;
    if (intra == nullptr && options_.intra_op_threads == 0) {
      if (CpuCount() > 1) intra = SharedIntraOpPool();
    } else if (intra == nullptr && options_.intra_op_threads > 1) {
      own_intra_ = MakeOwned<ThreadPool>(options_.intra_op_threads, "tenon-intra");
      intra = own_intra_.get();
    }
    inter_op_pool_ = options_.inter_op_pool;
    if (inter_op_pool_ == nullptr && (options_.inter_op_threads > 1 || options_.executor == ExecutorKind::kDataflow)) {
      own_inter_ = MakeOwned<ThreadPool>(std::max(options_.inter_op_threads, 1), "tenon-inter");
      inter_op_pool_ = own_inter_.get();
    }
    Allocator* allocator = options_.allocator != nullptr ? options_.allocator : CpuAllocator();
    host_ = MakeOwned<CpuDevice>(StrCat(kPrefix, "CPU:0"), allocator, intra);
    device_ = host_.get();
    if (!options_.devices.empty()) return ChooseDevice();
    return OkStatus();
  }
  // The first device of the list; the CPU takes what it has no kernels for.
  Status ChooseDevice() {
    std::string_view name = options_.devices.front();
    if (StartsWith(name, kPrefix)) name.remove_prefix(kPrefix.size());
    if (StartsWith(name, "/device:")) name.remove_prefix(8);
    const std::size_t colon = name.find(':');
    const std::string_view type = name.substr(0, colon);
    int ordinal = 0;
    if (colon != std::string_view::npos && !ParseInt(name.substr(colon + 1), &ordinal))
      return errors::InvalidArgument("SessionOptions: cannot parse device '", options_.devices.front(),
                                     "'; write for example \"GPU:0\" or \"CPU:0\"");
    if (type == Cpu::type && ordinal == 0) return OkStatus();
    std::string have = "'CPU:0'";
    for (DeviceFactory* factory = device_factories.load(std::memory_order_acquire); factory != nullptr;
         factory = factory->next) {
      if (factory->type == type) {
        TENON_ASSIGN_OR_RETURN(other_, factory->create(StrCat(kPrefix, type, ":", ordinal), ordinal));
        device_ = other_.get();
        return OkStatus();
      }
      StrAppend(&have, ", '", factory->type, ":*'");
    }
    return errors::InvalidArgument("SessionOptions: no device '", options_.devices.front(), "'; available: ", have);
  }

  Result<InEdge> FindEndpoint(std::string_view text, std::string_view what) const {
    const TensorName name = ParseTensorName(text);
    const Node* node = name.output == kControlSlot ? nullptr : graph_.Find(name.node);
    if (node == nullptr)
      return errors::InvalidArgument("Tensor ", name.node, ":", name.output,
                                     ", specified in either feed_devices or fetch_devices was not found in the Graph: ",
                                     what, " '", text, "'", graph_.DidYouMeanNode(name.node));
    if (node->num_outputs() == 0 && what == "fetch")
      return errors::InvalidArgument("Tried to fetch data for '", text,
                                     "', which produces no output.  To run to a node but not fetch any data, pass '",
                                     text,
                                     "' as an argument to the 'target_node_names' argument of the Session::Run API.");
    if (name.output >= node->num_outputs())
      return errors::OutOfRange("Node '", name.node, "' (type: '", node->op_name(),
                                "', num of outputs: ", node->num_outputs(), ") does not have output ", name.output);
    return InEdge{node->id, name.output};
  }

  Result<Ref<Prepared>> Build(std::span<const std::string> feeds, std::span<const std::string> fetches,
                              std::span<const std::string> targets) {
    if (fetches.empty() && targets.empty())
      return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
    SlimVector<InEdge> feed_edges, fetch_edges;
    SlimVector<int> target_ids;
    // As in TensorFlow, names are compared as they are written: "x" may be fed and "x:0" fetched.
    const auto is_fed = [&](const std::string& name) { return std::count(feeds.begin(), feeds.end(), name); };
    for (const std::string& feed : feeds) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(feed, "feed"));
      if (is_fed(feed) > 1) return errors::InvalidArgument("Endpoint \"", feed, "\" fed more than once.");
      feed_edges.push_back(edge);
    }
    for (const std::string& fetch : fetches) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(fetch, "fetch"));
      if (is_fed(fetch) > 0) return errors::InvalidArgument(fetch, " is both fed and fetched.");
      fetch_edges.push_back(edge);
    }
    std::string missing;
    for (const std::string& target : targets) {
      const TensorName name = ParseTensorName(target);
      if (const Node* node = graph_.Find(name.node); node != nullptr)
        target_ids.push_back(node->id);
      else
        StrAppend(&missing, "\"", name.node, "\"", graph_.DidYouMeanNode(name.node), " ");
    }
    if (!missing.empty()) return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing);
    ProgramBuilder builder(graph_, kernels_.get(), device_, host_.get(),
                           {.constant_folding = options_.constant_folding}, functions_.get());
    // Evaluating constants runs kernels: with the same treatment of denormals as every run.
    const ScopedFlushDenormals mode(options_.flush_denormals || FlushesDenormals());
    TENON_ASSIGN_OR_RETURN(Owned<Program> program, builder.Build(feed_edges, fetch_edges, target_ids));
    const bool parallel = program->width > 1 && (options_.inter_op_threads > 1 || options_.inter_op_pool != nullptr);
    // A kernel that waits must not keep the nodes from running that it waits for.
    const bool dataflow = program->has_async || options_.executor == ExecutorKind::kDataflow ||
                          (options_.executor == ExecutorKind::kAuto && parallel);
    return Ref<Prepared>::Adopt(new Prepared(std::move(program), dataflow));
  }

  SessionOptions options_;
  Owned<ThreadPool> own_intra_, own_inter_;
  ThreadPoolInterface* inter_op_pool_ = nullptr;
  Owned<CpuDevice> host_;
  Owned<Device> other_;
  Device* device_ = nullptr;
  const Registry* registry_ = nullptr;
  ResourceMgr resources_;  // after the devices, whose memory the resources hold
  Graph graph_;
  Owned<SessionFunctions> functions_;
  Owned<KernelCache> kernels_;
  Mutex mutex_;
  SlimVector<Signature> signatures_;
  std::uint64_t uses_ = 0;  // of signatures, until now
};

TENON_SETUP_CODE_END

class CallableImpl : public RefCounted {
 public:
  CallableImpl(Ref<RefCounted> session, Ref<Prepared> prepared)
      : session_(std::move(session)), prepared_(std::move(prepared)) {}
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) const {
    return static_cast<SessionImpl&>(*session_).Run(*prepared_, feeds, fetches, trace);
  }
  const Program& program() const { return prepared_->program(); }

 private:
  Ref<RefCounted> session_;  // a SessionImpl
  Ref<Prepared> prepared_;
};

inline Status NoSession() {
  return errors::FailedPrecondition(
      "Session was not created with a graph before Run(): use Session::FromGraphFile or its sisters");
}

}  // namespace detail

TENON_NAMESPACE_END
