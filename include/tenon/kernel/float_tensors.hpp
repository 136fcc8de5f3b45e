// SPDX-License-Identifier: Apache-2.0
#pragma once
// For erased kernels over engines that on the CPU know float and double alone: FloatInput gives an input of half,
// bfloat16, float or double as float or double; FloatOutput is written as float or double and rounded once. Engines of
// a GPU read and write all four types: there nothing is copied.

#include <type_traits>

#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/half_conversion.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr DataTypeSet kFourFloats{ToSet(DataType::kHalf).mask | ToSet(DataType::kBfloat16).mask |
                                         ToSet(DataType::kFloat).mask | ToSet(DataType::kDouble).mask};

// The type as which an engine of Device reads and writes elements of T.
template <class Device, class T>
using FloatOn =
    std::conditional_t<Device::type == "CPU" && (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>), float, T>;

// half and bfloat16 are copied, into memory of the call. one thread.
class FloatInput {
 public:
  template <class Device>
  Status Read(OpKernelContext& context, Device& device, const Tensor& input) {
    data_ = input.raw_data();
    if constexpr (Device::type == "CPU") {
      if (!IsSmallFloat(input.dtype())) return OkStatus();
      TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, input.shape(), &copy_));
      WidenFloats(device, input.dtype(), data_, static_cast<float*>(copy_.raw_data()), input.NumElements());
      data_ = copy_.raw_data();
    }
    return OkStatus();
  }
  // C is FloatOn<Device, T> of the tensor's type: on the CPU, double or float.
  template <class C>
  const C* As() const {
    return static_cast<const C*>(data_);
  }

 private:
  Tensor copy_;
  const void* data_ = nullptr;
};

// Finish() rounds the written values to half or bfloat16. one thread.
class FloatOutput {
 public:
  Status Make(OpKernelContext& context, int index, const TensorShape& shape) {
    TENON_RETURN_IF_ERROR(MakeAsIs(context, index, shape));
    if (!IsSmallFloat(dtype_)) return OkStatus();
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kFloat, shape, &copy_));
    data_ = copy_.raw_data();
    return OkStatus();
  }
  template <class Device>
  Status Make(OpKernelContext& context, Device&, int index, const TensorShape& shape) {
    if constexpr (Device::type == "CPU")
      return Make(context, index, shape);
    else
      return MakeAsIs(context, index, shape);
  }
  template <class Device>
  void Finish(Device& device) {
    if constexpr (Device::type == "CPU") {
      if (IsSmallFloat(dtype_)) NarrowFloats(device, static_cast<const float*>(data_), dtype_, out_, elements_);
    }
  }
  template <class C>
  C* As() const {
    return static_cast<C*>(data_);
  }
  Index size() const { return elements_; }

 private:
  Status MakeAsIs(OpKernelContext& context, int index, const TensorShape& shape) {
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(index, shape, &out));
    out_ = out->raw_data();
    dtype_ = out->dtype();
    elements_ = out->NumElements();
    data_ = out_;
    return OkStatus();
  }

  Tensor copy_;
  void* data_ = nullptr;
  void* out_ = nullptr;
  DataType dtype_ = DataType::kInvalid;
  Index elements_ = 0;
};

TENON_DETAIL_NAMESPACE_END
