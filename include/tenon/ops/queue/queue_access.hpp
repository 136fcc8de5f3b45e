// SPDX-License-Identifier: Apache-2.0
#pragma once
// QueueEnqueueV2, QueueDequeueV2, their Many and UpTo forms, QueueCloseV2, QueueSizeV2, QueueIsClosedV2. Ops that may
// have to wait are asynchronous: no thread waits with them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/queue/queue_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status GetQueue(const OpKernelContext& context, Ref<TensorQueue>* queue) {
  return LookupEither<TensorQueue>(context, 0, queue);
}
inline Status CheckQueueTypes(const TensorQueue& queue, std::span<const DataType> types) {
  const SlimVector<DataType>& have = queue.options().types;
  if (have.size() == types.size() && std::equal(have.begin(), have.end(), types.begin())) return OkStatus();
  return errors::InvalidArgument("Signature mismatch, have: resource, ", StrJoin(types, ", "),
                                 "-> expected: resource, ", StrJoin(have, ", "), "->");
}
inline Status NoTimeout(std::int64_t timeout_ms) {
  if (timeout_ms == -1) return OkStatus();
  return errors::InvalidArgument("Timeout not supported yet: timeout_ms must be -1, got ", timeout_ms);
}

// Reports the end of an op that gets no rows.
struct DoneReceiver final : TensorQueue::Receiver {
  explicit DoneReceiver(Done d) : done(std::move(d)) {}
  void Finish(const TensorQueue&, const Status& status, SlimVector<TensorQueue::Row>) override { done(status); }
  Done done;
};

// ---- in

// The components' shapes, without their first dimension when there are `many` rows of them.
inline Status CheckComponents(const TensorQueue& queue, std::span<const Tensor> components, bool many) {
  const SlimVector<PartialTensorShape>& shapes = queue.options().shapes;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (many && components[i].dims() < 1)
      return errors::InvalidArgument("Shape mismatch in tuple component ", i,
                                     ". QueueEnqueueMany needs at least a vector, got ", components[i].shape());
    PartialTensorShape wanted;
    if (!shapes.empty()) wanted = shapes[i];
    if (many)
      wanted = shapes.empty() ? PartialTensorShape()
                              : PartialTensorShape({components[0].dim_size(0)}).Concatenate(shapes[i]);
    const bool same_rows = !many || components[i].dim_size(0) == components[0].dim_size(0);
    if (!same_rows && shapes.empty())
      return errors::InvalidArgument("Shape mismatch in tuple component ", i, ". Expected [", components[0].dim_size(0),
                                     ", ...], got ", components[i].shape());
    if (!wanted.IsCompatibleWith(components[i].shape()))
      return errors::InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ", wanted, ", got ",
                                     components[i].shape());
  }
  if (queue.options().kind == QueueKind::kPriority && components[0].dims() != (many ? 1 : 0))
    return errors::InvalidArgument("Expected priority element to be a ", many ? "vector" : "scalar",
                                   ", but received shape: ", components[0].shape());
  return OkStatus();
}

inline Status MakeRows(const OpKernelContext& context, std::span<const Tensor> components, bool many,
                       SlimVector<TensorQueue::Row>* rows) {
  if (!many) {
    rows->emplace_back(components.begin(), components.end());
    return OkStatus();
  }
  const Index count = components[0].dim_size(0);
  for (Index r = 0; r < count; ++r) {
    TensorQueue::Row row;
    for (const Tensor& all : components) {
      TensorShape shape = all.shape();
      TENON_RETURN_IF_ERROR(shape.RemoveDimWithStatus(0));
      TENON_ASSIGN_OR_RETURN(Tensor one, Tensor::Make(all.dtype(), shape, context.environment().result_allocator));
      const ElementMover mover = MoverOf(all.dtype());
      CopyRun(mover, mover.At(all.raw_data(), r * one.NumElements()), one.raw_data(), one.NumElements());
      row.push_back(std::move(one));
    }
    rows->push_back(std::move(row));
  }
  return OkStatus();
}

