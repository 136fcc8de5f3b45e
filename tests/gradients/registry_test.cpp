// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/registry.hpp>

#include <doctest/doctest.h>

#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/op/signature/signature.hpp>

namespace gradient_registry_test {
using namespace tenon;

namespace {

void First(GradientBuilder&) {}
void Second(GradientBuilder&) {}
constexpr GradientRow kOld[] = {{"RegistryTestA", &First}, {"RegistryTestB"}};
constexpr GradientRow kNew[] = {{"RegistryTestA", &Second}};

struct OwnOp {
  static constexpr auto signature = Op("RegistryTestOwn").Input("x: float").Output("y: float");
  static void gradient(GradientBuilder& g) { g.set(0, g.dy()); }
};

}  // namespace

TEST_SUITE("registry of gradients") {
  TEST_CASE("finds rows by name; a null function says that there is no gradient") {
    CHECK(RegisterGradients<kOld>());
    CHECK(RegisterGradients<kOld>());  // once more: nothing happens
    const GradientIndex index;
    REQUIRE(index.Find("RegistryTestA") != nullptr);
    CHECK((index.Find("RegistryTestA")->function == &First));
    REQUIRE(index.Find("RegistryTestB") != nullptr);
    CHECK((index.Find("RegistryTestB")->function == nullptr));
    CHECK(index.Find("RegistryTestC") == nullptr);
  }
  TEST_CASE("the table that is registered last wins") {
    CHECK(RegisterGradients<kOld>());
    CHECK(RegisterGradients<kNew>());
    CHECK((GradientIndex().Find("RegistryTestA")->function == &Second));
  }
  TEST_CASE("an op struct brings its gradient") {
    CHECK(RegisterGradient<OwnOp>());
    CHECK((GradientIndex().Find("RegistryTestOwn")->function == &OwnOp::gradient));
  }
}

}  // namespace gradient_registry_test
