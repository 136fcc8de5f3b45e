// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/element_copy.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/types/complex.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace move_test {
using namespace tenon;

namespace {

// A tensor whose elements are all different (modulo what the type can hold).
Tensor Numbered(DataType dtype, const TensorShape& shape, int seed) {
  Tensor tensor(dtype, shape);
  const Index n = shape.num_elements();
  if (dtype == DataType::kString) {
    for (Index i = 0; i < n; ++i)
      tensor.data<tstring>()[i] = StrCat("number ", seed, " ", i, i % 3 == 0 ? ", which does not fit inline" : "");
    return tensor;
  }
  auto* bytes = static_cast<unsigned char*>(tensor.raw_data());
  testing::Numbers numbers(static_cast<std::uint64_t>(seed) + 1);
  for (Index i = 0; i < n * SizeOf(dtype); ++i) bytes[i] = static_cast<unsigned char>(numbers.Next());
  return tensor;
}
bool SameElement(const Tensor& a, Index i, const Tensor& b, Index j) {
  if (a.dtype() == DataType::kString) return a.data<tstring>()[i] == b.data<tstring>()[j];
  const Index bytes = SizeOf(a.dtype());
  return std::memcmp(static_cast<const char*>(a.raw_data()) + i * bytes,
                     static_cast<const char*>(b.raw_data()) + j * bytes, static_cast<std::size_t>(bytes)) == 0;
}

// [outer, runs[k]] tensors side by side, compared element by element.
bool ConcatIsRight(Cpu device, DataType dtype, Index outer, const std::vector<Index>& runs) {
  std::vector<Tensor> tensors;
  std::vector<ConcatPart> parts;
  Index row = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    tensors.push_back(Numbered(dtype, {outer, runs[k]}, static_cast<int>(k)));
    row += runs[k];
  }
  for (std::size_t k = 0; k < runs.size(); ++k) parts.push_back({tensors[k].raw_data(), runs[k]});
  Tensor out(dtype, {outer, row});
  Concat(device, MoverOf(dtype), parts, outer, out.raw_data());
  for (Index r = 0; r < outer; ++r) {
    Index column = 0;
    for (std::size_t k = 0; k < runs.size(); column += runs[k++])
      for (Index i = 0; i < runs[k]; ++i)
        if (!SameElement(out, r * row + column + i, tensors[k], r * runs[k] + i)) return false;
  }
  return true;
}

constexpr DataType kSizes[] = {DataType::kUint8,  DataType::kHalf,       DataType::kFloat,
                               DataType::kDouble, DataType::kComplex128, DataType::kString};

}  // namespace

TEST_SUITE("move") {
  TEST_CASE("elements of every size are laid side by side") {
    for (const DataType dtype : kSizes) {
      for (const Index outer : {1, 2, 7, 100}) {
        CHECK(ConcatIsRight({}, dtype, outer, {1}));
        CHECK(ConcatIsRight({}, dtype, outer, {1, 1, 1}));
        CHECK(ConcatIsRight({}, dtype, outer, {2, 0, 4, 1}));
        CHECK(ConcatIsRight({}, dtype, outer, {3, 5, 16}));
        CHECK(ConcatIsRight({}, dtype, outer, {1000, 1, 33}));
        CHECK(ConcatIsRight({}, dtype, outer, {0, 0}));
      }
      CHECK(ConcatIsRight({}, dtype, 0, {4, 2}));
    }
  }

  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    const Cpu device{.pool = &pool};
    for (const DataType dtype : kSizes) {
      CHECK(ConcatIsRight(device, dtype, 1, {30000, 1, 20001, 7}));
      CHECK(ConcatIsRight(device, dtype, 3, {10007, 9001}));
      CHECK(ConcatIsRight(device, dtype, 20011, {1, 2, 1}));
    }
  }

  TEST_CASE("pieces are copied at any step, backwards too") {
    for (const DataType dtype : kSizes) {
      const ElementMover mover = MoverOf(dtype);
      const Tensor from = Numbered(dtype, {600}, 5);
      for (const Index run : {1, 2, 3, 4, 12, 50}) {
        for (const Index step : {run, run + 3, -run, Index{0}}) {
          const Index first = step < 0 ? 300 : 0;
          Tensor to(dtype, {8 * (run + 1)});
          CopyPieces(mover, run, mover.At(from.raw_data(), first), step, to.raw_data(), run + 1, 5);
          bool right = true;
          for (Index i = 0; i < 5; ++i)
            for (Index j = 0; j < run; ++j)
              right = right && SameElement(to, i * (run + 1) + j, from, first + i * step + j);
          CHECK(right);
        }
      }
    }
  }

  TEST_CASE("one element many times, of every size, aligned or not") {
    for (const DataType type :
         {DataType::kInt8, DataType::kHalf, DataType::kFloat, DataType::kDouble, DataType::kComplex128}) {
      const ElementMover mover = MoverOf(type);
      const unsigned char value[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}})
        for (const Index n : {0, 1, 3, 100, 5000}) {
          std::vector<unsigned char> to(static_cast<std::size_t>(n * mover.bytes) + 17, 99), want = to;
          for (std::size_t i = 0; i < static_cast<std::size_t>(n * mover.bytes); ++i)
            want[i + offset] = value[i % static_cast<std::size_t>(mover.bytes)];
          FillRun(mover, value, to.data() + offset, n);
          CHECK(to == want);
        }
    }
  }
  TEST_CASE("a mover knows the size of every element and which are more than bytes") {
    CHECK(MoverOf(DataType::kInt4).bytes == 1);
    CHECK(MoverOf(DataType::kBfloat16).bytes == 2);
    CHECK(MoverOf(DataType::kComplex128).bytes == 16);
    CHECK((MoverOf(DataType::kComplex128).assign == nullptr));
    CHECK(MoverOf(DataType::kString).bytes == sizeof(tstring));
    CHECK((MoverOf(DataType::kString).assign != nullptr));
    CHECK(MoverOf(DataType::kResource).bytes == sizeof(ResourceHandle));
    CHECK((MoverOf(DataType::kResource).assign != nullptr));
    CHECK(MoverOf(DataType::kVariant).bytes == sizeof(Variant));
    CHECK((MoverOf(DataType::kVariant).assign != nullptr));
  }
}
}  // namespace move_test
