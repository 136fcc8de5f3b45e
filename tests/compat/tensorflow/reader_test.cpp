// SPDX-License-Identifier: Apache-2.0
// Kernels that call functions, readers of a program's own, kernels by name, callbacks with counted references.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/function_runtime.hpp>
#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>
#include <tenon/compat/tensorflow/graph/session.hpp>
#include <tenon/compat/tensorflow/op_segment.hpp>
#include <tenon/compat/tensorflow/reader.hpp>
#include <tenon/compat/tensorflow/testing/function_testlib.hpp>
#include <tenon/compat/tensorflow/util/reffed_status_callback.hpp>

namespace tensorflow {
namespace compat_reader_test {
namespace fn = test::function;

REGISTER_OP("CrApply").Input("x: float").Output("y: float").Attr("f: func").Attr("on_runner: bool").SetIsStateful();
class ApplyOp : public AsyncOpKernel {
 public:
  explicit ApplyOp(OpKernelConstruction* c) : AsyncOpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("f", &function_));
    OP_REQUIRES_OK(c, c->GetAttr("on_runner", &on_runner_));
    const NameAttrList* same = nullptr;
    OP_REQUIRES_OK(c, c->GetAttr("f", &same));
    OP_REQUIRES(c, same->name() == function_.name(), errors::Internal("another function: ", same->name()));
  }
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    FunctionLibraryRuntime* const functions = context->function_library();
    FunctionLibraryRuntime::Handle handle = kInvalidHandle;
    FunctionLibraryRuntime::InstantiateOptions where;
    where.target = context->device()->name();
    OP_REQUIRES_OK_ASYNC(context,
                         functions->Instantiate(function_.name(), AttrSlice(&function_.attr()), where, &handle), done);
    FunctionLibraryRuntime::Options options(context->step_id());
    options.cancellation_manager = context->cancellation_manager();
    options.step_container = context->step_container();
    if (on_runner_) options.runner = context->runner();
    auto results = std::make_shared<std::vector<Tensor>>();
    functions->Run(options, handle, std::vector<Tensor>{context->input(0)}, results.get(),
                   [context, results, done](const Status& status) {
                     if (status.ok())
                       context->set_output(0, (*results)[0]);
                     else
                       context->SetStatus(status);
                     done();
                   });
  }

 private:
  NameAttrList function_;
  bool on_runner_ = false;
};
REGISTER_KERNEL_BUILDER(Name("CrApply").Device(DEVICE_CPU), ApplyOp);

Status Apply(const char* function, bool on_runner, float* result) {
  const GraphDef graph =
      fn::GDef({fn::NDef("x", "Placeholder", {}, {{"dtype", DT_FLOAT}}),
                fn::NDef("y", "CrApply", {"x"},
                         {{"f", FDH::FunctionRef(function, {{"T", DT_FLOAT}})}, {"on_runner", on_runner}})},
               {fn::XTimesTwo(), fn::XTimesFour()});
  const std::unique_ptr<Session> session(NewSession(SessionOptions()));
  TF_RETURN_IF_ERROR(session->Create(graph));
  std::vector<Tensor> out;
  TF_RETURN_IF_ERROR(session->Run({{"x", Tensor(5.0f)}}, {"y:0"}, {}, &out));
  return *result = out[0].scalar<float>()(), Status();
}

// The characters of the work item, one a record.
class LettersReader : public ReaderBase {
 public:
  LettersReader() : ReaderBase("LettersReader") {}
  Status OnWorkStartedLocked() override { return at_ = 0, Status(); }
  Status ReadLocked(tstring* key, tstring* value, bool* produced, bool* at_end) override {
    if (at_ >= current_work().size()) return *at_end = true, Status();
    *value = std::string(1, current_work()[at_]);
    *key = KeyName(strings::StrCat(at_++));
    return *produced = true, Status();
  }

 private:
  std::size_t at_ = 0;
};
class LettersReaderOp : public ReaderOpKernel {
 public:
  explicit LettersReaderOp(OpKernelConstruction* c) : ReaderOpKernel(c) {
    SetReaderFactory([] { return new LettersReader; });
  }
};
REGISTER_OP("CrLettersReader")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful();
REGISTER_KERNEL_BUILDER(Name("CrLettersReader").Device(DEVICE_CPU), LettersReaderOp);
}  // namespace compat_reader_test
using namespace compat_reader_test;

