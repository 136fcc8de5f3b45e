// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/op_types.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "test_ops.hpp"

namespace op_types_test {
using namespace tenon;

using kernel_test::KtAddIndex;
using kernel_test::KtPositive;

static_assert(detail::kTyped<KtPositive>.count == 1 && detail::kTyped<KtAddIndex>.count == 0);
static_assert(detail::CombinationCount<KtPositive, Types<>*>() == 2);
static_assert(detail::CombinationType<KtPositive, Types<>*>(0, 0) == DataType::kFloat);
static_assert(detail::CombinationType<KtPositive, Types<>*>(1, 0) == DataType::kInt32);
static_assert(detail::CombinationCount<KtPositive, Types<float, double>>() == 1);
static_assert(detail::kNarrowMask<Types<float>> == std::uint64_t{1} << static_cast<int>(DataType::kFloat));

// The last attr's type runs fastest; an argument of one type, of a typed attr and of any type.
struct Product {
  static constexpr auto signature = Op("OtProduct")
                                        .Input("x: T")
                                        .Input("indices: Tidx")
                                        .Input("any: U")
                                        .Output("y: bool")
                                        .Attr("T: {float, string, variant}")
                                        .Attr("Tidx: {int32, int64}")
                                        .Attr("U: type");
};
static_assert(detail::kTyped<Product>.count == 2 && detail::CombinationCount<Product, Types<>*>() == 6);
static_assert(detail::CombinationType<Product, Types<>*>(1, 0) == DataType::kFloat &&
              detail::CombinationType<Product, Types<>*>(1, 1) == DataType::kInt64 &&
              detail::CombinationType<Product, Types<>*>(5, 0) == DataType::kVariant);
template <int I>
using Element = typename decltype(detail::ArgumentElement<Product, I, float, std::int64_t>())::type;
static_assert(std::is_same_v<Element<0>, float> && std::is_same_v<Element<1>, std::int64_t> &&
              std::is_void_v<Element<2>> && std::is_same_v<Element<3>, bool>);
template <int I, class P>
constexpr bool kFits = detail::ParameterFits<Product, I, P, float, std::int64_t>();
static_assert(kFits<0, In<float>> && !kFits<0, In<double>> && kFits<0, const Tensor&> && !kFits<0, HostIndices>);
static_assert(kFits<1, HostIndices> && kFits<3, Out<bool>> && !kFits<3, In<bool>>);

TEST_SUITE("types of an op") {
  TEST_CASE("kernel_types name the attrs that a kernel is a template over") {
    constexpr auto none = TypeAttrs();
    constexpr auto two = TypeAttrs("T", "Tidx");
    CHECK(none.size == 0);
    CHECK(two.size == 2);
    CHECK(two.names[1] == "Tidx");
  }
}
}  // namespace op_types_test
