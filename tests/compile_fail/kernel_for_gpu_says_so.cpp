// expect: a kernel whose parameters are elements runs on the host and may not touch them
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// The loop would write to a GPU's memory from the host.
#include <string_view>

#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>

struct Gpu {
  static constexpr std::string_view type = "GPU";
};

struct ZeroOut {
  static constexpr auto signature =
      tenon::Op("ZeroOut").Input("x: float").Output("y: float").SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<float> x, tenon::Out<float> y) const {
      for (tenon::Index i = 0; i < y.size(); ++i) y[i] = i == 0 ? x[i] : 0;
      return tenon::OkStatus();
    }
  };
};

TENON_REGISTER(tenon::Devices<Gpu>, ZeroOut);
