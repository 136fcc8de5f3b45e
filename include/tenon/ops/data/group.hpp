// SPDX-License-Identifier: Apache-2.0
#pragma once
// GroupByWindowDataset, GroupByReducerDataset: elements by the key that a function gives each.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/interleave.hpp>
#include <tenon/ops/data/window.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The one int64 that a function returned.
inline Status ToNumber(const DatasetElement& result, std::string_view message, std::int64_t* number) {
  if (result.size() != 1 || result[0].dtype() != DataType::kInt64 || result[0].NumElements() != 1)
    return errors::InvalidArgument(message);
  *number = *result[0].data<std::int64_t>();
  return OkStatus();
}

// Values by key, in the order of keys.
template <class T>
class ByKey {
 public:
  struct Item {
    std::int64_t key;
    T value;
  };
  T* Find(std::int64_t key) {
    const std::size_t i = Place(key);
    return i < items_.size() && items_[i].key == key ? &items_[i].value : nullptr;
  }
  T& Add(std::int64_t key, T value) {
    const std::size_t i = Place(key);
    items_.push_back({key, std::move(value)});
    for (std::size_t k = items_.size() - 1; k > i; --k) std::swap(items_[k], items_[k - 1]);
    return items_[i].value;
  }
  void Erase(std::int64_t key) {
    const std::size_t i = Place(key);
    if (i < items_.size() && items_[i].key == key) items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const SlimVector<Item>& items() const { return items_; }

 private:
  std::size_t Place(std::int64_t key) const {
    std::size_t low = 0, high = items_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (items_[middle].key < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  SlimVector<Item> items_;
};

// Windows of elements with one key; a function makes a dataset of each.
class GroupByWindowData final : public UnaryDataset {
 public:
  GroupByWindowData(Ref<const DatasetBase> input, ElementSpec spec, CapturedFunction key, CapturedFunction reduce,
                    CapturedFunction size)
      : UnaryDataset(std::move(input), std::move(spec)),
        key_func(std::move(key)),
        reduce_func(std::move(reduce)),
        size_func(std::move(size)) {}
  std::string_view TypeString() const override { return "GroupByWindow"; }
  std::int64_t Cardinality() const override {
    return input().Cardinality() == kInfiniteCardinality ? kInfiniteCardinality : kUnknownCardinality;
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const CapturedFunction key_func, reduce_func, size_func;

 private:
  using Group = SlimVector<DatasetElement>;

  class Iterator final : public UnaryIterator<GroupByWindowData> {
   public:
    explicit Iterator(const GroupByWindowData* dataset)
        : UnaryIterator(dataset),
          key_(&dataset->key_func),
          reduce_(&dataset->reduce_func),
          size_(&dataset->size_func) {}
    Status Initialize(IteratorContext& context) override {
      TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
      TENON_RETURN_IF_ERROR(key_.Initialize(context));
      TENON_RETURN_IF_ERROR(reduce_.Initialize(context));
      return size_.Initialize(context);
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      for (;;) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (window_ != nullptr) {
          TENON_RETURN_IF_ERROR(window_->GetNext(context, element, end));
          if (!*end) return OkStatus();
          *end = false;
          window_.reset();
          groups_.Erase(current_key_);
        }
        bool is_full = false;
        while (input_ != nullptr && !is_full) TENON_RETURN_IF_ERROR(Read(context, &is_full));
        if (!is_full && groups_.items().empty()) break;
        if (!is_full) current_key_ = groups_.items()[0].key;  // the input has ended
        TENON_RETURN_IF_ERROR(Flush(context));
      }
      *end = true;
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(static_cast<std::int64_t>(groups_.items().size()));
      for (const auto& group : groups_.items()) {
        writer->Add(group.key);
        writer->Add(static_cast<std::int64_t>(group.value.size()));
        for (const DatasetElement& element : group.value) writer->AddElement(element);
      }
      writer->Add(static_cast<std::int64_t>(sizes_.items().size()));
      for (const auto& size : sizes_.items()) {
        writer->Add(size.key);
        writer->Add(size.value);
      }
      writer->Add(current_key_);
      TENON_RETURN_IF_ERROR(SaveInput(window_, writer));
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t count = 0, key = 0, n = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        TENON_RETURN_IF_ERROR(reader->Take(&key));
        TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &n));
        Group& group = groups_.Add(key, {});
        for (; n > 0; --n) {
          TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().input().spec().types, &group.emplace_back()));
          if (group.back().empty()) return IteratorStateReader::Unfit();
        }
      }
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        TENON_RETURN_IF_ERROR(reader->Take(&key));
        TENON_RETURN_IF_ERROR(reader->Take(&n));
        sizes_.Add(key, n);
      }
      TENON_RETURN_IF_ERROR(reader->Take(&current_key_));
      std::int64_t is_open = 0;
      TENON_RETURN_IF_ERROR(reader->Take(&is_open));
      if (is_open != 0) {
        if (groups_.Find(current_key_) == nullptr) return IteratorStateReader::Unfit();
        TENON_RETURN_IF_ERROR(Flush(context));
        TENON_RETURN_IF_ERROR(window_->Restore(context, reader));
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    // Puts the next element of the input into its group.
    Status Read(IteratorContext& context, bool* is_full) {
      DatasetElement element, result;
      bool end = false;
      std::int64_t key = 0;
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      TENON_RETURN_IF_ERROR(NextOfInput(context, &element, &end));
      if (end) return OkStatus();
      TENON_RETURN_IF_ERROR(key_.Run(context, element, &result));
      TENON_RETURN_IF_ERROR(ToNumber(result, "`key_func` must return a scalar int64.", &key));
      if (sizes_.Find(key) == nullptr) {
        std::int64_t size = 0;
        const DatasetElement keys = result;
        TENON_RETURN_IF_ERROR(size_.Run(context, keys, &result));
        TENON_RETURN_IF_ERROR(ToNumber(result, "`window_size_func` must return a scalar int64.", &size));
        if (size <= 0) return errors::InvalidArgument("Window size must be greater than zero, but got ", size, ".");
        sizes_.Add(key, size);
      }
      Group* group = groups_.Find(key);
      if (group == nullptr) group = &groups_.Add(key, {});
      group->push_back(std::move(element));
      *is_full = static_cast<std::int64_t>(group->size()) == *sizes_.Find(key);
      if (*is_full) current_key_ = key;
      return OkStatus();
    }
    // Makes window_ of the group of current_key_.
    Status Flush(IteratorContext& context) {
      DatasetElement args(2), results;
      Ref<const DatasetBase> made;
      TENON_RETURN_IF_ERROR(context.Allocate(DataType::kInt64, TensorShape(), &args[0]));
      *args[0].data<std::int64_t>() = current_key_;
      TENON_RETURN_IF_ERROR(StoreDatasetInVariantTensor(
          Own(new ElementsData(dataset().input().spec(), *groups_.Find(current_key_))), &args[1]));
      TENON_RETURN_IF_ERROR(reduce_.Run(context, args, &results));
      if (results.size() != 1 || results[0].dtype() != DataType::kVariant || results[0].dims() != 0)
        return errors::InvalidArgument("`reduce_func` must return a single scalar of dtype DT_VARIANT.");
      TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(results[0], &made));
      TENON_RETURN_IF_ERROR(VerifyTypesMatch(dataset().spec().types, Span<const DataType>(made->spec().types)));
      return made->MakeIterator(context, &window_);
    }

    FunctionCaller key_, reduce_, size_;
    ByKey<Group> groups_;
    ByKey<std::int64_t> sizes_;
    std::int64_t current_key_ = 0;  // key of window_
    Owned<IteratorBase> window_;
  };
};

