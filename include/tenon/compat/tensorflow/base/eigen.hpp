// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eigen with the element types of TensorFlow: its half and bfloat16 are elements of Tenon's tensors, too (the bits are
// equal), and Tenon's quantised integers have Eigen's names.

// Sources ask for eigen_device<ThreadPoolDevice>() with and without this macro: the device is there in any case.
#if !defined(EIGEN_USE_THREADS)
#define EIGEN_USE_THREADS
#endif
#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>
// 0: the file included Eigen's tensors before, without the macro.
#if defined(EIGEN_CXX11_TENSOR_TENSOR_DEVICE_THREAD_POOL_H)
#define TENON_COMPAT_EIGEN_THREADS 1
#else
#define TENON_COMPAT_EIGEN_THREADS 0
#endif

#include <tenon/types/complex.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
template <>
struct dtype_of<Eigen::half> : detail::DtypeConstant<DataType::kHalf> {};
template <>
struct dtype_of<Eigen::bfloat16> : detail::DtypeConstant<DataType::kBfloat16> {};
TENON_DETAIL_NAMESPACE_END

namespace Eigen {
using QInt8 = ::tenon::qint8;
using QUInt8 = ::tenon::quint8;
using QInt16 = ::tenon::qint16;
using QUInt16 = ::tenon::quint16;
using QInt32 = ::tenon::qint32;
}  // namespace Eigen
