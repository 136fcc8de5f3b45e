// SPDX-License-Identifier: Apache-2.0
#pragma once
// LatencyStatsDataset, BytesProducedStatsDataset, SetStatsAggregatorDataset, StatsAggregatorHandle and others: numbers
// about the elements of a dataset, as summaries. ThreadPoolDataset, ThreadPoolHandle, ChooseFastestDataset.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/summary/event_file.hpp>
#include <tenon/ops/summary/summary_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// Histograms of numbers, by name. thread-safe.
class StatsAggregator final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::StatsAggregatorResource";

  // `pushes`: each number goes to the event file as it comes, and Summary has nothing.
  explicit StatsAggregator(bool pushes) : pushes_(pushes) {}
  std::string DebugString() const override { return "StatsAggregatorResource"; }

  void Add(std::string name, double number) {
    const tenon::MutexLock lock(mutex_);
    Named* named = nullptr;
    for (Named& known : histograms_)
      if (known.name == name) named = &known;
    if (named == nullptr) {
      named = &histograms_.emplace_back();
      named->name = std::move(name);
    }
    named->counts.Add(number);
    std::string summary;
    if (!pushes_ || !file_) return;
    Append(*named, &summary);
    static_cast<void>(file_->Write(EventMessage(++step_, kEventSummary, summary)));
  }
  std::string Summary() {
    const tenon::MutexLock lock(mutex_);
    std::string summary;
    if (!pushes_)
      for (const Named& named : histograms_) Append(named, &summary);
    return summary;
  }
  void SetFile(Ref<EventFile> file) {
    const tenon::MutexLock lock(mutex_);
    file_ = std::move(file);
  }

 private:
  struct Named {
    std::string name;
    HistogramCounts counts;
  };
  static void Append(const Named& named, std::string* summary) {
    std::string value, histogram;
    named.counts.Append(&histogram);
    PutText(kValueTag, named.name, &value);
    PutBytes(kValueHistogram, histogram, &value);
    PutBytes(kSummaryValue, value, summary);
  }

  const bool pushes_;
  Mutex mutex_;
  SlimVector<Named> histograms_;
  Ref<EventFile> file_;
  std::int64_t step_ = 0;
};

// Tenon runs iterators on the threads of its sessions: a pool has a name only.
class ThreadPoolName final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::ThreadPoolResource";
  std::string DebugString() const override { return "ThreadPoolResource"; }
};

// Names a T that Make() makes.
template <class T>
class HandleKernel : public OpKernel {
 public:
  explicit HandleKernel(OpKernelConstruction* c) : OpKernel(c) {
    Result<ContainerInfo> info = ContainerInfo::From(*c);
    c->SetStatus(info.status());
    if (info.ok()) info_ = *std::move(info);
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Open(context)); }

 private:
  virtual T* Make() const = 0;
  Status Open(OpKernelContext* context) const {
    ResourceMgr* resources = nullptr;
    Ref<T> resource;
    TENON_RETURN_IF_ERROR(GetResources(*context, &resources));
    TENON_RETURN_IF_ERROR(resources->LookupOrCreate<T>(info_.container, info_.name, &resource, [&](auto* made) {
      *made = Ref<T>::Adopt(Make());
      return OkStatus();
    }));
    context->set_output(0, HandleTensor(MakeResourceHandle<T>(context->device_name(), info_.container, info_.name)));
    return OkStatus();
  }
  ContainerInfo info_;
};

class AggregatorKernel : public HandleKernel<StatsAggregator> {
 public:
  explicit AggregatorKernel(OpKernelConstruction* c)
      : HandleKernel(c), pushes_(c->op().name == "StatsAggregatorHandleV2") {}

 private:
  StatsAggregator* Make() const override { return new StatsAggregator(pushes_); }
  const bool pushes_;
};

