// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/avg_pool.cuh>

#include <doctest/doctest.h>

#include <cuda/gpu.hpp>
#include <cuda/images.cuh>
#include <tenon/types/numeric.hpp>

namespace avg_pool_test {
using tenon::Index;
using tenon::Padding;
using tenon::PoolGeometry;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

struct Case {
  Index input[4], ksize[4], strides[4];
  Padding padding;
};
const Case kCases[] = {{{2, 6, 5, 16}, {1, 2, 2, 1}, {1, 2, 2, 1}, Padding::kValid},
                       {{1, 7, 7, 3}, {1, 3, 3, 1}, {1, 2, 2, 1}, Padding::kSame},
                       {{2, 5, 9, 8}, {1, 3, 2, 1}, {1, 1, 1, 1}, Padding::kSame},
                       {{1, 8, 8, 4}, {1, 2, 2, 1}, {1, 3, 3, 1}, Padding::kValid}};

template <class T>
void CheckAvgPool(Gpu& gpu, bool channels_first) {
  tenon::Cpu cpu;
  const auto type = tenon::dtype_of_v<T>;
  for (const Case& c : kCases) {
    PoolGeometry g;
    REQUIRE(tenon::MakePoolGeometry(TensorShape(c.input), c.ksize, c.strides, c.padding, {}, &g).ok());
    CAPTURE(g.output_shape().DebugString());
    const Tensor input = Pattern<T>(TensorShape(c.input)), grad = Pattern<T>(g.output_shape(), 3, 11, 1);
    TensorShape with_more(c.input);
    with_more.set_dim(0, c.input[0] + 1);  // one image without a gradient
    Tensor wanted(type, g.output_shape()), wanted_grad(type, with_more);
    REQUIRE(tenon::AvgPool(cpu, g, input.data<T>(), wanted.data<T>()).ok());
    REQUIRE(tenon::AvgPoolGrad(cpu, g, grad.data<T>(), wanted_grad.data<T>(), 1).ok());

    g.channels_first = channels_first;
    const Tensor there = gpu.Up(InOrder<T>(input, channels_first)),
                 grad_there = gpu.Up(InOrder<T>(grad, channels_first));
    Tensor out = gpu.New(type, g.output_shape());
    Tensor dx = gpu.New(type, tenon::ImageShape(channels_first, c.input[0] + 1, c.input[1], c.input[2], c.input[3]));
    Status status = tenon::AvgPool(gpu.cuda(), g, there.data<T>(), out.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(out), channels_first), wanted) == 0);
    status = tenon::AvgPoolGrad(gpu.cuda(), g, grad_there.data<T>(), dx.data<T>(), 1);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(dx), channels_first), wanted_grad) == 0);
  }
}

}  // namespace

TEST_CASE("means and their gradients are the CPU's, in both data formats" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool channels_first : {false, true}) {
    CAPTURE(channels_first);
    CheckAvgPool<double>(gpu, channels_first);
    CheckAvgPool<tenon::half>(gpu, channels_first);
    CheckAvgPool<tenon::bfloat16>(gpu, channels_first);
  }
}

TEST_CASE("a pool without output starts nothing, with or without a GPU") {
  tenon::Cuda device;
  CHECK(tenon::AvgPool<float>(device, PoolGeometry{}, nullptr, nullptr).ok());
}
}  // namespace avg_pool_test
