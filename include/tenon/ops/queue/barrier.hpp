// SPDX-License-Identifier: Apache-2.0
#pragma once
// Barrier, BarrierInsertMany, BarrierTakeMany, BarrierClose, BarrierReadySize, BarrierIncompleteSize: tuples by key,
// put together from components that come at different times. A take waits without a thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/queue/barrier_resource.hpp>
#include <tenon/ops/variable/handle_reference.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Raw form: the barrier is looked up or made in the first run; its handle is the same in all.
class BarrierKernel : public OpKernel {
 public:
  explicit BarrierKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(Read(*c)); }
  void Compute(OpKernelContext* context) override {
    const tenon::MutexLock lock(mutex_);
    if (!IsRefType(handle_.dtype())) context->SetStatus(Find(*context));
    if (context->status().ok()) context->set_output(0, handle_);
  }

 private:
  Status Read(const OpKernelConstruction& c) {
    std::span<const DataType> types;
    std::span<const PartialTensorShape> shapes;
    std::int64_t capacity = -1;
    TENON_RETURN_IF_ERROR(c.GetAttr("component_types", &types));
    TENON_RETURN_IF_ERROR(c.GetAttr("shapes", &shapes));
    TENON_RETURN_IF_ERROR(c.GetAttr("capacity", &capacity));
    if (shapes.size() != types.size()) return errors::InvalidArgument("All of the component shapes must be specified");
    if (capacity != -1)
      return errors::InvalidArgument(
          "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a limited "
          "capacity.");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      TensorShape shape;
      if (!shapes[i].AsTensorShape(&shape))
        return errors::InvalidArgument("Barrier: all component shapes must be specified, got ", shapes[i]);
      types_.push_back(types[i]);
      shapes_.push_back(shape);
    }
    TENON_ASSIGN_OR_RETURN(info_, ContainerInfo::From(c, false));
    return OkStatus();
  }
  Status Find(const OpKernelContext& context) {
    ResourceMgr* resources = nullptr;
    Ref<KeyBarrier> barrier;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    TENON_RETURN_IF_ERROR(
        resources->LookupOrCreate<KeyBarrier>(info_.container, info_.name, &barrier, [this](Ref<KeyBarrier>* made) {
          *made = Ref<KeyBarrier>::Adopt(new KeyBarrier(info_.name, types_, shapes_));
          return OkStatus();
        }));
    if (!(barrier->types() == types_))
      return errors::InvalidArgument("Shared barrier '", info_.name, "' has component types ",
                                     StrJoin(barrier->types(), ", "), " but requested component types were ",
                                     StrJoin(types_, ", "));
    if (!(barrier->shapes() == shapes_))
      return errors::InvalidArgument("Shared barrier '", info_.name, "' has component shapes ",
                                     StrJoin(barrier->shapes(), ", "), " but requested component shapes were ",
                                     StrJoin(shapes_, ", "));
    return MakeHandleFor<KeyBarrier>(context, 0, info_, &handle_);
  }

  SlimVector<DataType> types_;
  SlimVector<TensorShape> shapes_;
  ContainerInfo info_;
  Mutex mutex_;
  Tensor handle_;
};

inline Status InsertIntoBarrier(const OpKernelContext& context, std::int64_t component, const Tensor& keys,
                                const Tensor& values) {
  Ref<KeyBarrier> barrier;
  TENON_RETURN_IF_ERROR(LookupEither<KeyBarrier>(context, 0, &barrier));
  const auto count = static_cast<std::int64_t>(barrier->types().size());
  if (component < 0 || component >= count)
    return errors::InvalidArgument("The component ID is out of range ", component, " > num_components (= ", count, ")");
  const auto at = static_cast<std::size_t>(component);
  if (barrier->types()[at] != values.dtype())
    return errors::InvalidArgument("Signature mismatch, have: string_ref, string, ", values.dtype(),
                                   "-> expected: string_ref, string, ", barrier->types()[at], "->");
  TensorShape wanted = barrier->shapes()[at];
  TENON_RETURN_IF_ERROR(wanted.InsertDimWithStatus(0, keys.NumElements()));
  if (!(wanted == values.shape()))
    return errors::InvalidArgument("Shape mismatch in barrier '", barrier->name(), "': component ", component, " of ",
                                   keys.shape(), " keys must be ", wanted, ", got ", values.shape());
  if (keys.NumElements() > 0 && values.NumElements() == 0)
    return errors::InvalidArgument("Tensors with no elements are not supported ", barrier->name(), ": received shape ",
                                   values.shape());
  return barrier->Insert(keys, at, values);
}

