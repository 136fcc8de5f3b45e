// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/gemm.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace gemm_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

template <class T>
In<T, 2> Matrix(const std::vector<T>& data, Index rows, Index columns) {
  const Index dims[] = {rows, columns};
  return In<T, 2>(data.data(), dims);
}
template <class T>
Out<T, 2> Matrix(std::vector<T>& data, Index rows, Index columns) {
  const Index dims[] = {rows, columns};
  return Out<T, 2>(data.data(), dims);
}

// Compares with sums in double (for integers: exact, modulo 2^64). The error allowed is that of k + 1 roundings of the
// accumulator and one of the result.
template <class T>
bool ProductIsRight(Cpu device, Index m, Index n, Index k, bool transpose_a, bool transpose_b) {
  const std::vector<T> a = RandomVector<T>(m * k, 1 + static_cast<std::uint64_t>(m)),
                       b = RandomVector<T>(k * n, 2 + static_cast<std::uint64_t>(k));
  std::vector<T> c(static_cast<std::size_t>(m * n), testing::FromDouble<T>(77));
  const Status status = Gemm<T>(device, transpose_a ? Matrix(a, k, m) : Matrix(a, m, k), transpose_a,
                                transpose_b ? Matrix(b, n, k) : Matrix(b, k, n), transpose_b, Matrix(c, m, n));
  if (!status.ok()) return false;
  using Accumulator = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      std::complex<double> want(0, 0);
      double size = 0;
      for (Index p = 0; p < k; ++p) {
        const T x = a[static_cast<std::size_t>(transpose_a ? p * m + i : i * k + p)];
        const T y = b[static_cast<std::size_t>(transpose_b ? j * k + p : p * n + j)];
        if constexpr (testing::kIsComplex<T>) {
          want += std::complex<double>(x) * std::complex<double>(y);
          size += std::abs(std::complex<double>(x)) * std::abs(std::complex<double>(y));
        } else {
          want += testing::ToDouble(x) * testing::ToDouble(y);
          size += std::abs(testing::ToDouble(x) * testing::ToDouble(y));
        }
      }
      std::complex<double> got;
      const T value = c[static_cast<std::size_t>(i * n + j)];
      if constexpr (testing::kIsComplex<T>)
        got = std::complex<double>(value);
      else
        got = testing::ToDouble(value);
      const double allowed = static_cast<double>(k + 2) * testing::RoundingUnit<Accumulator>() * size * 2 +
                             testing::RoundingUnit<T>() * std::abs(want) * 1.001;
      if (!(std::abs(got - want) <= allowed)) return false;
    }
  }
  return true;
}

struct Sizes {
  Index m, n, k;
};
constexpr Sizes kSizes[] = {{1, 1, 1},     {1, 10, 48},  {1, 48, 576}, {3, 7, 5},    {4, 100, 33}, {5, 5, 5},
                            {10, 1, 20},   {300, 1, 7},  {2, 3, 300},  {17, 19, 23}, {64, 64, 64}, {13, 128, 70},
                            {128, 13, 70}, {1, 3000, 3}, {40, 2, 600}, {7, 1100, 9}};

}  // namespace

