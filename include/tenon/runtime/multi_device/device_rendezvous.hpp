// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceRendezvous: a rendezvous of the devices of one process; what is received lies in the receiver's memory.

#include <string>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/copy_tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/rendezvous.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// thread-safe. Both devices of a key must be the manager's, which outlives all calls and their callbacks.
class DeviceRendezvous final : public Rendezvous {
 public:
  explicit DeviceRendezvous(const DeviceMgr* devices)
      : devices_(devices), local_(Ref<LocalRendezvous>::Adopt(new LocalRendezvous)) {}

  Status Send(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) override {
    return local_->Send(key, args, tensor, is_dead);
  }
  // Beside the errors of LocalRendezvous: InvalidArgument for unknown devices and types that cannot be copied,
  // ResourceExhausted when the receiver's memory is out.
  void RecvAsync(const RendezvousKey& key, const Args& args, DoneCallback done) override {
    const Result<Device*> src = devices_->LookupDevice(key.src_device), dst = devices_->LookupDevice(key.dst_device);
    Status status = src.status();
    status.Update(dst.status());
    if (!status.ok()) return done(status, Args(), Args(), Tensor(), false);
    local_->RecvAsync(key, args, Arrival{*src, *dst, devices_->HostCPU(), key.text, std::move(done)});
  }
  void StartAbort(const Status& status) override { local_->StartAbort(status); }

 private:
  ~DeviceRendezvous() override = default;

  // What is done with a value when it comes.
  struct Arrival {
    Device *src, *dst, *host;
    std::string key;
    DoneCallback done;
    void operator()(const Status& status, const Args& send, const Args& recv, const Tensor& tensor, bool is_dead) {
      if (!status.ok() || is_dead || !tensor.IsInitialized()) return done(status, send, recv, tensor, is_dead);
      const TensorPlace from{src, send.alloc_attributes.on_host()}, to{dst, recv.alloc_attributes.on_host()};
      if (from.is_host() && to.is_host()) return done(status, send, recv, tensor, is_dead);
      CopyTensor(from, to, host->allocator(), tensor, Copied{send, recv, std::move(key), std::move(done)});
    }
  };
  struct Copied {
    Args send, recv;
    std::string key;
    DoneCallback done;
    void operator()(const Status& status, const Tensor& copy) {
      if (status.ok()) return done(status, send, recv, copy, false);
      const bool memory = status.code() == Code::kResourceExhausted;
      done(status.WithAppended(
               StrCat(memory ? "; SameWorkerRecvDone unable to allocate output tensor." : "", " Key: ", key)),
           send, recv, Tensor(), false);
    }
  };

  const DeviceMgr* devices_;
  Ref<LocalRendezvous> local_;
};

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
