// SPDX-License-Identifier: Apache-2.0
// What a Tensor costs: made and dropped (the number is its elements), copied, moved, sliced, forwarded, viewed, copied
// deeply; and arithmetic on shapes.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <tenon/memory/caching_allocator.hpp>
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

// Without the end of the copies, which all come together at last.
TENON_BENCH(tensor_copy_alone) {
  const Tensor tensor = Tensor::Scalar(1.0f);
  alignas(Tensor) unsigned char slot[sizeof(Tensor)];
  std::size_t copies = 0;
  for (auto _ : state) {
    Keep(*new (slot) Tensor(tensor));
    ++copies;
  }
  // The slot's bytes stand for any of the copies.
  for (; copies > 0; --copies) reinterpret_cast<Tensor*>(slot)->~Tensor();
}

// Handles of 16 tensors in turn, as a graph copies them: no count waits for what was just written to it.
TENON_BENCH(tensor_copy_in_turn) {
  std::vector<Tensor> tensors;
  std::vector<std::shared_ptr<float>> shared;
  for (int i = 0; i < 16; ++i) {
    tensors.push_back(Tensor::Scalar(1.0f));
    shared.push_back(std::make_shared<float>(1.0f));
  }
  std::size_t next = 0;
  state.Peer("std::shared_ptr", [&] {
    const std::shared_ptr<float> copy = shared[next++ % 16];
    Keep(copy);
  });
  for (auto _ : state) {
    const Tensor copy = tensors[next++ % 16];
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

// From the cache of a step, as kernels' outputs are; the number is the bytes.
TENON_BENCH(tensor_create_pooled, {64, 4096}) {
  const std::unique_ptr<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(CpuAllocator()));
  cache->SetOwnerThread();
  const TensorShape shape{state.arg() / 4};
  for (auto _ : state) {
    const Tensor tensor(cache.get(), DataType::kFloat, shape);
    Keep(tensor);
  }
  cache->ClearOwnerThread();
}

TENON_BENCH(tensor_slice) {
  const Tensor tensor = Tensor::Zeros<float>({64, 32});
  for (auto _ : state) {
    const Tensor part = tensor.Slice(8, 16);
    Keep(part);
  }
}

// Takes the buffer of a tensor that nobody else has, under another shape; there and back.
TENON_BENCH(tensor_forward) {
  Tensor a = Tensor::Zeros<float>({64, 32}), b;
  const TensorShape there{32, 64}, back{64, 32};
  bool shared = true;
  for (auto _ : state) {
    shared = a.RefCountIsOne() && b.CopyFrom(a, there) && shared;
    a = Tensor();
    shared = b.RefCountIsOne() && a.CopyFrom(b, back) && shared;
    b = Tensor();
  }
  if (!shared) state.Fail(Status(Code::kInternal, "a buffer was not forwarded"));
}

TENON_BENCH(tensor_view) {
  const Tensor tensor = Tensor::Zeros<float>({64, 32});
  for (auto _ : state) {
    const auto view = tensor.matrix<float>();
    Keep(view);
  }
}

// The number is the bytes.
TENON_BENCH(tensor_deep_copy, {4096, 1 << 20, 1 << 24}) {
  const Tensor tensor = Tensor::Zeros<float>({state.arg() / 4});
  const auto bytes = static_cast<std::size_t>(state.arg());
  Tensor target(DataType::kFloat, tensor.shape());
  state.SetBytes(static_cast<double>(bytes));
  state.Peer("memcpy", [&tensor, &target, bytes] {
    std::memcpy(target.raw_data(), tensor.raw_data(), bytes);
    Keep(target);
  });
  for (auto _ : state) {
    const Tensor copy = tensor.DeepCopy();
    Keep(copy);
  }
}

// A shape is copied, a dimension appended, one removed, another changed, the elements counted.
TENON_BENCH(shape_arithmetic) {
  const TensorShape shape{8, 28, 28, 3};
  Index elements = 0;
  for (auto _ : state) {
    TensorShape changed = shape;
    changed.AddDim(5);
    changed.RemoveDim(1);
    changed.set_dim(0, 4);
    elements += changed.num_elements();
    Keep(changed);
  }
  Keep(elements);
}

}  // namespace tenon::bench
