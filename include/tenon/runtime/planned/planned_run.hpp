// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlannedRun: a program for one set of feed shapes, with everything decided that shapes decide. Every value whose size
// is known lies at a fixed place of one arena, and the arguments of every such kernel are made once: to run it is one
// call through a pointer. Nodes that cannot be planned (aliases, sizes that depend on values, state) run as without a
// plan, in between.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/row.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/planned/loop_list.hpp>
#include <tenon/runtime/planned/place_allocator.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// One thread runs it at a time, the owner of the step's cache. Has a step of its own: values in the arena stay in their
// slots between runs.
class PlannedRun {
 public:
  // Empty: a RunPlanner (runtime/planned/planner.hpp) fills it in. Uses the caches of `lender`, which outlives it.
  PlannedRun(const Program& program, Step* lender, Span<const TensorShape> feeds)
      : program_(program), places_(lender->cache()), step_(program, lender), feed_shapes_(feeds.begin(), feeds.end()) {}
  PlannedRun(const PlannedRun&) = delete;
  PlannedRun& operator=(const PlannedRun&) = delete;

  bool Fits(Span<const Tensor> feeds) const {
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (!(feeds[i].shape() == feed_shapes_[i])) return false;
    return true;
  }
  Step* step() { return &step_; }
  const PlanReport& report() const { return report_; }
  // The value whose shape was another one than planned in the last run, or -1. Discard the plan then, and after an
  // error.
  int surprise() const { return surprise_; }

  // Runs every node in the precomputed order; stops at the first error, or when the run is cancelled. `trace` may be
  // null.
  Status Run(TraceCollector* trace = nullptr) {
    NodeMeter meter(trace, &context_);
    BindFeeds();
    Status status;
#if defined(__cpp_exceptions)
    try {
      status = RunNodes(&meter);
    } catch (...) {
      status = StatusOfThrown();
    }
#else
    status = RunNodes(&meter);
#endif
    context_.set_memory_record(nullptr);
    return status;
  }

  // -- the steps of Run, for callers that run the plan again and again
  // The feeds are in the step: planned nodes find them there from now on.
  void BindFeeds() {
    for (const FeedView& feed : feed_views_)
      views_[static_cast<std::size_t>(feed.view)].data = step_.value(feed.value).raw_data();
  }
  // Lets exceptions of kernels through; StatusOfThrown then makes a status of one.
  Status RunNodes(NodeMeter* meter) {
    const std::size_t count = nodes_.size();
    const CancellationManager* const cancellation = CancellationOf(step_);
    for (at_ = 0; at_ < count; ++at_) {
      if (IsCancelled(cancellation)) [[unlikely]]
        return RunCancelled();
      const Entry& entry = nodes_[at_];
      meter->Begin();
      if (entry.call != nullptr) [[likely]] {
        context_.Enter(entry.frame);
        if (entry.num_rebinds != 0) {
          bool as_planned = true;
          TENON_RETURN_IF_ERROR(FillIn(entry, &as_planned));
          if (!as_planned) [[unlikely]]
            return RunRest(meter);
        }
        Status status = entry.call(entry.kernel, *entry.call_frame);
        if (!status.ok()) [[unlikely]]
          return AtNode(status, program_, program_.nodes[static_cast<std::size_t>(entry.number)]);
      } else {
        TENON_RETURN_IF_ERROR(RunOther(entry));
      }
      meter->End(program_, program_.nodes[static_cast<std::size_t>(entry.number)], &step_);
      const int* release = releases_.data() + entry.first_release;
      for (int i = 0; i < entry.num_releases; ++i) step_.value(release[i]) = EmptySlot();
    }
    return OkStatus();
  }
#if defined(__cpp_exceptions)
  TENON_DETAIL_COLD Status StatusOfThrown() const {
    const ProgramNode& node = program_.nodes[static_cast<std::size_t>(nodes_[at_].number)];
    return AtNode(StatusOfException(*node.kernel), program_, node);
  }
#endif
  // True if a fetched value lies at the place that was given for it.
  bool LiesAtItsPlace(int fetch) const { return at_place_[static_cast<std::size_t>(fetch)] != 0; }

 private:
  // A slot of views_ that holds a feed.
  struct FeedView {
    int value;
    int view;
  };
  // A slot of views_ that is filled in before each run of the node.
  struct Rebind {
    int value;
    int view;
    int output;  // the node's output to allocate; -1: an input
    int forward_from;  // an input whose buffer the output may take over if it is the only owner; -1: none
    const TensorShape* shape;  // the planned shape
  };
  struct Entry {
    Status (*call)(const void* kernel, KernelCall& frame) = nullptr;  // null: not planned
    const void* kernel = nullptr;
    KernelCall* call_frame = nullptr;
    const OpKernelContext::NodeFrame* frame = nullptr;
    int number = 0;  // number of the program's node
    int num_rebinds = 0;
    int first_rebind = 0;
    int first_release = 0, num_releases = 0;
    int first_place = 0, num_places = 0;  // places in the arena for a node that is not planned
    bool is_list = false;  // `kernel` is a ListNode
  };

  // Runs a node that is not planned. It finds the places of its outputs in their order.
  TENON_DETAIL_NOINLINE Status RunOther(const Entry& entry) {
    struct Close {
      ~Close() { run->OpenPlaces(0, 0); }
      PlannedRun* run;
    };
    const Close close{this};
    OpenPlaces(entry.first_place, entry.num_places);
    return RunNode(program_, entry.number, &step_, &context_);
  }
  void OpenPlaces(int first, int count) {
    places_.Open(place_list_.data() + first, count);
    step_.set_step_allocator(count != 0 ? static_cast<Allocator*>(&places_) : step_.cache());
  }

