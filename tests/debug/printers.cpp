// SPDX-License-Identifier: Apache-2.0
// Values for the debugger's printers; tests/debug/printers_test.py stops at Stop().
#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>

__attribute__((noinline)) void Stop() { asm volatile(""); }

int main() {
  using namespace tenon;
  const Status ok, error = errors::NotFound("no file 'x'");
  const Result<int> result = 7, failed = error;
  const Tensor floats = MakeTensor<float>({2, 3}, {1, 2.5f, 3, 4, 5, 6});
  const Tensor many = Tensor::Zeros<std::int32_t>({1, 2, 3, 4, 5, 6}), none(DataType::kDouble, TensorShape({0}));
  const TensorShape shape({4, 5});
  const PartialTensorShape partial({-1, 3}), unknown;
  const SlimVector<int> list{3, 1, 4};
  const Span<const int> span(list);
  const Owned<int> owned = MakeOwned<int>(9), nothing;
  Stop();
  return ok.ok() && result.ok() && !failed.ok() && floats.dims() + many.dims() + none.dims() + shape.dims() > 0 &&
                 partial.dims() > unknown.dims() && span.size() == 3 && owned != nullptr && nothing == nullptr
             ? 0
             : 1;
}