class ThreadPoolKernel : public HandleKernel<ThreadPoolName> {
 public:
  explicit ThreadPoolKernel(OpKernelConstruction* c) : HandleKernel(c) {
    std::int64_t threads = 0;
    c->SetStatus(c->GetAttr("num_threads", &threads));
    if (threads < 0 || threads > std::numeric_limits<std::int32_t>::max())
      c->SetStatus(
          errors::InvalidArgument("`num_threads` must be greater than or equal to 0 and an int32, got ", threads));
  }

 private:
  ThreadPoolName* Make() const override { return new ThreadPoolName; }
};

class AggregatorSummaryKernel : public OpKernel {
 public:
  explicit AggregatorSummaryKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  static Status Run(OpKernelContext& context) {
    if (context.input(0).dims() != 0) return errors::InvalidArgument("resource_handle must be a scalar");
    Ref<StatsAggregator> aggregator;
    TENON_RETURN_IF_ERROR(LookupResource(context, context.input(0), &aggregator));
    context.set_output(0, Tensor::Scalar(std::string_view(aggregator->Summary())));
    return OkStatus();
  }
};

class SetSummaryWriterKernel : public OpKernel {
 public:
  explicit SetSummaryWriterKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  static Status Run(const OpKernelContext& context) {
    if (context.input(0).dims() != 0 || context.input(1).dims() != 0)
      return errors::InvalidArgument("resource_handle must be a scalar");
    Ref<StatsAggregator> aggregator;
    Ref<EventFile> file;
    TENON_RETURN_IF_ERROR(LookupResource(context, context.input(0), &aggregator));
    TENON_RETURN_IF_ERROR(LookupResource(context, context.input(1), &file));
    aggregator->SetFile(std::move(file));
    return OkStatus();
  }
};

// The input's elements, with a number about each: its bytes, or the microseconds that it took.
class MeasuredData final : public UnaryDataset {
 public:
  MeasuredData(Ref<const DatasetBase> input, std::string_view tag, bool is_latency)
      : UnaryDataset(std::move(input)), tag_(tag), is_latency_(is_latency) {}
  std::string_view TypeString() const override { return is_latency_ ? "LatencyStats" : "BytesProducedStats"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }

 private:
  class Iterator final : public UnaryIterator<MeasuredData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const std::int64_t before = SteadyNanoseconds();
      const Status status = NextOfInput(context, element, end);
      if (context.statistics() == nullptr || *end || !(status.ok() || dataset().is_latency_)) return status;
      double number = static_cast<double>((SteadyNanoseconds() - before) / 1000);
      if (!dataset().is_latency_) {
        number = 0;
        for (const Tensor& tensor : *element) number += static_cast<double>(tensor.TotalBytes());
      }
      context.statistics()->Add(dataset().tag_, number);
      return status;
    }
  };
  const std::string tag_;
  const bool is_latency_;
};

inline Status MakeMeasured(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::string tag;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Text("tag", &tag));
  *out = Own(new MeasuredData(std::move(input), tag,
                              m.IsOp("LatencyStatsDataset") || m.IsOp("ExperimentalLatencyStatsDataset")));
  return OkStatus();
}

// The input's elements. Iterators below give their numbers to an aggregator, under "tag::name".
class AggregatedData final : public UnaryDataset, public IteratorStatistics {
 public:
  AggregatedData(Ref<const DatasetBase> input, Ref<StatsAggregator> aggregator, std::string_view tag)
      : UnaryDataset(std::move(input)), aggregator_(std::move(aggregator)), tag_(tag) {}
  std::string_view TypeString() const override { return "SetStatsAggregator"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  void Add(std::string_view name, double number) const override {
    aggregator_->Add(StrCat(tag_, tag_.empty() ? "" : "::", name), number);
  }

 private:
  class Iterator final : public UnaryIterator<AggregatedData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      IteratorContext reported = context;
      reported.set_statistics(&dataset());
      return NextOfInput(reported, element, end);
    }
  };
  const Ref<StatsAggregator> aggregator_;
  const std::string tag_;
};

