// SPDX-License-Identifier: Apache-2.0
// The devices of the emulation: memory that the host cannot touch, streams as queues that run late, events, graphs.
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda_runtime.h"

namespace emulation {

struct Event {
  unsigned flags = 0;
  long recorded = 0, reached = 0;  // numbers of records
  std::uint64_t order = 0;         // of the last record; its stream's number of operations then
  Stream* stream = nullptr;        // of the last record
  Graph* capture = nullptr;        // that the last record belongs to
  std::chrono::steady_clock::time_point when{};
};
struct Operation {
  std::function<void()> run;  // empty: a wait alone
  Event* waits_for = nullptr;
  long record = 0;  // of that event
};
struct Graph {
  std::vector<Operation> operations;  // in an order that the streams and events of the capture allow
  Stream* origin = nullptr;
  bool broken = false;
};
struct Stream {
  int device = 0;
  unsigned flags = 0;
  std::deque<Operation> queue;
  bool running = false;  // an operation, or a wait of it for another stream
  Graph* capture = nullptr;
  std::uint64_t operations = 0, joined = 0;  // of a capture: queued; those that another stream waits for
};
struct Pool {
  int device = 0;
  std::size_t reserved = 0, reserved_high = 0, used = 0, used_high = 0;
};

namespace {

[[noreturn]] void Die(const char* what, const void* where) {
  std::fprintf(stderr, "CUDA emulation: %s: %p\n", what, where);
  std::abort();
}

struct Settings {
  bool eager = false;          // streams run at once
  bool mixed = false;          // other streams' work may run before that which is waited for
  Order order = Order::kForward;
  int devices = 1;
  std::size_t memory = std::size_t{1} << 30;  // bytes of each device
};
// TENON_CUDA_EMULATION, words separated by spaces: eager, mixed, reverse, shuffled, devices=N, mebibytes=N.
const Settings& GetSettings() {
  static const Settings settings = [] {
    Settings s;
    const char* const text = std::getenv("TENON_CUDA_EMULATION");
    std::string_view rest = text != nullptr ? text : "";
    while (!rest.empty()) {
      const std::size_t end = rest.find(' ');
      const std::string_view word = rest.substr(0, end);
      rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
      const auto number = [&](std::string_view name) { return std::atol(word.data() + name.size()); };
      if (word == "eager")
        s.eager = true;
      else if (word == "mixed")
        s.mixed = true;
      else if (word == "reverse")
        s.order = Order::kReverse;
      else if (word == "shuffled")
        s.order = Order::kShuffled;
      else if (word.starts_with("devices="))
        s.devices = static_cast<int>(number("devices="));
      else if (word.starts_with("mebibytes="))
        s.memory = static_cast<std::size_t>(number("mebibytes=")) << 20;
      else if (!word.empty())
        Die("unknown word in TENON_CUDA_EMULATION", text);
    }
    return s;
  }();
  return settings;
}

// ---- memory of a device: pages that fault unless work of a stream runs

constexpr std::size_t kAddresses = std::size_t{64} << 30, kGuard = 256, kPage = 4096;
constexpr unsigned char kFresh = 0xFF, kGuardByte = 0xFD, kFreed = 0xDB;

struct Block {
  std::size_t bytes = 0, room = 0;
  Pool* pool = nullptr;
};
struct Device {
  char* base = nullptr;
  std::size_t top = 0;  // bytes of addresses given out so far
  std::size_t used = 0;
  bool is_open = false;                              // the host can touch its memory
  std::map<char*, Block> blocks;                     // by first byte
  std::multimap<std::size_t, char*> free;            // rooms by size
  std::vector<std::pair<Stream*, std::pair<std::size_t, char*>>> freed;  // rooms whose free is queued
  std::vector<bool> peers;                           // devices whose memory kernels here may touch
  std::unique_ptr<Stream> null_stream;
};
// What has been given to every stream of a process, in one lock: calls and kernels run one at a time.
struct Machine {
  std::recursive_mutex mutex;
  std::vector<Device> devices;
  std::vector<Stream*> streams;
  std::map<char*, std::size_t> pinned;
  cudaError_t sticky = cudaSuccess;
  Counters counters{};
  long fail_from = -1, fail_count = 0;
  std::uint32_t seed = 7;
  int draining = 0;  // calls of Drain within each other
};
Machine& GetMachine() {
  static Machine& machine = *[] {
    auto* const m = new Machine;
    m->devices.resize(static_cast<std::size_t>(GetSettings().devices));
    for (std::size_t i = 0; i < m->devices.size(); ++i) {
      Device& device = m->devices[i];
      void* const base = mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (base == MAP_FAILED) Die("no addresses for the memory of a device", nullptr);
      device.base = static_cast<char*>(base);
      device.peers.resize(m->devices.size());
      device.null_stream = std::make_unique<Stream>();
      device.null_stream->device = static_cast<int>(i);
      m->streams.push_back(device.null_stream.get());
    }
    return m;
  }();
  return machine;
}
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

class Lock {
 public:
  Lock() : hold_(GetMachine().mutex) {
    if (IsInKernel()) Die("a kernel calls the runtime", nullptr);
  }

