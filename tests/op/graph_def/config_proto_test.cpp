// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/config_proto.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/graph_text.hpp>

namespace config_proto_test {
using namespace tenon;

namespace {

// The bytes of TensorFlow's own messages, written by Python's SerializeToString; tasks are sorted.
std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return bytes;
}

constexpr std::string_view kConfigHex =
    "0a070a0343505510030a070a0347505510001002180722072f6a6f623a707322122f6a6f623a776f726b65722f7461736b3a"
    "3128ffffffffffffffffff01322009000000000000e03f120342464320014a0e0a0a0a080000004400008044100138014001"
    "4801523f1a0f100118ffffffffffffffffff01280220053001522808028801ffffffffffffffffff01a2060572656d6170c2"
    "0c0f0a046d696e6512070a016b1202180458e0d403620808041204706f6f6c62006a021803721c0a1a0a06776f726b657212"
    "0708001203613a31120708011203623a32780182011d1a1853494e474c455f54485245414445445f4558454355544f528801"
    "02880101920100";
constexpr std::string_view kConfigText = R"(device_count {
  key: "CPU"
  value: 3
}
device_count {
  key: "GPU"
}
intra_op_parallelism_threads: 2
placement_period: 7
device_filters: "/job:ps"
device_filters: "/job:worker/task:1"
inter_op_parallelism_threads: -1
gpu_options {
  per_process_gpu_memory_fraction: 0.5
  allocator_type: "BFC"
  allow_growth: true
  experimental {
    virtual_devices {
      memory_limit_mb: 512.0
      memory_limit_mb: 1024.0
    }
    use_unified_memory: true
  }
}
allow_soft_placement: true
log_device_placement: true
use_per_session_threads: true
graph_options {
  optimizer_options {
    do_constant_folding: true
    opt_level: L0
    global_jit_level: ON_2
  }
  build_cost_model: 5
  place_pruned_graph: true
  rewrite_options {
    layout_optimizer: OFF
    min_graph_nodes: -1
    optimizers: "remap"
    custom_optimizers {
      name: "mine"
      parameter_map {
        key: "k"
        value {
          i: 4
        }
      }
    }
  }
}
operation_timeout_in_ms: 60000
session_inter_op_thread_pool {
  num_threads: 4
  global_name: "pool"
}
session_inter_op_thread_pool {
}
rpc_options {
  compression_level: 3
}
cluster_def {
  job {
    name: "worker"
    tasks {
      value: "a:1"
    }
    tasks {
      key: 1
      value: "b:2"
    }
  }
}
isolate_session_state: true
experimental {
  executor_type: "SINGLE_THREADED_EXECUTOR"
  mlir_bridge_rollout: MLIR_BRIDGE_ROLLOUT_DISABLED
}
share_cluster_devices_in_session: true
pluggable_device_options {
}
)";
constexpr std::string_view kConfigJson = R"({
  "deviceCount": {
    "CPU": 3,
    "GPU": 0
  },
  "intraOpParallelismThreads": 2,
  "placementPeriod": 7,
  "deviceFilters": [
    "/job:ps",
    "/job:worker/task:1"
  ],
  "interOpParallelismThreads": -1,
  "gpuOptions": {
    "perProcessGpuMemoryFraction": 0.5,
    "allocatorType": "BFC",
    "allowGrowth": true,
    "experimental": {
      "virtualDevices": [
        {
          "memoryLimitMb": [
            512.0,
            1024.0
          ]
        }
      ],
      "useUnifiedMemory": true
    }
  },
  "allowSoftPlacement": true,
  "logDevicePlacement": true,
  "usePerSessionThreads": true,
  "graphOptions": {
    "optimizerOptions": {
      "doConstantFolding": true,
      "optLevel": "L0",
      "globalJitLevel": "ON_2"
    },
    "buildCostModel": "5",
    "placePrunedGraph": true,
    "rewriteOptions": {
      "layoutOptimizer": "OFF",
      "minGraphNodes": -1,
      "optimizers": [
        "remap"
      ],
      "customOptimizers": [
        {
          "name": "mine",
          "parameterMap": {
            "k": {
              "i": "4"
            }
          }
        }
      ]
    }
  },
  "operationTimeoutInMs": "60000",
  "sessionInterOpThreadPool": [
    {
      "numThreads": 4,
      "globalName": "pool"
    },
    {}
  ],
  "rpcOptions": {
    "compressionLevel": 3
  },
  "clusterDef": {
    "job": [
      {
        "name": "worker",
        "tasks": {
          "0": "a:1",
          "1": "b:2"
        }
      }
    ]
  },
  "isolateSessionState": true,
  "experimental": {
    "executorType": "SINGLE_THREADED_EXECUTOR",
    "mlirBridgeRollout": "MLIR_BRIDGE_ROLLOUT_DISABLED"
  },
  "shareClusterDevicesInSession": true,
  "pluggableDeviceOptions": {}
})";

