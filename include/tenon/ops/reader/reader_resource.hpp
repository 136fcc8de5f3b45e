// SPDX-License-Identifier: Apache-2.0
#pragma once
// FileReader: the resource behind the readers of TensorFlow 1. It takes the names of files from a queue. A read that
// has to wait for a name holds no thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/ops/queue/queue_resource.hpp>
#include <tenon/ops/reader/file_records.hpp>
#include <tenon/ops/summary/summary_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// thread-safe. Reads are served in their order.
class FileReader final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::ReaderInterface";

  // A read of one record, or of up to `most` of one file.
  struct Request {
    OpKernelContext* context;
    Ref<TensorQueue> queue;
    Index most;  // -1: one, as scalars
    SlimVector<std::string> keys = {}, values = {};
    Done done;
  };

  FileReader(std::string_view name, Owned<FileRecords> records) : name_(name), records_(std::move(records)) {}
  std::string DebugString() const override { return StrCat("Reader '", name_, "'"); }

  // Ends by the request's `done`, now or later.
  void Read(Owned<Request> request) {
    {
      const tenon::MutexLock lock(mutex_);
      waiting_.push_back(std::move(request));
      if (is_busy_) return;
      is_busy_ = true;
    }
    Serve();
  }

  std::int64_t produced() const {
    const tenon::MutexLock lock(mutex_);
    return produced_;
  }
  std::int64_t completed() const {
    const tenon::MutexLock lock(mutex_);
    return finished_;
  }
  void Reset() {
    const tenon::MutexLock lock(mutex_);
    ResetLocked();
  }
  // A ReaderBaseState message. Unimplemented for readers whose position is inside of a file.
  Status Save(std::string* state) const {
    const tenon::MutexLock lock(mutex_);
    if (!records_->can_be_saved()) return errors::Unimplemented("Reader SerializeState");
    PutInt(1, started_, state);
    PutInt(2, finished_, state);
    PutInt(3, produced_, state);
    PutText(4, work_, state);
    return OkStatus();
  }
  // After an error the reader is as new.
  Status Restore(std::string_view state) {
    const tenon::MutexLock lock(mutex_);
    const Status status = RestoreLocked(state);
    if (!status.ok()) ResetLocked();
    return status;
  }

 private:
  // Gets the next name. The last of two calls of Meet() goes on: that of the reader behind its request, and that of the
  // queue with the answer. So an answer at once does not nest calls.
  struct NameReceiver final : TensorQueue::Receiver {
    explicit NameReceiver(FileReader* r) : reader(Ref<FileReader>::Share(r)) {}
    void Finish(const TensorQueue&, const Status& status, SlimVector<TensorQueue::Row> rows) override {
      FileReader* const to = reader.get();
      to->TakeName(status, rows);
      if (to->Meet()) to->Serve();
    }
    Ref<FileReader> reader;
  };
  bool Meet() { return met_.exchange(true, std::memory_order_acq_rel); }

  // Serves requests until one has to wait, or none is left.
  void Serve() {
    const Ref<FileReader> alive = Ref<FileReader>::Share(this);
    for (;;) {
      Owned<Request> ended;
      Status status;
      Ref<TensorQueue> queue;
      CancellationManager* cancellation = nullptr;
      {
        const tenon::MutexLock lock(mutex_);
        if (waiting_.empty()) {
          is_busy_ = false;
          return;
        }
        Request& request = *waiting_[0];
        if (!ReadLocked(&request, &status)) {
          queue = request.queue;
          cancellation = request.context->cancellation_manager();
          met_.store(false, std::memory_order_release);
        } else {
          ended = std::move(waiting_[0]);
          for (std::size_t i = 1; i < waiting_.size(); ++i) waiting_[i - 1] = std::move(waiting_[i]);
          waiting_.pop_back();
        }
      }
      if (ended != nullptr) {
        if (status.ok()) status = Deliver(*ended);
        Done done = std::move(ended->done);
        ended.reset();
        done(status);
        continue;
      }
      queue->Dequeue(1, false, cancellation, Ref<NameReceiver>::Adopt(new NameReceiver(this)));
      if (!Meet()) return;  // the answer goes on
    }
  }

  void TakeName(const Status& status, const SlimVector<TensorQueue::Row>& rows) {
    const tenon::MutexLock lock(mutex_);
    name_status_ = status;
    has_name_ = true;
    if (!status.ok()) return;
    const TensorQueue::Row& row = rows[0];
    if (row.size() != 1)
      name_status_ = errors::InvalidArgument("Expected single component queue");
    else if (row[0].dtype() != DataType::kString)
      name_status_ = errors::InvalidArgument("Expected queue with single string component");
    else if (row[0].NumElements() != 1)
      name_status_ = errors::InvalidArgument("Expected to dequeue a one-element string tensor");
    else
      next_name_ = std::string(row[0].data<tstring>()->view());
  }

  // False: a name is needed first.
  bool ReadLocked(Request* request, Status* status) {
    constexpr Index kMostOfEndless = Index{1} << 20;
    const Index most = request->most < 0 ? 1 : request->most;
    if (most > kMostOfEndless && records_->is_endless()) {
      *status = errors::ResourceExhausted(name_, ": ", most, " records of no bytes are too many; at most ",
                                          kMostOfEndless, " are read");
      return true;
    }
    while (static_cast<Index>(request->keys.size()) < most) {
      if (started_ <= finished_) {
        if (!has_name_) return false;
        has_name_ = false;
        *status = name_status_;
        work_ = std::move(next_name_);
        next_name_.clear();
        if (!status->ok()) return true;
        *status = records_->Open(work_);
        if (!status->ok()) return true;
        ++started_;
      }
      std::string key, value;
      *status = records_->Read(&key, &value);
      const bool ends = status->code() == Code::kOutOfRange;
      if (!status->ok() && !ends) return true;
      if (status->ok()) {
        request->keys.push_back(std::move(key));
        request->values.push_back(std::move(value));
        ++produced_;
      }
      *status = OkStatus();
      if (!ends && !records_->is_single()) continue;
      records_->Close();
      finished_ = started_;
      if (!request->keys.empty()) return true;
    }
    return true;
  }
  static Status Deliver(const Request& request) {
    const TensorShape shape = request.most < 0 ? TensorShape() : TensorShape({static_cast<Index>(request.keys.size())});
    for (int i = 0; i < 2; ++i) {
      Tensor* output = nullptr;
      TENON_RETURN_IF_ERROR(request.context->allocate_output(i, shape, &output));
      const SlimVector<std::string>& texts = i == 0 ? request.keys : request.values;
      for (std::size_t k = 0; k < texts.size(); ++k) output->data<tstring>()[k].assign(texts[k]);
    }
    return OkStatus();
  }

  void ResetLocked() {
    started_ = finished_ = produced_ = 0;
    work_.clear();
    records_->Close();
  }
  Status RestoreLocked(std::string_view state) {
    if (!records_->can_be_saved()) return errors::Unimplemented("Reader RestoreState");
    std::int64_t numbers[3] = {};
    std::string_view work;
    wire::Reader reader({reinterpret_cast<const std::byte*>(state.data()), state.size()});
    for (wire::Tag tag; reader.ReadTag(&tag);) {
      std::uint64_t number = 0;
      if (tag.field >= 1 && tag.field <= 3 && tag.type == wire::WireType::kVarint) {
        if (reader.ReadVarint(&number)) numbers[tag.field - 1] = static_cast<std::int64_t>(number);
      } else if (tag.field == 4 && tag.type == wire::WireType::kBytes) {
        if (!reader.ReadBytes(&work)) break;
      } else if (!reader.Skip(tag)) {
        break;
      }
    }
    if (!reader.ok()) return errors::InvalidArgument("Could not parse state for ", name_);
    if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0)
      return errors::InvalidArgument("Unexpected negative value when restoring in ", name_, ": ", numbers[0], ", ",
                                     numbers[1], ", ", numbers[2]);
    if (numbers[0] > numbers[1])
      return errors::InvalidArgument("Inconsistent work started vs. finished when restoring in ", name_, ": ",
                                     numbers[0], " vs. ", numbers[1]);
    started_ = numbers[0];
    finished_ = numbers[1];
    produced_ = numbers[2];
    work_ = work;
    return OkStatus();
  }

  mutable Mutex mutex_;
  const std::string name_;
  Owned<FileRecords> records_;
  SlimVector<Owned<Request>> waiting_;  // the first one is being served
  bool is_busy_ = false;
  std::atomic<bool> met_{false};
  bool has_name_ = false;  // the queue has answered
  Status name_status_;
  std::string next_name_, work_;
  std::int64_t started_ = 0, finished_ = 0, produced_ = 0;  // files, files, records
};

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
