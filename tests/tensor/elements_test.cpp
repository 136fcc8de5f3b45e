// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/elements.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/variant.hpp>

#include "memory/device_memory.hpp"
#include "memory/needed.hpp"

namespace elements_test {
using namespace tenon;
using tenon::testing::Needed;

TEST_SUITE("elements") {
  TEST_CASE("take bytes as their dtype says, references none") {
    CHECK(detail::ElementBytes(DataType::kFloat) == 4);
    CHECK(detail::ElementBytes(DataType::kComplex128) == 16);
    CHECK(detail::ElementBytes(DataType::kString) == sizeof(tstring));
    CHECK(detail::ElementBytes(DataType::kResource) == sizeof(ResourceHandle));
    CHECK(detail::ElementBytes(DataType::kVariant) == sizeof(Variant));
    CHECK(detail::ElementBytes(MakeRefType(DataType::kFloat)) == 0);
    CHECK(detail::ElementBytes(DataType::kInvalid) == 0);
    CHECK(detail::BytesWanted(DataType::kInt16, {3, 5}) == 30);
    CHECK(detail::BytesWanted(DataType::kComplex128, {Index{1} << 62}) == SIZE_MAX);
  }
  TEST_CASE("stand at addresses that suit the number inside") {
    alignas(16) char bytes[32] = {};
    CHECK(detail::IsAlignedFor(DataType::kDouble, bytes + 8));
    CHECK_FALSE(detail::IsAlignedFor(DataType::kDouble, bytes + 4));
    CHECK(detail::IsAlignedFor(DataType::kComplex128, bytes + 8));
    CHECK_FALSE(detail::IsAlignedFor(DataType::kComplex64, bytes + 2));
    CHECK(detail::IsAlignedFor(DataType::kBool, bytes + 1));
    CHECK_FALSE(detail::IsAlignedFor(DataType::kString, bytes + 4));
    CHECK(detail::MisalignedText(bytes + 1, 4).find("is not a multiple of 4") != std::string::npos);
  }
  TEST_CASE("get room for so many, or none where there is not so much") {
    TrackingAllocator memory(CpuAllocator());
    Buffer* const numbers = Needed(detail::AllocateElements(&memory, DataType::kInt32, 5));
    CHECK(numbers->size() >= 20);
    Buffer* const texts = Needed(detail::AllocateElements(&memory, DataType::kString, 2));
    CHECK(static_cast<const tstring*>(texts->data())[1].empty());
    numbers->Unref();
    texts->Unref();
    CHECK(memory.blocks_in_use() == 0);
    CHECK(detail::AllocateElements(&memory, DataType::kInt8, Index{1} << 58) == nullptr);
    CHECK(detail::AllocateElements(&memory, DataType::kInvalid, 1) == nullptr);
    tenon::testing::DeviceMemory device;
    CHECK(detail::AllocateElements(&device, DataType::kString, 2) == nullptr);
  }
  TEST_CASE("are copied as they are, also onto each other") {
    std::vector<std::int16_t> numbers = {1, 2, 3, 4};
    detail::CopyElements(DataType::kInt16, numbers.data(), numbers.data() + 1, 3);
    CHECK(numbers == std::vector<std::int16_t>{1, 1, 2, 3});
    const std::string a(30, 'a'), b(30, 'b');
    std::vector<tstring> texts = {tstring(a), tstring(b), tstring("c")};
    detail::CopyElements(DataType::kString, texts.data(), texts.data() + 1, 2);
    CHECK(texts == std::vector<tstring>{tstring(a), tstring(a), tstring(b)});
    detail::CopyElements(DataType::kString, texts.data() + 1, texts.data(), 2);
    CHECK(texts == std::vector<tstring>{tstring(a), tstring(b), tstring(b)});
    std::vector<Variant> variants(2);
    variants[0] = 7;
    detail::CopyElements(DataType::kVariant, variants.data(), variants.data() + 1, 1);
    CHECK(*variants[1].get<int>() == 7);
  }
}
}  // namespace elements_test