constexpr std::string_view kRunOptionsHex =
    "080310fa0118ffffffffffffffffff0128013223221f0a016e10011a0d44656275674964656e74697479220966696c653a2f"
    "2f2f785009380142041a020802";
constexpr std::string_view kRunOptionsText = R"(trace_level: FULL_TRACE
timeout_in_ms: 250
inter_op_thread_pool: -1
output_partition_graphs: true
debug_options {
  debug_tensor_watch_opts {
    node_name: "n"
    output_slot: 1
    debug_ops: "DebugIdentity"
    debug_urls: "file:///x"
  }
  global_step: 9
}
report_tensor_allocations_upon_oom: true
experimental {
  run_handler_pool_options {
    priority: 2
  }
}
)";
constexpr std::string_view kRunOptionsJson = R"({
  "traceLevel": "FULL_TRACE",
  "timeoutInMs": "250",
  "interOpThreadPool": -1,
  "outputPartitionGraphs": true,
  "debugOptions": {
    "debugTensorWatchOpts": [
      {
        "nodeName": "n",
        "outputSlot": 1,
        "debugOps": [
          "DebugIdentity"
        ],
        "debugUrls": [
          "file:///x"
        ]
      }
    ],
    "globalStep": "9"
  },
  "reportTensorAllocationsUponOom": true,
  "experimental": {
    "runHandlerPoolOptions": {
      "priority": "2"
    }
  }
})";

constexpr std::string_view kServerHex =
    "0a1c0a1a0a06776f726b6572120708001203613a31120708011203623a321206776f726b65721801220238012a0467727063"
    "30ae113a190a170a06776f726b6572120d080012090a072f6a6f623a7073";
constexpr std::string_view kServerText = R"(cluster {
  job {
    name: "worker"
    tasks {
      value: "a:1"
    }
    tasks {
      key: 1
      value: "b:2"
    }
  }
}
job_name: "worker"
task_index: 1
default_session_config {
  allow_soft_placement: true
}
protocol: "grpc"
port: 2222
cluster_device_filters {
  jobs {
    name: "worker"
    tasks {
      value {
        device_filters: "/job:ps"
      }
    }
  }
}
)";
constexpr std::string_view kServerJson = R"({
  "cluster": {
    "job": [
      {
        "name": "worker",
        "tasks": {
          "0": "a:1",
          "1": "b:2"
        }
      }
    ]
  },
  "jobName": "worker",
  "taskIndex": 1,
  "defaultSessionConfig": {
    "allowSoftPlacement": true
  },
  "protocol": "grpc",
  "port": 2222,
  "clusterDeviceFilters": {
    "jobs": [
      {
        "name": "worker",
        "tasks": {
          "0": {
            "deviceFilters": [
              "/job:ps"
            ]
          }
        }
      }
    ]
  }
})";
constexpr std::string_view kClusterHex = "0a1a0a06776f726b6572120708001203613a31120708011203623a32";

// Reads the bytes, the text and the JSON, and writes all three again.
template <class T>
T CheckForms(std::string_view hex, std::string_view text, std::string_view json) {
  const std::string bytes = FromHex(hex);
  T read, of_text, of_json;
  CHECK(wire::Parse(wire::AsBytes(bytes), &read).ok());
  CHECK(detail::SerializeProto(read) == bytes);
  CHECK(ToText(read) == text);
  CHECK(ToJson(read) == json);
  const Status from_text = ParseText(text, &of_text), from_json = ParseJson(json, &of_json);
  CHECK_MESSAGE(from_text.ok(), from_text.message());
  CHECK_MESSAGE(from_json.ok(), from_json.message());
  CHECK(ToText(of_text) == text);
  CHECK(ToJson(of_json) == json);
  return read;
}

}  // namespace

