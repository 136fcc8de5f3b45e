// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceHandle: the element of a resource tensor. Names an object that a device's resource manager holds, or that
// nothing but handles holds.

#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Type and shape of a value that a resource holds.
struct DtypeAndPartialShape {
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape = TensorShape();

  friend bool operator==(const DtypeAndPartialShape& a, const DtypeAndPartialShape& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
};

// Plain data, owning its strings. The strings are TensorFlow's.
struct ResourceHandle {
  std::string device;           // full name of the device whose manager has the object
  std::string container;        // "localhost" if nothing else was asked for
  std::string name;
  std::uint64_t hash_code = 0;  // hash of the object's C++ type: valid within one ABI only
  std::string maybe_type_name;  // for messages
  SlimVector<DtypeAndPartialShape> dtypes_and_shapes = {};  // its values' types and shapes, where they are known
  // The object, if no manager has it (else null): it goes with the last copy of its handle. Never serialised.
  Ref<RefCounted> object = {};

  bool IsRefCounting() const { return static_cast<bool>(object); }

  friend bool operator==(const ResourceHandle& a, const ResourceHandle& b) {
    return a.device == b.device && a.container == b.container && a.name == b.name && a.hash_code == b.hash_code &&
           a.maybe_type_name == b.maybe_type_name && a.dtypes_and_shapes == b.dtypes_and_shapes &&
           a.object.get() == b.object.get();
  }

  // The handle as a printed tensor shows it.
  std::string SummarizeValue() const {
    return StrCat("ResourceHandle(name=\"", name, "\", device=\"", device, "\", container=\"", container, "\", type=\"",
                  maybe_type_name, "\", dtype and shapes : \"", ValuesText(), "\")");
  }
  std::string DebugString() const {
    return StrCat("device: ", device, " container: ", container, " name: ", name, " hash_code: 0x", HashText(),
                  " maybe_type_name ", maybe_type_name, ", dtype and shapes : ", ValuesText());
  }

 private:
  // "[ DType enum: 1, Shape: [2] ]"
  TENON_DETAIL_COLD std::string ValuesText() const {
    std::string text = "[ ";
    for (std::size_t i = 0; i < dtypes_and_shapes.size(); ++i) {
      StrAppend(&text, i == 0 ? "" : ",", "DType enum: ", static_cast<std::int32_t>(dtypes_and_shapes[i].dtype),
                ", Shape: ", dtypes_and_shapes[i].shape);
    }
    return text + " ]";
  }
  // In upper-case hexadecimal digits.
  TENON_DETAIL_COLD std::string HashText() const {
    std::string text;
    std::uint64_t rest = hash_code;
    do text.insert(text.begin(), "0123456789ABCDEF"[rest & 15]);
    while ((rest >>= 4) != 0);
    return text;
  }
};

TENON_DETAIL_NAMESPACE_END
