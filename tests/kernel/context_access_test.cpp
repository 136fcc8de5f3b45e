// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/context_access.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/log.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "any_node.hpp"

namespace context_access_test {
using namespace tenon;
using kernel_test::AnyNode;

namespace {

constexpr auto kMixed = Op("CaMixed")
                            .Input("x: float")
                            .Input("list: N * int32")
                            .Output("y: float")
                            .Output("ys: N * float")
                            .Attr("N: int >= 0");
constexpr OpView kMixedOp = kMixed.view();
constexpr auto kRefs = Op("CaRefs").Input("v: Ref(float)").Input("x: float").Output("w: Ref(float)").Output("y: float");
constexpr OpView kRefsOp = kRefs.view();

struct Mixed : AnyNode<> {
  Mixed()
      : AnyNode(
            kMixedOp, {{"N", AttrValue(std::int64_t{2})}},
            {MakeTensor<float>({2}, {1, 2}), MakeTensor<std::int32_t>({1}, {3}), MakeTensor<std::int32_t>({1}, {4})},
            {DataType::kFloat, DataType::kFloat, DataType::kFloat}) {}
};

struct Refs : AnyNode<> {
  explicit Refs(Ref<LegacyVar> to)
      : AnyNode(kRefsOp, {}, {RefTo(to), MakeTensor<float>({1}, {9})},
                {MakeRefType(DataType::kFloat), DataType::kFloat}),
        variable(std::move(to)) {}
  Ref<LegacyVar> variable;
};
Ref<LegacyVar> NewVariable() {
  Ref<LegacyVar> variable = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat));
  variable->tensor = MakeTensor<float>({2}, {5, 6});
  return variable;
}

struct Lines : LogSink {
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  std::string text;
};

}  // namespace

