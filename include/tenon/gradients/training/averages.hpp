// SPDX-License-Identifier: Apache-2.0
#pragma once
// MovingAverage: a part of a Chain that keeps an exponential moving average of every variable.

#include <cstdint>
#include <string>

#include <tenon/types/dtype.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/update_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Where an average begins.
enum class AverageStart : std::uint8_t {
  kValue,      // the variable's value before training: tf.train.ExponentialMovingAverage
  kFirstStep,  // the variable's value after the first step: Keras' use_ema
  kZero,       // 0, divided by 1 - decay^t: zero_debias of tf.train
};

// average = decay average + (1 - decay) v after each update of v. The slot of the average is "variable/" and `name`.
// The part stands after the rule in a Chain.
struct MovingAverage {
  double decay = 0.99;
  AverageStart start = AverageStart::kValue;
  bool ramp = false;  // the decay is at most (1 + t) / (10 + t), where t counts the steps from 0
  std::int64_t overwrite_every = 0;  // after so many steps the variable becomes its average; 0: never
  std::string name = "ExponentialMovingAverage";

  // Adds the nodes that update one average.
  void Update(UpdateBuilder& u) const {
    GraphEditor& e = u.editor();
    const Symbol v = u.Read(u.variable());
    Symbol rate = u.number(decay);
    if (ramp) {
      const Symbol t = e.Add("Cast", {u.iteration()}, {{"DstT", u.type()}});
      rate = e.Add("Minimum", {rate, (1.0 + t) / (10.0 + t)});
    }
    const Symbol average = Moved(u, v, rate);
    if (overwrite_every <= 0) return;
    u.Then();
    const Symbol left =
        e.Add("FloorMod", {u.iteration() + 1.0, e.Scalar(DataType::kInt64, static_cast<double>(overwrite_every))});
    const Symbol now = e.Add("Equal", {left, e.Scalar(DataType::kInt64, 0)});
    u.Assign(u.variable(), e.Add("SelectV2", {now, average, v}));
  }

 private:
  // The new average, which is stored.
  Symbol Moved(UpdateBuilder& u, Symbol v, Symbol rate) const {
    GraphEditor& e = u.editor();
    if (start == AverageStart::kValue) {
      return Store(u, u.slot(name, u.First(u.variable())), [&](Symbol old) { return old - (old - v) * (1.0 - rate); });
    }
    if (start == AverageStart::kFirstStep) {
      const Symbol later = e.Add("NotEqual", {u.iteration(), e.Scalar(DataType::kInt64, 0)});
      const Symbol kept = e.Add("Cast", {later}, {{"DstT", u.type()}}) * rate;
      return Store(u, u.slot(name, 0), [&](Symbol old) { return kept * old + (1.0 - kept) * v; });
    }
    const Symbol biased =
        Store(u, u.slot(name + "/biased", 0), [&](Symbol old) { return old - (old - v) * (1.0 - rate); });
    const Symbol t = e.Add("Cast", {u.iteration()}, {{"DstT", u.type()}}) + 1.0;
    const Symbol value = biased / (1.0 - e.Add("Pow", {rate, t}));
    u.Assign(u.slot(name, 0), value);
    return value;
  }
  template <class Next>
  static Symbol Store(UpdateBuilder& u, Symbol slot, Next next) {
    const Symbol value = next(u.Read(slot));
    u.Assign(slot, value);
    return value;
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
