// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunSteps: a list of element-wise steps over tensors that broadcast. It runs as one pass over memory where the shapes
// allow that, else step by step. The elements are those of the steps alone.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>
#include <tenon/engine/elementwise/fused.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Inputs are values 0 to inputs - 1; the result of step s is value inputs + s. A step reads values before its own.
struct ElementwiseStep {
  const UnaryLoop* unary = nullptr;  // null: a binary step, or a device that does not call it
  const BinaryLoops* binary = nullptr;
  const void* attrs = nullptr;
  int a = 0, b = -1;  // b: -1 for a unary step
  int number = 0;  // numbers the op in its list, for devices that do not call the loops
  float alpha = 0;
};
// A list of ops, which it numbers.
template <class... Op>
struct StepOps {};
struct StepInput {
  const void* data;
  const TensorShape* shape;
};

// The shape of the last step's result. InvalidArgument: operands do not broadcast.
inline Status StepsShape(Span<const ElementwiseStep> steps, Span<const StepInput> inputs, TensorShape* out) {
  InlinedVector<TensorShape, 16> shapes;
  for (const StepInput& input : inputs) shapes.push_back(*input.shape);
  for (const ElementwiseStep& step : steps) {
    TensorShape shape = shapes[ToSize(step.a)];
    if (step.b >= 0 && !(shapes[ToSize(step.b)] == shape))
      TENON_RETURN_IF_ERROR(BroadcastShape(shapes[ToSize(step.a)], shapes[ToSize(step.b)], &shape));
    shapes.push_back(shape);
  }
  *out = shapes[shapes.size() - 1];
  return OkStatus();
}

namespace detail {

// How an input repeats in the output; false: neither as a whole nor by its last axes. *columns: elements of a repeated
// row, 0 as long as there is none.
inline bool FindRepeat(const TensorShape& shape, const TensorShape& out, FusedElementwise::Repeat* repeat,
                       Index* columns) {
  if (shape.num_elements() == 1) return *repeat = FusedElementwise::Repeat::kAll, true;
  int first = 0;
  while (first < shape.dims() && shape.dim_size(first) == 1) ++first;
  const int own = shape.dims() - first;
  if (own > out.dims()) return false;
  for (int d = 0; d < own; ++d)
    if (shape.dim_size(first + d) != out.dim_size(out.dims() - own + d)) return false;
  if (shape.num_elements() == out.num_elements()) return *repeat = FusedElementwise::Repeat::kNone, true;
  if (*columns != 0 && *columns != shape.num_elements()) return false;
  *columns = shape.num_elements();
  *repeat = FusedElementwise::Repeat::kRows;
  return true;
}

// The program of the first run of some steps, for later runs whose inputs repeat in the same way. thread-safe.
class KeptSteps {
 public:
  static constexpr std::size_t kMostInputs = 31;  // a key has two bits for each

  KeptSteps() = default;
  KeptSteps(const KeptSteps&) = delete;
  KeptSteps& operator=(const KeptSteps&) = delete;
  ~KeptSteps() { delete kept_.load(std::memory_order_acquire); }

  // Null: there is none for inputs that repeat as `key` says.
  const FusedElementwise* Find(std::uint64_t key) const {
    const Kept* const kept = kept_.load(std::memory_order_acquire);
    return kept != nullptr && kept->key == key ? &kept->program : nullptr;
  }
  // Without memory, nothing is kept; copying a program of more than 16 values may throw std::bad_alloc.
  void Keep(std::uint64_t key, const FusedElementwise& program) {
    if (kept_.load(std::memory_order_relaxed) != nullptr) return;
    const Kept* const made = new (std::nothrow) Kept{key, program};
    const Kept* none = nullptr;
    if (!kept_.compare_exchange_strong(none, made, std::memory_order_acq_rel)) delete made;
  }

