// SPDX-License-Identifier: Apache-2.0
#include <tenon/plugin.hpp>

#include <doctest/doctest.h>

#include <tenon/op/shape/shape_fns.hpp>

using namespace tenon;

namespace {
struct PluginMacroTest {
  static constexpr auto signature = Op("PluginMacroTest")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T>, Out<T>) const { return OkStatus(); }
  };
};
}  // namespace

TENON_PLUGIN(PluginMacroTest);

// tests/shared loads libraries; here the macro alone.
TEST_SUITE("TENON_PLUGIN") {
  TEST_CASE("defines the entry point, which shows a constant header with the ops") {
    const PluginHeader* const header = tenon_plugin();
    REQUIRE(header != nullptr);
    CHECK(header == tenon_plugin());
    CHECK(CheckPlugin(*header, "this program").ok());
    REQUIRE(header->batch->op_count == 1);
    CHECK(header->batch->ops[0]->view->name == "PluginMacroTest");
    CHECK(header->batch->table_sizes[0] == 2);
    CHECK(!header->batch->linked.load());  // known to nobody until it is loaded
  }
}
