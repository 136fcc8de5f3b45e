// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/gemm.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace gemm_test {
using tenon::Index;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

template <class T>
double At(const tenon::In<T, 2>& m, bool transposed, Index i, Index j) {
  return static_cast<double>(static_cast<float>(transposed ? m(j, i) : m(i, j)));
}

// Small whole numbers, so that sums are exact in float; half and bfloat16 round once, at the end.
template <class T>
void CheckProducts(Gpu& gpu, bool tiled) {
  struct Case {
    Index m, k, n;
  };
  for (const Case& c : {Case{1, 1, 1}, Case{2, 3, 4}, Case{17, 33, 15}, Case{64, 128, 96}, Case{3, 0, 5}, Case{0, 4, 5},
                        Case{1, 200, 1}})
    for (const int flags : {0, 1, 2, 3}) {
      const bool transpose_a = (flags & 1) != 0, transpose_b = (flags & 2) != 0;
      CAPTURE(c.m);
      CAPTURE(c.k);
      CAPTURE(c.n);
      CAPTURE(flags);
      const Tensor a = Pattern<T>(transpose_a ? TensorShape{c.k, c.m} : TensorShape{c.m, c.k}, 3, 7, -3);
      const Tensor b = Pattern<T>(transpose_b ? TensorShape{c.n, c.k} : TensorShape{c.k, c.n}, 5, 11, -5);
      const Tensor a_there = gpu.Up(a), b_there = gpu.Up(b);
      Tensor product_there = gpu.New(tenon::dtype_of_v<T>, {c.m, c.n});
      const tenon::In<T, 2> x = a_there.matrix<T>(), y = b_there.matrix<T>();
      const Status status = tiled ? TiledGemm(gpu.cuda(), x, transpose_a, y, transpose_b, product_there.matrix<T>())
                                  : Gemm(gpu.cuda(), x, transpose_a, y, transpose_b, product_there.matrix<T>());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      const Tensor product = gpu.Down(product_there);
      Index wrong = 0;
      for (Index i = 0; i < c.m; ++i)
        for (Index j = 0; j < c.n; ++j) {
          double sum = 0;
          for (Index p = 0; p < c.k; ++p)
            sum += At<T>(a.matrix<T>(), transpose_a, i, p) * At<T>(b.matrix<T>(), transpose_b, p, j);
          wrong += !(product.matrix<T>()(i, j) == static_cast<T>(static_cast<float>(sum)));
        }
      CHECK(wrong == 0);
    }
}

struct Matrix {
  TensorShape shape;
  tenon::In<float, 2> in() const { return {nullptr, shape.begin()}; }
  tenon::Out<float, 2> out() const { return {nullptr, shape.begin()}; }
};

}  // namespace

TEST_CASE("shapes that do not fit are refused before anything runs") {
  tenon::Cuda device;
  const Matrix a{{2, 3}}, b{{4, 5}}, product{{2, 5}};
  CHECK(Gemm(device, a.in(), false, b.in(), false, product.out()).ToString() ==
        "INVALID_ARGUMENT: Gemm: inner dimensions of 'a' and 'b' must agree, got 3 and 4");
  CHECK(Gemm(device, a.in(), true, b.in(), true, product.out()).message() ==
        "Gemm: inner dimensions of 'a' and 'b' must agree, got 2 and 5");
  const Matrix c{{3, 5}};
  CHECK(Gemm(device, a.in(), false, c.in(), false, c.out()).message() ==
        "Gemm: the product of 'a' and 'b' has shape [2,5], not [3,5]");
  CHECK(TiledGemm(device, a.in(), false, c.in(), false, c.out()).message() ==
        "Gemm: the product of 'a' and 'b' has shape [2,5], not [3,5]");
}

TEST_CASE("a product without elements needs no GPU") {
  tenon::Cuda device;
  const Matrix a{{0, 3}}, b{{3, 5}}, product{{0, 5}};
  CHECK(Gemm(device, a.in(), false, b.in(), false, product.out()).ok());
  CHECK(TiledGemm(device, a.in(), false, b.in(), false, product.out()).ok());
}

TEST_CASE("cuBLAS needs a device that holds its handle") {
  tenon::Cuda device;
  const Matrix a{{2, 3}}, b{{3, 5}}, product{{2, 5}};
  const Status status = Gemm(device, a.in(), false, b.in(), false, product.out());
  CHECK(status.code() == tenon::Code::kFailedPrecondition);
  CHECK(status.message() == "Gemm: this Cuda has no library handles; take the one of a CudaDevice, or call TiledGemm");
}

TEST_CASE("cuBLAS's errors become statuses with its own words") {
  CHECK(tenon::CublasStatus(CUBLAS_STATUS_SUCCESS, 0, "x").ok());
  CHECK(tenon::CublasStatus(CUBLAS_STATUS_ALLOC_FAILED, 0, "x").code() == tenon::Code::kResourceExhausted);
  const Status status = tenon::CublasStatus(CUBLAS_STATUS_EXECUTION_FAILED, 0, "cuBLAS cannot multiply");
  CHECK(status.code() == tenon::Code::kInternal);
  CHECK(status.message().starts_with("GPU:0: cuBLAS cannot multiply: "));
  CHECK(status.message().ends_with("(CUBLAS_STATUS_EXECUTION_FAILED)"));
}

TEST_CASE("cuBLAS multiplies row-major matrices of its four types, transposed or not" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckProducts<float>(gpu, false);
  CheckProducts<double>(gpu, false);
  CheckProducts<tenon::half>(gpu, false);
  CheckProducts<tenon::bfloat16>(gpu, false);
}

TEST_CASE("the template multiplies any type" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckProducts<std::int32_t>(gpu, false);  // Gemm calls it
  CheckProducts<float>(gpu, true);
  CheckProducts<tenon::bfloat16>(gpu, true);
}
}  // namespace gemm_test
