// SPDX-License-Identifier: Apache-2.0
#pragma once
// EventFile: the resource behind the ops that write summaries - a file of Event messages that TensorBoard reads.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/platform.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/ops/summary/summary_proto.hpp>

#if TENON_DETAIL_POSIX
#include <unistd.h>

#include <tenon/io/record_writer.hpp>
#endif

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// Fields of Event.
inline constexpr std::uint32_t kEventTime = 1, kEventStep = 2, kEventVersion = 3, kEventGraph = 4, kEventSummary = 5,
                               kEventSource = 10;

// An event of this moment, with one message in `field`; 0: without.
inline std::string EventMessage(std::int64_t step, std::uint32_t field, std::string_view message) {
  std::string event;
  PutDouble(kEventTime, static_cast<double>(SystemNanoseconds() / 1000) / 1e6, &event);
  PutInt(kEventStep, step, &event);
  if (field != 0) PutBytes(field, message, &event);
  return event;
}

// thread-safe. Events wait in a queue until it is longer than max_queue, or until flush_millis have gone by.
class EventFile final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::SummaryWriterInterface";

  ~EventFile() override { static_cast<void>(Flush()); }
  std::string DebugString() const override { return "SummaryFileWriter"; }

#if TENON_DETAIL_POSIX
  // Makes the folder where it is missing, and a file in it whose name no other writer gives. Errors: the system's.
  static Status Open(std::string_view folder, std::int32_t max_queue, std::int32_t flush_millis,
                     std::string_view suffix, Ref<EventFile>* made) {
    static std::atomic<std::int64_t> counter{0};
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') std::snprintf(host, sizeof host, "localhost");
    const std::int64_t now = SystemNanoseconds();
    char seconds[24];
    std::snprintf(seconds, sizeof seconds, "%010lld", static_cast<long long>(now / 1000000000));
    std::string path(folder);
    if (!path.empty() && path.back() != '/') path += '/';
    StrAppend(&path, "events.out.tfevents.", seconds, ".", host, ".", ::getpid(), ".",
              counter.fetch_add(1, std::memory_order_relaxed), suffix.starts_with(".") ? "" : ".", suffix);
    TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
    TENON_ASSIGN_OR_RETURN(RecordWriter writer, RecordWriter::Open(path));
    std::string first, source;
    PutText(1, "tensorflow.core.util.events_writer", &source);
    PutDouble(kEventTime, static_cast<double>(now / 1000) / 1e6, &first);
    PutText(kEventVersion, "brain.Event:2", &first);
    PutBytes(kEventSource, source, &first);
    TENON_RETURN_IF_ERROR(writer.Write(first));
    TENON_RETURN_IF_ERROR(writer.Flush());
    *made = Ref<EventFile>::Adopt(new EventFile(std::move(writer), max_queue, flush_millis));
    return OkStatus();
  }
  Status Write(std::string event) {
    const tenon::MutexLock lock(mutex_);
    queue_.push_back(std::move(event));
    const std::int64_t waited = SteadyNanoseconds() - flushed_;
    const bool is_long = static_cast<std::int64_t>(queue_.size()) > max_queue_;
    return is_long || waited > std::int64_t{flush_millis_} * 1000000 ? WriteQueue() : OkStatus();
  }
  Status Flush() {
    const tenon::MutexLock lock(mutex_);
    return WriteQueue();
  }

 private:
  EventFile(RecordWriter writer, std::int32_t max_queue, std::int32_t flush_millis)
      : writer_(std::move(writer)), max_queue_(max_queue), flush_millis_(flush_millis), flushed_(SteadyNanoseconds()) {}

  Status WriteQueue() {
    const SlimVector<std::string> events = std::move(queue_);
    queue_ = SlimVector<std::string>();
    flushed_ = SteadyNanoseconds();
    for (const std::string& event : events) TENON_RETURN_IF_ERROR(writer_.Write(event));
    return writer_.Flush();
  }

  Mutex mutex_;
  RecordWriter writer_;
  std::int32_t max_queue_, flush_millis_;
  std::int64_t flushed_;
  SlimVector<std::string> queue_;
#else
  static Status Open(std::string_view, std::int32_t, std::int32_t, std::string_view, Ref<EventFile>*) {
    return errors::Unimplemented("CreateSummaryFileWriter: event files are written on POSIX systems only");
  }
  Status Write(std::string) { return OkStatus(); }
  Status Flush() { return OkStatus(); }
#endif
};

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
