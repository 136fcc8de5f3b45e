// SPDX-License-Identifier: Apache-2.0
#pragma once
// profiler::TraceMe and its relatives as names without effect, and the versions that sources compare with.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {
namespace profiler {
enum TraceMeLevel { kCritical = 1, kInfo = 2, kVerbose = 3 };
class TraceMe {
 public:
  template <class... T>
  explicit TraceMe(T&&...) {}
  ~TraceMe() {}
  template <class T>
  void AppendMetadata(T&&) {}
  void Stop() {}
  static bool Active(int = 1) { return false; }
};
class ScopedAnnotation {
 public:
  template <class... T>
  explicit ScopedAnnotation(T&&...) {}
  ~ScopedAnnotation() {}
  static bool IsEnabled() { return false; }
};
class AnnotatedTraceMe {
 public:
  template <class... T>
  explicit AnnotatedTraceMe(T&&...) {}
  ~AnnotatedTraceMe() {}
  template <class T>
  void AppendMetadata(T&&) {}
  void Stop() {}
};
class ScopedMemoryDebugAnnotation {
 public:
  template <class... T>
  explicit ScopedMemoryDebugAnnotation(T&&...) {}
  ~ScopedMemoryDebugAnnotation() {}
};
template <class... T>
std::string TraceMeEncode(T&&...) {
  return {};
}
// Returns "name:type".
inline std::string TraceMeOp(std::string_view name, std::string_view type) {
  return std::string(name).append(":").append(type);
}
inline std::string TraceMeOpOverride(std::string_view name, std::string_view type) {
  return std::string("#tf_op=").append(TraceMeOp(name, type)).append("#");
}
}  // namespace profiler
}  // namespace tensorflow

// The level of the interface that this layer has.
#define TF_MAJOR_VERSION 2
#define TF_MINOR_VERSION 14
#define TF_PATCH_VERSION 1
#define TF_VERSION_SUFFIX ""
#define TF_VERSION_STRING "2.14.1"
#define TF_GRAPH_DEF_VERSION 1482
#define TF_GRAPH_DEF_VERSION_MIN_PRODUCER 0
#define TF_GRAPH_DEF_VERSION_MIN_CONSUMER 0
