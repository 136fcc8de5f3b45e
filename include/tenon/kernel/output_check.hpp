// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the outputs that a kernel sized itself have the shapes that the op's shape function promises.

#include <cstddef>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

inline bool SharesBufferWithAnOutput(const OpKernelContext::NodeFrame& frame, const Tensor& input) {
  for (int i = 0; i < frame.kernel->num_outputs(); ++i)
    if (frame.outputs[i].raw_data() == input.raw_data()) return true;
  return false;
}

// After a kernel has ended well. Internal when an output contradicts the shape function. Where that refuses the inputs
// there is nothing to compare: some kernels of TensorFlow take more than their shape functions. Ops that call functions
// are not looked at, since they hand their inputs on.
TENON_NOINLINE inline Status CheckOutputShapes(const OpKernelContext::NodeFrame& frame) {
  const OpKernel& kernel = *frame.kernel;
  const OpView& op = kernel.op();
  if (op.shape_fn == nullptr) return OkStatus();
  for (const AttrSpec& attr : op.attrs)
    if (attr.kind == AttrKind::kFunc) return OkStatus();
  InferenceContext shapes;
  shapes.Reset(frame.env->graph_def_version, &kernel.def(), &op);
  for (int i = 0; i < kernel.num_inputs(); ++i) {
    const Tensor& input = *frame.inputs[i];
    if (IsRefType(input.dtype()) || input.dtype() == DataType::kInvalid) {
      shapes.AddInput(PartialTensorShape());
      continue;
    }
    const bool readable = kernel.input_memory_type(i) == MemoryType::kHost || frame.env->host_memory;
    const bool overwritten = SharesBufferWithAnOutput(frame, input);
    shapes.AddInput(input.shape(), readable && !overwritten ? &input : nullptr);
  }
  if (!shapes.construction_status().ok() || !op.shape_fn(&shapes).ok()) return OkStatus();
  for (int i = 0; i < kernel.num_outputs(); ++i) {
    PartialTensorShape promised;
    const Tensor& output = frame.outputs[i];
    // A handle is a scalar, whatever the shape function says (TensorArrayV3's says a vector of two).
    if (output.dtype() == DataType::kResource) continue;
    if (IsRefType(output.dtype()) || !shapes.ToPartialTensorShape(shapes.output(i), &promised).ok()) continue;
    if (promised.IsCompatibleWith(output.shape())) continue;
    return errors::Internal("Output ", i, " of node '", kernel.name(), "', op '", kernel.type_string(), "', has shape ",
                            output.shape(), ", but the op's shape function says ", promised, " for its inputs");
  }
  return OkStatus();
}

// The same in the first run of a node in a step: what is wrong then is wrong in every run, and later runs pay nothing.
TENON_ALWAYS_INLINE Status CheckFirstOutputs(const OpKernelContext::NodeFrame& frame) {
  if (frame.memo == nullptr || frame.memo->outputs_checked) [[likely]]
    return OkStatus();
  frame.memo->outputs_checked = true;
  return CheckOutputShapes(frame);
}

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
