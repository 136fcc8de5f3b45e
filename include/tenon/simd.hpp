// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors for loops in kernels of one's own, by the instruction set that the file is compiled for. Uses xsimd (8.1 or
// newer) where that is on the include path; without it the same code runs one number at a time. A function that takes
// or returns a Batch is TENON_HD.
//
//   struct Norm {                                       // sqrt(x^2 + y^2)
//     template <class B> TENON_HD static B Of(B x, B y) { return tenon::simd::Sqrt(x * x + y * y); }
//   };
//   using B = tenon::simd::Batch<float>;
//   for (; i + B::size <= n; i += B::size) Norm::Of(B::Load(x + i), B::Load(y + i)).Store(out + i);
//   for (; i < n; ++i) out[i] = Norm::Of(x[i], y[i]);

#include <tenon/engine/simd/batch.hpp>
