// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionRuntime: what a kernel calls the functions of its graph's library through.

#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_NAMESPACE_BEGIN

class ResourceMgr;
struct NameAttrList;
struct StepEnvironment;

// A function with its attrs bound. Handles are numbers: copying one costs nothing, they live as long as the runtime.
struct FunctionHandle {
  int number = -1;
};

// thread-safe. The session's; kernels get it from OpKernelConstruction and StepEnvironment.
class FunctionRuntime {
 public:
  virtual ~FunctionRuntime() = default;
  // The function of a call; the same handle for the same name and attrs. InvalidArgument when the library has no such
  // function. The body is built when it runs first, so functions may call each other in a circle.
  virtual Result<FunctionHandle> Find(const NameAttrList& call) = 0;
  // InvalidArgument when an argument or result of the function is a list of tensors, which PartitionedCall refuses as
  // in TensorFlow.
  virtual Status CheckSingleTensors(FunctionHandle function) = 0;
  // Runs the function on the caller's thread, with all it calls. The arguments are moved out of `args`; an argument
  // whose buffer nobody else holds may be overwritten by the function. InvalidArgument when their number or types are
  // not the function's; ResourceExhausted when calls are nested too deep.
  virtual Status Run(FunctionHandle function, const StepEnvironment& caller, Span<Tensor> args,
                     Span<Tensor> results) = 0;
  // The session's, for kernels that look for something while they are built; null when there are none.
  virtual ResourceMgr* resources() const { return nullptr; }
};

TENON_NAMESPACE_END
