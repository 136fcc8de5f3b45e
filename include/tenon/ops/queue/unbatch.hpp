// SPDX-License-Identifier: Apache-2.0
#pragma once
// Unbatch and UnbatchGrad: rows of a batch back to the runs that gave them. Runs wait for theirs without a thread.

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
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/tensor/batch_rows.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/queue/batcher.hpp>
#include <tenon/ops/queue/waited_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

inline Status UnbatchShape(InferenceContext* c) {
  ShapeHandle rows;
  TENON_RETURN_IF_ERROR(c->ReplaceDim(c->input(0), 0, c->UnknownDim(), &rows));
  c->set_output(0, rows);
  return OkStatus();
}
inline Status UnbatchGradShape(InferenceContext* c) {
  c->set_output(0, c->UnknownShapeOfRank(c->Rank(c->input(2))));
  return OkStatus();
}

struct KeyedTensor {
  std::int64_t key, deadline;
  Tensor tensor;
};
// The place of a key; the size of the list: it is not there.
inline std::size_t FindKey(const SlimVector<KeyedTensor>& tensors, std::int64_t key) {
  std::size_t i = 0;
  while (i < tensors.size() && tensors[i].key != key) ++i;
  return i;
}
inline Tensor TakeKeyed(SlimVector<KeyedTensor>* tensors, std::size_t i) {
  Tensor tensor = std::move((*tensors)[i].tensor);
  tensors->erase(tensors->begin() + static_cast<std::ptrdiff_t>(i));
  return tensor;
}

// Wakes a resource at points in time, on a thread that starts with the first of them. thread-safe.
class Alarm final : public RefCounted {
 public:
  explicit Alarm(void (*wake)(void* of), void* of) : wake_(wake), of_(of) {}
  // The resource goes.
  void Stop() {
    if (!fork_.IsRepaired()) return;
    {
      const tenon::MutexLock lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.JoinUnlessThis();
  }
  // False: the system has no thread.
  bool WakeAt(std::int64_t deadline) {
    if (!fork_.IsRepaired()) return false;
    const tenon::MutexLock lock(mutex_);
    if (!thread_.joinable() && !thread_.Start<&Alarm::Main>(this)) return false;
    if (deadline < next_) {
      next_ = deadline;
      changed_.notify_all();
    }
    return true;
  }

 private:
  void Main() {
    Thread::NameThis("tenon_alarm");
    const Ref<Alarm> self = Ref<Alarm>::Share(this);
    tenon::MutexLock lock(mutex_);
    while (!stop_) {
      if (next_ == INT64_MAX) {
        changed_.wait(lock);
      } else if (SteadyNanoseconds() < next_) {
        (void)changed_.wait_until(lock, next_);
      } else {
        next_ = INT64_MAX;
        lock.unlock();
        wake_(of_);  // the resource may go with it
        lock.lock();
      }
    }
  }

  const ForkGuard fork_;
  void (*const wake_)(void* of);
  void* const of_;
  Mutex mutex_;  // guards what follows
  ConditionVariable changed_;
  Thread thread_;
  std::int64_t next_ = INT64_MAX;
  bool stop_ = false;
};

// Runs that wait for rows, and rows that wait for their run. thread-safe.
class Unbatcher final : public WaitedResource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::UnbatchResource";

  explicit Unbatcher(std::int64_t timeout_micros)
      : timeout_micros_(timeout_micros),
        alarm_(Ref<Alarm>::Adopt(new Alarm([](void* of) { static_cast<Unbatcher*>(of)->Change([] {}); }, this))) {}
  ~Unbatcher() override { alarm_->Stop(); }
  std::string DebugString() const override { return "UnbatchResource"; }

