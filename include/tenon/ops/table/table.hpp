// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lookup tables: HashTableV2, MutableHashTableV2, MutableHashTableOfTensorsV2, AnonymousHashTable, and the ops that
// fill and read them.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/table/table_kernel.hpp>
#include <tenon/ops/table/table_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Checks what the handle says of keys and values against the op's attrs; *value: the shape of one value, if known.
inline Status CheckTableHandle(InferenceContext* c, std::string_view keys, std::string_view values,
                               ShapeHandle* value) {
  *value = ShapeHandle();
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  const SlimVector<ShapeAndType>* held = c->input_handle_shapes_and_types(0);
  if (held == nullptr || held->size() != 2) return OkStatus();
  const std::string_view attrs[2] = {keys, values};
  for (std::size_t i = 0; i < 2; ++i) {
    DataType dtype = DataType::kInvalid;
    TENON_RETURN_IF_ERROR(c->GetAttr(attrs[i], &dtype));
    if ((*held)[i].dtype != dtype)
      return errors::InvalidArgument("Trying to read value with wrong dtype. Expected ", (*held)[i].dtype, " got ",
                                     dtype);
  }
  *value = (*held)[1].shape;
  return OkStatus();
}

// Takes the dimensions of one key, which the handle knows, from the shape of many.
inline Status RemoveKeyDims(InferenceContext* c, ShapeHandle* keys) {
  const ShapeHandle key = (*c->input_handle_shapes_and_types(0))[0].shape;
  const ShapeHandle all = *keys;
  if (!c->RankKnown(key) || !c->RankKnown(all)) {
    *keys = c->UnknownShape();
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(all, c->Rank(key), keys));
  SlimVector<DimensionHandle> dims;
  for (int d = 0; d < c->Rank(all) - c->Rank(key); ++d) dims.push_back(c->Dim(all, d));
  *keys = c->MakeShape(dims);
  return OkStatus();
}

inline Status CheckTableTypes(const LookupTable& table, DataType keys, DataType values) {
  if (table.key_dtype() == keys && (values == DataType::kInvalid || table.value_dtype() == values)) return OkStatus();
  return errors::InvalidArgument("Signature mismatch, have: resource, ", keys, ", ", values, "-> expected: resource, ",
                                 table.key_dtype(), ", ", table.value_dtype(), "->");
}
// keys.shape, without the dimensions of a key, + the shape of a value.
inline Status ValuesShape(const LookupTable& table, const Tensor& keys, TensorShape* shape) {
  const TensorShape& key = table.key_shape();
  *shape = keys.shape();
  for (int d = key.dims(); d-- > 0;) {
    if (shape->dims() == 0 || shape->dim_size(shape->dims() - 1) != key.dim_size(d))
      return errors::InvalidArgument("Input key shape ", keys.shape(), " must end with the table's key shape ", key);
    TENON_RETURN_IF_ERROR(shape->RemoveLastDimsWithStatus(1));
  }
  for (const Index size : table.value_shape()) TENON_RETURN_IF_ERROR(shape->AddDimWithStatus(size));
  return OkStatus();
}
inline Status OpenTable(const OpKernelContext& context, DataType keys, DataType values, Ref<LookupTable>* table) {
  TENON_RETURN_IF_ERROR(LookupEither<LookupTable>(context, 0, table));
  return CheckTableTypes(**table, keys, values);
}

inline Status FindInTable(OpKernelContext& context, const Tensor& keys, const Tensor& fallback, Tensor* values) {
  Ref<LookupTable> table;
  TensorShape all;
  TENON_RETURN_IF_ERROR(OpenTable(context, keys.dtype(), fallback.dtype(), &table));
  TENON_RETURN_IF_ERROR(ValuesShape(*table, keys, &all));
  if (!(fallback.shape() == table->value_shape()) && !(fallback.shape() == all))
    return errors::InvalidArgument("Expected shape ", table->value_shape(), " or ", all, " for default value, got ",
                                   fallback.shape());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, all, &values));
  return table->Find(keys, fallback, values);
}

inline Status InitializeTable(const OpKernelContext& context, const Tensor& keys, const Tensor& values) {
  Ref<LookupTable> table;
  TENON_RETURN_IF_ERROR(LookupEither<LookupTable>(context, 0, &table));
  if (!table->once()) return errors::InvalidArgument("Table ", table->name(), " is not initializable");
  TENON_RETURN_IF_ERROR(CheckTableTypes(*table, keys.dtype(), values.dtype()));
  if (keys.dims() != 1) return errors::InvalidArgument("Keys must be a vector, but received shape", keys.shape());
  if (values.dims() != 1) return errors::InvalidArgument("Values must be a vector, but received shape", values.shape());
  if (keys.NumElements() != values.NumElements())
    return errors::InvalidArgument("Keys and values must have the same size ", keys.NumElements(), " vs ",
                                   values.NumElements());
  return table->Initialize(keys, values);
}

inline Status InsertIntoTable(const OpKernelContext& context, const Tensor& keys, const Tensor& values, bool import) {
  Ref<LookupTable> table;
  TensorShape all;
  TENON_RETURN_IF_ERROR(OpenTable(context, keys.dtype(), values.dtype(), &table));
  if (import) {
    TENON_RETURN_IF_ERROR(table->CheckImport(keys, values));
    return table->Import(keys, values);
  }
  TENON_RETURN_IF_ERROR(ValuesShape(*table, keys, &all));
  if (!(values.shape() == all))
    return errors::InvalidArgument("Expected shape ", all, " for value, got ", values.shape());
  return table->Insert(keys, values);
}

}  // namespace detail

