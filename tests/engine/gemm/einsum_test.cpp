// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <tenon/engine/gemm/einsum.hpp>

#include <doctest/doctest.h>

namespace einsum_test {
using namespace tenon;

namespace {

Status Plan(std::string_view equation, const TensorShape& a, const TensorShape* b, EinsumPlan* plan) {
  const TensorShape* const shapes[] = {&a, b};
  return PlanEinsum(equation, {shapes, b == nullptr ? 1u : 2u}, plan);
}

}  // namespace

TEST_SUITE("Einsum") {
  TEST_CASE("labels by what becomes of them") {
    const TensorShape a({2, 3, 4}), b({2, 4, 5});
    EinsumPlan plan;
    REQUIRE(Plan("bij,bjk->bik", a, &b, &plan).ok());
    CHECK(plan.batch == EinsumLabels{'b'});
    CHECK(plan.contracted == EinsumLabels{'j'});
    CHECK(plan.operands[0].free == EinsumLabels{'i'});
    CHECK(plan.operands[1].free == EinsumLabels{'k'});
    CHECK(plan.Product(plan.output) == 30);
  }
  TEST_CASE("what an ellipsis stands for is a batch, broadcast") {
    const TensorShape a({2, 1, 3}), b({5, 3});
    EinsumPlan plan;
    REQUIRE(Plan("...i,...i->...", a, &b, &plan).ok());
    CHECK(plan.Product(plan.output) == 10);
    CHECK(plan.operand_size[0][kEinsumBroadcast] == 1);
    CHECK(plan.operand_size[1][kEinsumBroadcast] == 5);
  }
  TEST_CASE("a diagonal is a step of one row and one column") {
    Index size[kEinsumLabels] = {};
    size['i'] = 3;
    const NdCopy copy = EinsumLayout({'i', 'i'}, {'i'}, size);
    REQUIRE(copy.dims.size() == 1);
    CHECK(copy.dims[0].in == 4);
    CHECK(copy.dims[0].out == 1);
    CHECK(EinsumSpread({'i'}, {'i', 'i'}, size).dims[0].out == 4);
    CHECK(IsPlainCopy(EinsumLayout({'i'}, {'i'}, size)));
  }
  TEST_CASE("refusals, in TensorFlow's words") {
    const TensorShape a({2, 3}), b({4, 4});
    EinsumPlan plan;
    const auto refused = [&](std::string_view equation, const TensorShape* other, std::string_view phrase) {
      EinsumPlan fresh;
      const Status status = Plan(equation, a, other, &fresh);
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK_MESSAGE(std::string(status.message()).find(phrase) != std::string::npos, status.message());
    };
    refused("ij", nullptr, "Expecting exactly one '->' in einsum equation: ij");
    refused("i->j->k", nullptr, "Expecting exactly one '->'");
    refused("ij,jk,kl->il", nullptr, "Expecting 1 or 2 input subscripts");
    refused("ij,jk->ik", nullptr, "Expected 2 inputs for equation");
    refused("ij,jk->ik", &b, "Expected dimension 3 at axis 0");
    refused("ijk->i", nullptr, "Expected input 0 to have rank 3 but got: 2");
    refused("i.->i", nullptr, "found 1 periods (.) in the input subscript");
    refused(".i..->i", nullptr, "Periods found outside of ellipsis");
    refused("...i->i", nullptr, "no ellipsis (...) was found in the output");
    refused("ij->ijk", nullptr, "has label 'k' which is not present in the input subscripts");
    refused("ii->i", nullptr, "Expected dimension 2 at axis 1");
  }
}
}  // namespace einsum_test