inline void RunEnqueue(OpKernelContext& context, std::span<const Tensor> components, std::int64_t timeout_ms, bool many,
                       Done done) {
  Ref<TensorQueue> queue;
  SlimVector<TensorQueue::Row> rows;
  SlimVector<DataType> types;
  for (const Tensor& component : components) types.push_back(component.dtype());
  Status status = NoTimeout(timeout_ms);
  if (status.ok()) status = GetQueue(context, &queue);
  if (status.ok()) status = CheckQueueTypes(*queue, types);
  if (status.ok()) status = CheckComponents(*queue, components, many);
  if (status.ok()) status = MakeRows(context, components, many, &rows);
  if (!status.ok()) return done(status);
  queue->Enqueue(std::move(rows), context.cancellation_manager(),
                 Ref<DoneReceiver>::Adopt(new DoneReceiver(std::move(done))));
}

// ---- out

// Copies `from` into a corner of row `row` of `to` ([rows] + the greatest shape); both have the same rank behind it.
inline void CopyToRow(const Tensor& from, Index row, Tensor* to) {
  const ElementMover mover = MoverOf(to->dtype());
  const int rank = from.dims();
  const Index run = rank == 0 ? 1 : from.dim_size(rank - 1);
  const Index runs = run == 0 ? 0 : from.NumElements() / run;
  for (Index i = 0; i < runs; ++i) {
    Index at = 0, rest = i, stride = rank == 0 ? 1 : to->dim_size(rank);
    for (int d = rank - 2; d >= 0; --d) {
      at += rest % from.dim_size(d) * stride;
      rest /= from.dim_size(d);
      stride *= to->dim_size(d + 1);
    }
    const Index width = to->dim_size(0) == 0 ? 0 : to->NumElements() / to->dim_size(0);
    CopyRun(mover, mover.At(from.raw_data(), i * run), mover.At(to->raw_data(), row * width + at), run);
  }
}

// The rows of component c as one tensor, padded with zeros where they are smaller than the greatest.
inline Status JoinRows(const SlimVector<TensorQueue::Row>& rows, std::size_t c, DataType dtype,
                       const PartialTensorShape& declared, Allocator* allocator, Tensor* out) {
  TensorShape shape;
  for (int d = 0; d < declared.dims(); ++d) {
    Index size = declared.dim_size(d) < 0 ? 0 : declared.dim_size(d);
    for (const TensorQueue::Row& row : rows) size = size < row[c].dim_size(d) ? row[c].dim_size(d) : size;
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(size));
  }
  TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, static_cast<Index>(rows.size())));
  TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, allocator));
  if (!declared.IsFullyDefined()) ZeroRun(MoverOf(dtype), out->raw_data(), out->NumElements());
  for (std::size_t r = 0; r < rows.size(); ++r) CopyToRow(rows[r][c], static_cast<Index>(r), out);
  return OkStatus();
}

// Puts the rows into the op's outputs, as they are or joined.
struct OutputReceiver final : TensorQueue::Receiver {
  OutputReceiver(OpKernelContext* c, bool m, Done d) : many(m), context(c), done(std::move(d)) {}
  void Finish(const TensorQueue& queue, const Status& status, SlimVector<TensorQueue::Row> rows) override {
    done(status.ok() ? Deliver(queue.options(), &rows) : status);
  }
  Status Deliver(const TensorQueue::Options& options, SlimVector<TensorQueue::Row>* rows) const {
    for (std::size_t c = 0; c < options.types.size(); ++c) {
      Tensor value(DataType::kInvalid);
      if (many)
        TENON_RETURN_IF_ERROR(
            JoinRows(*rows, c, options.types[c], options.shapes[c], context->environment().result_allocator, &value));
      else
        value = std::move((*rows)[0][c]);
      context->set_output(static_cast<int>(c), std::move(value));
    }
    return OkStatus();
  }
  const bool many;
  OpKernelContext* const context;
  Done done;
};

inline void RunDequeue(OpKernelContext& context, std::int64_t timeout_ms, const Tensor* n, bool up_to, Done done) {
  Ref<TensorQueue> queue;
  SlimVector<DataType> types;
  Index count = 1;
  for (int i = 0; i < context.num_outputs(); ++i) types.push_back(context.expected_output_dtype(i));
  Status status = NoTimeout(timeout_ms);
  if (status.ok()) status = GetQueue(context, &queue);
  if (status.ok()) status = CheckQueueTypes(*queue, types);
  if (status.ok() && n != nullptr) {
    if (n->NumElements() != 1)
      status = errors::InvalidArgument("The number of elements to dequeue must be a scalar, got shape ", n->shape());
    else if (count = *n->data<std::int32_t>(); count < 0)
      status =
          errors::InvalidArgument(up_to ? "DequeueUpToOp" : "DequeueManyOp", " requested ", count, " < 0 elements");
    else if (queue->options().shapes.size() != types.size())
      status = errors::InvalidArgument(
          queue->kind_name(), "'s DequeueMany and DequeueUpTo require the components to have specified shapes.");
  }
  if (!status.ok()) return done(status);
  queue->Dequeue(count, up_to, context.cancellation_manager(),
                 Ref<OutputReceiver>::Adopt(new OutputReceiver(&context, n != nullptr, std::move(done))));
}

}  // namespace detail

