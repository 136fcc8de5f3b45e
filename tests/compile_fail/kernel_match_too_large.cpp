// expect: kernel_match_error_has_more_than_4_constraints
// SPDX-License-Identifier: Apache-2.0
// Five constraints, seventeen values of one, and nine host arguments.
#include <tenon/kernel/registry/kernel_constraints.hpp>

using tenon::KernelMatch;
static_assert(KernelMatch().Attr("a", {1}).Attr("b", {1}).Attr("c", {1}).Attr("d", {1}).Attr("e", {1}).count == 5);
// expect: kernel_match_error_allows_more_than_16_values
static_assert(KernelMatch().Attr("a", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}).count == 1);
// expect: kernel_match_error_has_more_than_8_host_arguments
constexpr KernelMatch kEight = KernelMatch()
                                   .HostMemory("a")
                                   .HostMemory("b")
                                   .HostMemory("c")
                                   .HostMemory("d")
                                   .HostMemory("e")
                                   .HostMemory("f")
                                   .HostMemory("g")
                                   .HostMemory("h");
static_assert(kEight.HostMemory("i").host_count == 9);
