// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionOptions and RunOptions from TensorFlow's messages ConfigProto and RunOptions.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/op/graph_def/config.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Reads the field executor_type of a ConfigProto.Experimental.
inline Status ReadExecutorType(std::string_view experimental, std::string* type) {
  constexpr std::uint32_t kExecutorType = 3;
  wire::Reader reader(wire::AsBytes(experimental));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.type != wire::WireType::kBytes && !reader.Skip(tag)) break;
    if (tag.type == wire::WireType::kBytes && tag.field == kExecutorType) type->assign(bytes);
  }
  return reader.status("ConfigProto.Experimental");
}

// The limits of device_count: removes devices of `devices` beyond them; a count of CPUs adds CPUs.
inline Status LimitDevices(const ConfigProto& config, SessionOptions* options) {
  constexpr std::int32_t kMostCpus = 1024;
  for (const auto& limit : config.device_count) {
    const std::string& type = limit.first;
    const std::int32_t count = limit.second;
    if (count < 0)
      return errors::InvalidArgument("ConfigProto: device_count of ", type, " must not be negative, got ", count);
    std::erase_if(options->devices, [&type, count](const std::string& device) {
      DeviceName name;
      return DeviceName::Parse(StrCat("/device:", device), &name) && name.has_type && name.has_id &&
             name.type == type && name.id >= count;
    });
    const bool has_devices = !options->devices.empty() || options->device != nullptr || options->device_mgr != nullptr;
    if (type != "CPU" || count < 2 || has_devices) continue;
    if (count > kMostCpus)
      return errors::InvalidArgument("ConfigProto: device_count of CPU must be at most ", kMostCpus, ", got ", count);
    for (std::int32_t i = 0; i < count; ++i) options->devices.push_back(StrCat("CPU:", i));
  }
  return OkStatus();
}

}  // namespace detail

// The options `base` with the settings of a ConfigProto. These settings count:
//   intra_op_parallelism_threads; 0: one thread per CPU
//   inter_op_parallelism_threads; 0: base.inter_op_threads, negative: the caller's thread
//   session_inter_op_thread_pool, allow_soft_placement, log_device_placement, operation_timeout_in_ms
//   device_count; it removes devices of `base`, and two or more CPUs become devices if `base` has none
//   optimizer_options: constants are folded at level L1, or if do_constant_folding is set
//   experimental.executor_type
// All other settings have no meaning here: each session has its own variables, and its pools unless they have names;
// memory of GPUs belongs to their devices; passes are chosen by SessionOptions::optimizer; clusters are the caller's.
//
// InvalidArgument: a negative number of threads, of devices or of milliseconds. NotFound: an executor of another type.
// DataLoss: `experimental` is not a message.
inline Result<SessionOptions> SessionOptionsFromProto(const ConfigProto& config, SessionOptions base = {}) {
  if (config.intra_op_parallelism_threads < 0)
    return errors::InvalidArgument("ConfigProto: intra_op_parallelism_threads must not be negative, got ",
                                   config.intra_op_parallelism_threads);
  if (config.operation_timeout_in_ms < 0)
    return errors::InvalidArgument("ConfigProto: operation_timeout_in_ms must not be negative, got ",
                                   config.operation_timeout_in_ms);
  base.intra_op_threads = config.intra_op_parallelism_threads;
  if (config.inter_op_parallelism_threads > 0) base.inter_op_threads = config.inter_op_parallelism_threads;
  if (config.inter_op_parallelism_threads < 0) {
    base.inter_op_threads = 1;
    base.executor = ExecutorKind::kSequential;
  }
  if (!config.session_inter_op_thread_pool.empty()) base.inter_op_pools.clear();
  for (const ConfigProto::ThreadPoolOption& pool : config.session_inter_op_thread_pool) {
    if (pool.num_threads < 0)
      return errors::InvalidArgument("ConfigProto: num_threads of a pool must not be negative, got ", pool.num_threads);
    base.inter_op_pools.push_back({pool.num_threads, pool.global_name});
  }
  base.allow_soft_placement = config.allow_soft_placement;
  base.log_device_placement = config.log_device_placement;
  base.operation_timeout_in_ms = config.operation_timeout_in_ms;
  TENON_RETURN_IF_ERROR(detail::LimitDevices(config, &base));
  if (config.graph_options.has_value() && config.graph_options->optimizer_options.has_value()) {
    const ConfigProto::OptimizerOptions& optimizer = *config.graph_options->optimizer_options;
    base.constant_folding = static_cast<std::int32_t>(optimizer.opt_level) >= 0 || optimizer.do_constant_folding;
  }
  if (!config.experimental.has_value()) return base;
  std::string executor;
  TENON_RETURN_IF_ERROR(detail::ReadExecutorType(*config.experimental, &executor));
  if (executor == "SINGLE_THREADED_EXECUTOR")
    base.executor = ExecutorKind::kSequential;
  else if (!executor.empty() && executor != "DEFAULT")
    return errors::NotFound("No executor factory registered for the given executor type: ", executor,
                            " Registered factories are {DEFAULT, , SINGLE_THREADED_EXECUTOR}.");
  return base;
}

// The options `base` with the settings of TensorFlow's message RunOptions. debug_options and experimental have no
// meaning here. A negative timeout is an error of the run.
inline RunOptions RunOptionsFromProto(const RunOptionsProto& proto, RunOptions base = {}) {
  const auto level = static_cast<std::int32_t>(proto.trace_level);
  base.trace_level = level <= 0 ? TraceLevel::kNone : level >= 3 ? TraceLevel::kFull : static_cast<TraceLevel>(level);
  base.timeout_in_ms = proto.timeout_in_ms;
  base.inter_op_thread_pool = proto.inter_op_thread_pool;
  base.output_partition_graphs = proto.output_partition_graphs;
  base.report_tensor_allocations_upon_oom = proto.report_tensor_allocations_upon_oom;
  return base;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
