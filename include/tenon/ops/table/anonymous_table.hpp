// SPDX-License-Identifier: Apache-2.0
#pragma once
// AnonymousMutableHashTable, AnonymousMutableHashTableOfTensors: mutable tables that only their handles name. Each run
// makes one. table.hpp has the ops that fill and read them.

#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/table/table_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// Scalars by key.
struct AnonymousMutableHashTable {
  static constexpr auto signature = Op("AnonymousMutableHashTable")
                                        .Output("table_handle: resource")
                                        .Attr("key_dtype: type")
                                        .Attr("value_dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::MutableTableShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::TableKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : TableKernel(c, detail::kMutableTableTypes, false, true) {}
  };
};

// Vectors by key.
struct AnonymousMutableHashTableOfTensors {
  static constexpr auto signature = Op("AnonymousMutableHashTableOfTensors")
                                        .Output("table_handle: resource")
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
    explicit kernel(OpKernelConstruction* c) : TableKernel(c, detail::kTensorTableTypes, false, true) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