TEST_SUITE("config_proto") {
  TEST_CASE("a ConfigProto of TensorFlow as bytes, text and JSON") {
    const auto config = CheckForms<ConfigProto>(kConfigHex, kConfigText, kConfigJson);
    REQUIRE(config.device_count.size() == 2);
    CHECK(config.device_count[0] == std::pair<std::string, std::int32_t>("CPU", 3));
    CHECK(config.device_count[1] == std::pair<std::string, std::int32_t>("GPU", 0));
    CHECK(config.intra_op_parallelism_threads == 2);
    CHECK(config.inter_op_parallelism_threads == -1);
    CHECK(config.placement_period == 7);
    CHECK(config.device_filters.size() == 2);
    REQUIRE(config.gpu_options.has_value());
    CHECK(config.gpu_options->per_process_gpu_memory_fraction == 0.5);
    CHECK(config.gpu_options->experimental.has_value());
    REQUIRE(config.graph_options.has_value());
    CHECK(config.graph_options->optimizer_options->opt_level == ConfigProto::OptimizerOptions::Level::kL0);
    CHECK(config.graph_options->optimizer_options->global_jit_level == ConfigProto::OptimizerOptions::JitLevel::kOn2);
    CHECK(config.operation_timeout_in_ms == 60000);
    REQUIRE(config.session_inter_op_thread_pool.size() == 2);
    CHECK(config.session_inter_op_thread_pool[0].global_name == "pool");
    REQUIRE(config.cluster_def.has_value());
    CHECK(config.cluster_def->job[0].tasks[1].second == "b:2");
    CHECK(config.pluggable_device_options.has_value());
    CHECK(config.share_cluster_devices_in_session);
    CHECK(config.isolate_session_state);
  }

  TEST_CASE("RunOptions of TensorFlow as bytes, text and JSON") {
    const auto options = CheckForms<RunOptionsProto>(kRunOptionsHex, kRunOptionsText, kRunOptionsJson);
    CHECK(options.trace_level == RunOptionsProto::Trace::kFull);
    CHECK(options.timeout_in_ms == 250);
    CHECK(options.inter_op_thread_pool == -1);
    CHECK(options.output_partition_graphs);
    CHECK(options.debug_options.has_value());
    CHECK(options.experimental.has_value());
  }

  TEST_CASE("a ServerDef and a ClusterDef of TensorFlow") {
    const auto server = CheckForms<ServerDef>(kServerHex, kServerText, kServerJson);
    CHECK(server.job_name == "worker");
    CHECK(server.task_index == 1);
    CHECK(server.port == 2222);
    CHECK(server.default_session_config->allow_soft_placement);
    const std::string bytes = FromHex(kClusterHex);
    const Result<ClusterDef> cluster = ParseClusterDef(wire::AsBytes(bytes));
    REQUIRE(cluster.ok());
    CHECK(*cluster == *server.cluster);
    CHECK(SerializeClusterDef(*cluster) == bytes);
    const Result<JobDef> job = ParseJobDef(wire::AsBytes(SerializeJobDef(cluster->job[0])));
    REQUIRE(job.ok());
    CHECK(job->name == "worker");
    CHECK(ParseServerDef(wire::AsBytes(SerializeServerDef(server))).value() == server);
  }

  TEST_CASE("fields of later versions are kept, also in messages within messages") {
    // Field 1000 as a number; field 2 (known as a number) as text; gpu_options with a field 99.
    const std::string known = "\x10\x05";
    const std::string unknown = std::string("\xc0\x3e\x07", 3) + "\x12\x01x" + "\xc5\x3e" + "abcd";
    const std::string gpu = std::string("\x32\x06\x20\x01\x9a\x06\x01z", 8);
    const Result<ConfigProto> config = ParseConfigProto(wire::AsBytes(unknown + known + gpu));
    REQUIRE(config.ok());
    CHECK(config->intra_op_parallelism_threads == 5);
    CHECK(config->unknown_fields == unknown);
    CHECK(config->gpu_options->unknown_fields == "\x9a\x06\x01z");
    CHECK(SerializeConfigProto(*config) == known + gpu + unknown);
  }

  TEST_CASE("bytes and texts that are no such message") {
    const std::string bytes = "\x0a\x7f";
    CHECK(errors::IsDataLoss(ParseConfigProto(wire::AsBytes(bytes)).status()));
    CHECK(errors::IsDataLoss(ParseServerDef(wire::AsBytes(bytes)).status()));
    CHECK(errors::IsDataLoss(ParseRunOptionsProto(wire::AsBytes("\x0b")).status()));
    ConfigProto config;
    CHECK(ParseText("graph_options { optimizer_options { opt_level: L7 } }", &config).code() == Code::kInvalidArgument);
    CHECK(ParseText("allow_soft_placment: true", &config).code() == Code::kInvalidArgument);
    CHECK(ParseText("experimental { mlir_bridge_rollout: 1 }", &config).ok());
    CHECK(ParseJson(R"({"graphOptions": {"optimizerOptions": {"optLevel": "L7"}}})", &config).code() ==
          Code::kInvalidArgument);
    CHECK(ParseConfigProto({}).value() == ConfigProto());
  }
}
}  // namespace config_proto_test
