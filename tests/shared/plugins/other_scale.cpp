// SPDX-License-Identifier: Apache-2.0
// A plug-in with another op of the name PluginScale, and one that nobody else has.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/plugin.hpp>

namespace other_plugin {

template <class Op>
struct Zeroes {
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T>, tenon::Out<T> y) const {
      for (tenon::Index i = 0; i < y.size(); ++i) y[i] = T(0);
      return tenon::OkStatus();
    }
  };
};
struct PluginScale : Zeroes<PluginScale> {
  static constexpr auto signature = tenon::Op("PluginScale")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr("T: {float}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
};
struct PluginOnlyHere : Zeroes<PluginOnlyHere> {
  static constexpr auto signature = tenon::Op("PluginOnlyHere")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
};

}  // namespace other_plugin

TENON_PLUGIN(other_plugin::PluginOnlyHere, other_plugin::PluginScale);
