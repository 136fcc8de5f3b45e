// SPDX-License-Identifier: Apache-2.0
#pragma once
// FIFOQueueV2, PaddingFIFOQueueV2, RandomShuffleQueueV2, PriorityQueueV2: the ops that make a queue. queue_access.hpp
// has the ops that put tensors in and take them out.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/queue/queue_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Raw form: the queue is looked up or made in the first run; its handle is the same in all.
class QueueKernel : public OpKernel {
 public:
  QueueKernel(OpKernelConstruction* c, QueueKind kind) : OpKernel(c) {
    options_.kind = kind;
    c->SetStatus(Read(*c));
  }
  void Compute(OpKernelContext* context) override {
    const tenon::MutexLock lock(mutex_);
    if (BaseType(handle_.dtype()) != BaseType(output_type(0))) context->SetStatus(Find(*context));
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
    const bool by_priority = options_.kind == QueueKind::kPriority;
    if (by_priority) options_.types.push_back(DataType::kInt64);
    for (const DataType type : types) options_.types.push_back(type);
    if (by_priority && shapes.empty())
      return errors::InvalidArgument(c.def().op, ": All component shapes must be specified, got none");
    if (by_priority && shapes.size() == types.size()) options_.shapes.push_back(TensorShape());
    for (const PartialTensorShape& shape : shapes) {
      if (options_.kind == QueueKind::kPadding ? shape.unknown_rank() : !shape.IsFullyDefined())
        return errors::InvalidArgument(c.def().op, ": All component shapes must ",
                                       options_.kind == QueueKind::kPadding ? "have specified ranks" : "be specified",
                                       ", got ", shape);
      options_.shapes.push_back(shape);
    }
    if (options_.kind == QueueKind::kPadding ? shapes.size() != types.size()
                                             : !shapes.empty() && shapes.size() != types.size())
      return errors::InvalidArgument("Different number of component types. Types: ", StrJoin(types, ", "),
                                     ", Shapes: [", StrJoin(shapes, ", "), "]");
    options_.capacity = capacity < 0 ? -1 : capacity;
    if (options_.kind == QueueKind::kShuffle) {
      std::int64_t seed = 0, seed2 = 0;
      TENON_RETURN_IF_ERROR(c.GetAttr("min_after_dequeue", &options_.min_after_dequeue));
      TENON_RETURN_IF_ERROR(c.GetAttr("seed", &seed));
      TENON_RETURN_IF_ERROR(c.GetAttr("seed2", &seed2));
      if (options_.min_after_dequeue < 0)
        return errors::InvalidArgument("min_after_dequeue ", options_.min_after_dequeue, " must be >= 0");
      if (options_.capacity >= 0 && options_.min_after_dequeue >= options_.capacity)
        return errors::InvalidArgument("min_after_dequeue ", options_.min_after_dequeue, " must be < capacity ",
                                       options_.capacity);
      options_.seed = static_cast<std::uint64_t>(seed);
      options_.seed2 = static_cast<std::uint64_t>(seed2);
      if (seed == 0 && seed2 == 0) {
        std::random_device random;
        options_.seed = std::uint64_t{random()} << 32 | random();
        options_.seed2 = std::uint64_t{random()} << 32 | random();
      }
    }
    TENON_ASSIGN_OR_RETURN(info_, ContainerInfo::From(c, true));
    options_.name = info_.name;
    return OkStatus();
  }
  Status Find(const OpKernelContext& context) {
    ResourceMgr* resources = nullptr;
    Ref<TensorQueue> queue;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    TENON_RETURN_IF_ERROR(
        resources->LookupOrCreate<TensorQueue>(info_.container, info_.name, &queue, [this](Ref<TensorQueue>* made) {
          *made = Ref<TensorQueue>::Adopt(new TensorQueue(options_));
          return OkStatus();
        }));
    TENON_RETURN_IF_ERROR(CheckSame(*queue));
    return MakeHandleFor<TensorQueue>(context, 0, info_, &handle_);
  }
  // A queue that another node made must be the one this node asks for.
  Status CheckSame(const TensorQueue& queue) const {
    const TensorQueue::Options& have = queue.options();
    if (have.kind != options_.kind)
      return errors::InvalidArgument("Shared queue '", have.name, "' has type '", queue.kind_name(),
                                     "' that does not match type of Node '", name(), "': ", type_string());
    if (have.capacity != options_.capacity)
      return errors::InvalidArgument("Shared queue '", have.name, "' has capacity ", have.capacity,
                                     " but requested capacity was ", options_.capacity);
    if (!(have.types == options_.types))
      return errors::InvalidArgument("Shared queue '", have.name, "' has component types ", StrJoin(have.types, ", "),
                                     " but requested component types were ", StrJoin(options_.types, ", "));
    if (!(have.shapes == options_.shapes))
      return errors::InvalidArgument("Shared queue '", have.name, "' has component shapes ", StrJoin(have.shapes, ", "),
                                     " but requested component shapes were ", StrJoin(options_.shapes, ", "));
    if (have.min_after_dequeue != options_.min_after_dequeue)
      return errors::InvalidArgument("Shared queue '", have.name, "' has min_after_dequeue ", have.min_after_dequeue,
                                     " but requested min_after_dequeue was ", options_.min_after_dequeue);
    return OkStatus();
  }

  TensorQueue::Options options_;
  ContainerInfo info_;
  Mutex mutex_;
  Tensor handle_;
};

}  // namespace detail

// First in, first out.
struct FIFOQueueV2 {
  static constexpr auto signature = Op("FIFOQueueV2")
                                        .Output("handle: resource")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("shapes: list(shape) >= 0 = []")
                                        .Attr("capacity: int = -1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::QueueKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : QueueKernel(c, detail::QueueKind::kFifo) {}
  };
};

// First in, first out. Elements of several sizes are padded with zeros when they are taken together.
struct PaddingFIFOQueueV2 {
  static constexpr auto signature = Op("PaddingFIFOQueueV2")
                                        .Output("handle: resource")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("shapes: list(shape) >= 0 = []")
                                        .Attr("capacity: int = -1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::QueueKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : QueueKernel(c, detail::QueueKind::kPadding) {}
  };
};

// Any of the elements; min_after_dequeue of them stay while the queue is open.
struct RandomShuffleQueueV2 {
  static constexpr auto signature = Op("RandomShuffleQueueV2")
                                        .Output("handle: resource")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("shapes: list(shape) >= 0 = []")
                                        .Attr("capacity: int = -1")
                                        .Attr("min_after_dequeue: int = 0")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::QueueKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : QueueKernel(c, detail::QueueKind::kShuffle) {}
  };
};

// The element with the least priority first; priorities are an int64 component in front of the other components.
struct PriorityQueueV2 {
  static constexpr auto signature = Op("PriorityQueueV2")
                                        .Output("handle: resource")
                                        .Attr("component_types: list(type) >= 0 = []")
                                        .Attr("shapes: list(shape) >= 0")
                                        .Attr("capacity: int = -1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::QueueKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : QueueKernel(c, detail::QueueKind::kPriority) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
