// SPDX-License-Identifier: Apache-2.0
// A plug-in with an op that cannot be registered, and a kernel for it.
#include <tenon/compat/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/plugin.hpp>

using namespace tenon;

namespace {
class IdleOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};
}  // namespace

REGISTER_OP("PluginMistaken")
    .Input("x: float")
    .SetShapeFn(shape_inference::NoOutputs)
    .SetShapeFn(shape_inference::NoOutputs);
REGISTER_KERNEL_BUILDER(Name("PluginMistaken").Device(DEVICE_CPU), IdleOp);
TENON_PLUGIN();
