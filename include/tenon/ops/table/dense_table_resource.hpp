// SPDX-License-Identifier: Apache-2.0
#pragma once
// DenseTable: the resource behind the MutableDenseHashTable ops - open addressing over buckets that LookupTableExport
// shows as they are. Two keys that no entry may have mark the free buckets and the buckets that were given up.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/ops/table/table_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Keys are int32, int64 or strings, or vectors of them. thread-safe.
class DenseTable final : public LookupTable {
 public:
  struct Options {
    Tensor empty_key, deleted_key;
    Index buckets = 0;  // at first
    float max_load_factor = 0.8f;
    Allocator* allocator = nullptr;  // memory for the buckets; null: the processor's. It outlives the table
  };

  // InvalidArgument for options that make no table.
  static Status Make(std::string name, DataType values, const TensorShape& value_shape, const Options& options,
                     Ref<LookupTable>* made) {
    const Tensor &empty = options.empty_key, &deleted = options.deleted_key;
    if (!(options.max_load_factor > 0 && options.max_load_factor < 1))
      return errors::InvalidArgument("max_load_factor must be between 0 and 1, got: ", options.max_load_factor);
    if (value_shape.dims() > 1)
      return errors::InvalidArgument("Empty value must be a scalar or a vector, got shape ", value_shape);
    if (empty.dims() > 1)
      return errors::InvalidArgument("Empty key must be a scalar or a vector, got shape ", empty.shape());
    if (!(empty.shape() == deleted.shape()))
      return errors::InvalidArgument("Empty and deleted keys must have same shape, got shapes: ", empty.shape(),
                                     " and ", deleted.shape());
    auto table = Ref<DenseTable>::Adopt(
        new DenseTable(std::move(name), empty.dtype(), values, value_shape, empty.shape(), options));
    if (table->SameKey(empty, 0, deleted, 0)) return errors::InvalidArgument("Empty and deleted keys cannot be equal");
    TENON_RETURN_IF_ERROR(table->Allocate(options.buckets));
    *made = std::move(table);
    return OkStatus();
  }

