// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ops of the plug-ins that tests/shared loads.

#include <string>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/plugin.hpp>

namespace plugin_test {

// y = factor * x.
struct PluginScale {
  static constexpr auto signature = tenon::Op("PluginScale")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("factor: int >= 1 = 3")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs {
    std::int64_t factor;
  };
  template <class Device, class T>
  struct kernel : Attrs {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Forward<T, 0> y) const {
      if (x.size() > 1000) return tenon::errors::InvalidArgument("PluginScale: ", x.size(), " elements are too many");
      for (tenon::Index i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<T>(factor);
      return tenon::OkStatus();
    }
  };
};

// "Hello, <name>!", long enough to be on the heap.
struct PluginGreet {
  static constexpr auto signature = tenon::Op("PluginGreet")
                                        .Input("name: string")
                                        .Output("text: string")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<tenon::tstring> name, tenon::Out<tenon::tstring> text) const {
      for (tenon::Index i = 0; i < name.size(); ++i)
        text[i] = "Hello from a library that was loaded, " + std::string(name[i]) + "!";
      return tenon::OkStatus();
    }
  };
};

}  // namespace plugin_test