TEST_SUITE("OpKernelContext: inputs and outputs by name") {
  TEST_CASE("numbers, memory types and what traces show") {
    Mixed node;
    int i = -1;
    CHECK(node.context.get_input_index("x", &i).ok());
    CHECK(i == 0);
    CHECK(node.context.get_output_index("y", &i).ok());
    CHECK(i == 0);
    CHECK(node.context.get_input_index("list", &i).message() ==
          "OpKernel used list-valued input name 'list' when single-valued input was expected");
    CHECK(node.context.get_output_index("z", &i).message() == "Unknown output name: z");
    const OpKernel& kernel = node.context.op_kernel();
    CHECK(kernel.input_memory_types().size() == 3);
    CHECK(kernel.output_memory_types().size() == 3);
    CHECK(kernel.input_memory_types()[0] == MemoryType::kDevice);
    CHECK(kernel.TraceString(node.context, false) == StrCat(kernel.name(), ":CaMixed"));
    CHECK(kernel.TraceString(node.context, true) ==
          StrCat(kernel.name(), ":CaMixed#shape=(float[2];int32[1];int32[1])#"));
    CHECK(node.context.frame_iter() == FrameAndIter{0, 0});
  }
  TEST_CASE("a kernel says what its node is") {
    Mixed node;
    const OpKernel& kernel = node.context.op_kernel();
    CHECK(kernel.name() == "here");
    CHECK(kernel.type_string() == "CaMixed");
    CHECK(kernel.requested_device().empty());
    CHECK(kernel.const_tensor() == nullptr);
    CHECK(kernel.IsExpensive());
    CHECK(!kernel.is_deferred());
    int start = -1, stop = -1;
    REQUIRE(kernel.InputRange("list", &start, &stop).ok());
    CHECK(start == 1);
    CHECK(stop == 3);
    REQUIRE(kernel.OutputRange("y", &start, &stop).ok());
    CHECK(start == 0);
    CHECK(stop == 1);
    CHECK(kernel.InputRange("y", &start, &stop).message() == "Unknown input name: y");
    CHECK(kernel.OutputRange("list", &start, &stop).code() == Code::kInvalidArgument);
    CHECK(node.context.step_id() == 0);
    node.env.step_id = 12;
    CHECK(node.context.step_id() == 12);
    CHECK(!node.context.is_input_dead());
  }
  TEST_CASE("lists have their tensors, in order") {
    Mixed node;
    OpInputList list;
    REQUIRE(node.context.input_list("list", &list).ok());
    CHECK(list.size() == 2);
    std::int32_t sum = 0;
    for (const Tensor& t : list) sum = 10 * sum + t.flat<std::int32_t>()(0);
    CHECK(sum == 34);
    OpOutputList outputs;
    REQUIRE(node.context.output_list("ys", &outputs).ok());
    CHECK(outputs.size() == 2);
    CHECK(outputs.expected_output_dtype(1) == DataType::kFloat);
    CHECK(outputs.required(0));
    Tensor* y = nullptr;
    REQUIRE(outputs.allocate(1, TensorShape{3}, &y).ok());
    CHECK(y == outputs[1]);
    CHECK(node.outputs[2].NumElements() == 3);
    outputs.set(0, MakeTensor<float>({1}, {7}));
    CHECK(node.outputs[1].flat<float>()(0) == 7);
    CHECK(node.context.input_list("nothing", &list).message() == "Unknown input name: nothing");
    CHECK(node.context.output_list("x", &outputs).message() == "Unknown output name: x");
  }
  TEST_CASE("single tensors") {
    Mixed node;
    DataType dtype = DataType::kInvalid;
    REQUIRE(node.context.input_dtype("x", &dtype).ok());
    CHECK(dtype == DataType::kFloat);
    Refs refs(NewVariable());
    REQUIRE(refs.context.input_dtype("v", &dtype).ok());
    CHECK(dtype == MakeRefType(DataType::kFloat));
    CHECK(refs.context.input_dtype(0) == dtype);
    CHECK(node.context.input_dtype("list", &dtype).message() ==
          "OpKernel used list-valued input name 'list' when single-valued input was expected");
    const Tensor* x = nullptr;
    REQUIRE(node.context.get_input(0, &x).ok());
    CHECK(x == &node.inputs[0]);
    const Status beyond = node.context.get_input(3, &x);
    CHECK(beyond.code() == Code::kInvalidArgument);
    CHECK(beyond.message().find("Given index was 3, but index of input must be greater than 0") == 0);
    Tensor* y = nullptr;
    REQUIRE(node.context.mutable_output("y", &y).ok());
    CHECK(y == &node.outputs[0]);
    CHECK(!node.context.input_alloc_attr(0).on_host());
    CHECK(!node.context.output_alloc_attr(0).on_host());
  }
  TEST_CASE("MatchSignature compares types") {
    Mixed node;
    const DataType in[] = {DataType::kFloat, DataType::kInt32, DataType::kInt32};
    const DataType out[] = {DataType::kFloat, DataType::kFloat, DataType::kFloat};
    CHECK(node.context.MatchSignature(in, out).ok());
    CHECK(node.construction->MatchSignature(in, out).ok());
    CHECK(node.context
              .MatchSignature({DataType::kFloat, DataType::kInt32, DataType::kInt32},
                              {DataType::kFloat, DataType::kFloat, DataType::kFloat})
              .ok());
    const std::vector<DataType> types(in, in + 3);
    CHECK(node.context.MatchSignature(types, {DataType::kFloat, DataType::kFloat, DataType::kFloat}).ok());
    CHECK(node.construction->MatchSignature(types, {}).ToString() ==
          "INVALID_ARGUMENT: Signature mismatch, have: float, int32, int32->float, float, float expected: float, "
          "int32, int32->");
    CHECK(node.construction->MatchSignature({}, {DataType::kFloat}).code() == Code::kInvalidArgument);
    CHECK(node.context.MatchSignature({in, 2}, out).ToString() ==
          "INVALID_ARGUMENT: Signature mismatch, have: float, int32, int32->float, float, float expected: float, "
          "int32->float, float, float");
    Refs refs(NewVariable());
    CHECK(refs.construction
              ->MatchSignature({{DataType::kFloat, DataType::kFloat}},
                               {{MakeRefType(DataType::kFloat), DataType::kFloat}})
              .ok() == true);
  }
}

