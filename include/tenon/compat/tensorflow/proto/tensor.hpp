// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorProto, and the messages of variants, resource handles and slices.

#include <cstdint>
#include <optional>
#include <string>

#include <tenon/compat/tensorflow/proto/tensor_shape.hpp>

namespace tensorflow {

class VariantTensorDataProto;
class ResourceHandleProto_DtypeAndShape : public protobuf::Message<ResourceHandleProto_DtypeAndShape> {
 public:
  static constexpr const char* kName = "ResourceHandleProto.DtypeAndShape";
  TENON_COMPAT_SCALAR(DataType, dtype)
  TENON_COMPAT_MESSAGE(TensorShapeProto, shape)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "dtype", m.dtype_);
    call(2, "shape", m.shape_);
  }

 private:
  DataType dtype_{};
  protobuf::Box<TensorShapeProto> shape_;
};
class ResourceHandleProto : public protobuf::Message<ResourceHandleProto> {
 public:
  static constexpr const char* kName = "ResourceHandleProto";
  using DtypeAndShape = ResourceHandleProto_DtypeAndShape;
  TENON_COMPAT_STRING(device)
  TENON_COMPAT_STRING(container)
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_SCALAR(uint64_t, hash_code)
  TENON_COMPAT_STRING(maybe_type_name)
  TENON_COMPAT_ITEMS(ResourceHandleProto_DtypeAndShape, dtypes_and_shapes)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "device", m.device_);
    call(2, "container", m.container_);
    call(3, "name", m.name_);
    call(4, "hash_code", m.hash_code_);
    call(5, "maybe_type_name", m.maybe_type_name_);
    call(6, "dtypes_and_shapes", m.dtypes_and_shapes_);
  }

 private:
  std::string device_;
  std::string container_;
  std::string name_;
  uint64_t hash_code_{};
  std::string maybe_type_name_;
  protobuf::RepeatedPtrField<ResourceHandleProto_DtypeAndShape> dtypes_and_shapes_;
};
class TensorProto : public protobuf::Message<TensorProto> {
 public:
  static constexpr const char* kName = "TensorProto";
  TENON_COMPAT_SCALAR(DataType, dtype)
  TENON_COMPAT_MESSAGE(TensorShapeProto, tensor_shape)
  TENON_COMPAT_SCALAR(int32, version_number)
  TENON_COMPAT_STRING(tensor_content)
  TENON_COMPAT_NUMBERS(float, float_val)
  TENON_COMPAT_NUMBERS(double, double_val)
  TENON_COMPAT_NUMBERS(int32, int_val)
  TENON_COMPAT_STRINGS(string_val)
  TENON_COMPAT_NUMBERS(float, scomplex_val)
  TENON_COMPAT_NUMBERS(int64_t, int64_val)
  TENON_COMPAT_NUMBERS(bool, bool_val)
  TENON_COMPAT_NUMBERS(double, dcomplex_val)
  TENON_COMPAT_NUMBERS(int32, half_val)
  TENON_COMPAT_ITEMS(ResourceHandleProto, resource_handle_val)
  TENON_COMPAT_ITEMS(VariantTensorDataProto, variant_val)
  TENON_COMPAT_NUMBERS(uint32, uint32_val)
  TENON_COMPAT_NUMBERS(uint64_t, uint64_val)
  TENON_COMPAT_STRING(float8_val)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "dtype", m.dtype_);
    call(2, "tensor_shape", m.tensor_shape_);
    call(3, "version_number", m.version_number_);
    call(4, "tensor_content", m.tensor_content_);
    call(5, "float_val", m.float_val_);
    call(6, "double_val", m.double_val_);
    call(7, "int_val", m.int_val_);
    call(8, "string_val", m.string_val_);
    call(9, "scomplex_val", m.scomplex_val_);
    call(10, "int64_val", m.int64_val_);
    call(11, "bool_val", m.bool_val_);
    call(12, "dcomplex_val", m.dcomplex_val_);
    call(13, "half_val", m.half_val_);
    call(14, "resource_handle_val", m.resource_handle_val_);
    call(15, "variant_val", m.variant_val_);
    call(16, "uint32_val", m.uint32_val_);
    call(17, "uint64_val", m.uint64_val_);
    call(18, "float8_val", m.float8_val_);
  }

 private:
  DataType dtype_{};
  protobuf::Box<TensorShapeProto> tensor_shape_;
  int32 version_number_{};
  std::string tensor_content_;
  protobuf::RepeatedField<float> float_val_;
  protobuf::RepeatedField<double> double_val_;
  protobuf::RepeatedField<int32> int_val_;
  protobuf::RepeatedPtrField<std::string> string_val_;
  protobuf::RepeatedField<float> scomplex_val_;
  protobuf::RepeatedField<int64_t> int64_val_;
  protobuf::RepeatedField<bool> bool_val_;
  protobuf::RepeatedField<double> dcomplex_val_;
  protobuf::RepeatedField<int32> half_val_;
  protobuf::RepeatedPtrField<ResourceHandleProto> resource_handle_val_;
  protobuf::RepeatedPtrField<VariantTensorDataProto> variant_val_;
  protobuf::RepeatedField<uint32> uint32_val_;
  protobuf::RepeatedField<uint64_t> uint64_val_;
  std::string float8_val_;
};
class VariantTensorDataProto : public protobuf::Message<VariantTensorDataProto> {
 public:
  static constexpr const char* kName = "VariantTensorDataProto";
  TENON_COMPAT_STRING(type_name)
  TENON_COMPAT_STRING(metadata)
  TENON_COMPAT_ITEMS(TensorProto, tensors)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "type_name", m.type_name_);
    call(2, "metadata", m.metadata_);
    call(3, "tensors", m.tensors_);
  }

 private:
  std::string type_name_;
  std::string metadata_;
  protobuf::RepeatedPtrField<TensorProto> tensors_;
};
class TensorSliceProto_Extent : public protobuf::Message<TensorSliceProto_Extent> {
 public:
  static constexpr const char* kName = "TensorSliceProto.Extent";
  bool has_length() const { return length_.has_value(); }
  int64_t length() const { return length_.value_or(0); }
  void set_length(int64_t value) { length_ = value; }
  void clear_length() { length_.reset(); }
  TENON_COMPAT_SCALAR(int64_t, start)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "start", m.start_);
    call(2, "length", m.length_);
  }

 private:
  int64_t start_{};
  std::optional<int64_t> length_;
};
class TensorSliceProto : public protobuf::Message<TensorSliceProto> {
 public:
  static constexpr const char* kName = "TensorSliceProto";
  using Extent = TensorSliceProto_Extent;
  TENON_COMPAT_ITEMS(TensorSliceProto_Extent, extent)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "extent", m.extent_);
  }

 private:
  protobuf::RepeatedPtrField<TensorSliceProto_Extent> extent_;
};

}  // namespace tensorflow
