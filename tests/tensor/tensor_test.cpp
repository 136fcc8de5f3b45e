// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/tensor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/types/complex.hpp>

#include "base/child_process.hpp"
#include "memory/device_memory.hpp"
#include "memory/needed.hpp"

namespace tensor_test {
using namespace tenon;
using tenon::testing::DeviceMemory;
using tenon::testing::Needed;

namespace {
template <class T>
std::vector<T> Values(const Tensor& t) {
  return {t.flat<T>().begin(), t.flat<T>().end()};
}
bool IsAligned64(const Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.raw_data()) % 64 == 0; }
constexpr DataType kReference = static_cast<DataType>(101);
}  // namespace

TEST_SUITE("Tensor construction") {
  TEST_CASE("Reset makes a new tensor in the place of one") {
    Tensor a = MakeTensor<float>({2}, {1, 2});
    const Tensor other = a;
    a.Reset(CpuAllocator(), DataType::kInt64, TensorShape{2, 3});
    Needed(a.raw_data());
    CHECK(a.dtype() == DataType::kInt64);
    CHECK(a.shape() == TensorShape{2, 3});
    CHECK(a.RefCountIsOne());
    CHECK(other.flat<float>()(1) == 2);
    a.Reset(CpuAllocator(), DataType::kString, TensorShape{2, 3});
    CHECK(a.NumElements() == 6);
    a.Reset(CpuAllocator(), DataType::kFloat, TensorShape{0});
    CHECK(a.IsInitialized());
    a.Reset(CpuAllocator(), DataType::kFloat, TensorShape{std::int64_t{1} << 60});
    CHECK(!a.IsInitialized());
  }
  TEST_CASE("is 48 bytes and does not throw when moved") {
    static_assert(sizeof(Tensor) <= 48);
    CHECK(std::is_nothrow_move_constructible_v<Tensor>);
    CHECK(std::is_nothrow_move_assignable_v<Tensor>);
  }
  TEST_CASE("gives float [0] without arguments, and no elements with a dtype alone") {
    const Tensor t;
    CHECK(t.dtype() == DataType::kFloat);
    CHECK(t.shape() == TensorShape{0});
    CHECK(t.IsInitialized());
    CHECK(t.buffer() == nullptr);
    CHECK(t.raw_data() == nullptr);
    CHECK(t.TotalBytes() == 0);
    CHECK(Tensor(DataType::kVariant).dtype() == DataType::kVariant);
  }
  TEST_CASE("takes one block of the allocator, with aligned data") {
    TrackingAllocator memory(CpuAllocator());
    {
      Tensor t(&memory, DataType::kDouble, {2, 3});
      Needed(t.raw_data());
      CHECK(memory.num_allocations() == 1);
      CHECK(memory.bytes_in_use() == 64 + 48);
      CHECK(IsAligned64(t));
      CHECK(t.IsAligned());
      CHECK(t.TotalBytes() == 48);
      CHECK(t.tensor_data().size() == 48);
      CHECK(t.NumElements() == 6);
      CHECK(t.dims() == 2);
      CHECK(t.dim_size(1) == 3);
      CHECK(t.RefCountIsOne());
    }
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
    const Tensor nothing(&memory, DataType::kFloat, {0, 5});
    CHECK(memory.num_allocations() == 1);
    CHECK(nothing.IsInitialized());
  }
  TEST_CASE("works for every dtype that a tensor holds") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Result<Tensor> t = Tensor::Make(type, {3});
      REQUIRE(t.ok());
      CHECK(t->dtype() == type);
      if (IsPlain(type)) CHECK(t->TotalBytes() == 3 * static_cast<std::size_t>(SizeOf(type)));
    }
  }
  TEST_CASE("fails with a status when there is no memory") {
    TrackingAllocator memory(CpuAllocator());
    memory.FailAllocations(1, TrackingAllocator::kAll);
    const Status s = Tensor::Make(DataType::kFloat, {2, 3}, &memory).status();
    CHECK(errors::IsResourceExhausted(s));
    CHECK(
        s.message() ==
        "OOM when allocating tensor with shape[2,3] and type float by allocator cpu, which was asked for 24 bytes; in "
        "use: 0 bytes (peak 0, 0 allocations)");
    CHECK(errors::IsResourceExhausted(Tensor::Make(DataType::kString, {2}, &memory).status()));
    const Tensor t(&memory, DataType::kFloat, {2, 3});
    CHECK_FALSE(t.IsInitialized());
    CHECK(t.shape() == TensorShape{2, 3});
    const Index large = Index{1} << 61;  // elements that no address space has the bytes for
    CHECK(errors::IsResourceExhausted(Tensor::Make(DataType::kComplex128, {large}).status()));
    CHECK(errors::IsResourceExhausted(Tensor::Make(DataType::kUint8, {large}).status()));
    CHECK(errors::IsResourceExhausted(Tensor::Make(DataType::kString, {large}).status()));
  }
  TEST_CASE("without a status says in the log that there is no memory") {
    struct Sink final : LogSink {
      Sink() : before(SetLogSink(this)) {}
      ~Sink() override { SetLogSink(before); }
      void Send(const LogEntry& entry) override { text += entry.text; }
      LogSink* before;
      std::string text;
    };
    struct None final : AllocationObserver {
      bool MayAllocate(std::size_t, std::size_t) override { return false; }
    };
    const Tensor source = Tensor::Scalar(1.0f);
    Needed(source.raw_data());
    None none;
    Sink sink;
    AllocationObserver* const before = CpuAllocator()->SetObserver(&none);
    const Tensor t(DataType::kFloat, {2, 3});
    const std::string said = std::exchange(sink.text, {});
    const Tensor copy = source.DeepCopy();
    CpuAllocator()->SetObserver(before);
    CHECK_FALSE(t.IsInitialized());
    CHECK(Contains(said,
                   "OOM when allocating tensor with shape[2,3] and type float by allocator cpu, which was asked "
                   "for 24 bytes; "));
    CHECK_FALSE(copy.IsInitialized());
    CHECK(Contains(sink.text, "OOM when allocating tensor with shape[] and type float by allocator cpu, "));
  }
  TEST_CASE("fails with a status for dtypes that no tensor holds") {
    Status s = Tensor::Make(DataType::kInvalid, {2}).status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "Tensor: a tensor cannot hold elements of type 'INVALID' (0)");
    CHECK(Tensor::Make(kReference, {2}).status().message() ==
          "Tensor: a tensor cannot hold elements of type 'float_ref' (101)");
    DeviceMemory device;
    s = Tensor::Make(DataType::kString, {2}, &device).status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() ==
          "Tensor: elements of type 'string' live in host memory, which allocator 'device' does not give");
    const ChildResult child = RunInChild([] { Tensor(kReference, {2}); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "no elements of this type; the tensor has type float_ref and shape [2]"));
  }
  TEST_CASE("starts strings and handles empty, and destroys them") {
    TrackingAllocator memory(CpuAllocator());
    {
      Tensor t(&memory, DataType::kString, {2, 2});
      CHECK(t.flat<tstring>()[3] == "");
      t.matrix<tstring>()(1, 1) = std::string(1000, 'x');  // freed with the tensor, which the leak checker watches
      CHECK(t.TotalBytes() == 4 * sizeof(tstring) + 1000);
      Tensor handles(&memory, DataType::kResource, {2});
      handles.flat<ResourceHandle>()[0].name = std::string(100, 'n');
      CHECK(handles.TotalBytes() == 2 * sizeof(ResourceHandle));
    }
    CHECK(memory.blocks_in_use() == 0);
  }
  TEST_CASE("from values") {
    const Tensor a = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(a.matrix<float>()(1, 0) == 4);
    const Tensor b = MakeTensor<double>({3}, std::vector<double>{1, 2, 3});
    CHECK(Values<double>(b) == std::vector<double>{1, 2, 3});
    const Tensor c = MakeTensor<tstring>({2}, {"a", "b"});
    CHECK(c.vec<tstring>()(1) == "b");
    CHECK(MakeTensor<bool>({1}, {true}).vec<bool>()(0));
    CHECK(MakeTensor<float>({0}, {}).NumElements() == 0);
    CHECK(Tensor::From<std::int32_t>({1, 2}, {1, 2}).shape() == TensorShape{1, 2});
    CHECK(Tensor::Scalar(2.5f).scalar<float>()() == 2.5f);
    CHECK(Tensor::Scalar(2.5f).shape() == TensorShape{});
    CHECK(Tensor::Scalar("text").scalar<tstring>()() == "text");
    CHECK(Tensor::Scalar(complex64(1, 2)).dtype() == DataType::kComplex64);
    CHECK(Tensor::Scalar<std::int64_t>(7).dtype() == DataType::kInt64);
    const ChildResult no_memory =
        RunInChild([] { static_cast<void>(Tensor(DataType::kFloat, {2, 3}, nullptr).flat<float>()); });
    CHECK(no_memory.aborted);
    CHECK(Contains(no_memory.errors, "no memory (ask IsInitialized); the tensor has type float and shape [2,3]"));
    CHECK(Tensor(DataType::kFloat, {2, 0}, nullptr).flat<float>().size() == 0);
    const ChildResult child = RunInChild([] { MakeTensor<float>({2, 3}, {1, 2}); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "the number of values differs from the number of elements"));
  }
  TEST_CASE("over foreign memory tells its owner at the end") {
    float data[6] = {1, 2, 3, 4, 5, 6};
    int told = 0;
    {
      Tensor copy;
      {
        const Tensor t = Tensor::FromMemory(DataType::kFloat, {2, 3}, data, [&] { ++told; });
        CHECK(t.raw_data() == data);
        CHECK_FALSE(t.RefCountIsOne());  // nobody may write to it in place
        copy = t;
      }
      CHECK(told == 0);
    }
    CHECK(told == 1);
    CHECK(Tensor::FromMemory(DataType::kFloat, {6}, data).vec<float>()(5) == 6);
  }
  TEST_CASE("as a view of a buffer keeps it alive") {
    int told = 0;
    static const std::int32_t bytes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    Buffer* file = Buffer::Wrap(const_cast<std::int32_t*>(bytes), sizeof bytes, [&] { ++told; });
    Tensor t = Tensor::ViewOf(file, DataType::kInt32, {2, 2}, bytes + 2);
    file->Unref();
    CHECK(told == 0);
    CHECK(Values<std::int32_t>(t) == std::vector<std::int32_t>{2, 3, 4, 5});
    CHECK_FALSE(t.RefCountIsOne());
    t = Tensor();
    CHECK(told == 1);
  }
  TEST_CASE("adopts a buffer") {
    TrackingAllocator memory(CpuAllocator());
    {
      const Tensor t(DataType::kFloat, {4}, Needed(Buffer::Allocate(&memory, 16)));
      CHECK(t.RefCountIsOne());
    }
    CHECK(memory.blocks_in_use() == 0);
  }
}

