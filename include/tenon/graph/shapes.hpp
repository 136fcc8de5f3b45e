// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape inference whole: ShapeRefiner, and the folding of small integer nodes, by which it follows graphs that compute
// with shapes.

#include <tenon/graph/integer_folding.hpp>
#include <tenon/graph/shape_refiner.hpp>
