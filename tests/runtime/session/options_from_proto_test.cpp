// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/options_from_proto.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace options_from_proto_test {
using namespace tenon;

TEST_SUITE("options_from_proto") {
  TEST_CASE("an empty ConfigProto leaves a session's options as they are") {
    const SessionOptions options = SessionOptionsFromProto(ConfigProto()).value();
    CHECK(options.inter_op_threads == 0);
    CHECK(options.intra_op_threads == 0);
    CHECK(options.executor == ExecutorKind::kAuto);
    CHECK(options.devices.empty());
    CHECK(options.constant_folding);
  }

  TEST_CASE("settings of a session") {
    ConfigProto config;
    config.intra_op_parallelism_threads = 3;
    config.inter_op_parallelism_threads = 2;
    config.session_inter_op_thread_pool.push_back({.num_threads = 4, .global_name = "shared", .unknown_fields = {}});
    config.allow_soft_placement = config.log_device_placement = true;
    config.operation_timeout_in_ms = 250;
    config.graph_options.emplace().optimizer_options.emplace().opt_level = ConfigProto::OptimizerOptions::Level::kL0;
    SessionOptions options = SessionOptionsFromProto(config, {.check_ops = true}).value();
    CHECK(options.check_ops);
    CHECK(options.intra_op_threads == 3);
    CHECK(options.inter_op_threads == 2);
    REQUIRE(options.inter_op_pools.size() == 1);
    CHECK(options.inter_op_pools[0].num_threads == 4);
    CHECK(options.inter_op_pools[0].global_name == "shared");
    CHECK(options.allow_soft_placement);
    CHECK(options.log_device_placement);
    CHECK(options.operation_timeout_in_ms == 250);
    CHECK_FALSE(options.constant_folding);
    config.graph_options->optimizer_options->do_constant_folding = true;
    config.inter_op_parallelism_threads = -1;
    options = SessionOptionsFromProto(config).value();
    CHECK(options.constant_folding);
    CHECK(options.executor == ExecutorKind::kSequential);
  }

  TEST_CASE("counts of devices") {
    ConfigProto config;
    config.device_count.emplace_back("CPU", 2);
    CHECK(SessionOptionsFromProto(config)->devices == std::vector<std::string>{"CPU:0", "CPU:1"});
    config.device_count.emplace_back("GPU", 1);
    const SessionOptions base{.devices = {"GPU:0", "GPU:1", "CPU:0", "SIM:7"}};
    CHECK(SessionOptionsFromProto(config, base)->devices == std::vector<std::string>{"GPU:0", "CPU:0", "SIM:7"});
    config.device_count[0].second = 1;
    CHECK(SessionOptionsFromProto(config)->devices.empty());
    config.device_count[0].second = -1;
    CHECK(SessionOptionsFromProto(config).status().code() == Code::kInvalidArgument);
    config.device_count[0].second = 2'000'000'000;
    CHECK(SessionOptionsFromProto(config).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("the executor of the experimental settings") {
    ConfigProto config;
    config.experimental = std::string("\x1a\x18SINGLE_THREADED_EXECUTOR\x20\x05");
    CHECK(SessionOptionsFromProto(config)->executor == ExecutorKind::kSequential);
    config.experimental = std::string(
        "\x1a\x07"
        "DEFAULT");
    CHECK(SessionOptionsFromProto(config)->executor == ExecutorKind::kAuto);
    config.experimental = std::string("\x1a\x04mine");
    CHECK(SessionOptionsFromProto(config).status().code() == Code::kNotFound);
    config.experimental = std::string("\x1a\x40mine");
    CHECK(SessionOptionsFromProto(config).status().code() == Code::kDataLoss);
  }

  TEST_CASE("settings that make no sense") {
    const auto code = [](const auto& change) {
      ConfigProto config;
      change(&config);
      return SessionOptionsFromProto(config).status().code();
    };
    CHECK(code([](ConfigProto* c) { c->intra_op_parallelism_threads = -2; }) == Code::kInvalidArgument);
    CHECK(code([](ConfigProto* c) { c->operation_timeout_in_ms = -2; }) == Code::kInvalidArgument);
    CHECK(code([](ConfigProto* c) { c->session_inter_op_thread_pool.emplace_back().num_threads = -2; }) ==
          Code::kInvalidArgument);
  }

  TEST_CASE("settings of a run") {
    RunOptionsProto proto;
    proto.trace_level = RunOptionsProto::Trace::kHardware;
    proto.timeout_in_ms = 7;
    proto.inter_op_thread_pool = -1;
    proto.output_partition_graphs = proto.report_tensor_allocations_upon_oom = true;
    const RunOptions options = RunOptionsFromProto(proto, {.executor = ExecutorKind::kDataflow});
    CHECK(options.trace_level == TraceLevel::kHardware);
    CHECK(options.timeout_in_ms == 7);
    CHECK(options.inter_op_thread_pool == -1);
    CHECK(options.output_partition_graphs);
    CHECK(options.report_tensor_allocations_upon_oom);
    CHECK(options.executor == ExecutorKind::kDataflow);
    proto.trace_level = static_cast<RunOptionsProto::Trace>(9);
    CHECK(RunOptionsFromProto(proto).trace_level == TraceLevel::kFull);
    CHECK(RunOptionsFromProto({}).trace_level == TraceLevel::kNone);
  }
}
}  // namespace options_from_proto_test
