// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/depthwise.cuh>
#include <tenon/engine/conv/depthwise_gradient.hpp>

#include <doctest/doctest.h>

#include <cuda/gpu.hpp>
#include <cuda/images.cuh>
#include <tenon/types/numeric.hpp>

namespace depthwise_test {
using tenon::DepthwiseGeometry;
using tenon::Index;
using tenon::Padding;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

struct Case {
  Index input[4], size[2], multiplier, stride;
  Padding padding;
};
// Channels that fill packs and that do not; pixels for one part of a block and for several.
const Case kCases[] = {{{2, 6, 5, 16}, {3, 3}, 1, 1, Padding::kSame},
                       {{1, 7, 7, 3}, {3, 2}, 1, 2, Padding::kValid},
                       {{3, 8, 9, 5}, {2, 3}, 3, 2, Padding::kSame},
                       {{1, 12, 12, 40}, {5, 5}, 1, 1, Padding::kSame}};

DepthwiseGeometry Geometry(const Case& c) {
  DepthwiseGeometry g;
  g.batch = c.input[0];
  g.depth = c.input[3];
  g.multiplier = c.multiplier;
  g.rows = {.input = c.input[1], .size = c.size[0], .stride = c.stride};
  g.columns = {.input = c.input[2], .size = c.size[1], .stride = c.stride};
  REQUIRE(tenon::PlaceWindow(c.padding, &g.rows).ok());
  REQUIRE(tenon::PlaceWindow(c.padding, &g.columns).ok());
  return g;
}

// Small whole numbers: sums are exact in C, in which the CPU computes, and T rounds once.
template <class T, class C>
void CheckDepthwise(Gpu& gpu, bool channels_first) {
  tenon::Cpu cpu;
  const auto type = tenon::dtype_of_v<T>, sum_type = tenon::dtype_of_v<C>;
  const auto rounded = [&](const Tensor& sums) {
    Tensor out(type, sums.shape());
    for (Index i = 0; i < sums.NumElements(); ++i) out.flat<T>()[i] = static_cast<T>(sums.flat<C>()[i]);
    return out;
  };
  for (const Case& c : kCases) {
    DepthwiseGeometry g = Geometry(c);
    const TensorShape in_shape(c.input), filter_shape{c.size[0], c.size[1], g.depth, g.multiplier};
    const TensorShape out_shape = tenon::ImageShape(false, g.batch, g.rows.output, g.columns.output, g.out_depth());
    CAPTURE(out_shape.DebugString());
    const Tensor x = Pattern<C>(in_shape), f = Pattern<C>(filter_shape, 3, 7, -3),
                 dy = Pattern<C>(out_shape, 5, 11, -5);
    Tensor y(sum_type, out_shape), dx(sum_type, in_shape), df(sum_type, filter_shape);
    REQUIRE(DepthwiseConv2D(cpu, g, x.data<C>(), f.data<C>(), y.data<C>()).ok());
    REQUIRE(DepthwiseConv2DBackpropInput(cpu, g, f.data<C>(), dy.data<C>(), dx.data<C>()).ok());
    REQUIRE(DepthwiseConv2DBackpropFilter(cpu, g, x.data<C>(), dy.data<C>(), df.data<C>()).ok());

    g.channels_first = channels_first;
    const Tensor x_there = gpu.Up(InOrder<T>(rounded(x), channels_first)), f_there = gpu.Up(rounded(f)),
                 dy_there = gpu.Up(InOrder<T>(rounded(dy), channels_first));
    Tensor y_there = gpu.New(type, dy_there.shape()), dx_there = gpu.New(type, x_there.shape()),
           df_there = gpu.New(type, filter_shape);
    Status status = DepthwiseConv2D(gpu.cuda(), g, x_there.data<T>(), f_there.data<T>(), y_there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    status = DepthwiseConv2DBackpropInput(gpu.cuda(), g, f_there.data<T>(), dy_there.data<T>(), dx_there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    status = DepthwiseConv2DBackpropFilter(gpu.cuda(), g, x_there.data<T>(), dy_there.data<T>(), df_there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(y_there), channels_first), rounded(y)) == 0);
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(dx_there), channels_first), rounded(dx)) == 0);
    CHECK(Differences<T>(gpu.Down(df_there), rounded(df)) == 0);
  }
}

}  // namespace

TEST_CASE("depthwise convolutions and gradients are the CPU's, in both data formats" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool channels_first : {false, true}) {
    CAPTURE(channels_first);
    CheckDepthwise<float, float>(gpu, channels_first);
    CheckDepthwise<double, double>(gpu, channels_first);
    CheckDepthwise<tenon::half, float>(gpu, channels_first);
    CheckDepthwise<tenon::bfloat16, float>(gpu, channels_first);
  }
}

TEST_CASE("a convolution without elements starts nothing, with or without a GPU") {
  tenon::Cuda device;
  DepthwiseGeometry g;
  CHECK(DepthwiseConv2D<float>(device, g, nullptr, nullptr, nullptr).ok());
  CHECK(DepthwiseConv2DBackpropInput<float>(device, g, nullptr, nullptr, nullptr).ok());
  CHECK(DepthwiseConv2DBackpropFilter<float>(device, g, nullptr, nullptr, nullptr).ok());
}
}  // namespace depthwise_test
