// SPDX-License-Identifier: Apache-2.0
// What happens when memory runs out, at every place: each scenario runs again and again, and each time a later request
// to the process's allocator fails, until the scenario makes no more requests.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <io/temp_file.hpp>
#include <tenon/io/dlpack.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/io/npz.hpp>
#include <tenon/memory/arena.hpp>
#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/memory/pool_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/tensor/tensor_util.hpp>
#include <tenon/tensor/tensor_views.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/wire/tensor_proto_util.hpp>

namespace failure_sweep_test {
using namespace tenon;

namespace {

// Refuses the k-th request and counts what is out. `persists`: and all after it.
class Failing final : public AllocationObserver {
 public:
  Failing(std::int64_t k, bool persists) : k_(k), persists_(persists) { before_ = CpuAllocator()->SetObserver(this); }
  ~Failing() override { CpuAllocator()->SetObserver(before_); }
  bool MayAllocate(std::size_t, std::size_t bytes) override {
    const std::int64_t n = ++requests;
    if (n < k_ || (n > k_ && !persists_)) return true;
    ++failures;
    last_refused = bytes;
    return false;
  }
  void Allocated(void*, std::size_t, std::size_t) override { ++out; }
  void Deallocated(void*, std::size_t, std::size_t) override { --out; }

  std::atomic<std::int64_t> requests{0}, failures{0}, out{0};
  std::atomic<std::size_t> last_refused{0};

 private:
  const std::int64_t k_;
  const bool persists_;
  AllocationObserver* before_ = nullptr;
};

bool Has(const Status& s, std::string_view text) { return s.message().find(text) != std::string_view::npos; }

constexpr std::int64_t kMostRequests = 500;

// Scenario: Status(). OK although a request failed is right where somebody else had the memory.
template <class Scenario>
void Sweep(const std::string& name, Scenario scenario, bool may_recover = false) {
  CAPTURE(name);
  for (const bool persists : {false, true}) {
    std::int64_t k = 1;
    for (; k <= kMostRequests; ++k) {
      CAPTURE(k);
      Failing failing(k, persists);
      const Status s = scenario();
      REQUIRE(failing.out == 0);  // nothing leaks, whether it failed or not
      if (failing.failures == 0) {
        REQUIRE_MESSAGE(s.ok(), s.message());
        break;
      }
      if (s.ok()) {
        REQUIRE_MESSAGE(may_recover, "bytes refused: ", failing.last_refused.load());
        continue;
      }
      REQUIRE_MESSAGE(s.code() == Code::kResourceExhausted, s.message());
      REQUIRE_MESSAGE(Has(s, "allocator "), s.message());
      REQUIRE_MESSAGE(Has(s, ", which was asked for "), s.message());
      REQUIRE_MESSAGE(Has(s, "in use: "), s.message());
    }
    CHECK(k > 1);  // it asked for something
  }
}

struct StatsOn {
  StatsOn() { EnableCpuAllocatorStats(); }
  ~StatsOn() { EnableCpuAllocatorStats(false); }
};

Tensor Floats() {
  Tensor t(DataType::kFloat, TensorShape({64, 32}));
  for (Index i = 0; i < t.NumElements() && t.IsInitialized(); ++i) t.flat<float>()(i) = static_cast<float>(i);
  return t;
}
Tensor Texts() { return MakeTensor<tstring>({3}, {"a", "a text of more than twenty-two bytes", ""}); }

Status NoMemoryHere() {
  return errors::ResourceExhausted("a tensor without memory from ", detail::NoMemoryFrom(*CpuAllocator(), 0));
}
Result<Tensor> Checked(Tensor t) {
  if (!t.IsInitialized()) return NoMemoryHere();
  return t;
}

// Status of an allocator's answer.
Status Wanted(const void* ptr, const Allocator& allocator, std::size_t bytes) {
  if (ptr != nullptr) return OkStatus();
  return errors::ResourceExhausted("block from ", detail::NoMemoryFrom(allocator, bytes));
}
// Blocks of many sizes, all freed.
Status UseBlocks(Allocator& allocator) {
  struct Block {
    void* ptr;
    std::size_t bytes;
  };
  std::vector<Block> blocks;
  Status status;
  AllocationAttributes attributes;
  attributes.retry_on_failure = false;
  for (int i = 0; i < 40 && status.ok(); ++i) {
    const std::size_t bytes = std::size_t{1} << (i * 7 % 20);
    void* const ptr = allocator.AllocateRaw(64, bytes, attributes);
    status = Wanted(ptr, allocator, bytes);
    if (ptr != nullptr) std::memset(ptr, i, bytes);
    if (ptr != nullptr) blocks.push_back({ptr, bytes});
    if (i % 3 == 2 && !blocks.empty()) {
      allocator.DeallocateRaw(blocks.front().ptr, 64, blocks.front().bytes);
      blocks.erase(blocks.begin());
    }
  }
  for (const Block& b : blocks) allocator.DeallocateRaw(b.ptr, 64, b.bytes);
  return status;
}

// Quiet: failures are logged.
class NoLog final : public LogSink {
 public:
  NoLog() : before_(SetLogSink(this)) {}
  ~NoLog() override { SetLogSink(before_); }
  void Send(const LogEntry&) override {}

