// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecordedRun: a program for one set of feed shapes on a device that records the work of kernels. The first run is an
// ordinary one, and is recorded at its end. Later runs start the recorded segments, and run the other nodes between.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/planned/recording_plan.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// Has a step of its own, whose memory no other run uses: recorded kernels write to it. One thread runs it at a time.
class RecordedRun {
 public:
  RecordedRun(const Program& program, const RecordingPlan& plan, Span<const TensorShape> feeds)
      : program_(program), plan_(plan), step_(program), feed_shapes_(feeds.begin(), feeds.end()) {
    for (std::size_t n = 0; n < program.nodes.size(); ++n)
      step_.mutable_frame(static_cast<int>(n)).last_use = plan.last_use().data() + program.nodes[n].first_input;
    step_.KeepMemory();
  }
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  bool Fits(Span<const Tensor> feeds) const {
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (!(feeds[i].shape() == feed_shapes_[i])) return false;
    return true;
  }
  Step* step() { return &step_; }
  int num_segments() const { return static_cast<int>(work_.size()); }
  // In the last run a value from outside of the recorded segments was another one, or they could not be recorded.
  bool went_another_way() const { return went_another_way_; }

  // Waits for the end of the work. `trace` may be null; it knows no recorded kernels.
  Status Run(TraceCollector* trace) {
    NodeMeter meter(trace, &context_);
    Status status = work_.empty() ? RunFirst(&meter) : RunAgain(&meter);
    step_.set_kernel_device(nullptr);
    context_.set_memory_record(nullptr);
    program_.device->EndRun(&status);
    if (status.ok()) ReleaseOthers();
    return status;
  }

 private:
  // A value that recorded kernels read, as it was when they were recorded.
  struct Expected {
    int value;
    const void* data;  // its place in the device's memory
    Tensor copy;       // the value, if it is in host memory
    TensorShape shape;
  };
  const ProgramNode& node(int number) const { return program_.nodes[ToSize(number)]; }

  Status RunOne(int number, NodeMeter* meter) {
    if (IsCancelled(CancellationOf(step_))) return RunCancelled();
    meter->Begin();
    TENON_RETURN_IF_ERROR(RunNode(program_, number, &step_, &context_));
    meter->End(program_, node(number), &step_);
    return OkStatus();
  }
  Status RunFirst(NodeMeter* meter) {
    for (const int number : program_.sequence) {
      TENON_RETURN_IF_ERROR(RunOne(number, meter));
      const ProgramNode& n = node(number);
      for (int i = 0; i < n.num_releases; ++i) {
        const int value = program_.releases[ToSize(n.first_release + i)];
        if (!plan_.stays(value) && !plan_.is_expected(value)) step_.value(value) = EmptySlot();
      }
    }
    went_another_way_ = !Record().ok();  // the run itself is good
    if (went_another_way_) work_.clear();
    return OkStatus();
  }
  // Records the segments with the values that are in the step.
  Status Record() {
    for (const RecordingPlan::Segment& segment : plan_.segments()) {
      SlimVector<Expected>& expected = expected_.emplace_back();
      for (const int value : segment.expected) TENON_RETURN_IF_ERROR(Expect(value, &expected));
      Owned<WorkRecorder> recorder;
      TENON_RETURN_IF_ERROR(program_.device->MakeRecorder(step_.cache(), &recorder));
      step_.set_kernel_device(recorder->kernel_device());
      Status status;
      for (const int number : segment.nodes) {
        status = RunNode(program_, number, &step_, &context_);
        if (!status.ok()) break;
        ReleaseAfter(number);
      }
      step_.set_kernel_device(nullptr);
      TENON_RETURN_IF_ERROR(status);
      Owned<RecordedWork> work;
      TENON_RETURN_IF_ERROR(recorder->End(&work));
      work_.push_back(std::move(work));
    }
    return OkStatus();
  }
  // Internal values whose last reader is this node.
  void ReleaseAfter(int number) {
    const ProgramNode& n = node(number);
    for (int i = 0; i < n.num_releases; ++i) {
      const int value = program_.releases[ToSize(n.first_release + i)];
      if (plan_.is_internal(value)) step_.value(value) = EmptySlot();
    }
  }
  Status Expect(int value, SlimVector<Expected>* expected) {
    const Tensor& now = step_.value(value);
    Expected& made = expected->emplace_back();
    made.value = value;
    made.shape = now.shape();
    made.data = plan_.in_host_memory(value) ? nullptr : now.raw_data();
    if (!plan_.in_host_memory(value)) return OkStatus();
    TENON_ASSIGN_OR_RETURN(made.copy, Tensor::Make(now.dtype(), now.shape(), program_.host->allocator()));
    if (now.TotalBytes() != 0) std::memcpy(made.copy.raw_data(), now.raw_data(), now.TotalBytes());
    return OkStatus();
  }
  bool AreAsExpected(const SlimVector<Expected>& all) {
    for (const Expected& expected : all) {
      const Tensor& now = step_.value(expected.value);
      if (!(now.shape() == expected.shape)) return false;
      if (!plan_.in_host_memory(expected.value)) {
        if (now.raw_data() != expected.data) return false;
      } else if (now.TotalBytes() != 0 &&
                 std::memcmp(now.raw_data(), expected.copy.raw_data(), now.TotalBytes()) != 0) {
        return false;
      }
    }
    return true;
  }

