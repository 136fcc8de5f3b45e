// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv_gradient.cuh>

#include <doctest/doctest.h>

#include <cuda/gpu.hpp>
#include <cuda/images.cuh>
#include <tenon/types/numeric.hpp>

namespace conv_gradient_test {
using tenon::Conv3DGeometry;
using tenon::Index;
using tenon::Padding;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

struct Case {
  Index input[4], size[2], out_depth, strides[2];
  Padding padding;
};
// The last has pixels enough for several parts of the filter's sum.
const Case kCases[] = {{{2, 6, 5, 3}, {3, 3}, 4, {1, 1}, Padding::kSame},
                       {{1, 7, 8, 5}, {3, 2}, 33, {2, 3}, Padding::kValid},
                       {{2, 5, 5, 8}, {1, 1}, 6, {2, 2}, Padding::kSame},
                       {{3, 20, 21, 2}, {2, 2}, 3, {1, 1}, Padding::kSame}};

template <class T, class C>
void CheckGradients(Gpu& gpu, bool channels_first) {
  tenon::Cpu cpu;
  const auto type = tenon::dtype_of_v<T>, sum_type = tenon::dtype_of_v<C>;
  const auto rounded = [&](const Tensor& sums) {
    Tensor out(type, sums.shape());
    for (Index i = 0; i < sums.NumElements(); ++i) out.flat<T>()[i] = static_cast<T>(sums.flat<C>()[i]);
    return out;
  };
  for (const Case& c : kCases) {
    Conv3DGeometry g;
    g.batch = c.input[0];
    g.in_depth = c.input[3];
    g.out_depth = c.out_depth;
    g.rows = {.input = c.input[1], .size = c.size[0], .stride = c.strides[0]};
    g.columns = {.input = c.input[2], .size = c.size[1], .stride = c.strides[1]};
    REQUIRE(tenon::PlaceWindow(c.padding, &g.rows).ok());
    REQUIRE(tenon::PlaceWindow(c.padding, &g.columns).ok());
    const TensorShape in_shape(c.input), filter_shape{c.size[0], c.size[1], g.in_depth, g.out_depth};
    const TensorShape out_shape{g.batch, g.rows.output, g.columns.output, g.out_depth};
    CAPTURE(out_shape.DebugString());
    const Tensor x = Pattern<C>(in_shape, 3, 5, -2), f = Pattern<C>(filter_shape, 3, 7, -3),
                 dy = Pattern<C>(out_shape, 2, 3, -1);
    Tensor dx(sum_type, in_shape), df(sum_type, filter_shape);
    REQUIRE(tenon::ConvBackpropInput(cpu, g, f.data<C>(), dy.data<C>(), dx.data<C>()).ok());
    REQUIRE(tenon::ConvBackpropFilter(cpu, g, x.data<C>(), dy.data<C>(), df.data<C>()).ok());

    g.channels_first = channels_first;
    const Tensor x_there = gpu.Up(InOrder<T>(rounded(x), channels_first)), f_there = gpu.Up(rounded(f)),
                 dy_there = gpu.Up(InOrder<T>(rounded(dy), channels_first));
    Tensor dx_there = gpu.New(type, x_there.shape()), df_there = gpu.New(type, filter_shape);
    Status status = tenon::ConvBackpropInput(gpu.cuda(), g, f_there.data<T>(), dy_there.data<T>(), dx_there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    status = tenon::ConvBackpropFilter(gpu.cuda(), g, x_there.data<T>(), dy_there.data<T>(), df_there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(dx_there), channels_first), rounded(dx)) == 0);
    CHECK(Differences<T>(gpu.Down(df_there), rounded(df)) == 0);
  }
}

}  // namespace

TEST_CASE("gradients of convolutions are the CPU's, in both data formats" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool channels_first : {false, true}) {
    CAPTURE(channels_first);
    CheckGradients<float, float>(gpu, channels_first);
    CheckGradients<double, double>(gpu, channels_first);
    CheckGradients<tenon::half, float>(gpu, channels_first);
    CheckGradients<tenon::bfloat16, float>(gpu, channels_first);
  }
}

TEST_CASE("volumes and groups are refused before anything runs") {
  tenon::Cuda device;
  Conv3DGeometry g;
  g.batch = g.in_depth = g.out_depth = 1;
  g.rows = g.columns = {.input = 1, .output = 1};
  g.planes = {.input = 2, .output = 2};
  CHECK(tenon::ConvBackpropInput<float>(device, g, nullptr, nullptr, nullptr).code() == tenon::Code::kUnimplemented);
  CHECK(tenon::ConvBackpropFilter<float>(device, g, nullptr, nullptr, nullptr).code() == tenon::Code::kUnimplemented);
}
}  // namespace conv_gradient_test
