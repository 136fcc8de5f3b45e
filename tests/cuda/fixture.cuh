// SPDX-License-Identifier: Apache-2.0
#pragma once
// A GPU for the tests of engines: tensors go up, come back, and are compared on the host.

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include <cuda/gpu.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cuda_device.cuh>
#include <tenon/engine/core/element_copy.hpp>

// GPU:0; only in tests that are skipped without one.
class Gpu {
 public:
  Gpu() {
    tenon::Result<tenon::Owned<tenon::Device>> made =
        tenon::CudaDevice::Create("/job:localhost/replica:0/task:0/device:GPU:0", 0);
    REQUIRE_MESSAGE(made.ok(), made.status().ToString());
    device_ = *std::move(made);
  }
  tenon::Device& device() { return *device_; }
  tenon::Cuda& cuda() { return *static_cast<tenon::Cuda*>(device_->kernel_device()); }

  tenon::Tensor Up(const tenon::Tensor& host) {
    tenon::Tensor there;
    const tenon::Status status = device_->CopyToDevice(host, &there);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    return there;
  }
  tenon::Tensor Down(const tenon::Tensor& there) {
    tenon::Tensor host;
    const tenon::Status status = device_->CopyToHost(there, tenon::CpuAllocator(), &host);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    return host;
  }
  tenon::Tensor New(tenon::DataType dtype, const tenon::TensorShape& shape) {
    tenon::Tensor there(device_->allocator(), dtype, shape);
    REQUIRE(there.IsInitialized());
    return there;
  }

 private:
  tenon::Owned<tenon::Device> device_;
};

// Elements i * factor % modulus + offset: small numbers, exact in every type.
template <class T>
tenon::Tensor Pattern(const tenon::TensorShape& shape, int factor = 7, int modulus = 13, int offset = -6) {
  tenon::Tensor t(tenon::dtype_of_v<T>, shape);
  tenon::Out<T> elements = t.flat<T>();
  for (tenon::Index i = 0; i < elements.size(); ++i) {
    const tenon::Index number = i % 1000 * factor % modulus + offset;  // integers without a sign take it modulo 2^bits
    if constexpr (std::is_integral_v<T>)
      elements[i] = static_cast<T>(number);
    else
      elements[i] = static_cast<T>(static_cast<float>(number));
  }
  return t;
}

// One type of every size of an element.
inline constexpr tenon::DataType kTypeOfEachSize[] = {tenon::DataType::kInt8, tenon::DataType::kHalf,
                                                      tenon::DataType::kFloat, tenon::DataType::kDouble,
                                                      tenon::DataType::kComplex128};

// Elements of arbitrary bytes.
inline tenon::Tensor Bytes(tenon::DataType type, tenon::Index n, unsigned seed = 31) {
  tenon::Tensor t(type, tenon::TensorShape{n});
  auto* const bytes = static_cast<std::uint8_t*>(t.raw_data());
  for (tenon::Index i = 0; i < n * tenon::MoverOf(type).bytes; ++i)
    bytes[i] = static_cast<std::uint8_t>(static_cast<unsigned>(i) * seed + static_cast<unsigned>(i) / 256);
  return t;
}
// Whether two tensors have the same bytes.
inline bool IsSame(const tenon::Tensor& a, const tenon::Tensor& b) {
  return a.NumElements() == b.NumElements() &&
         (a.NumElements() == 0 ||
          std::memcmp(a.raw_data(), b.raw_data(),
                      static_cast<std::size_t>(a.NumElements() * tenon::MoverOf(a.dtype()).bytes)) == 0);
}
