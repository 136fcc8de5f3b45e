// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/tensor_util.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/variant.hpp>

#include "memory/needed.hpp"

namespace tensor_util_test {
using namespace tenon;
using tenon::testing::Needed;
using tensor::Equality;

namespace {

// Memory that the host may not touch.
class DeviceMemory final : public Allocator {
 public:
  std::string_view Name() const override { return "device"; }
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    return CpuAllocator()->AllocateRaw(alignment, bytes, attributes);
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    CpuAllocator()->DeallocateRaw(ptr, alignment, bytes);
  }
  bool HostAccessible() const override { return false; }
};

// Rows that differ, for every dtype that a tensor holds.
Tensor Filled(DataType dtype, const TensorShape& shape, unsigned first = 0) {
  Result<Tensor> made = Tensor::Make(dtype, shape);
  REQUIRE(made.ok());
  for (Index i = 0; i < shape.num_elements(); ++i) {
    const unsigned value = first + static_cast<unsigned>(i);
    if (dtype == DataType::kString) {
      made->data<tstring>()[i] = std::string(20 + value % 5, static_cast<char>('a' + value % 26));
    } else if (dtype == DataType::kResource) {
      made->data<ResourceHandle>()[i].name = "handle " + std::to_string(value);
    } else if (dtype == DataType::kVariant) {
      made->data<Variant>()[i] = static_cast<int>(value);
    } else {
      const auto bytes = static_cast<std::size_t>(SizeOf(dtype));
      std::memset(static_cast<char*>(made->raw_data()) + static_cast<std::size_t>(i) * bytes,
                  dtype == DataType::kBool ? static_cast<int>(value & 1) : static_cast<int>(value & 3), bytes);
    }
  }
  return *std::move(made);
}
// The tensor at an address that is no multiple of 64.
Tensor Misaligned(const Tensor& t) {
  TensorShape shape = t.shape();
  shape.set_dim(0, shape.dim_size(0) + 1);
  Tensor larger = Tensor::Make(t.dtype(), shape).value();
  Tensor slice = larger.Slice(1, shape.dim_size(0));
  REQUIRE(tensor::DeepCopy(t, &slice).ok());
  return slice;
}

}  // namespace

TEST_SUITE("DeepCopy") {
  TEST_CASE("copies every dtype, aligned or not, into memory of its own") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Tensor a = Filled(type, {3, 5});
      for (const Tensor& from : {a, Misaligned(a), a.Slice(0, 3)}) {
        const Result<Tensor> copy = tensor::DeepCopy(from);
        REQUIRE(copy.ok());
        CHECK(tensor::CheckEqual(*copy, a, Equality::kBits).ok());
        CHECK_FALSE(copy->SharesBufferWith(from));
        CHECK(copy->RefCountIsOne());
      }
    }
  }
  TEST_CASE("copies tensors without elements") {
    for (const DataType type : kAllTypes) {
      const Result<Tensor> copy = tensor::DeepCopy(Tensor(type, {0, 3}, nullptr));
      REQUIRE(copy.ok());
      CHECK(copy->dtype() == type);
      CHECK(copy->shape() == TensorShape{0, 3});
    }
  }
  TEST_CASE("says why there is no copy") {
    const Tensor none(DataType::kFloat, {2}, nullptr);
    CHECK(tensor::DeepCopy(none).status().code() == Code::kFailedPrecondition);
    CHECK(tensor::DeepCopy(none).status().message() ==
          "DeepCopy: the tensor of type float and shape [2] is not initialised; its elements must have memory");
    DeviceMemory device;
    CHECK(tensor::DeepCopy(Tensor(&device, DataType::kFloat, {2})).status().message() ==
          "DeepCopy: the tensor of type float and shape [2] is in device memory; copy it to the host before");
    CHECK(errors::IsInternal(tensor::DeepCopy(Tensor(static_cast<DataType>(101), {2}, nullptr)).status()));
    Tensor to(DataType::kFloat, {3});
    Tensor strings = Filled(DataType::kString, {3}), rest = strings.Slice(1, 3);
    CHECK(tensor::DeepCopy(strings.Slice(0, 2), &rest).ok());  // overlapping
    CHECK(tensor::Equal(rest, Filled(DataType::kString, {2})));
    CHECK(tensor::DeepCopy(Tensor(DataType::kInt32, {3}), &to).message() ==
          "DeepCopy: both tensors must have the same type and shape, got int32 [3] and float [3]");
  }
}

