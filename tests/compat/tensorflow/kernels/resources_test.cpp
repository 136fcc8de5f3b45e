// SPDX-License-Identifier: Apache-2.0
// Memory of a program's own for tensors, handles as messages, kernels about resources.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/compat/tensorflow/dma.hpp>
#include <tenon/compat/tensorflow/kernels/functors.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/resource_ops.hpp>
#include <tenon/compat/tensorflow/stream_executor.hpp>
#include <tenon/compat/tensorflow/tensor_buffer.hpp>

namespace compat_resources_test {
using namespace tensorflow;
namespace {

class Numbers : public TensorBuffer {
 public:
  explicit Numbers(int* freed) : TensorBuffer(values_), freed_(freed) {}
  ~Numbers() override { ++*freed_; }
  std::size_t size() const override { return sizeof values_; }
  TensorBuffer* root_buffer() override { return this; }
  void FillAllocationDescription(AllocationDescription* description) const override {
    description->set_allocated_bytes(sizeof values_);
  }

 private:
  alignas(64) float values_[4] = {1, 2, 3, 4};
  int* freed_;
};

class Box : public ResourceBase {
 public:
  explicit Box(int* live) : live_(live) { ++*live_; }
  ~Box() override { --*live_; }
  string DebugString() const override { return "a box"; }

 private:
  int* live_;
};
int live_boxes = 0;

REGISTER_OP("CrMakeBox")
    .Input("make: bool")
    .Output("handle: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("CrHasBox")
    .Input("handle: resource")
    .Output("has: bool")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("CrBoxes")
    .Output("handles: N * resource")
    .Attr("N: int")
    .Attr("containers: list(string)")
    .Attr("shared_names: list(string)")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnknownShape);
REGISTER_OP("CrNothing").SetShapeFn(shape_inference::NoOutputs);

class MakeBoxOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const ResourceHandle handle = MakePerStepResourceHandle<Box>(context, "box");
    if (context->input(0).scalar<bool>()()) {
      Box* box = nullptr;
      OP_REQUIRES_OK(context, context->step_container()->LookupOrCreate<Box>(context->resource_manager(), "box", &box,
                                                                             [](Box** made) {
                                                                               *made = new Box(&live_boxes);
                                                                               return Status();
                                                                             }));
      box->Unref();
      OP_REQUIRES_OK(context, context->step_container()->Lookup<Box>(context->resource_manager(), "box", &box));
      box->Unref();
      std::vector<core::RefCountPtr<Box>> all;
      OP_REQUIRES_OK(context, LookupResources<Box>(context, {handle}, &all));
      OP_REQUIRES(context, all.size() == 1 && all[0] != nullptr, errors::Internal("no box"));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &out));
    out->scalar<ResourceHandle>()() = handle;
  }
};
REGISTER_KERNEL_BUILDER(Name("CrMakeBox").Device(DEVICE_CPU), MakeBoxOp);
REGISTER_KERNEL_BUILDER(Name("CrHasBox").Device(DEVICE_CPU), IsResourceInitialized<Box>);
REGISTER_KERNEL_BUILDER(Name("CrBoxes").Device(DEVICE_CPU), ResourceHandlesOp<Box>);
REGISTER_KERNEL_BUILDER(Name("CrNothing").Device(DEVICE_CPU), NoOp);

}  // namespace

