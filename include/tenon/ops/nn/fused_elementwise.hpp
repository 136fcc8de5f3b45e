// SPDX-License-Identifier: Apache-2.0
#pragma once
// _FusedElementwise and _FusedProducer: what the optimizer makes of several element-wise nodes, and of such nodes
// behind a product, a convolution or another node that computes a new tensor. Every element is that of the nodes alone.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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
#include <tenon/engine/elementwise/steps.hpp>
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
  ((void)(name == Op::signature.name && (found = n, true), ++n), ...);
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

// The loops of a kernel's steps. immutable after Read.
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

 private:
  SlimVector<ElementwiseStep> steps_;
  SlimVector<LeakyRelu::Attrs> leaky_;  // per step; the attrs of those that have some
};

template <class T, class Device>
Status RunStepList(Device& device, const StepList& list, Span<const StepInput> inputs, T* out,
                   const TensorShape& shape) {
  if constexpr (Device::type == "CPU")
    return RunSteps(device, list.steps(), inputs, out, shape);
  else
    return RunSteps<T, UnarySteps, BinarySteps>(device, list.steps(), inputs, out, shape);
}

constexpr Status FusedElementwiseShape(InferenceContext* c) {
  Span<const std::int64_t> operands;
  TENON_RETURN_IF_ERROR(c->GetAttr("operands", &operands));
  SlimVector<ShapeHandle> shapes;
  for (int i = 0; i < c->num_inputs(); ++i) shapes.push_back(c->input(i));
  for (std::size_t s = 0; s + 1 < operands.size(); s += 2) {
    const auto known = static_cast<std::int64_t>(shapes.size());
    const std::int64_t a = operands[s], b = operands[s + 1];
    if (a < 0 || a >= known || b < -1 || b >= known) return errors::InvalidArgument("no operand ", a, " or ", b);
    ShapeHandle shape = shapes[static_cast<std::size_t>(a)];
    if (b >= 0)
      TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
          c, shapes[static_cast<std::size_t>(a)], shapes[static_cast<std::size_t>(b)], true, &shape));
    shapes.push_back(shape);
  }
  c->set_output(0, shapes[shapes.size() - 1]);
  return OkStatus();
}

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
    Status operator()(Device& device, In<T> x, InList<T> others, Forward<T, 0> y) const {
      InlinedVector<StepInput, 8> inputs;
      inputs.push_back({x.data, &x.shape()});
      for (int i = 0; i < others.size(); ++i) inputs.push_back({others[i].data, &others[i].shape()});
      return detail::RunStepList<T>(device, list, Span<const StepInput>(inputs.data(), inputs.size()), y.data,
                                    y.shape());
    }

    detail::StepList list;
  };
};

// inputs: those of the producer, then further operands of the steps. `producer`: a serialized NodeDef.
struct FusedProducer {
  static constexpr auto signature = Op("_FusedProducer")
                                        .Input("inputs: Tin")
                                        .Output("y: T")
                                        .Attr("Tin: list(type) >= 1")
                                        .Attr("T: {float, double}")
                                        .Attr("producer: string")
                                        .Attr("num_producer_inputs: int >= 1")
                                        .Attr("steps: list(string) >= 1")
                                        .Attr("operands: list(int)")
                                        .Attr("alphas: list(float) = []")
                                        .SetShapeFn(shape_inference::UnknownShape);
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
      TENON_ASSIGN_OR_RETURN(
          def, ParseNodeDef({reinterpret_cast<const std::byte*>(this->producer.data()), this->producer.size()}));
      TENON_ASSIGN_OR_RETURN(const KernelDef found, Registry::Global().FindForNode(def, Device::type));
      const OpView* const op = Registry::Global().FindOp(def.op);
      if (op == nullptr) return errors::NotFound("Op type not registered '", def.op, "'");
      def.name = c.def().name;
      OpKernelConstruction construction(&def, op, c.device_type(), {c.input_types().data(), ToSize(own)},
                                        c.output_types(), c.allocator(), c.function_library(), c.device_name());
      construction.set_graph_def_version(c.graph_def_version());
      TENON_ASSIGN_OR_RETURN(inner, CreateKernel(*found.row, &construction));
      if (inner->AsAsync() != nullptr) return errors::InvalidArgument(kName, ": '", def.op, "' is asynchronous");
      if (inner->packed_input().weights != nullptr)
        c.PackInput(inner->packed_input().input, inner->packed_input().weights);
      return OkStatus();
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> inputs, Tensor& y) const {
      OpKernelContext& outer = context.op();
      OpKernelContext::NodeFrame frame = *outer.frame();
      frame.kernel = inner.get();
      OpKernelContext call;
      call.Enter(&frame);
      inner->Compute(&call);
      TENON_RETURN_IF_ERROR(call.TakeStatus());
      Tensor product = std::move(y);
      InlinedVector<StepInput, 8> values;
      values.push_back({product.raw_data(), &product.shape()});
      for (std::size_t i = ToSize(own); i < inputs.size(); ++i)
        values.push_back({inputs[i].raw_data(), &inputs[i].shape()});
      const Span<const StepInput> all(values.data(), values.size());
      TensorShape shape = product.shape();
      if (!tenon::detail::AllRepeat(all, shape)) TENON_RETURN_IF_ERROR(StepsShape(list.steps(), all, &shape));
      if (shape == product.shape() && product.RefCountIsOne()) {
        TENON_RETURN_IF_ERROR(detail::RunStepList<T>(context.device(), list, all, product.template data<T>(), shape));
        outer.set_output(0, std::move(product));
        return OkStatus();
      }
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(outer.allocate_output(0, shape, &out));
      return detail::RunStepList<T>(context.device(), list, all, out->template data<T>(), shape);
    }

    int own = 0;  // inputs of the producer
    NodeDef def;
    detail::StepList list;
    Owned<OpKernel> inner;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
