// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batcher: the resource behind BatchFunction and Batch. Calls of several runs wait in it, without a thread, until
// enough of them make a batch or the first has waited long enough. Threads of the resource run the batches.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/detached_context.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// Plain data. Sizes are numbers of rows.
struct BatchLimits {
  bool has_function = false, splits = false;
  std::int64_t threads = 1, input_rows = 0, batch_rows = 0, timeout_micros = 0, waiting_batches = 0;
  SlimVector<std::int64_t> allowed_rows;  // ascending; empty: any

  // Rows of a batch that has `rows` of its callers.
  std::int64_t Padded(std::int64_t rows) const {
    for (const std::int64_t allowed : allowed_rows)
      if (allowed >= rows) return allowed;
    return rows;
  }
};

// *out = the rows of all pieces, and `padding` times the first row.
inline Status ConcatRows(const SlimVector<Tensor>& pieces, std::int64_t padding, Tensor* out) {
  if (pieces.size() == 1 && padding == 0) {
    *out = pieces[0];
    return OkStatus();
  }
  TensorShape shape = pieces[0].shape();
  std::int64_t rows = padding;
  for (const Tensor& piece : pieces) {
    TensorShape other = piece.shape();
    rows += piece.dim_size(0);
    TENON_RETURN_IF_ERROR(other.SetDimWithStatus(0, pieces[0].dim_size(0)));
    if (!(other == pieces[0].shape()))
      return errors::InvalidArgument(
          "BatchFunction: inputs of one batch must have the same shape but for their rows, got ", pieces[0].shape(),
          " and ", piece.shape());
  }
  TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, rows));
  TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(pieces[0].dtype(), shape, nullptr));
  std::int64_t next = 0;
  for (const Tensor& piece : pieces) {
    TENON_RETURN_IF_ERROR(tensor::CopyContiguousSlices(piece, 0, next, piece.dim_size(0), out));
    next += piece.dim_size(0);
  }
  for (; next < rows; ++next) TENON_RETURN_IF_ERROR(tensor::CopyContiguousSlices(pieces[0], 0, next, 1, out));
  return OkStatus();
}

// The run of one batch. Stops when all calls with a part of it have ended.
struct BatchRun final : RefCounted {
  Owned<DetachedContext> context;  // null: the batch has no function
  std::atomic<std::int64_t> calls{1};  // and one for the batch while it waits

  void Leave() {
    if (calls.fetch_sub(1) == 1 && context != nullptr) context->cancellation()->StartCancel();
  }
};

// One run of the op. thread-safe.
class BatchCall final : public RefCounted {
 public:
  BatchCall(OpKernelContext* context, AsyncOpKernel::DoneCallback done)
      : context_(context), done_(std::move(done)), num_outputs_(static_cast<std::size_t>(context->num_outputs())) {}

  SlimVector<Tensor> inputs, captured;
  FunctionHandle function;
  std::int64_t rows = 0, key = 0;
  SlimVector<Ref<BatchRun>> spare;  // for batches that the call opens

  // Ends the call. Does nothing when it has ended.
  void End(const Status& status, SlimVector<Tensor>* outputs = nullptr) {
    if (has_ended_.exchange(true)) return;
    if (cancellation_ != nullptr) (void)cancellation_->TryDeregister(token_);
    if (outputs != nullptr)
      for (std::size_t i = 0; i < outputs->size(); ++i)
        context_->set_output(static_cast<int>(i), std::move((*outputs)[i]));
    context_->SetStatus(status);
    const AsyncOpKernel::DoneCallback done = std::move(done_);
    done();
  }
  bool has_ended() const { return has_ended_.load(); }
  std::size_t num_outputs() const { return num_outputs_; }
  // Tensors as the inputs, without rows.
  SlimVector<Tensor> NoRows() const {
    SlimVector<Tensor> outputs;
    for (const Tensor& input : inputs) outputs.push_back(input.Slice(0, 0));
    return outputs;
  }
  // The call ends with its run. False: the run is cancelled already, and the call has ended.
  bool FollowRun() {
    CancellationManager* const cancellation = context_->cancellation_manager();
    if (cancellation == nullptr) return true;
    token_ = cancellation->NewToken();
    cancellation_ = cancellation;
    if (cancellation->Register(token_, [self = Ref<BatchCall>::Share(this)] { self->Cancel(); })) return true;
    Cancel();
    return false;
  }
  void Join(const Ref<BatchRun>& run) {
    run->calls.fetch_add(1);
    const tenon::MutexLock lock(mutex_);
    runs_.push_back(run);
  }

