// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReaderBase and ReaderOpKernel: readers of a program's own, which ReaderReadV2 and its kin read.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/owned.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/reader/reader_resource.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>
#include <tenon/compat/tensorflow/op_kernel.hpp>
#include <tenon/compat/tensorflow/proto/text.hpp>
#include <tenon/compat/tensorflow/resource_mgr.hpp>

namespace tensorflow {

// The position of a reader.
class ReaderBaseState : public protobuf::Message<ReaderBaseState> {
 public:
  static constexpr const char* kName = "ReaderBaseState";
  TENON_COMPAT_SCALAR(int64_t, work_started)
  TENON_COMPAT_SCALAR(int64_t, work_finished)
  TENON_COMPAT_SCALAR(int64_t, num_records_produced)
  TENON_COMPAT_STRING(current_work)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "work_started", m.work_started_);
    call(2, "work_finished", m.work_finished_);
    call(3, "num_records_produced", m.num_records_produced_);
    call(4, "current_work", m.current_work_);
  }

 private:
  int64_t work_started_{}, work_finished_{}, num_records_produced_{};
  std::string current_work_;
};

class ReaderInterface : public ResourceBase {
 public:
  std::string DebugString() const override { return "a reader"; }
};

// Derived classes read the records of one work item, as a rule a file. Calls follow one another. Positions are not
// saved: ReaderSerializeStateV2 is Unimplemented.
class ReaderBase : public ReaderInterface {
 public:
  explicit ReaderBase(const std::string& name) : name_(name) {}

  // Reads a record, or sets *at_end, or both.
  virtual Status ReadLocked(tstring* key, tstring* value, bool* produced, bool* at_end) = 0;
  virtual Status ReadUpToLocked(int64_t, std::vector<tstring>* keys, std::vector<tstring>* values, int64_t* count,
                                bool* at_end) {
    tstring key, value;
    bool produced = false;
    const Status status = ReadLocked(&key, &value, &produced, at_end);
    *count = produced ? 1 : 0;
    if (produced) {
      keys->push_back(std::move(key));
      values->push_back(std::move(value));
    }
    return status;
  }
  virtual Status OnWorkStartedLocked() { return Status(); }
  virtual Status OnWorkFinishedLocked() { return Status(); }
  virtual Status ResetLocked() {
    started_ = finished_ = produced_ = 0;
    work_ = tstring();
    return Status();
  }
  virtual Status SerializeStateLocked(tstring*) { return errors::Unimplemented("Reader SerializeState"); }
  virtual Status RestoreStateLocked(const tstring&) { return errors::Unimplemented("Reader RestoreState"); }

  bool work_in_progress() const { return finished_ < started_; }
  const tstring& current_work() const { return work_; }
  const std::string& name() const { return name_; }
  tstring KeyName(const tstring& key) const { return strings::StrCat(StringPiece(work_), ":", StringPiece(key)); }

 protected:
  void SaveBaseState(ReaderBaseState* state) const {
    state->Clear();
    state->set_work_started(started_);
    state->set_work_finished(finished_);
    state->set_num_records_produced(produced_);
    state->set_current_work(StringPiece(work_));
  }
  Status RestoreBaseState(const ReaderBaseState& state) {
    if (state.work_started() < 0 || state.work_finished() < 0 || state.num_records_produced() < 0)
      return errors::InvalidArgument("Unexpected negative value when restoring in ", name_, ": ", state.DebugString());
    if (state.work_started() > state.work_finished())
      return errors::InvalidArgument("Inconsistent work started vs. finished when restoring in ", name_, ": ",
                                     state.DebugString());
    started_ = state.work_started();
    finished_ = state.work_finished();
    produced_ = state.num_records_produced();
    work_ = state.current_work();
    return Status();
  }

 private:
  friend class ReaderOpKernel;
  const std::string name_;
  int64_t started_ = 0, finished_ = 0, produced_ = 0;
  tstring work_;
};

// Gives the handle of a reader that the factory makes in the first run.
class ReaderOpKernel : public OpKernel {
 public:
  explicit ReaderOpKernel(OpKernelConstruction* context) : OpKernel(context) {
    tenon::Result<tenon::ContainerInfo> info = tenon::ContainerInfo::From(*context, true);
    context->SetStatus(info.status());
    if (info.ok()) info_ = *std::move(info);
  }
  void SetReaderFactory(std::function<ReaderInterface*()> factory) { factory_ = std::move(factory); }
  void Compute(OpKernelContext* context) override {
    mutex_lock lock(mu_);
    OP_REQUIRES_OK(context, Find(*context));
    tenon::Tensor handle;
    OP_REQUIRES_OK(context,
                   tenon::ops::detail::MakeHandleFor<tenon::ops::detail::FileReader>(*context, 0, info_, &handle));
    static_cast<tenon::OpKernelContext*>(context)->set_output(0, std::move(handle));
  }

 private:
  // The records of a ReaderBase, as Tenon's readers ask for them.
  class Records final : public tenon::ops::detail::FileRecords {
   public:
    explicit Records(ReaderBase* taken) : reader_(tenon::Ref<ReaderBase>::Adopt(taken)) {}
    Status Open(const std::string& path) override {
      reader_->work_ = path;
      ended_ = false;
      TF_RETURN_IF_ERROR(reader_->OnWorkStartedLocked());
      ++reader_->started_;
      return Status();
    }
    Status Read(std::string* key, std::string* value) override {
      tstring own_key, own_value;
      bool produced = false;
      if (!ended_) {
        const Status status = reader_->ReadLocked(&own_key, &own_value, &produced, &ended_);
        if (!status.ok())
          return !produced && status.code() != tenon::Code::kOutOfRange
                     ? status
                     : errors::Internal("ReadLocked() for ", reader_->name(), " returned an error: ", status.message());
        if (!produced && !ended_)
          return errors::Internal("ReadLocked() for ", reader_->name(),
                                  " must set *at_end=true, *produced=true, or return an error.");
      }
      if (!produced) return errors::OutOfRange("no more records");
      ++reader_->produced_;
      *key = std::string(own_key);
      *value = std::string(own_value);
      return Status();
    }
    void Close() override {
      if (!reader_->work_in_progress()) return;
      reader_->finished_ = reader_->started_;
      (void)reader_->OnWorkFinishedLocked();
    }

   private:
    tenon::Ref<ReaderBase> reader_;
    bool ended_ = false;
  };
  Status Find(const tenon::OpKernelContext& context) {
    tenon::ResourceMgr* resources = nullptr;
    tenon::Ref<tenon::ops::detail::FileReader> reader;
    TF_RETURN_IF_ERROR(tenon::GetResources(context, &resources));
    return resources->LookupOrCreate<tenon::ops::detail::FileReader>(
        info_.container, info_.name, &reader, [this](tenon::Ref<tenon::ops::detail::FileReader>* made) -> Status {
          ReaderInterface* const own = factory_ == nullptr ? nullptr : factory_();
          if (own == nullptr) return errors::ResourceExhausted("Failed to allocate reader");
          *made = tenon::Ref<tenon::ops::detail::FileReader>::Adopt(
              new tenon::ops::detail::FileReader(name(), tenon::MakeOwned<Records>(static_cast<ReaderBase*>(own))));
          return Status();
        });
  }

  tenon::ContainerInfo info_;
  mutex mu_;
  std::function<ReaderInterface*()> factory_;
};

}  // namespace tensorflow
