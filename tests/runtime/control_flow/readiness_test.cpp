// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/control_flow/readiness.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace frame_arrival_test {
using namespace tenon;
using detail::Arrival;
using detail::FlowCount;
using detail::FlowEdge;
using detail::FlowFrame;

namespace {

// One node with `inputs` inputs.
FlowFrame OneNode(int inputs) {
  FlowFrame frame;
  frame.nodes.emplace_back().num_inputs = inputs;
  return frame;
}
struct Value {
  int input;
  bool dead;
};
// What the values make of a node one after the other.
std::vector<Arrival> AllOf(FlowCount count, FlowEdge::Target target, int inputs, std::vector<Value> values,
                           bool from_enter = false) {
  const FlowFrame frame = OneNode(inputs);
  std::vector<Arrival> all;
  for (const Value& value : values)
    all.push_back(detail::Arrive(count, {0, value.input, 0, target, from_enter}, value.dead, frame));
  return all;
}
using Arrivals = std::vector<Arrival>;
constexpr Arrival kWaits = Arrival::kWaits, kReady = Arrival::kReady, kReadyDead = Arrival::kReadyDead,
                  kUnused = Arrival::kUnused;
constexpr int kControl = kControlSlot;

}  // namespace

TEST_SUITE("Arrival of a value") {
  TEST_CASE("a plain node waits for all of its inputs and is dead with one of them") {
    CHECK(AllOf({2, 0}, FlowEdge::kPlain, 2, {{0, false}, {1, false}}) == Arrivals{kWaits, kReady});
    CHECK(AllOf({2, 0}, FlowEdge::kPlain, 2, {{0, true}, {1, false}}) == Arrivals{kWaits, kReadyDead});
    CHECK(AllOf({2, 0}, FlowEdge::kPlain, 1, {{0, false}, {kControl, true}}) == Arrivals{kWaits, kReadyDead});
    CHECK(AllOf({1, 0}, FlowEdge::kPlain, 1, {{0, false}}) == Arrivals{kReady});
  }
  TEST_CASE("a ControlTrigger runs whatever is dead") {
    CHECK(AllOf({2, 0}, FlowEdge::kTrigger, 0, {{kControl, true}, {kControl, true}}) == Arrivals{kWaits, kReady});
  }
  TEST_CASE("a Merge is ready with its first live input; the second has no use") {
    CHECK(AllOf({1, 0}, FlowEdge::kMerge, 2, {{0, false}, {1, false}}) == Arrivals{kReady, kUnused});
    CHECK(AllOf({1, 0}, FlowEdge::kMerge, 2, {{0, true}, {1, false}}) == Arrivals{kWaits, kReady});
    CHECK(AllOf({1, 0}, FlowEdge::kMerge, 2, {{1, false}, {0, true}}) == Arrivals{kReady, kUnused});
    CHECK(AllOf({1, 0}, FlowEdge::kMerge, 3, {{0, true}, {2, true}, {1, true}}) ==
          Arrivals{kWaits, kWaits, kReadyDead});
  }
  TEST_CASE("a Merge that is told what entered is dead dies without its other input, which is of the turn before") {
    CHECK(AllOf({1, 0}, FlowEdge::kMerge, 2, {{0, true}}, true) == Arrivals{kReadyDead});
  }
  TEST_CASE("a Merge waits for its control inputs, dead or not, and knows its value's number") {
    CHECK(AllOf({3, 0}, FlowEdge::kMerge, 2, {{1, false}, {kControl, true}}) == Arrivals{kWaits, kReady});
    CHECK(AllOf({3, 0}, FlowEdge::kMerge, 2, {{kControl, false}, {1, false}}) == Arrivals{kWaits, kReady});
    CHECK(AllOf({3, 0}, FlowEdge::kMerge, 2, {{0, true}, {1, true}, {kControl, false}}) ==
          Arrivals{kWaits, kWaits, kReadyDead});
    const FlowFrame frame = OneNode(3);
    FlowCount count{1, 0};
    CHECK(detail::Arrive(count, {0, 2, 0, FlowEdge::kMerge, false}, true, frame) == kWaits);
    CHECK(detail::Arrive(count, {0, 1, 0, FlowEdge::kMerge, false}, false, frame) == kReady);
    CHECK(count.dead == 1);
  }
}
}  // namespace frame_arrival_test
