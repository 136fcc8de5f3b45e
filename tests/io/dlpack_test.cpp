// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/dlpack.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>

#include "memory/device_memory.hpp"

namespace dlpack_test {
using namespace tenon;
using dlpack::DLManagedTensor;
using dlpack::DLManagedTensorVersioned;
using tenon::testing::DeviceMemory;

namespace {

bool Has(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }

// A tensor of another framework: float [2, 3] that counts how often it is given back.
struct Foreign {
  alignas(64) float values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensorVersioned managed{};

  Foreign() {
    managed.version = {1, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
    managed.dl_tensor = {values, {dlpack::kDLCPU, 0}, 2, {dlpack::kDLFloat, 32, 1}, shape, strides, 0};
  }
  void Error(std::string_view text) {
    const Status s = FromDLPack(&managed).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK_MESSAGE(Has(s, text), s.message());
    CHECK(StartsWith(s.message(), "FromDLPack: "));
    CHECK(deleted == 0);  // it stays the caller's
  }
};

template <class T>
void RoundTrips(int code, int bits) {
  const Tensor tensor = Tensor::Zeros<T>(TensorShape({2, 3}));
  const Result<DLManagedTensor*> out = ToDLPack(tensor);
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  CHECK((*out)->dl_tensor.dtype.code == code);
  CHECK((*out)->dl_tensor.dtype.bits == bits);
  CHECK((*out)->dl_tensor.dtype.lanes == 1);
  const Result<Tensor> back = FromDLPack(*out);
  REQUIRE_MESSAGE(back.ok(), back.status().message());
  CHECK(back->dtype() == tensor.dtype());
  CHECK(back->shape() == tensor.shape());
  CHECK(back->raw_data() == tensor.raw_data());
}

}  // namespace

TEST_SUITE("FromDLPack") {
  TEST_CASE("a view that gives the tensor back once, with the last Tensor") {
    Foreign foreign;
    {
      Tensor copy;
      {
        const Result<Tensor> t = FromDLPack(&foreign.managed);
        REQUIRE_MESSAGE(t.ok(), t.status().message());
        CHECK(t->raw_data() == foreign.values);
        CHECK(t->shape() == TensorShape({2, 3}));
        CHECK(t->matrix<float>()(1, 2) == 5.0f);
        CHECK(t->HostAccessible());
        CHECK_FALSE(t->RefCountIsOne());  // nobody computes in place
        copy = t->SubSlice(1);
      }
      CHECK(foreign.deleted == 0);
    }
    CHECK(foreign.deleted == 1);
  }
  TEST_CASE("the form before version 1, without a deleter, strides or dimensions") {
    Foreign foreign;
    DLManagedTensor old{foreign.managed.dl_tensor, nullptr, nullptr};
    old.dl_tensor.strides = nullptr;
    CHECK(FromDLPack(&old)->shape() == TensorShape({2, 3}));
    old.dl_tensor.ndim = 0;
    old.dl_tensor.shape = nullptr;
    old.dl_tensor.byte_offset = 8;
    CHECK(FromDLPack(&old)->scalar<float>()() == 2.0f);
  }
  TEST_CASE("strides: packed and row-major, where elements depend on them") {
    Foreign foreign;
    foreign.strides[0] = 4;
    foreign.Error(
        "the tensor of shape [2,3] is not packed in row-major order: dimension 0 has stride 4, and 3 would be "
        "right; make it contiguous first");
    foreign.strides[0] = 1, foreign.strides[1] = 2;
    foreign.Error("dimension 1 has stride 2");
    foreign.strides[0] = -3, foreign.strides[1] = 1;
    foreign.Error("dimension 0 has stride -3");
    foreign.shape[0] = 1;
    CHECK(FromDLPack(&foreign.managed).ok());
    foreign.shape[0] = 0;
    foreign.strides[1] = 77;
    foreign.managed.dl_tensor.data = nullptr;
    foreign.deleted = 0;
    CHECK(FromDLPack(&foreign.managed)->shape() == TensorShape({0, 3}));
    CHECK(foreign.deleted == 1);  // at once: there is no memory to share
  }
  TEST_CASE("what no Tensor can be") {
    CHECK(FromDLPack(static_cast<DLManagedTensor*>(nullptr)).status().code() == Code::kInvalidArgument);
    CHECK(FromDLPack(static_cast<DLManagedTensorVersioned*>(nullptr)).status().code() == Code::kInvalidArgument);
    Foreign foreign;
    auto& t = foreign.managed.dl_tensor;
    const auto right = foreign.managed;
    foreign.managed.version.major = 2;
    foreign.Error("of DLPack version 2.0; version 1 can be read");
    for (const dlpack::DLDataType type : {dlpack::DLDataType{dlpack::kDLFloat, 32, 4},
                                          {dlpack::kDLFloat, 80, 1},
                                          {dlpack::kDLInt, 4, 1},
                                          {dlpack::kDLOpaqueHandle, 64, 1},
                                          {dlpack::kDLFloat4_e2m1fn, 4, 1},
                                          {dlpack::kDLBool, 1, 1},
                                          {99, 8, 1}}) {
      foreign.managed = right;
      t.dtype = type;
      foreign.Error("no dtype has elements of code ");
    }
    foreign.managed = right;
    t.device = {dlpack::kDLCUDA, 1};
    foreign.Error("the tensor is on a device of type 2, number 1; give the allocator of that device");
    CHECK_FALSE(FromDLPack(&foreign.managed, CpuAllocator()).ok());
    foreign.managed = right;
    t.ndim = -1;
    foreign.Error("-1 dimensions");
    t.ndim = 255;
    foreign.Error("255 dimensions");
    t.ndim = 2;
    t.shape = nullptr;
    foreign.Error("2 dimensions without sizes");
    foreign.managed = right;
    foreign.shape[1] = -3;
    foreign.Error("non-negative");
    foreign.shape[0] = std::int64_t{1} << 40, foreign.shape[1] = std::int64_t{1} << 40;
    foreign.Error("overflow");
    foreign.shape[0] = std::int64_t{1} << 62, foreign.shape[1] = 1, foreign.strides[0] = 1;
    foreign.Error("has more bytes than there are addresses");
    foreign.shape[0] = 2, foreign.shape[1] = 3, foreign.strides[0] = 3;
    t.byte_offset = 2;
    foreign.Error("the elements of type float are not at a multiple of 4 bytes");
    t.byte_offset = ~std::uint64_t{0};
    foreign.Error("has no memory: data is not null, byte_offset is 18446744073709551615");
    t.byte_offset = 0;
    t.data = nullptr;
    foreign.Error("has no memory: data is null");
    foreign.managed = right;
    t.dtype = {dlpack::kDLBool, 8, 1};
    t.byte_offset = 6;
    foreign.Error("element 0 is a bool that is neither 0 nor 1");
  }
  TEST_CASE("memory of a device, pinned memory") {
    Foreign foreign;
    DeviceMemory memory;
    foreign.managed.dl_tensor.device = {dlpack::kDLCUDA, 0};
    {
      const Result<Tensor> t = FromDLPack(&foreign.managed, &memory);
      REQUIRE_MESSAGE(t.ok(), t.status().message());
      CHECK_FALSE(t->HostAccessible());
      CHECK_FALSE(ToDLPack(*t).ok());
      const Result<DLManagedTensor*> out = ToDLPack(*t, {dlpack::kDLCUDA, 0});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)->dl_tensor.device.device_type == dlpack::kDLCUDA);
      (*out)->deleter(*out);
    }
    CHECK(foreign.deleted == 1);
    foreign.managed.dl_tensor.device = {dlpack::kDLCUDAHost, 0};
    CHECK(FromDLPack(&foreign.managed)->HostAccessible());
  }
}

