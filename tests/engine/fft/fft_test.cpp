// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/fft/fft.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/fft_support.hpp"

namespace fft_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::size_t At(Index i) { return static_cast<std::size_t>(i); }
bool IsInverse(FftKind kind) { return kind == FftKind::kInverse || kind == FftKind::kRealInverse; }

// full: of the transform; more: by how many elements the input is longer.
FftSizes SizesOf(FftKind kind, const std::vector<Index>& full, Index blocks, Index more) {
  FftSizes sizes;
  sizes.dims = static_cast<int>(full.size());
  sizes.blocks = blocks;
  for (std::size_t d = 0; d < full.size(); ++d) {
    const Index half = d + 1 == full.size() ? full[d] / 2 + 1 : full[d];
    sizes.full[d] = full[d];
    sizes.in[d] = (kind == FftKind::kRealInverse ? half : full[d]) + more;
    sizes.out[d] = kind == FftKind::kRealForward ? half : full[d];
  }
  return sizes;
}
Index Product(const Index (&sizes)[FftSizes::kMost], int dims) {
  Index product = 1;
  for (int d = 0; d < dims; ++d) product *= sizes[d];
  return product;
}

// What one block is, complex and of the full sizes: the definition's input, from one row of the input on.
template <class T>
std::vector<LongComplex> WholeBlock(FftKind kind, const FftSizes& s, const T* in) {
  const int last = s.dims - 1;
  const Index n = s.full[last], rows = Product(s.full, s.dims) / n, part = kind == FftKind::kRealForward ? 1 : 2;
  std::vector<LongComplex> x(At(rows * n));
  for (Index r = 0; r < rows; ++r) {
    Index from = 0, rest = r, step = rows;
    for (int d = 0; d < last; ++d) {
      step /= s.full[d];
      from = from * s.in[d] + rest / step;
      rest %= step;
    }
    const T* const row = in + from * s.in[last] * part;
    for (Index i = 0; i < n; ++i) {
      if (kind == FftKind::kRealForward)
        x[At(r * n + i)] = row[i];
      else if (kind != FftKind::kRealInverse || i <= n / 2)
        x[At(r * n + i)] = LongComplex(row[2 * i], row[2 * i + 1]);
    }
  }
  return x;
}
// Dimension d of a block.
void Transform(std::vector<LongComplex>& x, const FftSizes& s, int d, bool inverse, Index used) {
  const Index n = s.full[d];
  Index inner = 1;
  for (int i = d + 1; i < s.dims; ++i) inner *= s.full[i];
  const Dft dft(n, inverse);
  for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
    if (i / inner % n != 0 || (d + 1 < s.dims && i % s.full[s.dims - 1] >= used)) continue;
    std::vector<LongComplex> line;
    for (Index k = 0; k < n; ++k) line.push_back(x[At(i + k * inner)]);
    for (Index k = 0; k < n; ++k) x[At(i + k * inner)] = dft(line, k);
  }
}
// The definition, all bins.
template <class T>
std::vector<LongComplex> Wanted(FftKind kind, const FftSizes& s, const T* in) {
  std::vector<LongComplex> x = WholeBlock(kind, s, in);
  const int last = s.dims - 1;
  const Index n = s.full[last], used = kind == FftKind::kRealInverse ? n / 2 + 1 : n;
  for (int d = 0; d < last; ++d) Transform(x, s, d, IsInverse(kind), used);
  if (kind == FftKind::kRealInverse)
    for (std::size_t row = 0; row < x.size(); row += At(n)) {
      x[row] = x[row].real();
      for (Index k = used; k < n; ++k) x[row + At(k)] = std::conj(x[row + At(n - k)]);
    }
  Transform(x, s, last, IsInverse(kind), n);
  return x;
}

