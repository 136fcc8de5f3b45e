// SPDX-License-Identifier: Apache-2.0
#pragma once
// FilterDataset, ParallelFilterDataset, TakeWhileDataset: elements for which a function holds.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/map.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Whether the predicate holds. InvalidArgument: its result is not one bool.
inline Status ToHolds(const DatasetElement& result, std::string_view message, bool* holds) {
  if (result.size() != 1 || result[0].dtype() != DataType::kBool || result[0].NumElements() != 1)
    return errors::InvalidArgument(message);
  *holds = *result[0].data<bool>();
  return OkStatus();
}

class FilterData final : public FunctionData {
 public:
  FilterData(Ref<const DatasetBase> input, CapturedFunction f, bool leading)
      : FunctionData(input, input->spec(), std::move(f)), take_while(leading) {}
  std::string_view TypeString() const override { return take_while ? "TakeWhile" : "Filter"; }
  std::int64_t Cardinality() const override { return kUnknownCardinality; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const bool take_while;  // the first element for which it does not hold ends the dataset

 private:
  class Iterator final : public FunctionIterator<FilterData> {
   public:
    using FunctionIterator::FunctionIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      DatasetElement result;
      for (bool holds = false; !holds;) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
        if (*end) return OkStatus();
        TENON_RETURN_IF_ERROR(function_.Run(context, *element, &result));
        TENON_RETURN_IF_ERROR(ToHolds(result,
                                      dataset().take_while ? "`predicate` must returns a scalar bool tensor."
                                                           : "Filter predicate `f` must return a scalar bool.",
                                      &holds));
        if (holds || !dataset().take_while) continue;
        input_.reset();
        element->clear();
        *end = true;
        return OkStatus();
      }
      return OkStatus();
    }
  };
};

inline Status MakeFilter(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  CapturedFunction function;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Function("predicate", "other_arguments", &function));
  if (m.IsOp("ParallelFilterDataset")) {
    std::int64_t calls = 0;
    TENON_RETURN_IF_ERROR(m.Scalar("num_parallel_calls", &calls));
    TENON_RETURN_IF_ERROR(CheckParallelCalls(calls));
    TENON_RETURN_IF_ERROR(CheckDeterminism(m));
  }
  *out = Own(new FilterData(std::move(input), std::move(function),
                            m.IsOp("TakeWhileDataset") || m.IsOp("ExperimentalTakeWhileDataset")));
  return OkStatus();
}

}  // namespace detail

// Elements for which predicate(element, other_arguments) holds.
struct FilterDataset {
  static constexpr auto signature = Op("FilterDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("predicate: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeFilter> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As FilterDataset.
struct ParallelFilterDataset {
  static constexpr auto signature = Op("ParallelFilterDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("num_parallel_calls: int64")
                                        .Output("handle: variant")
                                        .Attr("predicate: func")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeFilter> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The elements before the first one for which the predicate does not hold.
struct TakeWhileDataset {
  static constexpr auto signature = Op("TakeWhileDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("predicate: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeFilter> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