TEST_SUITE("OpKernelContext: references") {
  TEST_CASE("the value behind one, with and without the lock") {
    Refs node(NewVariable());
    CHECK(node.context.input_is_ref(0));
    CHECK(!node.context.input_is_ref(1));
    Mutex* mutex = nullptr;
    REQUIRE(node.context.input_ref_mutex("v", &mutex).ok());
    CHECK(mutex == &node.variable->mutex);
    {
      const MutexLock lock(*mutex);
      CHECK(node.context.mutable_input(0, true).flat<float>()(1) == 6);
    }
    Tensor value;
    REQUIRE(node.context.mutable_input("v", &value, false).ok());
    value.flat<float>()(1) = 8;  // shares the buffer
    CHECK(node.variable->tensor.flat<float>()(1) == 8);
    OpMutableInputList list;
    REQUIRE(node.context.mutable_input_list("v", &list).ok());
    CHECK(list.size() == 1);
    CHECK(list.ref_mutex(0) == mutex);
    CHECK(list.at(0, false).NumElements() == 2);
  }
  TEST_CASE("replaced, handed on and deleted") {
    Refs node(NewVariable());
    REQUIRE(node.context.replace_ref_input("v", MakeTensor<float>({1}, {3}), false).ok());
    CHECK(node.variable->tensor.NumElements() == 1);
    node.context.forward_ref_input_to_ref_output(0, 0);
    CHECK(ReferredBy(node.outputs[0]) == node.variable.get());
    node.context.delete_ref_input(0, false);
    CHECK(!node.variable->tensor.IsInitialized());
    CHECK(node.variable->tensor.dtype() == DataType::kFloat);
    REQUIRE(node.context.set_output_ref("w", NewVariable()).ok());
    CHECK(ReferredBy(node.outputs[0])->tensor.NumElements() == 2);
    CHECK(node.context.status().ok());
  }
  TEST_CASE("what is none, is an error") {
    Refs node(NewVariable());
    Mutex* mutex = nullptr;
    CHECK(node.context.input_ref_mutex("x", &mutex).message() ==
          "OpKernel used non-ref input name 'x' when ref input was expected");
    CHECK(node.context.replace_ref_input("x", Tensor(), false).message() ==
          "OpKernel used immutable input name 'x' when ref input was expected");
    const Tensor* value = nullptr;
    CHECK(node.context.get_input(0, &value).code() == Code::kInvalidArgument);
    CHECK(node.context.input("v", &value).message() ==
          "OpKernel used ref input name 'v' when non-ref input was expected");
    CHECK(node.context.mutable_input(1, false).dtype() == DataType::kInvalid);
    CHECK(node.context.status().message() == "input 1 of node 'here', op 'CaRefs', is no reference: it is a float");
    CHECK(node.context.input_ref_mutex(5) == nullptr);
  }
  TEST_CASE("outputs: a reference is not allocated, and a plain one gets no variable") {
    const auto says = [](OpKernelContext& context, std::string_view text) {
      CHECK(context.TakeStatus().ToString() == StrCat("INTERNAL: ", text));
    };
    Refs node(NewVariable());
    OpKernelContext& context = node.context;
    Tensor* out = nullptr;
    constexpr std::string_view kAllocated =
        "INTERNAL: allocate_output with ref type. index=0 type: float_ref kernel=here of op 'CaRefs'; set_output_ref "
        "gives it a variable";
    CHECK(context.allocate_output(0, TensorShape{2}, &out).ToString() == kAllocated);
    CHECK(context.allocate_output("w", TensorShape{2}, &out).ToString() == kAllocated);
    AllocatorAttributes on_host;
    on_host.set_on_host(true);
    node.constants.host_memory = false;
    CHECK(context.allocate_output(0, TensorShape{2}, &out, on_host).ToString() == kAllocated);
    CHECK(context.forward_input_or_allocate_output({1}, 0, TensorShape{1}, &out).ToString() == kAllocated);
    CHECK(out == nullptr);
    context.set_output_ref(1, NewVariable());
    says(context, "set_output_ref: output 1 of node 'here', op 'CaRefs', is a float, not a float_ref");
    context.set_output_ref(0, Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kInt32)));
    says(context, "set_output_ref: output 0 of node 'here', op 'CaRefs', is a float_ref, not a int32_ref");
    context.set_output_ref(0, Ref<LegacyVar>());
    says(context, "set_output_ref: output 0 of node 'here', op 'CaRefs', is a float_ref, not a null variable");
    context.set_output_ref(2, NewVariable());
    says(context, "set_output_ref with bad index=2 kernel=here; it has 2 outputs");
    CHECK(context.set_output_ref("y", NewVariable()).code() == Code::kInternal);
    says(context, "set_output_ref: output 1 of node 'here', op 'CaRefs', is a float, not a float_ref");
    context.forward_ref_input_to_ref_output(0, 1);
    says(context, "forward_ref_input_to_ref_output: output 1 of node 'here', op 'CaRefs', is a float, not a float_ref");
    context.forward_ref_input_to_ref_output(0, 7);
    says(context, "forward_ref_input_to_ref_output with bad index=7 kernel=here; it has 2 outputs");
    context.set_output(-1, Tensor::Scalar(1.0f));
    says(context, "set_output with bad index=-1 kernel=here; it has 2 outputs");
    for (const Tensor& output : node.outputs) CHECK(output.dtype() == DataType::kInvalid);
  }
}