 private:
  std::lock_guard<std::recursive_mutex> hold_;
};
cudaError_t Fail(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}
Device& DeviceAt(int device) { return GetMachine().devices[static_cast<std::size_t>(device)]; }

// Makes the memory of `device` and of devices that it may reach accessible, and no other, while it lives and until the
// streams' work is done that it is a part of.
class Access {
 public:
  explicit Access(int device) {
    Machine& m = GetMachine();
    for (std::size_t i = 0; i < m.devices.size(); ++i)
      Set(m.devices[i], static_cast<int>(i) == device || DeviceAt(device).peers[i]);
  }
  ~Access() {
    if (GetMachine().draining == 0) CloseAll();
  }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  static void CloseAll() {
    for (Device& device : GetMachine().devices) Set(device, false);
  }

 private:
  static void Set(Device& device, bool open) {
    if (device.is_open == open || device.top == 0) return;
    device.is_open = open;
    (void)mprotect(device.base, device.top, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
};

int DeviceOf(const void* p) {  // -1: host memory
  Machine& m = GetMachine();
  for (std::size_t i = 0; i < m.devices.size(); ++i)
    if (p >= m.devices[i].base && p < m.devices[i].base + kAddresses) return static_cast<int>(i);
  return -1;
}
// Makes the pages of one block's bytes accessible while it lives, whose room no other block shares: much less work than
// Access where a device has many pages. Host memory stays as it is.
class BlockAccess {
 public:
  BlockAccess(const void* p, std::size_t bytes) {
    const int device = DeviceOf(p);
    if (device < 0 || bytes == 0 || DeviceAt(device).is_open) return;
    char* const base = DeviceAt(device).base;
    const auto begin = static_cast<std::size_t>(static_cast<const char*>(p) - base) / kPage * kPage;
    const auto end = static_cast<std::size_t>(static_cast<const char*>(p) + bytes - base);
    first_ = base + begin;
    size_ = (end + kPage - 1) / kPage * kPage - begin;
    Set(PROT_READ | PROT_WRITE);
  }
  ~BlockAccess() { Set(PROT_NONE); }
  BlockAccess(const BlockAccess&) = delete;
  BlockAccess& operator=(const BlockAccess&) = delete;

 private:
  void Set(int protection) const {
    if (size_ != 0) (void)mprotect(first_, size_, protection);
  }
  char* first_ = nullptr;
  std::size_t size_ = 0;
};
// Whether [p, p + bytes) lies in one block of a device.
bool InBlock(const void* p, std::size_t bytes) {
  const int device = DeviceOf(p);
  if (device < 0) return false;
  const auto& blocks = DeviceAt(device).blocks;
  auto it = blocks.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == blocks.begin()) return false;
  --it;
  return static_cast<const char*>(p) + bytes <= it->first + it->second.bytes;
}
bool IsPinned(const void* p) {
  const auto& pinned = GetMachine().pinned;
  auto it = pinned.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == pinned.begin()) return false;
  --it;
  return static_cast<const char*>(p) < it->first + it->second;
}
std::size_t RoomFor(std::size_t bytes) { return (bytes + 2 * kGuard + kPage - 1) / kPage * kPage; }

void FillFresh(char* at, std::size_t bytes, std::size_t room) {
  const BlockAccess access(at - kGuard, room);
  std::memset(at - kGuard, kGuardByte, room);
  std::memset(at, kFresh, bytes);
}
void CheckGuards(const char* at, std::size_t bytes, std::size_t room) {
  const auto* const first = reinterpret_cast<const unsigned char*>(at - kGuard);
  for (std::size_t i = 0; i < room; ++i)
    if ((i < kGuard || i >= kGuard + bytes) && first[i] != kGuardByte)
      Die("a kernel wrote outside a block of device memory", at);
}
// Checks the guards of a freed block and spoils its content. Large blocks give their pages back instead.
void TakeBack(char* at, std::size_t bytes, std::size_t room) {
  const BlockAccess access(at - kGuard, room);
  CheckGuards(at, bytes, room);
  if (room > std::size_t{64} << 10)
    (void)madvise(at - kGuard, room, MADV_DONTNEED);
  else
    std::memset(at - kGuard, kFreed, room);
}

// ---- streams

Stream* StreamOf(Stream* stream) { return stream != nullptr ? stream : DeviceAt(current_device).null_stream.get(); }

void RunNext(Stream* stream);

// Runs the stream's work, up to a record of an event if one is given.
void Drain(Stream* stream, const Event* event = nullptr, long record = 0) {
  Machine& m = GetMachine();
  const auto wanted = [&] { return !stream->queue.empty() && (event == nullptr || event->reached < record); };
  ++m.draining;
  while (wanted()) {
    if (GetSettings().mixed) {
      m.seed = m.seed * 1664525u + 1013904223u;
      Stream* const other = m.streams[(m.seed >> 8) % m.streams.size()];
      if (!other->running && !other->queue.empty()) RunNext(other);
    }
    if (wanted()) RunNext(stream);
  }
  if (--m.draining == 0) Access::CloseAll();
}
void RunNext(Stream* stream) {
  Operation operation = std::move(stream->queue.front());
  stream->queue.pop_front();
  stream->running = true;
  if (operation.waits_for != nullptr && operation.waits_for->reached < operation.record)
    Drain(operation.waits_for->stream, operation.waits_for, operation.record);
  if (operation.run && GetMachine().sticky == cudaSuccess) operation.run();
  stream->running = false;
}
void DrainDevice(int device) {
  const auto streams = GetMachine().streams;
  for (Stream* const stream : streams)
    if (stream->device == device) Drain(stream);
}

// A stream in capture refuses calls that wait or allocate, and its capture is lost.
bool RefusedInCapture(Stream* stream) {
  if (stream->capture == nullptr) return false;
  stream->capture->broken = true;
  return true;
}
cudaError_t Enqueue(Stream* stream, Operation operation) {
  Machine& m = GetMachine();
  if (m.sticky != cudaSuccess) return Fail(m.sticky);
  if (stream->capture != nullptr) {
    ++stream->operations;
    stream->capture->operations.push_back(std::move(operation));
    return cudaSuccess;
  }
  stream->queue.push_back(std::move(operation));
  if (GetSettings().eager) Drain(stream);
  return cudaSuccess;
}
cudaError_t Waited() {
  ++GetMachine().counters.waits;
  return Fail(GetMachine().sticky);
}

// Room for a block; null when the device has none left. `stream`: whose queued frees may be taken; null: none.
char* TakeRoom(Device& device, std::size_t bytes, Stream* stream) {
  const std::size_t room = RoomFor(bytes);
  if (bytes > GetSettings().memory || device.used + room > GetSettings().memory) return nullptr;
  char* at = nullptr;
  for (std::size_t i = 0; stream != nullptr && i < device.freed.size(); ++i) {
    if (device.freed[i].first != stream || device.freed[i].second.first != room) continue;
    at = device.freed[i].second.second;
    device.freed.erase(device.freed.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (at == nullptr) {
    if (auto it = device.free.find(room); it != device.free.end()) {
      at = it->second;
      device.free.erase(it);
    } else if (device.top + room <= kAddresses) {
      at = device.base + device.top + kGuard;
      if (device.is_open) (void)mprotect(device.base + device.top, room, PROT_READ | PROT_WRITE);
      device.top += room;
    } else {
      return nullptr;
    }
  }
  device.used += room;
  device.blocks[at] = {bytes, room, nullptr};
  return at;
}
bool AllocationFails() {
  Machine& m = GetMachine();
  if (m.fail_from < 0) return false;
  if (m.fail_from > 0) return --m.fail_from, false;
  if (m.fail_count <= 0) return false;
  --m.fail_count;
  return true;
}
Block ForgetBlock(void* block) {
  const int device = DeviceOf(block);
  if (device < 0) Die("freed, but not of a device", block);
  auto& blocks = DeviceAt(device).blocks;
  const auto it = blocks.find(static_cast<char*>(block));
  if (it == blocks.end()) Die("freed twice, or never allocated", block);
  const Block known = it->second;
  blocks.erase(it);
  DeviceAt(device).used -= known.room;
  if (known.pool != nullptr) known.pool->used -= known.bytes;
  ++GetMachine().counters.frees;
  return known;
}

void Copy(void* to, const void* from, std::size_t bytes) {
  const BlockAccess written(to, bytes), read(from, bytes);
  std::memcpy(to, from, bytes);
}

}  // namespace

Counters Count() {
  const Lock lock;
  return GetMachine().counters;
}
void ForgetStickyError() {
  const Lock lock;
  GetMachine().sticky = last_error = cudaSuccess;
}
void FailAllocations(long first, long count) {
  const Lock lock;
  GetMachine().fail_from = first;
  GetMachine().fail_count = count;
}

cudaError_t Launch(const cudaLaunchConfig_t& config, void (*run)(const void* arguments), const void* arguments,
                   std::size_t bytes) {
  const Lock lock;
  Machine& m = GetMachine();
  if (m.devices.empty()) return Fail(cudaErrorNoDevice);
  const dim3 grid = config.gridDim, block = config.blockDim;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535 ||
      grid.x > 0x7FFFFFFF || config.dynamicSmemBytes > 227 << 10)
    return Fail(cudaErrorInvalidConfiguration);
  Stream* const stream = StreamOf(config.stream);
  if (stream->device != current_device) return Fail(cudaErrorInvalidResourceHandle);
  if (stream->capture == nullptr) ++m.counters.launches;
  const int device = current_device;
  const std::size_t shared = config.dynamicSmemBytes;
  constexpr std::align_val_t kAlignment{64};
  const std::shared_ptr<void> copy(::operator new(bytes, kAlignment),
                                   [](void* p) { ::operator delete(p, kAlignment); });
  std::memcpy(copy.get(), arguments, bytes);
  return Enqueue(stream, {[grid, block, shared, device, run, copy] {
                   const Access access(device);
                   const GridEnd end = RunGrid({grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared,
                                               GetSettings().order, [run, p = copy.get()] { run(p); });
                   if (end == GridEnd::kIllegalAddress)
                     GetMachine().sticky = cudaErrorIllegalAddress;
                   else if (end != GridEnd::kDone)
                     GetMachine().sticky = cudaErrorLaunchFailure;
                 }});
}
cudaError_t LaunchLibrary(cudaStream_t stream, std::function<void()> work) {
  const Lock lock;
  if (StreamOf(stream)->capture == nullptr) ++GetMachine().counters.launches;
  return Enqueue(StreamOf(stream), {[work = std::move(work), device = StreamOf(stream)->device] {
                   const Access access(device);
                   work();
                 }});
}

}  // namespace emulation

using namespace emulation;

// ---- errors

#define EMULATION_ERRORS(X)                                                                           \
  X(cudaSuccess, "no error")                                                                          \
  X(cudaErrorInvalidValue, "invalid argument")                                                        \
  X(cudaErrorMemoryAllocation, "out of memory")                                                       \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")                                  \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                             \
  X(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version")      \
  X(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable")                 \
  X(cudaErrorNoDevice, "no CUDA-capable device is detected")                                          \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                                                 \
  X(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device")      \
  X(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices")         \
  X(cudaErrorUnsupportedPtxVersion, "the provided PTX was compiled with an unsupported toolchain.")   \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                                        \
  X(cudaErrorNotReady, "device not ready")                                                            \
  X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                              \
  X(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled")                              \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                                             \
  X(cudaErrorSystemDriverMismatch, "system has unsupported display driver / cuda driver combination") \
  X(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing")            \
  X(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture")     \
  X(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work")
const char* cudaGetErrorName(cudaError_t error) {
#define X(name, text) \
  if (error == name) return #name;
  EMULATION_ERRORS(X)
#undef X
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
#define X(name, text) \
  if (error == name) return text;
  EMULATION_ERRORS(X)
#undef X
  return "unrecognized error code";
}
cudaError_t cudaPeekAtLastError() {
  const Lock lock;
  return GetMachine().sticky != cudaSuccess ? GetMachine().sticky : last_error;
}
cudaError_t cudaGetLastError() {
  const Lock lock;
  return std::exchange(last_error, GetMachine().sticky);
}

// ---- devices

namespace {
bool IsDevice(int device) { return device >= 0 && device < GetSettings().devices; }
}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = GetSettings().devices;
  return *count > 0 ? cudaSuccess : Fail(cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return GetSettings().devices > 0 ? cudaSuccess : Fail(cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int device) {
  if (!IsDevice(device)) return Fail(GetSettings().devices > 0 ? cudaErrorInvalidDevice : cudaErrorNoDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!IsDevice(device)) return Fail(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 48 << 10; return cudaSuccess;
    case cudaDevAttrMultiProcessorCount: *value = 4; return cudaSuccess;  // few, so that threads take many units
    case cudaDevAttrComputeCapabilityMajor: *value = 9; return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; return cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; return cudaSuccess;
  }
  return Fail(cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!IsDevice(device)) return Fail(cudaErrorInvalidDevice);
  *properties = {.name = "CUDA emulation",
                 .totalGlobalMem = GetSettings().memory,
                 .sharedMemPerBlock = 48 << 10,
                 .major = 9,
                 .minor = 0,
                 .multiProcessorCount = 4,
                 .maxThreadsPerBlock = 1024,
                 .warpSize = 32};
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const Lock lock;
  DrainDevice(current_device);
  return Waited();
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!IsDevice(device) || !IsDevice(peer)) return Fail(cudaErrorInvalidDevice);
  *can = device != peer;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  const Lock lock;
  if (!IsDevice(peer) || peer == current_device) return Fail(cudaErrorInvalidDevice);
  auto reached = DeviceAt(current_device).peers[static_cast<std::size_t>(peer)];
  if (reached) return Fail(cudaErrorPeerAccessAlreadyEnabled);
  reached = true;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

// ---- streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Lock lock;
  Machine& m = GetMachine();
  if (m.devices.empty()) return Fail(cudaErrorNoDevice);
  if (m.sticky != cudaSuccess) return Fail(m.sticky);
  *stream = new Stream;
  (*stream)->device = current_device;
  (*stream)->flags = flags;
  m.streams.push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Lock lock;
  Drain(stream);
  std::erase(GetMachine().streams, stream);
  Device& device = DeviceAt(stream->device);
  for (const auto& [owner, room] : device.freed)
    if (owner == stream) Die("a free of a destroyed stream was never done", room.second);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Lock lock;
  stream = StreamOf(stream);
  if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
  Drain(stream);
  return Waited();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Lock lock;
  stream = StreamOf(stream);
  if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
  if (!stream->queue.empty()) RunNext(stream);  // a loop that asks again must come to an end
  if (GetMachine().sticky != cudaSuccess) return Fail(GetMachine().sticky);
  return stream->queue.empty() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Lock lock;
  stream = StreamOf(stream);
  if (event->capture != nullptr) {
    if (stream->capture == nullptr) {
      stream->capture = event->capture;
      stream->operations = stream->joined = 0;
    }
    if (stream != event->stream && event->stream->joined < event->order) event->stream->joined = event->order;
    return cudaSuccess;
  }
  if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
  if (event->recorded == 0) return cudaSuccess;
  return Enqueue(stream, {{}, event, event->recorded});
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
  const Lock lock;
  return Enqueue(StreamOf(stream), {[function, data] {
                   Access::CloseAll();
                   function(data);
                 }});
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Lock lock;
  if (GetMachine().devices.empty()) return Fail(cudaErrorNoDevice);
  if (GetMachine().sticky != cudaSuccess) return Fail(GetMachine().sticky);
  *event = new Event;
  (*event)->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Lock lock;
  if (event->recorded > event->reached && event->stream != nullptr) Drain(event->stream, event, event->recorded);
  for (Stream* const stream : GetMachine().streams)  // a wait for it may still be queued
    for (Operation& operation : stream->queue)
      if (operation.waits_for == event) operation.waits_for = nullptr;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Lock lock;
  stream = StreamOf(stream);
  event->stream = stream;
  event->capture = stream->capture;
  if (stream->capture != nullptr) {
    event->order = stream->operations;
    return cudaSuccess;
  }
  const long record = ++event->recorded;
  return Enqueue(stream, {[event, record] {
                   event->reached = record;
                   event->when = std::chrono::steady_clock::now();
                 }});
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Lock lock;
  if (event->recorded > event->reached && !event->stream->queue.empty()) RunNext(event->stream);
  if (GetMachine().sticky != cudaSuccess) return Fail(GetMachine().sticky);
  return event->reached >= event->recorded ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Lock lock;
  if (event->recorded > event->reached) Drain(event->stream, event, event->recorded);
  return Waited();
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const Lock lock;
  if ((start->flags | end->flags) & cudaEventDisableTiming || start->recorded == 0 || end->recorded == 0)
    return Fail(cudaErrorInvalidResourceHandle);
  if (start->reached < start->recorded || end->reached < end->recorded) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
  return cudaSuccess;
}

// ---- capture and replay

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const Lock lock;
  if (stream == nullptr) return Fail(cudaErrorStreamCaptureUnsupported);
  if (stream->capture != nullptr) return Fail(cudaErrorInvalidValue);
  stream->capture = new Graph;
  stream->capture->origin = stream;
  stream->operations = stream->joined = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Lock lock;
  *graph = nullptr;
  Graph* const capture = stream->capture;
  if (capture == nullptr || capture->origin != stream) return Fail(cudaErrorInvalidValue);
  bool joined = true;
  for (Stream* const other : GetMachine().streams) {
    if (other->capture != capture) continue;
    if (other != stream && other->joined < other->operations) joined = false;
    other->capture = nullptr;
  }
  if (capture->broken || !joined) {
    const cudaError_t error = capture->broken ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
    delete capture;
    return Fail(error);
  }
  *graph = capture;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* runnable, cudaGraph_t graph, unsigned long long) {
  *runnable = new Graph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t runnable, cudaStream_t stream) {
  const Lock lock;
  stream = StreamOf(stream);
  if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
  if (GetMachine().sticky != cudaSuccess) return Fail(GetMachine().sticky);
  ++GetMachine().counters.graph_launches;
  for (const Operation& operation : runnable->operations)
    if (const cudaError_t error = Enqueue(stream, operation); error != cudaSuccess) return error;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
// Its launches that are still queued hold copies of the work.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t runnable) {
  delete runnable;
  return cudaSuccess;
}

// ---- memory

cudaError_t cudaMalloc(void** block, std::size_t bytes) {
  const Lock lock;
  Machine& m = GetMachine();
  *block = nullptr;
  if (m.devices.empty()) return Fail(cudaErrorNoDevice);
  if (m.sticky != cudaSuccess) return Fail(m.sticky);
  char* const at = AllocationFails() ? nullptr : TakeRoom(DeviceAt(current_device), bytes, nullptr);
  if (at == nullptr) return Fail(cudaErrorMemoryAllocation);
  ++m.counters.allocations;
  FillFresh(at, bytes, RoomFor(bytes));
  *block = at;
  return cudaSuccess;
}
cudaError_t cudaFree(void* block) {
  const Lock lock;
  if (block == nullptr) return cudaSuccess;
  const int device = DeviceOf(block);
  if (device < 0) return Fail(cudaErrorInvalidValue);
  DrainDevice(device);
  auto* const at = static_cast<char*>(block);
  const Block known = ForgetBlock(at);
  TakeBack(at, known.bytes, known.room);
  DeviceAt(device).free.emplace(known.room, at);
  return Fail(GetMachine().sticky);
}
cudaError_t cudaMallocFromPoolAsync(void** block, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const Lock lock;
  Machine& m = GetMachine();
  *block = nullptr;
  if (m.devices.empty()) return Fail(cudaErrorNoDevice);
  stream = StreamOf(stream);
  if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
  if (m.sticky != cudaSuccess) return Fail(m.sticky);
  const int device = pool != nullptr ? pool->device : stream->device;
  char* const at = AllocationFails() ? nullptr : TakeRoom(DeviceAt(device), bytes, stream);
  if (at == nullptr) return Fail(cudaErrorMemoryAllocation);
  ++m.counters.allocations;
  if (pool != nullptr) {
    DeviceAt(device).blocks[at].pool = pool;
    pool->used += bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    if (pool->used > pool->reserved) pool->reserved = pool->used;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
  }
  *block = at;
  return Enqueue(stream, {[at, bytes] { FillFresh(at, bytes, RoomFor(bytes)); }});
}
cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(block, bytes, nullptr, stream);
}
cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
  const Lock lock;
  if (block == nullptr) return cudaSuccess;
  stream = StreamOf(stream);
  const int device = DeviceOf(block);
  if (device < 0) return Fail(cudaErrorInvalidValue);
  if (GetMachine().sticky != cudaSuccess) return Fail(GetMachine().sticky);
  if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
  auto* const at = static_cast<char*>(block);
  const Block known = ForgetBlock(at);
  DeviceAt(device).freed.push_back({stream, {known.room, at}});
  return Enqueue(stream, {[at, known, device, stream] {
                   TakeBack(at, known.bytes, known.room);
                   auto& freed = DeviceAt(device).freed;
                   for (std::size_t i = 0; i < freed.size(); ++i) {
                     if (freed[i].first != stream || freed[i].second.second != at)
                       continue;  // else given out again meanwhile
                     freed.erase(freed.begin() + static_cast<std::ptrdiff_t>(i));
                     DeviceAt(device).free.emplace(known.room, at);
                     break;
                   }
                 }});
}
cudaError_t cudaHostAlloc(void** block, std::size_t bytes, unsigned) {
  const Lock lock;
  *block = nullptr;
  if (GetMachine().devices.empty()) return Fail(cudaErrorNoDevice);
  if (GetMachine().sticky != cudaSuccess) return Fail(GetMachine().sticky);
  *block = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (*block == nullptr || AllocationFails()) {
    std::free(*block);
    *block = nullptr;
    return Fail(cudaErrorMemoryAllocation);
  }
  GetMachine().pinned[static_cast<char*>(*block)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* block) {
  const Lock lock;
  if (block == nullptr) return cudaSuccess;
  for (std::size_t i = 0; i < GetMachine().devices.size(); ++i) DrainDevice(static_cast<int>(i));
  if (GetMachine().pinned.erase(static_cast<char*>(block)) == 0) Die("freed, but not page-locked memory", block);
  std::free(block);
  return Fail(GetMachine().sticky);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const Lock lock;
  if (GetMachine().devices.empty()) return Fail(cudaErrorNoDevice);
  *total = GetSettings().memory;
  *free = *total - DeviceAt(current_device).used;
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Lock lock;
  Machine& m = GetMachine();
  if (m.devices.empty()) return Fail(cudaErrorNoDevice);
  if (m.sticky != cudaSuccess) return Fail(m.sticky);
  stream = StreamOf(stream);
  if (bytes == 0) return cudaSuccess;
  const bool device_to = DeviceOf(to) >= 0, device_from = DeviceOf(from) >= 0;
  const cudaMemcpyKind is = device_to ? (device_from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                                      : (device_from ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  if (kind != cudaMemcpyDefault && kind != is) return Fail(cudaErrorInvalidMemcpyDirection);
  if ((device_to && !InBlock(to, bytes)) || (device_from && !InBlock(from, bytes))) return Fail(cudaErrorInvalidValue);
  const bool captured = stream->capture != nullptr;
  if (is == cudaMemcpyHostToDevice) {
    if (!captured) ++m.counters.copies_to_device;
    if (!IsPinned(from)) {  // read during the call
      if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
      const auto* const first = static_cast<const char*>(from);
      return Enqueue(
          stream, {[to, staged = std::vector<char>(first, first + bytes)] { Copy(to, staged.data(), staged.size()); }});
    }
  }
  if (is == cudaMemcpyDeviceToHost) {
    if (!captured) ++m.counters.copies_to_host;
    if (!IsPinned(to)) {  // returns when the copy is there
      if (RefusedInCapture(stream)) return Fail(cudaErrorStreamCaptureUnsupported);
      Drain(stream);
      if (m.sticky == cudaSuccess) Copy(to, from, bytes);
      return Waited();
    }
  }
  if (is == cudaMemcpyDeviceToDevice && !captured) ++m.counters.copies_on_device;
  return Enqueue(stream, {[to, from, bytes] { Copy(to, from, bytes); }});
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  if (bytes != 0 && (DeviceOf(to) != to_device || DeviceOf(from) != from_device)) return Fail(cudaErrorInvalidValue);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
// On the null stream, which waits for the other streams of the device that are not non-blocking.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Lock lock;
  if (GetMachine().devices.empty()) return Fail(cudaErrorNoDevice);
  const auto streams = GetMachine().streams;
  for (Stream* const stream : streams)
    if (stream->device == current_device && (stream->flags & cudaStreamNonBlocking) == 0) Drain(stream);
  if (const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr); error != cudaSuccess) return error;
  Drain(StreamOf(nullptr));
  return Waited();
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  const Lock lock;
  if (bytes == 0) return cudaSuccess;
  if (!InBlock(at, bytes)) return Fail(cudaErrorInvalidValue);
  return Enqueue(StreamOf(stream), {[at, value, bytes] {
                   const BlockAccess access(at, bytes);
                   std::memset(at, value, bytes);
                 }});
}
cudaError_t cudaMemset(void* at, int value, std::size_t bytes) { return cudaMemsetAsync(at, value, bytes, nullptr); }

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (!IsDevice(properties->location.id) || properties->location.type != cudaMemLocationTypeDevice ||
      properties->allocType != cudaMemAllocationTypePinned)
    return Fail(cudaErrorInvalidValue);
  *pool = new Pool;
  (*pool)->device = properties->location.id;
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const Lock lock;
  for (auto& [at, block] : DeviceAt(pool->device).blocks)
    if (block.pool == pool) block.pool = nullptr;  // the block lives on until it is freed
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void*) {
  return attribute == cudaMemPoolAttrReleaseThreshold ? cudaSuccess : Fail(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const Lock lock;
  const std::uint64_t bytes = attribute == cudaMemPoolAttrReservedMemCurrent ? pool->reserved
                              : attribute == cudaMemPoolAttrReservedMemHigh  ? pool->reserved_high
                              : attribute == cudaMemPoolAttrUsedMemCurrent   ? pool->used
                                                                             : pool->used_high;
  std::memcpy(value, &bytes, sizeof(bytes));
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep) {
  const Lock lock;
  pool->reserved = pool->used > keep ? pool->used : keep < pool->reserved ? keep : pool->reserved;
  return cudaSuccess;
}
