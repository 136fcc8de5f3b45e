// SPDX-License-Identifier: Apache-2.0
#include <tenon/dataset.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_SUITE("dataset.hpp") {
  TEST_CASE("needs no op and no session") {
    using namespace tenon;
    Tensor numbers(DataType::kFloat, {3});
    for (Index i = 0; i < 3; ++i) numbers.data<float>()[i] = static_cast<float>(i);
    DatasetIterator iterator = *Dataset::FromTensorSlices({numbers}).Repeat(2).Batch(4).Prefetch(1).MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    REQUIRE(iterator.Next(&element, &end).ok());
    CHECK(element[0].data<float>()[3] == 0);
    REQUIRE(iterator.Next(&element, &end).ok());
    CHECK(element[0].NumElements() == 2);
    REQUIRE(iterator.Next(&element, &end).ok());
    CHECK(end);
  }
}
