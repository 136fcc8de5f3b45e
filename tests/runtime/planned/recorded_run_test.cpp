// SPDX-License-Identifier: Apache-2.0
// A device that really records is needed for more: cuda/emulation/recorded_test.cu.
#include <tenon/runtime/planned/recorded_run.hpp>

#include <doctest/doctest.h>

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
