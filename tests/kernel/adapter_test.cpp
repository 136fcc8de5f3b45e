// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/adapter.hpp>

#include <doctest/doctest.h>

#include <array>

#include "test_ops.hpp"

namespace adapter_test {
using namespace tenon;

using kernel_test::KtAddIndex;
using kernel_test::KtPositive;

static_assert(detail::kTyped<KtPositive>.count == 1 && detail::kTyped<KtAddIndex>.count == 0);
static_assert(detail::CombinationCount<KtPositive, Types<>*>() == 2);
static_assert(detail::CombinationType<KtPositive, Types<>*>(0, 0) == DataType::kFloat);
static_assert(detail::CombinationType<KtPositive, Types<>*>(1, 0) == DataType::kInt32);
static_assert(detail::kNarrowMask<Types<float>> == std::uint64_t{1} << static_cast<int>(DataType::kFloat));
static_assert(detail::HasKernel<KtPositive>);

TEST_SUITE("Adapter") {
  TEST_CASE("makes one row for each combination of types") {
    const auto& table = detail::kTable<KtPositive, Cpu, Types<>*>;
    CHECK(table.size() == 3);  // one more ends the table
    CHECK(table[0].op->view->name == "KtPositive");
    CHECK(static_cast<DataType>(table[1].types[0]) == DataType::kInt32);
    CHECK(table[2].op == nullptr);
    CHECK(table[0].params[1].kind == detail::ParamKind::kLate);
  }
  TEST_CASE("kernels that need no destructor have none") {
    const bool trivial = detail::kTable<KtPositive, Cpu, Types<>*>[0].destroy == nullptr;
    CHECK(trivial);
  }
}
}  // namespace adapter_test
