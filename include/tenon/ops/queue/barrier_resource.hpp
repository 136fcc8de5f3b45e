// SPDX-License-Identifier: Apache-2.0
#pragma once
// KeyBarrier: the resource behind the Barrier ops - tuples by key, whose components come one by one; complete ones are
// taken in the order in which their keys came first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/ops/queue/waited_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// A complete tuple; the insertion that brought its key.
struct BarrierRow {
  std::int64_t index;
  std::string key;
  SlimVector<Tensor> tuple;
  static bool After(const BarrierRow& a, const BarrierRow& b) { return a.index > b.index; }
};

// thread-safe.
class KeyBarrier final : public WaitedResource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::barrier::Barrier";

  KeyBarrier(std::string name, SlimVector<DataType> types, SlimVector<TensorShape> shapes)
      : name_(std::move(name)), types_(std::move(types)), shapes_(std::move(shapes)) {}
  std::string DebugString() const override { return "A barrier"; }
  const std::string& name() const { return name_; }
  const SlimVector<DataType>& types() const { return types_; }
  const SlimVector<TensorShape>& shapes() const { return shapes_; }

  std::int32_t ReadySize() const {
    const tenon::MutexLock lock(mutex);
    return static_cast<std::int32_t>(ready_.size());
  }
  std::int32_t IncompleteSize() const {
    const tenon::MutexLock lock(mutex);
    return static_cast<std::int32_t>(incomplete_.size());
  }

  // Inserts component `component` of the tuples `keys` (n of them); values: [n] + its shape. Components before a
  // refused one are inserted.
  Status Insert(const Tensor& keys, std::size_t component, const Tensor& values) {
    Status status;
    Change([&] { status = InsertLocked(keys, component, values); });
    return status;
  }
  // Refuses new keys from now on. With `cancel`, incomplete tuples go, too.
  Status Close(bool cancel) {
    Status status;
    Change([&] {
      if (closed_ && (cancelled_ || !cancel)) {
        status = errors::Cancelled("Barrier '", name_, "' is already closed.");
        return;
      }
      closed_ = true;
      cancelled_ = cancel;
      if (cancel) incomplete_.clear();
    });
    return status;
  }

  // `wanted` complete tuples; fewer, but not none, when the barrier is closed and `allow_small` is set.
  struct Take final : Attempt {
    Take(OpKernelContext* c, Done d, Ref<KeyBarrier> b, std::int32_t n, bool s)
        : Attempt(c, std::move(d)), barrier(std::move(b)), wanted(n), allow_small(s) {
      line = 1;
    }
    bool Try(Status* status) override { return barrier->TakeLocked(this, status); }
    Status Deliver() override { return barrier->Join(*context, rows); }
    Ref<KeyBarrier> barrier;
    std::int32_t wanted;
    bool allow_small, waited = false;
    SlimVector<BarrierRow> rows;
  };

 private:
  using Tuple = SlimVector<Tensor>;  // kInvalid: not yet there
  struct Entry {
    std::int64_t index;  // number of the insertion that brought the key
    Tuple tuple;
  };

  static bool IsSet(const Tensor& tensor) { return tensor.dtype() != DataType::kInvalid; }
  bool NothingMoreComes() const { return closed_ && incomplete_.empty(); }

  Status CheckOpen(Index count) const {
    if (!closed_ || (!cancelled_ && (count == 0 || !incomplete_.empty()))) return OkStatus();
    return errors::Cancelled("Barrier ", name_, " is closed.  Pending enqueues cancelled: ", cancelled_ ? 1 : 0,
                             ".  Number of new insertions: ", count,
                             ".  Number of incomplete keys: ", incomplete_.size(), ".");
  }
  Status CheckKey(std::string_view key, Index i, std::size_t component) const {
    const Entry* const entry = incomplete_.FindValue(key);
    if (entry == nullptr && closed_)
      return errors::Cancelled("Barrier ", name_, " is closed, but attempted to insert a brand new key: ", key,
                               ".  Pending enqueues cancelled: ", cancelled_ ? 1 : 0, ".  Insertion index: ", i,
                               ".  Number of incomplete keys: ", incomplete_.size(), ".");
    if (entry != nullptr && IsSet(entry->tuple[component]))
      return errors::InvalidArgument("Key ", key, " already has a value for component ", component, " in barrier ",
                                     name_);
    return OkStatus();
  }
  Status InsertLocked(const Tensor& keys, std::size_t component, const Tensor& values) {
    TENON_RETURN_IF_ERROR(CheckOpen(keys.NumElements()));
    bool new_keys = false;
    Status status;
    for (Index i = 0; status.ok() && i < keys.NumElements(); ++i) {
      const std::string_view key = keys.data<tstring>()[i].view();
      status = CheckKey(key, i, component);
      if (status.ok()) status = InsertOne(key, component, values, i, &new_keys);
    }
    if (new_keys) ++next_index_;
    return status;
  }
  Status InsertOne(std::string_view key, std::size_t component, const Tensor& values, Index row, bool* new_keys) {
    const ElementMover mover = MoverOf(types_[component]);
    TENON_ASSIGN_OR_RETURN(Tensor value, Tensor::Make(types_[component], shapes_[component]));
    CopyRun(mover, mover.At(values.raw_data(), row * value.NumElements()), value.raw_data(), value.NumElements());
    auto at = incomplete_.find(key);
    if (at == incomplete_.end()) {
      at = incomplete_.try_emplace(key, Entry{next_index_, Tuple(types_.size(), Tensor(DataType::kInvalid))}).first;
      *new_keys = true;
    }
    at->second.tuple[component] = std::move(value);
    if (std::all_of(at->second.tuple.begin(), at->second.tuple.end(), IsSet)) MakeReady(at);
    return OkStatus();
  }
  void MakeReady(FlatMap<std::string, Entry>::iterator at);
  bool TakeLocked(Take* take, Status* status);
  // The op's outputs: indices and keys, [n] each, and the components, [n] + their shapes.
  Status Join(OpKernelContext& context, const SlimVector<BarrierRow>& rows) const;

  const std::string name_;
  const SlimVector<DataType> types_;
  const SlimVector<TensorShape> shapes_;
  bool closed_ = false, cancelled_ = false;
  std::int64_t next_index_ = std::numeric_limits<std::int64_t>::min();
  FlatMap<std::string, Entry> incomplete_;
  SlimVector<BarrierRow> ready_;  // a heap, the least index first
};