  Status RunAgain(NodeMeter* meter) {
    const Span<const RecordingPlan::Item> items = plan_.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto [number, segment] = items[i];
      if (segment < 0) {
        bool copied = false;
        TENON_RETURN_IF_ERROR(CopyIn(number, meter, &copied));
        if (!copied) TENON_RETURN_IF_ERROR(RunOne(number, meter));
        continue;
      }
      if (IsCancelled(CancellationOf(step_))) return RunCancelled();
      if (!AreAsExpected(expected_[ToSize(segment)])) [[unlikely]]
        return RunRest(i, meter);
      TENON_RETURN_IF_ERROR(work_[ToSize(segment)]->Start());
    }
    return OkStatus();
  }
  // A copy to the device that recorded kernels read goes to its old place.
  Status CopyIn(int number, NodeMeter* meter, bool* copied) {
    const ProgramNode& n = node(number);
    if (n.kind != ProgramNode::Kind::kToDevice) return OkStatus();
    const Tensor& from = *step_.frame(number).inputs[0];
    Tensor& to = step_.value(n.first_output);
    if (!plan_.stays(n.first_output) || IsRefType(from.dtype()) || from.dtype() != to.dtype() ||
        !(from.shape() == to.shape()))
      return OkStatus();
    *copied = true;
    meter->Begin();
    if (Status status = program_.device->CopyInto(from, &to); !status.ok()) return AtNode(status, program_, n);
    meter->End(program_, n, &step_);
    return OkStatus();
  }
  // From this item on, recorded nodes run one by one.
  Status RunRest(std::size_t first, NodeMeter* meter) {
    went_another_way_ = true;
    const Span<const RecordingPlan::Item> items = plan_.items();
    for (std::size_t i = first; i < items.size(); ++i) {
      if (items[i].segment < 0) {
        TENON_RETURN_IF_ERROR(RunOne(items[i].node, meter));
        continue;
      }
      for (const int number : plan_.segments()[ToSize(items[i].segment)].nodes) {
        TENON_RETURN_IF_ERROR(RunOne(number, meter));
        ReleaseAfter(number);
      }
    }
    return OkStatus();
  }
  // Values of this run alone; feeds and fetches go by other ways.
  void ReleaseOthers() {
    for (const RecordingPlan::Item& item : plan_.items()) {
      if (item.segment >= 0) continue;
      const ProgramNode& n = node(item.node);
      for (int i = 0; i < n.num_outputs; ++i) {
        const int value = n.first_output + i;
        if (!plan_.stays(value) && program_.escapes[ToSize(value)] == 0) step_.value(value) = EmptySlot();
      }
    }
  }

  const Program& program_;
  const RecordingPlan& plan_;
  Step step_;
  SlimVector<TensorShape> feed_shapes_;
  OpKernelContext context_;
  SlimVector<SlimVector<Expected>> expected_;  // per segment
  SlimVector<Owned<RecordedWork>> work_;       // per segment; empty until the first run has ended
  bool went_another_way_ = false;
};

// The recorded runs of one program, the one used last first. one thread.
class RecordedRuns final : public RunPlans {
 public:
  explicit RecordedRuns(const Program& program) : program_(program) {}

  Step* Find(Span<const Tensor> feeds) override {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i]->Fits(feeds)) continue;
      for (; i > 0; --i) std::swap(runs_[i], runs_[i - 1]);
      return runs_.front()->step();
    }
    return nullptr;
  }
  Status Run(TraceCollector* trace) override { return runs_.front()->Run(trace); }
  void Ran(const Status& status) override {
    if (status.ok() && !runs_.front()->went_another_way()) return;
    constexpr int kMostFailures = 3;
    runs_.erase(runs_.begin());
    if (status.ok()) hopeless_ = ++failures_ >= kMostFailures;
  }
  // The recorded run is the next one: it counts, too.
  bool Count(Span<const Tensor> feeds) override {
    for (const Tensor& feed : feeds) hopeless_ = hopeless_ || !feed.HostAccessible();
    if (hopeless_) return false;
    bool equal = in_a_row_ > 0 && shapes_.size() == feeds.size();
    for (std::size_t i = 0; equal && i < feeds.size(); ++i) equal = feeds[i].shape() == shapes_[i];
    if (!equal) {
      shapes_.clear();
      for (const Tensor& feed : feeds) shapes_.push_back(feed.shape());
      in_a_row_ = 0;
    }
    return ++in_a_row_ + 1 >= program_.plan_after_runs;
  }
  void Make(Step*) override {
    in_a_row_ = 0;
    if (plan_ == nullptr) plan_ = MakeOwned<RecordingPlan>(program_);
    if (plan_->num_recorded() == 0) {
      hopeless_ = true;
      return;
    }
    if (runs_.size() == kMostRuns) runs_.pop_back();
    runs_.insert(runs_.begin(),
                 MakeOwned<RecordedRun>(program_, *plan_, Span<const TensorShape>(shapes_.data(), shapes_.size())));
  }
  bool GetReport(PlanReport* report) const override {
    if (runs_.empty()) return false;
    *report = {};
    report->planned_nodes = plan_->num_recorded();
    report->other_nodes = static_cast<int>(program_.sequence.size()) - plan_->num_recorded();
    return true;
  }

 private:
  static constexpr std::size_t kMostRuns = 2;

  const Program& program_;
  Owned<RecordingPlan> plan_;  // null until it is needed
  SlimVector<Owned<RecordedRun>> runs_;
  SlimVector<TensorShape> shapes_;  // shapes of the feeds that were counted last
  int in_a_row_ = 0, failures_ = 0;
  bool hopeless_ = false;
};

inline Owned<RunPlans> MakeRecordedRuns(const Program& program) { return Owned<RunPlans>(new RecordedRuns(program)); }
inline const bool fills_recorded_plans = FillExtension(&extensions.recorded_plans, &MakeRecordedRuns);

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