TEST_SUITE("Concat and Split") {
  TEST_CASE("are the reverse of each other for every dtype") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Tensor a = Filled(type, {2, 3}), b = Filled(type, {0, 3}), c = Filled(type, {3, 3}, 6);
      const Tensor parts[] = {a, b, Misaligned(c)};
      const Result<Tensor> whole = tensor::Concat(parts);
      REQUIRE(whole.ok());
      CHECK(tensor::CheckEqual(*whole, Filled(type, {5, 3}), Equality::kBits).ok());
      std::vector<Tensor> again;
      const Index sizes[] = {2, 0, 3};
      for (const Tensor& from : {*whole, Misaligned(*whole)}) {
        REQUIRE(tensor::Split(from, sizes, &again).ok());
        REQUIRE(again.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
          CHECK(tensor::CheckEqual(again[i], parts[i], Equality::kBits).ok());
          CHECK_FALSE(again[i].SharesBufferWith(from));
        }
      }
    }
  }
  TEST_CASE("of vectors, and of nothing but empty tensors") {
    const Tensor parts[] = {MakeTensor<float>({1}, {1}), MakeTensor<float>({2}, {2, 3})};
    CHECK(tensor::Equal(tensor::Concat(parts).value(), MakeTensor<float>({3}, {1, 2, 3})));
    const Tensor empty[] = {Tensor(DataType::kVariant, {0, 7}, nullptr), Tensor(DataType::kVariant, {0, 7}, nullptr)};
    CHECK(tensor::Concat(empty).value().shape() == TensorShape{0, 7});
    SlimVector<Tensor> split;
    CHECK(tensor::Split(Tensor(DataType::kFloat, {0}), {}, &split).ok());
    CHECK(split.empty());
    const Index sizes[] = {3, 2};
    REQUIRE(tensor::Split(Tensor(DataType::kString, {5, 0}), sizes, &split).ok());
    CHECK(split[1].shape() == TensorShape{2, 0});
  }
  TEST_CASE("Concat refuses with TensorFlow's texts") {
    CHECK(tensor::Concat({}).status().message() == "Cannot concatenate zero tensors");
    const Tensor scalar[] = {Tensor::Scalar(1.0f)};
    CHECK(tensor::Concat(scalar).status().message() == "Cannot concatenate a zero-dimensional tensor");
    const Tensor types[] = {Tensor(DataType::kFloat, {1}), Tensor(DataType::kInt32, {1})};
    CHECK(tensor::Concat(types).status().message() ==
          "Cannot concatenate tensors that have different data types. Got float and int32.");
    CHECK(errors::IsInvalidArgument(tensor::Concat(types).status()));
    const Tensor shapes[] = {Tensor(DataType::kFloat, {1, 2}), Tensor(DataType::kFloat, {1, 3})};
    CHECK(tensor::Concat(shapes).status().message() ==
          "Concat: all dimensions but the first must agree, got [1,2] and [1,3]");
    const Tensor references[] = {Tensor(static_cast<DataType>(101), {1}, nullptr)};
    CHECK(tensor::Concat(references).status().code() == Code::kInternal);
    CHECK(tensor::Concat(references).status().message() == "Concat: Unexpected data type float_ref");
    const Index huge = std::numeric_limits<Index>::max();
    const Tensor many[] = {Tensor(DataType::kFloat, {huge, 0}), Tensor(DataType::kFloat, {huge, 0})};
    CHECK(errors::IsInvalidArgument(tensor::Concat(many).status()));
  }
  TEST_CASE("Split refuses with TensorFlow's texts") {
    SlimVector<Tensor> parts(2);
    const Index two[] = {2};
    CHECK(tensor::Split(Tensor::Scalar(1.0f), two, &parts).message() == "Cannot split a zero-dimensional tensor");
    const Tensor t(DataType::kFloat, {3});
    for (const auto& sizes : {std::vector<Index>{2}, {2, 2}, {}, {std::numeric_limits<Index>::max(), 3}}) {
      const Status s = tensor::Split(t, sizes, &parts);
      CHECK(errors::IsInvalidArgument(s));
      CHECK(s.message() == "The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'");
    }
    const Index negative[] = {4, -1};
    CHECK(tensor::Split(t, negative, &parts).code() == Code::kInvalidArgument);
    CHECK(parts.size() == 2);  // as before
  }
}

