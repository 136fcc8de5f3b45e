// SPDX-License-Identifier: Apache-2.0
#pragma once
// TableKernel: the shared kernel of the ops that make a lookup table, of any kind. Also the shape functions of the
// table's handle.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/table/table_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// The types that a table of each kind may hold: value types by key type, as TensorFlow has kernels.
struct TableTypes {
  DataTypeSet of_int32, of_int64, of_text;
  constexpr bool Has(DataType key, DataType value) const {
    return (key == DataType::kInt32 && of_int32.contains(value)) ||
           (key == DataType::kInt64 && of_int64.contains(value)) ||
           (key == DataType::kString && of_text.contains(value));
  }
};
inline constexpr DataTypeSet kTableNumbers =
    ToSet(DataType::kInt32) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);
inline constexpr DataTypeSet kTableOfText = kTableNumbers | ToSet(DataType::kInt64) | ToSet(DataType::kBool);
inline constexpr TableTypes kHashTableTypes{kTableNumbers | ToSet(DataType::kString),
                                            kTableNumbers | ToSet(DataType::kInt64) | ToSet(DataType::kString),
                                            kTableOfText | ToSet(DataType::kString)};
inline constexpr TableTypes kMutableTableTypes{
    kTableNumbers, kTableNumbers | ToSet(DataType::kInt64) | ToSet(DataType::kString) | ToSet(DataType::kVariant),
    kTableOfText};
inline constexpr TableTypes kTensorTableTypes{
    kTableNumbers, kTableNumbers | ToSet(DataType::kInt64) | ToSet(DataType::kString), kTableOfText};

// Raw form of the ops that make a table: looked up or made in the first run, then the same handle again and again; an
// anonymous one is new in every run, and goes with its handle.
class TableKernel : public OpKernel {
 public:
  TableKernel(OpKernelConstruction* c, const TableTypes& types, bool once, bool anonymous)
      : OpKernel(c), once_(once), anonymous_(anonymous) {
    c->SetStatus(c->GetAttr("key_dtype", &key_));
    c->SetStatus(c->GetAttr("value_dtype", &value_));
    if (c->HasAttr("value_shape")) {
      PartialTensorShape shape;
      c->SetStatus(c->GetAttr("value_shape", &shape));
      if (c->status().ok() && (!shape.AsTensorShape(&value_shape_) || value_shape_.dims() > 1 ||
                               (value_shape_.dims() == 0 && !c->HasAttr("initial_num_buckets"))))  // not a dense table
        c->SetStatus(errors::InvalidArgument("Default value must be a vector, got shape ", shape));
    }
    if (c->status().ok() && !types.Has(key_, value_))
      c->SetStatus(errors::InvalidArgument("no kernel for op '", c->op().name, "' on ", c->device_type(),
                                           " with key type ", key_, " and value type ", value_));
    if (!c->status().ok() || anonymous) return;
    bool by_node = false;
    c->SetStatus(c->GetAttr("use_node_name_sharing", &by_node));
    Result<ContainerInfo> info = ContainerInfo::From(*c, by_node);
    c->SetStatus(info.status());
    if (info.ok()) info_ = *std::move(info);
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  Status Run(OpKernelContext& context) {
    if (anonymous_) {
      Ref<LookupTable> table;
      TENON_RETURN_IF_ERROR(Make(context, std::string(name()), &table));
      context.set_output(0, HandleTensor(MakeRefCountingHandle(context.device_name(), std::move(table))));
      return OkStatus();
    }
    const tenon::MutexLock lock(mutex_);
    if (BaseType(handle_.dtype()) != BaseType(output_type(0))) TENON_RETURN_IF_ERROR(Find(context, info_, &handle_));
    context.set_output(0, handle_);
    return OkStatus();
  }
  Status Find(const OpKernelContext& context, const ContainerInfo& info, Tensor* handle) const {
    ResourceMgr* resources = nullptr;
    Ref<LookupTable> table;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    TENON_RETURN_IF_ERROR(resources->LookupOrCreate<LookupTable>(
        info.container, info.name, &table, [&](Ref<LookupTable>* made) { return Make(context, info.name, made); }));
    if (table->key_dtype() != key_ || table->value_dtype() != value_)
      return errors::InvalidArgument("Conflicting key/value dtypes ", key_, "->", value_, " with ", table->key_dtype(),
                                     "-", table->value_dtype(), " for table ", info.name);
    return MakeHandleFor<LookupTable>(context, 0, info, handle);
  }

 protected:
  // A new table; under the resource manager's lock, unless it is anonymous.
  virtual Status Make(const OpKernelContext&, const std::string& name, Ref<LookupTable>* made) const {
    *made = Ref<IndexedTable>::Adopt(new IndexedTable(name, key_, value_, value_shape_, once_));
    return OkStatus();
  }

  DataType key_ = DataType::kInvalid, value_ = DataType::kInvalid;
  TensorShape value_shape_;

 private:
  bool once_, anonymous_;
  ContainerInfo info_;
  Mutex mutex_;
  Tensor handle_;
};

// The handle of a table whose types and shapes are known to shape functions: keys, then values.
inline Status MutableTableShapeOf(InferenceContext* c, ShapeHandle key_shape) {
  DataType key = DataType::kInvalid, value = DataType::kInvalid;
  PartialTensorShape shape = TensorShape();
  ShapeHandle held;
  TENON_RETURN_IF_ERROR(c->GetAttr("key_dtype", &key));
  TENON_RETURN_IF_ERROR(c->GetAttr("value_dtype", &value));
  if (c->op().FindAttr("value_shape") != nullptr) TENON_RETURN_IF_ERROR(c->GetAttr("value_shape", &shape));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &held));
  SlimVector<ShapeAndType> values;
  values.push_back({key_shape, key});
  values.push_back({held, value});
  c->set_output(0, c->Scalar());
  c->set_output_handle_shapes_and_types(0, values);
  return OkStatus();
}

inline Status MutableTableShape(InferenceContext* c) { return MutableTableShapeOf(c, c->Scalar()); }

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