// Filled once by an initializer.
struct HashTableV2 {
  static constexpr auto signature = Op("HashTableV2")
                                        .Output("table_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::TableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : TableKernel(c, detail::kHashTableTypes, true, false) {}
  };
};

// One that only its handle names.
struct AnonymousHashTable {
  static constexpr auto signature = Op("AnonymousHashTable")
                                        .Output("table_handle: resource")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::TableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : TableKernel(c, detail::kHashTableTypes, true, true) {}
  };
};

// Scalars by key, changed at will.
struct MutableHashTableV2 {
  static constexpr auto signature = Op("MutableHashTableV2")
                                        .Output("table_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::MutableTableShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::TableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : TableKernel(c, detail::kMutableTableTypes, false, false) {}
  };
};

// Vectors by key, changed at will.
struct MutableHashTableOfTensorsV2 {
  static constexpr auto signature = Op("MutableHashTableOfTensorsV2")
                                        .Output("table_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .Attr("value_shape: shape = {}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::MutableTableShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::TableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : TableKernel(c, detail::kTensorTableTypes, false, false) {}
  };
};

// keys: [n], values: [n]
struct InitializeTableV2 {
  static constexpr auto signature = Op("InitializeTableV2")
                                        .Input("table_handle: resource")
                                        .Input("keys: Tkey")
                                        .Input("values: Tval")
                                        .Attr("Tkey: type")
                                        .Attr("Tval: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused, keys;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
                                          return c->Merge(keys, c->input(2), &keys);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& keys, const Tensor& values) const {
      return detail::InitializeTable(context.op(), keys, values);
    }
  };
};

// The value of each key; default_value where there is none.
struct LookupTableFindV2 {
  static constexpr auto signature = Op("LookupTableFindV2")
                                        .Input("table_handle: resource")
                                        .Input("keys: Tin")
                                        .Input("default_value: Tout")
                                        .Output("values: Tout")
                                        .Attr("Tin: type")
                                        .Attr("Tout: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle value, keys = c->input(1), out;
                                          TENON_RETURN_IF_ERROR(detail::CheckTableHandle(c, "Tin", "Tout", &value));
                                          if (!value.IsSet()) return shape_inference::UnknownShape(c);
                                          TENON_RETURN_IF_ERROR(detail::RemoveKeyDims(c, &keys));
                                          TENON_RETURN_IF_ERROR(c->Concatenate(keys, value, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& keys, const Tensor& default_value,
                      Tensor& values) const {
      return detail::FindInTable(context.op(), keys, default_value, &values);
    }
  };
};

struct LookupTableInsertV2 {
  static constexpr auto signature = Op("LookupTableInsertV2")
                                        .Input("table_handle: resource")
                                        .Input("keys: Tin")
                                        .Input("values: Tout")
                                        .Attr("Tin: type")
                                        .Attr("Tout: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          return c->WithRank(c->input(0), 0, &unused);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& keys, const Tensor& values) const {
      return detail::InsertIntoTable(context.op(), keys, values, false);
    }
  };
};

// These entries and no others.
struct LookupTableImportV2 {
  static constexpr auto signature = Op("LookupTableImportV2")
                                        .Input("table_handle: resource")
                                        .Input("keys: Tin")
                                        .Input("values: Tout")
                                        .Attr("Tin: type")
                                        .Attr("Tout: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused, keys, values;
                                          DimensionHandle entries;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
                                          TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &values));
                                          return c->Merge(c->Dim(keys, 0), c->Dim(values, 0), &entries);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& keys, const Tensor& values) const {
      return detail::InsertIntoTable(context.op(), keys, values, true);
    }
  };
};

struct LookupTableRemoveV2 {
  static constexpr auto signature = Op("LookupTableRemoveV2")
                                        .Input("table_handle: resource")
                                        .Input("keys: Tin")
                                        .Attr("Tin: type")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          return c->WithRankAtLeast(c->input(1), 1, &unused);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& keys) const {
      Ref<detail::LookupTable> table;
      TENON_RETURN_IF_ERROR(detail::OpenTable(context.op(), keys.dtype(), DataType::kInvalid, &table));
      TensorShape values;
      TENON_RETURN_IF_ERROR(detail::ValuesShape(*table, keys, &values));
      return table->Remove(keys);
    }
  };
};

struct LookupTableSizeV2 {
  static constexpr auto signature = Op("LookupTableSizeV2")
                                        .Input("table_handle: resource")
                                        .Output("size: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int64_t> size) const {
      Ref<detail::LookupTable> table;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::LookupTable>(context.op(), 0, &table));
      size[0] = table->Size();
      return OkStatus();
    }
  };
};

// All keys and their values, in no particular order.
struct LookupTableExportV2 {
  static constexpr auto signature =
      Op("LookupTableExportV2")
          .Input("table_handle: resource")
          .Output("keys: Tkeys")
          .Output("values: Tvalues")
          .Attr("Tkeys: type")
          .Attr("Tvalues: type")
          .SetIsStateful()
          .SetShapeFn([](InferenceContext* c) -> Status {
            ShapeHandle value;
            TENON_RETURN_IF_ERROR(detail::CheckTableHandle(c, "Tkeys", "Tvalues", &value));
            c->set_output(0, c->UnknownShape());
            c->set_output(1, c->UnknownShape());
            return OkStatus();
          });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor& keys, Tensor& values) const {
      Ref<detail::LookupTable> table;
      TENON_RETURN_IF_ERROR(detail::OpenTable(context.op(), context.op().expected_output_dtype(0),
                                              context.op().expected_output_dtype(1), &table));
      return table->Export(&keys, &values);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
