// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_TEST_REGISTER(ops...): TENON_REGISTER for the tests. Builds with sanitizers compile ten times slower code: they
// define TENON_TEST_FEW_TYPES and get a type of every kind instead of all of them.

#include <cstdint>

#include <tenon/kernel/register.hpp>
#include <tenon/types/complex.hpp>

#ifdef TENON_TEST_FEW_TYPES
namespace tenon::test {
using FewTypes = Types<bool, half, float, std::uint8_t, std::int32_t, std::int64_t, complex64, tstring>;
}
#define TENON_TEST_REGISTER(...) TENON_REGISTER(tenon::test::FewTypes, __VA_ARGS__)
#else
#define TENON_TEST_REGISTER(...) TENON_REGISTER(__VA_ARGS__)
#endif
