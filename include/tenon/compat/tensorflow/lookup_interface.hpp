// SPDX-License-Identifier: Apache-2.0
#pragma once
// lookup::LookupInterface: the base of tables that kernels keep as resources.

#include <string>

#include <tenon/compat/tensorflow/resource_mgr.hpp>

namespace tensorflow {
namespace lookup {

class InitializableLookupTable;

class LookupInterface : public ResourceBase {
 public:
  virtual std::size_t size() const = 0;
  virtual Status Find(OpKernelContext* context, const Tensor& keys, Tensor* values, const Tensor& default_value) = 0;
  virtual Status Insert(OpKernelContext* context, const Tensor& keys, const Tensor& values) = 0;
  virtual Status Remove(OpKernelContext* context, const Tensor& keys) = 0;
  virtual Status ImportValues(OpKernelContext* context, const Tensor& keys, const Tensor& values) = 0;
  virtual Status ExportValues(OpKernelContext*) { return errors::Unimplemented("ExportValues"); }
  virtual DataType key_dtype() const = 0;
  virtual DataType value_dtype() const = 0;
  virtual TensorShape key_shape() const = 0;
  virtual TensorShape value_shape() const = 0;
  virtual InitializableLookupTable* AsInitializable() { return nullptr; }  // in place of dynamic_cast

  Status CheckKeyAndValueTypes(const Tensor& keys, const Tensor& values) {
    if (keys.dtype() == key_dtype() && values.dtype() == value_dtype()) return Status();
    return errors::InvalidArgument("Conflicting key/value dtypes ", DataTypeString(keys.dtype()), "->",
                                   DataTypeString(values.dtype()), " with ", DataTypeString(key_dtype()), "-",
                                   DataTypeString(value_dtype()));
  }
  Status CheckKeyAndValueTensorsForInsert(const Tensor& keys, const Tensor& values) {
    TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, values));
    TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
    return CheckValueShape(keys.shape(), values.shape());
  }
  Status CheckKeyAndValueTensorsForImport(const Tensor& keys, const Tensor& values) {
    return CheckKeyAndValueTensorsForInsert(keys, values);
  }
  Status CheckKeyTensorForRemove(const Tensor& keys) {
    if (keys.dtype() != key_dtype())
      return errors::InvalidArgument("Key must be type ", DataTypeString(key_dtype()), " but got ",
                                     DataTypeString(keys.dtype()));
    return CheckKeyShape(keys.shape());
  }
  Status CheckFindArguments(const Tensor& keys, const Tensor& default_value) {
    TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, default_value));
    TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
    if (default_value.shape() == value_shape()) return Status();
    return errors::InvalidArgument("Expected shape ", value_shape().DebugString(), " for default value, got ",
                                   default_value.shape().DebugString());
  }
  std::string DebugString() const override { return strings::StrCat("A lookup table of size: ", size()); }

 protected:
  virtual Status CheckKeyShape(const TensorShape& shape) {
    if (TensorShapeUtils::EndsWith(shape, key_shape())) return Status();
    return errors::InvalidArgument("Input key shape ", shape.DebugString(), " must end with the table's key shape ",
                                   key_shape().DebugString());
  }

 private:
  Status CheckValueShape(const TensorShape& keys, const TensorShape& values) {
    TensorShape expected = keys;
    expected.RemoveLastDims(key_shape().dims());
    expected.AppendShape(value_shape());
    if (values == expected) return Status();
    return errors::InvalidArgument("Expected shape ", expected.DebugString(), " for value, got ", values.DebugString());
  }
};

}  // namespace lookup
}  // namespace tensorflow
