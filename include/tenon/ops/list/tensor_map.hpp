// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorMap, a value inside a variant, and its ops: EmptyTensorMap, TensorMapInsert, ...Lookup, ...Erase, ...HasKey,
// ...Size, ...StackKeys.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/math/variant_elements.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Keys in the order in which they came. Keys are equal where types, shapes and all bytes are. externally synchronised.
struct TensorMap {
  struct Entry {
    Tensor key, value;
  };
  SlimVector<std::uint64_t> hashes;  // hash of each key
  SlimVector<Entry> entries;

  Index size() const { return static_cast<Index>(entries.size()); }
  // The number of the key's entry; -1: there is none.
  Index Find(const Tensor& key) const {
    const std::uint64_t hash = HashOf(key);
    for (std::size_t i = 0; i < hashes.size(); ++i)
      if (hashes[i] == hash && detail::SameContents(entries[i].key, key)) return static_cast<Index>(i);
    return -1;
  }
  // Adds an entry, or gives the key's entry another value.
  void Set(const Tensor& key, const Tensor& value) {
    if (const Index at = Find(key); at >= 0) {
      entries[static_cast<std::size_t>(at)].value = value;
      return;
    }
    hashes.push_back(HashOf(key));
    entries.push_back({key, value});
  }
  void Remove(Index at) {
    hashes.erase(hashes.begin() + at);
    entries.erase(entries.begin() + at);
  }

  // TensorFlow's serialised form: key, value, key, value, ...
  std::string_view TypeName() const { return "tensorflow::TensorMap"; }
  std::string DebugString() const { return "TensorMap"; }
  void Encode(VariantTensorData* data) const {
    data->metadata.clear();
    for (const Entry& entry : entries) {
      data->tensors.push_back(entry.key);
      data->tensors.push_back(entry.value);
    }
  }
  bool Decode(VariantTensorData data) {
    if (data.tensors.size() % 2 != 0) return false;
    hashes.clear();
    entries.clear();
    for (std::size_t i = 0; i < data.tensors.size(); i += 2) Set(data.tensors[i], data.tensors[i + 1]);
    return true;
  }

 private:
  static std::uint64_t HashOf(const Tensor& key) {
    std::uint64_t hash = static_cast<std::uint64_t>(key.dtype()) + static_cast<std::uint64_t>(key.NumElements()) * 31;
    if (key.dtype() == DataType::kString) {
      for (Index i = 0; i < key.NumElements(); ++i) hash = Hash64(key.data<tstring>()[i].view(), hash);
    } else if (key.dtype() != DataType::kVariant && key.dtype() != DataType::kResource && key.NumElements() > 0) {
      hash = Hash64(key.tensor_data(), hash);
    }
    return hash;
  }
};

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// AddN: the entries of both, with the sum where both have the key. ZerosLike: nothing.
inline Status ZerosLikeMap(OpKernelContext*, const TensorMap&, TensorMap*) { return OkStatus(); }
inline Status AddMaps(OpKernelContext* context, const TensorMap& a, const TensorMap& b, TensorMap* out) {
  *out = a;
  for (const TensorMap::Entry& entry : b.entries) {
    const Index at = a.Find(entry.key);
    if (at < 0) {
      out->Set(entry.key, entry.value);
      continue;
    }
    Tensor sum;
    TENON_RETURN_IF_ERROR(AddElements(context, entry.value, a.entries[static_cast<std::size_t>(at)].value, &sum));
    out->entries[static_cast<std::size_t>(at)].value = std::move(sum);
  }
  return OkStatus();
}
// Called when kernels are made; the second call does nothing.
inline Status RegisterTensorMap() {
  static const Status status = [] {
    VariantRegistry& registry = VariantRegistry::Global();
    TENON_RETURN_IF_ERROR(registry.AddType<TensorMap>());
    TENON_RETURN_IF_ERROR(registry.AddUnary<TensorMap>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLikeMap));
    return registry.AddBinary<TensorMap>(VariantBinaryOp::kAdd, "CPU", &AddMaps);
  }();
  return status;
}
struct MapKernel {
  Status Init(OpKernelConstruction&) { return RegisterTensorMap(); }
};

// The map of input 0; `decoded` holds one that was still serialised.
struct MapInput {
  const TensorMap* map = nullptr;
  Variant decoded;

  Status Get(const OpKernelContext& context) {
    const std::string_view op = context.op_kernel().type_string();
    const Tensor& handle = context.input(0);
    if (handle.dims() != 0) return errors::InvalidArgument(op, ": Input map must be a scalar. Saw: ", handle.shape());
    const Variant& variant = handle.data<Variant>()[0];
    map = variant.get<TensorMap>();
    if (map != nullptr) return OkStatus();
    decoded = variant;
    const Result<TensorMap*> made = GetVariantValue<TensorMap>(&decoded);
    if (!made.ok())
      return errors::InvalidArgument(op, ": Input handle is not a map. Saw: '", variant.DebugString(), "'");
    map = *made;
    return OkStatus();
  }
};

inline Status MissingKey(const OpKernelContext& context, const char* what) {
  return errors::InvalidArgument(context.op_kernel().type_string(), ": Trying to ", what, ". Could not find key \"",
                                 context.input(1).SummarizeValue(100), "\".");
}
// Output 0 := a map that may be changed: the input's own where this is its last use, otherwise a copy.
inline Status ForwardMap(OpKernelContext& context, const TensorMap& input, TensorMap** out) {
  if (!context.TryForward(0, 0, TensorShape())) {
    Tensor* made = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &made));
  }
  Variant& variant = context.mutable_output(0)->data<Variant>()[0];
  if (!variant.is<TensorMap>()) variant = Variant(TensorMap(input));
  *out = variant.get<TensorMap>();
  return OkStatus();
}