TEST_SUITE("resources of TensorFlow's sources") {
  TEST_CASE("resources are no part of a graph") {
    int live = 0;
    const core::RefCountPtr<Box> box(new Box(&live));
    CHECK(box->AsGraphDef(nullptr, nullptr).message() == "AsGraphDef not implemented for resource a box");
  }
  TEST_CASE("memory of the program's own") {
    int freed = 0;
    {
      core::RefCountPtr<TensorBuffer> buffer(new Numbers(&freed));
      Tensor tensor(DT_FLOAT, TensorShape({2, 2}), buffer.get());
      CHECK(tensor.matrix<float>()(1, 0) == 3);
      CHECK(DMAHelper::buffer(&tensor) == buffer.get());
      CHECK_FALSE(tensor.RefCountIsOne());
      std::size_t bytes = 0;
      CHECK(buffer->GetAllocatedBytes(&bytes));
      CHECK(bytes == 16);
      const TensorReference kept(tensor);
      buffer.reset();
      tensor = Tensor();
      CHECK(freed == 0);
      AllocationDescription description;
      kept.FillDescription(&description);
      CHECK(description.allocated_bytes() == 16);
      kept.Unref();
    }
    CHECK(freed == 1);
    Tensor own(DT_INT32, {3});
    CHECK(DMAHelper::base(&own) == own.data());
    CHECK(DMAHelper::buffer(&own)->size() == 12);
    CHECK(DMAHelper::CanUseDMA(&own));
    core::RefCountPtr<TensorBuffer> held(DMAHelper::buffer(&own));
    held->Ref();
    CHECK_FALSE(own.RefCountIsOne());
    const Tensor none;
    CHECK(DMAHelper::buffer(&none) == nullptr);
  }
  TEST_CASE("tensors as keys, shared pointers as values, no device context") {
    Tensor text(DT_STRING, {2});
    text.flat<tstring>()(1) = "a longer text than a small string has room for";
    std::unordered_map<TensorKey, int> counts;
    ++counts[TensorKey(text)];
    ++counts[TensorKey(text.DeepCopy())];
    ++counts[TensorKey(Tensor(1.5f))];
    CHECK(counts[TensorKey(text)] == 2);
    CHECK(counts.size() == 2);
    CHECK(TensorKey(Tensor(1.5f)) != TensorKey(Tensor(1.5)));
    CHECK_FALSE(TensorKey(Tensor(DT_VARIANT, {1})) == TensorKey(Tensor(DT_VARIANT, {1})));
    const Variant value = SharedPtrVariant<int>(std::make_shared<int>(5));
    const Variant copy = value;
    CHECK(*copy.get<SharedPtrVariant<int>>()->shared_ptr == 5);
    CHECK_FALSE(LogMemory::IsEnabled());
    core::RefCountPtr<DeviceContext> context(new DeviceContext());
    Tensor from(1.0f), to(DT_FLOAT, {});
    CHECK(context->stream() == nullptr);
    stream_executor::StreamExecutor executor;
    se::Stream stream(&executor);
    perftools::gputools::Event event(stream.parent());
    CHECK(event.Init());
    CHECK(stream.ThenRecordEvent(&event).BlockHostUntilDone().ok());
    CHECK(event.PollForStatus() == perftools::gputools::Event::Status::kComplete);
    CHECK(context->CopyCPUTensorToDeviceSync(&from, nullptr, &to).code() == error::INTERNAL);
    CHECK(context->CopyDeviceTensorToCPUSync(&from, "x", nullptr, &to).code() == error::INTERNAL);
  }
  TEST_CASE("handles as messages") {
    ResourceHandle handle;
    handle.set_device("/cpu");
    handle.set_name("n");
    handle.set_hash_code(77);
    handle.set_dtypes_and_shapes({{DT_FLOAT, PartialTensorShape({2, -1})}});
    ResourceHandle copy;
    CHECK(copy.ParseFromString(handle.SerializeAsString()));
    CHECK(copy.hash_code() == 77);
    CHECK(copy.dtypes_and_shapes()[0].shape.DebugString() == "[2,?]");
    CHECK_FALSE(copy.ParseFromString("\xff"));
    ResourceHandleProto proto;
    handle.AsProto(&proto);
    CHECK(ResourceHandle(proto).name() == "n");
    proto.mutable_dtypes_and_shapes(0)->mutable_shape()->mutable_dim(0)->set_size(-5);
    CHECK_FALSE(ResourceHandle::BuildResourceHandle(proto, &copy).ok());
  }
  TEST_CASE("managers: borrowed resources, many at once, deleters") {
    tenon::ResourceMgr base;
    auto& manager = static_cast<ResourceMgr&>(base);
    int live = 0;
    core::RefCountPtr<Box> box(new Box(&live));
    CHECK(manager.CreateUnowned("", "b", box.get()).ok());
    CHECK(manager.CreateUnowned("", "b", box.get()).code() == error::ALREADY_EXISTS);
    const std::string container = "localhost", name = "b", other = "c";
    std::vector<core::RefCountPtr<Box>> found;
    CHECK(manager.LookupMany<Box>({{&container, &name}, {&container, &other}}, &found).ok());
    CHECK(found[0].get() == box.get());
    CHECK(found[1] == nullptr);
    found.clear();
    ResourceHandle handle = tenon::MakeResourceHandle<Box>("/cpu", "localhost", "b");
    {
      Variant value = ResourceDeleter(handle, &manager);
      const Variant copy = value;
      value.clear();
      CHECK(manager.LookupMany<Box>({{&container, &name}}, &found).ok());
      CHECK(found[0] != nullptr);
    }
    found.clear();
    Box* gone = nullptr;
    CHECK(manager.Lookup<Box>("", "b", &gone).code() == error::NOT_FOUND);
    CHECK(live == 1);
    box.reset();
    CHECK(live == 0);
    core::RefCountPtr<Var> variable(new Var(DT_FLOAT));
    variable->mu()->lock();
    variable->Ref();
    {
      const ScopedUnlockUnrefVar unlock(variable.get());
    }
    CHECK(variable->mu()->try_lock());
    variable->mu()->unlock();
    variable->is_initialized = true;
    variable->Uninitialize();
    CHECK_FALSE(variable->is_initialized);
  }
  TEST_CASE("kernels about resources, resources of one run") {
    tenon::GraphBuilder b;
    const tenon::Output make = b.Placeholder("make", tenon::DataType::kBool);
    b.Add("CrHasBox", "has", {b.Add("CrMakeBox", "box", {make})});
    b.Add("CrBoxes", "two", {},
          {{"N", 2},
           {"containers", std::vector<std::string>{"", "c"}},
           {"shared_names", std::vector<std::string>{"x", "y"}}});
    b.Add("CrBoxes", "odd", {},
          {{"N", 1},
           {"containers", std::vector<std::string>{"", "c"}},
           {"shared_names", std::vector<std::string>{"x", "y"}}});
    b.Add("CrNothing", "nothing", {});
    auto session = tenon::Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (const bool made : {true, false}) {
      const auto out = session->Run({{"make", tenon::Tensor::Scalar(made)}}, {"has"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK(*(*out)[0].data<bool>() == made);
      CHECK(live_boxes == 0);
    }
    const auto two = session->Run({}, {"two:1"}, {"nothing"});
    REQUIRE_MESSAGE(two.ok(), two.status().message());
    CHECK((*two)[0].data<tenon::ResourceHandle>()->container == "c");
    CHECK(session->Run({}, {"odd"}).status().code() == tenon::Code::kInvalidArgument);
  }
}
}  // namespace compat_resources_test