TEST_SUITE("Rows of a batch") {
  TEST_CASE("are written and read for every dtype") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      Tensor batch = Filled(type, {3, 2});
      const Tensor row = Filled(type, {2}, 1);
      CHECK(tensor::CopyElementToSlice(row, &batch, 1).ok());
      CHECK(tensor::Equal(batch.SubSlice(1), row, Equality::kBits));
      CHECK(tensor::Equal(batch.SubSlice(0), Filled(type, {2}), Equality::kBits));
      Tensor element = Filled(type, {2}, 9);
      CHECK(tensor::CopySliceToElement(batch, &element, 1).ok());
      CHECK(tensor::Equal(element, row, Equality::kBits));
    }
  }
  TEST_CASE("are moved inside one batch, up and down") {
    for (const DataType type : {DataType::kInt32, DataType::kString}) {
      Tensor down = Filled(type, {5, 2}), up = Filled(type, {5, 2});
      CHECK(tensor::CopyContiguousSlices(down, 0, 1, 4, &down).ok());
      CHECK(tensor::Equal(down.Slice(1, 5), Filled(type, {4, 2})));
      CHECK(tensor::CopyContiguousSlices(up, 1, 0, 4, &up).ok());
      CHECK(tensor::Equal(up.Slice(0, 4), Filled(type, {4, 2}, 2)));
      CHECK(tensor::CopyContiguousSlices(up, 5, 5, 0, &up).ok());
    }
  }
  TEST_CASE("that do not fit are refused") {
    Tensor batch(DataType::kFloat, {3, 2}), element(DataType::kFloat, {3});
    CHECK(tensor::CopyElementToSlice(element, &batch, 0).message() ==
          "CopyElementToSlice Cannot perform copy: number of elements does not match.  Shapes are: [element]: [3], "
          "[parent slice]: [2]");
    CHECK(errors::IsInternal(tensor::CopySliceToElement(batch, &element, 0)));
    Tensor two(DataType::kFloat, {2});
    CHECK(tensor::CopyElementToSlice(two, &batch, 3).message() ==
          "CopyElementToSlice: the row must be in [0,3), got 3");
    CHECK_FALSE(tensor::CopySliceToElement(batch, &two, -1).ok());
    CHECK_FALSE(tensor::CopyElementToSlice(Tensor(DataType::kInt32, {2}), &batch, 0).ok());
    CHECK_FALSE(tensor::CopyElementToSlice(two, &two, 0).ok());
    CHECK(tensor::CopyContiguousSlices(batch, 2, 0, 2, &batch).code() == Code::kFailedPrecondition);
    CHECK(tensor::CopyContiguousSlices(batch, 0, 2, 2, &batch).code() == Code::kFailedPrecondition);
    CHECK(tensor::CopyContiguousSlices(batch, 0, 0, 1, &element).code() == Code::kFailedPrecondition);
    CHECK(tensor::CopyContiguousSlices(Tensor(DataType::kInt8, {3, 2}), 0, 0, 1, &batch).code() ==
          Code::kFailedPrecondition);
  }
}

