// SPDX-License-Identifier: Apache-2.0
#pragma once
// AllocationDescription and TensorDescription as messages.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/tensor_shape.hpp>

namespace tensorflow {

// An allocation as logs show it.
class AllocationDescription : public protobuf::Message<AllocationDescription> {
 public:
  static constexpr const char* kName = "AllocationDescription";
  TENON_COMPAT_SCALAR(int64_t, requested_bytes)
  TENON_COMPAT_SCALAR(int64_t, allocated_bytes)
  TENON_COMPAT_STRING(allocator_name)
  TENON_COMPAT_SCALAR(int64_t, allocation_id)
  TENON_COMPAT_SCALAR(bool, has_single_reference)
  TENON_COMPAT_SCALAR(uint64_t, ptr)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "requested_bytes", m.requested_bytes_);
    call(2, "allocated_bytes", m.allocated_bytes_);
    call(3, "allocator_name", m.allocator_name_);
    call(4, "allocation_id", m.allocation_id_);
    call(5, "has_single_reference", m.has_single_reference_);
    call(6, "ptr", m.ptr_);
  }

 private:
  int64_t requested_bytes_{};
  int64_t allocated_bytes_{};
  std::string allocator_name_;
  int64_t allocation_id_{};
  bool has_single_reference_{};
  uint64_t ptr_{};
};

class TensorDescription : public protobuf::Message<TensorDescription> {
 public:
  static constexpr const char* kName = "TensorDescription";
  TENON_COMPAT_SCALAR(DataType, dtype)
  TENON_COMPAT_MESSAGE(TensorShapeProto, shape)
  TENON_COMPAT_MESSAGE(AllocationDescription, allocation_description)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "dtype", m.dtype_);
    call(2, "shape", m.shape_);
    call(4, "allocation_description", m.allocation_description_);
  }

 private:
  DataType dtype_{};
  protobuf::Box<TensorShapeProto> shape_;
  protobuf::Box<AllocationDescription> allocation_description_;
};

}  // namespace tensorflow
