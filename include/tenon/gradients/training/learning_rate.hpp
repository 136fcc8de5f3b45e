// SPDX-License-Identifier: Apache-2.0
#pragma once
// LearningRate: a number, or a schedule that computes it from the number of the step.

#include <concepts>
#include <memory>
#include <utility>

#include <tenon/gradients/graph_editor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A struct that adds the nodes of a learning rate: `step` is an int64 scalar, the number of steps so far.
template <class T>
concept LearningRateSchedule = requires(const T& schedule, GraphEditor& editor, Symbol step) {
  { schedule.At(editor, step) } -> std::same_as<Symbol>;
};

// A learning rate. Copies share the schedule. immutable.
class LearningRate {
 public:
  // A constant rate.
  LearningRate(double value) : value_(value) {}
  // The rate that the schedule gives at the step.
  template <LearningRateSchedule Schedule>
  LearningRate(Schedule schedule)
      : schedule_(std::make_shared<const Schedule>(std::move(schedule))),
        at_([](const void* held, GraphEditor& editor, Symbol step) {
          return static_cast<const Schedule*>(held)->At(editor, step);
        }) {}

  // Whether it is a number.
  bool is_number() const { return at_ == nullptr; }
  // The number; 0 for a schedule.
  double value() const { return value_; }
  // The address of the schedule; null for a number.
  const void* schedule() const { return schedule_.get(); }
  // Adds the nodes of the schedule, which give a float scalar.
  Symbol At(GraphEditor& editor, Symbol step) const { return at_(schedule_.get(), editor, step); }

 private:
  double value_ = 0;
  std::shared_ptr<const void> schedule_;
  Symbol (*at_)(const void*, GraphEditor&, Symbol) = nullptr;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
