// SPDX-License-Identifier: Apache-2.0
#pragma once
// WindowDataset: datasets of some elements in a row. WindowOp: such a dataset of tensors.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/source.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Elements in memory as a dataset.
class ElementsData final : public DatasetBase {
 public:
  ElementsData(ElementSpec spec, SlimVector<DatasetElement> elements)
      : DatasetBase(std::move(spec)), elements_(std::move(elements)) {}
  std::string_view TypeString() const override { return "Window"; }
  std::int64_t Cardinality() const override { return static_cast<std::int64_t>(elements_.size()); }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<CountingIterator<ElementsData>>(context, this, iterator);
  }
  Status Element(IteratorContext&, std::int64_t i, DatasetElement* element) const {
    *element = elements_[static_cast<std::size_t>(i)];
    return OkStatus();
  }

 private:
  const SlimVector<DatasetElement> elements_;
};

// A dataset of windows over the elements of another.
class WindowedDataset : public UnaryDataset {
 public:
  WindowedDataset(Ref<const DatasetBase> input, ElementSpec spec, std::int64_t elements, std::int64_t step,
                  std::int64_t every, bool drop)
      : UnaryDataset(std::move(input), std::move(spec)),
        shift(step),
        stride(every),
        reach((elements - 1) * every + 1),
        drop_remainder(drop) {}
  // Windows, with those that are not full.
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    return n < 0 ? n : n / shift + (n % shift == 0 ? 0 : 1);
  }
  const std::int64_t shift, stride, reach;  // reach: elements from the first to the last of a window
  const bool drop_remainder;
};

class WindowData final : public WindowedDataset {
 public:
  using WindowedDataset::WindowedDataset;
  std::string_view TypeString() const override { return "Window"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    if (n < 0 || !drop_remainder) return WindowedDataset::Cardinality();
    return n < reach ? 0 : (n - reach) / shift + 1;
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public UnaryIterator<WindowData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const WindowData& data = dataset();
      while (input_ != nullptr && Held() < data.reach) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        Read read;
        bool input_end = false;
        read.status = NextOfInput(context, &read.element, &input_end);
        if (!input_end) buffer_.push_back(std::move(read));
      }
      if (buffer_.empty() || (data.drop_remainder && Held() < data.reach)) {
        *end = true;
        return OkStatus();
      }
      Status status;
      SlimVector<DatasetElement> window;
      for (std::int64_t i = 0; i < Held() && status.ok(); i += data.stride) {
        status = buffer_[static_cast<std::size_t>(i)].status;
        if (status.ok()) window.push_back(buffer_[static_cast<std::size_t>(i)].element);
      }
      TENON_RETURN_IF_ERROR(GoOn(context));
      TENON_RETURN_IF_ERROR(status);
      for (std::size_t c = 0; c < data.input().spec().types.size(); ++c) {
        SlimVector<DatasetElement> column;
        for (const DatasetElement& row : window) {
          if (c >= row.size()) return errors::Internal("An element of a window has ", row.size(), " components");
          column.emplace_back().push_back(row[c]);
        }
        ElementSpec spec;
        spec.types.push_back(data.input().spec().types[c]);
        spec.shapes.push_back(data.input().spec().shapes[c]);
        TENON_RETURN_IF_ERROR(StoreDatasetInVariantTensor(Own(new ElementsData(std::move(spec), std::move(column))),
                                                          &element->emplace_back()));
      }
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(Held());
      for (const Read& read : buffer_) {
        writer->Add(static_cast<std::int64_t>(read.status.code()));
        writer->AddText(read.status.message());
        writer->AddElement(read.element);
      }
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t count = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        Read& read = buffer_.emplace_back();
        std::int64_t code = 0;
        std::string text;
        TENON_RETURN_IF_ERROR(reader->TakeCount(INT32_MAX, &code));
        TENON_RETURN_IF_ERROR(reader->TakeText(&text));
        TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().input().spec().types, &read.element));
        if (code == 0 && read.element.empty()) return IteratorStateReader::Unfit();
        if (code != 0) read.status = Status(static_cast<Code>(code), text);
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    struct Read {
      Status status;  // how reading it ended; an error ends the windows that have it
      DatasetElement element;
    };
    std::int64_t Held() const { return static_cast<std::int64_t>(buffer_.size()); }
    // To the first element of the next window.
    Status GoOn(IteratorContext& context) {
      const std::int64_t held = Held(), step = dataset().shift;
      if (step < held) {
        buffer_.erase(buffer_.begin(), buffer_.begin() + step);
        return OkStatus();
      }
      buffer_.clear();
      DatasetElement dropped;
      for (std::int64_t i = held; i < step && input_ != nullptr; ++i) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        bool end = false;
        (void)NextOfInput(context, &dropped, &end);  // errors of elements in no window do not matter
      }
      return OkStatus();
    }

    SlimVector<Read> buffer_;
  };
};

inline Status MakeWindow(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::int64_t size = 0, shift = 0, stride = 0;
  bool drop = false;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Scalar("size", &size));
  if (size <= 0) return errors::InvalidArgument("Window size must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Scalar("shift", &shift));
  if (shift <= 0) return errors::InvalidArgument("Window shift must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Scalar("stride", &stride));
  if (stride <= 0) return errors::InvalidArgument("Window stride must be greater than zero.");
  TENON_RETURN_IF_ERROR(m.Scalar("drop_remainder", &drop));
  if (size - 1 > (INT64_MAX - 1) / stride)
    return errors::InvalidArgument("Window size ", size, " and stride ", stride, " are too large.");
  ElementSpec spec;
  for (std::size_t i = 0; i < input->spec().types.size(); ++i) {
    spec.types.push_back(DataType::kVariant);
    spec.shapes.push_back(PartialTensorShape(TensorShape()));
  }
  *out = Own(new WindowData(std::move(input), std::move(spec), size, shift, stride, drop));
  return OkStatus();
}

}  // namespace detail

// Datasets of `size` elements, each `shift` elements after the one before.
struct WindowDataset {
  static constexpr auto signature = Op("WindowDataset")
                                        .Input("input_dataset: variant")
                                        .Input("size: int64")
                                        .Input("shift: int64")
                                        .Input("stride: int64")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn((detail::ScalarsShape<1, 4>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeWindow> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The tensors as elements of as many as there are types.
struct WindowOp : detail::DatasetOp<&detail::MakeList> {
  static constexpr auto signature = Op("WindowOp")
                                        .Input("inputs: Tinputs")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("Tinputs: list(type) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
