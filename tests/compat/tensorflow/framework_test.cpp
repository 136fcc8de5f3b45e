// SPDX-License-Identifier: Apache-2.0
// Devices with threads of their own, numbered workers, memory of arguments.
#define EIGEN_USE_THREADS
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/graph/op_registry.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/kernels/lookup.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/util/rendezvous.hpp>
#include <tenon/compat/tensorflow/threadpool.hpp>

namespace compat_framework_test {
using namespace tensorflow;
namespace {
struct PlacesKernel : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};
REGISTER_OP("CompatPlaces").Input("a: float").Input("b: N * string").Output("o: N * T").Attr("N: int").Attr("T: type");
REGISTER_KERNEL_BUILDER(Name("CompatPlaces").Device(DEVICE_CPU), PlacesKernel);
REGISTER_OP("CompatPreferred").Input("a: float").Input("b: N * string").Attr("N: int").Attr("T: type");
REGISTER_KERNEL_BUILDER(Name("CompatPreferred").Device(DEVICE_CPU).Priority(2), PlacesKernel);
REGISTER_KERNEL_BUILDER(Name("CompatPreferred").Device(DEVICE_GPU).Priority(1), PlacesKernel);
REGISTER_OP("CompatNowhere").Input("a: float").Input("b: N * string").Attr("N: int").Attr("T: type");
REGISTER_KERNEL_BUILDER(Name("CompatPlaces").Device(DEVICE_GPU).HostMemory("b").HostMemory("o"), PlacesKernel);

struct NamedDevice : DeviceBase {
  explicit NamedDevice(const std::string& name) : DeviceBase(nullptr) { mine.set_name(name); }
  Allocator* GetAllocator(AllocatorAttributes) override { return cpu_allocator(); }
  const DeviceAttributes& attributes() const override { return mine; }
  const std::string& name() const override { return mine.name(); }
  DeviceAttributes mine;
};
}  // namespace

