// SPDX-License-Identifier: Apache-2.0
#pragma once
// ToSize: numbers of nodes, values and devices are int; the subscripts of containers are std::size_t.

#include <cstddef>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A number that is not negative as a subscript.
constexpr std::size_t ToSize(int number) { return static_cast<std::size_t>(number); }

TENON_DETAIL_NAMESPACE_END
