// SPDX-License-Identifier: Apache-2.0
#pragma once
// complex64 and complex128. The only header of floors 0-6 that includes <complex>.

#include <complex>

#include <tenon/types/dtype_of.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

using complex64 = std::complex<float>;    // 8 bytes: real part, imaginary part
using complex128 = std::complex<double>;  // 16 bytes

// clang-format off
template <> struct dtype_of<complex64> : detail::DtypeConstant<DataType::kComplex64> {};
template <> struct dtype_of<complex128> : detail::DtypeConstant<DataType::kComplex128> {};
template <> struct type_of<DataType::kComplex64> : detail::TypeConstant<complex64> {};
template <> struct type_of<DataType::kComplex128> : detail::TypeConstant<complex128> {};
// clang-format on

TENON_DETAIL_NAMESPACE_END
