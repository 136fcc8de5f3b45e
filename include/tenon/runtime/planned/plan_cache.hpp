// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlanCache: the plans of a program for the shapes that it has been fed lately. It makes sessions plan their runs
// (SessionOptions::plan_after_runs), so only <tenon/runtime.hpp> includes it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/planned/planned_run.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/planned/planner.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// The plans of one program, the one used last first. one thread.
class PlanCache final : public RunPlans {
 public:
  explicit PlanCache(const Program& program) : program_(program) {}

  Step* Find(Span<const Tensor> feeds) override {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!plans_[i]->Fits(feeds)) continue;
      for (; i > 0; --i) std::swap(plans_[i], plans_[i - 1]);
      return plans_.front()->step();
    }
    return nullptr;
  }
  Status Run(TraceCollector* trace) override { return plans_.front()->Run(trace); }
  void Ran(const Status& status) override {
    if (!status.ok() || plans_.front()->surprise() >= 0) [[unlikely]]
      Drop();
  }
  bool Count(Span<const Tensor> feeds) override {
    if (hopeless_) return false;
    if (!SameShapes(feeds)) {
      shapes_.clear();
      for (const Tensor& feed : feeds) shapes_.push_back(feed.shape());
      in_a_row_ = 0;
    }
    return ++in_a_row_ >= program_.plan_after_runs;
  }
  void Make(Step* ran) override {
    in_a_row_ = 0;
    // Most free blocks were for values that will lie in the arena.
    ran->cache()->Trim();
    if (varies_.empty()) {  // the first plan
      program_.device->allocator()->ReleaseUnused();
      varies_.assign(static_cast<std::size_t>(program_.num_values), 0);
    }
    Owned<PlannedRun> plan = MakePlannedRun(program_, *ran, ran, shapes_, varies_);
    if (plan == nullptr) {
      hopeless_ = true;
      return;
    }
    if (plans_.size() == kMostPlans) plans_.pop_back();
    plans_.insert(plans_.begin(), std::move(plan));
  }
  bool GetReport(PlanReport* report) const override {
    if (plans_.empty()) return false;
    *report = plans_.front()->report();
    return true;
  }

 private:
  static constexpr std::size_t kMostPlans = 4;
  // The plan that was run last failed or went another way than planned.
  void Drop() {
    const int surprise = plans_.front()->surprise();
    plans_.erase(plans_.begin());
    if (surprise < 0) return;
    // A value computed from one whose shape changes may change its shape, too.
    varies_[static_cast<std::size_t>(surprise)] = 1;
    for (const int number : program_.sequence) {
      const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
      const int* const inputs = program_.inputs.data() + node.first_input;
      if (!std::any_of(inputs, inputs + node.num_inputs, [&](int v) { return varies_[static_cast<std::size_t>(v)]; }))
        continue;
      for (int i = 0; i < node.num_outputs; ++i) varies_[static_cast<std::size_t>(node.first_output + i)] = 1;
    }
    plans_.clear();
  }
  bool SameShapes(Span<const Tensor> feeds) const {
    if (in_a_row_ == 0 || shapes_.size() != feeds.size()) return false;
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (!(feeds[i].shape() == shapes_[i])) return false;
    return true;
  }

  const Program& program_;
  SlimVector<Owned<PlannedRun>> plans_;
  SlimVector<TensorShape> shapes_;  // shapes of the feeds that were counted last
  SlimVector<std::uint8_t> varies_;  // per value
  int in_a_row_ = 0;
  bool hopeless_ = false;
};

inline Owned<RunPlans> MakePlanCache(const Program& program) {
  if (program.records)
    if (const MakeRunPlans make = extensions.recorded_plans.load(std::memory_order_acquire)) return make(program);
  return Owned<RunPlans>(new PlanCache(program));
}
inline const bool fills_plans = FillExtension(&extensions.plans, &MakePlanCache);

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
