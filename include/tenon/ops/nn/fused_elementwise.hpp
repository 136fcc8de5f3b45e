// SPDX-License-Identifier: Apache-2.0
#pragma once
// _FusedElementwise and _FusedProducer: what the optimizer makes of several element-wise nodes, and of such nodes
// behind a product, a convolution or another node that computes a new tensor. Every element is that of the nodes alone.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/elementwise/steps.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/activation.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using UnarySteps = StepOps<Abs, Ceil, Elu, Erf, Erfc, Exp, Expm1, Floor, LeakyRelu, Log, Log1p, Neg, Reciprocal, Relu,
                           Relu6, Rsqrt, Selu, Sigmoid, Softplus, Softsign, Sqrt, Square, Tanh>;
using BinarySteps = StepOps<Add, AddV2, Div, Maximum, Minimum, Mul, RealDiv, SquaredDifference, Sub>;

// The number of the op of this name; -1: none.
template <class... Op>
int FindStep(StepOps<Op...>, std::string_view name) {
  int n = 0, found = -1;
  ((found = name == Op::signature.name ? n : found, ++n), ...);
  return found;
}
template <class T, class... Op>
const UnaryLoop* UnaryLoopOf(StepOps<Op...>, int number) {
  constexpr const UnaryLoop* kLoops[] = {&kUnaryLoop<Op, T>...};
  return number < 0 ? nullptr : kLoops[number];
}
template <class T, class... Op>
const BinaryLoops* BinaryLoopsOf(StepOps<Op...>, int number) {
  constexpr const BinaryLoops* kLoops[] = {&kBinaryLoops<Op, T>...};
  return number < 0 ? nullptr : kLoops[number];
}

// The attrs of both ops. Values of `operands`: inputs first (a producer's result stands for its own inputs), then the
// results of the steps; two for each step, the second -1 where it takes one.
struct StepAttrs {
  std::span<const std::string> steps;
  std::span<const std::int64_t> operands;
  std::span<const float> alphas;
};

// The loops of a kernel's steps. immutable after Read, but for the program that a run keeps.
class StepList {
 public:
  // InvalidArgument: a step that is not known, or operands that are not there.
  template <class Device, class T>
  Status Read(std::string_view op, const StepAttrs& attrs, int inputs) {
    if (attrs.steps.empty() || attrs.operands.size() != 2 * attrs.steps.size())
      return errors::InvalidArgument(op, ": there must be steps, and two operands for each");
    leaky_.resize(attrs.steps.size());
    for (std::size_t s = 0; s < attrs.steps.size(); ++s) {
      const std::string_view name = attrs.steps[s];
      ElementwiseStep step;
      const int unary = FindStep(UnarySteps(), name), binary = FindStep(BinarySteps(), name);
      step.number = unary >= 0 ? unary : binary;
      if constexpr (Device::type == "CPU") {
        step.unary = UnaryLoopOf<T>(UnarySteps(), unary);
        step.binary = BinaryLoopsOf<T>(BinarySteps(), binary);
      }
      if (step.number < 0) return errors::InvalidArgument(op, ": '", name, "' is not a step");
      const std::int64_t a = attrs.operands[2 * s], b = attrs.operands[2 * s + 1];
      const std::int64_t known = inputs + static_cast<std::int64_t>(s);
      if (a < 0 || a >= known || b >= known || (binary >= 0 ? b < 0 : b != -1))
        return errors::InvalidArgument(op, ": step ", s, " ('", name, "') reads values ", a, " and ", b, " of ", known);
      step.a = static_cast<int>(a);
      step.b = static_cast<int>(b);
      if (s < attrs.alphas.size()) leaky_[s].alpha = step.alpha = attrs.alphas[s];
      step.attrs = &leaky_[s];
      steps_.push_back(step);
    }
    return OkStatus();
  }
  Span<const ElementwiseStep> steps() const { return {steps_.data(), steps_.size()}; }
  tenon::detail::KeptSteps* kept() const { return &kept_; }