TEST_SUITE("TensorFlow's framework") {
  TEST_CASE("A builder of a kernel's description makes the message of its calls") {
    const std::unique_ptr<const KernelDef> def(KernelDefBuilder("CfAny")
                                                   .Device(DEVICE_CPU)
                                                   .TypeConstraint<float>("T")
                                                   .TypeConstraint("U", {DT_INT32, DT_HALF})
                                                   .AttrConstraint("b", true)
                                                   .AttrConstraint("i", {2, 3})
                                                   .AttrConstraint("s", "x")
                                                   .HostMemory("size")
                                                   .Label("other")
                                                   .Priority(2)
                                                   .Build());
    CHECK(def->ShortDebugString() ==
          "op: \"CfAny\" device_type: \"CPU\" constraint { name: \"T\" allowed_values { list { type: DT_FLOAT } } } "
          "constraint { name: \"U\" allowed_values { list { type: DT_INT32 type: DT_HALF } } } "
          "constraint { name: \"b\" allowed_values { list { b: true } } } "
          "constraint { name: \"i\" allowed_values { list { i: 2 i: 3 } } } "
          "constraint { name: \"s\" allowed_values { list { s: \"x\" } } } "
          "host_memory_arg: \"size\" label: \"other\" priority: 2");
    const std::unique_ptr<const KernelDef> plain(KernelDefBuilder("CfAny").Build());
    CHECK(plain->ShortDebugString() == "op: \"CfAny\"");
  }
  TEST_CASE("devices that sources define") {
    NamedDevice device("mine");
    CHECK_FALSE(device.has_eigen_cpu_device());
    OpKernelContext::Params params;
    params.device = &device;
    OpKernelContext context(&params, 0);
    CHECK(context.device()->name() == "mine");
    CHECK(context.device()->attributes().name() == "mine");
    CHECK(context.rendezvous() == nullptr);

    thread::ThreadPool pool(Env::Default(), "test", 4);
    EigenThreadPoolWrapper wrapper(&pool);
    Eigen::ThreadPoolDevice eigen(&wrapper, pool.NumThreads());
    device.set_eigen_cpu_device(&eigen);
    CHECK(device.has_eigen_cpu_device());
    CHECK(device.eigen_cpu_device()->numThreads() == 4);
    for (const int most : {1, 3, 1000}) {
      const ScopedPerThreadMaxParallelism scope(most);
      CHECK(device.eigen_cpu_device()->numThreads() == std::min(most, 4));
    }
  }
  TEST_CASE("workers by number") {
    thread::ThreadPool pool(Env::Default(), "test", 3);
    for (const auto& params :
         {thread::ThreadPool::SchedulingParams::Fixed(7), thread::ThreadPool::SchedulingParams::Adaptive(1000000000)}) {
      std::vector<std::atomic<int>> seen(100);
      std::atomic<int> busy[3] = {};
      std::atomic<bool> is_right = true;
      pool.ParallelForWithWorkerId(100, params, [&](int64_t first, int64_t last, int id) {
        if (id < 0 || id >= 3 || busy[id]++ != 0) is_right = false;
        for (int64_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
        --busy[id];
      });
      CHECK(is_right);
      for (const std::atomic<int>& times : seen) CHECK(times == 1);
    }
    std::set<int> ids;
    std::mutex lock;
    pool.ParallelForWithWorkerId(100, 1000000000, [&](int64_t, int64_t, int id) {
      const std::lock_guard<std::mutex> guard(lock);
      ids.insert(id);
    });
    CHECK(ids.size() == 3);
    pool.ParallelForWithWorkerId(0, 1, [&](int64_t, int64_t, int) { CHECK(false); });
  }
  TEST_CASE("memory of arguments") {
    NodeDef node;
    node.set_name("n");
    node.set_op("CompatPlaces");
    for (const char* input : {"a", "b", "c"}) node.add_input(input);
    AddNodeAttr("N", 2, &node);
    AddNodeAttr("T", DT_FLOAT, &node);
    MemoryTypeVector in, out;
    CHECK(MemoryTypesForNode(OpRegistry::Global(), DEVICE_CPU, node, &in, &out).ok());
    CHECK(in == MemoryTypeVector({DEVICE_MEMORY, HOST_MEMORY, HOST_MEMORY}));  // strings
    NodeDef marked = node;
    AddNodeAttr("_input_hostmem", {0, 7}, &marked);
    AddNodeAttr("_output_hostmem", {1}, &marked);
    CHECK(MemoryTypesForNode(OpRegistry::Global(), DEVICE_CPU, marked, &in, &out).ok());
    CHECK(in == MemoryTypeVector({HOST_MEMORY, HOST_MEMORY, HOST_MEMORY}));
    CHECK(out == MemoryTypeVector({DEVICE_MEMORY, HOST_MEMORY}));
    CHECK(MemoryTypesForNode(OpRegistry::Global(), DEVICE_GPU, node, &in, &out).ok());
    CHECK(in == MemoryTypeVector({DEVICE_MEMORY, HOST_MEMORY, HOST_MEMORY}));
    CHECK(out == MemoryTypeVector({HOST_MEMORY, HOST_MEMORY}));
    PrioritizedDeviceTypeVector types;
    CHECK(SupportedDeviceTypesForNode({DeviceType("XPU"), DEVICE_GPU, DEVICE_CPU}, node, &types).ok());
    REQUIRE(types.size() == 2);
    CHECK(types[0].first == DEVICE_GPU);
    DeviceNameUtils::ParsedName here;
    REQUIRE(DeviceNameUtils::ParseFullName("/job:a/replica:0/task:0/device:CPU:0", &here));
    NodeDef remote = node;
    remote.set_op("CompatNowhere");
    for (const bool is_far : {false, true}) {
      remote.set_device(is_far ? "/job:b/replica:0/task:0" : "/job:a/replica:0/task:0");
      types.clear();
      CHECK(SupportedDeviceTypesForNode({DEVICE_GPU, DEVICE_CPU}, remote, &types, &here).ok());
      CHECK(types.size() == (is_far ? 2 : 0));
    }
    remote.set_op("CompatPreferred");
    types.clear();
    CHECK(SupportedDeviceTypesForNode({DEVICE_GPU, DEVICE_CPU}, remote, &types).ok());
    REQUIRE(types.size() == 2);
    CHECK(types[0].first == DEVICE_CPU);
    CHECK(types[0].second == 2);
    types.clear();
    std::string class_name;
    CHECK(FindKernelDef(DEVICE_CPU, node, nullptr, &class_name).ok());
    CHECK(class_name == "PlacesKernel");
    node.set_op("CompatNoSuchOp");
    CHECK_FALSE(MemoryTypesForNode(OpRegistry::Global(), DEVICE_CPU, node, &in, &out).ok());
    types.clear();
    CHECK(SupportedDeviceTypesForNode({DEVICE_GPU, DEVICE_CPU}, node, &types).ok());
    CHECK(types.size() == 2);
  }
  TEST_CASE("copies of keys") {
    const int64_t number = 5;
    const tstring text = "key";
    CHECK(lookup::SubtleMustCopyIfIntegral(number) == 5);
    CHECK(&lookup::SubtleMustCopyIfIntegral(text) == &text);
  }
}
}  // namespace compat_framework_test
