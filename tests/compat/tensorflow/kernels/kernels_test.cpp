// SPDX-License-Identifier: Apache-2.0
// Functors, tables and bases of kernels; contexts, variants and allocators as TensorFlow's tests make them.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/allocator.hpp>
#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/kernels/functors.hpp>
#include <tenon/compat/tensorflow/kernels/lookup.hpp>
#include <tenon/compat/tensorflow/kernels/numeric_op.hpp>
#include <tenon/compat/tensorflow/variant_op_registry.hpp>

namespace compat_kernels_test {
using namespace tensorflow;
namespace {

REGISTER_OP("CkTwice").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
class TwiceOp : public UnaryElementWiseOp<float, TwiceOp> {
 public:
  using UnaryElementWiseOp<float, TwiceOp>::UnaryElementWiseOp;
  void Operate(OpKernelContext*, const Tensor& input, Tensor* output) {
    output->flat<float>() = input.flat<float>() * 2.0f;
  }
};
REGISTER_KERNEL_BUILDER(Name("CkTwice").Device(DEVICE_CPU), TwiceOp);

struct Point {
  int x = 0;
  Tensor t;
  string TypeName() const { return "compat_kernels_test::Point"; }
  void Encode(VariantTensorData* data) const {
    data->set_metadata(x);
    *data->add_tensors() = t;
  }
  bool Decode(const VariantTensorData& data) {
    if (data.tensors_size() != 1) return false;
    t = data.tensors(0);
    return data.get_metadata(&x);
  }
  string DebugString() const { return "point"; }
};
REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Point, "compat_kernels_test::Point");
Status ZerosLike(OpKernelContext*, const Point& in, Point* out) {
  out->t = in.t;
  return OkStatus();
}
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU, Point, ZerosLike);

class Counted : public Allocator {
 public:
  using Allocator::AllocateRaw;
  using Allocator::DeallocateRaw;
  string Name() override { return "counted"; }
  void* AllocateRaw(size_t alignment, size_t num_bytes) override {
    ++live;
    return cpu_allocator()->AllocateRaw(alignment, num_bytes);
  }
  void DeallocateRaw(void* ptr) override {
    --live;
    cpu_allocator()->DeallocateRaw(ptr);
  }
  int live = 0;
};

}  // namespace

TEST_SUITE("kernels of TensorFlow's sources") {
  TEST_CASE("a kernel in a context of its own") {
    NodeDef node;
    REQUIRE(NodeDefBuilder("n", "CkTwice").Input(FakeInput(DT_FLOAT)).Finalize(&node).ok());
    Status status;
    const std::unique_ptr<OpKernel> kernel = CreateOpKernel(DEVICE_CPU, nullptr, cpu_allocator(), node, 0, &status);
    REQUIRE_MESSAGE(status.ok(), status.message());
    CHECK(kernel->name() == "n");
    CHECK(kernel->def().op() == "CkTwice");
    CHECK(&kernel->def() == &kernel->def());
    Tensor x(3.0f);
    const TensorValue inputs[] = {TensorValue(&x)};
    OpKernelContext::Params params;
    params.op_kernel = kernel.get();
    params.inputs = inputs;
    OpKernelContext context(&params);
    kernel->Compute(&context);
    REQUIRE(context.status().ok());
    CHECK(context.mutable_output(0)->scalar<float>()() == 6);
    NodeDef wrong = node;
    wrong.set_op("CkNone");
    CHECK(CreateOpKernel(DEVICE_CPU, nullptr, nullptr, wrong, 0, &status) == nullptr);
    CHECK(status.code() == error::NOT_FOUND);
  }
  TEST_CASE("functors") {
    Tensor t(DT_FLOAT, {3});
    const Eigen::DefaultDevice device;
    functor::SetOneFunctor<Eigen::DefaultDevice, float>()(device, t.flat<float>());
    const Tensor two(2.0f);
    const Tensor copy = tensor::DeepCopy(t);
    functor::DenseUpdate<Eigen::DefaultDevice, float, ADD>()(device, t.flat<float>(), copy.flat<float>());
    CHECK(t.flat<float>()(2) == 2);
    functor::FillFunctor<Eigen::DefaultDevice, float>()(device, t.flat<float>(), two.scalar<float>());
    CHECK(t.flat<float>()(0) == 2);
  }
  TEST_CASE("a table") {
    core::RefCountPtr<lookup::HashTable<tstring, int64>> table(new lookup::HashTable<tstring, int64>(nullptr, nullptr));
    Tensor keys(DT_STRING, {2}), values(DT_INT64, {2}), found(DT_INT64, {2});
    keys.vec<tstring>()(0) = "a";
    keys.vec<tstring>()(1) = "b";
    values.vec<int64>()(0) = 1;
    values.vec<int64>()(1) = 2;
    CHECK(errors::IsFailedPrecondition(table->Find(nullptr, keys, &found, Tensor(int64{-1}))));
    CHECK(table->ImportValues(nullptr, keys, values).ok());
    keys.vec<tstring>()(0) = "c";
    CHECK(table->Find(nullptr, keys, &found, Tensor(int64{-1})).ok());
    CHECK(found.vec<int64>()(0) == -1);
    CHECK(found.vec<int64>()(1) == 2);
    CHECK(table->size() == 2);
    lookup::LookupInterface* const base = table.get();
    CHECK(base->AsInitializable() == table.get());
  }
  TEST_CASE("variants are encoded and decoded") {
    Tensor t(DT_VARIANT, TensorShape());
    Point point;
    point.x = 7;
    point.t = Tensor(2.5f);
    t.scalar<Variant>()() = point;
    TensorProto proto;
    t.AsProtoField(&proto);
    Tensor back;
    REQUIRE(back.FromProto(proto));
    Point read;
    CHECK(back.scalar<Variant>()().MaybeDecodeAndCopy(&read));
    CHECK(read.x == 7);
    Variant variant = back.scalar<Variant>()();
    CHECK(DecodeUnaryVariant(&variant));
    REQUIRE(variant.get<Point>() != nullptr);
    CHECK(variant.get<Point>()->t.scalar<float>()() == 2.5f);
    Variant zeros;
    CHECK(UnaryOpVariant<Eigen::DefaultDevice>(nullptr, ZEROS_LIKE_VARIANT_UNARY_OP, variant, &zeros).ok());
    CHECK(zeros.get<Point>()->x == 0);
    VariantTensorData data;
    variant.Encode(&data);
    std::string bytes;
    CHECK(data.SerializeToString(&bytes));
    VariantTensorData parsed;
    CHECK(parsed.ParseFromString(bytes));
    CHECK(parsed.tensors_size() == 1);
  }
  TEST_CASE("allocators") {
    Counted counted;
    {
      const Tensor t(&counted, DT_DOUBLE, TensorShape({10}));
      CHECK(counted.live == 1);
    }
    CHECK(counted.live == 0);
    Allocator* const cpu = cpu_allocator();
    int* const items = TypedAllocator::Allocate<int>(cpu, 5, {});
    CHECK(reinterpret_cast<std::uintptr_t>(items) % Allocator::kAllocatorAlignment == 0);
    TypedAllocator::Deallocate(cpu, items, 5);
    CHECK(TypedAllocator::Allocate<int>(cpu, static_cast<size_t>(-1) / 4, {}) == nullptr);
  }
}
}  // namespace compat_kernels_test