 private:
  mutable tenon::detail::KeptSteps kept_;
  SlimVector<ElementwiseStep> steps_;
  SlimVector<LeakyRelu::Attrs> leaky_;  // per step; the attrs of those that have some
};

template <class T, class Device>
Status RunStepList(Device& device, const StepList& list, Span<const StepInput> inputs, T* out,
                   const TensorShape& shape) {
  if constexpr (Device::type == "CPU")
    return RunSteps(device, list.steps(), inputs, out, shape, list.kept());
  else
    return RunSteps<T, UnarySteps, BinarySteps>(device, list.steps(), inputs, out, shape);
}

template <class T>
bool IsMatrix(const Tensor& x) {
  return x.dtype() == dtype_of_v<T> && x.dims() == 2;
}
// The producers whose kernels take an epilogue.
inline bool TakesEpilogue(std::string_view op) {
  return op == "Conv2D" || op == "DepthwiseConv2dNative" || op == "MatMul";
}
// Steps from `s` on are a hard swish of value `x`: Relu6(x + c), times or by a number, times x. Sets the epilogue's
// gate.
inline bool StepsAsGate(const StepAttrs& attrs, Span<const StepInput> inputs, std::size_t s, std::int64_t x,
                        CpuEpilogue* epilogue) {
  const auto count = static_cast<std::int64_t>(inputs.size());
  if (s + 4 != attrs.steps.size() || epilogue->clamps_below()) return false;
  const auto operand = [&](std::size_t step, std::size_t which) { return attrs.operands[2 * step + which]; };
  const auto value = [&](std::size_t step) { return count + static_cast<std::int64_t>(step); };
  const auto is = [&](std::size_t step, std::string_view name) { return attrs.steps[step] == name; };
  // The number that a step takes beside the value `with`; null: other operands.
  const auto number = [&](std::size_t step, std::int64_t with, bool swaps) -> const void* {
    const std::int64_t a = operand(step, 0), b = operand(step, 1), other = a == with ? b : a;
    if ((a != with && (!swaps || b != with)) || other <= 0 || other >= count) return nullptr;
    const StepInput& input = inputs[static_cast<std::size_t>(other)];
    return input.shape->num_elements() == 1 ? input.data : nullptr;
  };
  const bool divides = is(s + 2, "RealDiv") || is(s + 2, "Div");
  if ((!is(s, "AddV2") && !is(s, "Add")) || !is(s + 1, "Relu6") || (!divides && !is(s + 2, "Mul")) || !is(s + 3, "Mul"))
    return false;
  const bool last = (operand(s + 3, 0) == x && operand(s + 3, 1) == value(s + 2)) ||
                    (operand(s + 3, 1) == x && operand(s + 3, 0) == value(s + 2));
  const void *const shift = number(s, x, true), *const by = number(s + 2, value(s + 1), !divides);
  if (!last || operand(s + 1, 0) != value(s) || shift == nullptr || by == nullptr) return false;
  epilogue->low = 0;
  epilogue->high = 6;
  epilogue->shift = shift;
  (divides ? epilogue->divisor : epilogue->factor) = by;
  return true;
}
// Makes the steps an epilogue of the producer: a vector along the last axis is added, then a tensor of this shape, then
// Relu or Relu6 follows, on a CPU a hard swish too. False: the steps are others.
template <class T, class Epilogue>
bool StepsAsEpilogue(const StepAttrs& attrs, Span<const StepInput> inputs, const TensorShape& shape,
                     Epilogue* epilogue) {
  if constexpr (std::is_same_v<Epilogue, CpuEpilogue>) epilogue->run = &CpuEpilogue::Clamp<T>;
  const auto count = static_cast<std::int64_t>(inputs.size());
  std::int64_t last = 0;
  for (std::size_t s = 0; s < attrs.steps.size(); ++s) {
    if constexpr (std::is_same_v<Epilogue, CpuEpilogue>) {
      if (StepsAsGate(attrs, inputs, s, last, epilogue)) {
        epilogue->run = &CpuEpilogue::Gate<T>;
        return true;
      }
    }
    const std::string_view name = attrs.steps[s];
    const std::int64_t a = attrs.operands[2 * s], b = attrs.operands[2 * s + 1];
    if (epilogue->clamps_below() || (a != last && b != last)) return false;
    if (name == "Relu" || name == "Relu6") {
      epilogue->low = 0;
      if (name == "Relu6") epilogue->high = 6;
    } else if (name == "Add" || name == "AddV2") {
      const std::int64_t other = a == last ? b : a;
      if (other == 0 || other >= count || epilogue->added != nullptr) return false;
      const StepInput& input = inputs[static_cast<std::size_t>(other)];
      const int own = input.shape->dims(), dims = shape.dims();
      if (*input.shape == shape)
        epilogue->added = input.data;
      else if (epilogue->offset == nullptr && own > 0 && own <= dims &&
               input.shape->dim_size(own - 1) == shape.dim_size(dims - 1) &&
               input.shape->num_elements() == shape.dim_size(dims - 1))
        epilogue->offset = input.data;
      else
        return false;
    } else {
      return false;
    }
    last = count + static_cast<std::int64_t>(s);
  }
  return true;
}