struct QueueEnqueueV2 {
  static constexpr auto signature = Op("QueueEnqueueV2")
                                        .Input("handle: resource")
                                        .Input("components: Tcomponents")
                                        .Attr("Tcomponents: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  struct Attrs {
    std::int64_t timeout_ms;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, std::span<const Tensor> components, Done done) const {
      detail::RunEnqueue(context.op(), components, this->timeout_ms, false, std::move(done));
    }
  };
};

// One element for each row of the components: [n, ...].
struct QueueEnqueueManyV2 {
  static constexpr auto signature = Op("QueueEnqueueManyV2")
                                        .Input("handle: resource")
                                        .Input("components: Tcomponents")
                                        .Attr("Tcomponents: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  struct Attrs {
    std::int64_t timeout_ms;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, std::span<const Tensor> components, Done done) const {
      detail::RunEnqueue(context.op(), components, this->timeout_ms, true, std::move(done));
    }
  };
};

struct QueueDequeueV2 {
  static constexpr auto signature = Op("QueueDequeueV2")
                                        .Input("handle: resource")
                                        .Output("components: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  struct Attrs {
    std::int64_t timeout_ms;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, std::span<Tensor>, Done done) const {
      detail::RunDequeue(context.op(), this->timeout_ms, nullptr, false, std::move(done));
    }
  };
};

// n elements, joined: [n, ...].
struct QueueDequeueManyV2 {
  static constexpr auto signature = Op("QueueDequeueManyV2")
                                        .Input("handle: resource")
                                        .Input("n: int32")
                                        .Output("components: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  struct Attrs {
    std::int64_t timeout_ms;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, const Tensor& n, std::span<Tensor>, Done done) const {
      detail::RunDequeue(context.op(), this->timeout_ms, &n, false, std::move(done));
    }
  };
};

// n elements, joined, or fewer when the queue is closed.
struct QueueDequeueUpToV2 {
  static constexpr auto signature = Op("QueueDequeueUpToV2")
                                        .Input("handle: resource")
                                        .Input("n: int32")
                                        .Output("components: component_types")
                                        .Attr("component_types: list(type) >= 1")
                                        .Attr("timeout_ms: int = -1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  struct Attrs {
    std::int64_t timeout_ms;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, const Tensor& n, std::span<Tensor>, Done done) const {
      detail::RunDequeue(context.op(), this->timeout_ms, &n, true, std::move(done));
    }
  };
};

// Refuses new elements. Elements that are there may be taken out.
struct QueueCloseV2 {
  static constexpr auto signature = Op("QueueCloseV2")
                                        .Input("handle: resource")
                                        .Attr("cancel_pending_enqueues: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  struct Attrs {
    bool cancel_pending_enqueues;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    void operator()(Context<Device>& context, const Tensor&, Done done) const {
      Ref<detail::TensorQueue> queue;
      if (Status status = detail::GetQueue(context.op(), &queue); !status.ok()) return done(status);
      queue->Close(this->cancel_pending_enqueues, context.op().cancellation_manager(),
                   Ref<detail::DoneReceiver>::Adopt(new detail::DoneReceiver(std::move(done))));
    }
  };
};

struct QueueIsClosedV2 {
  static constexpr auto signature = Op("QueueIsClosedV2")
                                        .Input("handle: resource")
                                        .Output("is_closed: bool")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<bool> is_closed) const {
      Ref<detail::TensorQueue> queue;
      TENON_RETURN_IF_ERROR(detail::GetQueue(context.op(), &queue));
      is_closed[0] = queue->IsClosed();
      return OkStatus();
    }
  };
};

struct QueueSizeV2 {
  static constexpr auto signature = Op("QueueSizeV2")
                                        .Input("handle: resource")
                                        .Output("size: int32")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> size) const {
      Ref<detail::TensorQueue> queue;
      TENON_RETURN_IF_ERROR(detail::GetQueue(context.op(), &queue));
      size[0] = static_cast<std::int32_t>(queue->Size());
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
