// expect: an op is a struct with a public
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// A kernel alone is no op.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

struct Copy {
  // no signature
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<float>, tenon::Out<float>) const { return tenon::OkStatus(); }
  };
};
TENON_REGISTER(Copy);
