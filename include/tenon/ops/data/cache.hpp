// SPDX-License-Identifier: Apache-2.0
#pragma once
// CacheDataset, CacheDatasetV2: elements that are kept in memory from the first round on; and the caches as resources.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/iterator.hpp>
#include <tenon/ops/data/seed_generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// All elements of a dataset, once an iterator has seen them. thread-safe.
class MemoryCache final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::MemoryCacheManager";
  std::string DebugString() const override { return "MemoryCache"; }
  bool IsComplete() const {
    const tenon::MutexLock lock(mutex_);
    return is_complete_;
  }
  // The first call counts.
  void Complete(SlimVector<DatasetElement> elements) {
    const tenon::MutexLock lock(mutex_);
    if (is_complete_) return;
    elements_ = std::move(elements);
    is_complete_ = true;
  }
  // False: there are no more.
  bool Get(std::size_t i, DatasetElement* element) const {
    const tenon::MutexLock lock(mutex_);
    if (i >= elements_.size()) return false;
    *element = elements_[i];
    return true;
  }

 private:
  mutable Mutex mutex_;
  bool is_complete_ = false;
  SlimVector<DatasetElement> elements_;
};

class CacheData final : public UnaryDataset {
 public:
  CacheData(Ref<const DatasetBase> input, Ref<MemoryCache> memory)
      : UnaryDataset(std::move(input)), cache(std::move(memory)) {}
  std::string_view TypeString() const override { return "Cache"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const Ref<MemoryCache> cache;

 private:
  // Reads the cache where it was complete at the beginning; otherwise reads the input and completes the cache.
  class Iterator final : public UnaryIterator<CacheData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Initialize(IteratorContext& context) override {
      reads_ = dataset().cache->IsComplete();
      return reads_ ? OkStatus() : UnaryIterator::Initialize(context);
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      if (reads_) {
        *end = !dataset().cache->Get(next_, element);
        if (!*end) ++next_;
        return OkStatus();
      }
      const bool was_open = input_ != nullptr;
      TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
      if (!*end) seen_.push_back(*element);
      if (*end && was_open) dataset().cache->Complete(std::move(seen_));
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      SlimVector<DatasetElement> cached;
      for (DatasetElement element; reads_ && dataset().cache->Get(cached.size(), &element);) cached.push_back(element);
      const SlimVector<DatasetElement>& elements = reads_ ? cached : seen_;
      writer->Add(reads_ ? 1 : 0);
      writer->Add(static_cast<std::int64_t>(next_));
      writer->Add(static_cast<std::int64_t>(elements.size()));
      for (const DatasetElement& element : elements) writer->AddElement(element);
      return UnaryIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      std::int64_t reads = 0, next = 0, count = 0;
      SlimVector<DatasetElement> elements;
      TENON_RETURN_IF_ERROR(reader->Take(&reads));
      TENON_RETURN_IF_ERROR(reader->TakeCount(INT64_MAX, &next));
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      for (; count > 0; --count) {
        TENON_RETURN_IF_ERROR(reader->TakeElement(dataset().spec().types, &elements.emplace_back()));
        if (elements.back().empty()) return IteratorStateReader::Unfit();
      }
      next_ = static_cast<std::size_t>(next);
      reads_ = reads != 0;
      input_.reset();
      if (reads_) {
        dataset().cache->Complete(std::move(elements));
      } else {
        seen_ = std::move(elements);
        TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
      }
      return UnaryIterator::Restore(context, reader);
    }

   private:
    bool reads_ = false;
    std::size_t next_ = 0;  // in the cache
    SlimVector<DatasetElement> seen_;
  };
};

inline Status MakeCache(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  Ref<MemoryCache> cache;
  std::string file;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Text("filename", &file));
  if (!file.empty())
    return errors::Unimplemented("CacheDataset: caches in files are not supported, got '", file,
                                 "'; an empty filename caches in memory");
  if (m.IsOp("CacheDatasetV2")) {
    const Tensor* handle = nullptr;
    TENON_RETURN_IF_ERROR(m.Input("cache", &handle));
    const Status found = LookupResource(m.context(), *handle, &cache);
    if (!found.ok() && found.code() != Code::kNotFound) return found;
  }
  if (!cache) cache = Ref<MemoryCache>::Adopt(new MemoryCache());
  *out = Own(new CacheData(std::move(input), std::move(cache)));
  return OkStatus();
}

struct AnonymousCacheKernel : OpKernel {
  explicit AnonymousCacheKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override {
    context->SetStatus(SetAnonymous(context, Ref<MemoryCache>::Adopt(new MemoryCache())));
  }
};
struct DummyCacheKernel : DummyHandleKernel<MemoryCache> {
  explicit DummyCacheKernel(OpKernelConstruction* c) : DummyHandleKernel(c) {}
};

}  // namespace detail

// The elements; the first whole round keeps them in memory for the next rounds.
struct CacheDataset {
  static constexpr auto signature = Op("CacheDataset")
                                        .Input("input_dataset: variant")
                                        .Input("filename: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeCache> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As CacheDataset, in a cache that outlives the dataset if there is one.
struct CacheDatasetV2 {
  static constexpr auto signature = Op("CacheDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("filename: string")
                                        .Input("cache: resource")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<1, 2>));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeCache> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// A cache for CacheDatasetV2.
struct AnonymousMemoryCache {
  static constexpr auto signature = Op("AnonymousMemoryCache")
                                        .Output("handle: resource")
                                        .Output("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoScalarsShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::AnonymousCacheKernel {
    explicit kernel(OpKernelConstruction* c) : AnonymousCacheKernel(c) {}
  };
};

// A handle of no cache: a dataset makes its own.
struct DummyMemoryCache {
  static constexpr auto signature =
      Op("DummyMemoryCache").Output("handle: resource").SetIsStateful().SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DummyCacheKernel {
    explicit kernel(OpKernelConstruction* c) : DummyCacheKernel(c) {}
  };
};

// Fails with Internal, as in TensorFlow 2.21: a cache goes with its handles.
struct DeleteMemoryCache {
  static constexpr auto signature = Op("DeleteMemoryCache")
                                        .Input("handle: resource")
                                        .Input("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DeleteResourceKernel {
    explicit kernel(OpKernelConstruction* c) : DeleteResourceKernel(c) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
