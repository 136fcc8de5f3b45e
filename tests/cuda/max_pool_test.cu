// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/max_pool.cuh>

#include <doctest/doctest.h>

#include <cstdint>

#include <cuda/gpu.hpp>
#include <cuda/images.cuh>
#include <tenon/types/numeric.hpp>

namespace max_pool_test {
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
  Index paddings[8] = {};
};
// Channels that fill packs and that do not; windows that overlap, leave gaps and see padding.
const Case kCases[] = {{{2, 6, 5, 16}, {1, 2, 2, 1}, {1, 2, 2, 1}, Padding::kValid},
                       {{1, 7, 7, 3}, {1, 3, 3, 1}, {1, 2, 2, 1}, Padding::kSame},
                       {{2, 5, 9, 8}, {1, 3, 2, 1}, {1, 1, 1, 1}, Padding::kSame},
                       {{1, 8, 8, 4}, {1, 2, 2, 1}, {1, 3, 3, 1}, Padding::kValid},
                       {{1, 4, 4, 2}, {1, 3, 3, 1}, {1, 2, 2, 1}, Padding::kExplicit, {0, 0, 2, 1, 0, 2, 0, 0}},
                       {{3, 2, 3, 12}, {1, 1, 1, 3}, {1, 1, 1, 3}, Padding::kValid}};

template <class T>
void CheckMaxPool(Gpu& gpu, bool channels_first) {
  tenon::Cpu cpu;
  for (const Case& c : kCases) {
    PoolGeometry g;
    tenon::Span<const Index> paddings;
    if (c.padding == Padding::kExplicit) paddings = c.paddings;
    REQUIRE(tenon::MakePoolGeometry(TensorShape(c.input), c.ksize, c.strides, c.padding, paddings, &g).ok());
    const TensorShape shape = g.output_shape();
    CAPTURE(shape.DebugString());
    const auto type = tenon::dtype_of_v<T>;
    const Tensor input = Pattern<T>(TensorShape(c.input), 37, 61, 0), grad = Pattern<T>(shape, 3, 11, 1);
    Tensor wanted(type, shape), wanted_grad(type, TensorShape(c.input)), most(type, shape);
    Tensor places(tenon::DataType::kInt64, shape);
    REQUIRE(tenon::MaxPool(cpu, g, input.data<T>(), wanted.data<T>()).ok());

    g.channels_first = channels_first;
    const Tensor there = gpu.Up(InOrder<T>(input, channels_first)),
                 grad_there = gpu.Up(InOrder<T>(grad, channels_first));
    Tensor out = gpu.New(type, g.output_shape()), dx = gpu.New(type, there.shape());
    Status status = tenon::MaxPool(gpu.cuda(), g, there.data<T>(), out.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(out), channels_first), wanted) == 0);
    if (g.depth_window > 1) continue;

    Tensor places_there = gpu.New(tenon::DataType::kInt64, g.output_shape());
    status = tenon::MaxPoolGradient(gpu.cuda(), g, there.data<T>(), grad_there.data<T>(), out.data<T>(),
                                    places_there.data<std::int64_t>(), dx.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    g.channels_first = false;
    REQUIRE(tenon::MaxPoolGradient(cpu, g, input.data<T>(), grad.data<T>(), most.data<T>(), places.data<std::int64_t>(),
                                   wanted_grad.data<T>())
                .ok());
    CHECK(Differences<T>(ToNhwc<T>(gpu.Down(dx), channels_first), wanted_grad) == 0);
    // The processor's gradient of floats needs no places.
    REQUIRE(tenon::MaxPoolPlaces(cpu, g, input.data<T>(), most.data<T>(), places.data<std::int64_t>()).ok());
    if (!channels_first) CHECK(Differences<std::int64_t>(gpu.Down(places_there), places) == 0);
  }
}

}  // namespace

TEST_CASE("largest values, their places and gradients are the CPU's, in both data formats" *
          doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool channels_first : {false, true}) {
    CAPTURE(channels_first);
    CheckMaxPool<float>(gpu, channels_first);
    CheckMaxPool<tenon::half>(gpu, channels_first);
    CheckMaxPool<std::uint8_t>(gpu, channels_first);
    CheckMaxPool<std::int64_t>(gpu, channels_first);
  }
}

TEST_CASE("places are written as int32 or int64, in an image or in the batch" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor places = gpu.Up(tenon::MakeTensor<std::int64_t>({2, 3}, {4, tenon::kNoPlace, 0, 1, 2, 9}));
  Tensor in_image = gpu.New(tenon::DataType::kInt32, {2, 3}), in_batch = gpu.New(tenon::DataType::kInt64, {2, 3});
  REQUIRE(tenon::WritePlaces(gpu.cuda(), places.data<std::int64_t>(), 2, 3, 10, false, in_image.dtype(),
                             in_image.raw_data())
              .ok());
  REQUIRE(
      tenon::WritePlaces(gpu.cuda(), places.data<std::int64_t>(), 2, 3, 10, true, in_batch.dtype(), in_batch.raw_data())
          .ok());
  CHECK(Differences<std::int32_t>(gpu.Down(in_image), tenon::MakeTensor<std::int32_t>({2, 3}, {4, -1, 0, 1, 2, 9})) ==
        0);
  CHECK(Differences<std::int64_t>(gpu.Down(in_batch),
                                  tenon::MakeTensor<std::int64_t>({2, 3}, {4, -1, 0, 11, 12, 19})) == 0);
}

TEST_CASE("a pool without output starts nothing, with or without a GPU") {
  tenon::Cuda device;
  CHECK(tenon::MaxPool<float>(device, PoolGeometry{}, nullptr, nullptr).ok());
}
}  // namespace max_pool_test
