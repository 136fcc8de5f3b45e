// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/variant_gradient.hpp>

#include "ops/outputs.hpp"

namespace ragged_variant_gradient_test {
using namespace tenon;
using namespace tenon::testing;
using ops::RaggedTensorToVariantGradient;

namespace {

const AttrArgs kFloats{{"Tvalues", DataType::kFloat}};

// Variants with the values given; an empty list leaves its variant empty.
Tensor Encoded(std::initializer_list<std::initializer_list<double>> parts) {
  Tensor variants(DataType::kVariant, {static_cast<Index>(parts.size())});
  Index i = 0;
  for (const auto& part : parts) {
    RaggedTensorVariant ragged;
    ragged.values = Make<float>({static_cast<Index>(part.size())}, part);
    if (part.size() > 0) variants.data<Variant>()[i] = Variant(std::move(ragged));
    ++i;
  }
  return variants;
}

}  // namespace

TEST_SUITE("RaggedTensorToVariantGradient") {
  TEST_CASE("values one behind the other; zeros for those that are missing") {
    CHECK(OutputsOf<RaggedTensorToVariantGradient>(kFloats, {Encoded({{1, 2}, {3}}), Longs({0, 2, 3}), Ints({3})}) ==
          "1 2 3");
    CHECK(OutputsOf<RaggedTensorToVariantGradient>(
              kFloats, {Encoded({{1, 2}, {}, {3}}), Longs({0, 2, 4, 5}), Ints({5})}) == "1 2 0 0 3");
    CHECK(OutputsOf<RaggedTensorToVariantGradient>(kFloats, {Encoded({{1, 2}}), Longs({0, 2}), Ints({7})}) == "1 2");
    CHECK(OutputsOf<RaggedTensorToVariantGradient>(kFloats, {Encoded({}), Longs({0}), Ints({2})}) == "0 0");
  }
  TEST_CASE("refuses splits and shapes that do not fit") {
    const std::string where = "INVALID_ARGUMENT: RaggedTensorToVariantGradient: ";
    CHECK(ErrorOf<RaggedTensorToVariantGradient>(kFloats, {Encoded({{1, 2}, {3}}), Longs({0, 2, 3}), Ints({2})}) ==
          where + "the 3 values do not fit into the shape [2]");
    CHECK(ErrorOf<RaggedTensorToVariantGradient>(kFloats, {Encoded({{1, 2}, {}}), Longs({0, 2}), Ints({3})}) ==
          where + "element 1 is missing, and 2 splits and the shape [3] do not say its size");
    CHECK(ErrorOf<RaggedTensorToVariantGradient>(kFloats, {Encoded({{1}}), Longs({0, 2, 1}), Ints({3})})
              .starts_with("INVALID_ARGUMENT: Invalid ragged splits: "));
    CHECK(ErrorOf<RaggedTensorToVariantGradient>({{"Tvalues", DataType::kInt32}},
                                                 {Encoded({{1}}), Longs({0, 1}), Ints({1})}) ==
          where + "element 0 has values of type float, not int32");
  }
}
}  // namespace ragged_variant_gradient_test