// Any steps as an epilogue of a CPU's kernel that gives whole rows.
template <class Device>
struct StepsRows {
  template <class Epilogue>
  bool Read(const StepList&, Span<const StepInput>, const TensorShape&, Epilogue*) {
    return false;
  }
};
template <>
struct StepsRows<Cpu> {
  tenon::detail::StepsProgram program;

  bool Read(const StepList& list, Span<const StepInput> inputs, const TensorShape& shape, CpuEpilogue* epilogue) {
    if (!program.Read(list.steps(), inputs, shape, list.kept())) return false;
    if (program.columns != 0 && program.columns != shape.dim_size(shape.dims() - 1)) return false;
    *epilogue = {.whole_rows = true, .run = &Run, .steps = &program};
    return true;
  }
  static void Run(const CpuEpilogue& epilogue, const CpuEpilogue::Block& block) {
    const auto& steps = *static_cast<const tenon::detail::StepsProgram*>(epilogue.steps);
    InlinedVector<const void*, 16> inputs(steps.data);
    inputs[0] = block.result;
    steps.program->RunRows({inputs.data(), inputs.size()}, block.result, block.row, block.rows, block.width);
  }
};

// `shapes`: those of the values that the steps read; the last is that of the result then.
constexpr Status ShapesOfSteps(InferenceContext* c, SlimVector<ShapeHandle>* shapes) {
  Span<const std::int64_t> operands;
  TENON_RETURN_IF_ERROR(c->GetAttr("operands", &operands));
  for (std::size_t s = 0; s + 1 < operands.size(); s += 2) {
    const auto known = static_cast<std::int64_t>(shapes->size());
    const std::int64_t a = operands[s], b = operands[s + 1];
    if (a < 0 || a >= known || b < -1 || b >= known) return errors::InvalidArgument("no operand ", a, " or ", b);
    ShapeHandle shape = (*shapes)[static_cast<std::size_t>(a)];
    if (b >= 0)
      TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
          c, (*shapes)[static_cast<std::size_t>(a)], (*shapes)[static_cast<std::size_t>(b)], true, &shape));
    shapes->push_back(shape);
  }
  return OkStatus();
}
constexpr Status FusedElementwiseShape(InferenceContext* c) {
  SlimVector<ShapeHandle> shapes;
  for (int i = 0; i < c->num_inputs(); ++i) shapes.push_back(c->input(i));
  TENON_RETURN_IF_ERROR(ShapesOfSteps(c, &shapes));
  c->set_output(0, shapes[shapes.size() - 1]);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status ParseProducer(std::string_view text, NodeDef* def, const OpView** op) {
  TENON_ASSIGN_OR_RETURN(*def, ParseNodeDef({reinterpret_cast<const std::byte*>(text.data()), text.size()}));
  *op = Registry::Global().FindOp(def->op);
  return *op != nullptr ? OkStatus() : errors::NotFound("Op type not registered '", def->op, "'");
}
// The shape of what the producer computes. Values of inputs are asked for only where its own shape function does.
inline Status ProducerShape(InferenceContext* c, int own, ShapeHandle* out) {
  std::string_view text;
  NodeDef def;
  const OpView* op = nullptr;
  TENON_RETURN_IF_ERROR(c->GetAttr("producer", &text));
  TENON_RETURN_IF_ERROR(ParseProducer(text, &def, &op));
  *out = c->UnknownShape();
  if (op->shape_fn == nullptr) return OkStatus();
  SlimVector<const Tensor*> values(ToSize(own), nullptr);
  InferenceContext inner;
  for (bool again = true; again;) {
    again = false;
    inner.Reset(c->graph_def_version(), &def, op);
    for (int i = 0; i < own; ++i) {
      PartialTensorShape shape;
      TENON_RETURN_IF_ERROR(c->ToPartialTensorShape(c->input(i), &shape));
      inner.AddInput(shape, values[ToSize(i)]);
    }
    TENON_RETURN_IF_ERROR(inner.construction_status());
    if (inner.num_inputs() != own || inner.num_outputs() != 1)
      return errors::InvalidArgument("the producer '", def.op, "' must have the given inputs and one output");
    TENON_RETURN_IF_ERROR(op->shape_fn(&inner));
    for (int i = 0; i < own; ++i) {
      if (values[ToSize(i)] != nullptr) continue;
      if (!inner.requested_input_tensor(i) && !inner.requested_input_tensor_as_partial_shape(i)) continue;
      values[ToSize(i)] = c->input_tensor(i);
      again = again || values[ToSize(i)] != nullptr;
    }
  }
  PartialTensorShape made;
  TENON_RETURN_IF_ERROR(inner.ToPartialTensorShape(inner.output(0), &made));
  return c->MakeShapeFromPartialTensorShape(made, out);
}
inline Status FusedProducerShape(InferenceContext* c) {
  std::int64_t own = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("num_producer_inputs", &own));
  if (own > c->num_inputs())
    return errors::InvalidArgument("the producer has ", own, " inputs, the node ", c->num_inputs());
  SlimVector<ShapeHandle> shapes(1);
  TENON_RETURN_IF_ERROR(ProducerShape(c, static_cast<int>(own), &shapes[0]));
  const ShapeHandle product = shapes[0];
  for (int i = static_cast<int>(own); i < c->num_inputs(); ++i) shapes.push_back(c->input(i));
  TENON_RETURN_IF_ERROR(ShapesOfSteps(c, &shapes));
  const ShapeHandle y = shapes[shapes.size() - 1];
  c->set_output(0, y);
  PartialTensorShape before, after;
  TENON_RETURN_IF_ERROR(c->ToPartialTensorShape(product, &before));
  TENON_RETURN_IF_ERROR(c->ToPartialTensorShape(y, &after));
  const bool known = before.IsFullyDefined() && after.IsFullyDefined();
  c->set_output(1, !known ? c->UnknownShape() : before.IsIdenticalTo(after) ? c->Vector(0) : product);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

struct FusedElementwise {
  static constexpr auto signature = Op("_FusedElementwise")
                                        .Input("x: T")
                                        .Input("others: N * T")
                                        .Output("y: T")
                                        .Attr("T: {float, double}")
                                        .Attr("N: int >= 0")
                                        .Attr("steps: list(string) >= 1")
                                        .Attr("operands: list(int)")
                                        .Attr("alphas: list(float) = []")
                                        .SetShapeFn(detail::FusedElementwiseShape);
  using Attrs = detail::StepAttrs;

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    Status Init(OpKernelConstruction& c) {
      return list.template Read<Device, T>("_FusedElementwise", *this, c.num_inputs());
    }
    Status operator()(Device& device, In<T> x, InList<T> others, Forward<T, 0, 1> y) const {
      InlinedVector<StepInput, 8> inputs;
      inputs.push_back({x.data, &x.shape()});
      for (int i = 0; i < others.size(); ++i) inputs.push_back({others[i].data, &others[i].shape()});
      return detail::RunStepList<T>(device, list, Span<const StepInput>(inputs.data(), inputs.size()), y.data,
                                    y.shape());
    }

    detail::StepList list;
  };
};

