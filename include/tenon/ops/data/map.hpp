// SPDX-License-Identifier: Apache-2.0
#pragma once
// MapDataset, ParallelMapDataset, ParallelMapDatasetV2: a function of every element. Elements come in order, one after
// the other, so that parallel forms give what the sequential one gives.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// A dataset that applies a function to its input.
class FunctionData : public UnaryDataset {
 public:
  FunctionData(Ref<const DatasetBase> input, ElementSpec spec, CapturedFunction f)
      : UnaryDataset(std::move(input), std::move(spec)), function(std::move(f)) {}
  const CapturedFunction function;
};

// The base of iterators that call it.
template <class D>
class FunctionIterator : public UnaryIterator<D> {
 public:
  explicit FunctionIterator(const D* dataset) : UnaryIterator<D>(dataset), function_(&dataset->function) {}
  Status Initialize(IteratorContext& context) override {
    TENON_RETURN_IF_ERROR(UnaryIterator<D>::Initialize(context));
    return function_.Initialize(context);
  }

 protected:
  FunctionCaller function_;
};

// Functions may end a dataset by OutOfRange, unless the dataset promises as many elements as its input.
inline Status EndOrError(Status status, bool preserve_cardinality, bool* end) {
  if (status.code() != Code::kOutOfRange) return status;
  if (preserve_cardinality)
    return errors::InvalidArgument("Function invocation produced OutOfRangeError: ", status.message());
  *end = true;
  return OkStatus();
}

class MapData final : public FunctionData {
 public:
  MapData(Ref<const DatasetBase> input, ElementSpec spec, CapturedFunction f, bool preserve)
      : FunctionData(std::move(input), std::move(spec), std::move(f)), preserve_cardinality(preserve) {}
  std::string_view TypeString() const override { return "Map"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    return preserve_cardinality || n == kInfiniteCardinality ? n : kUnknownCardinality;
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const bool preserve_cardinality;

 private:
  class Iterator final : public FunctionIterator<MapData> {
   public:
    using FunctionIterator::FunctionIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      DatasetElement args;
      TENON_RETURN_IF_ERROR(NextOfInput(context, &args, end));
      if (*end) return OkStatus();
      TENON_RETURN_IF_ERROR(EndOrError(function_.Run(context, args, element), dataset().preserve_cardinality, end));
      return *end ? OkStatus() : VerifyTypesMatch(dataset().spec().types, *element);
    }
  };
};

// -1 lets TensorFlow choose.
inline Status CheckParallelCalls(std::int64_t calls) {
  if (calls > 0 || calls == -1) return OkStatus();
  return errors::InvalidArgument("num_parallel_calls must be greater than zero.");
}
// default, true or false.
inline Status CheckDeterminism(const DatasetMaker& m) {
  std::string_view deterministic;
  if (!m.HasAttr("deterministic")) return OkStatus();
  TENON_RETURN_IF_ERROR(m.Attr("deterministic", &deterministic));
  if (deterministic == "default" || deterministic == "true" || deterministic == "false") return OkStatus();
  return errors::InvalidArgument("Unrecognized determinism policy: ", deterministic);
}

inline Status MakeMap(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  CapturedFunction function;
  bool preserve = false;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("f", "other_arguments", &function));
  TENON_RETURN_IF_ERROR(m.Attr("preserve_cardinality", &preserve));
  if (m.IsOp("ParallelMapDataset")) {
    std::int32_t calls = 0;
    TENON_RETURN_IF_ERROR(m.Scalar("num_parallel_calls", &calls));
    TENON_RETURN_IF_ERROR(CheckParallelCalls(calls));
  } else if (m.IsOp("ParallelMapDatasetV2")) {
    std::int64_t calls = 0;
    TENON_RETURN_IF_ERROR(m.Scalar("num_parallel_calls", &calls));
    TENON_RETURN_IF_ERROR(CheckParallelCalls(calls));
    TENON_RETURN_IF_ERROR(CheckDeterminism(m));
  }
  *out = Own(new MapData(std::move(input), std::move(spec), std::move(function), preserve));
  return OkStatus();
}

}  // namespace detail

// f(element, other_arguments) of every element.
struct MapDataset {
  static constexpr auto signature = Op("MapDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("use_inter_op_parallelism: bool = true")
                                        .Attr("preserve_cardinality: bool = false")
                                        .Attr("force_synchronous: bool = false")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeMap> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As MapDataset.
struct ParallelMapDataset {
  static constexpr auto signature = Op("ParallelMapDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("num_parallel_calls: int32")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("use_inter_op_parallelism: bool = true")
                                        .Attr("sloppy: bool = false")
                                        .Attr("preserve_cardinality: bool = false")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeMap> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As MapDataset.
struct ParallelMapDatasetV2 {
  static constexpr auto signature = Op("ParallelMapDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("num_parallel_calls: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("use_inter_op_parallelism: bool = true")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("preserve_cardinality: bool = false")
                                        .Attr("use_unbounded_threadpool: bool = false")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeMap> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
