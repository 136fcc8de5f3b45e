// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/adapter.hpp>

#include <doctest/doctest.h>

#include <array>

#include "test_ops.hpp"

namespace adapter_test {
using namespace tenon;

using kernel_test::KtPositive;

static_assert(detail::HasKernel<KtPositive>);

// More types than a kernel may have, and no kernel: an op like any other.
struct FiveTypes {
  static constexpr auto signature = Op("KtFiveTypes")
                                        .Input("a: A")
                                        .Input("b: B")
                                        .Input("c: C")
                                        .Input("d: D")
                                        .Input("e: E")
                                        .Attr("A: {float, double}")
                                        .Attr("B: {float, double}")
                                        .Attr("C: {float, double}")
                                        .Attr("D: {float, double}")
                                        .Attr("E: {float, double}");
};
static_assert(detail::kTyped<FiveTypes>.found == 5 && detail::kTyped<FiveTypes>.count == kMaxTypedAttrs);
static_assert(detail::CheckOp<FiveTypes, Cpu, Types<>*>());

// With kernel_types, four of them are the kernel's.
struct FourOfFive : FiveTypes {
  static constexpr auto kernel_types = TypeAttrs("B", "C", "D", "E");
  template <class Device, class B, class C, class D, class E>
  struct kernel {
    Status operator()(Device&, const Tensor&, In<B>, In<C>, In<D>, In<E>) const { return OkStatus(); }
  };
};
static_assert(detail::CheckOp<FourOfFive, Cpu, Types<>*>());

TEST_SUITE("Adapter") {
  TEST_CASE("makes one row for each combination of types") {
    const auto& table = detail::kTable<KtPositive, Cpu, Types<>*>;
    CHECK(table.size() == 2);
    CHECK(table[0].op->view->name == "KtPositive");
    CHECK(static_cast<DataType>(table[1].types[0]) == DataType::kInt32);
    CHECK(table[0].params[1].kind == detail::ParamKind::kLate);
  }
  TEST_CASE("a kernel may be a template over four of an op's types") {
    const auto& table = detail::kTable<FourOfFive, Cpu, Types<float, double>>;
    CHECK(table.size() == 16);
    const bool callable = table[15].call != nullptr;
    CHECK(callable);
    CHECK(static_cast<DataType>(table[1].types[3]) == DataType::kDouble);
  }
  TEST_CASE("kernels that need no destructor have none") {
    const bool trivial = detail::kTable<KtPositive, Cpu, Types<>*>[0].destroy == nullptr;
    CHECK(trivial);
  }
}
}  // namespace adapter_test
