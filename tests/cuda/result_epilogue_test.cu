// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/result_epilogue.cuh>

#include <doctest/doctest.h>

#include <limits>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/engine/conv/conv.cuh>
#include <tenon/engine/conv/depthwise.cuh>
#include <tenon/engine/gemm/gemm.cuh>
#include <tenon/types/numeric.hpp>

namespace result_epilogue_test {
using tenon::Conv2DGeometry;
using tenon::CudaEpilogue;
using tenon::DepthwiseGeometry;
using tenon::Index;
using tenon::Padding;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

enum Steps : int { kOffset = 1, kAdded = 2, kRelu = 4, kRelu6 = 8 };

// Calls run(device, output) without an epilogue and with all kinds of them. Small whole numbers: sums are exact.
template <class T, class Run>
void CheckEpilogues(Gpu& gpu, const TensorShape& shape, bool takes, bool takes_relu6, const Run& run) {
  tenon::Cuda device = gpu.cuda();
  const Index columns = shape.dim_size(shape.dims() - 1);
  const Tensor offset = Pattern<T>({columns}, 3, 5, -2), added = Pattern<T>(shape, 5, 7, -3);
  const Tensor offset_there = gpu.Up(offset), added_there = gpu.Up(added);
  Tensor there = gpu.New(tenon::dtype_of_v<T>, shape);
  Status status = run(device, there.data<T>());
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const Tensor plain = gpu.Down(there);
  for (const int steps : {0, +kOffset, +kAdded, kOffset | kAdded, +kRelu, kOffset | kRelu, kAdded | kRelu,
                          kOffset | kAdded | kRelu, kOffset | kRelu6, kOffset | kAdded | kRelu6}) {
    CAPTURE(steps);
    CudaEpilogue epilogue;
    if ((steps & kOffset) != 0) epilogue.offset = offset_there.raw_data();
    if ((steps & kAdded) != 0) epilogue.added = added_there.raw_data();
    if ((steps & (kRelu | kRelu6)) != 0) epilogue.low = 0;
    if ((steps & kRelu6) != 0) epilogue.high = 6;
    device.epilogue = &epilogue;
    status = run(device, there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(epilogue.done == (takes && (takes_relu6 || (steps & kRelu6) == 0)));
    const Tensor got = gpu.Down(there);
    Index wrong = 0;
    for (Index i = 0; i < got.NumElements(); ++i) {
      T wanted = plain.flat<T>()[i];
      if (epilogue.done) {
        if ((steps & kOffset) != 0) wanted += offset.flat<T>()[i % columns];
        if ((steps & kAdded) != 0) wanted += added.flat<T>()[i];
        if (epilogue.clamps_below() && wanted < T(0)) wanted = T(0);
        if (epilogue.clamps_above() && wanted > T(6)) wanted = T(6);
      }
      wrong += !(got.flat<T>()[i] == wanted);
    }
    CHECK(wrong == 0);
  }
}

template <class T>
void CheckConvolution(Gpu& gpu, const TensorShape& in, const TensorShape& filter, Index stride, bool channels_first,
                      bool takes_relu6, int multiprocessors = 100) {
  CAPTURE(filter.DebugString());
  const Index strides[] = {1, channels_first ? 1 : stride, stride, channels_first ? stride : 1};
  const Index dilations[] = {1, 1, 1, 1};
  Conv2DGeometry g;
  REQUIRE(tenon::MakeConv2DGeometry(in, filter, strides, dilations, Padding::kSame, {}, &g, channels_first).ok());
  const Tensor x = gpu.Up(Pattern<T>(in, 3, 7, -3)), f = gpu.Up(Pattern<T>(filter, 5, 11, -5));
  CheckEpilogues<T>(gpu, g.output_shape(), !channels_first, takes_relu6, [&](tenon::Cuda& device, T* out) {
    tenon::Cuda own = device;
    own.multiprocessors = multiprocessors;
    return tenon::Conv2D(own, g, x.data<T>(), f.data<T>(), out);
  });
}

template <class T>
void CheckDepthwise(Gpu& gpu, Index depth, Index multiplier, bool channels_first) {
  DepthwiseGeometry g;
  g.channels_first = channels_first;
  g.batch = 2;
  g.depth = depth;
  g.multiplier = multiplier;
  g.rows = {.input = 5, .size = 3, .stride = 2};
  g.columns = {.input = 4, .size = 2, .stride = 1};
  REQUIRE(tenon::PlaceWindow(Padding::kSame, &g.rows).ok());
  REQUIRE(tenon::PlaceWindow(Padding::kSame, &g.columns).ok());
  const Tensor x = gpu.Up(Pattern<T>({g.batch * 5 * 4 * depth}, 3, 7, -3)),
               f = gpu.Up(Pattern<T>({3 * 2 * depth * multiplier}, 5, 11, -5));
  CheckEpilogues<T>(gpu, tenon::ImageShape(channels_first, g.batch, g.rows.output, g.columns.output, g.out_depth()),
                    !channels_first, true, [&](tenon::Cuda& device, T* out) {
                      return tenon::DepthwiseConv2D(device, g, x.data<T>(), f.data<T>(), out);
                    });
}

}  // namespace

TEST_CASE("products take what cuBLASLt can do" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const auto check = [&]<class T>(T) {
    const Tensor a = gpu.Up(Pattern<T>({9, 6}, 3, 7, -3)), b = gpu.Up(Pattern<T>({6, 5}, 5, 11, -5));
    CheckEpilogues<T>(gpu, {9, 5}, true, false, [&](tenon::Cuda& device, T* out) {
      const Index dims[] = {9, 5};
      return Gemm(device, a.matrix<T>(), false, b.matrix<T>(), false, tenon::Out<T, 2>(out, dims));
    });
  };
  check(float{});
  check(double{});
}
TEST_CASE("convolutions take all steps where channels come last" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckConvolution<float>(gpu, {2, 5, 6, 3}, {3, 3, 3, 4}, 1, false, true);
  CheckConvolution<float>(gpu, {1, 12, 11, 20}, {3, 3, 20, 70}, 1, false, true, 1);  // large tiles
  CheckConvolution<double>(gpu, {1, 9, 8, 6}, {3, 3, 2, 9}, 2, false, true);         // groups
  CheckConvolution<float>(gpu, {2, 6, 6, 5}, {1, 1, 5, 7}, 1, false, false);         // a product of matrices
  CheckConvolution<float>(gpu, {2, 6, 6, 5}, {1, 1, 5, 7}, 2, false, true);
  CheckConvolution<float>(gpu, {2, 3, 5, 6}, {3, 3, 3, 4}, 1, true, false);
  CheckConvolution<float>(gpu, {2, 5, 6, 6}, {1, 1, 5, 7}, 1, true, false);
}
TEST_CASE("depthwise convolutions take all steps where channels come last" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool channels_first : {false, true}) {
    CheckDepthwise<float>(gpu, 8, 1, channels_first);  // packs
    CheckDepthwise<float>(gpu, 3, 2, channels_first);
    CheckDepthwise<double>(gpu, 6, 1, channels_first);
  }
}
TEST_CASE("NaN stays, and half has no epilogue" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CudaEpilogue epilogue;
  epilogue.low = 0;
  epilogue.high = 6;
  tenon::Cuda device = gpu.cuda();
  device.epilogue = &epilogue;
  Conv2DGeometry g;
  const Index ones[] = {1, 1, 1, 1};
  REQUIRE(tenon::MakeConv2DGeometry({1, 2, 2, 1}, {2, 1, 1, 1}, ones, ones, Padding::kValid, {}, &g).ok());
  Tensor image(tenon::DataType::kFloat, {1, 2, 2, 1});
  for (Index i = 0; i < 4; ++i) image.flat<float>()[i] = i == 0 ? std::numeric_limits<float>::quiet_NaN() : -1.0f;
  const Tensor x = gpu.Up(image), f = gpu.Up(Pattern<float>({2, 1, 1, 1}, 0, 1, 1));
  Tensor y = gpu.New(tenon::DataType::kFloat, {1, 1, 2, 1});
  REQUIRE(tenon::Conv2D(device, g, x.data<float>(), f.data<float>(), y.data<float>()).ok());
  CHECK(epilogue.done);
  const Tensor got = gpu.Down(y);
  CHECK(got.flat<float>()[0] != got.flat<float>()[0]);
  CHECK(got.flat<float>()[1] == 0);

  epilogue.done = false;
  const Tensor small = gpu.Up(Pattern<tenon::half>({1, 2, 2, 1}, 0, 1, -1)),
               filter = gpu.Up(Pattern<tenon::half>({2, 1, 1, 1}, 0, 1, 1));
  Tensor sums = gpu.New(tenon::DataType::kHalf, {1, 1, 2, 1});
  REQUIRE(
      tenon::Conv2D(device, g, small.data<tenon::half>(), filter.data<tenon::half>(), sums.data<tenon::half>()).ok());
  CHECK(!epilogue.done);
  CHECK(static_cast<float>(gpu.Down(sums).flat<tenon::half>()[0]) == -2);
}
}  // namespace result_epilogue_test
