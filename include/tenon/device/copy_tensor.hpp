// SPDX-License-Identifier: Apache-2.0
#pragma once
// CopyTensor: copies a tensor from the memory of one device, or of the host, into the memory of another.

#include <atomic>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

using CopyDone = Function<void(const Status& status, const Tensor& copy)>;

// Copies tensors from devices of one type to devices of another (or "CPU": host memory) without waiting. The file
// that defines the device links it into a list. immutable.
struct DeviceCopy {
  std::string_view src_type, dst_type;
  // `done` is called once, on any thread. `host_allocator` is for copies to host memory.
  void (*copy)(Device* src, Device* dst, Allocator* host_allocator, const Tensor& from, CopyDone done);
  DeviceCopy* next = nullptr;
  std::atomic<bool> linked{false};
};

namespace detail {

inline constinit std::atomic<DeviceCopy*> device_copies{nullptr};

inline bool LinkDeviceCopy(DeviceCopy* copy) {
  if (copy->linked.exchange(true, std::memory_order_relaxed)) return true;
  copy->next = device_copies.load(std::memory_order_relaxed);
  while (!device_copies.compare_exchange_weak(copy->next, copy, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return true;
}
inline const DeviceCopy* FindDeviceCopy(std::string_view src_type, std::string_view dst_type) {
  const DeviceCopy* copy = device_copies.load(std::memory_order_acquire);
  while (copy != nullptr && (copy->src_type != src_type || copy->dst_type != dst_type)) copy = copy->next;
  return copy;
}

inline void CopyFromHost(Device* src, Device* dst, Allocator* host, const Tensor& from, CopyDone done) {
  if (const DeviceCopy* direct = FindDeviceCopy(Cpu::type, dst->type()))
    return direct->copy(src, dst, host, from, std::move(done));
  Tensor copy;
  const Status status = dst->CopyToDevice(from, &copy);
  done(status, copy);
}
inline void CopyIntoHost(Device* src, Device* dst, Allocator* host, const Tensor& from, CopyDone done) {
  if (const DeviceCopy* direct = FindDeviceCopy(src->type(), Cpu::type))
    return direct->copy(src, dst, host, from, std::move(done));
  Tensor copy;
  const Status status = src->CopyToHost(from, host, &copy);
  done(status, copy);
}

}  // namespace detail

// The device and the memory that a tensor is in, or goes to.
struct TensorPlace {
  Device* device;
  bool on_host;  // in host memory, though it belongs to that device
  bool is_host() const { return on_host || device->uses_host_memory(); }
};

// Copies a tensor. Within host memory the copy shares the buffer. Between devices without a DeviceCopy it goes
// through host memory. `done` is called once: with the error, InvalidArgument for types that live in host memory
// only; or with the copy, which may still be under way in the order of its device's work.
inline void CopyTensor(TensorPlace src, TensorPlace dst, Allocator* host_allocator, const Tensor& from, CopyDone done) {
  if (src.is_host() && dst.is_host()) return done(OkStatus(), from);
  if (SizeOf(from.dtype()) == 0)
    return done(errors::InvalidArgument("Non-DMA-safe ", from.dtype(), " tensor may not be copied from/to a device."),
                Tensor());
  if (src.is_host()) return detail::CopyFromHost(src.device, dst.device, host_allocator, from, std::move(done));
  if (dst.is_host()) return detail::CopyIntoHost(src.device, dst.device, host_allocator, from, std::move(done));
  if (const DeviceCopy* direct = detail::FindDeviceCopy(src.device->type(), dst.device->type()))
    return direct->copy(src.device, dst.device, host_allocator, from, std::move(done));
  struct SecondHalf {
    Device *src, *dst;
    Allocator* host;
    CopyDone done;
    void operator()(const Status& status, const Tensor& on_host) {
      if (!status.ok()) return done(status, Tensor());
      detail::CopyFromHost(src, dst, host, on_host, std::move(done));
    }
  };
  detail::CopyIntoHost(src.device, dst.device, host_allocator, from,
                       SecondHalf{src.device, dst.device, host_allocator, std::move(done)});
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
