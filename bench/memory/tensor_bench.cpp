// SPDX-License-Identifier: Apache-2.0
// What a Tensor costs: made and dropped (the number is its elements), copied, moved.
#include <memory>
#include <utility>
#include <vector>

#include <tenon/tensor/tensor.hpp>

#include "harness.hpp"

namespace tenon::bench {

// Like std::vector<float>, but that clears its elements: a tensor's are left as they are.
TENON_BENCH(tensor_create, {1, 1024, 1 << 18}) {
  const TensorShape shape{state.arg()};
  state.Peer("new float[n]", [n = static_cast<std::size_t>(state.arg())] {
    const auto block = std::make_unique_for_overwrite<float[]>(n);
    Keep(block);
  });
  for (auto _ : state) {
    const Tensor tensor(DataType::kFloat, shape);
    Keep(tensor);
  }
}

TENON_BENCH(tensor_copy) {
  const Tensor tensor = Tensor::Scalar(1.0f);
  const auto shared = std::make_shared<float>(1.0f);
  state.Peer("std::shared_ptr", [&shared] {
    const std::shared_ptr<float> copy = shared;
    Keep(copy);
  });
  for (auto _ : state) {
    const Tensor copy = tensor;
    Keep(copy);
  }
}

// There and back.
TENON_BENCH(tensor_move) {
  Tensor a = Tensor::Scalar(1.0f), b;
  auto p = std::make_shared<float>(1.0f), q = p;
  q.reset();
  state.Peer("std::shared_ptr", [&p, &q] {
    q = std::move(p);
    Keep(q);
    p = std::move(q);
    Keep(p);
  });
  for (auto _ : state) {
    b = std::move(a);
    Keep(b);
    a = std::move(b);
    Keep(a);
  }
}

}  // namespace tenon::bench
