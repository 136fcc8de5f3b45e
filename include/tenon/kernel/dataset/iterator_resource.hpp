// SPDX-License-Identifier: Apache-2.0
#pragma once
// IteratorResource: an iterator that outlives a run, as a resource of the session.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. Runs that ask at the same time wait for each other; a run that is given up does not wait.
class IteratorResource final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::IteratorResource";

  explicit IteratorResource(ElementSpec spec) : spec_(std::move(spec)) {}
  std::string DebugString() const override { return "Iterator resource"; }

  const ElementSpec& spec() const { return spec_; }
  // Begins at the first element of the dataset. InvalidArgument: its elements are not what the iterator declares;
  // errors of MakeIterator. The old iterator stays after an error.
  Status SetDataset(IteratorContext& context, Ref<const DatasetBase> dataset) {
    TENON_RETURN_IF_ERROR(VerifyTypesMatch(spec_.types, dataset->spec().types));
    TENON_RETURN_IF_ERROR(VerifyShapesCompatible(spec_.shapes, dataset->spec().shapes));
    Owned<IteratorBase> made;
    TENON_RETURN_IF_ERROR(dataset->MakeIterator(context, &made));
    return Replace(context, std::move(dataset), std::move(made));
  }
  // FailedPrecondition: SetDataset was not called.
  Status GetNext(IteratorContext& context, DatasetElement* element, bool* end) {
    const Turn turn(this, context);
    TENON_RETURN_IF_ERROR(turn.status);
    if (iterator_ == nullptr) return NotInitialized("GetNext", "getting the next element");
    return iterator_->GetNext(context, element, end);
  }
  Status Save(IteratorContext& context, IteratorState* state) {
    const Turn turn(this, context);
    TENON_RETURN_IF_ERROR(turn.status);
    if (iterator_ == nullptr) return NotInitialized("Save", "saving it");
    IteratorStateWriter writer;
    {
      const MutexLock lock(mutex_);
      dataset_->SaveShared(&writer);
    }
    TENON_RETURN_IF_ERROR(iterator_->Save(&writer));
    *state = writer.Finish();
    return OkStatus();
  }
  // Goes to a saved position of an equal dataset.
  Status Restore(IteratorContext& context, const IteratorState& state) {
    Ref<const DatasetBase> dataset;
    {
      const MutexLock lock(mutex_);
      dataset = dataset_;
    }
    if (!dataset) return NotInitialized("Restore", "restoring it");
    Owned<IteratorBase> made;
    IteratorStateReader reader(&state);
    TENON_RETURN_IF_ERROR(dataset->MakeIterator(context, &made));
    TENON_RETURN_IF_ERROR(dataset->RestoreShared(&reader));
    TENON_RETURN_IF_ERROR(made->Restore(context, &reader));
    if (!reader.AtEnd()) return IteratorStateReader::Unfit();
    return Replace(context, std::move(dataset), std::move(made));
  }
  // Calls use(iterator) -> Status while no other run uses the iterator; null before SetDataset.
  template <class F>
  Status Use(const IteratorContext& context, const F& use) {
    const Turn turn(this, context);
    TENON_RETURN_IF_ERROR(turn.status);
    return use(iterator_.get());
  }
  // Drops the iterator.
  Status Clear(IteratorContext& context) { return Replace(context, {}, {}); }

 private:
  // The right to use iterator_, for one run at a time.
  struct Turn {
    Turn(IteratorResource* r, const IteratorContext& context) : resource(r) {
      constexpr std::int64_t kPoll = 10'000'000;  // nanoseconds
      MutexLock lock(r->mutex_);
      while (r->in_use_ && status.ok()) {
        (void)r->free_.wait_until(lock, SteadyNanoseconds() + kPoll);
        status = context.CheckWanted();
      }
      if (status.ok()) r->in_use_ = true;
    }
    ~Turn() {
      if (!status.ok()) return;
      const MutexLock lock(resource->mutex_);
      resource->in_use_ = false;
      resource->free_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    IteratorResource* const resource;
    Status status;
  };
  Status Replace(const IteratorContext& context, Ref<const DatasetBase> dataset, Owned<IteratorBase> made) {
    const Turn turn(this, context);
    TENON_RETURN_IF_ERROR(turn.status);
    iterator_ = std::move(made);
    const MutexLock lock(mutex_);
    std::swap(dataset_, dataset);
    return OkStatus();
  }
  TENON_DETAIL_COLD static Status NotInitialized(std::string_view call, std::string_view what) {
    return errors::FailedPrecondition(call,
                                      "() failed because the iterator has not been initialized. Ensure that you have "
                                      "run the initializer operation for this iterator before ",
                                      what, ".");
  }

  const ElementSpec spec_;
  Mutex mutex_;
  ConditionVariable free_;
  bool in_use_ = false;
  Owned<IteratorBase> iterator_;  // for the run that has the turn
  Ref<const DatasetBase> dataset_;
};

TENON_DETAIL_NAMESPACE_END