  Index Size() const override {
    const tenon::MutexLock lock(mutex_);
    return entries_;
  }
  // `fallback` is one value; of several the first counts, as in TensorFlow.
  Status Find(const Tensor& keys, const Tensor& fallback, Tensor* out) const override {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckShape(keys));
    const ElementMover mover = MoverOf(value_dtype());
    const Index width = value_shape().num_elements();
    if (fallback.NumElements() < width && keys.NumElements() > 0)
      return errors::InvalidArgument("Table '", name(), "': the default value is empty");
    for (Index i = 0; i < KeyCount(keys); ++i) {
      TENON_RETURN_IF_ERROR(CheckKey(keys, i));
      const Index bucket = FindBucket(keys, i);
      CopyRun(mover, bucket >= 0 ? mover.At(values_.raw_data(), bucket * width) : fallback.raw_data(),
              mover.At(out->raw_data(), i * width), width);
    }
    return OkStatus();
  }
  // As in TensorFlow, the table grows first, and the entries before one that is not allowed stay.
  Status Insert(const Tensor& keys, const Tensor& values) override {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckShape(keys));
    TENON_RETURN_IF_ERROR(GrowFor(KeyCount(keys)));
    for (Index i = 0; i < KeyCount(keys); ++i) {
      TENON_RETURN_IF_ERROR(CheckKey(keys, i));
      Put(keys, values, i);
    }
    return OkStatus();
  }
  Status Remove(const Tensor& keys) override {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckShape(keys));
    for (Index i = 0; i < KeyCount(keys); ++i) {
      TENON_RETURN_IF_ERROR(CheckKey(keys, i));
      const Index bucket = FindBucket(keys, i);
      if (bucket < 0) continue;
      CopyKey(deleted_, 0, bucket);
      --entries_;
    }
    return OkStatus();
  }
  Status CheckImport(const Tensor& keys, const Tensor& values) const override {
    const TensorShape wanted_keys({keys.dims() == 0 ? 0 : keys.dim_size(0), KeyWidth()});
    const TensorShape wanted_values({wanted_keys.dim_size(0), value_shape().num_elements()});
    if (!(keys.shape() == wanted_keys))
      return errors::InvalidArgument("Expected shape ", wanted_keys, " for keys, got ", keys.shape());
    if (!(values.shape() == wanted_values))
      return errors::InvalidArgument("Expected shape ", wanted_values, " for value, got ", values.shape());
    return OkStatus();
  }
  // keys, values: as Export gives them, with any number of rows.
  Status Import(const Tensor& keys, const Tensor& values) override {
    const tenon::MutexLock lock(mutex_);
    const Index count = KeyCount(keys);
    Index used = 0;
    for (Index i = 0; i < count; ++i) used += IsEntry(keys, i) ? 1 : 0;
    Index buckets = 4;
    while (buckets < count || IsTooFull(used, buckets)) buckets *= 2;
    TENON_RETURN_IF_ERROR(Allocate(buckets));
    if (buckets == count) {
      if (TakeOver(keys, values, used)) return OkStatus();
      TENON_RETURN_IF_ERROR(Allocate(buckets));
    }
    for (Index i = 0; i < count; ++i)
      if (IsEntry(keys, i)) Put(keys, values, i);
    return OkStatus();
  }
  // All buckets: keys [buckets, elements of a key], values [buckets, elements of a value].
  Status Export(Tensor* keys, Tensor* values) const override {
    const tenon::MutexLock lock(mutex_);
    *keys = keys_.DeepCopy();
    *values = values_.DeepCopy();
    if (!keys->IsInitialized() || !values->IsInitialized())
      return errors::ResourceExhausted("OOM when exporting table ", name(), " of ", buckets_, " buckets");
    return OkStatus();
  }

 private:
  DenseTable(std::string name, DataType keys, DataType values, const TensorShape& value_shape,
             const TensorShape& key_shape, const Options& options)
      : LookupTable(std::move(name), keys, values, value_shape),
        empty_(options.empty_key.DeepCopy()),
        deleted_(options.deleted_key.DeepCopy()),
        max_load_factor_(options.max_load_factor),
        allocator_(options.allocator) {
    set_key_shape(key_shape);
  }

  bool IsEntry(const Tensor& keys, Index i) const {
    return !SameKey(keys, i, empty_, 0) && !SameKey(keys, i, deleted_, 0);
  }
  bool IsTooFull(Index entries, Index buckets) const {
    return static_cast<float>(entries) > static_cast<float>(buckets) * max_load_factor_;
  }
  // Fills all buckets as they come; false when an entry is then not where it is looked for.
  bool TakeOver(const Tensor& keys, const Tensor& values, Index used) {
    CopyRun(MoverOf(key_dtype()), keys.raw_data(), keys_.raw_data(), keys.NumElements());
    CopyRun(MoverOf(value_dtype()), values.raw_data(), values_.raw_data(), values.NumElements());
    entries_ = used;
    for (Index b = 0; b < buckets_; ++b)
      if (IsEntry(keys_, b) && FindBucket(keys_, b) != b) return false;
    return true;
  }
  Index KeyWidth() const { return key_shape().num_elements(); }
  Index KeyCount(const Tensor& keys) const { return KeyWidth() == 0 ? 0 : keys.NumElements() / KeyWidth(); }
  template <class T>
  bool SameNumbers(const Tensor& a, Index i, const Tensor& b, Index j) const {
    const auto bytes = static_cast<std::size_t>(KeyWidth()) * sizeof(T);
    return bytes == 0 || std::memcmp(a.data<T>() + i * KeyWidth(), b.data<T>() + j * KeyWidth(), bytes) == 0;
  }
  bool SameKey(const Tensor& a, Index i, const Tensor& b, Index j) const {
    if (key_dtype() == DataType::kInt64) return SameNumbers<std::int64_t>(a, i, b, j);
    if (key_dtype() == DataType::kInt32) return SameNumbers<std::int32_t>(a, i, b, j);
    for (Index k = 0; k < KeyWidth(); ++k)
      if (a.data<tstring>()[i * KeyWidth() + k].view() != b.data<tstring>()[j * KeyWidth() + k].view()) return false;
    return true;
  }
  std::uint64_t HashAt(const Tensor& keys, Index at) const {
    if (key_dtype() == DataType::kInt64) return static_cast<std::uint64_t>(keys.data<std::int64_t>()[at]);
    if (key_dtype() == DataType::kInt32) return static_cast<std::uint64_t>(keys.data<std::int32_t>()[at]);
    return Hash64(keys.data<tstring>()[at].view());
  }
  // As TensorFlow's, so that buckets come out in the same order.
  std::uint64_t HashOf(const Tensor& keys, Index i) const {
    if (KeyWidth() == 1) return HashAt(keys, i);
    std::uint64_t hash = 0;
    for (Index k = 0; k < KeyWidth(); ++k) hash = HashCombine(hash, HashAt(keys, i * KeyWidth() + k));
    return hash;
  }
  Status CheckShape(const Tensor& keys) const {
    const Index count = keys.dims() == 0 ? 1 : keys.dim_size(0);
    TensorShape wanted = key_shape();
    TENON_RETURN_IF_ERROR(wanted.InsertDimWithStatus(0, count));
    if (keys.NumElements() != wanted.num_elements())
      return errors::InvalidArgument("Expected key shape ", wanted, " got ", keys.shape());
    return OkStatus();
  }
  Status CheckKey(const Tensor& keys, Index i) const {
    if (SameKey(keys, i, empty_, 0))
      return errors::InvalidArgument("Using the empty_key as a table key is not allowed: key ", i, " of table ",
                                     name());
    if (SameKey(keys, i, deleted_, 0))
      return errors::InvalidArgument("Using the deleted_key as a table key is not allowed: key ", i, " of table ",
                                     name());
    return OkStatus();
  }

  // All buckets are written at once: a table that the machine cannot hold is refused before.
  Status CheckMemory(const TensorShape& keys, const TensorShape& values) const {
    const Index key_bytes = MultiplyWithoutOverflow(keys.num_elements(), SizeOf(key_dtype()));
    const Index value_bytes = MultiplyWithoutOverflow(values.num_elements(), SizeOf(value_dtype()));
    const std::int64_t memory = tenon::detail::SystemMemory();
    if (key_bytes >= 0 && value_bytes >= 0 && (memory == 0 || key_bytes <= memory - value_bytes)) return OkStatus();
    return errors::ResourceExhausted("OOM when allocating table ", name(), " of ", keys.dim_size(0), " buckets");
  }

  Status Allocate(Index buckets) {
    if (buckets < 4 || (buckets & (buckets - 1)) != 0)
      return errors::InvalidArgument("Number of buckets must be at least 4 and a power of 2, got: ", buckets);
    TensorShape keys({buckets}), values({buckets});
    TENON_RETURN_IF_ERROR(keys.AddDimWithStatus(KeyWidth()));
    TENON_RETURN_IF_ERROR(values.AddDimWithStatus(value_shape().num_elements()));
    TENON_RETURN_IF_ERROR(CheckMemory(keys, values));
    TENON_ASSIGN_OR_RETURN(Tensor new_keys, Tensor::Make(key_dtype(), keys, allocator_));
    TENON_ASSIGN_OR_RETURN(Tensor new_values, Tensor::Make(value_dtype(), values, allocator_));
    ZeroRun(MoverOf(value_dtype()), new_values.raw_data(), new_values.NumElements());
    keys_ = std::move(new_keys);
    values_ = std::move(new_values);
    buckets_ = buckets;
    entries_ = 0;
    for (Index b = 0; b < buckets; ++b) CopyKey(empty_, 0, b);
    return OkStatus();
  }
  // Room for as many more entries, should all of them be new.
  Status GrowFor(Index more) {
    Index buckets = buckets_;
    while (IsTooFull(entries_ + more, buckets)) buckets *= 2;
    if (buckets == buckets_) return OkStatus();
    const Tensor old_keys = keys_, old_values = values_;
    const Index old_buckets = buckets_;
    TENON_RETURN_IF_ERROR(Allocate(buckets));
    for (Index b = 0; b < old_buckets; ++b)
      if (IsEntry(old_keys, b)) Put(old_keys, old_values, b);
    return OkStatus();
  }
  void CopyKey(const Tensor& keys, Index i, Index bucket) {
    const ElementMover mover = MoverOf(key_dtype());
    CopyRun(mover, mover.At(keys.raw_data(), i * KeyWidth()), mover.At(keys_.raw_data(), bucket * KeyWidth()),
            KeyWidth());
  }

  // The bucket of key i, or -1; *place: the first one that it could have.
  Index FindBucket(const Tensor& keys, Index i, Index* place = nullptr) const {
    Index bucket = static_cast<Index>(HashOf(keys, i) & static_cast<std::uint64_t>(buckets_ - 1));
    if (place != nullptr) *place = -1;
    for (Index probe = 1; probe <= buckets_; ++probe) {
      if (SameKey(keys_, bucket, keys, i)) return bucket;
      const bool free = SameKey(keys_, bucket, empty_, 0);
      if (place != nullptr && *place < 0 && (free || SameKey(keys_, bucket, deleted_, 0))) *place = bucket;
      if (free) return -1;
      bucket = (bucket + probe) & (buckets_ - 1);  // triangular numbers reach every bucket
    }
    return -1;
  }
  // There is room.
  void Put(const Tensor& keys, const Tensor& values, Index i) {
    Index place = -1, bucket = FindBucket(keys, i, &place);
    if (bucket < 0) {
      bucket = place;
      CopyKey(keys, i, bucket);
      ++entries_;
    }
    const ElementMover mover = MoverOf(value_dtype());
    const Index width = value_shape().num_elements();
    CopyRun(mover, mover.At(values.raw_data(), i * width), mover.At(values_.raw_data(), bucket * width), width);
  }

  const Tensor empty_, deleted_;
  const float max_load_factor_;
  Allocator* const allocator_;
  mutable Mutex mutex_;
  Tensor keys_, values_;
  Index buckets_ = 0, entries_ = 0;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
