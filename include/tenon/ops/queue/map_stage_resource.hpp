// SPDX-License-Identifier: Apache-2.0
#pragma once
// StagingMap: tuples of tensors by an int64 key, the resource behind the MapStage and OrderedMapStage families. A tuple
// may come in parts; it can be taken, whole or in parts, once it is complete.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/queue/stage.hpp>
#include <tenon/ops/queue/waited_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// thread-safe. The ordered and the other kind differ in type only: both hand out the smallest key first, which
// TensorFlow promises of the ordered kind alone.
class StagingMapBase : public WaitedResource {
 public:
  using Tuple = SlimVector<Tensor>;  // kInvalid: nothing there

  StagingMapBase(std::string name, Index capacity, Index memory_limit, Index width)
      : name_(std::move(name)), width_(static_cast<std::size_t>(width)), room_{capacity, memory_limit} {}
  std::string DebugString() const override { return StrCat("Staging map size: ", Size()); }

  Index Size() const {
    const tenon::MutexLock lock(mutex);
    return static_cast<Index>(complete_.size());
  }
  Index IncompleteSize() const {
    const tenon::MutexLock lock(mutex);
    return static_cast<Index>(incomplete_.size());
  }
  void Clear() {
    FlatMap<std::int64_t, Tuple> dropped, dropped_parts;  // go after the lock
    Change([&] {
      std::swap(dropped, complete_);
      std::swap(dropped_parts, incomplete_);
      room_.bytes = 0;
    });
  }

  // Puts tensor k at index indices[k] of the tuple `key`.
  struct Put final : Attempt {
    Put(OpKernelContext* c, Done d, Ref<StagingMapBase> m, std::int64_t k, std::span<const std::int32_t> i, Tuple t)
        : Attempt(c, std::move(d)), map(std::move(m)), key(k), indices(i), tuple(std::move(t)) {}
    bool Try(Status* status) override {
      const Index more = StagingRoom::BytesOf(tuple);
      *status = map->room_.Check(more);
      if (!status->ok()) return true;
      const bool whole = indices.size() == map->width_;
      if (!map->room_.HasMemoryFor(more) || (whole && !map->room_.HasPlace(map->complete_.size()))) return false;
      *status = map->Insert(key, indices, &tuple, more);
      return true;
    }
    Ref<StagingMapBase> map;
    std::int64_t key;
    std::span<const std::int32_t> indices;  // elements of the op's input
    Tuple tuple;
  };

  enum class Take : std::uint8_t { kPeek, kKey, kFirst };
  // The tensors at `indices` of the tuple `key`, or of any.
  struct Get final : Attempt {
    Get(OpKernelContext* c, Done d, Ref<StagingMapBase> m, Take h, std::int64_t k, std::span<const std::int32_t> i)
        : Attempt(c, std::move(d)), map(std::move(m)), how(h), key(k), indices(i) {}
    bool Try(Status* status) override {
      FlatMap<std::int64_t, Tuple>& complete = map->complete_;
      if (complete.empty() || (how != Take::kFirst && !complete.contains(key))) return false;
      if (how == Take::kFirst) key = complete.begin()->first;
      *status = map->Remove(key, indices, how == Take::kPeek, &tuple);
      return true;
    }
    Status Deliver() override {
      const int first = how == Take::kFirst ? 1 : 0, count = context->num_outputs() - first;
      if (static_cast<int>(tuple.size()) != count)
        return errors::InvalidArgument("output/indices size mismatch: ", count, " vs. ", tuple.size());
      if (first != 0) {
        Tensor* out = nullptr;
        TENON_RETURN_IF_ERROR(context->allocate_output(0, TensorShape(), &out));
        *out->data<std::int64_t>() = key;
      }
      for (int i = 0; i < count; ++i) {
        Tensor& value = tuple[static_cast<std::size_t>(i)];
        if (value.dtype() != context->expected_output_dtype(first + i))
          return errors::InvalidArgument("Tensor at index '", indices[static_cast<std::size_t>(i)], "' for key '", key,
                                         "' is ", value.dtype(), ", but output ", i, " is ",
                                         context->expected_output_dtype(first + i));
        context->set_output(first + i, std::move(value));
      }
      return OkStatus();
    }
    Ref<StagingMapBase> map;
    Take how;
    std::int64_t key;
    std::span<const std::int32_t> indices;
    Tuple tuple;
  };

 private:
  static bool IsSet(const Tensor& tensor) { return tensor.dtype() != DataType::kInvalid; }
  static bool AnySet(const Tuple& tuple) {
    for (const Tensor& tensor : tuple)
      if (IsSet(tensor)) return true;
    return false;
  }
  Status CheckIndex(std::int64_t key, std::int32_t index) const {
    if (index >= 0 && static_cast<std::size_t>(index) < width_) return OkStatus();
    return errors::InvalidArgument("Index '", index, "' for key '", key, "' was out of bounds '", width_, "'.");
  }

