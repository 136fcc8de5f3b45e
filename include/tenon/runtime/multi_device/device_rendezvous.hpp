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

// thread-safe. Both devices of a key must be the manager's, which outlives all calls and their callbacks.
class DeviceRendezvous final : public Rendezvous {
 public:
  explicit DeviceRendezvous(const DeviceMgr* devices)
      : devices_(devices), local_(Ref<LocalRendezvous>::Adopt(new LocalRendezvous)) {}

  Status Send(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) override {
    return local_->Send(key, args, tensor, is_dead);
  }
  Status SendError(const RendezvousKey& key, const Status& status) override { return local_->SendError(key, status); }
  // Beside the errors of LocalRendezvous: InvalidArgument for unknown devices and types that cannot be copied,
  // ResourceExhausted when the receiver's memory is out.
  void RecvAsync(const RendezvousKey& key, const Args& args, DoneCallback done) override {
    const Result<Device*> src = devices_->LookupDevice(key.src_device), dst = devices_->LookupDevice(key.dst_device);
    Status status = src.status();
    status.Update(dst.status());
    if (!status.ok()) return done(status, Args(), Args(), Tensor(), false);
    auto transfer = Ref<Transfer>::Adopt(new Transfer);
    transfer->from = *src;
    transfer->to = *dst;
    transfer->host = devices_->HostCPU();
    transfer->key = key.text;
    transfer->done = std::move(done);
    // Without memory the callback goes, and with it the transfer, whose destructor reports the error.
    (void)detail::Succeeds([&] {
      local_->RecvAsync(key, args,
                        [transfer](const Status& received, const Args& send, const Args& recv, const Tensor& tensor,
                                   bool is_dead) { transfer->Arrive(received, send, recv, tensor, is_dead); });
    });
  }
  void StartAbort(const Status& status) override { local_->StartAbort(status); }

 private:
  ~DeviceRendezvous() override = default;

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
      const TensorPlace src{from, send.alloc_attributes.on_host()}, dst{to, recv.alloc_attributes.on_host()};
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
    Device *from = nullptr, *to = nullptr, *host = nullptr;
    std::string key;
    DoneCallback done;
    Args send, recv;
  };

  const DeviceMgr* devices_;
  Ref<LocalRendezvous> local_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
