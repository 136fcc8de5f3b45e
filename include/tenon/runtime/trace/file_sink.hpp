// SPDX-License-Identifier: Apache-2.0
#pragma once
// The environment variable TENON_TRACE names a TraceFile for all sessions of a process, TENON_TRACE_BYTES its limit.
// <tenon/runtime.hpp> includes this; TraceFile alone is in runtime/trace/trace_file.hpp.

#include <cstdint>
#include <cstdlib>

#include <tenon/base/env.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/runtime/trace/trace_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The file that TENON_TRACE names when the first session is made; stays open until the process ends.
inline TraceSink* TraceFileOfEnvironment() {
  static TraceFile* const file = [] {
    const char* const path = std::getenv("TENON_TRACE");
    if (path == nullptr || *path == '\0') return static_cast<TraceFile*>(nullptr);
    std::int64_t most_bytes = TraceFile::kUsualBytes;
    const Status status = GetEnvInt64("TENON_TRACE_BYTES", most_bytes, &most_bytes);
    if (!status.ok()) TENON_LOG(kError, status.message());
    return new TraceFile(path, nullptr, most_bytes);
  }();
  return file;
}
inline const bool fills_environment_trace_sink =
    FillExtension(&extensions.environment_trace_sink, &TraceFileOfEnvironment);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
