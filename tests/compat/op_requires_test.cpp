// SPDX-License-Identifier: Apache-2.0
#include <tenon/compat/op_requires.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/kernel/run_kernel.hpp>

#include "kernel/any_node.hpp"

namespace compat_op_requires_test {
using namespace tenon;
using kernel_test::AnyNode;

namespace {

constexpr auto kSignature = Op("OrOp").Input("x: float").Output("y: float").Attr("limit: int = 3");
constexpr OpView kOp = kSignature.view();

Result<int> Half(int x) {
  if (x % 2 != 0) return errors::OutOfRange(x, " is odd");
  return x / 2;
}

// Written as for TensorFlow.
class Limited : public OpKernel {
 public:
  explicit Limited(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("limit", &limit_));
    OP_REQUIRES(ctx, limit_ > 0, errors::InvalidArgument("limit must be positive, got ", limit_));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES(ctx, x.NumElements() <= limit_, errors::InvalidArgument("too many: ", x.NumElements()));
    int half = 0;
    OP_REQUIRES_VALUE(half, ctx, Half(static_cast<int>(x.NumElements())));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape{half}, &y));
  }

 private:
  std::int64_t limit_ = 0;
};

struct Delayed : AsyncOpKernel {
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    OP_REQUIRES_ASYNC(ctx, ctx->input(0).NumElements() > 0, errors::InvalidArgument("empty"), done);
    OP_REQUIRES_OK_ASYNC(ctx, Half(static_cast<int>(ctx->input(0).NumElements())), done);
    OP_REQUIRES(ctx, ctx->input(0).NumElements() > 2, errors::InvalidArgument("small"));  // the wrong form
    done();
  }
};

template <class Kernel>
std::string StatusFor(std::initializer_list<float> x, std::int64_t limit = 3) {
  AnyNode<Kernel> node(kOp, {{"limit", AttrValue(limit)}}, {MakeTensor<float>({static_cast<Index>(x.size())}, x)},
                       {DataType::kFloat});
  if (!node.construction->status().ok()) return node.construction->status().ToString();
  RunKernel(&*node.kernel, &node.context);
  return node.context.status().ToString();
}

}  // namespace

TEST_SUITE("OP_REQUIRES") {
  TEST_CASE("ends the kernel with the status") {
    CHECK(StatusFor<Limited>({1, 2}) == "OK");
    CHECK(StatusFor<Limited>({1, 2, 3, 4}) == "INVALID_ARGUMENT: too many: 4");
    CHECK(StatusFor<Limited>({1, 2, 3}) == "OUT_OF_RANGE: 3 is odd");
    CHECK(StatusFor<Limited>({1}, 0) == "INVALID_ARGUMENT: limit must be positive, got 0");
  }
  TEST_CASE("in asynchronous kernels done is called; the wrong form is no hang") {
    CHECK(StatusFor<Delayed>({1, 2, 3, 4}) == "OK");
    CHECK(StatusFor<Delayed>({}) == "INVALID_ARGUMENT: empty");
    CHECK(StatusFor<Delayed>({1}) == "OUT_OF_RANGE: 1 is odd");
    CHECK(StatusFor<Delayed>({1, 2}) == "INVALID_ARGUMENT: small");
  }
}
}  // namespace compat_op_requires_test
