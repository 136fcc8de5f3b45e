// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/call_numbers.hpp>

#include <doctest/doctest.h>

#include "function_graphs.hpp"

namespace call_numbers_test {
using namespace tenon;

TEST_SUITE("CallNumbers") {
  TEST_CASE("numbers calls by name, attrs and kind") {
    const NameAttrList f = function_test::Call("f").func();
    const NameAttrList of_float = function_test::Call("f", {{"T", AttrValue(DataType::kFloat)}}).func();
    const NameAttrList of_int = function_test::Call("f", {{"T", AttrValue(DataType::kInt32)}}).func();
    CallNumbers numbers;
    CHECK(numbers.Find(f) == -1);
    CHECK(numbers.Insert(f) == 0);
    CHECK(numbers.Insert(of_float) == 1);
    CHECK(numbers.Insert(f) == 0);
    CHECK(numbers.Insert(of_int) == 2);
    CHECK(numbers.Insert(of_float, 1) == 3);
    CHECK(numbers.Find(of_float) == 1);
    CHECK(numbers.Find(of_float, 1) == 3);
    CHECK(numbers.Find(of_int, 1) == -1);
  }
}

}  // namespace call_numbers_test
