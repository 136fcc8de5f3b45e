// SPDX-License-Identifier: Apache-2.0
#pragma once
// GeneratorDataset: elements that a function makes of a state.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/detached_context.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// state = init_func(); elements next_func(state) until it is OutOfRange; then finalize_func(state), also where an
// iterator goes before.
class GeneratorData final : public DatasetBase {
 public:
  GeneratorData(ElementSpec spec, CapturedFunction init, CapturedFunction next, CapturedFunction finalize)
      : DatasetBase(std::move(spec)),
        init_func(std::move(init)),
        next_func(std::move(next)),
        finalize_func(std::move(finalize)) {}
  std::string_view TypeString() const override { return "Generator"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const CapturedFunction init_func, next_func, finalize_func;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const GeneratorData* dataset)
        : dataset_(Ref<const GeneratorData>::Share(dataset)),
          init_(&dataset->init_func),
          next_(&dataset->next_func),
          finalize_(&dataset->finalize_func) {}
    ~Iterator() override {
      if (!is_initialized_ || is_finalized_ || detached_ == nullptr) return;
      // Nothing can be done about an error here.
      (void)detached_->Call([this](IteratorContext& context) { return Finalize(context); });
    }
    Status Initialize(IteratorContext& context) {
      for (FunctionCaller* caller : {&init_, &next_, &finalize_}) TENON_RETURN_IF_ERROR(caller->Initialize(context));
      return OkStatus();
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      if (!is_initialized_) {
        TENON_RETURN_IF_ERROR(init_.Run(context, {}, &state_));
        if (DetachedContext::IsPossible(context)) detached_ = MakeOwned<DetachedContext>(context);
        is_initialized_ = true;
      }
      *end = is_finalized_;
      if (*end) return OkStatus();
      const Status status = next_.Run(context, state_, element);
      if (status.ok()) return VerifyTypesMatch(dataset_->spec().types, *element);
      if (status.code() != Code::kOutOfRange) return status;
      *end = true;
      return Finalize(context);
    }
    Status Save(IteratorStateWriter*) const override {
      return errors::Unimplemented("GeneratorDataset: the position of a generator cannot be saved");
    }
    Status Restore(IteratorContext&, IteratorStateReader*) override {
      return errors::Unimplemented("GeneratorDataset: the position of a generator cannot be restored");
    }

   private:
    Status Finalize(IteratorContext& context) {
      DatasetElement ignored;
      is_finalized_ = true;
      return finalize_.Run(context, state_, &ignored);
    }
    const Ref<const GeneratorData> dataset_;
    FunctionCaller init_, next_, finalize_;
    Owned<DetachedContext> detached_;
    DatasetElement state_;
    bool is_initialized_ = false, is_finalized_ = false;
  };
};

inline Status MakeGenerator(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  ElementSpec spec;
  CapturedFunction init, next, finalize;
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Function("init_func", "init_func_other_args", &init));
  TENON_RETURN_IF_ERROR(m.Function("next_func", "next_func_other_args", &next));
  TENON_RETURN_IF_ERROR(m.Function("finalize_func", "finalize_func_other_args", &finalize));
  *out = Own(new GeneratorData(std::move(spec), std::move(init), std::move(next), std::move(finalize)));
  return OkStatus();
}

}  // namespace detail

// The results of next_func(state) until it is OutOfRange.
struct GeneratorDataset {
  static constexpr auto signature = Op("GeneratorDataset")
                                        .Input("init_func_other_args: Tinit_func_args")
                                        .Input("next_func_other_args: Tnext_func_args")
                                        .Input("finalize_func_other_args: Tfinalize_func_args")
                                        .Output("handle: variant")
                                        .Attr("init_func: func")
                                        .Attr("next_func: func")
                                        .Attr("finalize_func: func")
                                        .Attr("Tinit_func_args: list(type) >= 0")
                                        .Attr("Tnext_func_args: list(type) >= 0")
                                        .Attr("Tfinalize_func_args: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeGenerator> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