 private:
  LogSink* const before_;
};

}  // namespace

TEST_SUITE("failure sweep") {
  TEST_CASE("allocators") {
    const StatsOn stats;
    const NoLog quiet;
    Sweep("cpu", [] { return UseBlocks(*CpuAllocator()); });
    Sweep("tracking", [] {
      TrackingAllocator a(CpuAllocator());
      return UseBlocks(a);
    });
    Sweep("limited", [] {
      LimitedAllocator a(CpuAllocator(), std::size_t{64} << 20, "limited");
      return UseBlocks(a);
    });
    Sweep(
        "bfc",
        [] {
          BFCAllocator a(MakeOwned<BaseSubAllocator>(CpuAllocator()), std::size_t{64} << 20, "bfc");
          const Status s = UseBlocks(a);
          return a.FindDefect().empty() ? s : errors::Internal(a.FindDefect());
        },
        true);
    Sweep(
        "pool",
        [] {
          PoolAllocator a(20, false, MakeOwned<BaseSubAllocator>(CpuAllocator()), &PoolAllocator::RoundToPowerOfTwo,
                          "pool");
          return UseBlocks(a);
        },
        true);
    Sweep(
        "caching, owned and not",
        [] {
          const Owned<CachingAllocator, CachingAllocator::Releaser> a(CachingAllocator::Create(CpuAllocator()));
          Status s = UseBlocks(*a);
          a->SetOwnerThread();
          if (s.ok()) s = UseBlocks(*a);
          a->ClearOwnerThread();
          return s;
        },
        true);
    Sweep(
        "arena",
        [] {
          Arena arena(CpuAllocator(), 4096);
          for (std::size_t i = 1; i <= 40; ++i) {
            void* const ptr = arena.Allocate(i * 300);
            TENON_RETURN_IF_ERROR(Wanted(ptr, *arena.base(), i * 300));
            std::memset(ptr, 1, i * 300);
          }
          return OkStatus();
        },
        true);
  }

  TEST_CASE("tensors") {
    const StatsOn stats;
    Sweep("Make of every dtype", [] {
      for (const DataType dtype : {DataType::kFloat, DataType::kComplex128, DataType::kString, DataType::kResource}) {
        TENON_RETURN_IF_ERROR(Tensor::Make(dtype, TensorShape({5, 3})).status());
      }
      return Tensor::Make(DataType::kFloat, TensorShape({3 << 20})).status();
    });
    Sweep("constructors without a Status", [] {
      const Tensor made[] = {Floats(),
                             Texts(),
                             Tensor::Zeros<double>({7}),
                             Tensor::Scalar(1.5f),
                             Tensor::Scalar("abc"),
                             Tensor(DataType::kString, {4}),
                             Floats().DeepCopy(),
                             Texts().DeepCopy()};
      for (const Tensor& t : made) {
        static_cast<void>(t.DebugString());
        static_cast<void>(t.TotalBytes());
        const Tensor copy = t;
        const Tensor again = t.DeepCopy();
        if (!t.IsInitialized() || !again.IsInitialized()) return NoMemoryHere();
      }
      return OkStatus();
    });
    Sweep("views, slices and casts", [] {
      TENON_ASSIGN_OR_RETURN(const Tensor t, Checked(Floats()));
      TENON_ASSIGN_OR_RETURN(const Tensor part, tensor::Slice(t, 1, 4));
      TENON_ASSIGN_OR_RETURN(const Tensor row, tensor::SubSlice(t, 3));
      TENON_ASSIGN_OR_RETURN(const Tensor reshaped, tensor::Reshape(t, {32, 64}));
      TENON_ASSIGN_OR_RETURN(const Tensor bits, tensor::Bitcast(part, DataType::kUint8));
      // Bytes that are aligned for no float: they have to be copied.
      TENON_ASSIGN_OR_RETURN(const Tensor bytes, Checked(Tensor::Zeros<std::uint8_t>({41})));
      TENON_ASSIGN_OR_RETURN(const Tensor odd, tensor::Slice(bytes, 1, 41));
      TENON_ASSIGN_OR_RETURN(const Tensor rows, tensor::Reshape(odd, {10, 4}));
      return tensor::Bitcast(rows, DataType::kFloat).status();
    });
    Sweep("DeepCopy, Concat, Split", [] {
      for (Tensor t : {Floats(), Texts()}) {
        TENON_RETURN_IF_ERROR(Checked(t).status());
        TENON_ASSIGN_OR_RETURN(const Tensor copy, tensor::DeepCopy(t));
        const Tensor both[] = {t, copy};
        TENON_ASSIGN_OR_RETURN(const Tensor joined, tensor::Concat(both));
        std::vector<Tensor> parts;
        const Index n = joined.dim_size(0);
        const Index sizes[] = {1, n - 2, 1};
        const Status s = tensor::Split(joined, sizes, &parts);
        if (!s.ok() && !parts.empty()) return errors::Internal("parts have changed");
        TENON_RETURN_IF_ERROR(s);
        TENON_RETURN_IF_ERROR(tensor::CopyContiguousSlices(t, 0, 1, 1, &parts[1]));
        const float values[] = {1, 2, 3};
        TENON_RETURN_IF_ERROR(tensor::FromValues<float>(values, {3}).status());
      }
      return OkStatus();
    });
  }

  TEST_CASE("TensorProto") {
    const StatsOn stats;
    std::vector<std::string> protos;
    const Tensor some[] = {Floats(),
                           Texts(),
                           Tensor::Scalar(3.0f),
                           MakeTensor<std::complex<float>>({2}, {{1, 2}, {3, 4}}),
                           MakeTensor<bool>({3}, {true, false, true}),
                           MakeTensor<std::int64_t>({2, 2}, {1, -2, 3, -4})};
    for (const Tensor& t : some) {
      for (const TensorProtoForm form : {TensorProtoForm::kAuto, TensorProtoForm::kTyped, TensorProtoForm::kContent}) {
        if (form == TensorProtoForm::kContent && t.dtype() == DataType::kString) continue;
        protos.emplace_back();
        TensorToProto(t, &protos.back(), form);
      }
    }
    Sweep("parsed", [&protos] {
      for (const std::string& proto : protos) TENON_RETURN_IF_ERROR(TensorFromProto(wire::AsBytes(proto)).status());
      return OkStatus();
    });
    Sweep("written, compressed and read again", [] {
      TENON_ASSIGN_OR_RETURN(const Tensor t, Checked(Tensor::Zeros<float>({1000})));
      std::string proto;
      TensorToProto(t, &proto);
      TENON_RETURN_IF_ERROR(CompressTensorProtoInPlace(&proto).status());
      return TensorFromProto(wire::AsBytes(proto)).status();
    });
    Sweep("in a graph", [&protos] {
      GraphDef graph;
      for (const std::string& proto : protos) {
        TENON_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(wire::AsBytes(proto)));
        NodeDef node;
        node.name = StrCat("c", graph.node.size());
        node.op = "Const";
        node.attr["value"] = AttrValue(std::move(value));
        graph.node.push_back(std::move(node));
      }
      std::string bytes;
      wire::SerializeTo(graph, &bytes);
      TENON_ASSIGN_OR_RETURN(const GraphDef parsed, ParseGraphDef(wire::AsBytes(bytes)));
      // A tensor that could not be made stays in its serialised form, with the reason.
      for (const NodeDef& node : parsed.node) TENON_RETURN_IF_ERROR(node.attr.Find("value")->decode_status());
      return OkStatus();
    });
  }