  // Gives the pieces to the runs that wait, keeps the others, and waits for the piece `k`.
  struct Get final : Attempt {
    Get(OpKernelContext* c, Done d, Ref<Unbatcher> u, std::int64_t k, SlimVector<KeyedTensor> p)
        : Attempt(c, std::move(d)),
          unbatcher(std::move(u)),
          pieces(std::move(p)),
          key(k),
          deadline(DeadlineIn(unbatcher->timeout_micros_, 1000)) {}
    bool Try(Status* status) override {
      const bool is_over = FindPiece(status);
      if (is_over && is_waiting) unbatcher->Forget(key);
      if (!is_over && !is_waiting) unbatcher->awaited_.push_back(key);
      is_waiting = !is_over;
      return is_over;
    }
    Status Deliver() override {
      context->set_output(0, std::move(output));
      return OkStatus();
    }
    Status Cancelled() const override {
      if (is_waiting) unbatcher->Forget(key);
      return Attempt::Cancelled();
    }

    Ref<Unbatcher> unbatcher;
    SlimVector<KeyedTensor> pieces;
    std::int64_t key, deadline;
    Tensor output;
    bool is_waiting = false;

   private:
    bool FindPiece(Status* status) {
      SlimVector<KeyedTensor>& ready = unbatcher->ready_;
      if (!is_waiting) unbatcher->DropLate();
      if (const std::size_t i = FindKey(ready, key); i < ready.size()) {
        output = TakeKeyed(&ready, i);
        return true;
      }
      if (!is_waiting) {
        for (const std::int64_t other : unbatcher->awaited_)
          if (other == key) *status = errors::AlreadyExists("Multiple session runs with the same batch key.");
        for (KeyedTensor& piece : pieces) {
          if (!status->ok()) return true;
          piece.deadline = deadline;
          if (FindKey(ready, piece.key) < ready.size())
            *status = errors::AlreadyExists("Multiple tensors returned for same batch key.");
          else
            ready.push_back(std::move(piece));
        }
        if (!status->ok()) return true;
        if (const std::size_t i = FindKey(ready, key); i < ready.size()) {
          output = TakeKeyed(&ready, i);
          return true;
        }
      }
      if (SteadyNanoseconds() >= deadline)
        *status = errors::DeadlineExceeded("Batched data did not arrive within timeout window.");
      else if (!unbatcher->alarm_->WakeAt(deadline))
        *status = errors::ResourceExhausted("Unbatch: the system has no thread that watches timeouts");
      return !status->ok();
    }
  };

 private:
  void Forget(std::int64_t key) {
    for (std::size_t i = 0; i < awaited_.size(); ++i)
      if (awaited_[i] == key) {
        awaited_.erase(awaited_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
  }
  // Pieces whose run does not come any more.
  void DropLate() {
    const std::int64_t now = SteadyNanoseconds();
    for (std::size_t i = ready_.size(); i-- > 0;)
      if (ready_[i].deadline < now) (void)TakeKeyed(&ready_, i);
  }

  const std::int64_t timeout_micros_;
  const Ref<Alarm> alarm_;
  SlimVector<KeyedTensor> ready_;
  SlimVector<std::int64_t> awaited_;  // keys of runs that wait
};

// The rows of each run, in the order of the index.
inline Status SplitBatch(const Tensor& data, const Tensor& index, SlimVector<KeyedTensor>* pieces) {
  if (index.dims() != 2 || index.dim_size(1) != 3)
    return errors::InvalidArgument(
        "Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: ", index.shape(), ".");
  if (data.dims() == 0) return errors::InvalidArgument("Unbatch: batched_tensor must have rows, got shape []");
  const Index count = index.dim_size(0), rows = data.dim_size(0);
  if (count > rows)
    return errors::InvalidArgument("Wrong shape for index tensor. Expected 0th dimension size to be no greater than ",
                                   rows, "; Got: ", count, ".");
  Index first = 0;
  for (Index i = 0; i < count; ++i) {
    const std::int64_t* const row = index.data<std::int64_t>() + 3 * i;
    if (row[1] < 0 || row[2] < row[1] || row[2] - row[1] > rows - first)
      return errors::InvalidArgument("Unbatch: row ", i, " of batch_index names rows ", row[1], " to ", row[2],
                                     "; the batch has ", rows);
    const Index size = row[2] - row[1];
    TensorShape shape = data.shape();
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, size));
    TENON_ASSIGN_OR_RETURN(Tensor piece, Tensor::Make(data.dtype(), shape, nullptr));
    TENON_RETURN_IF_ERROR(tensor::CopyContiguousSlices(data, first, 0, size, &piece));
    pieces->push_back({row[0], 0, std::move(piece)});
    first += size;
  }
  return OkStatus();
}

