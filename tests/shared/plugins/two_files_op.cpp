// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>

namespace {

struct PluginSecondFile {
  static constexpr auto signature =
      tenon::Op("PluginSecondFile").Output("y: int32").SetShapeFn(tenon::shape_inference::ScalarShape);
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, tenon::Out<std::int32_t> y) const {
      y[0] = 2;
      return tenon::OkStatus();
    }
  };
};

}  // namespace

TENON_REGISTER(PluginSecondFile);
