// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceRendezvous: a rendezvous of the devices of one process; received tensors lie in the receiver's memory.

#include <string>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/copy_tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/rendezvous.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// thread-safe. Both devices of a key must be the manager's, which outlives all calls and their callbacks. With `peers`
// one of them may be another task's: `peers` gets such keys, with tensors in host memory.
class DeviceRendezvous final : public Rendezvous {
 public:
  // `peers` may be null; it outlives this object otherwise.
  explicit DeviceRendezvous(const DeviceMgr* devices, Rendezvous* peers = nullptr)
      : devices_(devices), peers_(peers), local_(Ref<LocalRendezvous>::Adopt(new LocalRendezvous)) {}

  // Whether this is as a new object with these arguments, and its caller holds the only reference.
  bool IsUnused(const DeviceMgr* devices, const Rendezvous* peers) {
    return devices == devices_ && peers == nullptr && peers_ == nullptr && RefCountIsOne() && local_->IsUnused();
  }

  // As LocalRendezvous::Send; with another task as the receiver as the peers' Send, and the errors of a copy to the
  // host.
  Status Send(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) override {
    if (IsForPeers(key)) [[unlikely]]
      return SendToPeer(key, args, tensor, is_dead);
    return local_->Send(key, args, tensor, is_dead);
  }
  Status SendError(const RendezvousKey& key, const Status& status) override {
    return IsForPeers(key) ? peers_->SendError(key, status) : local_->SendError(key, status);
  }
  // Beside the errors of LocalRendezvous: InvalidArgument for unknown devices and types that cannot be copied,
  // ResourceExhausted when the receiver's memory is out.
  void RecvAsync(const RendezvousKey& key, const Args& args, DoneCallback done) override {
    const bool from_peer = IsForPeers(key);
    const Result<Device*> dst = devices_->LookupDevice(key.dst_device);
    const Result<Device*> src =
        from_peer ? Result<Device*>(devices_->HostCPU()) : devices_->LookupDevice(key.src_device);
    Status status = src.status();
    status.Update(dst.status());
    if (!status.ok()) return done(status, Args(), Args(), Tensor(), false);
    auto transfer = Ref<Transfer>::Adopt(new Transfer);
    transfer->from = *src;
    transfer->to = *dst;
    transfer->from_peer = from_peer;
    transfer->host = devices_->HostCPU();
    transfer->key = key.text;
    transfer->done = std::move(done);
    // Without memory the callback goes, and with it the transfer, whose destructor reports the error.
    (void)detail::Succeeds([&] {
      Rendezvous& table = from_peer ? *peers_ : *local_;
      table.RecvAsync(key, args,
                      [transfer](const Status& received, const Args& send, const Args& recv, const Tensor& tensor,
                                 bool is_dead) { transfer->Arrive(received, send, recv, tensor, is_dead); });
    });
  }
  // Aborts `peers`, too: the other tasks of the step must end.
  void StartAbort(const Status& status) override {
    local_->StartAbort(status);
    if (peers_ != nullptr) peers_->StartAbort(status);
  }

 private:
  ~DeviceRendezvous() override = default;

  bool IsForPeers(const RendezvousKey& key) const { return peers_ != nullptr && key.crosses_tasks; }
  TENON_DETAIL_COLD Status SendToPeer(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) {
    TENON_ASSIGN_OR_RETURN(Device* const src, devices_->LookupDevice(key.src_device));
    Args on_host = args;
    on_host.alloc_attributes.set_on_host(true);
    if (is_dead || args.alloc_attributes.on_host() || src->uses_host_memory() || !tensor.IsInitialized())
      return peers_->Send(key, on_host, tensor, is_dead);
    Tensor copy;
    TENON_RETURN_IF_ERROR(src->CopyToHost(tensor, devices_->HostCPU()->allocator(), &copy));
    return peers_->Send(key, on_host, copy, false);
  }

  // Moves one value to the receiver's memory when it comes. The destructor finds `done` uncalled only if some
  // callback had no memory: it reports that error.
  struct Transfer : RefCounted {
    ~Transfer() override {
      if (done != nullptr)
        End(errors::ResourceExhausted("no memory to move a tensor between devices. Key: ", key), Tensor(), false);
    }
    void Arrive(const Status& status, const Args& send_args, const Args& recv_args, const Tensor& tensor,
                bool is_dead) {
      send = send_args;
      recv = recv_args;
      if (!status.ok() || is_dead || !tensor.IsInitialized()) return End(status, tensor, is_dead);
      const TensorPlace src{from, from_peer || send.alloc_attributes.on_host()},
          dst{to, recv.alloc_attributes.on_host()};
      if (src.is_host() && dst.is_host()) return End(status, tensor, is_dead);
      CopyTensor(src, dst, host->allocator(), tensor,
                 [self = Ref<Transfer>::Share(this)](const Status& copied, const Tensor& copy) {
                   self->Copied(copied, copy);
                 });
    }
    void Copied(const Status& status, const Tensor& copy) {
      if (status.ok()) return End(status, copy, false);
      const bool memory = status.code() == Code::kResourceExhausted;
      End(status.WithAppended(
              StrCat(memory ? "; SameWorkerRecvDone unable to allocate output tensor." : "", " Key: ", key)),
          Tensor(), false);
    }
    void End(const Status& status, const Tensor& tensor, bool is_dead) {
      const DoneCallback call = std::move(done);
      call(status, send, recv, tensor, is_dead);
    }
    Device *from = nullptr, *to = nullptr, *host = nullptr;  // `from` of a peer's tensor is the host
    bool from_peer = false;
    std::string key;
    DoneCallback done;
    Args send, recv;
  };

  const DeviceMgr* devices_;
  Rendezvous* const peers_;
  Ref<LocalRendezvous> local_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
