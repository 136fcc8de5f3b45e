// SPDX-License-Identifier: Apache-2.0
#pragma once
// SleepDataset: a dataset whose elements come after a pause.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class SleepData final : public UnaryDataset {
 public:
  SleepData(Ref<const DatasetBase> input, std::int64_t pause) : UnaryDataset(std::move(input)), nanoseconds(pause) {}
  std::string_view TypeString() const override { return "Sleep"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const std::int64_t nanoseconds;

 private:
  class Iterator final : public UnaryIterator<SleepData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      TENON_RETURN_IF_ERROR(Pause(context, dataset().nanoseconds));
      return NextOfInput(context, element, end);
    }

   private:
    // Ends early when the run is given up.
    static Status Pause(const IteratorContext& context, std::int64_t left) {
      constexpr std::int64_t kPoll = 10'000'000;  // nanoseconds
      Mutex mutex;
      ConditionVariable never;
      MutexLock lock(mutex);
      for (std::int64_t before = SteadyNanoseconds(); left > 0;) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        (void)never.wait_until(lock, before + (left < kPoll ? left : kPoll));
        const std::int64_t now = SteadyNanoseconds();
        left -= now - before;
        before = now;
      }
      return OkStatus();
    }
  };
};

inline Status MakeSleep(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::int64_t microseconds = 0;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("sleep_microseconds", &microseconds));
  if (microseconds < 0) return errors::InvalidArgument("`sleep_microseconds` must be >= 0");
  *out = Own(new SleepData(std::move(input), microseconds > INT64_MAX / 1000 ? INT64_MAX : microseconds * 1000));
  return OkStatus();
}

}  // namespace detail

// The input, whose elements each take sleep_microseconds more.
struct SleepDataset : detail::DatasetOp<&detail::MakeSleep> {
  static constexpr auto signature = Op("SleepDataset")
                                        .Input("input_dataset: variant")
                                        .Input("sleep_microseconds: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::ScalarsShape<1>);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
