// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: Fourier transforms, cross products.

#include "registration.hpp"
#include <tenon/ops/linalg/cross.hpp>
#include <tenon/ops/linalg/fft.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Cross);
TENON_TEST_REGISTER(ops::FFT, ops::FFT2D, ops::FFT3D, ops::IFFT, ops::IFFT2D, ops::IFFT3D, ops::IRFFT, ops::IRFFT2D,
                    ops::IRFFT3D, ops::RFFT, ops::RFFT2D, ops::RFFT3D);
