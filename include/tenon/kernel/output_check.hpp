// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the outputs that a kernel sized itself have the shapes that the op's shape function promises.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sort.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline std::uintptr_t AddressOf(const Tensor& tensor) { return reinterpret_cast<std::uintptr_t>(tensor.raw_data()); }
// Where the outputs' memory begins, in ascending order.
inline SlimVector<std::uintptr_t> SortedOutputs(const OpKernelContext::NodeFrame& frame) {
  SlimVector<std::uintptr_t> outputs;
  for (int i = 0; i < frame.kernel->num_outputs(); ++i) outputs.push_back(AddressOf(frame.outputs[i]));
  SortItems(outputs.data(), outputs.size());
  return outputs;
}

// Writes the outputs' shapes for the present inputs, as the shape function says, to memo->promised. They stay unknown
// where it refuses the inputs (some kernels of TensorFlow take more than their shape functions), for references and
// for handles, which are scalars whatever it says (TensorArrayV3's says a vector of two).
TENON_DETAIL_NOINLINE inline void FindPromised(const OpKernelContext::NodeFrame& frame, ShapeMemo* memo) {
  const OpKernel& kernel = *frame.kernel;
  const OpView& op = kernel.op();
  InferenceContext shapes;
  shapes.Reset(frame.env->graph_def_version, &kernel.def(), &op);
  const SlimVector<std::uintptr_t> outputs = SortedOutputs(frame);
  for (int i = 0; i < kernel.num_inputs(); ++i) {
    const Tensor& input = *frame.inputs[i];
    if (IsRefType(input.dtype()) || input.dtype() == DataType::kInvalid) {
      shapes.AddInput(PartialTensorShape());
      continue;
    }
    const bool readable = kernel.input_memory_type(i) == MemoryType::kHost || frame.env->constants->host_memory;
    const bool overwritten = std::binary_search(outputs.begin(), outputs.end(), AddressOf(input));
    shapes.AddInput(input.shape(), readable && !overwritten ? &input : nullptr);
  }
  memo->promised.assign(static_cast<std::size_t>(kernel.num_outputs()), PartialTensorShape());
  const bool inferred = shapes.construction_status().ok() && TryShapeFn(op, kernel.name(), &shapes).ok();
  for (int i = 0; inferred && i < kernel.num_outputs(); ++i) {
    PartialTensorShape promised;
    const DataType type = kernel.output_type(i);
    if (type == DataType::kResource || IsRefType(type)) continue;
    if (shapes.ToPartialTensorShape(shapes.output(i), &promised).ok())
      memo->promised[static_cast<std::size_t>(i)] = std::move(promised);
  }
  // AdaptedCore has written down the inputs already.
  memo->has_promised = memo->valid || RememberInputs(shapes, kernel.num_inputs(), frame.inputs, memo);
}
inline bool Allows(const PartialTensorShape& promised, const TensorShape& shape) {
  if (promised.unknown_rank()) return true;
  if (promised.dims() != shape.dims()) return false;
  for (int d = 0; d < shape.dims(); ++d)
    if (promised.dim_size(d) >= 0 && promised.dim_size(d) != shape.dim_size(d)) return false;
  return true;
}
TENON_DETAIL_COLD inline Status BrokenPromise(const OpKernel& kernel, int output, const TensorShape& shape,
                                              const PartialTensorShape& promised) {
  return errors::Internal("Output ", output, " of node '", kernel.name(), "', op '", kernel.type_string(),
                          "', has shape ", shape, ", but the op's shape function says ", promised, " for its inputs");
}

// Whether a kernel sizes outputs of its own, and there is a shape function to compare them with. Not for ops that call
// functions, since they hand their inputs on.
inline bool MayBreakPromise(const OpKernel& kernel) {
  if (kernel.op().shape_fn == nullptr || kernel.op().shape_fn == &shape_inference::UnknownShape) return false;
  if (!AnyItem(kernel.output_types(), [](DataType type) { return type != DataType::kResource && !IsRefType(type); }))
    return false;
  for (const AttrSpec& attr : kernel.op().attrs)
    if (attr.kind == AttrKind::kFunc) return false;
  const AdaptedCore* const core = kernel.adapted();
  return core == nullptr || core->row().takes_context ||
         core->sized_outputs().size() != static_cast<std::size_t>(kernel.num_outputs());
}

// Whether the shape function sizes outputs of the kernel.
inline bool HasSizedOutputs(const OpKernel& kernel) {
  const AdaptedCore* const core = kernel.adapted();
  return core != nullptr && !core->sized_outputs().empty();
}

// After each run of such a kernel that ended well. Internal when an output contradicts the shape function, which
// runs only where the inputs differ from the run before. The frame has a memo.
inline Status CheckOutputShapes(const OpKernelContext::NodeFrame& frame) {
  ShapeMemo* const memo = frame.memo;
  if (!memo->has_promised || (!memo->valid && !MadeForInputs(*memo, frame.kernel->num_inputs(), frame.inputs)))
    FindPromised(frame, memo);
  memo->fresh = 0;
  for (int i = 0; i < frame.kernel->num_outputs(); ++i) {
    const PartialTensorShape& promised = memo->promised[static_cast<std::size_t>(i)];
    if (i < 8 && frame.outputs[i].RefCountIsOne()) memo->fresh |= static_cast<std::uint8_t>(1u << i);
    if (!Allows(promised, frame.outputs[i].shape())) [[unlikely]]
      return BrokenPromise(*frame.kernel, i, frame.outputs[i].shape(), promised);
  }
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
