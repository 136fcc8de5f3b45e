// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/tensor_util.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>

#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/types/complex.hpp>

#include "memory/needed.hpp"
#include "tensor/filled.hpp"

namespace tensor_util_test {
using namespace tenon;
using namespace filled_tensors;
using tenon::testing::Needed;

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
