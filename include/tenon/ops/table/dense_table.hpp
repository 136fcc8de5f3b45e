// SPDX-License-Identifier: Apache-2.0
#pragma once
// MutableDenseHashTableV2, AnonymousMutableDenseHashTable: tables whose buckets lie in two
// tensors. table.hpp has the ops that fill and read them.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/table/dense_table_resource.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/table/table_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kDenseTableValues = kTableNumbers | ToSet(DataType::kInt64) | ToSet(DataType::kBool);
inline constexpr TableTypes kDenseTableTypes{kTableNumbers, kDenseTableValues | ToSet(DataType::kVariant),
                                             kDenseTableValues | ToSet(DataType::kResource)};

inline Status DenseTableShape(InferenceContext* c) {
  ShapeHandle key;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &key));
  return MutableTableShapeOf(c, key);
}

class DenseTableKernel : public TableKernel {
 public:
  DenseTableKernel(OpKernelConstruction* c, bool anonymous) : TableKernel(c, kDenseTableTypes, false, anonymous) {
    c->SetStatus(c->GetAttr("initial_num_buckets", &buckets_));
    c->SetStatus(c->GetAttr("max_load_factor", &max_load_factor_));
  }

 private:
  Status Make(const OpKernelContext& context, const std::string& name, Ref<LookupTable>* made) const override {
    return DenseTable::Make(name, value_, value_shape_,
                            {context.input(0), context.input(1), buckets_, max_load_factor_, context.get_allocator({})},
                            made);
  }
  std::int64_t buckets_ = 0;
  float max_load_factor_ = 0;
};

}  // namespace detail

// empty_key and deleted_key: two different keys that no entry will have.
struct MutableDenseHashTableV2 {
  static constexpr auto signature = Op("MutableDenseHashTableV2")
                                        .Input("empty_key: key_dtype")
                                        .Input("deleted_key: key_dtype")
                                        .Output("table_handle: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("use_node_name_sharing: bool = false")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .Attr("value_shape: shape = {}")
                                        .Attr("initial_num_buckets: int = 131072")
                                        .Attr("max_load_factor: float = 0.8")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::DenseTableShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::DenseTableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : DenseTableKernel(c, false) {}
  };
};

// One that only its handle names.
struct AnonymousMutableDenseHashTable {
  static constexpr auto signature = Op("AnonymousMutableDenseHashTable")
                                        .Input("empty_key: key_dtype")
                                        .Input("deleted_key: key_dtype")
                                        .Output("table_handle: resource")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .Attr("value_shape: shape = {}")
                                        .Attr("initial_num_buckets: int = 131072")
                                        .Attr("max_load_factor: float = 0.8")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::DenseTableShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::DenseTableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : DenseTableKernel(c, true) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
