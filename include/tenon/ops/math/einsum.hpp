// SPDX-License-Identifier: Apache-2.0
#pragma once
// Einsum: sums of products of one or two tensors, by Einstein's convention.

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/einsum_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/engine/gemm/einsum.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// As in TensorFlow, integers are multiplied on the host.
template <class Device>
using EinsumTypes =
    std::conditional_t<Device::type == "CPU",
                       TypeList<bfloat16, half, float, double, std::int32_t, std::int64_t, complex64, complex128>,
                       TypeList<bfloat16, half, float, double, complex64, complex128>>;

// out[i] = the sum of the `run` elements of row i, in `kept` rows.
template <class Device>
Status SumRows(Device& device, DataType type, Index kept, Index run, const void* x, void* out) {
  AxisSet axes;
  axes.Add(1);
  Status status;
  (void)DispatchType<EinsumTypes<Device>>(type, [&]<class T>() {
    status = Reduce(device, ReduceLoopsFor<SumReducer, T>(device), x, TensorShape({kept, run}), axes, out);
  });
  return status;
}

// One run of an Einsum. one thread.
template <class Device>
class EinsumRun {
 public:
  EinsumRun(OpKernelContext& context, Device& device, DataType type)
      : context_(context), device_(device), type_(type), mover_(MoverOf(type)) {}