inline Status MakeAggregated(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  Ref<StatsAggregator> aggregator;
  std::string tag, prefix;  // the prefix is for counters, which no iterator of Tenon has
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(LookupResource(m.context(), m.context().input(1), &aggregator));
  TENON_RETURN_IF_ERROR(m.Text("tag", &tag));
  TENON_RETURN_IF_ERROR(m.Text("counter_prefix", &prefix));
  *out = Own(new AggregatedData(std::move(input), std::move(aggregator), tag));
  return OkStatus();
}

inline Status MakeWithPool(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<ThreadPoolName> pool;
  TENON_RETURN_IF_ERROR(m.Dataset(0, out));
  return LookupResource(m.context(), m.context().input(1), &pool);
}

// The first of inputs with equal elements: how fast they are cannot be told before a run.
class FastestData final : public UnaryDataset {
 public:
  FastestData(Ref<const DatasetBase> first, ElementSpec spec, std::int64_t cardinality)
      : UnaryDataset(std::move(first), std::move(spec)), cardinality_(cardinality) {}
  std::string_view TypeString() const override { return "ChooseFastest"; }
  std::int64_t Cardinality() const override { return cardinality_; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return input().MakeIterator(context, iterator);
  }

 private:
  const std::int64_t cardinality_;
};

inline Status MakeFastest(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  ElementSpec spec;
  Ref<const DatasetBase> first;
  std::int64_t cardinality = kUnknownCardinality;
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  for (int i = 0; i < m.context().num_inputs(); ++i) {
    Ref<const DatasetBase> input;
    TENON_RETURN_IF_ERROR(m.Dataset(i, &input));
    if (i == 0) first = input;
    if (i > 0 && !VerifyTypesMatch(spec.types, input->spec().types).ok())
      return errors::InvalidArgument("All inputs to ChooseFastestDataset must have the same output types. Input ", i,
                                     " has output types: ", DataTypeListString(input->spec().types),
                                     ". Expected: ", DataTypeListString(spec.types), ".");
    for (std::size_t k = 0; i > 0 && k < spec.shapes.size(); ++k) {
      PartialTensorShape merged;
      if (!spec.shapes[k].MergeWith(input->spec().shapes[k], &merged).ok())
        return errors::InvalidArgument(
            "All inputs to ChooseFastestDataset must have compatible output shapes. Component ", k, " of input ", i,
            " has shape: ", input->spec().shapes[k], ". Expected to be compatible with shape: ", spec.shapes[k], ".");
      spec.shapes[k] = merged;
    }
    const std::int64_t own = input->Cardinality();
    if (cardinality == kUnknownCardinality)
      cardinality = own;
    else if (own != cardinality && own != kUnknownCardinality)
      return errors::InvalidArgument("All inputs to ChooseFastestDataset must have compatible cardinalities. Input ", i,
                                     " has cardinality: ", own,
                                     ", while all prior inputs have cardinality: ", cardinality, ".");
  }
  *out = Own(new FastestData(std::move(first), std::move(spec), cardinality));
  return OkStatus();
}

}  // namespace detail