// inputs: those of the producer, then further operands of the steps. `producer`: a serialized NodeDef. `product`:
// memory for what the producer computes; without elements where `y` has that shape.
struct FusedProducer {
  static constexpr auto signature = Op("_FusedProducer")
                                        .Input("inputs: Tin")
                                        .Output("y: T")
                                        .Output("product: T")
                                        .Attr("Tin: list(type) >= 1")
                                        .Attr("T: {float, double}")
                                        .Attr("producer: string")
                                        .Attr("num_producer_inputs: int >= 1")
                                        .Attr("steps: list(string) >= 1")
                                        .Attr("operands: list(int)")
                                        .Attr("alphas: list(float) = []")
                                        .SetShapeFn(detail::FusedProducerShape);
  struct Attrs {
    std::string_view producer;
    std::int64_t num_producer_inputs;
    std::span<const std::string> steps;
    std::span<const std::int64_t> operands;
    std::span<const float> alphas;
  };

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    Status Init(OpKernelConstruction& c) {
      constexpr std::string_view kName = "_FusedProducer";
      if (this->num_producer_inputs > c.num_inputs())
        return errors::InvalidArgument(kName, ": the producer has ", this->num_producer_inputs, " inputs, the node ",
                                       c.num_inputs());
      own = static_cast<int>(this->num_producer_inputs);
      TENON_RETURN_IF_ERROR(
          list.template Read<Device, T>(kName, {this->steps, this->operands, this->alphas}, 1 + c.num_inputs() - own));
      const OpView* op = nullptr;
      TENON_RETURN_IF_ERROR(detail::ParseProducer(this->producer, &def, &op));
      TENON_ASSIGN_OR_RETURN(const KernelDef found, Registry::Global().FindForNode(def, Device::type));
      def.name = c.def().name;
      OpKernelConstruction construction(&def, op, c.device_type(), {c.input_types().data(), ToSize(own)},
                                        c.output_types().first(1), c.allocator(), c.function_library(),
                                        c.device_name());
      construction.set_graph_def_version(c.graph_def_version());
      TENON_ASSIGN_OR_RETURN(inner, CreateKernel(*found.row, &construction));
      if (def.op == "MatMul") {
        (void)TryGetNodeAttr(def, "transpose_a", &transposes[0]);
        (void)TryGetNodeAttr(def, "transpose_b", &transposes[1]);
      }
      if (inner->AsAsync() != nullptr) return errors::InvalidArgument(kName, ": '", def.op, "' is asynchronous");
      if (inner->packed_input().weights != nullptr)
        c.PackInput(inner->packed_input().input, inner->packed_input().weights);
      const tenon::detail::AdaptedCore* const core = inner->adapted();
      writes_views = core != nullptr && core->sized_outputs().size() == 1 && !core->takes_spans();
      return OkStatus();
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> inputs, Out<T> y, Out<T> product) const {
      const bool in_place = product.size() == 0;
      const TensorShape& shape = in_place ? y.shape() : product.shape();
      const AnyView view{in_place ? y.data : product.data, shape.num_elements(), &shape};
      Tensor made(DataType::kInvalid);
      InlinedVector<StepInput, 8> values;
      values.push_back({nullptr, &shape});
      for (std::size_t i = ToSize(own); i < inputs.size(); ++i)
        values.push_back({inputs[i].raw_data(), &inputs[i].shape()});
      const detail::StepAttrs attrs{this->steps, this->operands, this->alphas};
      Device device = context.device();
      std::remove_pointer_t<decltype(Device::epilogue)> epilogue;
      detail::StepsRows<Device> rows;
      if (in_place && view.size > 0 && detail::TakesEpilogue(def.op) &&
          (detail::StepsAsEpilogue<T>(attrs, {values.data(), values.size()}, shape, &epilogue) ||
           rows.Read(list, {values.data(), values.size()}, shape, &epilogue)))
        device.epilogue = &epilogue;
      if constexpr (Device::type != "CPU") {
        if (in_place && device.epilogue == nullptr && def.op == "MatMul" && detail::IsMatrix<T>(inputs[0]) &&
            detail::IsMatrix<T>(inputs[1])) {
          bool done = false;
          TENON_RETURN_IF_ERROR(MultiplyWithSteps(
              device, detail::UnarySteps(), detail::BinarySteps(), inputs[0].matrix<T>(), transposes[0],
              inputs[1].matrix<T>(), transposes[1], list.steps(), {values.data(), values.size()}, y.data, &done));
          if (done) return OkStatus();
        }
      }
      TENON_RETURN_IF_ERROR(
          RunProducer(context.op(), device.epilogue != nullptr ? &device : nullptr, in_place ? 0 : 1, view, &made));
      if (epilogue.done) {
        if (made.dtype() != DataType::kInvalid) context.op().frame()->outputs[0] = std::move(made);
        return OkStatus();
      }
      values[0].data = made.dtype() == DataType::kInvalid ? view.data : made.raw_data();
      return detail::RunStepList<T>(context.device(), list, Span<const StepInput>(values.data(), values.size()), y.data,
                                    y.shape());
    }

