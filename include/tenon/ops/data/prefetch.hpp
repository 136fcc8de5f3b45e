// SPDX-License-Identifier: Apache-2.0
#pragma once
// PrefetchDataset: elements made ahead by a thread.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/detached_context.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class PrefetchData final : public UnaryDataset {
 public:
  PrefetchData(Ref<const DatasetBase> input, std::int64_t elements)
      : UnaryDataset(std::move(input)), buffer_size(elements) {}
  std::string_view TypeString() const override { return "Prefetch"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    if (buffer_size == 0 || !DetachedContext::IsPossible(context)) return input().MakeIterator(context, iterator);
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t buffer_size;

 private:
  class Iterator final : public UnaryIterator<PrefetchData> {
   public:
    using UnaryIterator::UnaryIterator;
    ~Iterator() override {
      if (!thread_.joinable()) return;
      detached_->cancellation()->StartCancel();
      {
        const tenon::MutexLock lock(mutex_);
        stop_ = true;
        changed_.notify_all();
      }
      thread_.Join();
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      if (!fork_.IsRepaired()) [[unlikely]]
        return LeftBehind();
      if (!is_started_) TENON_RETURN_IF_ERROR(Start(context));
      // The run that waits here can be given up.
      CancellationManager* const cancellation =
          context.environment().services == nullptr ? nullptr : context.environment().services->cancellation;
      CancellationManager::Token token = 0;
      if (cancellation != nullptr) {
        token = cancellation->NewToken();
        const bool registered = cancellation->Register(token, [this] {
          const tenon::MutexLock lock(mutex_);
          changed_.notify_all();
        });
        if (!registered) return errors::Cancelled("Iterator was cancelled");
      }
      const Status status = Take(context, element, end);
      if (cancellation != nullptr) (void)cancellation->Deregister(token);
      return status;
    }
    Status Save(IteratorStateWriter* writer) const override {
      if (!fork_.IsRepaired()) [[unlikely]]
        return LeftBehind();
      tenon::MutexLock lock(mutex_);
      pause_ = true;
      while (is_reading_) changed_.wait(lock);
      writer->Add(static_cast<std::int64_t>(buffer_.size()));
      for (const Made& made : buffer_) {
        writer->Add(static_cast<std::int64_t>(made.status.code()));
        writer->AddText(made.status.message());
        writer->AddElement(made.element);
      }
      Status status = SaveInput(input_, writer);
      pause_ = false;
      changed_.notify_all();
      return status;
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t count = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        Made& made = buffer_.emplace_back();
        std::int64_t code = 0;
        std::string text;
        TENON_RETURN_IF_ERROR(reader->TakeCount(INT32_MAX, &code));
        TENON_RETURN_IF_ERROR(reader->TakeText(&text));
        TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().spec().types, &made.element));
        if (code == 0 && made.element.empty()) return IteratorStateReader::Unfit();
        if (code != 0) made.status = Status(static_cast<Code>(code), text);
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    struct Made {
      Status status;
      DatasetElement element;
    };
    TENON_DETAIL_COLD static Status LeftBehind() {
      return errors::FailedPrecondition(
          "PrefetchDataset: the thread of the iterator stayed in the parent of this process; make an iterator after "
          "fork()");
    }
    // TensorFlow tunes the size that is -1.
    std::size_t Limit() const {
      return dataset().buffer_size < 0 ? 2 : static_cast<std::size_t>(dataset().buffer_size);
    }
    Status Start(IteratorContext& context) {
      detached_ = MakeOwned<DetachedContext>(context);
      is_started_ = true;
      if (thread_.Start<&Iterator::Main>(this)) return OkStatus();
      is_started_ = false;
      return errors::ResourceExhausted("PrefetchDataset: the system has no thread for a prefetching iterator");
    }
    Status Take(IteratorContext& context, DatasetElement* element, bool* end) {
      tenon::MutexLock lock(mutex_);
      for (;;) {
        if (!buffer_.empty()) {
          Made made = std::move(buffer_.front());
          buffer_.erase(buffer_.begin());
          changed_.notify_all();
          *element = std::move(made.element);
          return made.status;
        }
        if (!is_reading_ && input_ == nullptr) {
          *end = true;
          return OkStatus();
        }
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (is_lost_) return errors::Cancelled("The session of an iterator is closed");
        changed_.wait(lock);
      }
    }
    void Main() {
      Thread::NameThis("tenon_prefetch");
      for (;;) {
        {
          tenon::MutexLock lock(mutex_);
          while (!stop_ && (pause_ || (input_ != nullptr && buffer_.size() >= Limit()))) changed_.wait(lock);
          if (stop_ || input_ == nullptr) return;
          is_reading_ = true;
        }
        Made made;
        bool end = false;
        made.status = detached_->Call([&](IteratorContext& context) {
          Status status = input_->GetNext(context, &made.element, &end);
          if (end) input_.reset();
          return status;
        });
        const tenon::MutexLock lock(mutex_);
        is_reading_ = false;
        is_lost_ = detached_->cancellation()->IsCancelled();
        if (!end && !is_lost_) buffer_.push_back(std::move(made));
        changed_.notify_all();
        if (is_lost_) return;
      }
    }

    const ForkGuard fork_;
    Owned<DetachedContext> detached_;
    Thread thread_;
    bool is_started_ = false;
    mutable Mutex mutex_;  // guards what follows, and input_ while is_reading_ is false
    mutable ConditionVariable changed_;
    mutable bool pause_ = false;
    bool stop_ = false, is_reading_ = false, is_lost_ = false;
    SlimVector<Made> buffer_;
  };
};

inline Status MakePrefetch(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::int64_t size = 0;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("buffer_size", &size));
  if (size < -1) return errors::InvalidArgument("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  *out = Own(new PrefetchData(std::move(input), size));
  return OkStatus();
}

}  // namespace detail

// The elements; a thread makes up to buffer_size of them ahead.
struct PrefetchDataset {
  static constexpr auto signature = Op("PrefetchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("buffer_size: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("slack_period: int = 0")
                                        .Attr("legacy_autotune: bool = true")
                                        .Attr("buffer_size_min: int = 0")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakePrefetch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
