// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/kernel_text.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <tenon/op/shape/shape_fns.hpp>

namespace kernel_text_test {
using namespace tenon;

namespace {
constexpr auto kSignature =
    Op("KernelTextTest").Input("x: T").Attr("T: type").Attr("n: int").SetShapeFn(shape_inference::NoOutputs);
constexpr OpView kView = kSignature.view();
constexpr KernelMatch kMatch =
    KernelMatch().Label("fast").Attr("n", {1, 2}).Attr("b", {true}).Attr("s", {"a"}).Attr("T", {DataType::kHalf});

KernelRow RowOf(const OpRow& op) {
  KernelRow row;
  row.op = &op;
  row.device = "CPU";
  row.types[0] = static_cast<std::uint8_t>(DataType::kFloat);
  return row;
}
OpRow OpOf(std::int8_t types, const KernelMatch* match) {
  OpRow op{};
  op.view = &kView;
  op.typed_count = types;
  op.match = match;
  return op;
}
}  // namespace

TEST_SUITE("How messages name a kernel") {
  TEST_CASE("by device and types") {
    const OpRow op = OpOf(1, nullptr), none = OpOf(0, nullptr);
    CHECK(detail::ShortKernelText(RowOf(op)) == "CPU{float}");
    CHECK(detail::KernelText(RowOf(op)) == "device='CPU'; T in [DT_FLOAT]");
    CHECK(detail::ShortKernelText(RowOf(none)) == "CPU{}");
    CHECK(detail::KernelText(RowOf(none)) == "device='CPU'");
  }
  TEST_CASE("and by label and constraints") {
    const OpRow op = OpOf(1, &kMatch);
    CHECK(detail::ShortKernelText(RowOf(op)) ==
          "CPU{float} (label='fast'; n in [1, 2]; b in [true]; s in [\"a\"]; T in [DT_HALF])");
    CHECK(detail::KernelText(RowOf(op)) ==
          "device='CPU'; label='fast'; T in [DT_FLOAT]; n in [1, 2]; b in [true]; s in [\"a\"]; T in [DT_HALF]");
  }
  TEST_CASE("in lines") {
    const OpRow op = OpOf(0, nullptr);
    const KernelRow row = RowOf(op);
    CHECK(detail::KernelLines(std::vector<const KernelRow*>{&row, &row}) == "  device='CPU'\n  device='CPU'\n");
    CHECK(detail::KernelLines(std::vector<const KernelRow*>{}) == "  <no registered kernels>\n");
  }
}
}  // namespace kernel_text_test
