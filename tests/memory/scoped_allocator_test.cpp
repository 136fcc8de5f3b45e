// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/scoped_allocator.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <base/child_process.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/tensor.hpp>

namespace scoped_allocator_test {
using namespace tenon;

namespace {

struct Memory {
  ScopedAllocatorBacking Backing() {
    return {bytes, sizeof bytes, [this] { ++released; }, CpuAllocator()};
  }
  alignas(64) char bytes[1024] = {};
  std::atomic<int> released{0};
};

SlimVector<ScopedAllocatorField> Fields(std::int32_t scope_id = 7) {
  SlimVector<ScopedAllocatorField> fields;
  CHECK(LayOutScopedFields(scope_id, {100, 256}, &fields) == 384);
  return fields;
}

class Log final : public LogSink {
 public:
  Log() : before_(SetLogSink(this)) {}
  ~Log() override { SetLogSink(before_); }
  void Send(const LogEntry& entry) override { lines.emplace_back(entry.text); }
  std::vector<std::string> lines;

 private:
  LogSink* const before_;
};

}  // namespace

TEST_SUITE("ScopedAllocator") {
  TEST_CASE("fields are laid out at multiples of 64, with ids after the whole's") {
    const auto fields = Fields();
    REQUIRE(fields.size() == 2);
    CHECK(fields[0].scope_id == 8);
    CHECK(fields[0].offset == 0);
    CHECK(fields[0].bytes_requested == 100);
    CHECK(fields[1].scope_id == 9);
    CHECK(fields[1].offset == 128);
    CHECK(fields[1].bytes_requested == 256);
  }
  TEST_CASE("each field is given once; the ids go with the last, the memory with the last block") {
    Memory memory;
    ScopedAllocatorMgr mgr("CPU:0");
    CHECK(mgr.device_name() == "CPU:0");
    const auto container = mgr.GetContainer(1);
    CHECK(mgr.GetContainer(1).get() == container.get());
    CHECK(mgr.GetContainer(2).get() != container.get());
    REQUIRE(container->AddScopedAllocator(memory.Backing(), 7, "sa", Fields(), 2).ok());
    CHECK(container->num_ids() == 3);
    CHECK(container->GetInstance(7) == nullptr);
    CHECK(container->GetInstance(10) == nullptr);
    Allocator* const first = container->GetInstance(8);
    Allocator* const second = container->GetInstance(9);
    CHECK(first->Name() == "sa_field_0");
    CHECK(second->Name() == "sa_field_1");
    CHECK(first->HostAccessible());
    CHECK_FALSE(first->HoldsHeaders());
    void* const a = first->AllocateRaw(64, 100);
    CHECK(a == memory.bytes);
    CHECK(first->RequestedSize(a) == 100);
    CHECK(container->num_ids() == 3);
    void* const b = second->AllocateRaw(64, 256);
    CHECK(b == memory.bytes + 128);
    CHECK(container->num_ids() == 0);
    CHECK(memory.released == 0);
    first->DeallocateRaw(a, 64, 100);
    CHECK(memory.released == 0);
    second->DeallocateRaw(b, 64, 256);
    CHECK(memory.released == 1);
  }
  TEST_CASE("a wrong size, a second time and one call too many give nothing and say so") {
    Memory memory;
    ScopedAllocatorMgr mgr("CPU:0");
    const Log log;
    const auto container = mgr.GetContainer(1);
    REQUIRE(container->AddScopedAllocator(memory.Backing(), 7, "sa", Fields(), 2).ok());
    Allocator* const first = container->GetInstance(8);
    CHECK(first->AllocateRaw(64, 99) == nullptr);
    void* const a = first->AllocateRaw(64, 100);
    CHECK(first->AllocateRaw(64, 100) == nullptr);
    Allocator* const second = container->GetInstance(9);
    void* const b = second->AllocateRaw(64, 256);
    second->DeallocateRaw(b, 64, 256);
    CHECK(first->AllocateRaw(64, 100) == nullptr);
    first->DeallocateRaw(a, 64, 100);
    CHECK(memory.released == 1);
    REQUIRE(log.lines.size() == 3);
    CHECK(
        Contains(log.lines[0], "the field has another size, in a request for 99 bytes of 'sa_field_0', which has 100"));
    CHECK(Contains(log.lines[1], "the field's block is out"));
    CHECK(Contains(log.lines[2], "all expected calls were made"));
  }
  TEST_CASE("ids are used once at a time") {
    Memory memory, other;
    ScopedAllocatorMgr mgr("CPU:0");
    const auto container = mgr.GetContainer(1);
    REQUIRE(container->AddScopedAllocator(memory.Backing(), 7, "sa", Fields(), 2).ok());
    Status s = container->AddScopedAllocator(other.Backing(), 7, "sb", Fields(20), 2);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "Cannot create ScopedAllocator because scope_id 7 for name sb already exists");
    s = container->AddScopedAllocator(other.Backing(), 30, "sb", Fields(8), 2);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "Cannot create ScopedAllocator because field scope_id 9 for name sb already exists");
    CHECK(other.released == 2);  // the memory is not kept
    REQUIRE(mgr.GetContainer(2)->AddScopedAllocator(other.Backing(), 7, "sb", Fields(), 2).ok());  // another step
    mgr.Cleanup(2);
    CHECK(other.released == 3);
    CHECK(memory.released == 0);
  }
  TEST_CASE("fields lie in the memory, one behind the other") {
    Memory memory;
    ScopedAllocatorMgr mgr("CPU:0");
    const auto container = mgr.GetContainer(1);
    for (const SlimVector<ScopedAllocatorField>& fields : {SlimVector<ScopedAllocatorField>{{8, 0, 1025}},
                                                           {{8, 960, 65}},
                                                           {{8, 32, 10}},
                                                           {{8, 0, 100}, {9, 64, 10}},
                                                           {{8, std::size_t{1} << 63, 1}}}) {
      CHECK(container->AddScopedAllocator(memory.Backing(), 7, "sa", fields, 1).code() == Code::kInvalidArgument);
    }
    CHECK(container->AddScopedAllocator(memory.Backing(), 7, "sa", Fields(), 0).code() == Code::kInvalidArgument);
    CHECK(container->num_ids() == 0);
    CHECK(memory.released == 6);
  }
  TEST_CASE("a step that ends early keeps the memory while blocks are out") {
    Memory memory;
    Allocator* field = nullptr;
    void* block = nullptr;
    {
      ScopedAllocatorMgr mgr("CPU:0");
      REQUIRE(mgr.GetContainer(1)->AddScopedAllocator(memory.Backing(), 7, "sa", Fields(), 2).ok());
      field = mgr.GetContainer(1)->GetInstance(8);
      block = field->AllocateRaw(64, 100);
      mgr.Cleanup(1);
      mgr.Cleanup(1);
      CHECK(mgr.GetContainer(1)->GetInstance(9) == nullptr);
    }
    CHECK(memory.released == 0);
    field->DeallocateRaw(block, 64, 100);
    CHECK(memory.released == 1);
  }
  TEST_CASE("tensors of the fields lie side by side in a tensor") {
    const Tensor whole = Tensor::Zeros<float>({32});
    SlimVector<ScopedAllocatorField> fields;
    const std::size_t bytes = LayOutScopedFields(0, {64, 64}, &fields);
    CHECK(bytes == whole.TotalBytes());
    ScopedAllocatorMgr mgr("CPU:0");
    ScopedAllocatorBacking backing{const_cast<void*>(whole.raw_data()), bytes, [whole] {}, CpuAllocator()};
    REQUIRE(mgr.GetContainer(1)->AddScopedAllocator(std::move(backing), 0, "sa", fields, 2).ok());
    CHECK_FALSE(whole.RefCountIsOne());
    for (int i = 0; i < 2; ++i) {
      Result<Tensor> part = Tensor::Make(DataType::kFloat, {16}, mgr.GetContainer(1)->GetInstance(i + 1));
      REQUIRE_MESSAGE(part.ok(), part.status().message());
      CHECK(part->HostAccessible());
      CHECK(part->RefCountIsOne());
      for (Index k = 0; k < 16; ++k) part->flat<float>()(k) = static_cast<float>(16 * i + k);
    }
    CHECK(whole.RefCountIsOne());
    for (Index k = 0; k < 32; ++k) CHECK(whole.flat<float>()(k) == static_cast<float>(k));
  }
  TEST_CASE("strings do not fit into a field") {
    Memory memory;
    ScopedAllocatorMgr mgr("CPU:0");
    REQUIRE(mgr.GetContainer(1)->AddScopedAllocator(memory.Backing(), 7, "sa", Fields(), 2).ok());
    CHECK_FALSE(Tensor::Make(DataType::kString, {2}, mgr.GetContainer(1)->GetInstance(8)).ok());
  }
  TEST_CASE("kernels of one step take their fields at once") {
    for (int round = 0; round < 50; ++round) {
      Memory memory;
      ScopedAllocatorMgr mgr("CPU:0");
      SlimVector<ScopedAllocatorField> fields;
      LayOutScopedFields(0, {64, 64, 64, 64}, &fields);
      REQUIRE(mgr.GetContainer(1)->AddScopedAllocator(memory.Backing(), 0, "sa", fields, 4).ok());
      std::vector<std::thread> threads;
      for (int i = 1; i <= 4; ++i) {
        threads.emplace_back([&mgr, i] {
          Allocator* const field = mgr.GetContainer(1)->GetInstance(i);
          void* const block = field->AllocateRaw(64, 64);
          std::memset(block, i, 64);
          field->DeallocateRaw(block, 64, 64);
        });
      }
      for (std::thread& thread : threads) thread.join();
      CHECK(memory.released == 1);
      for (int i = 0; i < 4; ++i) CHECK(memory.bytes[64 * i + 63] == i + 1);
    }
  }
}
}  // namespace scoped_allocator_test
