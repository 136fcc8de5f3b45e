// SPDX-License-Identifier: Apache-2.0
#include <tenon/types/dispatch.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

namespace dispatch_test {
using namespace tenon;

TEST_SUITE("DispatchType") {
  using Types = TypeList<std::int32_t, float, half>;
  TEST_CASE("calls the visitor with the type that the dtype names") {
    std::size_t called = 0;
    const auto visit = [&]<class T>() {
      called += std::is_same_v<T, float> ? 10 : 1;
      return OkStatus();
    };
    CHECK(DispatchType<Types>(DataType::kFloat, visit).ok());
    CHECK(called == 10);
    CHECK(DispatchType<Types>(DataType::kHalf, visit).ok());
    CHECK(called == 11);
  }
  TEST_CASE("passes the visitor's error on, and takes visitors that return nothing") {
    const Status s = DispatchType<Types>(DataType::kInt32, []<class T>() { return errors::NotFound("nothing here"); });
    CHECK(errors::IsNotFound(s));
    int calls = 0;
    CHECK(DispatchType<Types>(DataType::kInt32, [&]<class T>() { ++calls; }).ok());
    CHECK(calls == 1);
  }
  TEST_CASE("names the types there are when the dtype is not among them") {
    int calls = 0;
    const auto visit = [&]<class T>() { ++calls; };
    Status s = DispatchType<Types>(DataType::kString, visit);
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "type 'string' is not supported here; supported types: float, int32, half");
    s = DispatchType<Types>(static_cast<DataType>(77), visit, "Cast");
    CHECK(s.message() ==
          "Cast: type 'unknown dtype enum (77)' is not supported here; supported types: float, int32, half");
    s = DispatchType<Types>(static_cast<DataType>(101), visit);  // a reference is not its base type
    CHECK(errors::IsInvalidArgument(s));
    CHECK(DispatchType<TypeList<>>(DataType::kFloat, visit).message() ==
          "type 'float' is not supported here; supported types: none");
    CHECK(calls == 0);
  }
  TEST_CASE("writes the number of an unknown dtype") {
    CHECK(DataTypeString(DataType::kInvalid) == "INVALID");
    CHECK(DataTypeString(static_cast<DataType>(103)) == "int32_ref");
    CHECK(DataTypeString(static_cast<DataType>(-5)) == "unknown dtype enum (-5)");
    const DataType list[] = {DataType::kInt32, static_cast<DataType>(101), static_cast<DataType>(64)};
    CHECK(DataTypeListString(list) == "[int32, float_ref, unknown dtype enum (64)]");
    CHECK(DataTypeListString(DataTypeSet{}) == "[]");
  }
}
}  // namespace dispatch_test
