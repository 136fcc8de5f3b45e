// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/proto_pool.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include <tenon/io/mapped_file.hpp>

#include "ops/io/protos.hpp"
#include "temp_folder.hpp"

namespace io_proto_pool_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

TEST_SUITE("ProtoPool") {
  TEST_CASE("messages, fields and defaults are found by their names") {
    ProtoPool pool;
    REQUIRE(pool.Open(TestSource()).ok());
    const ProtoMessage* const message = pool.FindMessage("t.M");
    REQUIRE(message != nullptr);
    CHECK(pool.FindMessage("t.M.G") != nullptr);
    CHECK(pool.FindMessage("M") == nullptr);
    const ProtoField* const a = message->Find("a", false);
    REQUIRE(a != nullptr);
    CHECK(a->default_bits == 7);
    CHECK(message->Find(std::uint32_t{1}) == a);
    CHECK(message->Find(std::uint32_t{9}) == nullptr);
    CHECK(message->Find("e", false)->default_bits == 3);
    CHECK(message->Find("p", false)->is_packed);
    CHECK(!message->Find("r", false)->is_packed);
    CHECK(message->Find("t.x", true) != nullptr);
    CHECK(message->Find("t.x", false) == nullptr);
    CHECK(HoldsField(ProtoType::kInt32, DataType::kInt64));
    CHECK(!HoldsField(ProtoType::kEnum, DataType::kInt64));
  }
  TEST_CASE("defaults that are fractions") {
    for (const auto& [text, value] : {std::pair("-0.5", -0.5f), {"1e3", 1000.0f}, {"-inf", -HUGE_VALF}}) {
      ProtoPool pool;
      const std::string message = Sub(1, "M") + FieldOf("a", 1, 2, kOptional, Sub(7, text));
      REQUIRE(pool.Open("bytes://" + Sub(1, Sub(1, "f") + Sub(4, message))).ok());
      CHECK(pool.messages[0].fields[0].default_bits == std::bit_cast<std::uint32_t>(value));
    }
  }
  TEST_CASE("a file holds the set, too") {
    const TempFolder folder;
    REQUIRE(WriteFile(folder / "set", TestDescriptors()).ok());
    ProtoPool pool;
    CHECK(pool.Open(folder / "set").ok());
  }
  TEST_CASE("what is not a set is refused") {
    const std::string set = TestDescriptors();
    const std::string lacks = Sub(1, Sub(1, "f") + Sub(4, Sub(1, "M") + FieldOf("a", 1, 11, kOptional, Sub(6, ".No"))));
    const std::string number = Sub(1, Sub(1, "f") + Sub(4, Sub(1, "M") + FieldOf("a", 1, 5) + FieldOf("b", 1, 5)));
    const std::string import = Sub(1, Sub(1, "f") + Sub(3, "other.proto"));
    const std::string number_text =
        Sub(1, Sub(1, "f") + Sub(4, Sub(1, "M") + FieldOf("a", 1, 2, kOptional, Sub(7, "1.5x"))));
    for (const std::string& bad : {set + set, set.substr(0, set.size() - 1), lacks, number, import, number_text}) {
      ProtoPool pool;
      CHECK(pool.Open("bytes://" + bad).code() == Code::kInvalidArgument);
    }
    for (const char* source : {"", "local://", "/no/such/file"}) {
      ProtoPool pool;
      CHECK(pool.Open(source).code() == Code::kInvalidArgument);
    }
    for (std::size_t n = 0; n < set.size(); ++n) (void)ProtoPool().Open("bytes://" + set.substr(0, n));
    for (std::size_t n = 0; n < set.size(); ++n) {
      std::string changed = "bytes://" + set;
      changed[8 + n] = static_cast<char>(changed[8 + n] ^ 0x15);
      (void)ProtoPool().Open(changed);
    }
  }
}
}  // namespace io_proto_pool_test
