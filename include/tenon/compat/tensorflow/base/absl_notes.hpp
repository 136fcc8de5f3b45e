// SPDX-License-Identifier: Apache-2.0
#pragma once
// Notes about pointers, and overloads of lambdas: names that older releases of Abseil do not have.

#define absl_nonnull
#define absl_nullable
#define absl_nullability_unknown

namespace absl {

template <class T>
using Nonnull = T;
template <class T>
using Nullable = T;
template <class T>
using NullabilityUnknown = T;

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

}  // namespace absl