  Status Run(std::string_view equation, std::span<const Tensor> inputs, Tensor* output) {
    InlinedVector<const TensorShape*, 2> shapes;
    for (const Tensor& input : inputs) shapes.push_back(&input.shape());
    TENON_RETURN_IF_ERROR(PlanEinsum(equation, {shapes.data(), shapes.size()}, &plan_));
    InlinedVector<Index, 8> sizes;
    for (const EinsumLabel label : plan_.output) sizes.push_back(plan_.size[label]);
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    TENON_RETURN_IF_ERROR(context_.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    for (const Tensor& input : inputs) {
      if (input.NumElements() > 0) continue;
      return Zero(device_, mover_, output->raw_data(), output->NumElements());
    }
    return inputs.size() == 1 ? OfOne(inputs[0], output) : OfTwo(inputs[0], inputs[1], output);
  }

 private:
  Status OfOne(const Tensor& x, Tensor* output) {
    Tensor value;
    bool transposed = false;
    TENON_RETURN_IF_ERROR(Arrange(x, 0, &value, &transposed));
    return Spread(plan_.operands[0].free, value, output);
  }

  Status OfTwo(const Tensor& x, const Tensor& y, Tensor* output) {
    BatchMatMulPlan products;
    Tensor a, b;
    TENON_RETURN_IF_ERROR(Arrange(x, 0, &a, &products.transpose_x));
    TENON_RETURN_IF_ERROR(Arrange(y, 1, &b, &products.transpose_y));
    for (const EinsumLabel label : plan_.batch)
      (void)products.Add(plan_.operand_size[0][label], plan_.operand_size[1][label]);
    products.m = plan_.Product(plan_.operands[0].free);
    products.k = plan_.Product(plan_.contracted);
    products.n = plan_.Product(plan_.operands[1].free);
    EinsumLabels order = plan_.batch;
    for (const EinsumOperand& operand : plan_.operands)
      for (const EinsumLabel label : operand.free) order.push_back(label);
    if (IsInOrder(order))
      return tenon::BatchMatMul(device_, type_, products, a.raw_data(), b.raw_data(), output->raw_data());
    Tensor result;
    TENON_RETURN_IF_ERROR(MakeTemp(products.batches * products.m * products.n, &result));
    TENON_RETURN_IF_ERROR(tenon::BatchMatMul(device_, type_, products, a.raw_data(), b.raw_data(), result.raw_data()));
    return Spread(order, result, output);
  }

  // The labels of an operand in the order wanted: batches, then free and contracted ones (exchanged: the other way
  // round than in [m, k] and [k, n]), then those to be summed.
  EinsumLabels OrderOf(int number, bool exchanged) const {
    const EinsumOperand& operand = plan_.operands[number];
    EinsumLabels order;
    for (const EinsumLabel label : plan_.batch)
      if (plan_.operand_size[number][label] != 1) order.push_back(label);
    const bool free_first = (number == 0) != exchanged;
    for (const EinsumLabel label : free_first ? operand.free : plan_.contracted) order.push_back(label);
    for (const EinsumLabel label : free_first ? plan_.contracted : operand.free) order.push_back(label);
    for (const EinsumLabel label : operand.summed) order.push_back(label);
    return order;
  }
  // The operand in that order, summed over what only it has; as it lies where one of the two orders is its own, which
  // `transposed` says. May share the operand's buffer.
  Status Arrange(const Tensor& x, int number, Tensor* arranged, bool* transposed) {
    const EinsumOperand& operand = plan_.operands[number];
    const Index* sizes = plan_.operand_size[number];
    *arranged = x;
    *transposed = false;
    NdCopy copy = EinsumLayout(operand.labels, OrderOf(number, false), sizes);
    if (!Keeps(copy, x)) {
      *transposed = Keeps(EinsumLayout(operand.labels, OrderOf(number, true), sizes), x);
      if (!*transposed) TENON_RETURN_IF_ERROR(CopyTo(copy, x, arranged));
    }
    if (operand.summed.empty()) return OkStatus();
    const Index run = plan_.Product(operand.summed);
    return SumRuns(copy.elements / run, run, arranged);
  }
  static bool Keeps(const NdCopy& copy, const Tensor& x) {
    return IsPlainCopy(copy) && copy.elements == x.NumElements();
  }
  Status CopyTo(const NdCopy& copy, const Tensor& x, Tensor* out) {
    TENON_RETURN_IF_ERROR(MakeTemp(copy.elements, out));
    return CopyNd(device_, mover_, copy, x.raw_data(), out->raw_data());
  }
  // [kept, run] -> [kept]
  Status SumRuns(Index kept, Index run, Tensor* x) {
    Tensor sums;
    TENON_RETURN_IF_ERROR(MakeTemp(kept, &sums));
    TENON_RETURN_IF_ERROR(SumRows(device_, type_, kept, run, x->raw_data(), sums.raw_data()));
    *x = std::move(sums);
    return OkStatus();
  }
  bool IsInOrder(const EinsumLabels& order) const {
    if (order.size() != plan_.output.size()) return false;
    return IsPlainCopy(EinsumLayout(order, plan_.output, plan_.size));
  }
  // Writes the value, whose dimensions are `order`, to the output; zeros off the diagonals.
  Status Spread(const EinsumLabels& order, const Tensor& value, Tensor* output) {
    if (order.size() != plan_.output.size())
      TENON_RETURN_IF_ERROR(Zero(device_, mover_, output->raw_data(), output->NumElements()));
    return CopyNd(device_, mover_, EinsumSpread(order, plan_.output, plan_.size), value.raw_data(), output->raw_data());
  }
  Status MakeTemp(Index elements, Tensor* out) { return context_.allocate_temp(type_, TensorShape({elements}), out); }

  OpKernelContext& context_;
  Device& device_;
  const DataType type_;
  const ElementMover mover_;
  EinsumPlan plan_;
};

}  // namespace detail

// inputs: one or two tensors. "ij,jk->ik" is a product of matrices, "ii->i" a diagonal, "...ij->...ji" a transpose;
// what an ellipsis stands for is broadcast.
struct Einsum {
  static constexpr auto signature = Op("Einsum")
                                        .Input("inputs: N * T")
                                        .Output("output: T")
                                        .Attr("equation: string")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::EinsumShape);

  struct Attrs {
    std::string_view equation;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.input_type(0), dtypes_of<detail::EinsumTypes<Device>>::value);
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> inputs, Tensor& output) const {
      return detail::EinsumRun<Device>(context.op(), context.device(), inputs[0].dtype())
          .Run(this->equation, inputs, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