    // The producer computes into the view, which is output `output` of this node, or sets *made. It gets the device as
    // its own; null: the node's.
    Status RunProducer(OpKernelContext& outer, void* device, int output, const AnyView& view, Tensor* made) const {
      OpKernelContext::NodeFrame frame = *outer.frame();
      StepEnvironment environment;
      if (device != nullptr) {
        environment = *frame.env;
        environment.device = device;
        frame.env = &environment;
      }
      frame.kernel = inner.get();
      frame.memo = nullptr;
      OpKernelContext call;
      if (writes_views && view.size > 0) {
        frame.outputs += output;
        const Tensor before = *frame.outputs;
        call.Enter(&frame);
        InlinedVector<AnyView, 8> views(ToSize(own) + 1);
        const tenon::detail::AdaptedCore& core = *inner->adapted();
        TENON_RETURN_IF_ERROR(core.PrepareInputs(&call, views.data()));
        views[ToSize(own)] = view;
        tenon::detail::KernelCall arguments = core.Frame(&call, views.data(), nullptr);
        TENON_RETURN_IF_ERROR(core.Call(arguments));
        if (frame.outputs->raw_data() == view.data) return OkStatus();
        *made = std::move(*frame.outputs);  // the kernel has set a tensor of its own
        *frame.outputs = before;
      } else {
        if (output == 0 && view.size > 0) frame.given = outer.frame()->outputs;
        frame.outputs = made;
        call.Enter(&frame);
        inner->Compute(&call);
        TENON_RETURN_IF_ERROR(call.TakeStatus());
      }
      if (made->dtype() == dtype_of_v<T> && made->shape() == *view.shape) return OkStatus();
      return errors::Internal("_FusedProducer: '", def.op, "' made ", made->shape(), ", its shape function ",
                              *view.shape);
    }

    int own = 0;  // inputs of the producer
    bool transposes[2] = {};  // the attrs of a MatMul
    bool writes_views = false;  // the producer's kernel writes where it is told to
    NodeDef def;
    detail::StepList list;
    Owned<OpKernel> inner;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
