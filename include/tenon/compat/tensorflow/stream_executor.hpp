// SPDX-License-Identifier: Apache-2.0
#pragma once
// StreamExecutor's names for sources that wait for streams. Contexts have no DeviceContext, so none gets a stream.

#include <cstdint>
#include <new>

#include <tenon/compat/tensorflow/base/status.hpp>

namespace stream_executor {

class StreamExecutor {
 public:
  bool SynchronizeAllActivity() { return true; }
  int device_ordinal() const { return 0; }
  void* HostMemoryAllocate(std::uint64_t size) { return ::operator new(size, std::nothrow); }
  void HostMemoryDeallocate(void* memory) { ::operator delete(memory); }
};
// Happens at once.
class Event {
 public:
  enum class Status : std::uint8_t { kUnknown, kError, kPending, kComplete };
  explicit Event(StreamExecutor*) {}
  bool Init() { return true; }
  Status PollForStatus() { return Status::kComplete; }
};
// A stream whose work is done.
class Stream {
 public:
  explicit Stream(StreamExecutor* parent) : parent_(parent) {}
  StreamExecutor* parent() const { return parent_; }
  bool ok() const { return true; }
  Stream& Init() { return *this; }
  Stream& ThenRecordEvent(Event*) { return *this; }
  Stream& ThenWaitFor(Event*) { return *this; }
  Stream& ThenWaitFor(Stream*) { return *this; }
  tensorflow::Status RecordEvent(Event*) { return {}; }
  tensorflow::Status WaitFor(Event*) { return {}; }
  tensorflow::Status WaitFor(Stream*) { return {}; }
  tensorflow::Status BlockHostUntilDone() { return {}; }

 private:
  StreamExecutor* parent_;
};

}  // namespace stream_executor

namespace perftools {
namespace gputools = ::stream_executor;
}  // namespace perftools
namespace tensorflow {
namespace se = ::stream_executor;
}  // namespace tensorflow