TEST_SUITE("OpKernelContext: forwarding") {
  TEST_CASE("a buffer that nobody else sees, in another shape") {
    Mixed node;
    const void* buffer = node.inputs[0].raw_data();
    const Owned<Tensor> same =
        node.context.forward_input(0, 0, DataType::kFloat, TensorShape{2, 1}, MemoryType::kDevice, {});
    REQUIRE(same);
    CHECK(same->raw_data() == buffer);
    CHECK(same->shape() == TensorShape{2, 1});
    CHECK(!node.context.forward_input(0, 0, DataType::kFloat, TensorShape{2}, MemoryType::kDevice, {}));  // seen twice
  }
  TEST_CASE("not another type, size, memory, or a value that is read later") {
    Mixed node;
    const auto forwards = [&](DataType dtype, const TensorShape& shape, MemoryType memory) {
      return static_cast<bool>(node.context.forward_input(0, -1, dtype, shape, memory, {}));
    };
    CHECK(!forwards(DataType::kInt32, {2}, MemoryType::kDevice));
    CHECK(!forwards(DataType::kFloat, {3}, MemoryType::kDevice));
    CHECK(!forwards(DataType::kFloat, {2}, MemoryType::kHost));
    node.last_use[0] = 0;
    CHECK(!forwards(DataType::kFloat, {2}, MemoryType::kDevice));
    node.last_use[0] = 1;
    CHECK(forwards(DataType::kFloat, {2}, MemoryType::kDevice));
  }
  TEST_CASE("by name") {
    Mixed node;
    Tensor* y = nullptr;
    REQUIRE(node.context.forward_input_to_output_with_shape("x", "y", TensorShape{1, 2}, &y).ok());
    CHECK(y->raw_data() == node.inputs[0].raw_data());
    CHECK(node.context.forward_input_to_output_with_shape("x", "y", TensorShape{2}, &y).ToString() ==
          "FAILED_PRECONDITION: OpKernel could not forward input 'x' to output 'y'");
    Mixed other;
    const Tensor held = other.inputs[0];
    REQUIRE(other.context.forward_input_or_allocate_output({"x"}, "y", TensorShape{2}, &y).ok());
    CHECK(y->raw_data() != held.raw_data());
    const std::vector<std::string_view> names{"x"};
    CHECK(other.context.forward_input_or_allocate_output(names, "y", TensorShape{2}, &y).code() == Code::kInternal);
  }
  TEST_CASE("the first candidate that allows it, and which it was") {
    Mixed node;
    Tensor* y = nullptr;
    int forwarded = 7;
    REQUIRE(node.context.forward_input_or_allocate_output({1, 0}, 0, TensorShape{2}, &y, &forwarded).ok());
    CHECK(forwarded == 0);
    CHECK(y->raw_data() == node.inputs[0].raw_data());
    const std::vector<int> candidates{1, 2};  // of another type
    REQUIRE(node.context.forward_input_or_allocate_output(candidates, 1, TensorShape{1}, &y, &forwarded).ok());
    CHECK(forwarded == -1);
    REQUIRE(node.context.forward_input_or_allocate_output({}, 2, TensorShape{1}, &y).ok());
  }
}

