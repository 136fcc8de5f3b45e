// SPDX-License-Identifier: Apache-2.0
// A library that registers an op as a program does, and is no plug-in.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>

namespace {
using namespace tenon;

struct PluginOfNobody {
  static constexpr auto signature =
      Op("PluginOfNobody").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
}  // namespace

TENON_REGISTER(PluginOfNobody);