TEST_SUITE("functions, readers and callbacks for kernels") {
  TEST_CASE("a kernel instantiates a function and runs it") {
    for (const bool on_runner : {false, true}) {
      float result = 0;
      const Status status = Apply("XTimesFour", on_runner, &result);
      CHECK_MESSAGE(status.ok(), status.message());
      CHECK(result == 20);
    }
    float result = 0;
    CHECK(Apply("Missing", false, &result).code() == error::NOT_FOUND);
  }
  TEST_CASE("ReaderReadV2 reads a reader of the program's own") {
    const GraphDef graph =
        fn::GDef({fn::NDef("reader", "CrLettersReader", {}),
                  fn::NDef("queue", "FIFOQueueV2", {}, {{"component_types", DataTypeSlice{DT_STRING}}}),
                  fn::NDef("name", "Placeholder", {}, {{"dtype", DT_STRING}}),
                  fn::NDef("add", "QueueEnqueueV2", {"queue", "name"}, {{"Tcomponents", DataTypeSlice{DT_STRING}}}),
                  fn::NDef("read", "ReaderReadV2", {"reader", "queue"}),
                  fn::NDef("done", "ReaderNumWorkUnitsCompletedV2", {"reader"})});
    const std::unique_ptr<Session> session(NewSession(SessionOptions()));
    REQUIRE(session->Create(graph).ok());
    for (const char* text : {"ab", "c"}) {
      Tensor name(DT_STRING, TensorShape());
      name.scalar<tstring>()() = text;
      REQUIRE(session->Run({{"name", name}}, {}, {"add"}, nullptr).ok());
    }
    std::string keys, values;
    std::vector<Tensor> out;
    for (int i = 0; i < 3; ++i) {
      const Status status = session->Run({}, {"read:0", "read:1"}, {}, &out);
      REQUIRE_MESSAGE(status.ok(), status.message());
      keys += std::string(out[0].scalar<tstring>()()) + " ";
      values += std::string(out[1].scalar<tstring>()());
    }
    CHECK(keys == "ab:0 ab:1 c:0 ");
    CHECK(values == "abc");
    REQUIRE(session->Run({}, {"done:0"}, {}, &out).ok());
    CHECK(out[0].scalar<int64_t>()() == 1);
  }
  TEST_CASE("the position of a reader") {
    class Open : public LettersReader {
     public:
      using ReaderBase::RestoreBaseState;
      using ReaderBase::SaveBaseState;
    };
    const tenon::Ref<Open> reader = tenon::Ref<Open>::Adopt(new Open);
    ReaderBaseState state;
    state.set_work_started(2);
    CHECK(reader->RestoreBaseState(state).code() == error::INVALID_ARGUMENT);
    state.set_work_finished(2);
    state.set_current_work("w");
    CHECK(reader->RestoreBaseState(state).ok());
    ReaderBaseState saved;
    reader->SaveBaseState(&saved);
    CHECK(saved.DebugString() == state.DebugString());
    CHECK(reader->KeyName("k") == "w:k");
  }
  TEST_CASE("OpSegment holds the kernels of sessions") {
    NodeDef node;
    REQUIRE(NodeDefBuilder("n", "Mul").Input("x", 0, DT_FLOAT).Input("y", 0, DT_FLOAT).Finalize(&node).ok());
    const auto make = [&](OpKernel** kernel) {
      Status status;
      *kernel = CreateOpKernel(DEVICE_CPU, nullptr, cpu_allocator(), node, TF_GRAPH_DEF_VERSION, &status).release();
      return status;
    };
    OpSegment kernels;
    OpKernel *first = nullptr, *again = nullptr;
    CHECK(kernels.FindOrCreate("s", "n", &first, make).code() == error::NOT_FOUND);
    kernels.AddHold("s");
    kernels.AddHold("s");
    REQUIRE(kernels.FindOrCreate("s", "n", &first, make).ok());
    kernels.RemoveHold("s");
    CHECK(kernels.FindOrCreate("s", "n", &again, [](OpKernel**) { return errors::Internal("made again"); }).ok());
    CHECK(first == again);
    CHECK(first->input_type(1) == DT_FLOAT);
    kernels.RemoveHold("s");
    CHECK(kernels.FindOrCreate("s", "n", &again, make).code() == error::NOT_FOUND);
  }
  TEST_CASE("ReffedStatusCallback calls with the last reference") {
    int calls = 0;
    Status got;
    auto* const callback = new ReffedStatusCallback([&](const Status& s) {
      ++calls;
      got = s;
    });
    callback->Ref();
    callback->UpdateStatus(errors::Internal("one"));
    callback->Unref();
    CHECK(calls == 0);
    CHECK_FALSE(callback->ok());
    callback->Unref();
    CHECK(calls == 1);
    CHECK(got.code() == error::INTERNAL);
  }
}
}  // namespace tensorflow