// Runs it with guard elements behind input and output. Empty if all is well, else what is not.
template <class T>
std::vector<T> Output(Cpu device, FftKind kind, const FftSizes& s, const std::vector<T>& in) {
  const Index part = kind == FftKind::kRealInverse ? 1 : 2;
  std::vector<T> out(At(s.blocks * Product(s.out, s.dims) * part + 8), T(77));
  REQUIRE(Fft<T>(device, kind, s, in.data(), out.data(), "FFT").ok());
  CHECK(std::count(out.end() - 8, out.end(), T(77)) == 8);
  out.resize(out.size() - 8);
  return out;
}
template <class T>
std::vector<T> Input(FftKind kind, const FftSizes& s) {
  return FftNumbers<T>(s.blocks * Product(s.in, s.dims) * (kind == FftKind::kRealForward ? 1 : 2));
}

template <class T>
double ErrorOf(Cpu device, FftKind kind, const std::vector<Index>& full, Index blocks = 1, Index more = 0) {
  const FftSizes s = SizesOf(kind, full, blocks, more);
  const std::vector<T> in = Input<T>(kind, s), out = Output<T>(device, kind, s, in);
  const Index in_block = Product(s.in, s.dims) * (kind == FftKind::kRealForward ? 1 : 2);
  const Index n = s.full[s.dims - 1], kept = s.out[s.dims - 1], rows = Product(s.full, s.dims) / n;
  FftError<T> error;
  for (Index b = 0; b < blocks; ++b) {
    const std::vector<LongComplex> want = Wanted<T>(kind, s, in.data() + b * in_block);
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < kept; ++k) {
        const Index place = (b * rows + r) * kept + k;
        if (kind == FftKind::kRealInverse)
          error.Add(out[At(place)], want[At(r * n + k)].real());
        else
          error.Add(LongComplex(out[At(2 * place)], out[At(2 * place + 1)]), want[At(r * n + k)]);
      }
  }
  return error.value();
}
// One line, of which a few bins are looked at.
template <class T>
double ErrorOfSome(Cpu device, FftKind kind, Index n) {
  const FftSizes s = SizesOf(kind, {n}, 1, 0);
  const std::vector<T> in = Input<T>(kind, s), out = Output<T>(device, kind, s, in);
  std::vector<LongComplex> x = WholeBlock(kind, s, in.data());
  if (kind == FftKind::kRealInverse) {
    x[0] = x[0].real();
    for (Index k = n / 2 + 1; k < n; ++k) x[At(k)] = std::conj(x[At(n - k)]);
  }
  const Dft dft(n, IsInverse(kind));
  FftError<T> error;
  for (Index k = 0; k < s.out[0]; k += 1 + s.out[0] / 19) {
    if (kind == FftKind::kRealInverse)
      error.Add(out[At(k)], dft(x, k).real());
    else
      error.Add(LongComplex(out[At(2 * k)], out[At(2 * k + 1)]), dft(x, k));
  }
  return error.value();
}

constexpr FftKind kKinds[] = {FftKind::kForward, FftKind::kInverse, FftKind::kRealForward, FftKind::kRealInverse};

}  // namespace

