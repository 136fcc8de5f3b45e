// SPDX-License-Identifier: Apache-2.0
// Registers by a function alone: this file may have no static initialiser (no_initialisers.cmake looks at its object).
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/math/arithmetic.hpp>

tenon::Status RegisterExplicitly(tenon::Registry& registry);
tenon::Status RegisterExplicitly(tenon::Registry& registry) {
  using namespace tenon;
  return Register(registry, Ops<Types<float>, ops::Identity, ops::AddV2>{}, Devices<Cpu>{});
}