TEST_SUITE("Equality of tensors") {
  TEST_CASE("compares dtype, shape and every element of every dtype") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Tensor a = Filled(type, {2, 3}), b = Filled(type, {2, 3}, 1);
      CHECK(tensor::Equal(a, Misaligned(a)));
      CHECK_FALSE(tensor::Equal(a, b));
      CHECK_FALSE(tensor::Equal(a, b, Equality::kBits));
      Tensor c;
      REQUIRE(c.CopyFrom(a, {3, 2}));
      CHECK_FALSE(tensor::Equal(a, c));
      CHECK(tensor::Equal(Tensor(type, {0}, nullptr), Tensor(type, {0}, nullptr)));
    }
    CHECK_FALSE(tensor::Equal(Tensor(DataType::kFloat, {0}), Tensor(DataType::kInt32, {0})));
    CHECK_FALSE(tensor::Equal(Tensor(DataType::kFloat, {1}, nullptr), Tensor(DataType::kFloat, {1}, nullptr)));
  }
  TEST_CASE("knows what zeros with a sign and NaN are") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor zeros = MakeTensor<float>({2}, {0.0f, -0.0f}), others = MakeTensor<float>({2}, {-0.0f, 0.0f});
    CHECK(tensor::Equal(zeros, others));
    CHECK_FALSE(tensor::Equal(zeros, others, Equality::kBits));
    const Tensor nans = MakeTensor<float>({1}, {nan});
    CHECK_FALSE(tensor::Equal(nans, nans));
    CHECK(tensor::Equal(nans, nans, Equality::kValuesOrNans));
    CHECK(tensor::Equal(nans, nans, Equality::kBits));
    const Tensor halves = MakeTensor<half>({2}, {half(nan), half(-0.0f)});
    CHECK(tensor::Equal(halves, MakeTensor<half>({2}, {half(nan), half(0.0f)}), Equality::kValuesOrNans));
    CHECK_FALSE(tensor::Equal(halves, halves));
    const Tensor complex = MakeTensor<complex64>({1}, {{1.0f, -0.0f}});
    CHECK(tensor::Equal(complex, MakeTensor<complex64>({1}, {{1.0f, 0.0f}})));
    CHECK_FALSE(tensor::Equal(complex, MakeTensor<complex64>({1}, {{1.0f, 2.0f}})));
    CHECK_FALSE(tensor::Equal(MakeTensor<complex128>({1}, {{1, 2}}), MakeTensor<complex128>({1}, {{1, 3}})));
  }
  TEST_CASE("says where the first difference is") {
    CHECK(tensor::CheckEqual(MakeTensor<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 5}),
                             MakeTensor<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 6}))
              .message() == "CheckEqual: the int32 elements at [1,2] differ, 5 and 6");
    CHECK(tensor::CheckEqual(Tensor::Scalar("a"), Tensor::Scalar("b")).message() ==
          "CheckEqual: the string elements at [] differ, \"a\" and \"b\"");
    CHECK(tensor::CheckEqual(Tensor(DataType::kFloat), Tensor(DataType::kHalf)).message() ==
          "CheckEqual: the types differ, float and half");
    CHECK(tensor::CheckEqual(Tensor(DataType::kFloat), Tensor(DataType::kFloat, {0, 1})).message() ==
          "CheckEqual: the shapes differ, [0] and [0,1]");
  }
}

TEST_SUITE("Bitcast") {
  TEST_CASE("shares the bytes under another type") {
    const Tensor a = MakeTensor<float>({2}, {1, 2});
    const Result<Tensor> words = tensor::Bitcast(a, DataType::kUint32), bytes = tensor::Bitcast(a, DataType::kUint8);
    REQUIRE(words.ok());
    REQUIRE(bytes.ok());
    CHECK(words->vec<std::uint32_t>()(0) == 0x3f800000);
    CHECK(words->SharesBufferWith(a));
    CHECK(bytes->shape() == TensorShape{2, 4});
    CHECK(tensor::Equal(tensor::Bitcast(*bytes, DataType::kFloat).value(), a));
    CHECK(tensor::Bitcast(Tensor::Scalar(1.0), DataType::kInt32).value().shape() == TensorShape{2});
    CHECK(tensor::Bitcast(Tensor(DataType::kFloat, {0, 2}), DataType::kComplex64).value().shape() == TensorShape{0});
  }
  TEST_CASE("copies where the address does not suit the new type") {
    const Tensor bytes = MakeTensor<std::uint8_t>({3, 4}, {0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64});
    CHECK(tensor::Bitcast(bytes.Slice(1, 3), DataType::kFloat).value().SharesBufferWith(bytes));
    Needed(bytes.raw_data());
    Tensor odd = Tensor::ViewOf(bytes.buffer(), DataType::kUint8, {2, 4}, bytes.data<std::uint8_t>() + 3);
    const Result<Tensor> copied = tensor::Bitcast(odd, DataType::kFloat);
    REQUIRE(copied.ok());
    CHECK_FALSE(copied->SharesBufferWith(bytes));
    CHECK(tensor::Equal(tensor::Bitcast(*copied, DataType::kUint8).value(), odd));
  }
  TEST_CASE("refuses with TensorFlow's texts") {
    CHECK(tensor::Bitcast(Tensor::Scalar("x"), DataType::kInt8).status().message() ==
          "other tensor has zero-sized data type");
    CHECK(tensor::Bitcast(Tensor::Scalar(1.0f), DataType::kString).status().message() ==
          "specified output type is zero-sized");
    const Status s = tensor::Bitcast(Tensor(DataType::kUint8, {2, 3}), DataType::kFloat).status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "Cannot bitcast from uint8 to float: shape [2,3]; the last dimension must be 4");
    CHECK_FALSE(tensor::Bitcast(Tensor::Scalar<std::uint8_t>(1), DataType::kFloat).ok());
  }
}

