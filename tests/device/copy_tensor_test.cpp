// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/copy_tensor.hpp>

#include <string>

#include <doctest/doctest.h>

#include <tenon/device/cpu_device.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace copy_tensor_test {
using namespace tenon;

namespace {

std::string trail;  // which ways were taken

class OtherDevice final : public Device {
 public:
  OtherDevice(std::string_view type, std::string name) : Device(std::move(name)), type_(type) {}
  std::string_view type() const override { return type_; }
  Allocator* allocator() const override { return CpuAllocator(); }
  void* kernel_device() override { return this; }
  bool uses_host_memory() const override { return false; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    StrAppend(&trail, "to ", short_name(), " ");
    *to = host.DeepCopy();
    return fails ? errors::Internal("broken") : OkStatus();
  }
  Status CopyToHost(const Tensor& from, Allocator*, Tensor* to) override {
    StrAppend(&trail, "from ", short_name(), " ");
    *to = from.DeepCopy();
    return fails ? errors::Internal("broken") : OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }
  bool fails = false;

 private:
  std::string_view type_;
};

constinit DeviceCopy direct{"COPY_A", "COPY_A",
                            [](Device* src, Device* dst, Allocator*, const Tensor& from, CopyDone done) {
                              StrAppend(&trail, src->short_name(), " direct ", dst->short_name(), " ");
                              done(OkStatus(), from.DeepCopy());
                            }};

struct Fixture {
  CpuDevice cpu{"/device:CPU:0", CpuAllocator(), nullptr}, cpu1{"/device:CPU:1", CpuAllocator(), nullptr};
  OtherDevice a{"COPY_A", "/device:A:0"}, a1{"COPY_A", "/device:A:1"}, b{"COPY_B", "/device:B:0"};
  Fixture() {
    detail::LinkDeviceCopy(&direct);
    detail::LinkDeviceCopy(&direct);
    trail.clear();
  }
  Tensor Copy(TensorPlace src, TensorPlace dst, const Tensor& from, Status* status) {
    int calls = 0;
    Tensor result;
    CopyTensor(src, dst, CpuAllocator(), from, [&](const Status& s, const Tensor& copy) {
      ++calls;
      *status = s;
      result = copy;
    });
    CHECK(calls == 1);
    return result;
  }
};

}  // namespace

TEST_SUITE("CopyTensor") {
  TEST_CASE_FIXTURE(Fixture, "takes the way there is") {
    const Tensor from = MakeTensor<float>({2}, {1, 2});
    struct Case {
      TensorPlace src, dst;
      const char* trail;
    };
    for (const Case& c :
         {Case{{&cpu, false}, {&cpu1, false}, ""}, Case{{&a, true}, {&b, true}, ""},
          Case{{&cpu, false}, {&a, false}, "to A:0 "}, Case{{&a, false}, {&cpu, false}, "from A:0 "},
          Case{{&a, false}, {&a, true}, "from A:0 "}, Case{{&a, false}, {&a1, false}, "A:0 direct A:1 "},
          Case{{&a, false}, {&b, false}, "from A:0 to B:0 "}, Case{{&b, true}, {&a, false}, "to A:0 "}}) {
      trail.clear();
      Status status;
      const Tensor to = Copy(c.src, c.dst, from, &status);
      CHECK(status.ok());
      CHECK(trail == c.trail);
      CHECK(to.vec<float>()(1) == 2);
      CHECK(to.SharesBufferWith(from) == trail.empty());
    }
  }

  TEST_CASE_FIXTURE(Fixture, "texts stay in host memory") {
    const Tensor text = Tensor::Scalar("text");
    Status status;
    CHECK(Copy({&a, true}, {&cpu, false}, text, &status).scalar<tstring>()() == "text");
    CHECK(status.ok());
    (void)Copy({&cpu, false}, {&a, false}, text, &status);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Non-DMA-safe string tensor") == 0);
  }

  TEST_CASE_FIXTURE(Fixture, "errors of either half arrive") {
    const Tensor from = Tensor::Scalar(1.0f);
    Status status;
    b.fails = true;
    (void)Copy({&a, false}, {&b, false}, from, &status);
    CHECK(status == errors::Internal("broken"));
    trail.clear();
    (void)Copy({&b, false}, {&a, false}, from, &status);
    CHECK(status == errors::Internal("broken"));
    CHECK(trail == "from B:0 ");
  }
}
}  // namespace copy_tensor_test