  TEST_CASE("files") {
    const StatsOn stats;
    const Tensor floats = Floats(), texts = Texts();
    SlimVector<NamedArray> arrays;
    arrays.push_back({"floats", floats});
    arrays.push_back({"texts", texts});
    for (const bool compressed : {false, true}) {
      const TempFile npz("sweep.npz");
      REQUIRE(WriteNpz(npz.path(), {arrays.data(), arrays.size()}, compressed).ok());
      Sweep("npz read", [&npz] {
        TENON_ASSIGN_OR_RETURN(const auto all, ReadNpz(npz.path()));
        return all.size() == 2 ? OkStatus() : errors::Internal("other arrays");
      });
      Sweep("npz written", [&arrays, compressed] {
        const TempFile temp("sweep2.npz");
        return WriteNpz(temp.path(), {arrays.data(), arrays.size()}, compressed);
      });
    }
    for (const Tensor& t : {floats, texts}) {
      const TempFile npy("sweep.npy");
      REQUIRE(WriteNpy(npy.path(), t).ok());
      const std::string bytes = npy.Read();
      Sweep("npy parsed from memory", [&bytes] {
        // One byte further: nothing is aligned.
        const std::string moved = "x" + bytes;
        return ParseNpy(wire::AsBytes(std::string_view(moved).substr(1)), nullptr, "ParseNpy", {}).status();
      });
    }
    Sweep("npy of strings written", [&texts] {
      const TempFile temp("sweep2.npy");
      return WriteNpy(temp.path(), texts);
    });
    Sweep("a file that cannot be mapped", [] {
      TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open("/proc/self/status"));
      return file.bytes().empty() ? errors::Internal("empty") : OkStatus();
    });
    Sweep("DLPack there and back", [] {
      TENON_ASSIGN_OR_RETURN(const Tensor t, Checked(Floats()));
      TENON_ASSIGN_OR_RETURN(dlpack::DLManagedTensorVersioned* const managed, ToDLPackVersioned(t));
      Result<Tensor> back = FromDLPack(managed);
      if (!back.ok()) managed->deleter(managed);
      TENON_RETURN_IF_ERROR(back.status());
      return tensor::DeepCopy(*back).status();
    });
  }
}
}  // namespace failure_sweep_test