  // A call that is split over batches ends with the last of its parts.
  void Expect(std::size_t parts) {
    const tenon::MutexLock lock(mutex_);
    parts_.resize(parts);
  }
  void Deliver(std::size_t part, const Status& status, SlimVector<Tensor> outputs) {
    Status joined;
    SlimVector<Tensor> all;
    {
      const tenon::MutexLock lock(mutex_);
      status_.Update(status);
      parts_[part] = std::move(outputs);
      if (++delivered_ < parts_.size()) return;
      if (status_.ok()) status_.Update(JoinParts(&all));
      joined = status_;
    }
    End(joined, joined.ok() ? &all : nullptr);
  }

 private:
  void Cancel() {
    End(errors::Cancelled("BatchFunction operation was cancelled"));
    SlimVector<Ref<BatchRun>> runs;
    {
      const tenon::MutexLock lock(mutex_);
      runs = std::move(runs_);
      runs_.clear();
    }
    for (const Ref<BatchRun>& run : runs) run->Leave();
  }
  Status JoinParts(SlimVector<Tensor>* all) {
    if (parts_.size() == 1) {
      *all = std::move(parts_[0]);
      return OkStatus();
    }
    for (std::size_t i = 0; i < parts_[0].size(); ++i) {
      SlimVector<Tensor> pieces;
      for (SlimVector<Tensor>& part : parts_) pieces.push_back(part[i]);
      all->push_back(Tensor());
      TENON_RETURN_IF_ERROR(ConcatRows(pieces, 0, &all->back()));
    }
    return OkStatus();
  }

  OpKernelContext* const context_;
  AsyncOpKernel::DoneCallback done_;
  const std::size_t num_outputs_;
  std::atomic<bool> has_ended_{false};
  CancellationManager* cancellation_ = nullptr;
  CancellationManager::Token token_ = 0;
  Mutex mutex_;  // guards what follows
  SlimVector<Ref<BatchRun>> runs_;
  SlimVector<SlimVector<Tensor>> parts_;
  std::size_t delivered_ = 0;
  Status status_;
};

// Rows [first, first + rows) of a call.
struct BatchPart {
  Ref<BatchCall> call;
  std::int64_t first, rows;
  std::size_t number;
};

struct WaitingBatch {
  SlimVector<BatchPart> parts;
  std::int64_t rows = 0, deadline = 0;  // of SteadyNanoseconds()
  Ref<BatchRun> run;
};

