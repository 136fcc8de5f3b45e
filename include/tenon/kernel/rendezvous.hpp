// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rendezvous: where the two ends of an edge between devices meet. One side sends a tensor under a key, the other asks
// for it; neither waits for the other to come first. An interface: runtime/executor/local_rendezvous.hpp has the table.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/kernel/cancellation.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Which turn of which loop a value belongs to; outside of all loops both are 0.
struct FrameAndIteration {
  std::uint64_t frame_id = 0;
  std::int64_t iteration = 0;
};

// A key that was read: what it names, and the text itself. immutable.
struct RendezvousKey {
  std::string text;
  std::string_view src_device, dst_device, edge_name;  // of `text`
  DeviceName src, dst;
  std::uint64_t src_incarnation = 0;
  std::uint64_t hash = 0;  // of `text`
  bool crosses_tasks = false;  // the devices belong to different tasks

  RendezvousKey() = default;
  RendezvousKey(const RendezvousKey& other) { *this = other; }
  RendezvousKey& operator=(const RendezvousKey& other);

  // "<source>;<incarnation, 16 hex digits>;<destination>;<edge>;<frame>:<iteration>".
  static std::string Create(std::string_view src_device, std::uint64_t src_incarnation, std::string_view dst_device,
                            std::string_view edge_name, FrameAndIteration where);
  // InvalidArgument unless there are five parts, both devices complete, the incarnation hexadecimal and the others not
  // empty.
  static Result<RendezvousKey> Parse(std::string text);
};

// thread-safe. A key may be sent several times: the values are received in their order.
class Rendezvous : public RefCounted {
 public:
  struct Args {
    AllocatorAttributes alloc_attributes;  // where the tensor is, or is wanted
    CancellationManager* cancellation = nullptr;  // the receiver's, if it may give up; outlives the wait
  };
  // `send` is what the sender said, `recv` what the receiver did; both are empty after an error.
  using DoneCallback =
      Function<void(const Status& status, const Args& send, const Args& recv, const Tensor& tensor, bool is_dead)>;

  // Hands the tensor over; a receiver that waits is called back on this thread. An error, once the rendezvous was
  // aborted.
  virtual Status Send(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) = 0;
  // Sends an error after the tensors sent before: receivers of the key that wait, and all later ones, get it. The first
  // error of a key counts, and later Sends return it. Returns the rendezvous' own error, once it was aborted.
  virtual Status SendError(const RendezvousKey& key, const Status& status) = 0;
  // Calls `done` once: at once when the tensor is there, else on the thread that sends it, aborts, or cancels. A
  // receiver that is cancelled takes no tensor.
  virtual void RecvAsync(const RendezvousKey& key, const Args& args, DoneCallback done) = 0;
  // Ends all waits, and all later calls, with this error; the first one counts.
  virtual void StartAbort(const Status& status) = 0;

  // Waits. DeadlineExceeded after `timeout_ms` milliseconds (0: never): this cancels the receiver, and the next tensor
  // goes to the next receiver. Returns a tensor that arrives at that moment. `*tensor` is unchanged after an error.
  Status Recv(const RendezvousKey& key, const Args& args, Tensor* tensor, bool* is_dead, std::int64_t timeout_ms = 0);

 private:
  // One Recv, on its thread's stack.
  struct Wait {
    Notification done;
    Status status;
    Tensor* tensor;
    bool* is_dead;
  };
};

inline Status Rendezvous::Recv(const RendezvousKey& key, const Args& args, Tensor* tensor, bool* is_dead,
                               std::int64_t timeout_ms) {
  CancellationManager timeout(args.cancellation);
  Wait wait{{}, {}, tensor, is_dead};
  Args own = args;
  if (timeout_ms > 0) own.cancellation = &timeout;
  RecvAsync(key, own, [&wait](const Status& status, const Args&, const Args&, const Tensor& value, bool dead) {
    wait.status = status;
    if (status.ok()) {
      *wait.tensor = value;
      *wait.is_dead = dead;
    }
    wait.done.Notify();
  });
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / 1000;
  const bool late = timeout_ms > 0 && !wait.done.WaitForNotificationWithTimeout(std::min(timeout_ms, kLongest) * 1000);
  if (late) timeout.StartCancel();
  wait.done.WaitForNotification();
  if (late && wait.status.code() == Code::kCancelled)
    return errors::DeadlineExceeded("Timed out waiting for notification");
  return wait.status;
}

inline RendezvousKey& RendezvousKey::operator=(const RendezvousKey& other) {
  const auto part = [&](std::string_view of) {
    return of.empty()
               ? std::string_view()
               : std::string_view(text).substr(static_cast<std::size_t>(of.data() - other.text.data()), of.size());
  };
  text = other.text;
  src_device = part(other.src_device);
  dst_device = part(other.dst_device);
  edge_name = part(other.edge_name);
  src = other.src;
  dst = other.dst;
  src_incarnation = other.src_incarnation;
  hash = other.hash;
  crosses_tasks = other.crosses_tasks;
  return *this;
}

inline std::string RendezvousKey::Create(std::string_view src_device, std::uint64_t src_incarnation,
                                         std::string_view dst_device, std::string_view edge_name,
                                         FrameAndIteration where) {
  char hex[16];
  for (int i = 0; i < 16; ++i) hex[i] = "0123456789abcdef"[(src_incarnation >> (60 - 4 * i)) & 15];
  return StrCat(src_device, ";", std::string_view(hex, sizeof hex), ";", dst_device, ";", edge_name, ";",
                where.frame_id, ":", where.iteration);
}

inline Result<RendezvousKey> RendezvousKey::Parse(std::string text) {
  RendezvousKey key;
  key.text = std::move(text);
  const auto invalid = [&key] { return errors::InvalidArgument("Invalid  rendezvous key: ", key.text); };
  std::string_view parts[5], rest = key.text;
  for (int i = 0; i < 5; ++i) {
    const std::size_t end = rest.find(';');
    if ((end == std::string_view::npos) != (i == 4)) return invalid();
    parts[i] = rest.substr(0, end);
    if (i < 4) rest.remove_prefix(end + 1);
  }
  if (parts[1].empty() || parts[1].size() > 16 || parts[3].empty() || parts[4].empty()) return invalid();
  for (const char c : parts[1]) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return invalid();
    key.src_incarnation = key.src_incarnation << 4 | static_cast<std::uint64_t>(digit);
  }
  if (!DeviceName::Parse(parts[0], &key.src) || !key.src.IsComplete() || !DeviceName::Parse(parts[2], &key.dst) ||
      !key.dst.IsComplete())
    return invalid();
  key.src_device = parts[0];
  key.dst_device = parts[2];
  key.edge_name = parts[3];
  key.hash = Hash64(key.text);
  key.crosses_tasks = !IsSameAddressSpace(key.src, key.dst);
  return key;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
