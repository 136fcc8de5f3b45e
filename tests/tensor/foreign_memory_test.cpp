// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/foreign_memory.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <tenon/tensor/variant.hpp>

#include "tensor/filled.hpp"

namespace foreign_memory_test {
using namespace tenon;
using namespace filled_tensors;

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
}  // namespace foreign_memory_test
