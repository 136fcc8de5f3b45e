// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_TEST_ASAN, TENON_TEST_TSAN: 1 under that sanitizer, else 0. g++ tells by macros, clang by __has_feature.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_TEST_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TENON_TEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TENON_TEST_ASAN)
#define TENON_TEST_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TENON_TEST_TSAN)
#define TENON_TEST_TSAN 1
#endif
#if !defined(TENON_TEST_ASAN)
#define TENON_TEST_ASAN 0
#endif
#if !defined(TENON_TEST_TSAN)
#define TENON_TEST_TSAN 0
#endif
