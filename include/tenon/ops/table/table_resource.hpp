// SPDX-License-Identifier: Apache-2.0
#pragma once
// LookupTable: the resource behind the table ops - values by key, filled once (HashTable) or changed at will
// (MutableHashTable); IndexedTable is both. Keys are int32, int64 or strings; a value has a fixed shape.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Distinct keys, numbered in the order in which they came: open addressing over a power of two of slots.
// externally synchronised.
class KeyIndex {
 public:
  explicit KeyIndex(DataType dtype) : dtype_(dtype), places_(kSmallest, kFree) {}

  Index size() const { return is_text() ? Count(texts_) : Count(numbers_); }
  bool is_text() const { return dtype_ == DataType::kString; }

  // The number of element i of `keys`, or -1.
  Index Find(const Tensor& keys, Index i) const {
    const std::int64_t place = places_[FindPlace(keys, i)];
    return place >= 0 ? place : -1;
  }
  // The number of element i of `keys`. Adds a new key, which gets the number size().
  Index FindOrAdd(const Tensor& keys, Index i) {
    if (2 * (used_ + 1) > places_.size()) Rebuild();
    const std::size_t at = FindPlace(keys, i);
    if (places_[at] >= 0) return places_[at];
    const Index number = size();
    if (is_text())  // first: it may have no memory
      texts_.push_back(keys.data<tstring>()[i]);
    else
      numbers_.push_back(NumberAt(keys, i));
    places_[at] = number;
    ++used_;
    return number;
  }
  // Takes out element i of `keys` and returns the number it had, which the last key gets; -1 when it was not there.
  Index Remove(const Tensor& keys, Index i) {
    const std::size_t at = FindPlace(keys, i);
    const Index number = places_[at];
    if (number < 0) return -1;
    const Index last = size() - 1;
    places_[FindPlaceOf(last)] = number;  // before `at` is given up: it may be the same
    places_[at] = kRemoved;
    if (is_text()) {
      if (number != last) std::swap(texts_[At(number)], texts_.back());
      texts_.pop_back();
    } else {
      numbers_[At(number)] = numbers_.back();
      numbers_.pop_back();
    }
    return number;
  }
  void Clear() {
    numbers_.clear();
    texts_.clear();
    places_.assign(kSmallest, kFree);
    used_ = 0;
  }
  // All keys by number, into a vector of size() elements.
  void CopyTo(Tensor* keys) const {
    for (Index i = 0; i < size(); ++i) {
      if (is_text())
        keys->data<tstring>()[i] = texts_[At(i)];
      else if (dtype_ == DataType::kInt64)
        keys->data<std::int64_t>()[i] = numbers_[At(i)];
      else
        keys->data<std::int32_t>()[i] = static_cast<std::int32_t>(numbers_[At(i)]);
    }
  }

 private:
  static constexpr std::int64_t kFree = -1, kRemoved = -2;
  static constexpr std::size_t kSmallest = 16;

  static std::size_t At(Index i) { return static_cast<std::size_t>(i); }
  template <class List>
  static Index Count(const List& list) {
    return static_cast<Index>(list.size());
  }
  static std::int64_t NumberAt(const Tensor& keys, Index i) {
    return keys.dtype() == DataType::kInt64 ? keys.data<std::int64_t>()[i] : keys.data<std::int32_t>()[i];
  }
  static std::uint64_t Mix(std::int64_t number) {
    std::uint64_t x = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 32);
  }
  std::size_t Probe(std::uint64_t hash, auto&& is_key) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t removed = places_.size();
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      if (places_[at] == kFree) return removed < places_.size() ? removed : at;
      if (places_[at] == kRemoved)
        removed = removed < places_.size() ? removed : at;
      else if (is_key(places_[at]))
        return at;
    }
  }
  // Where the key is, or where it would go.
  std::size_t FindPlace(const Tensor& keys, Index i) const {
    if (is_text()) {
      const std::string_view key = keys.data<tstring>()[i];
      return Probe(Hash64(key), [&](std::int64_t n) { return std::string_view(texts_[At(n)]) == key; });
    }
    const std::int64_t key = NumberAt(keys, i);
    return Probe(Mix(key), [&](std::int64_t n) { return numbers_[At(n)] == key; });
  }
  std::size_t FindPlaceOf(Index number) const {
    const std::uint64_t hash = is_text() ? Hash64(texts_[At(number)]) : Mix(numbers_[At(number)]);
    return Probe(hash, [&](std::int64_t n) { return n == number; });
  }
  void Rebuild() {
    std::size_t count = kSmallest;
    while (count < 4 * (At(size()) + 1)) count *= 2;
    SlimVector<std::int64_t> places(count, kFree);
    places_.swap(places);
    used_ = At(size());
    for (Index n = 0; n < size(); ++n) {
      const std::uint64_t hash = is_text() ? Hash64(texts_[At(n)]) : Mix(numbers_[At(n)]);
      places_[Probe(hash, [](std::int64_t) { return false; })] = n;
    }
  }

  DataType dtype_;
  SlimVector<std::int64_t> numbers_;
  SlimVector<tstring> texts_;
  SlimVector<std::int64_t> places_;  // a key's number, kFree or kRemoved
  std::size_t used_ = 0;             // slots that are not free
};

