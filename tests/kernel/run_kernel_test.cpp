// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/run_kernel.hpp>

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>
#include <string>

#include <tenon/base/log.hpp>
#include <tenon/op/signature.hpp>

#include "run_op.hpp"

using namespace tenon;

namespace {

constexpr auto kSignature = Op("RkFault").Output("y: float");
constexpr OpView kOp = kSignature.view();

struct Lines : LogSink {
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  std::string text;
};

// A node with one kernel, outside of any session.
template <class Kernel>
struct OneNode {
  OneNode() {
    def.name = "here";
    def.op = "RkFault";
    frame.kernel = &kernel;
    frame.outputs = &output;
    frame.output_escapes = &escapes;
    frame.env = &env;
    env.step_allocator = env.result_allocator = CpuAllocator();
    context.Enter(&frame);
  }
  NodeDef def;
  DataType type = DataType::kFloat;
  OpKernelConstruction construction{&def, &kOp, "CPU", {}, {&type, 1}, CpuAllocator()};
  Kernel kernel{&construction};
  Tensor output{DataType::kInvalid};
  std::uint8_t escapes = 0;
  StepEnvironment env;
  OpKernelContext::NodeFrame frame{};
  OpKernelContext context;
};

enum class Fault { kException, kNoMemory, kNumber };
template <Fault fault>
struct Throws : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {
    if (fault == Fault::kException) throw std::runtime_error("out of luck");
    if (fault == Fault::kNoMemory) throw std::bad_alloc();
    throw 7;
  }
};

enum class Ending { kOnce, kTwice, kThrow, kOnceAndThrow };
template <Ending ending>
struct Async : AsyncOpKernel {
  using AsyncOpKernel::AsyncOpKernel;
  void Compute(OpKernelContext*) override {}
  void ComputeAsync(OpKernelContext*, DoneCallback done) override {
    if (ending != Ending::kThrow) done();
    if (ending == Ending::kTwice) done();
    if (ending == Ending::kThrow || ending == Ending::kOnceAndThrow) throw std::runtime_error("too late");
  }
};
void CountOne(void* count) { ++*static_cast<int*>(count); }

struct AllocatesTwice : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    ctx->SetStatus(ctx->allocate_output(0, {2}, &y));
    ctx->SetStatus(ctx->allocate_output(0, {2}, &y));
  }
};
struct AllocatesAnother : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    ctx->SetStatus(ctx->allocate_output(1, {2}, &y));
  }
};

template <class Kernel>
std::string StatusOf() {
  OneNode<Kernel> node;
  RunKernel(&node.kernel, &node.context);
  return node.context.status().ToString();
}

}  // namespace

TEST_SUITE("RunKernel") {
  TEST_CASE("what a kernel throws is an error that names op and node") {
    CHECK(StatusOf<Throws<Fault::kException>>() ==
          "INTERNAL: the kernel of op 'RkFault' threw out of node 'here': out of luck");
    CHECK(StatusOf<Throws<Fault::kNoMemory>>() ==
          "RESOURCE_EXHAUSTED: the kernel of op 'RkFault' threw out of node 'here': std::bad_alloc: no memory");
    CHECK(StatusOf<Throws<Fault::kNumber>>() ==
          "INTERNAL: the kernel of op 'RkFault' threw out of node 'here': something that is no std::exception");
  }
  TEST_CASE("an output may be allocated once, and must be there") {
    CHECK(StatusOf<AllocatesTwice>() ==
          "INTERNAL: allocate_output on same index multiple times. index = 0, kernel=here");
    CHECK(StatusOf<AllocatesAnother>() == "INTERNAL: allocate_output with bad index=1 kernel=here; it has 1 outputs");
  }
}

TEST_SUITE("StartKernel") {
  TEST_CASE("done is called once, also by a kernel that calls it twice") {
    Lines lines;
    int count = 0;
    OneNode<Async<Ending::kOnce>> once;
    StartKernel(&once.kernel, &once.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(lines.text.empty());
    OneNode<Async<Ending::kTwice>> twice;
    StartKernel(&twice.kernel, &twice.context, {&CountOne, &count});
    CHECK(count == 2);
    CHECK(lines.text == "an asynchronous kernel called its done callback twice; the second call does nothing");
    CHECK(twice.context.status().ok());
  }
  TEST_CASE("an exception ends the call") {
    int count = 0;
    OneNode<Async<Ending::kThrow>> node;
    StartKernel(&node.kernel, &node.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(node.context.status().message() == "the kernel of op 'RkFault' threw out of node 'here': too late");
  }
  TEST_CASE("an exception after the end is only logged") {
    Lines lines;
    int count = 0;
    OneNode<Async<Ending::kOnceAndThrow>> node;
    StartKernel(&node.kernel, &node.context, {&CountOne, &count});
    CHECK(count == 1);
    CHECK(node.context.status().ok());
    CHECK(lines.text == "the kernel of op 'RkFault' threw out of node 'here': too late, after its end");
  }
}

TEST_SUITE("faults of kernels in a session") {
  TEST_CASE("each names op and node") {
    const auto text = [](std::string_view mode) {
      return kernel_test::RunOp("KtFault", {{"mode", std::string(mode)}}, {MakeTensor<float>({2}, {1, 2})})
          .status()
          .ToString();
    };
    CHECK(text("none") == "OK");
    CHECK(text("throw") ==
          "INTERNAL: the kernel of op 'KtFault' threw out of node 'call': asked to [node 'call', CPU:0]");
    CHECK(text("type") ==
          "INTERNAL: Output 0 of type int32 does not match declared output type float for node {{node call}}, op "
          "'KtFault' [node 'call', CPU:0]");
    CHECK(text("late") ==
          "INTERNAL: Missing 0-th output from {{node call}}: the kernel of op 'KtFault' returned without setting it "
          "[node 'call', CPU:0]");
  }
  TEST_CASE("a struct that drops its Done, or calls it twice") {
    const auto dropped = kernel_test::RunOp("KtAsync", {{"mode", 2}}, {MakeTensor<float>({1}, {1})});
    CHECK(dropped.status().ToString() ==
          "INTERNAL: KtAsync: the kernel dropped its Done without calling it [node 'call', CPU:0]");
    Lines lines;
    int count = 0;
    Done done([](void* state, Status) { ++*static_cast<int*>(state); }, &count);
    done();
    done(errors::Internal("again"));
    CHECK(count == 1);
    CHECK(lines.text.find("called its Done twice") != std::string::npos);
  }
}
