// SPDX-License-Identifier: Apache-2.0
#include "test_ops.hpp"

TENON_REGISTER(kernel_test::KtAttrs, kernel_test::KtPositive, kernel_test::KtDouble, kernel_test::KtReverse,
               kernel_test::KtAddIndex, kernel_test::KtTrace, kernel_test::KtAsync, kernel_test::KtCount,
               kernel_test::KtIncomplete, kernel_test::KtFault, kernel_test::KtAsyncFault);
TENON_REGISTER(tenon::Devices<tenon::AnyDevice>, kernel_test::KtAnywhere);
