// SPDX-License-Identifier: Apache-2.0
#pragma once
// AttrValue and NameAttrList as messages.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tenon/compat/tensorflow/proto/tensor.hpp>

namespace tensorflow {

class AttrValue_ListValue;
class NameAttrList;
class AttrValue : public protobuf::Message<AttrValue> {
 public:
  static constexpr const char* kName = "AttrValue";
  using ListValue = AttrValue_ListValue;
  enum ValueCase {
    VALUE_NOT_SET = 0,
    kList = 1,
    kS = 2,
    kI = 3,
    kF = 4,
    kB = 5,
    kType = 6,
    kShape = 7,
    kTensor = 8,
    kPlaceholder = 9,
    kFunc = 10
  };
  ValueCase value_case() const {
    return has_list()          ? kList
           : has_s()           ? kS
           : has_i()           ? kI
           : has_f()           ? kF
           : has_b()           ? kB
           : has_type()        ? kType
           : has_shape()       ? kShape
           : has_tensor()      ? kTensor
           : has_placeholder() ? kPlaceholder
           : has_func()        ? kFunc
                               : VALUE_NOT_SET;
  }
  void clear_value() { ClearValue(); }
  bool has_s() const { return s_.has_value(); }
  const std::string& s() const { return s_ ? *s_ : default_instance_text(); }
  template <class Text>
  void set_s(const Text& text) {
    std::string copy(text);
    ClearValue();
    s_ = std::move(copy);
  }
  void set_s(const void* data, std::size_t size) { set_s(std::string(static_cast<const char*>(data), size)); }
  std::string* mutable_s() {
    if (!s_) set_s("");
    return &*s_;
  }
  bool has_i() const { return i_.has_value(); }
  int64_t i() const { return i_.value_or(int64_t()); }
  void set_i(int64_t value) {
    ClearValue();
    i_ = value;
  }
  bool has_f() const { return f_.has_value(); }
  float f() const { return f_.value_or(float()); }
  void set_f(float value) {
    ClearValue();
    f_ = value;
  }
  bool has_b() const { return b_.has_value(); }
  bool b() const { return b_.value_or(bool()); }
  void set_b(bool value) {
    ClearValue();
    b_ = value;
  }
  bool has_type() const { return type_.has_value(); }
  DataType type() const { return type_.value_or(DataType()); }
  void set_type(DataType value) {
    ClearValue();
    type_ = value;
  }
  bool has_placeholder() const { return placeholder_.has_value(); }
  const std::string& placeholder() const { return placeholder_ ? *placeholder_ : default_instance_text(); }
  void set_placeholder(const std::string& text) {
    ClearValue();
    placeholder_ = text;
  }
  bool has_list() const { return list_.has(); }
  const AttrValue_ListValue& list() const { return list_.get(); }
  AttrValue_ListValue* mutable_list() {
    if (!list_.has()) ClearValue();
    return list_.mutable_get();
  }
  void set_allocated_list(AttrValue_ListValue* value) {
    ClearValue();
    list_.reset(value);
  }
  bool has_shape() const { return shape_.has(); }
  const TensorShapeProto& shape() const { return shape_.get(); }
  TensorShapeProto* mutable_shape() {
    if (!shape_.has()) ClearValue();
    return shape_.mutable_get();
  }
  void set_allocated_shape(TensorShapeProto* value) {
    ClearValue();
    shape_.reset(value);
  }
  bool has_tensor() const { return tensor_.has(); }
  const TensorProto& tensor() const { return tensor_.get(); }
  TensorProto* mutable_tensor() {
    if (!tensor_.has()) ClearValue();
    return tensor_.mutable_get();
  }
  void set_allocated_tensor(TensorProto* value) {
    ClearValue();
    tensor_.reset(value);
  }
  bool has_func() const { return func_.has(); }
  const NameAttrList& func() const { return func_.get(); }
  NameAttrList* mutable_func() {
    if (!func_.has()) ClearValue();
    return func_.mutable_get();
  }
  void set_allocated_func(NameAttrList* value) {
    ClearValue();
    func_.reset(value);
  }
  void clear_s() {
    if (has_s()) ClearValue();
  }
  void clear_i() {
    if (has_i()) ClearValue();
  }
  void clear_f() {
    if (has_f()) ClearValue();
  }
  void clear_b() {
    if (has_b()) ClearValue();
  }
  void clear_type() {
    if (has_type()) ClearValue();
  }
  void clear_placeholder() {
    if (has_placeholder()) ClearValue();
  }
  void clear_list() {
    if (has_list()) ClearValue();
  }
  void clear_shape() {
    if (has_shape()) ClearValue();
  }
  void clear_tensor() {
    if (has_tensor()) ClearValue();
  }
  void clear_func() {
    if (has_func()) ClearValue();
  }

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "list", m.list_);
    call(2, "s", m.s_);
    call(3, "i", m.i_);
    call(4, "f", m.f_);
    call(5, "b", m.b_);
    call(6, "type", m.type_);
    call(7, "shape", m.shape_);
    call(8, "tensor", m.tensor_);
    call(9, "placeholder", m.placeholder_);
    call(10, "func", m.func_);
  }
  // Fields exclude each other.
  void BeforeField(int number) {
    if (number != value_case()) ClearValue();
  }

 private:
  static const std::string& default_instance_text() {
    static const std::string* const none = new std::string();  // never destroyed
    return *none;
  }
  void ClearValue();
  protobuf::Box<AttrValue_ListValue> list_;
  std::optional<std::string> s_;
  std::optional<int64_t> i_;
  std::optional<float> f_;
  std::optional<bool> b_;
  std::optional<DataType> type_;
  protobuf::Box<TensorShapeProto> shape_;
  protobuf::Box<TensorProto> tensor_;
  std::optional<std::string> placeholder_;
  protobuf::Box<NameAttrList> func_;
};
class NameAttrList : public protobuf::Message<NameAttrList> {
 public:
  static constexpr const char* kName = "NameAttrList";
  TENON_COMPAT_STRING(name)
  TENON_COMPAT_MAP(std::string, AttrValue, attr)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "name", m.name_);
    call(2, "attr", m.attr_);
  }

 private:
  std::string name_;
  protobuf::Map<std::string, AttrValue> attr_;
};
class AttrValue_ListValue : public protobuf::Message<AttrValue_ListValue> {
 public:
  static constexpr const char* kName = "AttrValue.ListValue";
  TENON_COMPAT_STRINGS(s)
  TENON_COMPAT_NUMBERS(int64_t, i)
  TENON_COMPAT_NUMBERS(float, f)
  TENON_COMPAT_NUMBERS(bool, b)
  TENON_COMPAT_NUMBERS(DataType, type)
  TENON_COMPAT_ITEMS(TensorShapeProto, shape)
  TENON_COMPAT_ITEMS(TensorProto, tensor)
  TENON_COMPAT_ITEMS(NameAttrList, func)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(2, "s", m.s_);
    call(3, "i", m.i_);
    call(4, "f", m.f_);
    call(5, "b", m.b_);
    call(6, "type", m.type_);
    call(7, "shape", m.shape_);
    call(8, "tensor", m.tensor_);
    call(9, "func", m.func_);
  }

 private:
  protobuf::RepeatedPtrField<std::string> s_;
  protobuf::RepeatedField<int64_t> i_;
  protobuf::RepeatedField<float> f_;
  protobuf::RepeatedField<bool> b_;
  protobuf::RepeatedField<DataType> type_;
  protobuf::RepeatedPtrField<TensorShapeProto> shape_;
  protobuf::RepeatedPtrField<TensorProto> tensor_;
  protobuf::RepeatedPtrField<NameAttrList> func_;
};

inline void AttrValue::ClearValue() {
  list_.reset();
  s_.reset();
  i_.reset();
  f_.reset();
  b_.reset();
  type_.reset();
  shape_.reset();
  tensor_.reset();
  placeholder_.reset();
  func_.reset();
}

}  // namespace tensorflow