struct BarrierTakeAttrs {
  bool allow_small_batch;
  std::int64_t timeout_ms;
};
inline void TakeFromBarrier(OpKernelContext& context, const BarrierTakeAttrs& attrs, const Tensor& count, Done done) {
  Ref<KeyBarrier> barrier;
  Status status = LookupEither<KeyBarrier>(context, 0, &barrier);
  if (status.ok() && attrs.timeout_ms != -1)
    status = errors::InvalidArgument("Timeout not supported yet: timeout_ms must be -1, got ", attrs.timeout_ms);
  if (status.ok() && count.dims() != 0)
    status = errors::InvalidArgument("num_elements must be a scalar, got shape ", count.shape());
  if (status.ok() && *count.data<std::int32_t>() < 0)
    status = errors::InvalidArgument("num_elements must be >= 0, got ", *count.data<std::int32_t>());
  if (status.ok()) {
    SlimVector<DataType> wanted;
    for (int i = 2; i < context.num_outputs(); ++i) wanted.push_back(context.expected_output_dtype(i));
    if (!(wanted == barrier->types()))
      status = errors::InvalidArgument("Signature mismatch, have component types: ", StrJoin(wanted, ", "),
                                       ", expected: ", StrJoin(barrier->types(), ", "));
  }
  if (!status.ok()) return done(status);
  barrier->Start(Owned<WaitedResource::Attempt>(
      new KeyBarrier::Take(&context, std::move(done), barrier, *count.data<std::int32_t>(), attrs.allow_small_batch)));
}

}  // namespace detail

struct Barrier {
  static constexpr auto signature = Op("Barrier")
                                        .Output("handle: Ref(string)")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("shapes: list(shape) >= 0 = []")
                                        .Attr("capacity: int = -1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::BarrierKernel {
    using detail::BarrierKernel::BarrierKernel;
  };
};

// keys: [n], values: [n, ...]
struct BarrierInsertMany {
  static constexpr auto signature = Op("BarrierInsertMany")
                                        .Input("handle: Ref(string)")
                                        .Input("keys: string")
                                        .Input("values: T")
                                        .Attr("T: type")
                                        .Attr("component_index: int")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle keys, values;
                                          DimensionHandle unused;
                                          TENON_RETURN_IF_ERROR(detail::CheckTwoElements(c, 0));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
                                          TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &values));
                                          return c->Merge(c->Dim(keys, 0), c->Dim(values, 0), &unused);
                                        });
  struct Attrs {
    std::int64_t component_index;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& keys, const Tensor& values) const {
      return detail::InsertIntoBarrier(context.op(), this->component_index, keys, values);
    }
  };
};

// indices: [n], the insertions that brought the keys; keys: [n]; values: [n, ...] each
struct BarrierTakeMany {
  static constexpr auto signature = Op("BarrierTakeMany")
                                        .Input("handle: Ref(string)")
                                        .Input("num_elements: int32")
                                        .Output("indices: int64")
                                        .Output("keys: string")
                                        .Output("values: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("allow_small_batch: bool = false")
                                        .Attr("wait_for_incomplete: bool = false")
                                        .Attr("timeout_ms: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::BarrierTakeAttrs;
  static constexpr std::string_view unused[] = {"wait_for_incomplete"};  // as in TensorFlow, which never reads it

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, const Tensor& num_elements, Tensor&, Tensor&,
                    std::span<Tensor>, Done done) const {
      detail::TakeFromBarrier(context.op(), *this, num_elements, std::move(done));
    }
  };
};

// No new keys come in; incomplete ones may be completed unless cancel_pending_enqueues.
struct BarrierClose {
  static constexpr auto signature = Op("BarrierClose")
                                        .Input("handle: Ref(string)")
                                        .Attr("cancel_pending_enqueues: bool = false")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  struct Attrs {
    bool cancel_pending_enqueues;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&) const {
      Ref<detail::KeyBarrier> barrier;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::KeyBarrier>(context.op(), 0, &barrier));
      return barrier->Close(this->cancel_pending_enqueues);
    }
  };
};

struct BarrierReadySize {
  static constexpr auto signature = Op("BarrierReadySize")
                                        .Input("handle: Ref(string)")
                                        .Output("size: int32")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> size) const {
      Ref<detail::KeyBarrier> barrier;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::KeyBarrier>(context.op(), 0, &barrier));
      size[0] = barrier->ReadySize();
      return OkStatus();
    }
  };
};

struct BarrierIncompleteSize {
  static constexpr auto signature = Op("BarrierIncompleteSize")
                                        .Input("handle: Ref(string)")
                                        .Output("size: int32")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> size) const {
      Ref<detail::KeyBarrier> barrier;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::KeyBarrier>(context.op(), 0, &barrier));
      size[0] = barrier->IncompleteSize();
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