TEST_SUITE("fft") {
  TEST_CASE_TEMPLATE("every length up to 130, against the definition", T, float, double) {
    for (const FftKind kind : kKinds)
      for (Index n = 1; n <= 130; n += kFewFftSizes ? 7 : 1) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(n);
        CHECK(ErrorOf<T>({}, kind, {n}) < AllowedFftError(n));
      }
  }
  TEST_CASE_TEMPLATE("long lines: powers of two, primes, and numbers of many factors", T, float, double) {
    for (const FftKind kind : kKinds)
      for (const Index n : {256, 257, 360, 512, 1000, 1009, 1024, 2048, 4096, 4410, 5040, 8192, 10007, 16384, 16807,
                            32768, 44100, 65536}) {
        if (kFewFftSizes && n > 1100) continue;
        CAPTURE(static_cast<int>(kind));
        CAPTURE(n);
        CHECK(ErrorOfSome<T>({}, kind, n) < AllowedFftError(n));
      }
  }
  TEST_CASE_TEMPLATE("batches of lines", T, float, double) {
    for (const FftKind kind : kKinds)
      for (const Index n : {1, 2, 3, 4, 7, 8, 15, 16, 33, 37, 64, 75, 143, 256})
        for (const Index blocks : {2, 5, 16, 19, 40}) {
          if (kFewFftSizes && blocks != 5) continue;
          CAPTURE(static_cast<int>(kind));
          CAPTURE(n);
          CAPTURE(blocks);
          CHECK(ErrorOf<T>({}, kind, {n}, blocks) < AllowedFftError(n));
          CHECK(ErrorOf<T>({}, kind, {n}, blocks, 1) < AllowedFftError(n));
        }
  }
  TEST_CASE_TEMPLATE("two and three dimensions, of inputs that are longer or not", T, float, double) {
    for (const FftKind kind : kKinds)
      for (const auto& full : {std::vector<Index>{1, 1},
                               {1, 8},
                               {8, 1},
                               {5, 3},
                               {16, 16},
                               {17, 32},
                               {37, 5},
                               {33, 70},
                               {2, 3, 4},
                               {8, 8, 8},
                               {5, 1, 9},
                               {3, 16, 34}}) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(full[0]);
        CAPTURE(full[1]);
        for (const Index blocks : {1, 3})
          for (const Index more : {0, 1, 2}) {
            if (kFewFftSizes && (blocks != 3 || more != 1)) continue;
            CHECK(ErrorOf<T>({}, kind, full, blocks, more) <
                  AllowedFftError(full[0] * full[1] * (full.size() > 2 ? full[2] : 1)));
          }
      }
  }
  TEST_CASE_TEMPLATE("several threads give the same bits", T, float, double) {
    ThreadPool pool(3, "test");
    const Cpu one, three{.pool = &pool};
    const auto same = [&](FftKind kind, const std::vector<Index>& full, Index blocks) {
      const FftSizes s = SizesOf(kind, full, blocks, 1);
      const std::vector<T> in = Input<T>(kind, s);
      return Output<T>(one, kind, s, in) == Output<T>(three, kind, s, in);
    };
    for (const FftKind kind : kKinds) {
      CAPTURE(static_cast<int>(kind));
      for (const Index n : {65536, 10007, 44100, 44101}) CHECK(same(kind, {n}, 1));
      for (const Index blocks : {2, 3, 100, 1000}) CHECK(same(kind, {256}, blocks));
      CHECK(same(kind, {16}, 5000));
      CHECK(same(kind, {15}, 5000));
      for (const Index blocks : {1, 2, 3, 4, 12}) {
        CHECK(same(kind, {200, 120}, blocks));
        CHECK(same(kind, {17, 20, 33}, blocks));
      }
    }
  }
  TEST_CASE("in place, and real numbers as their halves tell") {
    const FftSizes s = SizesOf(FftKind::kForward, {48}, 20, 0);
    const std::vector<float> x = FftNumbers<float>(2 * 48 * 20);
    std::vector<float> y = x;
    Cpu device;
    REQUIRE(Fft<float>(device, FftKind::kForward, s, y.data(), y.data(), "FFT").ok());
    CHECK(y == Output<float>({}, FftKind::kForward, s, x));
    // The imaginary parts of the first and the middle element are ignored.
    for (const Index n : {2, 16, 64, 1024}) {
      const FftSizes real = SizesOf(FftKind::kRealInverse, {n}, 1, 0);
      std::vector<double> a = FftNumbers<double>(2 * (n / 2 + 1)), b = a;
      b[1] = 5;
      b[At(n + 1)] = 7;
      CHECK(Output<double>({}, FftKind::kRealInverse, real, a) == Output<double>({}, FftKind::kRealInverse, real, b));
    }
  }
  TEST_CASE("memory that is refused is an error") {
    TrackingAllocator allocator(CpuAllocator());
    allocator.FailAllocations(1);
    Cpu device{.allocator = &allocator};
    const FftSizes s = SizesOf(FftKind::kRealInverse, {64, 64}, 1, 0);
    const std::vector<float> x = Input<float>(FftKind::kRealInverse, s);
    std::vector<float> y(64 * 64);
    CHECK(Fft<float>(device, FftKind::kRealInverse, s, x.data(), y.data(), "IRFFT2D").code() ==
          Code::kResourceExhausted);
  }
}
}  // namespace fft_test