inline Status MakeGroupByWindow(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  CapturedFunction key, reduce, size;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("key_func", "key_func_other_arguments", &key));
  TENON_RETURN_IF_ERROR(m.Function("reduce_func", "reduce_func_other_arguments", &reduce));
  TENON_RETURN_IF_ERROR(m.Function("window_size_func", "window_size_func_other_arguments", &size));
  *out =
      Own(new GroupByWindowData(std::move(input), std::move(spec), std::move(key), std::move(reduce), std::move(size)));
  return OkStatus();
}

// One element for each key: finalize(state), after state = reduce(state, element) of its elements.
class GroupByReducerData final : public UnaryDataset {
 public:
  GroupByReducerData(Ref<const DatasetBase> input, ElementSpec spec, CapturedFunction (&functions)[4])
      : UnaryDataset(std::move(input), std::move(spec)),
        key_func(std::move(functions[0])),
        init_func(std::move(functions[1])),
        reduce_func(std::move(functions[2])),
        finalize_func(std::move(functions[3])) {}
  std::string_view TypeString() const override { return "GroupByReducer"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const CapturedFunction key_func, init_func, reduce_func, finalize_func;

 private:
  class Iterator final : public UnaryIterator<GroupByReducerData> {
   public:
    explicit Iterator(const GroupByReducerData* dataset)
        : UnaryIterator(dataset),
          key_(&dataset->key_func),
          init_(&dataset->init_func),
          reduce_(&dataset->reduce_func),
          finalize_(&dataset->finalize_func) {}
    Status Initialize(IteratorContext& context) override {
      TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
      for (FunctionCaller* caller : {&key_, &init_, &reduce_, &finalize_})
        TENON_RETURN_IF_ERROR(caller->Initialize(context));
      return OkStatus();
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      while (input_ != nullptr) TENON_RETURN_IF_ERROR(Read(context));
      if (next_ == static_cast<std::int64_t>(states_.items().size())) {
        *end = true;
        return OkStatus();
      }
      const auto& state = states_.items()[static_cast<std::size_t>(next_++)];
      TENON_RETURN_IF_ERROR(finalize_.Run(context, state.value, element));
      return VerifyTypesMatch(dataset().spec().types, *element);
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(next_);
      writer->Add(static_cast<std::int64_t>(states_.items().size()));
      for (const auto& state : states_.items()) {
        writer->Add(state.key);
        writer->AddElement(state.value);
      }
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t count = 0, key = 0;
      DatasetElement state;
      TENON_RETURN_IF_ERROR(reader->Take(&next_));
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      if (next_ < 0 || next_ > count) return IteratorStateReader::Unfit();
      for (; count > 0; --count) {
        TENON_RETURN_IF_ERROR(reader->Take(&key));
        TENON_RETURN_IF_ERROR(reader->TakeElement(&state));
        states_.Add(key, std::move(state));
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    Status Read(IteratorContext& context) {
      DatasetElement element, result;
      bool end = false;
      std::int64_t key = 0;
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      TENON_RETURN_IF_ERROR(NextOfInput(context, &element, &end));
      if (end) return OkStatus();
      TENON_RETURN_IF_ERROR(key_.Run(context, element, &result));
      TENON_RETURN_IF_ERROR(ToNumber(result, "`key_func` must return a scalar int64.", &key));
      DatasetElement* state = states_.Find(key);
      if (state == nullptr) {
        DatasetElement first;
        TENON_RETURN_IF_ERROR(init_.Run(context, result, &first));
        state = &states_.Add(key, std::move(first));
      }
      TENON_RETURN_IF_ERROR(reduce_.Run(context, *state, &result, element));
      *state = std::move(result);
      return OkStatus();
    }
    FunctionCaller key_, init_, reduce_, finalize_;
    ByKey<DatasetElement> states_;
    std::int64_t next_ = 0;  // state that comes next
  };
};

inline Status MakeGroupByReducer(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  CapturedFunction functions[4];
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("key_func", "key_func_other_arguments", &functions[0]));
  TENON_RETURN_IF_ERROR(m.Function("init_func", "init_func_other_arguments", &functions[1]));
  TENON_RETURN_IF_ERROR(m.Function("reduce_func", "reduce_func_other_arguments", &functions[2]));
  TENON_RETURN_IF_ERROR(m.Function("finalize_func", "finalize_func_other_arguments", &functions[3]));
  *out = Own(new GroupByReducerData(std::move(input), std::move(spec), functions));
  return OkStatus();
}

}  // namespace detail

// The elements of the datasets that reduce_func makes of windows of elements with one key.
struct GroupByWindowDataset {
  static constexpr auto signature = Op("GroupByWindowDataset")
                                        .Input("input_dataset: variant")
                                        .Input("key_func_other_arguments: Tkey_func_other_arguments")
                                        .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
                                        .Input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
                                        .Output("handle: variant")
                                        .Attr("key_func: func")
                                        .Attr("reduce_func: func")
                                        .Attr("window_size_func: func")
                                        .Attr("Tkey_func_other_arguments: list(type) >= 0")
                                        .Attr("Treduce_func_other_arguments: list(type) >= 0")
                                        .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeGroupByWindow> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// A reduction of the elements of each key, in the order of the keys.
struct GroupByReducerDataset {
  static constexpr auto signature = Op("GroupByReducerDataset")
                                        .Input("input_dataset: variant")
                                        .Input("key_func_other_arguments: Tkey_func_other_arguments")
                                        .Input("init_func_other_arguments: Tinit_func_other_arguments")
                                        .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
                                        .Input("finalize_func_other_arguments: Tfinalize_func_other_arguments")
                                        .Output("handle: variant")
                                        .Attr("key_func: func")
                                        .Attr("init_func: func")
                                        .Attr("reduce_func: func")
                                        .Attr("finalize_func: func")
                                        .Attr("Tkey_func_other_arguments: list(type) >= 0")
                                        .Attr("Tinit_func_other_arguments: list(type) >= 0")
                                        .Attr("Treduce_func_other_arguments: list(type) >= 0")
                                        .Attr("Tfinalize_func_other_arguments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeGroupByReducer> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
