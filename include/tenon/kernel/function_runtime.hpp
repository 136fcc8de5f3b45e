// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionRuntime: the interface through which a kernel calls the functions of its graph's library.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Allocator;
class FunctionLease;
class ResourceMgr;
struct NameAttrList;
struct StepEnvironment;

// A function with its attrs bound. Handles are numbers: copying one costs nothing, they live as long as the runtime.
struct FunctionHandle {
  int number = -1;
};

// Reads a tensor as a condition; an error when it cannot be one.
using ReadCondition = Status (*)(const Tensor& tensor, bool* holds);

// The numbers that a For counts, which fit int32. `allocator`: for the tensors that hold them.
struct ForRange {
  std::int64_t next, limit, delta;
  Allocator* allocator;
  bool More() const { return delta > 0 ? next < limit : delta < 0 && next > limit; }
  void Step() { next += delta; }
};

// A function made ready to be called again and again by one kernel, as a loop does. one thread.
class FunctionCalls {
 public:
  // One tensor for each argument, to be filled in before every Run, which takes them away. The function may overwrite
  // an argument whose buffer nothing else holds.
  Span<Tensor> args() const { return args_; }
  // The results of the last Run; the caller may take them away.
  Span<Tensor> results() const { return results_; }
  // Runs the function on the caller's thread, with all it calls. InvalidArgument when the types of the arguments are
  // not the function's.
  virtual Status Run() = 0;
  // Called after the last call: args and results are gone.
  virtual void End() noexcept = 0;

 protected:
  ~FunctionCalls() = default;
  Span<Tensor> args_, results_;
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
  // The function as the body of a For, for RunFor; an instance of its own. A handle of number -1: its first argument is
  // not a single tensor. Errors: of Find.
  virtual Result<FunctionHandle> FindForBody(const NameAttrList& call) = 0;
  // The gradient of a function or op: the one that the library names, else one that a GradientMaker makes
  // (graph/gradient_maker.hpp). NotFound: there is none.
  virtual Result<FunctionHandle> FindGradient(const NameAttrList& function) = 0;
  // The runtime of these functions on another device of the session, with handles of its own. InvalidArgument: not a
  // device name; Internal: no such device here.
  virtual Result<FunctionRuntime*> On(std::string_view device) = 0;
  // Makes the function ready for calls with so many arguments and results; `caller` outlives them. InvalidArgument when
  // the function has another number; ResourceExhausted when calls are nested too deep.
  virtual Result<FunctionCalls*> Begin(FunctionHandle function, const StepEnvironment& caller, std::size_t num_args,
                                       std::size_t num_results) = 0;
  // One call, with the errors of Begin and of FunctionCalls::Run. The arguments are moved out of `args`.
  virtual Status Run(FunctionHandle function, const StepEnvironment& caller, Span<Tensor> args,
                     Span<Tensor> results) = 0;
  // Replaces the variables with body(variables) as long as cond(variables) holds (TensorFlow's While). Errors: of
  // Begin and Run, Cancelled when the run is given up, and the errors of `holds`, which reads the condition's result
  // (kernel/condition.hpp).
  virtual Status RunLoop(FunctionHandle cond, FunctionHandle body, const StepEnvironment& caller,
                         Span<Tensor> variables, ReadCondition holds) = 0;
  // variables[1, 2, ...] = body(range.next, variables...) for each number of the range (TensorFlow's For); variables[0]
  // is there for the number. Errors: of Begin and Run, Cancelled when the run is given up.
  virtual Status RunFor(FunctionHandle body, const StepEnvironment& caller, const ForRange& range,
                        Span<Tensor> variables) = 0;
  // How many results the function has. Errors: its body cannot be built.
  virtual Result<std::size_t> CountResults(FunctionHandle, const StepEnvironment&) {
    return errors::Unimplemented("this runtime does not count the results of functions");
  }
  // For objects that call functions and may outlive the session; null where there is no session.
  virtual FunctionLease* lease() { return nullptr; }
  // The session's resources, for kernels that look one up while they are built; null when there are none.
  virtual ResourceMgr* resources() const { return nullptr; }
};

TENON_DETAIL_NAMESPACE_END
