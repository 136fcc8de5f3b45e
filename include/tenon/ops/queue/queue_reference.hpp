// SPDX-License-Identifier: Apache-2.0
#pragma once
// The queue ops of old graphs: FIFOQueue, QueueEnqueue and so on, which pass their queue by reference. The kernels are
// those of the newer ops; FakeQueue makes a reference of a handle.

#include <string_view>

#include <tenon/base/mutex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/queue/queue.hpp>
#include <tenon/ops/queue/queue_access.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct FIFOQueue {
  static constexpr auto signature = Op("FIFOQueue")
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
  using kernel = FIFOQueueV2::kernel<Device>;
};

struct PaddingFIFOQueue {
  static constexpr auto signature = Op("PaddingFIFOQueue")
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
  using kernel = PaddingFIFOQueueV2::kernel<Device>;
};

struct RandomShuffleQueue {
  static constexpr auto signature = Op("RandomShuffleQueue")
                                        .Output("handle: Ref(string)")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("shapes: list(shape) >= 0 = []")
                                        .Attr("capacity: int = -1")
                                        .Attr("min_after_dequeue: int = 0")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = RandomShuffleQueueV2::kernel<Device>;
};

struct PriorityQueue {
  static constexpr auto signature = Op("PriorityQueue")
                                        .Output("handle: Ref(string)")
                                        .Attr("component_types: list(type) >= 0 = []")
                                        .Attr("shapes: list(shape) >= 0")
                                        .Attr("capacity: int = -1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = PriorityQueueV2::kernel<Device>;
};

// A reference to the queue that a handle names.
struct FakeQueue {
  static constexpr auto signature = Op("FakeQueue")
                                        .Input("resource: resource")
                                        .Output("handle: Ref(string)")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& resource, Tensor& handle) const {
      const ResourceHandle* from = nullptr;
      TENON_RETURN_IF_ERROR(HandleOf(resource, &from));
      return detail::MakeHandleReference(from->container, from->name, &handle);
    }
  };
};

struct QueueEnqueue {
  static constexpr auto signature = Op("QueueEnqueue")
                                        .Input("handle: Ref(string)")
                                        .Input("components: Tcomponents")
                                        .Attr("Tcomponents: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = QueueEnqueueV2::Attrs;
  template <class Device>
  using kernel = QueueEnqueueV2::kernel<Device>;
};

struct QueueEnqueueMany {
  static constexpr auto signature = Op("QueueEnqueueMany")
                                        .Input("handle: Ref(string)")
                                        .Input("components: Tcomponents")
                                        .Attr("Tcomponents: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = QueueEnqueueManyV2::Attrs;
  template <class Device>
  using kernel = QueueEnqueueManyV2::kernel<Device>;
};

struct QueueDequeue {
  static constexpr auto signature = Op("QueueDequeue")
                                        .Input("handle: Ref(string)")
                                        .Output("components: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = QueueDequeueV2::Attrs;
  template <class Device>
  using kernel = QueueDequeueV2::kernel<Device>;
};

struct QueueDequeueMany {
  static constexpr auto signature = Op("QueueDequeueMany")
                                        .Input("handle: Ref(string)")
                                        .Input("n: int32")
                                        .Output("components: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = QueueDequeueManyV2::Attrs;
  template <class Device>
  using kernel = QueueDequeueManyV2::kernel<Device>;
};

struct QueueDequeueUpTo {
  static constexpr auto signature = Op("QueueDequeueUpTo")
                                        .Input("handle: Ref(string)")
                                        .Input("n: int32")
                                        .Output("components: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = QueueDequeueUpToV2::Attrs;
  template <class Device>
  using kernel = QueueDequeueUpToV2::kernel<Device>;
};

struct QueueClose {
  static constexpr auto signature = Op("QueueClose")
                                        .Input("handle: Ref(string)")
                                        .Attr("cancel_pending_enqueues: bool = false")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  using Attrs = QueueCloseV2::Attrs;
  template <class Device>
  using kernel = QueueCloseV2::kernel<Device>;
};

struct QueueIsClosed {
  static constexpr auto signature = Op("QueueIsClosed")
                                        .Input("handle: Ref(string)")
                                        .Output("is_closed: bool")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = QueueIsClosedV2::kernel<Device>;
};

struct QueueSize {
  static constexpr auto signature = Op("QueueSize")
                                        .Input("handle: Ref(string)")
                                        .Output("size: int32")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = QueueSizeV2::kernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