TEST_SUITE("Tensors over given values and memory") {
  TEST_CASE("values must be as many as elements") {
    const std::vector<float> values = {1, 2, 3};
    CHECK(tensor::Equal(tensor::FromValues<float>(values, {3}).value(), MakeTensor<float>({3}, {1, 2, 3})));
    const Status s = tensor::FromValues<float>(values, {2, 2}).status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "FromValues: shape [2,2] has 4 elements, got 3 values");
    CHECK(tensor::FromValues<tstring>({}, {0}).value().dtype() == DataType::kString);
    const std::vector<tstring> texts = {"a", std::string(40, 'b')};
    CHECK(tensor::FromValues<tstring>(texts, {2}).value().vec<tstring>()(1) == std::string(40, 'b'));
  }
  TEST_CASE("memory of the caller is checked, and given back") {
    alignas(64) float data[4] = {1, 2, 3, 4};
    int told = 0;
    {
      Result<Tensor> t = tensor::FromMemory(DataType::kFloat, {2, 2}, data, sizeof data, [&] { ++told; });
      REQUIRE(t.ok());
      CHECK(t->raw_data() == data);
    }
    CHECK(told == 1);
    CHECK(tensor::FromMemory(DataType::kFloat, {4}, data, sizeof data).value().vec<float>()(3) == 4);
    CHECK(tensor::FromMemory(DataType::kFloat, {5}, data, sizeof data).status().message() ==
          "FromMemory: shape [5] of type float needs 5 elements of 4 bytes, got 16 bytes");
    CHECK(tensor::FromMemory(DataType::kFloat, {2}, reinterpret_cast<char*>(data) + 2, 8).status().message() ==
          "FromMemory: data must be aligned to 4 bytes for type float, its address is 2 more than a multiple of 64");
    CHECK(tensor::FromMemory(DataType::kFloat, {2}, nullptr, 8).status().message() ==
          "FromMemory: there is no memory, data is null");
    CHECK(tensor::FromMemory(DataType::kFloat, {0}, nullptr, 0).ok());
    char bytes[9] = {};
    std::memcpy(bytes + 1, &data[1], 8);
    char* const odd = bytes + (reinterpret_cast<std::uintptr_t>(bytes) % 2 == 0 ? 1 : 0);
    std::memcpy(odd, &data[1], 8);
    int freed = 0;
    const auto deleter = [&] { ++freed; };
    CHECK_FALSE(tensor::FromMemory(DataType::kFloat, {2}, odd, 8, deleter).ok());
    CHECK_FALSE(tensor::FromMemory(DataType::kFloat, {3}, odd, 8, deleter, tensor::Misaligned::kCopy).ok());
    CHECK(freed == 0);
    const Tensor copy = tensor::FromMemory(DataType::kFloat, {2}, odd, 8, deleter, tensor::Misaligned::kCopy).value();
    CHECK(freed == 1);
    CHECK(copy.vec<float>()(1) == data[2]);
    CHECK(copy.RefCountIsOne());
    CHECK(tensor::FromMemory(DataType::kFloat, {4}, data, sizeof data, tensor::Misaligned::kCopy).value().raw_data() ==
          data);
    void* given = nullptr;
    const auto takes_it = [&given](void* p) { given = p; };
    {
      const Result<Tensor> t = tensor::FromMemory(DataType::kFloat, {2}, data, 8, takes_it);
    }
    CHECK(given == data);
    CHECK(tensor::FromMemory(DataType::kFloat, {2}, odd, 8, takes_it, tensor::Misaligned::kCopy).ok());
    CHECK(given == odd);
    auto* const block = static_cast<float*>(std::malloc(8));
    block[0] = block[1] = 7;
    CHECK(Tensor::FromMemory(DataType::kFloat, {2}, block, std::free).vec<float>()(1) == 7);
    CHECK_FALSE(tensor::FromMemory(DataType::kVariant, {1}, data, 16).ok());
    CHECK_FALSE(tensor::FromMemory(DataType::kFloat, {9}, data, sizeof data, [&] { ++told; }).ok());
    CHECK(told == 1);
  }
  TEST_CASE("a file's bytes are viewed, and copied where they are not aligned") {
    alignas(64) static const unsigned char bytes[16] = {0, 0, 128, 63, 0, 0, 0, 64, 9, 0, 0, 128, 63, 0, 0, 0};
    int told = 0;
    Buffer* file = Buffer::Wrap(const_cast<unsigned char*>(bytes), sizeof bytes, [&] { ++told; });
    Tensor view = tensor::ViewOfBytes(file, 0, DataType::kFloat, {2}).value();
    const Tensor copy = tensor::ViewOfBytes(file, 9, DataType::kFloat, {1}).value();
    CHECK(view.raw_data() == bytes);
    CHECK(view.vec<float>()(1) == 2);
    CHECK(copy.vec<float>()(0) == 1);
    CHECK(tensor::ViewOfBytes(file, 16, DataType::kFloat, {0, 3}).value().shape() == TensorShape{0, 3});
    CHECK(tensor::ViewOfBytes(file, 17, DataType::kFloat, {0}).status().code() == Code::kOutOfRange);
    CHECK(tensor::ViewOfBytes(file, 12, DataType::kFloat, {2}).status().message() ==
          "ViewOfBytes: shape [2] of type float needs 2 elements of 4 bytes, got 4 bytes");
    CHECK(errors::IsInvalidArgument(tensor::ViewOfBytes(file, 0, DataType::kString, {1}).status()));
    CHECK_FALSE(tensor::ViewOfBytes(nullptr, 0, DataType::kFloat, {1}).ok());
    file->Unref();
    CHECK(told == 0);
    view = Tensor();
    CHECK(told == 1);
  }
}

