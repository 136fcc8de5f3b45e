// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes shape inference of the binary fold small integer nodes, so that it follows graphs that compute with shapes.
// <tenon/runtime.hpp> includes this; ShapeRefiner alone is in graph/shape_refiner.hpp, FoldIntegers in
// graph/integer_folding.hpp.

#include <tenon/base/config.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/graph/integer_folding.hpp>
#include <tenon/graph/shape_refiner.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {
inline const bool fills_fold_integers = FillExtension(&extensions.fold_integers, &FoldIntegers);
}  // namespace detail
TENON_DETAIL_NAMESPACE_END