// thread-safe.
class Batcher final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::BatchResource";
  static constexpr std::size_t kMostThreads = 256;

  explicit Batcher(BatchLimits limits) : limits_(std::move(limits)) {}
  // Waits for the batches.
  ~Batcher() override {
    if (!fork_.IsRepaired()) return;
    {
      const tenon::MutexLock lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    for (Thread& thread : threads_)
      if (thread.joinable()) thread.Join();
  }
  std::string DebugString() const override { return "BatchResource"; }
  const BatchLimits& limits() const { return limits_; }

  // Takes a call with at least one row. Unavailable: too many batches wait.
  Status Add(std::string_view queue_name, const Ref<BatchCall>& call) {
    if (!fork_.IsRepaired())
      return errors::FailedPrecondition(
          "BatchFunction: the threads of the batches stayed in the parent of this process");
    if (call->rows > limits_.input_rows)
      return errors::InvalidArgument("Task size ", call->rows, " is larger than maximum input batch size ",
                                     limits_.input_rows);
    const tenon::MutexLock lock(mutex_);
    Queue& queue = FindQueue(queue_name);
    const std::int64_t open = queue.batches.empty() ? 0 : limits_.batch_rows - queue.batches.back()->rows;
    const std::int64_t into_open = limits_.splits ? std::min(open, call->rows) : open >= call->rows ? call->rows : 0;
    const std::int64_t left = call->rows - into_open;
    const std::int64_t more = left == 0 ? 0 : (left - 1) / limits_.batch_rows + 1;
    const auto waiting = static_cast<std::int64_t>(queue.batches.size());
    if (more > 0 && waiting + more > MostWaiting(waiting))
      return errors::Unavailable("The batch scheduling queue to which this task was submitted is full");
    TENON_RETURN_IF_ERROR(StartThreads(more));
    call->Expect(static_cast<std::size_t>(more + (into_open > 0 ? 1 : 0)));
    std::size_t number = 0;
    for (std::int64_t first = 0; first < call->rows; ++number) {
      const bool is_new = number > 0 || into_open == 0;
      if (is_new) Open(queue, call);
      WaitingBatch& batch = *queue.batches.back();
      const std::int64_t rows = is_new ? std::min(limits_.batch_rows, call->rows - first) : into_open;
      batch.parts.push_back({call, first, rows, number});
      batch.rows += rows;
      call->Join(batch.run);
      first += rows;
    }
    changed_.notify_all();
    return OkStatus();
  }

  // Batches that Add opens at most for a call of so many rows.
  std::int64_t MostBatches(std::int64_t rows) const {
    return rows > limits_.input_rows ? 0 : std::min((rows - 1) / limits_.batch_rows + 1, MostWaiting(0));
  }

  // Runs a batch that holds these calls alone, on this thread: where no thread can run it.
  static void RunNow(const BatchLimits& limits, const Ref<BatchCall>& call, const StepEnvironment& environment) {
    WaitingBatch batch;
    batch.rows = call->rows;
    batch.parts.push_back({call, 0, call->rows, 0});
    call->Expect(1);
    RunFunction(limits, batch, &environment);
  }

 private:
  struct Queue {
    std::string name;
    SlimVector<Owned<WaitingBatch>> batches;  // calls are added to the last
  };

  // The limit of a queue in which so many batches wait. An empty queue takes one.
  std::int64_t MostWaiting(std::int64_t waiting) const {
    return waiting == 0 ? std::max<std::int64_t>(limits_.waiting_batches, 1) : limits_.waiting_batches;
  }
  // A thread for each batch that waits and for `more`, as far as the limit allows.
  Status StartThreads(std::int64_t more) {
    auto wanted = static_cast<std::size_t>(more) + busy_;
    for (const Queue& queue : queues_) wanted += queue.batches.size();
    wanted = std::min({wanted, static_cast<std::size_t>(limits_.threads), kMostThreads});
    while (threads_.size() < wanted) {
      threads_.push_back(Thread());
      if (threads_.back().Start<&Batcher::Main>(this)) continue;
      threads_.pop_back();
      break;
    }
    return threads_.empty() ? errors::ResourceExhausted("BatchFunction: the system has no thread for batches")
                            : OkStatus();
  }
  Queue& FindQueue(std::string_view name) {
    for (Queue& queue : queues_)
      if (queue.name == name) return queue;
    queues_.push_back(Queue());
    queues_.back().name = name;
    return queues_.back();
  }
  void Open(Queue& queue, const Ref<BatchCall>& call) {
    queue.batches.push_back(MakeOwned<WaitingBatch>());
    WaitingBatch& batch = *queue.batches.back();
    batch.deadline = DeadlineIn(limits_.timeout_micros, 1000);
    if (call->spare.empty()) {
      batch.run = Ref<BatchRun>::Adopt(new BatchRun);
    } else {
      batch.run = std::move(call->spare.back());
      call->spare.pop_back();
    }
  }

  // The first batch that is due; else *until is when one will be.
  Owned<WaitingBatch> TakeDue(std::int64_t* until) {
    *until = INT64_MAX;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = queues_[(next_queue_ + i) % queues_.size()];
      if (queue.batches.empty()) continue;
      const WaitingBatch& first = *queue.batches.front();
      const bool is_full = queue.batches.size() > 1 || first.rows >= limits_.batch_rows;
      if (!is_full && !stop_ && SteadyNanoseconds() < first.deadline) {
        *until = std::min(*until, first.deadline);
        continue;
      }
      Owned<WaitingBatch> batch = std::move(queue.batches.front());
      queue.batches.erase(queue.batches.begin());
      next_queue_ = (next_queue_ + i + 1) % queues_.size();
      return batch;
    }
    return nullptr;
  }
  void Main() {
    Thread::NameThis("tenon_batches");
    tenon::MutexLock lock(mutex_);
    for (;;) {
      std::int64_t until = 0;
      Owned<WaitingBatch> batch = TakeDue(&until);
      if (batch != nullptr) {
        ++busy_;
        lock.unlock();
        Run(*batch);
        batch.reset();
        lock.lock();
        --busy_;
        continue;
      }
      if (stop_) return;
      if (until == INT64_MAX)
        changed_.wait(lock);
      else
        (void)changed_.wait_until(lock, until);
    }
  }

  void Run(WaitingBatch& batch) const {
    if (batch.run) batch.run->Leave();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch.parts.size(); ++i)
      if (!batch.parts[i].call->has_ended()) batch.parts[kept++] = batch.parts[i];
    batch.parts.erase(batch.parts.begin() + static_cast<std::ptrdiff_t>(kept), batch.parts.end());
    if (batch.parts.empty()) return;
    if (limits_.has_function)
      RunFunction(limits_, batch, nullptr);
    else
      Fail(batch, GiveBatch(batch));
  }
  static void Fail(const WaitingBatch& batch, const Status& status) {
    if (status.ok()) return;
    for (const BatchPart& part : batch.parts) part.call->Deliver(part.number, status, {});
  }

  // Inputs of all parts one behind the other, filled up to an allowed size.
  static Status Concat(const BatchLimits& limits, const WaitingBatch& batch, std::int64_t* rows,
                       SlimVector<Tensor>* inputs) {
    *rows = 0;
    for (const BatchPart& part : batch.parts) *rows += part.rows;
    const std::int64_t padding = limits.Padded(*rows) - *rows;
    for (std::size_t i = 0; i < batch.parts[0].call->inputs.size(); ++i) {
      SlimVector<Tensor> pieces;
      for (const BatchPart& part : batch.parts) {
        if (part.call->inputs.size() != batch.parts[0].call->inputs.size() ||
            part.call->inputs[i].dtype() != batch.parts[0].call->inputs[i].dtype())
          return errors::InvalidArgument("BatchFunction: nodes that share batches have inputs of other types");
        pieces.push_back(part.call->inputs[i].Slice(part.first, part.first + part.rows));
      }
      inputs->push_back(Tensor());
      TENON_RETURN_IF_ERROR(ConcatRows(pieces, padding, &inputs->back()));
    }
    *rows += padding;
    return OkStatus();
  }

  static void RunFunction(const BatchLimits& limits, WaitingBatch& batch, const StepEnvironment* environment) {
    SlimVector<Tensor> inputs, outputs;
    std::int64_t rows = 0;
    Status status = Concat(limits, batch, &rows, &inputs);
    if (status.ok()) status = Call(batch, environment, std::move(inputs), &outputs);
    for (std::size_t i = 0; status.ok() && i < outputs.size(); ++i) {
      if (outputs[i].dims() == 0)
        status = errors::FailedPrecondition("Batched output tensor has 0 dimensions");
      else if (outputs[i].dim_size(0) != rows)
        status = errors::FailedPrecondition(
            "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input "
            "tensors: ",
            outputs[i].dim_size(0), " rows for ", rows);
    }
    if (!status.ok()) return Fail(batch, status);
    std::int64_t first = 0;
    for (const BatchPart& part : batch.parts) {
      SlimVector<Tensor> mine;
      for (const Tensor& output : outputs) {
        mine.push_back(output);
        if (part.rows == rows) continue;
        TensorShape shape = output.shape();
        status.Update(shape.SetDimWithStatus(0, part.rows));
        Result<Tensor> copy = Tensor::Make(output.dtype(), shape, nullptr);
        status.Update(copy.status());
        if (!status.ok()) break;
        status.Update(tensor::CopyContiguousSlices(output, first, 0, part.rows, &*copy));
        mine.back() = *std::move(copy);
      }
      first += part.rows;
      part.call->Deliver(part.number, status, std::move(mine));
    }
  }
  static Status Call(const WaitingBatch& batch, const StepEnvironment* environment, SlimVector<Tensor> inputs,
                     SlimVector<Tensor>* outputs) {
    const BatchCall& last = *batch.parts.back().call;
    for (const Tensor& captured : last.captured) inputs.push_back(captured);
    const auto call = [&](const StepEnvironment& where) -> Status {
      TENON_ASSIGN_OR_RETURN(const std::size_t count, where.constants->functions->CountResults(last.function, where));
      if (count != last.num_outputs())
        return errors::Internal("BatchFunction: the function has ", count, " results, and Tout has ",
                                last.num_outputs());
      outputs->resize(count, Tensor(DataType::kInvalid));
      return where.constants->functions->Run(last.function, where, {inputs.data(), inputs.size()},
                                             {outputs->data(), outputs->size()});
    };
    if (environment != nullptr) return call(*environment);
    return batch.run->context->Call([&](IteratorContext& context) { return call(context.environment()); });
  }

  // Batch: the last call gets all rows and says where those of each call are, the others get none.
  Status GiveBatch(const WaitingBatch& batch) const {
    SlimVector<Tensor> inputs;
    std::int64_t rows = 0;
    TENON_RETURN_IF_ERROR(Concat(limits_, batch, &rows, &inputs));
    for (std::size_t p = 0; p < batch.parts.size(); ++p) {
      const BatchPart& part = batch.parts[p];
      const bool is_last = p + 1 == batch.parts.size();
      SlimVector<Tensor> outputs = is_last ? inputs : part.call->NoRows();
      const Index indexed = is_last ? static_cast<Index>(batch.parts.size()) : 0;
      Tensor index(DataType::kInt64, {indexed, 3});
      std::int64_t first = 0;
      for (Index i = 0; i < indexed; ++i) {
        const BatchPart& of = batch.parts[static_cast<std::size_t>(i)];
        std::int64_t* const row = index.data<std::int64_t>() + 3 * i;
        row[0] = of.call->key;
        row[1] = first;
        row[2] = first += of.rows;
      }
      outputs.push_back(std::move(index));
      outputs.push_back(Tensor::Scalar(part.call->key));
      part.call->Deliver(part.number, OkStatus(), std::move(outputs));
    }
    return OkStatus();
  }

  const ForkGuard fork_;
  const BatchLimits limits_;
  Mutex mutex_;  // guards what follows
  ConditionVariable changed_;
  SlimVector<Queue> queues_;
  std::size_t next_queue_ = 0;
  SlimVector<Thread> threads_;
  std::size_t busy_ = 0;  // threads that run a batch
  bool stop_ = false;
};

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