inline void KeyBarrier::MakeReady(FlatMap<std::string, Entry>::iterator at) {
  ready_.push_back(BarrierRow{at->second.index, at->first, std::move(at->second.tuple)});
  std::push_heap(ready_.begin(), ready_.end(), BarrierRow::After);
  incomplete_.erase(at);
}

inline bool KeyBarrier::TakeLocked(Take* take, Status* status) {
  const auto ready = static_cast<std::int32_t>(ready_.size());
  std::int32_t count = take->wanted;
  if (closed_ && (!take->waited || NothingMoreComes())) {
    if (take->allow_small) count = std::min(count, ready);
    const Index available = ready + (take->allow_small ? 0 : static_cast<Index>(incomplete_.size()));
    if (available < std::max(count, 1)) {
      *status = errors::OutOfRange("Barrier '", name_, "' is closed and has insufficient elements (requested ",
                                   std::max(count, 1), ", total size ", available, ")");
      return true;
    }
  }
  take->waited = true;
  if (ready < count) return false;
  take->rows.reserve(static_cast<std::size_t>(std::max(count, 0)));  // before a row is taken
  for (; count > 0; --count) {
    std::pop_heap(ready_.begin(), ready_.end(), BarrierRow::After);
    take->rows.push_back(std::move(ready_.back()));
    ready_.pop_back();
  }
  return true;
}

inline Status KeyBarrier::Join(OpKernelContext& context, const SlimVector<BarrierRow>& rows) const {
  const auto n = static_cast<Index>(rows.size());
  Tensor *indices = nullptr, *keys = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &keys));
  for (Index i = 0; i < n; ++i) {
    indices->data<std::int64_t>()[i] = rows[static_cast<std::size_t>(i)].index;
    keys->data<tstring>()[i] = tstring(rows[static_cast<std::size_t>(i)].key);
  }
  for (std::size_t c = 0; c < types_.size(); ++c) {
    TensorShape shape = shapes_[c];
    Tensor* values = nullptr;
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, n));
    TENON_RETURN_IF_ERROR(context.allocate_output(static_cast<int>(c) + 2, shape, &values));
    const ElementMover mover = MoverOf(types_[c]);
    const Index width = shapes_[c].num_elements();
    for (Index i = 0; i < n; ++i)
      CopyRun(mover, rows[static_cast<std::size_t>(i)].tuple[c].raw_data(), mover.At(values->raw_data(), i * width),
              width);
  }
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