// The interface of a table for the table ops. thread-safe.
class LookupTable : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::lookup::LookupInterface";

  LookupTable(std::string name, DataType keys, DataType values, const TensorShape& value_shape)
      : name_(std::move(name)), keys_(keys), value_dtype_(values), value_shape_(value_shape) {}
  std::string DebugString() const override { return StrCat("A lookup table of ", Size(), " entries"); }

  DataType key_dtype() const { return keys_; }
  DataType value_dtype() const { return value_dtype_; }
  const TensorShape& key_shape() const { return key_shape_; }
  const TensorShape& value_shape() const { return value_shape_; }
  const std::string& name() const { return name_; }

  // Filled once by an initializer, and not changed afterwards.
  virtual bool once() const { return false; }
  virtual Index Size() const = 0;
  // out: the shape of `keys` without the key's own dimensions + value_shape, allocated.
  virtual Status Find(const Tensor& keys, const Tensor& fallback, Tensor* out) const = 0;
  virtual Status Initialize(const Tensor&, const Tensor&) {
    return errors::InvalidArgument("Table ", name_, " is not initializable");
  }
  virtual Status Insert(const Tensor& keys, const Tensor& values) = 0;
  // Checks for the shapes that Import takes, which are the shapes of Export.
  virtual Status CheckImport(const Tensor& keys, const Tensor& values) const {
    TensorShape wanted = keys.shape();
    for (const Index size : value_shape_) TENON_RETURN_IF_ERROR(wanted.AddDimWithStatus(size));
    if (values.shape() == wanted) return OkStatus();
    return errors::InvalidArgument("Expected shape ", wanted, " for value, got ", values.shape());
  }
  // Replaces all entries with these entries.
  virtual Status Import(const Tensor& keys, const Tensor& values) = 0;
  virtual Status Remove(const Tensor& keys) = 0;
  virtual Status Export(Tensor* keys, Tensor* values) const = 0;

 protected:
  void set_key_shape(const TensorShape& shape) { key_shape_ = shape; }

 private:
  const std::string name_;
  const DataType keys_, value_dtype_;
  TensorShape key_shape_;
  const TensorShape value_shape_;
};

// HashTable and MutableHashTable: keys are scalars. thread-safe.
class IndexedTable final : public LookupTable {
 public:
  // Once: a HashTable, which is filled once and refuses changes afterwards.
  IndexedTable(std::string name, DataType keys, DataType values, const TensorShape& value_shape, bool once)
      : LookupTable(std::move(name), keys, values, value_shape), index_(keys), once_(once), values_(values) {}

  bool once() const override { return once_; }
  Index Size() const override {
    const tenon::MutexLock lock(mutex_);
    return once_ && !initialized_ ? 0 : index_.size();
  }

  // `fallback` is one value, or one for each key.
  Status Find(const Tensor& keys, const Tensor& fallback, Tensor* out) const override {
    const tenon::MutexLock lock(mutex_);
    if (once_ && !initialized_) return errors::FailedPrecondition("Table not initialized. It is '", name(), "'");
    const ElementMover mover = MoverOf(value_dtype());
    const Index width = value_shape().num_elements();
    const bool each = !once_ && fallback.NumElements() == out->NumElements() && !(fallback.shape() == value_shape());
    if (fallback.NumElements() < width && keys.NumElements() > 0)
      return errors::InvalidArgument("Table '", name(), "': the default value is empty");
    for (Index i = 0; i < keys.NumElements(); ++i) {
      const Index number = index_.Find(keys, i);
      const void* from = number >= 0 ? mover.At(values_.raw_data(), number * width)
                                     : mover.At(fallback.raw_data(), each ? i * width : 0);
      CopyRun(mover, from, mover.At(out->raw_data(), i * width), width);
    }
    return OkStatus();
  }