  // Nothing changes unless all of it fits.
  Status Insert(std::int64_t key, std::span<const std::int32_t> indices, Tuple* tuple, Index bytes) {
    if (indices.size() == width_) {  // a key that is there keeps its tuple
      if (complete_.try_emplace(key, std::move(*tuple)).second) room_.bytes += bytes;
      return OkStatus();
    }
    const Tuple* const present = incomplete_.FindValue(key);
    for (const std::int32_t index : indices) {
      TENON_RETURN_IF_ERROR(CheckIndex(key, index));
      if (present != nullptr && IsSet((*present)[static_cast<std::size_t>(index)]))
        return errors::InvalidArgument("The tensor for index '", index, "' for key '", key,
                                       "' was already initialized '", width_, "'.");
    }
    const auto at = incomplete_.try_emplace(key, width_, Tensor(DataType::kInvalid)).first;
    for (std::size_t i = 0; i < indices.size(); ++i)
      at->second[static_cast<std::size_t>(indices[i])] = std::move((*tuple)[i]);
    room_.bytes += bytes;
    for (const Tensor& tensor : at->second)
      if (!IsSet(tensor)) return OkStatus();
    Tuple whole = std::move(at->second);
    incomplete_.erase(at);
    const Index whole_bytes = StagingRoom::BytesOf(whole);
    if (!complete_.try_emplace(key, std::move(whole)).second) room_.bytes -= whole_bytes;
    return OkStatus();
  }
  Status Remove(std::int64_t key, std::span<const std::int32_t> indices, bool peek, Tuple* out) {
    const auto at = complete_.find(key);
    for (const std::int32_t index : indices) {
      TENON_RETURN_IF_ERROR(CheckIndex(key, index));
      if (!IsSet(at->second[static_cast<std::size_t>(index)]))
        return errors::InvalidArgument("Tensor at index '", index, "' for key '", key, "' has already been removed.");
    }
    out->reserve(indices.size());  // before a tensor is taken
    for (const std::int32_t index : indices) {
      Tensor& tensor = at->second[static_cast<std::size_t>(index)];
      out->push_back(tensor);
      if (!peek) tensor = Tensor(DataType::kInvalid);
    }
    if (peek) return OkStatus();
    room_.bytes -= StagingRoom::BytesOf(*out);
    if (!AnySet(at->second)) complete_.erase(at);
    return OkStatus();
  }

  const std::string name_;
  const std::size_t width_;  // tensors in a tuple
  StagingRoom room_;
  FlatMap<std::int64_t, Tuple> complete_, incomplete_;
};

template <bool kOrdered>
class StagingMap final : public StagingMapBase {
 public:
  static constexpr std::string_view kTypeName =
      kOrdered ? "tensorflow::StagingMap<true>" : "tensorflow::StagingMap<false>";
  using StagingMapBase::StagingMapBase;
};

// The inputs `key` and `indices`. Staging takes a key of one element; finding a tuple needs a scalar.
inline Status CheckMapKey(const Tensor& key) {
  if (key.NumElements() == 1) return OkStatus();
  return errors::InvalidArgument("key must be an int64 scalar, got tensor with shape: ", key.shape());
}
inline Status CheckMapIndices(const Tensor& indices) {
  if (indices.dims() != 1)
    return errors::InvalidArgument("indices must be a vector, got tensor with shape: ", indices.shape());
  const std::int32_t* const at = indices.data<std::int32_t>();
  for (Index i = 1; i < indices.NumElements(); ++i)
    if (at[i - 1] >= at[i])
      return errors::InvalidArgument("Indices are not strictly ordered: ", at[i - 1], " is followed by ", at[i]);
  return OkStatus();
}
inline std::span<const std::int32_t> MapIndices(const Tensor& indices) {
  return {indices.data<std::int32_t>(), static_cast<std::size_t>(indices.NumElements())};
}

template <bool kOrdered>
void RunMapStage(OpKernelContext& context, const StagingPlace<StagingMap<kOrdered>>& place, const StagingAttrs& attrs,
                 Index width, const Tensor& key, const Tensor& indices, std::span<const Tensor> values, Done done) {
  Ref<StagingMap<kOrdered>> map;
  Status status = CheckMapKey(key);
  if (status.ok()) status = CheckMapIndices(indices);
  if (status.ok() && static_cast<Index>(values.size()) != indices.NumElements())
    status = errors::InvalidArgument("number of indices and values must agree, got ", indices.NumElements(), " and ",
                                     values.size());
  if (status.ok()) status = place.Open(context, attrs, width, &map);
  if (!status.ok()) return done(status);
  map->Start(Owned<WaitedResource::Attempt>(new StagingMapBase::Put(
      &context, std::move(done), map, *key.data<std::int64_t>(), MapIndices(indices), {values.begin(), values.end()})));
}

// Without a key: any tuple.
template <bool kOrdered>
void RunMapUnstage(OpKernelContext& context, const StagingPlace<StagingMap<kOrdered>>& place, const StagingAttrs& attrs,
                   Index width, bool peek, const Tensor* key, const Tensor& indices, Done done) {
  using Take = StagingMapBase::Take;
  Ref<StagingMap<kOrdered>> map;
  Status status = key == nullptr || key->dims() == 0
                      ? OkStatus()
                      : errors::InvalidArgument("key must be an int64 scalar, got tensor with shape: ", key->shape());
  if (status.ok()) status = CheckMapIndices(indices);
  if (status.ok()) status = place.Open(context, attrs, width, &map);
  if (!status.ok()) return done(status);
  map->Start(Owned<WaitedResource::Attempt>(new StagingMapBase::Get(&context, std::move(done), map,
                                                                    peek             ? Take::kPeek
                                                                    : key == nullptr ? Take::kFirst
                                                                                     : Take::kKey,
                                                                    key == nullptr ? 0 : *key->data<std::int64_t>(),
                                                                    MapIndices(indices))));
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