inline Status RunEmptyMap(OpKernelContext& context) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &out));
  out->data<Variant>()[0] = Variant(TensorMap());
  return OkStatus();
}
inline Status RunMapInsert(OpKernelContext& context) {
  MapInput in;
  TensorMap* out = nullptr;
  TENON_RETURN_IF_ERROR(in.Get(context));
  TENON_RETURN_IF_ERROR(ForwardMap(context, *in.map, &out));
  out->Set(context.input(1), context.input(2));
  return OkStatus();
}
inline Status RunMapLookup(OpKernelContext& context) {
  MapInput in;
  TENON_RETURN_IF_ERROR(in.Get(context));
  const Index at = in.map->Find(context.input(1));
  if (at < 0) return MissingKey(context, "lookup non-existent key");
  const Tensor& value = in.map->entries[static_cast<std::size_t>(at)].value;
  if (value.dtype() != context.expected_output_dtype(0))
    return errors::InvalidArgument("TensorMapLookup: the value is ", value.dtype(), ", not ",
                                   context.expected_output_dtype(0));
  context.set_output(0, value);
  return OkStatus();
}
inline Status RunMapErase(OpKernelContext& context) {
  MapInput in;
  TensorMap* out = nullptr;
  TENON_RETURN_IF_ERROR(in.Get(context));
  const Index at = in.map->Find(context.input(1));
  if (at < 0) return MissingKey(context, "erase non-existent item");
  TENON_RETURN_IF_ERROR(ForwardMap(context, *in.map, &out));
  out->Remove(at);
  return OkStatus();
}
inline Status RunMapStackKeys(OpKernelContext& context) {
  constexpr const char* kOp = "TensorMapStackKeys";
  MapInput in;
  TENON_RETURN_IF_ERROR(in.Get(context));
  const Index count = in.map->size();
  if (count == 0) return errors::InvalidArgument(kOp, ": TensorMapStackKeys cannot be called on empty map.");
  const DataType dtype = context.expected_output_dtype(0);
  const TensorShape own = in.map->entries[0].key.shape();
  for (const TensorMap::Entry& entry : in.map->entries) {
    if (entry.key.dtype() != dtype)
      return errors::InvalidArgument(kOp, ": Key does not match requested dtype: ", entry.key.dtype(), ", not ", dtype);
    if (!(entry.key.shape() == own))
      return errors::InvalidArgument(kOp, ": Keys must all have the same shape, got ", own, " and ", entry.key.shape());
  }
  TensorShape shape = own;
  TENON_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, count));
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const ElementMover mover = MoverOf(dtype);
  const Index run = own.num_elements();
  for (Index i = 0; i < count && run > 0; ++i)
    CopyRun(mover, in.map->entries[static_cast<std::size_t>(i)].key.raw_data(), mover.At(out->raw_data(), i * run),
            run);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

struct EmptyTensorMap {
  static constexpr auto signature =
      Op("EmptyTensorMap").Output("handle: variant").SetShapeFn(shape_inference::ScalarShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, Tensor&) const { return detail::RunEmptyMap(context.op()); }
  };
};

// A key that is there gets the new value.
struct TensorMapInsert {
  static constexpr auto signature = Op("TensorMapInsert")
                                        .Input("input_handle: variant")
                                        .Input("key: key_dtype")
                                        .Input("value: value_dtype")
                                        .Output("output_handle: variant")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunMapInsert(context.op());
    }
  };
};

struct TensorMapLookup {
  static constexpr auto signature = Op("TensorMapLookup")
                                        .Input("input_handle: variant")
                                        .Input("key: key_dtype")
                                        .Output("value: value_dtype")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunMapLookup(context.op());
    }
  };
};

struct TensorMapErase {
  static constexpr auto signature = Op("TensorMapErase")
                                        .Input("input_handle: variant")
                                        .Input("key: key_dtype")
                                        .Output("output_handle: variant")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr std::string_view unused[] = {"value_dtype"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunMapErase(context.op());
    }
  };
};

struct TensorMapHasKey {
  static constexpr auto signature = Op("TensorMapHasKey")
                                        .Input("input_handle: variant")
                                        .Input("key: key_dtype")
                                        .Output("has_key: bool")
                                        .Attr("key_dtype: type")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& key, Out<bool> has_key) const {
      detail::MapInput in;
      TENON_RETURN_IF_ERROR(in.Get(context.op()));
      has_key[0] = in.map->Find(key) >= 0;
      return OkStatus();
    }
  };
};

struct TensorMapSize {
  static constexpr auto signature =
      Op("TensorMapSize").Input("input_handle: variant").Output("size: int32").SetShapeFn(shape_inference::ScalarShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> size) const {
      detail::MapInput in;
      TENON_RETURN_IF_ERROR(in.Get(context.op()));
      size[0] = static_cast<std::int32_t>(in.map->size());
      return OkStatus();
    }
  };
};

// Keys of one shape  ->  [n, ...], in the order in which they came; TensorFlow's order is any.
struct TensorMapStackKeys {
  static constexpr auto signature = Op("TensorMapStackKeys")
                                        .Input("input_handle: variant")
                                        .Output("keys: key_dtype")
                                        .Attr("key_dtype: type")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapKernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunMapStackKeys(context.op());
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
