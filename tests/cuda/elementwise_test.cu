// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/elementwise.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace elementwise_test {
using tenon::BroadcastPlan;
using tenon::Index;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;
using tenon::detail::CudaBroadcast;

namespace {

struct Minus {
  template <class T>
  TENON_HD static T map(T a, T b) {
    return a - b;
  }
};
struct Less {
  template <class T>
  TENON_HD static bool map(T a, T b) {
    return a < b;
  }
};
struct Square {
  template <class T>
  TENON_HD static T map(T x) {
    return x * x;
  }
};
struct LeakyRelu {
  struct Attrs {
    float alpha;
  };
  template <class T>
  TENON_HD static T map(T x, const Attrs& attrs) {
    return x > T(0) ? x : static_cast<T>(attrs.alpha) * x;
  }
};

BroadcastPlan Plan(const TensorShape& a, const TensorShape& b) {
  TensorShape out;
  REQUIRE(tenon::BroadcastShape(a, b, &out).ok());
  BroadcastPlan plan;
  REQUIRE(plan.Make(a, b, out).ok());
  return plan;
}

// The elements of a and b that element i of the output is made from, found the slow way.
void LocateSlowly(const TensorShape& a, const TensorShape& b, const TensorShape& out, Index i, Index* at_a,
                  Index* at_b) {
  *at_a = *at_b = 0;
  Index step_a = 1, step_b = 1;
  for (int d = out.dims() - 1; d >= 0; --d) {
    const Index index = i % out.dim_size(d);
    i /= out.dim_size(d);
    const Index size_a = tenon::detail::AlignedDim(a, d, out.dims()),
                size_b = tenon::detail::AlignedDim(b, d, out.dims());
    *at_a += size_a == 1 ? 0 : index * step_a;
    *at_b += size_b == 1 ? 0 : index * step_b;
    step_a *= size_a;
    step_b *= size_b;
  }
}

struct ShapePair {
  TensorShape a, b;
};
std::vector<ShapePair> BroadcastShapes() {
  return {{{}, {}},
          {{7}, {7}},
          {{1000}, {}},
          {{}, {1003}},
          {{6, 8}, {8}},
          {{6, 8}, {6, 1}},
          {{6, 7}, {7}},
          {{5, 1}, {1, 9}},
          {{1, 16}, {12, 1}},
          {{2, 3, 4}, {3, 1}},
          {{4, 1, 8, 1, 16}, {3, 1, 5, 16}},
          {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 4}},
          {{64, 1, 32}, {64, 48, 32}},
          {{3, 0, 2}, {1, 2}}};
}