// Gradients of runs that wait for the others of their batch. thread-safe.
class GradientUnbatcher final : public WaitedResource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::UnbatchGradResource";

  std::string DebugString() const override { return "UnbatchGradResource"; }

  // Adds its gradient. The run that had the batch waits for those of all its keys.
  struct Join final : Attempt {
    Join(OpKernelContext* c, Done d, Ref<GradientUnbatcher> u) : Attempt(c, std::move(d)), unbatcher(std::move(u)) {}
    bool Try(Status* status) override {
      const bool is_over = Add(status);
      if (is_over && is_waiting) unbatcher->Forget(this);
      is_waiting = !is_over;
      return is_over;
    }
    Status Deliver() override {
      context->set_output(0, std::move(output));
      return OkStatus();
    }
    Status Cancelled() const override {
      if (is_waiting) unbatcher->Forget(this);
      return Attempt::Cancelled();
    }

    Ref<GradientUnbatcher> unbatcher;
    Tensor output;
    bool is_waiting = false;

   private:
    bool Add(Status* status) {
      SlimVector<KeyedTensor>& ready = unbatcher->ready_;
      const Tensor &index = context->input(1), &gradient = context->input(2);
      if (!is_waiting) {
        const std::int64_t key = *context->input(3).data<std::int64_t>();
        if (FindKey(ready, key) < ready.size()) {
          *status = errors::InvalidArgument("Two runs with the same batch key.");
          return true;
        }
        ready.push_back({key, 0, gradient});
        if (context->input(0).NumElements() == 0) {
          TensorShape shape = gradient.shape();
          status->Update(shape.SetDimWithStatus(0, 0));
          if (status->ok()) output = Tensor(gradient.dtype(), shape);
          return true;
        }
      }
      bool is_complete = true;
      const Index count = index.dim_size(0);
      for (Index i = 0; i < count; ++i) {
        const std::int64_t wanted = index.data<std::int64_t>()[3 * i];
        if (FindKey(ready, wanted) < ready.size()) continue;
        is_complete = false;
        if (is_waiting) return false;
        for (const Waiting& other : unbatcher->waiting_)
          if (other.key == wanted) {
            *status = errors::InvalidArgument("Missing tensor wanted by more than one batch.");
            unbatcher->Forget(this);
            return true;
          }
      }
      if (!is_complete) {
        for (Index i = 0; i < count; ++i) unbatcher->waiting_.push_back({this, index.data<std::int64_t>()[3 * i]});
        return false;
      }
      SlimVector<Tensor> pieces;
      for (Index i = 0; i < count; ++i) {
        const std::size_t at = FindKey(ready, index.data<std::int64_t>()[3 * i]);
        if (at == ready.size()) {
          *status = errors::Internal("bad bookkeeping of available tensors.");
          return true;
        }
        pieces.push_back(TakeKeyed(&ready, at));
      }
      status->Update(ConcatRows(pieces, 0, &output));
      return true;
    }
  };

 private:
  struct Waiting {
    const Join* run;
    std::int64_t key;
  };
  void Forget(const Join* run) {
    for (std::size_t i = waiting_.size(); i-- > 0;)
      if (waiting_[i].run == run) waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  SlimVector<KeyedTensor> ready_;
  SlimVector<Waiting> waiting_;
};