TEST_SUITE("Tensor sharing") {
  TEST_CASE("copies share the buffer") {
    TrackingAllocator memory(CpuAllocator());
    {
      Tensor a(&memory, DataType::kInt32, {2});
      a.flat<std::int32_t>()[0] = 5;
      Tensor b = a;
      CHECK(b.SharesBufferWith(a));
      CHECK_FALSE(a.RefCountIsOne());
      CHECK(b.flat<std::int32_t>()[0] == 5);
      b = Tensor();
      CHECK(a.RefCountIsOne());
      b = a;
      a = b;
      a = *&a;
      CHECK(a.SharesBufferWith(b));
      CHECK(memory.num_allocations() == 1);
    }
    CHECK(memory.blocks_in_use() == 0);
  }
  TEST_CASE("moves hand the buffer over") {
    Tensor a = MakeTensor<float>({1, 2, 1, 2, 1}, {1, 2, 3, 4});  // five dimensions: a shape on the heap
    const void* data = a.raw_data();
    Tensor b = std::move(a);
    CHECK(b.raw_data() == data);
    CHECK(b.RefCountIsOne());
    CHECK(b.dims() == 5);
    CHECK(b.dtype() == DataType::kFloat);
    a = std::move(b);
    CHECK(a.raw_data() == data);
    CHECK(a.dims() == 5);
    b = Tensor(DataType::kInt32, {3});
    CHECK(b.dtype() == DataType::kInt32);
    Tensor& self = a;
    a = std::move(self);
    CHECK(a.raw_data() == data);
    CHECK(a.flat<float>()[3] == 4);
    std::swap(a, b);
    CHECK(b.raw_data() == data);
    CHECK(a.dtype() == DataType::kInt32);
    CHECK(a.shape() == TensorShape{3});
  }
  TEST_CASE("shapes differ without copying: CopyFrom") {
    const Tensor a = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    Tensor b(DataType::kInt32, {1});
    CHECK_FALSE(b.CopyFrom(a, {4}));
    CHECK(b.dtype() == DataType::kInt32);
    CHECK(b.CopyFrom(a, {3, 2}));
    CHECK(b.dtype() == DataType::kFloat);
    CHECK(b.SharesBufferWith(a));
    CHECK(b.matrix<float>()(2, 1) == 6);
    CHECK(b.CopyFrom(b, {6}));
    CHECK(b.vec<float>()(5) == 6);
  }
  TEST_CASE("dtypes differ without copying: BitcastFrom") {
    const Tensor a = MakeTensor<float>({2}, {1, 2});
    Tensor b;
    CHECK(b.BitcastFrom(a, DataType::kUint32, {2}).ok());
    CHECK(b.vec<std::uint32_t>()(0) == 0x3f800000);
    CHECK(b.BitcastFrom(a, DataType::kUint8, {2, 4}).ok());
    CHECK(b.SharesBufferWith(a));
    CHECK(b.BitcastFrom(a, DataType::kDouble, {2}).message() ==
          "input and output shapes/data type sizes are not compatible");
    CHECK_FALSE(b.BitcastFrom(a, DataType::kFloat, {(Index{1} << 62) + 2}).ok());  // 8 bytes more than 2^64
    CHECK(b.BitcastFrom(a, DataType::kString, {2}).message() == "specified output type is zero-sized");
    CHECK(b.BitcastFrom(Tensor::Scalar("x"), DataType::kInt8, {1}).message() ==
          "other tensor has zero-sized data type");
    CHECK(b.dtype() == DataType::kUint8);
  }
  TEST_CASE("slices share the buffer along dimension 0") {
    Tensor a = MakeTensor<std::int32_t>({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
    Tensor middle = a.Slice(1, 3);
    CHECK(middle.shape() == TensorShape{2, 2});
    CHECK(Values<std::int32_t>(middle) == std::vector<std::int32_t>{2, 3, 4, 5});
    CHECK(middle.SharesBufferWith(a));
    CHECK_FALSE(middle.RefCountIsOne());
    CHECK_FALSE(middle.IsAligned());
    Tensor row = middle.SubSlice(1);
    CHECK(row.shape() == TensorShape{2});
    CHECK(Values<std::int32_t>(row) == std::vector<std::int32_t>{4, 5});
    CHECK(a.Slice(0, 4).raw_data() == a.raw_data());
    CHECK(a.Slice(2, 2).NumElements() == 0);
    CHECK(a.Slice(2, 2).IsInitialized());
    a = Tensor();
    middle = Tensor();
    CHECK(row.RefCountIsOne());  // the last owner of the whole block
    row.flat<std::int32_t>()[0] = 40;
    CHECK(row.vec<std::int32_t>()(0) == 40);
    const Tensor strings = MakeTensor<tstring>({3}, {"a", std::string(50, 'b'), "c"});
    CHECK(strings.Slice(1, 2).vec<tstring>()(0) == std::string(50, 'b'));
    CHECK(strings.SubSlice(2).scalar<tstring>()() == "c");
    const ChildResult child = RunInChild([&] { static_cast<void>(strings.Slice(1, 4)); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "tensor.hpp:"));  // where
    CHECK(Contains(child.errors,
                   "Slice wants a range inside dimension 0, got [1,4); the tensor has type string and shape [3]"));
    const ChildResult sub = RunInChild([&] { static_cast<void>(strings.SubSlice(3)); });
    CHECK(sub.aborted);
    CHECK(Contains(sub.errors,
                   "SubSlice wants an index inside dimension 0, got [3,4); the tensor has type string and shape [3]"));
  }
  TEST_CASE("deep copies share nothing") {
    Tensor a = MakeTensor<float>({2}, {1, 2});
    const Tensor b = a.DeepCopy();
    CHECK_FALSE(b.SharesBufferWith(a));
    a.flat<float>()[0] = 9;
    CHECK(Values<float>(b) == std::vector<float>{1, 2});
    const Tensor s = MakeTensor<tstring>({2}, {"x", std::string(99, 'y')});
    CHECK(s.DeepCopy().vec<tstring>()(1) == std::string(99, 'y'));
    CHECK(Tensor(DataType::kInt8).DeepCopy().dtype() == DataType::kInt8);
    const Tensor view = Tensor::FromMemory(DataType::kFloat, {1}, a.raw_data());
    CHECK(view.DeepCopy().RefCountIsOne());
  }
}

TEST_SUITE("Tensor views") {
  TEST_CASE("give the elements under the shape that was asked for") {
    Tensor t = MakeTensor<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
    t.flat<std::int32_t>()(5) = 50;
    t.matrix<std::int32_t>()(0, 2) = 20;
    t.tensor<std::int32_t, 2>()(1, 0) = 30;
    t.shaped<std::int32_t, 3>({3, 1, 2})(0, 0, 1) = 10;
    const Tensor& c = t;
    CHECK(Values<std::int32_t>(c) == std::vector<std::int32_t>{0, 10, 20, 30, 4, 50});
    CHECK(c.shaped<std::int32_t, 1>({6})(4) == 4);
    CHECK(&c.flat<std::int32_t>().shape() == &c.shape());
    CHECK(c.data<std::int32_t>()[3] == 30);
    CHECK(std::is_same_v<decltype(c.flat<std::int32_t>()), In<std::int32_t>>);
    CHECK(std::is_same_v<decltype(t.flat<std::int32_t>()), Out<std::int32_t>>);
    CHECK(MakeTensor<float>({1, 1}, {7}).scalar<float>()() == 7);
  }
  TEST_CASE("collapse the leading or the trailing dimensions") {
    const Tensor t(DataType::kFloat, {2, 3, 4});
    CHECK(t.flat_inner_dims<float>().shape() == TensorShape{6, 4});
    CHECK(t.flat_outer_dims<float>().shape() == TensorShape{2, 12});
    CHECK(t.flat_inner_dims<float, 4>().shape() == TensorShape{1, 2, 3, 4});
    CHECK(t.flat_outer_dims<float, 4>().shape() == TensorShape{2, 3, 4, 1});
    CHECK(t.flat_inner_dims<float, 1>().shape() == TensorShape{24});
    const Tensor scalar = Tensor::Scalar(1.f);
    CHECK(scalar.flat_inner_dims<float>().shape() == TensorShape{1, 1});
    CHECK(scalar.flat_outer_dims<float>().shape() == TensorShape{1, 1});
  }
  TEST_CASE("come with a status for tensors of a user") {
    Tensor t = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor& c = t;
    CHECK((c.View<In<float, 2>>().value()(1, 2) == 6));
    CHECK((t.View<Out<float>>().value()[0] == 1));
    Status s = c.View<In<std::int32_t>>().status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "Tensor::View: int32 expected, got float of shape [2,3]");
    CHECK((c.View<In<float, 1>>().status().message() == "Tensor::View: rank 1 expected, got shape [2,3]"));
    s = Tensor(DataType::kFloat, {2}, nullptr).View<In<float>>().status();
    CHECK(s.code() == Code::kFailedPrecondition);
    CHECK(s.message() == "Tensor::View: the tensor of shape [2] is not initialised");
  }
  TEST_CASE("of another type or rank end the program") {
    const Tensor t(DataType::kFloat, {2, 3});
    ChildResult child = RunInChild([&] { static_cast<void>(t.flat<double>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Tensor: double expected, got float; the tensor has shape [2,3]"));
    child = RunInChild([&] { static_cast<void>(t.vec<float>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Asking for tensor of 1 dimensions from a tensor of 2 dimensions"));
    child = RunInChild([&] { static_cast<void>(t.scalar<float>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Must have a one element tensor"));
    child = RunInChild([&] { static_cast<void>(t.shaped<float, 2>({2, 2})); });
    CHECK(child.aborted);
    CHECK(
        Contains(child.errors,
                 "shaped() wants as many elements as there are, got [2,2]; the tensor has shape [2,3] and 6 elements"));
  }
  TEST_CASE("of elements at an address that does not suit them are refused") {
    alignas(64) char bytes[64] = {};
    Tensor odd = Tensor::FromMemory(DataType::kFloat, {2, 3}, bytes + 1);
    const std::string text =
        StrCat("ptr = ", static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(bytes + 1)),
               " is not a multiple of 4; unaligned_flat and unaligned_shaped see such elements, DeepCopy gives them "
               "aligned memory");
    const Tensor& c = odd;
    CHECK(errors::IsInvalidArgument(c.View<In<float>>().status()));
    CHECK(c.View<In<float>>().status().message() == "Tensor::View: " + text);
    CHECK((odd.View<Out<float, 2>>().status().message() == "Tensor::View: " + text));
    const auto dies = [&](auto view) {
      const ChildResult child = RunInChild(view);
      return child.aborted && Contains(child.errors, "Tensor: " + text + "; the tensor has type float and shape [2,3]");
    };
    CHECK(dies([&] { static_cast<void>(odd.flat<float>()); }));
    CHECK(dies([&] { static_cast<void>(c.flat<float>()); }));
    CHECK(dies([&] { static_cast<void>(c.matrix<float>()); }));
    CHECK(dies([&] { static_cast<void>(c.shaped<float, 1>({6})); }));
    CHECK(dies([&] { static_cast<void>(c.flat_inner_dims<float>()); }));
    CHECK(dies([&] { static_cast<void>(odd.flat_outer_dims<float>()); }));
    const Tensor one = Tensor::FromMemory(DataType::kComplex64, {}, bytes + 2);
    CHECK(Contains(one.View<In<std::complex<float>>>().status().ToString(), " is not a multiple of 4; "));
    CHECK(Tensor::FromMemory(DataType::kComplex64, {}, bytes + 4).View<In<std::complex<float>>>().ok());
    CHECK(odd.DeepCopy().flat<float>()[5] == 0);
    // No elements: nothing is read.
    const Tensor none = Tensor::FromMemory(DataType::kFloat, {0}, bytes + 1);
    CHECK(none.flat<float>().size() == 0);
    CHECK(none.View<In<float>>().ok());
    CHECK(Tensor::FromMemory(DataType::kInt8, {3}, bytes + 1).flat<std::int8_t>()[2] == 0);
  }
  TEST_CASE("of no elements collapse dimensions whose product would overflow only where they can") {
    const Index huge = Index{1} << 40;
    const Tensor t(DataType::kFloat, {0, huge, huge});
    CHECK(t.flat_inner_dims<float>().dim(0) == 0);
    CHECK(t.flat_inner_dims<float>().dim(1) == huge);
    CHECK((t.flat_inner_dims<float, 1>().dim(0) == 0));
    CHECK((t.flat_outer_dims<float, 1>().dim(0) == 0));
    const ChildResult child = RunInChild([&] { static_cast<void>(t.flat_outer_dims<float>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors,
                   "Tensor: the dimensions that become one overflow; the tensor has type float and shape "
                   "[0,1099511627776,1099511627776]"));
  }
  TEST_CASE("are made from what the runtime hands to a kernel") {
    const Tensor t = MakeTensor<float>({2}, {1, 2});
    Needed(t.raw_data());
    const AnyView any = t.any_view();
    CHECK(any.size == 2);
    CHECK(any.shape == &t.shape());
    CHECK(In<float>(any)[1] == 2);
  }
}

TEST_SUITE("Tensor text") {
  TEST_CASE("shows dtype, shape and the first values") {
    const Tensor t = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(t.DebugString() == "Tensor<type: float shape: [2,3] values: [1 2 3]...>");
    CHECK(t.DebugString(6) == "Tensor<type: float shape: [2,3] values: [1 2 3][4 5 6]>");
    CHECK(t.DeviceSafeDebugString() == "Tensor<type: float shape: [2,3]>");
    CHECK(StrCat("got ", t) == "got Tensor<type: float shape: [2,3] values: [1 2 3]...>");
    DeviceMemory device;
    CHECK(Tensor(&device, DataType::kFloat, {2}).DebugString() ==
          "Tensor<type: float shape: [2] values: <values in device memory>>");
  }
}

TEST_SUITE("MakeShape of a tensor") {
  TEST_CASE("reads int32 and int64 vectors and nothing else") {
    TensorShape shape;
    CHECK(MakeShape(MakeTensor<std::int32_t>({2}, {3, 4}), &shape).ok());
    CHECK(shape == TensorShape{3, 4});
    CHECK(MakeShape(MakeTensor<std::int64_t>({0}, {}), &shape).ok());
    CHECK(shape == TensorShape{});
    CHECK(MakeShape(Tensor::Scalar(3), &shape).message() == "shape must be a vector of {int32,int64}, got shape []");
    CHECK(MakeShape(MakeTensor<float>({1}, {3}), &shape).message() == "shape must be a vector of {int32,int64}.");
    CHECK(MakeShape(MakeTensor<std::int32_t>({1}, {-3}), &shape).message() == "Dimension -3 must be >= 0");
    const Status no_memory = MakeShape(Tensor(DataType::kInt32, {2}, nullptr), &shape);
    CHECK(no_memory.ToString() == "FAILED_PRECONDITION: shape is a tensor of shape [2] without memory");
  }
}
}  // namespace tensor_test
