// SPDX-License-Identifier: Apache-2.0
#pragma once
// SlidingWindowDataset: batches of elements in a row, which may overlap.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/rows.hpp>
#include <tenon/ops/data/window.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// As in TensorFlow, windows that are dropped count in the cardinality.
class SlidingData final : public WindowedDataset {
 public:
  using WindowedDataset::WindowedDataset;
  std::string_view TypeString() const override { return "SlidingWindow"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public UnaryIterator<SlidingData> {
   public:
    using UnaryIterator::UnaryIterator;
    // An element that fails is left out of the windows.
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const SlidingData& data = dataset();
      while (input_ != nullptr && Held() < data.reach) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        DatasetElement read;
        bool input_end = false;
        TENON_RETURN_IF_ERROR(NextOfInput(context, &read, &input_end));
        if (!input_end) buffer_.push_back(std::move(read));
      }
      if (buffer_.empty() || (data.drop_remainder && Held() < data.reach)) {
        *end = true;
        return OkStatus();
      }
      SlimVector<DatasetElement> window;
      for (std::int64_t i = 0;; i += data.stride) {
        window.push_back(buffer_[static_cast<std::size_t>(i)]);
        if (data.stride >= Held() - i) break;
      }
      const std::int64_t gap = data.shift - Held();
      if (gap < 0)
        buffer_.erase(buffer_.begin(), buffer_.begin() + data.shift);
      else
        buffer_.clear();
      for (std::int64_t i = 0; i < gap && input_ != nullptr; ++i) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        DatasetElement dropped;
        bool input_end = false;
        TENON_RETURN_IF_ERROR(NextOfInput(context, &dropped, &input_end));
      }
      return BatchElements(context, window, element);
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(Held());
      for (const DatasetElement& held : buffer_) writer->AddElement(held);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t count = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().input().spec().types, &buffer_.emplace_back()));
        if (buffer_.back().empty()) return IteratorStateReader::Unfit();
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    std::int64_t Held() const { return static_cast<std::int64_t>(buffer_.size()); }
    SlimVector<DatasetElement> buffer_;  // from the first element of the next window on
  };
};

inline Status MakeSliding(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::int64_t size = 0, shift = 0, stride = 0;
  bool drop = true;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("window_size", &size));
  if (size <= 0) return errors::InvalidArgument("Window size must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Scalar("window_shift", &shift));
  if (shift <= 0) return errors::InvalidArgument("Window shift must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Scalar("window_stride", &stride));
  if (stride <= 0) return errors::InvalidArgument("window_stride must be greater than zero.");
  if (m.HasAttr("drop_remainder")) TENON_RETURN_IF_ERROR(m.Attr("drop_remainder", &drop));
  if (size - 1 > (INT64_MAX - 1) / stride)
    return errors::InvalidArgument("Window size ", size, " and stride ", stride, " are too large.");
  ElementSpec spec = BatchSpec(input->spec(), -1);
  *out = Own(new SlidingData(std::move(input), std::move(spec), size, shift, stride, drop));
  return OkStatus();
}

}  // namespace detail

// Batches of window_size elements, window_stride apart, each window_shift elements after the one before.
struct SlidingWindowDataset : detail::DatasetOp<&detail::MakeSliding> {
  static constexpr auto signature = Op("SlidingWindowDataset")
                                        .Input("input_dataset: variant")
                                        .Input("window_size: int64")
                                        .Input("window_shift: int64")
                                        .Input("window_stride: int64")
                                        .Output("handle: variant")
                                        .Attr("drop_remainder: bool = true")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn((detail::ScalarsShape<1, 3>));
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