inline Status RunUnbatch(const OpKernelContext& context, const ContainerInfo& info, std::int64_t timeout,
                         Ref<Unbatcher>* unbatcher, SlimVector<KeyedTensor>* pieces) {
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  TENON_RETURN_IF_ERROR(
      resources->LookupOrCreate<Unbatcher>(info.container, info.name, unbatcher, [timeout](Ref<Unbatcher>* made) {
        *made = Ref<Unbatcher>::Adopt(new Unbatcher(timeout));
        return OkStatus();
      }));
  if (context.input(2).dims() != 0)
    return errors::InvalidArgument("Input id should be scalar; Got: ", context.input(2).shape(), ".");
  return SplitBatch(context.input(0), context.input(1), pieces);
}
inline Status RunUnbatchGrad(const OpKernelContext& context, const ContainerInfo& info,
                             Ref<GradientUnbatcher>* unbatcher) {
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  TENON_RETURN_IF_ERROR(resources->LookupOrCreate<GradientUnbatcher>(
      info.container, info.name, unbatcher, [](Ref<GradientUnbatcher>* made) {
        *made = Ref<GradientUnbatcher>::Adopt(new GradientUnbatcher);
        return OkStatus();
      }));
  const Tensor &index = context.input(1), &gradient = context.input(2);
  if (context.input(3).dims() != 0)
    return errors::InvalidArgument("Expected `id` to be scalar. Received ", context.input(3).shape());
  if (gradient.dims() == 0) return errors::InvalidArgument("UnbatchGrad: grad must have rows, got shape []");
  if (context.input(0).NumElements() == 0) return OkStatus();
  if (index.NumElements() == 0) return errors::InvalidArgument("batch_index is empty while the tensor isn't.");
  if (index.dims() == 0 || index.NumElements() / 3 != index.dim_size(0) || index.NumElements() % 3 != 0)
    return errors::InvalidArgument("batch_index should contain three elements a run. Received shape ", index.shape());
  return OkStatus();
}

}  // namespace detail

// The rows of the run with that id, out of the batch that this run or another has.
struct Unbatch {
  static constexpr auto signature = Op("Unbatch")
                                        .Input("batched_tensor: T")
                                        .Input("batch_index: int64")
                                        .Input("id: int64")
                                        .Output("unbatched_tensor: T")
                                        .Attr("timeout_micros: int")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::UnbatchShape);
  struct Attrs {
    std::int64_t timeout_micros;
  };
  static constexpr std::string_view unused[] = {"container", "shared_name"};  // `info` has them
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    static constexpr bool tensors_on_host = true;  // another run's thread copies the rows
    Status Init(OpKernelConstruction& c) {
      TENON_ASSIGN_OR_RETURN(info, ContainerInfo::From(c, true));
      return OkStatus();
    }
    void operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor& id, Tensor&,
                    Done done) const {
      Ref<detail::Unbatcher> found;
      SlimVector<detail::KeyedTensor> pieces;
      const Status status = detail::RunUnbatch(context.op(), info, this->timeout_micros, &found, &pieces);
      if (!status.ok()) return done(status);
      found->Start(Owned<detail::WaitedResource::Attempt>(new detail::Unbatcher::Get(
          &context.op(), std::move(done), found, *id.data<std::int64_t>(), std::move(pieces))));
    }
    ContainerInfo info;
  };
};

// The gradients of all runs of a batch, for the run that had it; the others get no rows.
struct UnbatchGrad {
  static constexpr auto signature = Op("UnbatchGrad")
                                        .Input("original_input: T")
                                        .Input("batch_index: int64")
                                        .Input("grad: T")
                                        .Input("id: int64")
                                        .Output("batched_grad: T")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::UnbatchGradShape);
  static constexpr std::string_view unused[] = {"container", "shared_name"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    static constexpr bool tensors_on_host = true;
    Status Init(OpKernelConstruction& c) {
      TENON_ASSIGN_OR_RETURN(info, ContainerInfo::From(c, true));
      return OkStatus();
    }
    void operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Tensor&,
                    Done done) const {
      Ref<detail::GradientUnbatcher> found;
      const Status status = detail::RunUnbatchGrad(context.op(), info, &found);
      if (!status.ok()) return done(status);
      found->Start(Owned<detail::WaitedResource::Attempt>(
          new detail::GradientUnbatcher::Join(&context.op(), std::move(done), found)));
    }
    ContainerInfo info;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
