// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/resize.cuh>

#include <doctest/doctest.h>

#include <cstdint>

#include <cuda/gpu.hpp>
#include <cuda/images.cuh>
#include <tenon/types/numeric.hpp>

namespace resize_test {
using tenon::Index;
using tenon::ResizeAxis;
using tenon::ResizeGeometry;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;
using tenon::detail::ResizeMethod;

namespace {

struct Case {
  Index input[4], rows, columns;
};
const Case kCases[] = {{{2, 4, 5, 3}, 7, 9}, {{1, 9, 8, 4}, 3, 5}, {{2, 1, 6, 16}, 4, 1}, {{1, 5, 5, 2}, 5, 5}};

// Calls check(geometry, shape of the images, shape of the result) for each case and each way to place pixels.
template <class Check>
void ForAll(const Check& check) {
  for (const Case& c : kCases)
    for (const int way : {0, 1, 2}) {
      ResizeGeometry g;
      g.batch = c.input[0];
      g.depth = c.input[3];
      g.align_corners = way == 1;
      g.half_pixel_centers = way == 2;
      g.rows = ResizeAxis(c.input[1], c.rows, g.align_corners);
      g.columns = ResizeAxis(c.input[2], c.columns, g.align_corners);
      CAPTURE(way);
      CAPTURE(c.rows);
      check(g, TensorShape(c.input), TensorShape{g.batch, c.rows, c.columns, g.depth});
    }
}
void IsOk(const Status& status) { REQUIRE_MESSAGE(status.ok(), status.ToString()); }

template <class T>
void CheckResizing(Gpu& gpu) {
  tenon::Cpu cpu;
  ForAll([&](const ResizeGeometry& g, const TensorShape& in, const TensorShape& out) {
    const auto type = tenon::dtype_of_v<T>;
    const Tensor images = Pattern<T>(in, 37, 61, 0), there = gpu.Up(images);
    Tensor linear(tenon::DataType::kFloat, out), nearest(type, out);
    Tensor linear_there = gpu.New(tenon::DataType::kFloat, out), nearest_there = gpu.New(type, out);
    IsOk(ResizeBilinear(cpu, g, type, images.raw_data(), linear.data<float>()));
    IsOk(ResizeBilinear(gpu.cuda(), g, type, there.raw_data(), linear_there.data<float>()));
    const Tensor got = gpu.Down(linear_there);
    Index wrong = 0;  // a GPU multiplies and adds at once
    for (Index i = 0; i < got.NumElements(); ++i) {
      const float difference = got.flat<float>()[i] - linear.flat<float>()[i];
      wrong += !(difference < 1e-4f && difference > -1e-4f);
    }
    CHECK(wrong == 0);
    IsOk(ResizeNearest(cpu, g, sizeof(T), images.raw_data(), nearest.raw_data()));
    IsOk(ResizeNearest(gpu.cuda(), g, sizeof(T), there.raw_data(), nearest_there.raw_data()));
    CHECK(Differences<T>(gpu.Down(nearest_there), nearest) == 0);
  });
}

template <class G, class T>
void CheckGradients(Gpu& gpu, ResizeMethod method) {
  tenon::Cpu cpu;
  ForAll([&](const ResizeGeometry& g, const TensorShape& in, const TensorShape& out) {
    const Tensor grad = Pattern<G>(out, 3, 11, 1), there = gpu.Up(grad);
    Tensor wanted(tenon::dtype_of_v<T>, in), got_there = gpu.New(tenon::dtype_of_v<T>, in);
    IsOk(ResizeGradient(cpu, g, method, grad.data<G>(), wanted.data<T>()));
    IsOk(ResizeGradient(gpu.cuda(), g, method, there.data<G>(), got_there.data<T>()));
    const Tensor got = gpu.Down(got_there);
    Index wrong = 0;
    for (Index i = 0; i < got.NumElements(); ++i) {
      const float difference = static_cast<float>(got.flat<T>()[i]) - static_cast<float>(wanted.flat<T>()[i]);
      wrong += !(difference < 1e-4f && difference > -1e-4f);
    }
    CHECK(wrong == 0);
  });
}

}  // namespace

TEST_CASE("resized images are the CPU's" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckResizing<float>(gpu);
  CheckResizing<double>(gpu);
  CheckResizing<tenon::half>(gpu);
  CheckResizing<std::uint8_t>(gpu);
}

TEST_CASE("gradients of resized images are the CPU's" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckGradients<float, float>(gpu, ResizeMethod::kBilinear);
  CheckGradients<float, double>(gpu, ResizeMethod::kBilinear);
  CheckGradients<std::int32_t, std::int32_t>(gpu, ResizeMethod::kNearest);
  CheckGradients<tenon::half, tenon::half>(gpu, ResizeMethod::kNearest);
}

TEST_CASE("gradients of bicubic images are refused before anything runs") {
  tenon::Cuda device;
  CHECK(
      tenon::ResizeGradient<float, float>(device, ResizeGeometry{}, ResizeMethod::kBicubic, nullptr, nullptr).code() ==
      tenon::Code::kUnimplemented);
}
}  // namespace resize_test
