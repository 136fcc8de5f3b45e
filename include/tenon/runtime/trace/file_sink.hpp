// SPDX-License-Identifier: Apache-2.0
#pragma once
// The environment variable TENON_TRACE names a TraceFile for all sessions of a process, TENON_TRACE_BYTES its limit;
// TENON_SLOW_RUN_MS makes a SlowRunLog for them. <tenon/runtime.hpp> includes this.

#include <cstdint>
#include <cstdlib>

#include <tenon/base/env.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/runtime/trace/sink.hpp>
#include <tenon/runtime/trace/slow_runs.hpp>
#include <tenon/runtime/trace/trace_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The sinks that the environment names when the first session is made.
class EnvironmentSinks final : public TraceSink {
 public:
  static TraceSink* Find() {
    static EnvironmentSinks* const sinks = new EnvironmentSinks;  // its file stays open until the process ends
    return sinks->file_ == nullptr && sinks->slow_ == nullptr ? nullptr : sinks;
  }
  void OnRun(const TracedRun& run) override {
    if (file_ != nullptr) file_->OnRun(run);
    if (slow_ != nullptr) slow_->OnRun(run);
  }

 private:
  EnvironmentSinks() {
    if (const char* const path = std::getenv("TENON_TRACE"); path != nullptr && *path != '\0')
      file_ = new TraceFile(path, nullptr, Read("TENON_TRACE_BYTES", TraceFile::kUsualBytes));
    if (const std::int64_t limit_ms = Read("TENON_SLOW_RUN_MS", -1); limit_ms >= 0) slow_ = new SlowRunLog(limit_ms);
  }
  static std::int64_t Read(const char* name, std::int64_t usual) {
    std::int64_t value = usual;
    const Status status = GetEnvInt64(name, usual, &value);
    if (!status.ok()) TENON_LOG(kError, status.message());
    return value;
  }

  TraceFile* file_ = nullptr;
  SlowRunLog* slow_ = nullptr;
};
inline const bool fills_environment_trace_sink =
    FillExtension(&extensions.environment_trace_sink, &EnvironmentSinks::Find);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
