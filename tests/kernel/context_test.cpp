// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/context.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <tenon/kernel/context_access.hpp>
#include <tenon/kernel/memory_record.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>

#include "any_node.hpp"
#include "base/child_process.hpp"
#include "run_op.hpp"

namespace context_test {
using namespace tenon;

// Calls whatever a test wants of its context; the output is the first input then.
void (*calls)(OpKernelContext*) = nullptr;

struct ContextTestCalls {
  static constexpr auto signature = Op("ContextTestCalls")
                                        .Input("a: float")
                                        .Input("b: float")
                                        .Output("y: float")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel final : OpKernel {
    using OpKernel::OpKernel;
    void Compute(OpKernelContext* context) override {
      calls(context);
      context->set_output(0, context->input(0));
    }
  };
};
TENON_REGISTER(ContextTestCalls);

constexpr auto kMany = Op("ContextTestMany").Attr("N: int").Input("x: float").Output("y: N * float");
constexpr OpView kManyOp = kMany.view();

Tensor Floats(std::initializer_list<float> values) {
  return Tensor::From<float>(values, TensorShape({static_cast<Index>(values.size())}));
}
Result<std::vector<Tensor>> Run(void (*what)(OpKernelContext*), const Tensor& a, const Tensor& b) {
  calls = what;
  return kernel_test::RunOp("ContextTestCalls", {}, {a, b});
}

TEST_SUITE("OpKernelContext") {
  TEST_CASE("the first status counts") {
    OpKernelContext context;
    context.SetStatus(OkStatus());
    context.SetStatus(Status(Code::kAborted, "first"));
    context.SetStatus(Status(Code::kInternal, "second"));
    CHECK(context.status().message() == "first");
    CHECK(context.TakeStatus().code() == Code::kAborted);
    CHECK(context.status().ok());
  }

  TEST_CASE("inputs and outputs that are not there: asked with a Status, or the program ends and says so") {
    const auto calls_all = [](OpKernelContext* context) {
      CHECK(context->has_input(1));
      CHECK_FALSE(context->has_input(2));
      CHECK_FALSE(context->has_input(-1));
      const Tensor* tensor = nullptr;
      CHECK(context->get_input(1, &tensor).ok());
      CHECK(tensor == &context->input(1));
      CHECK_FALSE(context->get_input(2, &tensor).ok());
      for (const int i : {2, -1}) {
        const ChildResult input = RunInChild([&] { (void)context->input(i); });
        CHECK(input.aborted);
        CHECK(
            Contains(input.errors, StrCat("OpKernelContext::input(", i, "): node 'call' (op ContextTestCalls) has 2")));
        CHECK(RunInChild([&] { (void)context->input_dtype(i); }).aborted);
      }
      for (const int i : {1, -1}) {
        const ChildResult output = RunInChild([&] { (void)context->mutable_output(i); });
        CHECK(output.aborted);
        CHECK(Contains(output.errors, StrCat("OpKernelContext::mutable_output(", i, "): node 'call'")));
        CHECK(RunInChild([&] { (void)context->release_output(i); }).aborted);
      }
    };
    CHECK(Run(calls_all, Floats({1.0f}), Floats({2.0f})).ok());
  }

  TEST_CASE("nothing is forwarded from inputs or to outputs that are not there") {
    const auto calls_all = [](OpKernelContext* context) {
      const TensorShape shape = context->input(0).shape();
      Tensor* out = nullptr;
      CHECK_FALSE(context->forward_input_to_output_with_shape(2, 0, shape, &out));
      CHECK_FALSE(context->forward_input_to_output_with_shape(-1, 0, shape, &out));
      CHECK_FALSE(context->forward_input_to_output_with_shape(0, 1, shape, &out));
      CHECK(out == nullptr);
      Tensor temp;
      CHECK(context->forward_input_or_allocate_temp({-1, 2}, DataType::kFloat, shape, &temp).ok());
      CHECK(temp.shape() == shape);
      CHECK_FALSE(temp.SharesBufferWith(context->input(0)));
      CHECK(context->forward_input_or_allocate_temp({0}, DataType::kInt32, shape, &temp).ok());  // another type
      CHECK(temp.dtype() == DataType::kInt32);
      CHECK(context->forward_input_or_allocate_output({7}, 0, shape, &out).ok());
      CHECK(out == context->mutable_output(0));
      CHECK_FALSE(context->forward_input_or_allocate_output({7}, 1, shape, &out).ok());
    };
    CHECK(Run(calls_all, Floats({1.0f}), Floats({2.0f})).ok());
  }

  TEST_CASE("an output gets one tensor, however many outputs there are") {
    for (const int count : {3, 63, 64, 65, 200}) {
      kernel_test::AnyNode<> node(kManyOp, {{"N", AttrValue(std::int64_t{count})}}, {Floats({1.0f})},
                                  std::vector<DataType>(static_cast<std::size_t>(count), DataType::kFloat));
      OpKernelContext& context = node.context;
      const TensorShape shape({1});
      Tensor* out = nullptr;
      const auto again = [&](int i) {
        return StrCat("INTERNAL: allocate_output on same index multiple times. index = ", i, ", kernel=here");
      };
      for (int i = 0; i < count; ++i) CHECK(context.allocate_output(i, shape, &out).ok());
      for (int i = 0; i < count; ++i) CHECK(context.allocate_output(i, shape, &out).ToString() == again(i));
      for (const int i : {0, count - 1}) {
        context.release_output(i);
        context.set_output(i, Floats({2.0f}));
        CHECK(context.allocate_output(i, shape, &out).ToString() == again(i));
        context.release_output(i);
        CHECK(context.allocate_output(i, shape, &out).ok());
      }
      context.Enter(&node.frame);  // another call of the node
      context.release_output(count - 1);
      context.set_output(0, Floats({2.0f}));
      CHECK(context.allocate_output(0, shape, &out).ToString() == again(0));
      for (int i = 1; i < count; ++i) CHECK(context.allocate_output(i, shape, &out).ok());
    }
  }
  TEST_CASE("an output is not set to a tensor whose allocation was refused") {
    const auto sets = [](OpKernelContext* context) {
      context->set_output(0, Tensor(DataType::kFloat, TensorShape({Index{1} << 50})));
    };
    CHECK(Contains(
        Run(sets, Floats({1.0f}), Floats({2.0f})).status().ToString(),
        "RESOURCE_EXHAUSTED: OOM: output 0 was set to a tensor of shape [1125899906842624] and type float that "
        "has no memory; its allocation was refused"));
    const auto by_name = [](OpKernelContext* context) {
      CHECK(context->set_output("y", Tensor(DataType::kFloat, TensorShape({Index{1} << 50}))).code() ==
            Code::kResourceExhausted);
    };
    CHECK_FALSE(Run(by_name, Floats({1.0f}), Floats({2.0f})).ok());
    const auto sets_empty = [](OpKernelContext* context) {
      context->set_output(0, Tensor(DataType::kFloat, TensorShape({0, Index{1} << 50})));
    };
    CHECK(Run(sets_empty, Floats({1.0f}), Floats({2.0f})).ok());
  }
  TEST_CASE("a forwarded output is not allocated again") {
    const auto calls_all = [](OpKernelContext* context) {
      const TensorShape shape = context->input(0).shape();
      Tensor* out = nullptr;
      REQUIRE(context->forward_input_or_allocate_output({0, 1}, 0, shape, &out).ok());
      CHECK(context->allocate_output(0, shape, &out).code() == Code::kInternal);
    };
    CHECK(Run(calls_all, Floats({1.0f}), Floats({2.0f})).ok());
  }
  TEST_CASE("inputs of one shape, as TensorFlow asks it") {
    const auto same = [](OpKernelContext* context) {
      if (!context->ValidateInputsAreSameShape(&context->op_kernel())) CHECK_FALSE(context->status().ok());
    };
    CHECK(Run(same, Floats({1.0f, 2.0f}), Floats({3.0f, 4.0f})).ok());
    CHECK(Run(same, Floats({1.0f}), Floats({2.0f, 3.0f})).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("inputs of one shape, and of two") {
    const auto same = [](OpKernelContext* context) { context->SetStatus(context->ValidateInputsAreSameShape()); };
    CHECK(Run(same, Floats({1.0f, 2.0f}), Floats({3.0f, 4.0f})).ok());
    const Status status = Run(same, Floats({1.0f}), Floats({2.0f, 3.0f})).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(Contains(std::string(status.message()),
                   "Inputs to operation call of type ContextTestCalls must have the same size and shape.  Input 0: [1] "
                   "!= input 1: [2]"));
  }

  TEST_CASE(
      "every output is wanted; memory in the host is the host's; what a node takes is counted when it is asked for") {
    const auto calls_all = [](OpKernelContext* context) {
      CHECK(context->output_required(0));
      CHECK_FALSE(context->output_expects_forwarding(0));
      AllocatorAttributes host;
      host.set_on_host(true);
      Allocator* const device_memory = context->get_allocator({});
      Allocator* const host_memory = context->get_allocator(host);
      REQUIRE(device_memory != nullptr);
      REQUIRE(host_memory != nullptr);
      CHECK_FALSE(context->track_allocations());
      MemoryRecord record;
      context->set_memory_record(&record);
      CHECK(context->track_allocations());
      Tensor temp;
      CHECK(context->allocate_temp(DataType::kFloat, TensorShape({8}), &temp).ok());
      const std::int64_t first = context->temp_memory_allocated();
      CHECK(first >= 32);
      context->record_temp_memory_allocation(100, Floats({1.0f}));
      CHECK(context->temp_memory_allocated() == first + 100);
      context->clear_recorded_memory();
      CHECK(context->temp_memory_allocated() == 0);
      context->set_memory_record(nullptr);
    };
    CHECK(Run(calls_all, Floats({1.0f}), Floats({2.0f})).ok());
  }
}
}  // namespace context_test
