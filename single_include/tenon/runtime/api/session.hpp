// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generated from include/tenon by tools/amalgamate.py; change the headers there.
#define TENON_DETAIL_ONLY_RUNTIME_API_SESSION
#include "../../tenon.hpp"
#undef TENON_DETAIL_ONLY_RUNTIME_API_SESSION
