// SPDX-License-Identifier: Apache-2.0
#pragma once
// _Send, _Recv and their forms for host memory, _HostSend and _HostRecv: the ends of an edge between two devices. A
// partition of a graph has them where an edge was cut; the run's rendezvous brings the tensor across. Graphs that name
// the ends themselves have Send and Recv.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/rendezvous.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// The edge that a node's attrs name. The key outside of all loops is made once.
class TransferredEdge {
 public:
  Status Read(const OpKernelConstruction& c) {
    std::string src, dst, name;
    std::int64_t incarnation = 0;
    TENON_RETURN_IF_ERROR(c.GetAttr("send_device", &src));
    TENON_RETURN_IF_ERROR(c.GetAttr("recv_device", &dst));
    TENON_RETURN_IF_ERROR(c.GetAttr("send_device_incarnation", &incarnation));
    TENON_RETURN_IF_ERROR(c.GetAttr("tensor_name", &name));
    TENON_ASSIGN_OR_RETURN(outside_, RendezvousKey::Parse(RendezvousKey::Create(
                                         src, static_cast<std::uint64_t>(incarnation), dst, name, {})));
    return OkStatus();
  }
  // *storage is used where the key is not the usual one.
  Status KeyFor(const OpKernelContext& context, RendezvousKey* storage, const RendezvousKey** key) const {
    const FrameAndIteration where{context.environment().frame_id, context.environment().iteration};
    *key = &outside_;
    if (where.frame_id == 0 && where.iteration == 0) [[likely]]
      return OkStatus();
    TENON_ASSIGN_OR_RETURN(*storage,
                           RendezvousKey::Parse(RendezvousKey::Create(outside_.src_device, outside_.src_incarnation,
                                                                      outside_.dst_device, outside_.edge_name, where)));
    *key = storage;
    return OkStatus();
  }

 private:
  RendezvousKey outside_;
};

inline Status GetRendezvous(const OpKernelContext& context, Rendezvous** rendezvous) {
  const RunServices* services = context.environment().services;
  *rendezvous = services == nullptr ? nullptr : services->rendezvous;
  if (*rendezvous != nullptr) [[likely]]
    return OkStatus();
  return errors::Internal("Op kernel context needs to provide a rendezvous.");
}

// Sends its input, or word that it is dead: then the input has no dtype.
class SendKernel : public OpKernel {
 public:
  SendKernel(OpKernelConstruction* c, bool from_host) : OpKernel(c) {
    if (from_host) set_input_memory_type(0, MemoryType::kHost);
    c->SetStatus(edge_.Read(*c));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Send(*context)); }

 private:
  Status Send(const OpKernelContext& context) const {
    Rendezvous* rendezvous = nullptr;
    TENON_RETURN_IF_ERROR(GetRendezvous(context, &rendezvous));
    RendezvousKey storage;
    const RendezvousKey* key = nullptr;
    TENON_RETURN_IF_ERROR(edge_.KeyFor(context, &storage, &key));
    Rendezvous::Args args;
    args.alloc_attributes.set_on_host(context.input_memory_type(0) == MemoryType::kHost);
    const bool is_dead = !context.has_input(0);
    return rendezvous->Send(*key, args, is_dead ? Tensor() : context.input(0), is_dead);
  }
  TransferredEdge edge_;
};

// Asynchronous. A dead value leaves the output without one.
class RecvKernel : public AsyncOpKernel {
 public:
  RecvKernel(OpKernelConstruction* c, bool to_host) : AsyncOpKernel(c) {
    if (to_host) set_output_memory_type(0, MemoryType::kHost);
    c->SetStatus(edge_.Read(*c));
  }
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    if (const Status status = Start(context, done); !status.ok()) {
      context->SetStatus(status);
      done();
    }
  }

 private:
  Status Start(OpKernelContext* context, DoneCallback done) const {
    Rendezvous* rendezvous = nullptr;
    TENON_RETURN_IF_ERROR(GetRendezvous(*context, &rendezvous));
    RendezvousKey storage;
    const RendezvousKey* key = nullptr;
    TENON_RETURN_IF_ERROR(edge_.KeyFor(*context, &storage, &key));
    Rendezvous::Args args;
    args.alloc_attributes.set_on_host(context->output_memory_type(0) == MemoryType::kHost);
    args.cancellation = context->cancellation_manager();
    rendezvous->RecvAsync(*key, args,
                          [context, done](const Status& status, const Rendezvous::Args&, const Rendezvous::Args&,
                                          const Tensor& tensor, bool is_dead) {
                            if (!status.ok())
                              context->SetStatus(status);
                            else if (!is_dead)
                              context->set_output(0, tensor);
                            done();
                          });
    return OkStatus();
  }
  TransferredEdge edge_;
};

// The signature of an op that sends a tensor, or receives one.
template <class S>
constexpr auto SenderOf(S op) {
  return op.Input("tensor: T")
      .Attr("T: type")
      .Attr("tensor_name: string")
      .Attr("send_device: string")
      .Attr("send_device_incarnation: int")
      .Attr("recv_device: string")
      .Attr("client_terminated: bool = false")
      .SetIsStateful()
      .SetShapeFn(shape_inference::NoOutputs);
}
template <class S>
constexpr auto ReceiverOf(S op) {
  return op.Output("tensor: tensor_type")
      .Attr("tensor_type: type")
      .Attr("tensor_name: string")
      .Attr("send_device: string")
      .Attr("send_device_incarnation: int")
      .Attr("recv_device: string")
      .Attr("client_terminated: bool = false")
      .SetIsStateful()
      .SetIsDistributedCommunication()
      .SetShapeFn(shape_inference::UnknownShape);
}

}  // namespace detail

// TensorFlow's `_Send`.
struct Send {
  static constexpr auto signature = detail::SenderOf(Op("_Send"));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::SendKernel {
    explicit kernel(OpKernelConstruction* c) : SendKernel(c, false) {}
  };
};

// TensorFlow's `_Recv`.
struct Recv {
  static constexpr auto signature = detail::ReceiverOf(Op("_Recv"));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::RecvKernel {
    explicit kernel(OpKernelConstruction* c) : RecvKernel(c, false) {}
  };
};

// TensorFlow's `Send`, without the underscore.
struct PublicSend {
  static constexpr auto signature = detail::SenderOf(Op("Send"));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = Send::kernel<Device>;
};

// TensorFlow's `Recv`, without the underscore.
struct PublicRecv {
  static constexpr auto signature = detail::ReceiverOf(Op("Recv"));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = Recv::kernel<Device>;
};

// TensorFlow's `_HostSend`.
struct HostSend {
  static constexpr auto signature = detail::SenderOf(Op("_HostSend"));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::SendKernel {
    explicit kernel(OpKernelConstruction* c) : SendKernel(c, true) {}
  };
};

// TensorFlow's `_HostRecv`.
struct HostRecv {
  static constexpr auto signature = detail::ReceiverOf(Op("_HostRecv"));
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::RecvKernel {
    explicit kernel(OpKernelConstruction* c) : RecvKernel(c, true) {}
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
