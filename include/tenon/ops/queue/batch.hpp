// SPDX-License-Identifier: Apache-2.0
#pragma once
// BatchFunction and Batch: inputs of several runs as one batch.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/queue/batcher.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

inline Status BatchShape(InferenceContext* c) {
  const int count = c->num_inputs();
  for (int i = 0; i < count; ++i) {
    ShapeHandle rows;
    TENON_RETURN_IF_ERROR(c->ReplaceDim(c->input(i), 0, c->UnknownDim(), &rows));
    c->set_output(i, rows);
  }
  c->set_output(count, c->MakeShape({c->UnknownDim(), c->MakeDim(3)}));
  c->set_output(count + 1, c->Scalar());
  return OkStatus();
}

// Base of the two kernels.
class BatchingKernel : public AsyncOpKernel {
 public:
  BatchingKernel(OpKernelConstruction* c, bool has_function) : AsyncOpKernel(c) {
    // A thread of the batcher's copies the rows.
    for (int i = 0; i < num_inputs(); ++i) set_input_memory_type(i, MemoryType::kHost);
    for (int i = 0; i < num_outputs(); ++i) set_output_memory_type(i, MemoryType::kHost);
    limits_.has_function = has_function;
    c->SetStatus(Read(*c));
  }

 protected:
  // Puts a call with these inputs into the batcher, or ends it at once.
  void Submit(OpKernelContext* context, int num_batched, DoneCallback done) {
    Ref<BatchCall> call = Ref<BatchCall>::Adopt(new BatchCall(context, std::move(done)));
    const Status status = Submit(context, num_batched, call);
    if (!status.ok()) call->End(status);
  }

  FunctionHandle function_;

 private:
  Status Read(const OpKernelConstruction& c) {
    std::int64_t most = 0;
    TENON_ASSIGN_OR_RETURN(info_, ContainerInfo::From(c, true));
    TENON_RETURN_IF_ERROR(c.GetAttr("batching_queue", &queue_));
    TENON_RETURN_IF_ERROR(c.GetAttr("num_batch_threads", &limits_.threads));
    TENON_RETURN_IF_ERROR(c.GetAttr("max_batch_size", &most));
    TENON_RETURN_IF_ERROR(c.GetAttr("batch_timeout_micros", &limits_.timeout_micros));
    TENON_RETURN_IF_ERROR(c.GetAttr("max_enqueued_batches", &limits_.waiting_batches));
    TENON_RETURN_IF_ERROR(c.GetAttr("allowed_batch_sizes", &limits_.allowed_rows));
    if (limits_.has_function) TENON_RETURN_IF_ERROR(c.GetAttr("enable_large_batch_splitting", &limits_.splits));
    const SlimVector<std::int64_t>& allowed = limits_.allowed_rows;
    for (std::size_t i = 1; i < allowed.size(); ++i)
      if (allowed[i] <= allowed[i - 1])
        return errors::InvalidArgument("allowed_batch_sizes entries must be monotonically increasing, got ", allowed[i],
                                       " after ", allowed[i - 1]);
    if (!allowed.empty() && !limits_.splits && allowed.back() != most)
      return errors::InvalidArgument("final entry in allowed_batch_sizes must equal max_batch_size", ": got ",
                                     allowed.back(), " and ", most);
    // Negative numbers are no limit, as in TensorFlow.
    limits_.input_rows = most < 0 ? INT32_MAX : most;
    limits_.batch_rows = limits_.splits && !allowed.empty() ? allowed.back() : limits_.input_rows;
    if (limits_.threads <= 0 && limits_.has_function) limits_.threads = 2;  // TensorFlow adapts it
    if (limits_.waiting_batches < 0) limits_.waiting_batches = INT32_MAX;
    return OkStatus();
  }
  // The limits that a run finds out.
  static Status Check(const BatchLimits& limits) {
    if (limits.threads <= 0) return errors::InvalidArgument("num_batch_threads must be positive; was ", limits.threads);
    if (limits.batch_rows <= 0)
      return errors::InvalidArgument("max_batch_size must be positive; was ", limits.batch_rows);
    if (limits.batch_rows > limits.input_rows)
      return errors::InvalidArgument("max_batch_size must not be less than the last of allowed_batch_sizes: ",
                                     limits.input_rows, " and ", limits.batch_rows);
    if (limits.timeout_micros < 0)
      return errors::InvalidArgument("batch_timeout_micros must be non-negative; was ", limits.timeout_micros);
    if (limits.splits && limits.waiting_batches == 0)
      return errors::InvalidArgument("max_enqueued_batches must be positive; was 0");
    return OkStatus();
  }

