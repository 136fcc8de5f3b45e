// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScanDataset, ReduceDataset: a state that a function carries from one element to the next.

#include <cstddef>
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

class ScanData final : public FunctionData {
 public:
  ScanData(Ref<const DatasetBase> input, ElementSpec spec, CapturedFunction f, DatasetElement state, bool preserve)
      : FunctionData(std::move(input), std::move(spec), std::move(f)),
        initial_state(std::move(state)),
        preserve_cardinality(preserve) {}
  std::string_view TypeString() const override { return "Scan"; }
  std::int64_t Cardinality() const override {
    const std::int64_t n = input().Cardinality();
    return preserve_cardinality || n == kInfiniteCardinality ? n : kUnknownCardinality;
  }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const DatasetElement initial_state;
  const bool preserve_cardinality;

 private:
  class Iterator final : public FunctionIterator<ScanData> {
   public:
    explicit Iterator(const ScanData* dataset) : FunctionIterator(dataset), state_(dataset->initial_state) {}
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      DatasetElement input, results;
      TENON_RETURN_IF_ERROR(NextOfInput(context, &input, end));
      if (*end) return OkStatus();
      TENON_RETURN_IF_ERROR(
          EndOrError(function_.Run(context, state_, &results, input), dataset().preserve_cardinality, end));
      if (*end) return OkStatus();
      const std::size_t states = state_.size(), outputs = dataset().spec().types.size();
      if (results.size() < states + outputs)
        return errors::Internal("Expected `scan_func` to return ", states + outputs, " tensors, got ", results.size());
      if (results.size() > states + outputs)
        return errors::InvalidArgument("Expected `scan_func` to return ", states + outputs, " tensors, got ",
                                       results.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        const DataType wanted = i < states ? dataset().initial_state[i].dtype() : dataset().spec().types[i - states];
        if (results[i].dtype() != wanted)
          return errors::InvalidArgument("Got wrong type for scan_func return value ", i, " (expected ", wanted,
                                         ", got ", results[i].dtype(), ").");
      }
      for (std::size_t i = 0; i < states; ++i) state_[i] = std::move(results[i]);
      for (std::size_t i = states; i < results.size(); ++i) element->push_back(std::move(results[i]));
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->AddElement(state_);
      return FunctionIterator::Save(writer);
    }
    Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
      SlimVector<DataType> types;
      for (const Tensor& state : dataset().initial_state) types.push_back(state.dtype());
      TENON_RETURN_IF_ERROR(reader->TakeElement(types, &state_));
      if (state_.empty()) return IteratorStateReader::Unfit();
      return FunctionIterator::Restore(context, reader);
    }

   private:
    DatasetElement state_;
  };
};

inline Status MakeScan(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  CapturedFunction function;
  DatasetElement state;
  bool preserve = false;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("f", "other_arguments", &function));
  TENON_RETURN_IF_ERROR(m.List("initial_state", &state));
  if (m.HasAttr("preserve_cardinality")) TENON_RETURN_IF_ERROR(m.Attr("preserve_cardinality", &preserve));
  *out = Own(new ScanData(std::move(input), std::move(spec), std::move(function), std::move(state), preserve));
  return OkStatus();
}

class ReduceKernel : public OpKernel {
 public:
  explicit ReduceKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* op) {
    const DatasetMaker m(op);
    Ref<const DatasetBase> input;
    ElementSpec spec;
    CapturedFunction function;
    DatasetElement state, element, results;
    Owned<IteratorBase> iterator;
    TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
    TENON_RETURN_IF_ERROR(m.Spec(&spec));
    TENON_RETURN_IF_ERROR(m.Function("f", "other_arguments", &function));
    TENON_RETURN_IF_ERROR(m.List("initial_state", &state));
    IteratorContext context(op->environment());
    FunctionCaller caller(&function);
    TENON_RETURN_IF_ERROR(caller.Initialize(context));
    TENON_RETURN_IF_ERROR(input->MakeIterator(context, &iterator));
    for (bool end = false;;) {
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
      if (end) break;
      bool ended = false;
      TENON_RETURN_IF_ERROR(EndOrError(caller.Run(context, state, &results, element), true, &ended));
      if (results.size() != state.size())
        return errors::InvalidArgument(
            "The number of components of the initial state and the reduce function output does not match. "
            "(initial_state=",
            state.size(), ", output=", results.size(), ").");
      state = std::move(results);
    }
    TENON_RETURN_IF_ERROR(VerifyElement(spec, state));
    for (std::size_t i = 0; i < state.size(); ++i) op->set_output(static_cast<int>(i), std::move(state[i]));
    return OkStatus();
  }
};

// The attrs output_shapes, one for each of output_types; the first input is a scalar.
inline Status ElementShapes(InferenceContext* c) {
  ShapeHandle unused;
  SlimVector<ShapeHandle> shapes;
  SlimVector<DataType> types;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  TENON_RETURN_IF_ERROR(c->GetShapeListAttr("output_shapes", &shapes));
  TENON_RETURN_IF_ERROR(c->GetAttr("output_types", &types));
  if (shapes.size() != types.size())
    return errors::InvalidArgument("`output_shapes` must be the same length as `output_types` (", shapes.size(),
                                   " vs. ", types.size());
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, shapes[static_cast<std::size_t>(i)]);
  return OkStatus();
}

}  // namespace detail

// The outputs of f(state, element, other_arguments), whose first results are the next state.
struct ScanDataset {
  static constexpr auto signature = Op("ScanDataset")
                                        .Input("input_dataset: variant")
                                        .Input("initial_state: Tstate")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Tstate: list(type) >= 1")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("preserve_cardinality: bool = false")
                                        .Attr("use_default_device: bool = true")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeScan> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The last state of state = f(state, element, other_arguments).
struct ReduceDataset {
  static constexpr auto signature = Op("ReduceDataset")
                                        .Input("input_dataset: variant")
                                        .Input("initial_state: Tstate")
                                        .Input("other_arguments: Targuments")
                                        .Output("components: output_types")
                                        .Attr("f: func")
                                        .Attr("Tstate: list(type) >= 1")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("use_inter_op_parallelism: bool = true")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ElementShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ReduceKernel {
    explicit kernel(OpKernelConstruction* c) : ReduceKernel(c) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