TEST_SUITE("OpKernelContext: memory") {
  TEST_CASE("temporary and persistent bytes are recorded; what becomes an output is not temporary") {
    Mixed node;
    CHECK(!node.context.track_allocations());
    MemoryRecord record;
    node.context.set_memory_record(&record);
    Tensor temp, kept, result;
    REQUIRE(node.context.allocate_temp(DataType::kFloat, TensorShape{4}, &temp).ok());
    REQUIRE(node.context.allocate_temp(DataType::kFloat, TensorShape{2}, &result).ok());
    REQUIRE(node.context.allocate_persistent(DataType::kInt64, TensorShape{2}, &kept).ok());
    CHECK(node.context.temp_memory_allocated() == 24);
    node.context.set_output(0, result);
    CHECK(node.context.temp_memory_allocated() == 16);
    CHECK(node.context.persistent_memory_allocated() == 16);
    node.context.record_persistent_memory_allocation(100, 3);
    CHECK(node.context.persistent_memory_allocated() == 116);
    CHECK(node.context.persistent_alloc_ids().size() == 1);
    node.context.clear_recorded_memory();
    CHECK(node.context.persistent_memory_allocated() + node.context.temp_memory_allocated() == 0);
  }
  TEST_CASE("attributes choose the memory of an output") {
    Mixed node;
    TrackingAllocator host(CpuAllocator());
    node.env.host_allocator = &host;
    node.constants.host_memory = false;  // as on a device with memory of its own
    AllocatorAttributes on_host;
    on_host.set_on_host(true);
    Tensor* y = nullptr;
    REQUIRE(node.context.allocate_output("y", TensorShape{2}, &y, on_host).ok());
    CHECK(host.blocks_in_use() == 1);
    CHECK(node.context.allocate_output("y", TensorShape{2}, &y, on_host).code() == Code::kInternal);
    node.context.release_output(0);
    REQUIRE(node.context.allocate_output("y", TensorShape{2}, &y, on_host).ok());
    REQUIRE(node.context.allocate_output(1, TensorShape{2}, &y, {}).ok());
    CHECK(host.blocks_in_use() == 1);
    node.outputs[0] = Tensor();
  }
  TEST_CASE("a kernel's own tensor: no scoped memory, and a status when memory is out") {
    Mixed node;
    Tensor t;
    AllocatorAttributes scoped;
    scoped.scope_id = 1;
    CHECK(node.construction->allocate_temp(DataType::kFloat, {2}, &t, scoped).message() ==
          "ScopedAllocator cannot be used via OpKernelConstruction.");
    CHECK(node.construction->allocate_temp(DataType::kInvalid, {2}, &t).code() == Code::kInvalidArgument);
    const Status out = node.construction->allocate_temp(DataType::kFloat, {std::int64_t{1} << 60}, &t);
    CHECK(out.code() == Code::kResourceExhausted);
    CHECK(out.message().find("OOM when allocating temporary tensor with shape[1152921504606846976]") == 0);
  }
}

TEST_SUITE("OpKernelContext: services") {
  TEST_CASE("what there is not says so") {
    Mixed node;
    CallFrame* call = nullptr;
    CHECK(RequireService(node.context, "call frame", &StepServices::call_frame, &call).ToString() ==
          "FAILED_PRECONDITION: CaMixed: the run has no call frame for node 'here'");
    CHECK(node.context.rendezvous() == nullptr);
    CHECK(node.construction->resource_manager() == nullptr);
    node.env.services = nullptr;
    CHECK(node.context.step_services() == nullptr);
    bool ran = false;
    node.context.runner()([&ran] { ran = true; });
    CHECK(ran);
    node.context.inc_num_deferred_ops_function()();  // nothing to keep
  }
  TEST_CASE("deferred work keeps the run") {
    Mixed node;
    DeferredOps deferred;
    node.services.deferred = &deferred;
    node.context.inc_num_deferred_ops_function()();
    node.context.dec_num_deferred_ops_function()();
    deferred.Wait();
  }
  TEST_CASE("failures keep the first status, and are logged where a warning is asked for") {
    Mixed node;
    Lines lines;
    node.context.CtxFailure("file.cc", 3, errors::Aborted("first"));
    CHECK(lines.text.empty());
    node.context.CtxFailureWithWarning("file.cc", 4, errors::Internal("second"));
    CHECK(lines.text == "OP_REQUIRES failed at file.cc:4 : INTERNAL: second");
    CHECK(node.context.status().message() == "first");
    node.construction->CtxFailureWithWarning(errors::Internal("third"));
    CHECK(node.construction->status().message() == "third");
  }
}
}  // namespace context_access_test