  Status Submit(OpKernelContext* context, int num_batched, const Ref<BatchCall>& call) {
    Ref<Batcher> batcher;
    ResourceMgr* resources = nullptr;
    TENON_RETURN_IF_ERROR(GetResources(*context, &resources));
    TENON_RETURN_IF_ERROR(
        resources->LookupOrCreate<Batcher>(info_.container, info_.name, &batcher, [this](Ref<Batcher>* made) {
          const Status status = Check(limits_);
          if (status.ok()) *made = Ref<Batcher>::Adopt(new Batcher(limits_));
          return status;
        }));
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Tensor& input = context->input(i);
      (i < num_batched ? call->inputs : call->captured).push_back(input);
      if (i >= num_batched) continue;
      if (input.dims() == 0) return errors::InvalidArgument("Batching input tensors must have at least one dimension");
      if (input.dim_size(0) != context->input(0).dim_size(0))
        return errors::InvalidArgument(
            "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size, got ",
            context->input(0).dim_size(0), " and ", input.dim_size(0));
    }
    call->rows = call->inputs[0].dim_size(0);
    call->function = function_;
    call->key = NewKey();
    if (call->rows == 0) return GiveNothing(*context, *call);
    const IteratorContext environment(context->environment());
    const BatchLimits& limits = batcher->limits();
    if (limits.has_function) {
      if (!DetachedContext::IsPossible(environment)) {
        Batcher::RunNow(limits, call, context->environment());
        return OkStatus();
      }
      for (std::int64_t n = batcher->MostBatches(call->rows); n > 0; --n) {
        call->spare.push_back(Ref<BatchRun>::Adopt(new BatchRun));
        call->spare.back()->context = MakeOwned<DetachedContext>(environment);
      }
    }
    // From here on the run may be over at any time.
    if (!call->FollowRun()) return OkStatus();
    return batcher->Add(queue_, call);
  }
  Status GiveNothing(const OpKernelContext& context, BatchCall& call) const {
    SlimVector<Tensor> outputs;
    if (limits_.has_function) {
      for (int i = 0; i < context.num_outputs(); ++i) outputs.push_back(Tensor(context.expected_output_dtype(i), {0}));
    } else {
      outputs = call.NoRows();
      outputs.push_back(Tensor(DataType::kInt64, {0, 3}));
      outputs.push_back(Tensor::Scalar(call.key));
    }
    call.End(OkStatus(), &outputs);
    return OkStatus();
  }
  // Numbers that no other call of the process has, and which look random.
  static std::int64_t NewKey() {
    static std::atomic<std::uint64_t> next{static_cast<std::uint64_t>(SystemNanoseconds())};
    std::uint64_t x = next.fetch_add(0x9e3779b97f4a7c15u, std::memory_order_relaxed);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return static_cast<std::int64_t>(x ^ x >> 31);
  }

  ContainerInfo info_;
  std::string_view queue_;
  BatchLimits limits_;
};

class BatchFunctionKernel : public BatchingKernel {
 public:
  explicit BatchFunctionKernel(OpKernelConstruction* c) : BatchingKernel(c, true) {
    if (c->status().ok()) c->SetStatus(Find(*c));
  }
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    Submit(context, num_batched_, std::move(done));
  }

 private:
  Status Find(const OpKernelConstruction& c) {
    NameAttrList call;
    SlimVector<DataType> batched;
    TENON_RETURN_IF_ERROR(c.GetAttr("f", &call));
    TENON_RETURN_IF_ERROR(c.GetAttr("Tin", &batched));
    num_batched_ = static_cast<int>(batched.size());
    if (c.function_library() == nullptr)
      return errors::Internal("op 'BatchFunction' calls functions, which only a session has");
    TENON_ASSIGN_OR_RETURN(function_, c.function_library()->Find(call));
    return OkStatus();
  }
  int num_batched_ = 0;
};

class BatchKernel : public BatchingKernel {
 public:
  explicit BatchKernel(OpKernelConstruction* c) : BatchingKernel(c, false) {}
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override {
    Submit(context, context->num_inputs(), std::move(done));
  }
};

}  // namespace detail

// out_tensors = f(in_tensors of several runs one behind the other, captured_tensors), each run its own rows.
struct BatchFunction {
  static constexpr auto signature =
      Op("BatchFunction")
          .Input("in_tensors: Tin")
          .Input("captured_tensors: Tcaptured")
          .Output("out_tensors: Tout")
          .Attr("f: func")
          .Attr("num_batch_threads: int")
          .Attr("max_batch_size: int")
          .Attr("batch_timeout_micros: int")
          .Attr("max_enqueued_batches: int = 10")
          .Attr("allowed_batch_sizes: list(int) = []")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .Attr("batching_queue: string = ''")
          .Attr("low_priority_max_batch_size: int = 0")
          .Attr("low_priority_batch_timeout_micros: int = 0")
          .Attr("low_priority_allowed_batch_sizes: list(int) = []")
          .Attr("low_priority_max_enqueued_batches: int = 0")
          .Attr(
              "mixed_priority_policy: {'low_priority_padding_with_max_batch_size', "
              "'low_priority_padding_with_next_allowed_batch_size', 'priority_isolation', 'priority_merge'} = "
              "'low_priority_padding_with_max_batch_size'")
          .Attr("batch_padding_policy: {'PAD_UP', 'BATCH_DOWN', 'MINIMIZE_TPU_COST_PER_REQUEST'} = 'PAD_UP'")
          .Attr("Tin: list(type) >= 1")
          .Attr("Tcaptured: list(type) >= 0")
          .Attr("Tout: list(type) >= 1")
          .Attr("enable_large_batch_splitting: bool = false")
          .SetIsDistributedCommunication()
          .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::BatchFunctionKernel {
    using BatchFunctionKernel::BatchFunctionKernel;
  };
};

// One run of several gets the rows of all; batch_index: [runs, 3], the id of a run and where its rows begin and end.
struct Batch {
  static constexpr auto signature = Op("Batch")
                                        .Input("in_tensors: T")
                                        .Output("batched_tensors: T")
                                        .Output("batch_index: int64")
                                        .Output("id: int64")
                                        .Attr("num_batch_threads: int")
                                        .Attr("max_batch_size: int")
                                        .Attr("max_enqueued_batches: int = 10")
                                        .Attr("batch_timeout_micros: int")
                                        .Attr("allowed_batch_sizes: list(int) = []")
                                        .Attr("grad_timeout_micros: int")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("batching_queue: string = ''")
                                        .Attr("T: list(type) >= 1")
                                        .SetIsDistributedCommunication()
                                        .SetShapeFn(detail::BatchShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::BatchKernel {
    using BatchKernel::BatchKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