  // Once: fills the table. A second time is fine with as many entries, as in TensorFlow.
  Status Initialize(const Tensor& keys, const Tensor& values) override {
    if (!once_) return LookupTable::Initialize(keys, values);
    const tenon::MutexLock lock(mutex_);
    if (initialized_) {
      if (keys.NumElements() == index_.size()) return OkStatus();
      return errors::FailedPrecondition("Table was already initialized with different data.");
    }
    const ElementMover mover = MoverOf(value_dtype());
    for (Index i = 0; i < keys.NumElements(); ++i) {
      const Index before = index_.size();
      TENON_RETURN_IF_ERROR(Reserve(before + 1));
      const Index number = index_.FindOrAdd(keys, i);
      if (number != before && !Same(mover.At(values.raw_data(), i), mover.At(values_.raw_data(), number)))
        return errors::FailedPrecondition("HashTable has different value for same key. Key ",
                                          keys.Slice(i, i + 1).SummarizeValue(1), " has ",
                                          values_.Slice(number, number + 1).SummarizeValue(1),
                                          " and trying to add value ", values.Slice(i, i + 1).SummarizeValue(1));
      CopyRun(mover, mover.At(values.raw_data(), i), mover.At(values_.raw_data(), number), 1);
    }
    initialized_ = true;
    return OkStatus();
  }

  Status Insert(const Tensor& keys, const Tensor& values) override {
    if (once_) return errors::Unimplemented("Insert not supported by InitializableLookupTable implementations");
    const tenon::MutexLock lock(mutex_);
    return InsertLocked(keys, values);
  }
  Status Import(const Tensor& keys, const Tensor& values) override {
    if (once_) return Initialize(keys, values);
    const tenon::MutexLock lock(mutex_);
    index_.Clear();
    values_ = Tensor(value_dtype());
    capacity_ = 0;
    return InsertLocked(keys, values);
  }
  Status Remove(const Tensor& keys) override {
    if (once_) return errors::Unimplemented("Remove not supported by InitializableLookupTable implementations");
    const tenon::MutexLock lock(mutex_);
    const ElementMover mover = MoverOf(value_dtype());
    const Index width = value_shape().num_elements();
    for (Index i = 0; i < keys.NumElements(); ++i) {
      const Index last = index_.size() - 1, number = index_.Remove(keys, i);
      if (number < 0 || number == last) continue;
      CopyRun(mover, mover.At(values_.raw_data(), last * width), mover.At(values_.raw_data(), number * width), width);
    }
    return OkStatus();
  }
  // keys: [n], values: [n] + value_shape
  Status Export(Tensor* keys, Tensor* values) const override {
    const tenon::MutexLock lock(mutex_);
    if (once_ && !initialized_) return errors::Aborted("HashTable is not initialized. It is '", name(), "'");
    TensorShape shape = value_shape();
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, index_.size()));
    TENON_ASSIGN_OR_RETURN(*keys, Tensor::Make(key_dtype(), TensorShape({index_.size()})));
    TENON_ASSIGN_OR_RETURN(*values, Tensor::Make(value_dtype(), shape));
    index_.CopyTo(keys);
    CopyRun(MoverOf(value_dtype()), values_.raw_data(), values->raw_data(), values->NumElements());
    return OkStatus();
  }

 private:
  Status InsertLocked(const Tensor& keys, const Tensor& values) {
    const ElementMover mover = MoverOf(value_dtype());
    const Index width = value_shape().num_elements();
    for (Index i = 0; i < keys.NumElements(); ++i) {
      TENON_RETURN_IF_ERROR(Reserve(index_.size() + 1));  // first: every key has a value
      const Index number = index_.FindOrAdd(keys, i);
      CopyRun(mover, mover.At(values.raw_data(), i * width), mover.At(values_.raw_data(), number * width), width);
    }
    return OkStatus();
  }
  bool Same(const void* a, const void* b) const {
    if (value_dtype() == DataType::kString) {
      return std::string_view(*static_cast<const tstring*>(a)) == std::string_view(*static_cast<const tstring*>(b));
    }
    if (value_dtype() == DataType::kFloat) return *static_cast<const float*>(a) == *static_cast<const float*>(b);
    if (value_dtype() == DataType::kDouble) return *static_cast<const double*>(a) == *static_cast<const double*>(b);
    return std::memcmp(a, b, static_cast<std::size_t>(SizeOf(value_dtype()))) == 0;
  }
  // Room for `count` values.
  Status Reserve(Index count) {
    if (count <= capacity_) return OkStatus();
    const Index wanted = count < 8 ? 8 : 2 * count;
    TensorShape shape = value_shape();
    TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, wanted));
    TENON_ASSIGN_OR_RETURN(Tensor grown, Tensor::Make(value_dtype(), shape));
    const ElementMover mover = MoverOf(value_dtype());
    CopyRun(mover, values_.raw_data(), grown.raw_data(), capacity_ * value_shape().num_elements());
    values_ = std::move(grown);
    capacity_ = wanted;
    return OkStatus();
  }

  mutable Mutex mutex_;
  KeyIndex index_;
  const bool once_;
  bool initialized_ = false;
  Tensor values_;  // [capacity_] + value_shape_; the values of the keys first
  Index capacity_ = 0;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
