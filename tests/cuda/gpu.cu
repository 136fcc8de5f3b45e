// SPDX-License-Identifier: Apache-2.0
#include <cuda/gpu.hpp>

#include <doctest/doctest.h>

#include <cstdio>

#include <tenon/device/cuda.cuh>

namespace {

int skipped = 0;

// Says what is skipped before the first test runs.
struct GpuReporter : doctest::IReporter {
  explicit GpuReporter(const doctest::ContextOptions& in) : options(in) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {
    if (skipped > 0)
      std::printf("no GPU: %d tests skipped (%s)\n", skipped, tenon::CudaDeviceCount().status().ToString().c_str());
  }
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  const doctest::ContextOptions& options;
};

REGISTER_LISTENER("gpu", 1, GpuReporter);

}  // namespace

bool HasGpu() {
  static const bool has = tenon::CudaDeviceCount().ok();
  return has;
}

bool WithoutGpu() {
  if (HasGpu()) return false;
  ++skipped;
  return true;
}
