// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/add_n.cuh>

#include <doctest/doctest.h>

#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/complex.hpp>

namespace add_n_test {
using tenon::Index;
using tenon::Tensor;

namespace {

template <class T>
void CheckSum(Gpu& gpu, int count, Index n) {
  CAPTURE(count);
  std::vector<Tensor> inputs, there;
  std::vector<const void*> pointers;
  for (int i = 0; i < count; ++i) {
    inputs.push_back(Pattern<T>({n}, 3 + i, 7, -2));
    there.push_back(gpu.Up(inputs.back()));
    pointers.push_back(there.back().raw_data());
  }
  // In place of the first.
  REQUIRE(Accumulate(gpu.cuda(), tenon::FindAdder(gpu.cuda(), tenon::dtype_of_v<T>), {pointers.data(), pointers.size()},
                     there[0].raw_data(), n)
              .ok());
  const Tensor out = gpu.Down(there[0]);
  Index wrong = 0;
  for (Index i = 0; i < n; ++i) {
    T sum = inputs[0].data<T>()[i];
    for (int k = 1; k < count; ++k) sum = static_cast<T>(sum + inputs[static_cast<std::size_t>(k)].data<T>()[i]);
    wrong += !(out.data<T>()[i] == sum);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("any number of tensors is added, in packs and one by one" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const int count : {1, 2, 3, 8, 9, 17}) {
    CheckSum<float>(gpu, count, 103);
    CheckSum<tenon::half>(gpu, count, 64);
    CheckSum<std::int8_t>(gpu, count, 33);
  }
}

TEST_CASE("complex numbers are added, objects are not" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor x = gpu.Up(tenon::MakeTensor<tenon::complex128>({2}, {{1, 2}, {3, 4}})),
               y = gpu.Up(tenon::MakeTensor<tenon::complex128>({2}, {{10, 20}, {30, 40}}));
  Tensor out_there = gpu.New(x.dtype(), {2});
  const void* const inputs[] = {x.raw_data(), y.raw_data()};
  const tenon::CudaAdder adder = tenon::FindAdder(gpu.cuda(), x.dtype());
  REQUIRE(Accumulate(gpu.cuda(), adder, {inputs, 2}, out_there.raw_data(), 2).ok());
  CHECK(gpu.Down(out_there).data<tenon::complex128>()[1] == tenon::complex128(33, 44));
  CHECK_FALSE(tenon::FindAdder(gpu.cuda(), tenon::DataType::kString).has_loops());
}
}  // namespace add_n_test