TEST_SUITE("Gemm") {
  TEST_CASE_TEMPLATE("multiplies in every type, each operand plain or transposed", T, float, double, std::int32_t,
                     std::int64_t, std::uint32_t, std::uint8_t, half, bfloat16, complex64, complex128) {
    for (const auto& [m, n, k] : kSizes) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          if constexpr (std::is_same_v<T, std::uint8_t>) {
            if (k > 5) continue;  // the double sums below do not wrap
          }
          CHECK(ProductIsRight<T>(Cpu{}, m, n, k, transpose_a, transpose_b));
        }
      }
    }
  }

  TEST_CASE_TEMPLATE("several threads give the same", T, float, double, std::int32_t, half) {
    ThreadPool pool(3, "test");
    Cpu device{.pool = &pool};
    for (const Sizes s :
         {Sizes{300, 200, 100}, Sizes{50, 2000, 40}, Sizes{1, 3000, 1000}, Sizes{4000, 1, 900}, Sizes{2, 900, 1200}}) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true})
          CHECK(ProductIsRight<T>(device, s.m, s.n, s.k, transpose_a, transpose_b));
      }
    }
  }

  TEST_CASE("an empty inner dimension gives zeros, an empty product nothing") {
    Cpu device;
    std::vector<float> none, c(6, 5.f);
    REQUIRE(Gemm<float>(device, Matrix(std::as_const(none), 2, 0), false, Matrix(std::as_const(none), 0, 3), false,
                        Matrix(c, 2, 3))
                .ok());
    CHECK(c == std::vector<float>(6, 0.f));
    const std::vector<float> b(12, 1.f);
    CHECK(
        Gemm<float>(device, Matrix(std::as_const(none), 0, 4), false, Matrix(b, 4, 3), false, Matrix(none, 0, 3)).ok());
    CHECK(Gemm<float>(device, Matrix(std::as_const(none), 0, 0), false, Matrix(std::as_const(none), 0, 0), true,
                      Matrix(none, 0, 0))
              .ok());
  }

  TEST_CASE("integers wrap around") {
    Cpu device;
    const std::vector<std::int32_t> a(8, std::numeric_limits<std::int32_t>::max()), b(8, 3);
    std::vector<std::int32_t> c(1);
    REQUIRE(Gemm<std::int32_t>(device, Matrix(a, 1, 8), false, Matrix(b, 8, 1), false, Matrix(c, 1, 1)).ok());
    CHECK(c[0] == -24);
  }

  TEST_CASE("half and bfloat16 round only the sum") {
    Cpu device;
    const Index k = 4096;  // in half precision a sum of ones stops at 2048
    const std::vector<half> a(static_cast<std::size_t>(k), half(1.0f)), b = a;
    std::vector<half> c(1);
    REQUIRE(Gemm<half>(device, Matrix(a, 1, k), false, Matrix(b, k, 1), false, Matrix(c, 1, 1)).ok());
    CHECK(static_cast<float>(c[0]) == 4096.0f);
    const std::vector<bfloat16> x(static_cast<std::size_t>(k), bfloat16(1.0f));
    std::vector<bfloat16> y(1);
    REQUIRE(Gemm<bfloat16>(device, Matrix(x, 1, k), false, Matrix(x, k, 1), false, Matrix(y, 1, 1)).ok());
    CHECK(static_cast<float>(y[0]) == 4096.0f);
  }

  TEST_CASE("complex operands are transposed, not conjugated") {
    Cpu device;
    const std::vector<complex64> a = {{1, 2}, {3, 4}}, b = {{0, 1}, {2, 0}};
    std::vector<complex64> c(1);
    REQUIRE(Gemm<complex64>(device, Matrix(a, 2, 1), true, Matrix(b, 1, 2), true, Matrix(c, 1, 1)).ok());
    CHECK(c[0] == complex64(4, 9));
  }

  TEST_CASE("NaN and infinity go through, also where the other operand is zero") {
    Cpu device;
    for (const Index n : {Index{1}, Index{2}, Index{40}}) {
      std::vector<float> a(static_cast<std::size_t>(n * n), 0.f), b(a.size(), 1.f), c(a.size());
      b[0] = std::numeric_limits<float>::infinity();
      REQUIRE(Gemm<float>(device, Matrix(std::as_const(a), n, n), false, Matrix(std::as_const(b), n, n), false,
                          Matrix(c, n, n))
                  .ok());
      CHECK(std::isnan(c[0]));
    }
  }

  TEST_CASE("names the dimensions that disagree") {
    Cpu device;
    const std::vector<float> a(6), b(8);
    std::vector<float> c(4);
    CHECK(Gemm<float>(device, Matrix(a, 2, 3), false, Matrix(b, 4, 2), false, Matrix(c, 2, 2)).ToString() ==
          "INVALID_ARGUMENT: MatMul: inner dimensions of 'a' and 'b' must agree, got 3 and 4");
    CHECK(Gemm<float>(device, Matrix(a, 3, 2), true, Matrix(b, 2, 4), true, Matrix(c, 2, 2)).message() ==
          "MatMul: inner dimensions of 'a' and 'b' must agree, got 3 and 4");
    CHECK(Gemm<float>(device, Matrix(a, 2, 3), false, Matrix(a, 3, 2), false, Matrix(c, 4, 1)).ToString() ==
          "INTERNAL: MatMul: the product has shape [2,2], but its output has [4,1]");
  }

  TEST_CASE("gives scratch memory back, and says so when there is none") {
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    CHECK(ProductIsRight<float>(device, 70, 70, 70, false, false));
    CHECK(ProductIsRight<half>(device, 70, 70, 70, false, false));
    CHECK(allocator.num_allocations() > 0);
    CHECK(allocator.bytes_in_use() == 0);
    CHECK(allocator.num_bad_frees() == 0);
    std::vector<float> a(4900), c(4900);
    allocator.FailAllocations(1);
    const Status status = Gemm<float>(device, Matrix(std::as_const(a), 70, 70), false, Matrix(std::as_const(a), 70, 70),
                                      false, Matrix(c, 70, 70));
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().starts_with("MatMul: OOM when allocating "));
  }
}
}  // namespace gemm_test
