// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise ops of more than two operands: sums of tensors, clipping; and the sum of squares.

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/elementwise/add_n.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/signatures.hpp>
#include <tenon/kernel/variant_arithmetic.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr tenon::detail::FloatWork<BinaryLoops> kAddInFloat{kBinaryLoops<Add, float>, nullptr};

// Loops that add two runs of elements of a dtype; none where TensorFlow has no kernel.
struct Adder {
  BinaryLoops loops{};
  const void* attrs = nullptr;
  int numbers = 1;  // that one element is for the loops: 2 for complex ones

  bool has_loops() const { return loops.vv != nullptr; }
};
template <class Operation = Add>
Adder FindAdder(const Cpu&, DataType dtype) {
  switch (dtype) {
    case DataType::kInt8:
    case DataType::kUint8: return {kBinaryLoops<Operation, std::uint8_t>};
    case DataType::kInt16:
    case DataType::kUint16: return {kBinaryLoops<Operation, std::uint16_t>};
    case DataType::kInt32:
    case DataType::kUint32: return {kBinaryLoops<Operation, std::uint32_t>};
    case DataType::kInt64:
    case DataType::kUint64: return {kBinaryLoops<Operation, std::uint64_t>};
    case DataType::kHalf: return {tenon::detail::kBinaryInFloat<half, half>, &kAddInFloat};
    case DataType::kBfloat16: return {tenon::detail::kBinaryInFloat<bfloat16, bfloat16>, &kAddInFloat};
    case DataType::kFloat: return {kBinaryLoops<Operation, float>};
    case DataType::kDouble: return {kBinaryLoops<Operation, double>};
    case DataType::kComplex64: return {kBinaryLoops<Operation, float>, nullptr, 2};
    case DataType::kComplex128: return {kBinaryLoops<Operation, double>, nullptr, 2};
    default: return {};
  }
}

inline Status Accumulate(Cpu& device, const Adder& adder, Span<const void* const> inputs, void* out, Index n) {
  return tenon::Accumulate(device, adder.loops, adder.attrs, inputs, out, n * adder.numbers);
}

// Output 0 of the running kernel = the sum of its inputs, which have one shape.
template <class Device>
Status AddTensors(OpKernelContext& context, std::string_view op) {
  const Tensor& first = context.input(0);
  if (first.dtype() == DataType::kVariant) return AddVariants(context);
  Device& device = context.device<Device>();
  const auto adder = FindAdder(device, first.dtype());
  if (!adder.has_loops())
    return errors::InvalidArgument("no kernel for op '", op, "' on CPU with types {", first.dtype(),
                                   "}; elements of this type are not added");
  InlinedVector<const void*, 8> addends;
  bool again = false;  // whether input 0 is added once more, after the sum was begun
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    if (!(input.shape() == first.shape()))
      return errors::InvalidArgument(op, ": inputs must have the same size and shape. Input 0: ", first.shape(),
                                     " != input ", i, ": ", input.shape());
    again = again || (i > 0 && input.raw_data() == first.raw_data());
    addends.push_back(input.raw_data());
  }
  const TensorShape shape = first.shape();
  Tensor* sum = nullptr;
  if (again)
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &sum));
  else
    TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &sum));
  return Accumulate(device, adder, {addends.data(), addends.size()}, sum->raw_data(), shape.num_elements());
}

}  // namespace detail

// inputs: N times one shape  ->  the same shape; their sum
struct AddN {
  static constexpr auto signature =
      Op("AddN")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, variant}")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn([](InferenceContext* c) -> Status {
            ShapeHandle sum = c->input(c->num_inputs() - 1);
            for (int i = c->num_inputs() - 2; i >= 0; --i) TENON_RETURN_IF_ERROR(c->Merge(c->input(i), sum, &sum));
            c->set_output(0, sum);
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  // The raw form: its inputs' buffers may be taken over, however many there are.
  template <class Device>
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* construction) : OpKernel(construction) {
      construction->SetStatus(ServeOnDevice<Device>(*construction, construction->input_type(0), kAllTypes));
    }
    void Compute(OpKernelContext* context) override {
      context->SetStatus(detail::AddTensors<Device>(*context, "AddN"));
    }
  };
};

// AddN with the shape given beforehand.
struct AccumulateNV2 {
  static constexpr auto signature =
      Op("AccumulateNV2")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .Attr("shape: shape")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn(shape_inference::ExplicitShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* construction) : OpKernel(construction) {
      construction->SetStatus(construction->GetAttr("shape", &shape_));
    }
    void Compute(OpKernelContext* context) override {
      if (shape_.IsCompatibleWith(context->input(0).shape()))
        context->SetStatus(detail::AddTensors<Device>(*context, "AccumulateNV2"));
      else
        context->SetStatus(errors::InvalidArgument("AccumulateNV2: inputs of shape ", context->input(0).shape(),
                                                   " do not fit the attr 'shape', which is ", shape_.DebugString()));
    }

   private:
    PartialTensorShape shape_;
  };
};

namespace detail {

// y < x ? y : x, and x where one is NaN.
struct CutAbove {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (kIsComplex<T>)
      return {y.real() < x.real() ? y.real() : x.real(), y.imag() < x.imag() ? y.imag() : x.imag()};
    else
      return y < x ? y : x;
  }
};
// x < y ? y : x, and x where one is NaN.
struct CutBelow {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (kIsComplex<T>)
      return {x.real() < y.real() ? y.real() : x.real(), x.imag() < y.imag() ? y.imag() : x.imag()};
    else
      return x < y ? y : x;
  }
};

}  // namespace detail

// max(min(t, clip_value_max), clip_value_min), part by part for complex numbers. A limit has t's shape or is a scalar.
struct ClipByValue {
  static constexpr auto signature =
      Op("ClipByValue")
          .Input("t: T")
          .Input("clip_value_min: T")
          .Input("clip_value_max: T")
          .Output("output: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class Device, class T>
    requires(MapsOn<Device, T> &&
             (std::is_arithmetic_v<T> || tenon::detail::kIsSmallFloat<T> || detail::kIsComplex<T>) &&
             !std::is_same_v<T, std::uint32_t> && !std::is_same_v<T, std::uint64_t>)
  struct kernel {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> t, In<T> low, In<T> high, Forward<T, 0> output) const {
      if (!Fits(low.shape(), t.shape()) || !Fits(high.shape(), t.shape()))
        return Mismatch(t.shape(), low.shape(), high.shape());
      TENON_RETURN_IF_ERROR((MapBinary<detail::CutAbove, T, T>(device, nullptr, t, high, output)));
      return MapBinary<detail::CutBelow, T, T>(device, nullptr, In<T>(output.data, output.size(), &t.shape()), low,
                                               output);
    }
  };

 private:
  static bool Fits(const TensorShape& limit, const TensorShape& t) { return limit.dims() == 0 || limit == t; }
  TENON_DETAIL_COLD static Status Mismatch(const TensorShape& t, const TensorShape& low, const TensorShape& high) {
    return errors::InvalidArgument(
        "ClipByValue: clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input "
        "shape: ",
        t, ", clip_value_min shape: ", low, ", clip_value_max shape: ", high);
  }
};

// sum(t^2) / 2, a scalar. Added up in double.
struct L2Loss {
  static constexpr auto signature = Op("L2Loss")
                                        .Input("t: T")
                                        .Output("output: T")
                                        .Attr(detail::kActivationTypes)
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device, class T>
  struct kernel {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> t, Out<T> output) const {
      return HalfSumOfSquares(device, t.data, t.size(), output.data);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
