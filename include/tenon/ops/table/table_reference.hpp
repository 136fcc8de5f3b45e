// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lookup tables of old graphs: HashTable, LookupTableFind and so on, which pass their table by reference. The
// kernels are those of the newer ops.

#include <string_view>

#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/table/table.hpp>
#include <tenon/ops/table/table_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CheckTableReference(InferenceContext* c) { return CheckTwoElements(c, 0); }

}  // namespace detail

struct HashTable {
  static constexpr auto signature = Op("HashTable")
                                        .Output("table_handle: Ref(string)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = HashTableV2::kernel<Device>;
};

struct MutableHashTable {
  static constexpr auto signature = Op("MutableHashTable")
                                        .Output("table_handle: Ref(string)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = MutableHashTableV2::kernel<Device>;
};

struct MutableHashTableOfTensors {
  static constexpr auto signature = Op("MutableHashTableOfTensors")
                                        .Output("table_handle: Ref(string)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .Attr("value_shape: shape = {}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = MutableHashTableOfTensorsV2::kernel<Device>;
};

struct InitializeTable {
  static constexpr auto signature = Op("InitializeTable")
                                        .Input("table_handle: Ref(string)")
                                        .Input("keys: Tkey")
                                        .Input("values: Tval")
                                        .Attr("Tkey: type")
                                        .Attr("Tval: type")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle keys;
                                          TENON_RETURN_IF_ERROR(detail::CheckTableReference(c));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
                                          return c->Merge(keys, c->input(2), &keys);
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = InitializeTableV2::kernel<Device>;
};

struct InitializeTableFromTextFile {
  static constexpr auto signature = Op("InitializeTableFromTextFile")
                                        .Input("table_handle: Ref(string)")
                                        .Input("filename: string")
                                        .Attr("key_index: int >= -2")
                                        .Attr("value_index: int >= -2")
                                        .Attr("vocab_size: int >= -1 = -1")
                                        .Attr("delimiter: string = '\\t'")
                                        .Attr("offset: int = 0")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(detail::CheckTableReference(c));
                                          return c->WithRank(c->input(1), 0, &unused);
                                        });
  using Attrs = InitializeTableFromTextFileV2::Attrs;
  template <class Device>
  using kernel = InitializeTableFromTextFileV2::kernel<Device>;
};

struct LookupTableFind {
  static constexpr auto signature = Op("LookupTableFind")
                                        .Input("table_handle: Ref(string)")
                                        .Input("keys: Tin")
                                        .Input("default_value: Tout")
                                        .Output("values: Tout")
                                        .Attr("Tin: type")
                                        .Attr("Tout: type")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(detail::CheckTableReference(c));
                                          TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &unused));
                                          c->set_output(0, c->UnknownShape());
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = LookupTableFindV2::kernel<Device>;
};

struct LookupTableInsert {
  static constexpr auto signature = Op("LookupTableInsert")
                                        .Input("table_handle: Ref(string)")
                                        .Input("keys: Tin")
                                        .Input("values: Tout")
                                        .Attr("Tin: type")
                                        .Attr("Tout: type")
                                        .SetShapeFn(detail::CheckTableReference);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = LookupTableInsertV2::kernel<Device>;
};

struct LookupTableImport {
  static constexpr auto signature = Op("LookupTableImport")
                                        .Input("table_handle: Ref(string)")
                                        .Input("keys: Tin")
                                        .Input("values: Tout")
                                        .Attr("Tin: type")
                                        .Attr("Tout: type")
                                        .SetShapeFn(detail::CheckTableReference);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = LookupTableImportV2::kernel<Device>;
};

struct LookupTableExport {
  static constexpr auto signature = Op("LookupTableExport")
                                        .Input("table_handle: Ref(string)")
                                        .Output("keys: Tkeys")
                                        .Output("values: Tvalues")
                                        .Attr("Tkeys: type")
                                        .Attr("Tvalues: type")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(detail::CheckTableReference(c));
                                          c->set_output(0, c->UnknownShapeOfRank(1));
                                          c->set_output(1, c->UnknownShape());
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = LookupTableExportV2::kernel<Device>;
};

struct LookupTableSize {
  static constexpr auto signature = Op("LookupTableSize")
                                        .Input("table_handle: Ref(string)")
                                        .Output("size: int64")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = LookupTableSizeV2::kernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