  Status FillIn(const Entry& entry, bool* as_planned) {
    for (int r = 0; r < entry.num_rebinds; ++r) {
      const Rebind& rebind = rebinds_[static_cast<std::size_t>(entry.first_rebind + r)];
      Tensor& value = step_.value(rebind.value);
      if (rebind.output >= 0) {
        if (rebind.forward_from >= 0 && context_.TryForward(rebind.forward_from, rebind.output, *rebind.shape)) {
          // in place
        } else if (Status status = context_.AllocateOutput(rebind.output, *rebind.shape); !status.ok()) [[unlikely]]
          return AtNode(status, program_, program_.nodes[static_cast<std::size_t>(entry.number)]);
      } else if (!(value.shape() == *rebind.shape)) [[unlikely]] {
        surprise_ = rebind.value;
        *as_planned = false;
        return OkStatus();
      }
      views_[static_cast<std::size_t>(rebind.view)].data = value.raw_data();
    }
    return OkStatus();
  }
  // The nodes from here on as without a plan.
  TENON_DETAIL_COLD Status RunRest(NodeMeter* meter) {
    const CancellationManager* const cancellation = CancellationOf(step_);
    for (std::uint8_t& last : last_use_) last = 0;  // a fetched value must not take over a place of the plan
    for (; at_ < nodes_.size(); ++at_) {
      if (IsCancelled(cancellation)) return RunCancelled();
      const ProgramNode& node = program_.nodes[static_cast<std::size_t>(nodes_[at_].number)];
      meter->Begin();
      if (nodes_[at_].is_list) {
        if (const Status status = static_cast<const ListNode*>(nodes_[at_].kernel)->Run(); !status.ok())
          return AtNode(status, program_, node);
      } else {
        TENON_RETURN_IF_ERROR(RunNode(program_, nodes_[at_].number, &step_, &context_));
      }
      meter->End(program_, node, &step_);
      for (int i = 0; i < node.num_releases; ++i)
        step_.value(program_.releases[static_cast<std::size_t>(node.first_release + i)]) = EmptySlot();
    }
    return OkStatus();
  }

  // A kernel that takes lists as tensors, or may give its outputs other tensors than those that were planned: called
  // through Call.
  struct Watched {
    const PlannedRun* run;
    const ProgramNode* node;
    const OpKernelContext::NodeFrame* frame;

    static Status Call(const void* watched, KernelCall& call) {
      const auto& [run, node, frame] = *static_cast<const Watched*>(watched);
      const AdaptedCore& core = *node->kernel->adapted();
      if (core.takes_spans()) {
        SpanStorage spans;
        for (int i = 0; i < call.num_inputs; ++i) spans.tensors.push_back(*call.inputs[i]);
        call.spans = &spans;
        TENON_RETURN_IF_ERROR(core.row().call(core.object(), call));
      } else {
        TENON_RETURN_IF_ERROR(core.row().call(core.object(), call));
      }
      for (int i = 0; i < node->num_outputs; ++i)
        if (frame->outputs[i].raw_data() != call.views[node->num_inputs + i].data) [[unlikely]]
          return run->TakeIn(*node, *frame, call.views);
      return OkStatus();
    }
  };
  // Takes in outputs that the kernel has set instead of planned ones: readers find them at the planned addresses.
  TENON_DETAIL_COLD Status TakeIn(const ProgramNode& node, const OpKernelContext::NodeFrame& frame,
                                  const AnyView* views) const {
    TENON_RETURN_IF_ERROR(CheckOutputs(node, frame));
    for (int i = 0; i < node.num_outputs; ++i) {
      const AnyView& planned = views[node.num_inputs + i];
      Tensor& output = frame.outputs[i];
      if (!(output.shape() == *planned.shape))
        return BrokenPromise(*node.kernel, i, output.shape(), PartialTensorShape(*planned.shape));
      if (output.raw_data() == planned.data || stays_[static_cast<std::size_t>(node.first_output + i)] == 0) continue;
      Tensor in_place = Tensor::FromMemory(output.dtype(), output.shape(), planned.data);
      if (output.TotalBytes() != 0) std::memmove(planned.data, output.raw_data(), output.TotalBytes());
      output = std::move(in_place);
    }
    return OkStatus();
  }

  friend class RunPlanner;

  const Program& program_;
  PlaceAllocator places_;  // outlives the values in step_
  Step step_;
  SlimVector<PlannedPlace> place_list_;
  SlimVector<TensorShape> feed_shapes_;
  SlimVector<Entry> nodes_;
  SlimVector<AnyView> views_;
  SlimVector<KernelCall> call_frames_;
  SlimVector<Watched> watched_;
  SlimVector<ListNode> list_nodes_;
  SlimVector<FeedView> feed_views_;
  SlimVector<Rebind> rebinds_;
  SlimVector<int> releases_;
  SlimVector<std::uint8_t> stays_;  // per value: it has the same address in every run
  SlimVector<std::uint8_t> last_use_;  // per input of the program; never for values that stay
  SlimVector<TensorShape> shapes_;  // shapes that planned nodes read or write; many values share one
  OpKernelContext context_;
  SlimVector<std::uint8_t> at_place_;  // per fetch
  PlanReport report_;
  std::size_t at_ = 0;  // the node that runs, in nodes_
  int surprise_ = -1;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
