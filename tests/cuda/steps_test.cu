// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/steps.cuh>

#include <doctest/doctest.h>

#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace cuda_steps_test {
using tenon::ElementwiseStep;
using tenon::Index;
using tenon::Span;
using tenon::StepInput;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

struct Negate {
  template <class T>
  TENON_HD static T map(const T& x) {
    return -x;
  }
};
struct Scale {
  struct Attrs {
    float alpha;
  };
  template <class T>
  TENON_HD static T map(const T& x, const Attrs& attrs) {
    return x * static_cast<T>(attrs.alpha);
  }
};
struct Plus {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x + y;
  }
};
struct Times {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x * y;
  }
};
using Unary = tenon::StepOps<Negate, Scale>;
using Binary = tenon::StepOps<Plus, Times>;

ElementwiseStep One(int number, int a, float alpha = 0) {
  ElementwiseStep step;
  step.number = number;
  step.a = a;
  step.alpha = alpha;
  return step;
}
ElementwiseStep Two(int number, int a, int b) {
  ElementwiseStep step = One(number, a);
  step.b = b;
  return step;
}
template <class T>
std::vector<T> Run(Gpu& gpu, const std::vector<ElementwiseStep>& steps, const std::vector<Tensor>& inputs,
                   const TensorShape& shape, bool in_place = false) {
  std::vector<Tensor> there;
  for (const Tensor& input : inputs) there.push_back(gpu.Up(input));
  std::vector<StepInput> values;
  for (const Tensor& input : there) values.push_back({input.raw_data(), &input.shape()});
  Tensor out = in_place ? there[0] : gpu.New(tenon::dtype_of_v<T>, shape);
  const tenon::Status status = tenon::RunSteps<T, Unary, Binary>(
      gpu.cuda(), Span(steps.data(), steps.size()), Span(values.data(), values.size()), out.data<T>(), shape);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const Tensor down = gpu.Down(out);
  return {down.data<T>(), down.data<T>() + down.NumElements()};
}
// Where element i of `shape` reads `of`.
Index At(const TensorShape& of, const TensorShape& shape, Index i) {
  Index at = 0, stride = 1;
  for (int d = shape.dims() - 1, o = of.dims() - 1; d >= 0; --d, --o) {
    const Index index = i % shape.dim_size(d);
    i /= shape.dim_size(d);
    if (o < 0) continue;
    if (of.dim_size(o) != 1) at += index * stride;
    stride *= of.dim_size(o);
  }
  return at;
}

template <class T>
void CheckSteps(Gpu& gpu, const TensorShape& a, const TensorShape& b, const TensorShape& shape) {
  const Tensor x = Pattern<T>(a, 7, 13, -6), y = Pattern<T>(b, 5, 11, -4);
  // -x * 0.5 + y, times x
  const std::vector<T> got = Run<T>(gpu, {One(0, 0), One(1, 2, 0.5f), Two(0, 3, 1), Two(1, 4, 0)}, {x, y}, shape);
  Index wrong = 0;
  for (Index i = 0; i < shape.num_elements(); ++i) {
    const T left = x.data<T>()[At(a, shape, i)], right = y.data<T>()[At(b, shape, i)];
    wrong += got[static_cast<std::size_t>(i)] != (-left * T(0.5) + right) * left;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("steps over tensors that broadcast" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckSteps<float>(gpu, {1000}, {1000}, {1000});
  CheckSteps<float>(gpu, {4, 5}, {}, {4, 5});
  CheckSteps<float>(gpu, {4, 5}, {5}, {4, 5});
  CheckSteps<float>(gpu, {4, 5}, {4, 1}, {4, 5});
  CheckSteps<double>(gpu, {4, 1, 6}, {3, 1}, {4, 3, 6});
  CheckSteps<double>(gpu, {2, 3, 4, 5, 1}, {1, 3, 1, 5, 6}, {2, 3, 4, 5, 6});
  CheckSteps<float>(gpu, {}, {}, {});
  CheckSteps<float>(gpu, {0, 3}, {3}, {0, 3});
}
TEST_CASE("in place, and lists that are too long" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor x = Pattern<float>({70});
  std::vector<ElementwiseStep> steps;
  for (int i = 0; i < 32; ++i) steps.push_back(One(0, i));
  const std::vector<float> same = Run<float>(gpu, steps, {x}, {70}, true);
  Index wrong = 0;
  for (Index i = 0; i < 70; ++i) wrong += same[static_cast<std::size_t>(i)] != x.data<float>()[i];
  CHECK(wrong == 0);
  steps.push_back(One(0, 32));
  const StepInput input{x.raw_data(), &x.shape()};
  Tensor out = gpu.New(tenon::DataType::kFloat, {70});
  CHECK(tenon::RunSteps<float, Unary, Binary>(gpu.cuda(), Span(steps.data(), steps.size()), Span(&input, 1),
                                              out.data<float>(), TensorShape{70})
            .code() == tenon::Code::kUnimplemented);
}

}  // namespace cuda_steps_test