// The input; SetStatsAggregatorDataset collects how many microseconds each element took.
struct LatencyStatsDataset : detail::DatasetOp<&detail::MakeMeasured> {
  static constexpr auto signature = Op("LatencyStatsDataset")
                                        .Input("input_dataset: variant")
                                        .Input("tag: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::ScalarsShape<1>);
};
struct ExperimentalLatencyStatsDataset : detail::DatasetOp<&detail::MakeMeasured> {
  static constexpr auto signature = detail::Renamed(LatencyStatsDataset::signature, "ExperimentalLatencyStatsDataset");
};

// The input; SetStatsAggregatorDataset collects how many bytes each element has.
struct BytesProducedStatsDataset : detail::DatasetOp<&detail::MakeMeasured> {
  static constexpr auto signature = detail::Renamed(LatencyStatsDataset::signature, "BytesProducedStatsDataset");
};
struct ExperimentalBytesProducedStatsDataset : detail::DatasetOp<&detail::MakeMeasured> {
  static constexpr auto signature =
      detail::Renamed(LatencyStatsDataset::signature, "ExperimentalBytesProducedStatsDataset");
};

// The input, whose numbers go to an aggregator.
struct SetStatsAggregatorDataset : detail::DatasetOp<&detail::MakeAggregated> {
  static constexpr auto signature = Op("SetStatsAggregatorDataset")
                                        .Input("input_dataset: variant")
                                        .Input("stats_aggregator: resource")
                                        .Input("tag: string")
                                        .Input("counter_prefix: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct ExperimentalSetStatsAggregatorDataset : detail::DatasetOp<&detail::MakeAggregated> {
  static constexpr auto signature =
      detail::Renamed(SetStatsAggregatorDataset::signature, "ExperimentalSetStatsAggregatorDataset");
};

// An aggregator, whose histograms StatsAggregatorSummary gives.
struct StatsAggregatorHandle : detail::CpuOp<detail::AggregatorKernel> {
  static constexpr auto signature = Op("StatsAggregatorHandle")
                                        .Output("handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct ExperimentalStatsAggregatorHandle : detail::CpuOp<detail::AggregatorKernel> {
  static constexpr auto signature =
      detail::Renamed(StatsAggregatorHandle::signature, "ExperimentalStatsAggregatorHandle");
};
// One that writes to the file of StatsAggregatorSetSummaryWriter.
struct StatsAggregatorHandleV2 : detail::CpuOp<detail::AggregatorKernel> {
  static constexpr auto signature = detail::Renamed(StatsAggregatorHandle::signature, "StatsAggregatorHandleV2");
};

struct StatsAggregatorSummary : detail::CpuOp<detail::AggregatorSummaryKernel> {
  static constexpr auto signature = Op("StatsAggregatorSummary")
                                        .Input("iterator: resource")
                                        .Output("summary: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct ExperimentalStatsAggregatorSummary : detail::CpuOp<detail::AggregatorSummaryKernel> {
  static constexpr auto signature =
      detail::Renamed(StatsAggregatorSummary::signature, "ExperimentalStatsAggregatorSummary");
};
struct StatsAggregatorSetSummaryWriter : detail::CpuOp<detail::SetSummaryWriterKernel> {
  static constexpr auto signature = Op("StatsAggregatorSetSummaryWriter")
                                        .Input("stats_aggregator: resource")
                                        .Input("summary: resource")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
};

struct ThreadPoolHandle : detail::CpuOp<detail::ThreadPoolKernel> {
  static constexpr auto signature = Op("ThreadPoolHandle")
                                        .Output("handle: resource")
                                        .Attr("num_threads: int")
                                        .Attr("max_intra_op_parallelism: int = 1")
                                        .Attr("display_name: string")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct ExperimentalThreadPoolHandle : detail::CpuOp<detail::ThreadPoolKernel> {
  static constexpr auto signature = detail::Renamed(ThreadPoolHandle::signature, "ExperimentalThreadPoolHandle");
};

// The input.
struct ThreadPoolDataset : detail::DatasetOp<&detail::MakeWithPool> {
  static constexpr auto signature = Op("ThreadPoolDataset")
                                        .Input("input_dataset: variant")
                                        .Input("thread_pool: resource")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct ExperimentalThreadPoolDataset : detail::DatasetOp<&detail::MakeWithPool> {
  static constexpr auto signature = detail::Renamed(ThreadPoolDataset::signature, "ExperimentalThreadPoolDataset");
};

// One of datasets with equal elements.
struct ChooseFastestDataset : detail::DatasetOp<&detail::MakeFastest> {
  static constexpr auto signature = Op("ChooseFastestDataset")
                                        .Input("input_datasets: N * variant")
                                        .Output("handle: variant")
                                        .Attr("N: int >= 2")
                                        .Attr("num_experiments: int")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
};
struct ExperimentalChooseFastestDataset : detail::DatasetOp<&detail::MakeFastest> {
  static constexpr auto signature =
      detail::Renamed(ChooseFastestDataset::signature, "ExperimentalChooseFastestDataset");
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