 private:
  struct Kept {
    std::uint64_t key;
    FusedElementwise program;
  };
  std::atomic<const Kept*> kept_{nullptr};
};

// Each input repeats in tensors of this shape and makes none larger.
inline bool AllRepeat(Span<const StepInput> inputs, const TensorShape& shape) {
  FusedElementwise::Repeat repeat{};
  Index columns = 0;
  for (const StepInput& input : inputs)
    if (input.shape->dims() > shape.dims() || !FindRepeat(*input.shape, shape, &repeat, &columns)) return false;
  return true;
}

inline void RunStepsOnScalars(Span<const ElementwiseStep> steps, Span<const StepInput> inputs, void* out) {
  constexpr std::size_t kMostBytes = 16;
  alignas(kMostBytes) char results[FusedElementwise::kMostValues * kMostBytes];
  const int count = static_cast<int>(inputs.size());
  const auto at = [&](int v) {
    return v < count ? static_cast<const char*>(inputs[ToSize(v)].data) : results + kMostBytes * ToSize(v - count);
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const ElementwiseStep& step = steps[s];
    char* const to = s + 1 == steps.size() ? static_cast<char*>(out) : results + kMostBytes * s;
    if (step.unary != nullptr)
      step.unary->v(step.attrs, at(step.a), to, 1);
    else
      step.binary->vv(step.attrs, at(step.a), at(step.b), to, 1);
  }
}

// Steps one by one, with memory for each result until its last reader has run.
TENON_DETAIL_NOINLINE inline Status RunStepByStep(Cpu& device, Span<const ElementwiseStep> steps,
                                                  Span<const StepInput> inputs, void* out,
                                                  const TensorShape& out_shape) {
  struct Value {
    const void* data = nullptr;
    TensorShape shape;
    Owned<Scratch> memory;
    std::size_t last = 0;  // the step that reads it last
  };
  SlimVector<Value> values(inputs.size() + steps.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[i].data = inputs[i].data;
    values[i].shape = *inputs[i].shape;
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    values[ToSize(steps[s].a)].last = s;
    if (steps[s].b >= 0) values[ToSize(steps[s].b)].last = s;
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const ElementwiseStep& step = steps[s];
    const Value& a = values[ToSize(step.a)];
    Value& result = values[inputs.size() + s];
    result.shape = a.shape;
    if (step.b >= 0) TENON_RETURN_IF_ERROR(BroadcastShape(a.shape, values[ToSize(step.b)].shape, &result.shape));
    void* to = out;
    if (s + 1 < steps.size()) {
      const int bytes = step.unary != nullptr ? step.unary->out_bytes : step.binary->out_bytes;
      result.memory =
          Owned<Scratch>(new Scratch(device, static_cast<std::size_t>(result.shape.num_elements() * bytes)));
      TENON_RETURN_IF_ERROR(result.memory->status("FusedElementwise"));
      to = result.memory->As<char>();
    } else if (!(result.shape == out_shape)) {
      return errors::Internal("FusedElementwise: the steps give ", result.shape, ", the output has ", out_shape);
    }
    result.data = to;
    if (step.unary != nullptr) {
      TENON_RETURN_IF_ERROR(Unary(device, *step.unary, step.attrs, a.data, to, result.shape.num_elements()));
    } else {
      const Value& b = values[ToSize(step.b)];
      TENON_RETURN_IF_ERROR(
          BinaryBroadcast(device, *step.binary, step.attrs, a.data, a.shape, b.data, b.shape, to, result.shape));
    }
    for (Value& value : values)
      if (value.memory && value.last == s) value.memory.reset();
  }
  return OkStatus();
}

// Steps as one pass over memory.
struct StepsProgram {
  const FusedElementwise* program = nullptr;
  InlinedVector<const void*, 16> data;  // where the inputs lie
  Index columns = 0;  // elements of a repeated row; 0: none is repeated
  FusedElementwise own;  // used where no kept program fits

  // False: the shapes do not allow one pass. A program of `kept` outlives this.
  bool Read(Span<const ElementwiseStep> steps, Span<const StepInput> inputs, const TensorShape& out_shape,
            KeptSteps* kept) {
    if (inputs.size() + steps.size() > ToSize(FusedElementwise::kMostValues)) return false;
    InlinedVector<FusedElementwise::Repeat, 16> repeats;
    if (inputs.size() > KeptSteps::kMostInputs) kept = nullptr;
    std::uint64_t key = 1;
    for (const StepInput& input : inputs) {
      FusedElementwise::Repeat repeat{};
      if (!FindRepeat(*input.shape, out_shape, &repeat, &columns)) return false;
      repeats.push_back(repeat);
      key = key << 2 | static_cast<std::uint64_t>(repeat);
      data.push_back(input.data);
    }
    if (kept != nullptr) program = kept->Find(key);
    if (program != nullptr) return true;
    if (!Make(steps, {repeats.data(), repeats.size()})) return false;
    if (kept != nullptr) kept->Keep(key, own);
    program = &own;
    return true;
  }
  Span<const void* const> inputs() const { return {data.data(), data.size()}; }

 private:
  bool Make(Span<const ElementwiseStep> steps, Span<const FusedElementwise::Repeat> repeats) {
    InlinedVector<int, 16> bytes(repeats.size(), 0);
    for (const ElementwiseStep& step : steps)
      for (const int v : {step.a, step.b})
        if (v >= 0 && ToSize(v) < bytes.size())
          bytes[ToSize(v)] = step.unary != nullptr ? step.unary->in_bytes : step.binary->in_bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == 0) return false;
      own.AddInput(repeats[i], bytes[i]);
    }
    for (const ElementwiseStep& step : steps) {
      if (step.unary != nullptr)
        own.AddUnary(*step.unary, step.attrs, step.a);
      else
        own.AddBinary(*step.binary, step.attrs, step.a, step.b);
    }
    return own.Finish().ok();
  }
};

}  // namespace detail

// out = the last step of the inputs; `out_shape` is that of StepsShape. `out` may be an input of that shape. All
// elements have at most 16 bytes. `kept`: of these steps alone; may be null. InvalidArgument: operands do not
// broadcast. ResourceExhausted: no memory.
inline Status RunSteps(Cpu& device, Span<const ElementwiseStep> steps, Span<const StepInput> inputs, void* out,
                       const TensorShape& out_shape, detail::KeptSteps* kept = nullptr) {
  const Index elements = out_shape.num_elements();
  if (elements == 0) return OkStatus();
  if (elements == 1 && inputs.size() + steps.size() <= ToSize(FusedElementwise::kMostValues)) {
    detail::RunStepsOnScalars(steps, inputs, out);
    return OkStatus();
  }
  detail::StepsProgram steps_program;
  if (!steps_program.Read(steps, inputs, out_shape, kept))
    return detail::RunStepByStep(device, steps, inputs, out, out_shape);
  const Index width = steps_program.columns == 0 ? elements : steps_program.columns;
  return steps_program.program->Run(device, steps_program.inputs(), out, elements / width, width);
}

TENON_DETAIL_NAMESPACE_END
