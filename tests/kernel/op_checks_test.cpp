// SPDX-License-Identifier: Apache-2.0
// What passes the checks; tests/compile_fail holds what does not, with the sentences.
#include <tenon/kernel/op_checks.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>
#include <type_traits>

#include <tenon/device/cpu.hpp>

#include "test_ops.hpp"

namespace op_checks_test {
using namespace tenon;

struct Described {
  static constexpr auto signature =
      Op("OcDescribed").Input("x: T").Output("y: T").Attr("T: {float, int32}").Attr("k: int").Attr("note: string");
  struct Attrs {
    std::int64_t k;
  };
  static constexpr std::string_view unused[] = {"note"};
};
struct Now {
  Status operator()(Cpu&, In<float>, Out<float>) const { return OkStatus(); }
};
struct Later {
  void operator()(Context<Cpu>&, const Tensor&, Tensor&, Done) const {}
};
static_assert(detail::KernelCheck<Described, Cpu, Now, float>::Run());
static_assert(!detail::KernelCheck<Described, Cpu, Now, float>::is_async &&
              !detail::KernelCheck<Described, Cpu, Now, float>::takes_context);
static_assert(detail::KernelCheck<Described, Cpu, Later, float>::Run());
static_assert(detail::KernelCheck<Described, Cpu, Later, float>::is_async &&
              detail::KernelCheck<Described, Cpu, Later, float>::takes_context);
static_assert(std::is_same_v<decltype(detail::CallOf<Now>())::Args, std::tuple<Cpu&, In<float>, Out<float>>>);
static_assert(!decltype(detail::CallOf<Described>())::ok);

// T says what the arguments are, k is a member, note is declared unused.
constexpr auto kSpec = Described::signature.view();
static_assert(detail::IsStructural<Described>(0) && !detail::IsStructural<Described>(1));
static_assert(detail::IsUnused<Described>("note") && !detail::IsUnused<Described>("k"));
static_assert(detail::CheckAttrs<Described>() && detail::CheckUnused<Described>());

TEST_SUITE("checks of an op") {
  TEST_CASE("arguments are counted as the signature lists them") {
    CHECK(detail::kArgumentCount<Described> == static_cast<int>(kSpec.inputs.size() + kSpec.outputs.size()));
  }
}
}  // namespace op_checks_test