template <class T>
void CheckMinus(Gpu& gpu) {
  for (const ShapePair& shapes : BroadcastShapes()) {
    CAPTURE(shapes.a.DebugString());
    CAPTURE(shapes.b.DebugString());
    TensorShape out_shape;
    REQUIRE(tenon::BroadcastShape(shapes.a, shapes.b, &out_shape).ok());
    const Tensor a = Pattern<T>(shapes.a, 7, 13, -6), b = Pattern<T>(shapes.b, 5, 11, -4);
    const Tensor a_there = gpu.Up(a), b_there = gpu.Up(b);
    Tensor out_there = gpu.New(tenon::dtype_of_v<T>, out_shape);
    const Status status =
        MapBinary<Minus, T, T>(gpu.cuda(), nullptr, a_there.flat<T>(), b_there.flat<T>(), out_there.flat<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    const Tensor out = gpu.Down(out_there);
    Index wrong = 0;
    for (Index i = 0; i < out.NumElements(); ++i) {
      Index at_a, at_b;
      LocateSlowly(shapes.a, shapes.b, out_shape, i, &at_a, &at_b);
      wrong += !(out.flat<T>()[i] == Minus::map(a.flat<T>()[at_a], b.flat<T>()[at_b]));
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("every unit of the output finds its operands, one by one and in packs") {
  for (const ShapePair& shapes : BroadcastShapes()) {
    CAPTURE(shapes.a.DebugString());
    CAPTURE(shapes.b.DebugString());
    TensorShape out;
    REQUIRE(tenon::BroadcastShape(shapes.a, shapes.b, &out).ok());
    if (out.num_elements() == 0) continue;
    for (const int wanted : {1, 4}) {
      const CudaBroadcast plan(Plan(shapes.a, shapes.b), wanted);
      const bool valid_pack = plan.pack == 1 || plan.pack == wanted;
      CHECK(valid_pack);
      CHECK(static_cast<Index>(plan.units) * plan.pack + plan.rest == out.num_elements());
      for (std::uint32_t u = 0; u < plan.units; ++u) {
        std::uint32_t first_a, first_b;
        plan.Locate(u, &first_a, &first_b);
        for (int i = 0; i < plan.pack; ++i) {
          Index at_a, at_b;
          LocateSlowly(shapes.a, shapes.b, out, static_cast<Index>(u) * plan.pack + i, &at_a, &at_b);
          REQUIRE(at_a == static_cast<Index>(first_a) + (plan.repeat_a ? 0 : i));
          REQUIRE(at_b == static_cast<Index>(first_b) + (plan.repeat_b ? 0 : i));
        }
        if (plan.pack > 1) {  // packs are read from multiples of their size
          REQUIRE((plan.repeat_a || first_a % static_cast<std::uint32_t>(plan.pack) == 0));
          REQUIRE((plan.repeat_b || first_b % static_cast<std::uint32_t>(plan.pack) == 0));
        }
      }
    }
  }
}

TEST_CASE("packs are used where the innermost dimension allows them") {
  CHECK(CudaBroadcast(Plan({100}, {100}), 4).pack == 4);
  CHECK(CudaBroadcast(Plan({101}, {}), 4).pack == 4);
  CHECK(CudaBroadcast(Plan({101}, {}), 4).rest == 1);
  CHECK(CudaBroadcast(Plan({6, 8}, {8}), 4).pack == 4);     // a bias
  CHECK(CudaBroadcast(Plan({6, 8}, {6, 1}), 4).pack == 4);  // one element a row
  CHECK(CudaBroadcast(Plan({6, 7}, {7}), 4).pack == 1);
}

TEST_CASE("more than eight dimensions are refused, with both shapes, before anything runs") {
  tenon::Cuda device;
  std::vector<float> none(1);
  const TensorShape a{2, 1, 2, 1, 2, 1, 2, 1, 2}, b{1, 2, 1, 2, 1, 2, 1, 2, 1}, out{2, 2, 2, 2, 2, 2, 2, 2, 2};
  const Status status =
      MapBinary<Minus, float, float>(device, nullptr, tenon::In<float>(none.data(), 32, &a),
                                     tenon::In<float>(none.data(), 16, &b), tenon::Out<float>(none.data(), 512, &out));
  CHECK(status.code() == tenon::Code::kUnimplemented);
  CHECK(
      status.message() ==
      "Broadcast between [2,1,2,1,2,1,2,1,2] and [1,2,1,2,1,2,1,2,1] is not supported yet: on a GPU at most 8 dimensions may remain when "
      "neighbours that broadcast alike are joined, got 9");
}

TEST_CASE("an output without elements starts nothing, with or without a GPU") {
  tenon::Cuda device;
  const TensorShape empty{0, 3};
  const tenon::In<float> x(nullptr, 0, &empty);
  const tenon::Out<float> y(nullptr, 0, &empty);
  CHECK(MapUnary<Square, float, float>(device, nullptr, x, y).ok());
  CHECK(MapBinary<Minus, float, float>(device, nullptr, x, x, y).ok());
}

TEST_CASE("two operands are broadcast against each other in every element size" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckMinus<float>(gpu);
  CheckMinus<double>(gpu);
  CheckMinus<std::int8_t>(gpu);
  CheckMinus<std::int64_t>(gpu);
  CheckMinus<tenon::half>(gpu);
  CheckMinus<tenon::bfloat16>(gpu);
}

TEST_CASE("the result may have another type than the operands" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor a = Pattern<float>({50, 40}), b = Pattern<float>({40}, 5, 11, -4);
  Tensor out_there = gpu.New(tenon::DataType::kBool, {50, 40});
  const Tensor a_there = gpu.Up(a), b_there = gpu.Up(b);
  REQUIRE(MapBinary<Less, float, bool>(gpu.cuda(), nullptr, a_there.flat<float>(), b_there.flat<float>(),
                                       out_there.flat<bool>())
              .ok());
  const Tensor out = gpu.Down(out_there);
  Index wrong = 0;
  for (Index i = 0; i < 2000; ++i) wrong += out.flat<bool>()[i] != (a.flat<float>()[i] < b.flat<float>()[i % 40]);
  CHECK(wrong == 0);
}

TEST_CASE("one operand, any length, any alignment, also in place, with attrs" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const LeakyRelu::Attrs attrs{0.5f};
  for (const Index n : {Index{1}, Index{3}, Index{4}, Index{1023}, Index{1000000}}) {
    const Tensor x = Pattern<float>({n + 1}, 7, 26, -12);
    Tensor there = gpu.Up(x);
    for (const Index offset : {Index{0}, Index{1}}) {
      const TensorShape shape{n};
      Tensor out_there = gpu.New(tenon::DataType::kFloat, shape);
      const tenon::In<float> in(there.data<float>() + offset, n, &shape);
      REQUIRE(MapUnary<LeakyRelu, float, float>(gpu.cuda(), &attrs, in, out_there.flat<float>()).ok());
      const Tensor out = gpu.Down(out_there);
      Index wrong = 0;
      for (Index i = 0; i < n; ++i) wrong += out.flat<float>()[i] != LeakyRelu::map(x.flat<float>()[i + offset], attrs);
      CHECK(wrong == 0);
    }
    REQUIRE(MapUnary<Square, float, float>(gpu.cuda(), nullptr, static_cast<const Tensor&>(there).flat<float>(),
                                           there.flat<float>())
                .ok());
    const Tensor squares = gpu.Down(there);
    CHECK(squares.flat<float>()[n] == x.flat<float>()[n] * x.flat<float>()[n]);
  }
}

TEST_CASE("outputs of more than 2^31 elements are made in parts" * doctest::skip(WithoutGpu())) {
  constexpr Index kRows = 3, kColumns = (Index{1} << 30) + 8;
  std::size_t free_bytes = 0, all_bytes = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess);
  if (free_bytes < (std::size_t{9} << 30)) {
    MESSAGE("the GPU has too little memory: not tested");
    return;
  }
  Gpu gpu;
  Tensor a = gpu.New(tenon::DataType::kInt8, {kRows, kColumns});
  const Tensor b = gpu.Up(tenon::MakeTensor<std::int8_t>({kRows, 1}, {1, 2, 3}));
  REQUIRE(cudaMemsetAsync(a.raw_data(), 9, a.TotalBytes(), gpu.cuda().stream) == cudaSuccess);
  REQUIRE(MapBinary<Minus, std::int8_t, std::int8_t>(gpu.cuda(), nullptr,
                                                     static_cast<const Tensor&>(a).flat<std::int8_t>(),
                                                     b.flat<std::int8_t>(), a.flat<std::int8_t>())
              .ok());
  for (const Index at : {Index{0}, kColumns - 1, kColumns, 2 * kColumns - 1, 2 * kColumns, 3 * kColumns - 1}) {
    std::int8_t value = 0;
    REQUIRE(gpu.device().Synchronize().ok());
    REQUIRE(cudaMemcpy(&value, a.data<std::int8_t>() + at, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(value == 9 - 1 - at / kColumns);
  }
}
}  // namespace elementwise_test
