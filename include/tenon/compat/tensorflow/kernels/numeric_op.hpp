// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bases of kernels of one type: UnaryOp, BinaryOp, and the element-wise ones.

#include <tenon/compat/tensorflow/kernel_def_builder.hpp>

namespace tensorflow {

// One tensor of T in, one out.
template <class T>
class UnaryOp : public OpKernel {
 public:
  explicit UnaryOp(OpKernelConstruction* context) : OpKernel(context) {
    const DataType type = DataTypeToEnum<T>::v();
    OP_REQUIRES_OK(context, context->MatchSignature({type}, {type}));
  }
};
// Two tensors of T in, one out.
template <class T>
class BinaryOp : public OpKernel {
 public:
  explicit BinaryOp(OpKernelConstruction* context) : OpKernel(context) {
    const DataType type = DataTypeToEnum<T>::v();
    OP_REQUIRES_OK(context, context->MatchSignature({type, type}, {type}));
  }
};
// Child has Operate(context, input, output).
template <class T, class Child>
class UnaryElementWiseOp : public UnaryOp<T> {
 public:
  using UnaryOp<T>::UnaryOp;
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, input.shape(), &output));
    static_cast<Child*>(this)->Operate(context, input, output);
  }
};
// Child has Operate<rank>(context, a, b, output).
template <class T, class Child>
class BinaryElementWiseOp : public BinaryOp<T> {
 public:
  using BinaryOp<T>::BinaryOp;
  void Compute(OpKernelContext* context) override {
    const Tensor &a = context->input(0), &b = context->input(1);
    if (!context->ValidateInputsAreSameShape(this)) return;
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0, 1}, 0, a.shape(), &output));
    Child* const child = static_cast<Child*>(this);
    switch (a.dims()) {
#define TENON_COMPAT_RANK(RANK) \
  case RANK: return child->template Operate<RANK>(context, a, b, output);
      TENON_COMPAT_RANK(0)
      TENON_COMPAT_RANK(1)
      TENON_COMPAT_RANK(2)
      TENON_COMPAT_RANK(3)
      TENON_COMPAT_RANK(4)
      TENON_COMPAT_RANK(5)
      TENON_COMPAT_RANK(6)
      TENON_COMPAT_RANK(7)
      TENON_COMPAT_RANK(8)
#undef TENON_COMPAT_RANK
      default:
        context->CtxFailure(errors::InvalidArgument("We only handle up to Tensor::dims() up to 8, not ", a.dims()));
    }
  }
};

}  // namespace tensorflow
