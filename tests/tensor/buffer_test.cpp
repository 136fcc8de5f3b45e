// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/buffer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "base/sized_thread.hpp"
#include "memory/device_memory.hpp"
#include "memory/needed.hpp"

namespace buffer_test {
using namespace tenon;
using tenon::testing::DeviceMemory;
using tenon::testing::Needed;

namespace {
int living = 0;
struct Counted {
  Counted() { ++living; }
  ~Counted() { --living; }
  std::string text = "a value";
};
}  // namespace

TEST_SUITE("Buffer") {
  TEST_CASE("is one block of the allocator, header and data together") {
    TrackingAllocator memory(CpuAllocator());
    Buffer* buffer = Needed(Buffer::Allocate(&memory, 100));
    CHECK(memory.num_allocations() == 1);
    CHECK(memory.bytes_in_use() == 164);
    CHECK(buffer->size() == 100);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64 == 0);
    CHECK(buffer->allocator() == &memory);
    CHECK(buffer->root() == buffer);
    CHECK(buffer->OwnsMemory());
    CHECK(buffer->HostAccessible());
    buffer->Unref();
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
  TEST_CASE("in device memory has its header elsewhere") {
    DeviceMemory device;
    TrackingAllocator memory(&device);
    Buffer* buffer = Needed(Buffer::Allocate(&memory, 100));
    CHECK(memory.bytes_in_use() == 100);
    CHECK_FALSE(buffer->HostAccessible());
    CHECK(Buffer::AllocateObjects<Counted>(&memory, 3) == nullptr);
    buffer->Unref();
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
  TEST_CASE("is null without memory") {
    TrackingAllocator memory(CpuAllocator());
    memory.FailAllocations(1, TrackingAllocator::kAll);
    CHECK(Buffer::Allocate(&memory, 100) == nullptr);
    CHECK(Buffer::AllocateObjects<Counted>(&memory, 3) == nullptr);
    CHECK(Buffer::Allocate(CpuAllocator(), std::numeric_limits<std::size_t>::max()) == nullptr);
    CHECK(Buffer::AllocateObjects<Counted>(CpuAllocator(), std::numeric_limits<std::size_t>::max() / 2) == nullptr);
    CHECK(living == 0);
  }
  TEST_CASE("counts its references") {
    Buffer* buffer = Needed(Buffer::Allocate(CpuAllocator(), 8));
    CHECK(buffer->RefCountIsOne());
    buffer->Ref();
    CHECK_FALSE(buffer->RefCountIsOne());
    buffer->Unref();
    CHECK(buffer->RefCountIsOne());
    buffer->Unref();
  }
  TEST_CASE("constructs and destroys the objects it holds") {
    TrackingAllocator memory(CpuAllocator());
    Buffer* buffer = Needed(Buffer::AllocateObjects<Counted>(&memory, 5));
    CHECK(living == 5);
    CHECK(static_cast<Counted*>(buffer->data())[4].text == "a value");
    buffer->Unref();
    CHECK(living == 0);
    CHECK(memory.num_bad_frees() == 0);
    CHECK(memory.blocks_in_use() == 0);
  }
  TEST_CASE("frees objects that hold other buffers, however deep, on a small stack") {
    struct Node {
      Buffer* held[2] = {};
      ~Node() {
        for (Buffer* buffer : held)
          if (buffer != nullptr) buffer->Unref();
      }
    };
    TrackingAllocator memory(CpuAllocator());
    const auto chain = [&memory](int length, Buffer* end) {
      for (int i = 0; i < length; ++i) {
        Buffer* const outer = Needed(Buffer::AllocateObjects<Node>(&memory, 1));
        static_cast<Node*>(outer->data())->held[0] = end;
        end = outer;
      }
      return end;
    };
    constexpr int kLength = 20000;
    Buffer* const fork = Needed(Buffer::AllocateObjects<Node>(&memory, 2));  // two chains at once, below a third
    for (int i = 0; i < 2; ++i)
      for (Buffer*& held : static_cast<Node*>(fork->data())[i].held) held = chain(kLength, nullptr);
    Buffer* const whole = chain(kLength, fork);
    CHECK(memory.blocks_in_use() == 5 * kLength + 1);
    sized_thread::OnStackOf(std::size_t{128} << 10, [whole] { whole->Unref(); });
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
  TEST_CASE("keeps another alive whose bytes its objects refer to, and is written to by nobody") {
    bool freed = false;
    char bytes[64] = {};
    Buffer* const file = Buffer::Wrap(bytes, sizeof bytes, [&freed] { freed = true; });
    Buffer* const part = Buffer::Slice(file, bytes + 8, 8);
    file->Unref();
    Buffer* const objects = Needed(Buffer::AllocateObjects<std::string>(CpuAllocator(), 3));
    CHECK(objects->RefCountIsOne());
    objects->KeepAlive(part);
    part->Unref();
    CHECK_FALSE(freed);
    CHECK_FALSE(objects->OwnsMemory());
    CHECK_FALSE(objects->RefCountIsOne());
    Buffer* const slice = Buffer::Slice(objects, objects->data(), sizeof(std::string));
    objects->Unref();
    CHECK_FALSE(freed);
    slice->Unref();
    CHECK(freed);
  }
  TEST_CASE("wraps memory of somebody else, who is told at the end") {
    int data[4] = {1, 2, 3, 4};
    int told = 0;
    Buffer* buffer = Buffer::Wrap(data, sizeof data, [&told] { ++told; });
    CHECK(buffer->data() == data);
    CHECK_FALSE(buffer->OwnsMemory());
    CHECK_FALSE(buffer->RefCountIsOne());  // nobody may write to it in place
    CHECK(buffer->allocator() == nullptr);
    CHECK(buffer->HostAccessible());
    buffer->Ref();
    buffer->Unref();
    CHECK(told == 0);
    buffer->Unref();
    CHECK(told == 1);
    Buffer::Wrap(data, sizeof data, nullptr, nullptr)->Unref();
    void* seen[2] = {};
    Buffer::Wrap(data, 4, [](void* d, void* arg) { static_cast<void**>(arg)[0] = d; }, seen)->Unref();
    CHECK(seen[0] == data);
    Buffer* known = Buffer::Wrap(data, 4, nullptr, nullptr, CpuAllocator());  // says what kind of memory it is
    CHECK(known->allocator() == CpuAllocator());
    CHECK_FALSE(known->OwnsMemory());
    known->Unref();
  }
  TEST_CASE("a slice keeps the root alive and is its only owner once the root's other owners are gone") {
    TrackingAllocator memory(CpuAllocator());
    Buffer* buffer = Needed(Buffer::Allocate(&memory, 64));
    Buffer* slice = Buffer::Slice(buffer, static_cast<char*>(buffer->data()) + 16, 32);
    Buffer* inner = Buffer::Slice(slice, static_cast<char*>(slice->data()) + 8, 8);
    CHECK(inner->root() == buffer);
    CHECK(slice->size() == 32);
    CHECK_FALSE(slice->RefCountIsOne());
    CHECK_FALSE(buffer->RefCountIsOne());
    slice->Unref();
    CHECK_FALSE(inner->RefCountIsOne());
    buffer->Unref();
    CHECK(memory.blocks_in_use() == 1);
    CHECK(inner->RefCountIsOne());
    CHECK(inner->OwnsMemory());
    inner->Unref();
    CHECK(memory.blocks_in_use() == 0);
  }
  TEST_CASE("a slice of wrapped memory is never written to in place") {
    char data[16];
    Buffer* buffer = Buffer::Wrap(data, 16, nullptr, nullptr);
    Buffer* slice = Buffer::Slice(buffer, data + 4, 4);
    buffer->Unref();
    CHECK_FALSE(slice->RefCountIsOne());
    slice->Unref();
  }
#if defined(__cpp_exceptions)
  TEST_CASE("frees memory whose deleter throws, and logs it") {
    char data[16];
    struct Sink : LogSink {
      void Send(const LogEntry& entry) override { text = entry.text; }
      std::string text;
    } sink;
    LogSink* const before = SetLogSink(&sink);
    Buffer::Wrap(data, 16, [](void*, void*) { throw std::runtime_error("not mine"); }, nullptr)->Unref();
    SetLogSink(before);
    CHECK(sink.text == "the deleter of a buffer threw: not mine");
  }
#endif
  TEST_CASE("is freed once, whichever thread drops the last reference") {
    TrackingAllocator memory(CpuAllocator());
    for (int round = 0; round < 50; ++round) {
      Buffer* buffer = Needed(Buffer::Allocate(&memory, 8));
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) {
        buffer->Ref();
        threads.emplace_back([buffer] {
          for (int i = 0; i < 100; ++i) {
            buffer->Ref();
            buffer->Unref();
          }
          buffer->Unref();
        });
      }
      buffer->Unref();
      for (std::thread& t : threads) t.join();
      CHECK(memory.blocks_in_use() == 0);
    }
    CHECK(memory.num_bad_frees() == 0);
  }
}
}  // namespace buffer_test
