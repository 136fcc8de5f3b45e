// SPDX-License-Identifier: Apache-2.0
#pragma once
// Session and Tensor, declared only. One source file of the program includes <tenon/runtime.hpp>, which defines them.

#include <tenon/runtime/api/session.hpp>
