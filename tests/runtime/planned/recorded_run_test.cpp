// SPDX-License-Identifier: Apache-2.0
// A device that really records is needed for more: cuda/emulation/recorded_test.cu.
#include <tenon/runtime/planned/recorded_run.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <tenon/runtime/api/session.hpp>

#include "runtime/graphs.hpp"
#include "runtime/planned.hpp"
#include "runtime/recording_device.hpp"

namespace recorded_run_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("RecordedRun") {
  TEST_CASE("a device that refuses to record is asked three times, and runs as without") {
    RecordingDevice device;
    SessionOptions options = kPlanned;
    options.device = &device;
    options.record_steps = true;
    const Callable recorded = MakeCallable(SmallGraph(), options, {.feeds = {"x"}, .fetches = {"z"}});
    const Callable plain = MakeCallable(SmallGraph(), kUnplanned, {.feeds = {"x"}, .fetches = {"z"}});
    for (int run = 0; run < 12; ++run) {
      const std::vector<Tensor> feeds{Ramp({5}, static_cast<float>(run))};
      CHECK(Same(MustRun(recorded, feeds)[0], MustRun(plain, feeds)[0]));
    }
    CHECK(device.recordings == 3);
    CHECK(device.copies_out == 12);
  }
  TEST_CASE("runs that fail do not end the attempts to record") {
    RecordingDevice device;
    SessionOptions options = kPlanned;
    options.device = &device;
    options.record_steps = true;
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output checked = b.Add("CheckNumerics", "checked", {x}, {{"message", "bad"}});
    const Output y = b.Add("AddV2", "y", {checked, checked});
    b.Add("Mul", "z", {y, y});
    const Callable callable = MakeCallable(b, options, {.feeds = {"x"}, .fetches = {"z"}});
    const std::vector<Tensor> good{Ramp({5}, 1)}, bad{Tensor::From<float>({0, 1, 2, 3, NAN}, {5})};
    std::vector<Tensor> out(1);
    for (int run = 0; run < 6; ++run) {
      MustRun(callable, good);
      CHECK(callable.Run(bad, out).code() == Code::kInvalidArgument);
    }
    for (int run = 0; run < 12; ++run) MustRun(callable, good);
    CHECK(device.recordings == 3);
  }
  TEST_CASE("without the option, the device is not asked") {
    RecordingDevice device;
    SessionOptions options = kPlanned;
    options.device = &device;
    const Callable callable = MakeCallable(SmallGraph(), options, {.feeds = {"x"}, .fetches = {"z"}});
    for (int run = 0; run < 4; ++run) MustRun(callable, {Ramp({5}, 2)});
    CHECK(device.recordings == 0);
  }
}

}  // namespace recorded_run_test