TEST_SUITE("AllocatedBytes") {
  TEST_CASE("is the allocator's figure if it has one") {
    TrackingAllocator memory(CpuAllocator());
    const Tensor t(&memory, DataType::kFloat, {4, 2});
    Needed(t.raw_data());
    CHECK(AllocatedBytes(t) == 64 + 32);
    CHECK(AllocatedBytes(t.Slice(1, 2)) == 64 + 32);
    CHECK(AllocatedBytes(Tensor(DataType::kFloat, {4, 2})) == 32);
    CHECK(AllocatedBytes(Tensor()) == 0);
  }
  TEST_CASE("is TotalBytes for memory of somebody else, whatever allocator says what kind it is") {
    alignas(64) float values[6] = {};
    TrackingAllocator memory(CpuAllocator());
    BFCAllocator bfc(MakeOwned<BaseSubAllocator>(CpuAllocator()), std::size_t{4} << 20, "bfc");
    for (Allocator* const kind :
         {static_cast<Allocator*>(nullptr), static_cast<Allocator*>(&memory), static_cast<Allocator*>(&bfc)}) {
      const Tensor t(DataType::kFloat, {3, 2}, Buffer::Wrap(values, sizeof values, nullptr, nullptr, kind));
      CHECK(AllocatedBytes(t) == 24);
      CHECK(AllocatedBytes(t.Slice(1, 2)) == 8);
    }
    CHECK(AllocatedBytes(Tensor::FromMemory(DataType::kDouble, {3}, values)) == 24);
    const Tensor in_chunk(&bfc, DataType::kFloat, {100});
    CHECK(AllocatedBytes(in_chunk) == 512);  // 464 with the header, in chunks of 256
    CHECK(AllocatedBytes(in_chunk.Slice(5, 6)) == 512);
  }
}

TEST_SUITE("A tensor on a stream") {
  TEST_CASE("is its text with up to 100 values") {
    std::ostringstream out;
    out << "got " << MakeTensor<float>({2}, {1, 2}) << '.';
    CHECK(out.str() == "got Tensor<type: float shape: [2] values: 1 2>.");
    const Tensor t = Tensor::Scalar(ResourceHandle{});
    CAPTURE(t);  // streams of other libraries are not disturbed
    INFO("the tensor is ", t);
    out.str("");
    out << t;
    CHECK(out.str() == t.DebugString());
  }
}
}  // namespace tensor_util_test