TEST_SUITE("ToDLPack") {
  TEST_CASE("every type that DLPack has comes back the same") {
    RoundTrips<float>(2, 32);
    RoundTrips<double>(2, 64);
    RoundTrips<half>(2, 16);
    RoundTrips<bfloat16>(4, 16);
    RoundTrips<std::int8_t>(0, 8);
    RoundTrips<std::int16_t>(0, 16);
    RoundTrips<std::int32_t>(0, 32);
    RoundTrips<std::int64_t>(0, 64);
    RoundTrips<std::uint8_t>(1, 8);
    RoundTrips<std::uint16_t>(1, 16);
    RoundTrips<std::uint32_t>(1, 32);
    RoundTrips<std::uint64_t>(1, 64);
    RoundTrips<bool>(6, 8);
    RoundTrips<complex64>(5, 64);
    RoundTrips<complex128>(5, 128);
    RoundTrips<float8_e4m3b11fnuz>(9, 8);
    RoundTrips<float8_e4m3fn>(10, 8);
    RoundTrips<float8_e4m3fnuz>(11, 8);
    RoundTrips<float8_e5m2>(12, 8);
    RoundTrips<float8_e5m2fnuz>(13, 8);
  }
  TEST_CASE("shares the memory until the deleter is called") {
    Tensor tensor = MakeTensor<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6});
    const Result<DLManagedTensorVersioned*> out = ToDLPackVersioned(tensor, {dlpack::kDLCPU, 0}, true);
    REQUIRE(out.ok());
    CHECK((*out)->version.major == 1);
    CHECK((*out)->flags == dlpack::kFlagReadOnly);
    const dlpack::DLTensor& t = (*out)->dl_tensor;
    CHECK(t.data == tensor.raw_data());
    CHECK(t.ndim == 3);
    CHECK(std::vector<std::int64_t>(t.shape, t.shape + 3) == std::vector<std::int64_t>{2, 1, 3});
    CHECK(std::vector<std::int64_t>(t.strides, t.strides + 3) == std::vector<std::int64_t>{3, 3, 1});
    CHECK_FALSE(tensor.RefCountIsOne());
    (*out)->deleter(*out);
    CHECK(tensor.RefCountIsOne());
  }
  TEST_CASE("what came as read-only goes on as read-only") {
    for (const bool read_only : {false, true}) {
      Foreign foreign;
      foreign.managed.flags = read_only ? dlpack::kFlagReadOnly : 0;
      Result<Tensor> t = FromDLPack(&foreign.managed);
      REQUIRE(t.ok());
      const Tensor part = t->SubSlice(1);
      const Result<DLManagedTensorVersioned*> out = ToDLPackVersioned(part);
      REQUIRE(out.ok());
      CHECK((*out)->flags == foreign.managed.flags);
      (*out)->deleter(*out);
      const Result<DLManagedTensor*> old = ToDLPack(part);
      CHECK(old.ok() != read_only);
      if (old.ok()) (*old)->deleter(*old);
      if (!old.ok()) CHECK(old.status().code() == Code::kFailedPrecondition);
      const Result<DLManagedTensorVersioned*> copy = ToDLPackVersioned(t->DeepCopy());
      REQUIRE(copy.ok());
      CHECK((*copy)->flags == 0);
      (*copy)->deleter(*copy);
    }
  }
  TEST_CASE("a scalar, and no elements at all") {
    const Result<DLManagedTensor*> scalar = ToDLPack(Tensor::Scalar(2.5f));
    REQUIRE(scalar.ok());
    CHECK((*scalar)->dl_tensor.ndim == 0);
    CHECK(FromDLPack(*scalar)->scalar<float>()() == 2.5f);
    const Result<DLManagedTensor*> empty = ToDLPack(Tensor(DataType::kFloat, TensorShape({4, 0})));
    REQUIRE(empty.ok());
    CHECK((*empty)->dl_tensor.data == nullptr);
    CHECK(FromDLPack(*empty)->shape() == TensorShape({4, 0}));
  }
  TEST_CASE("what DLPack has no form for") {
    CHECK(Has(ToDLPack(Tensor::Scalar("text")).status(), "DLPack has no type for elements of type string"));
    CHECK_FALSE(ToDLPack(MakeTensor<int4>({1}, {int4(1)})).ok());
    CHECK(ToDLPack(Tensor(DataType::kFloat, TensorShape({1}), nullptr)).status().code() == Code::kFailedPrecondition);
    CHECK(Has(ToDLPack(Tensor::Scalar(1.0f), {dlpack::kDLCUDA, 0}).status(),
              "the tensor is in memory of the host, and device type 2 (1: CPU, 2: CUDA) is not there"));
  }
}
}  // namespace dlpack_test
