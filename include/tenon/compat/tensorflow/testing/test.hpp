// SPDX-License-Identifier: Apache-2.0
#pragma once
// GoogleTest with what TensorFlow's tests add to it. Needs GoogleTest.

#include <gtest/gtest.h>
#if __has_include(<gmock/gmock.h>)
#include <gmock/gmock.h>
#endif

#include <string>
#include <utility>

#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/threadpool.hpp>

namespace tensorflow {
namespace testing {
inline std::string TmpDir() {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return folder != nullptr ? folder : std::filesystem::temp_directory_path().string();
}
inline int RandomSeed() { return 301; }
inline std::string SrcDir() { return TmpDir(); }
inline std::string TensorFlowSrcRoot() { return "tensorflow"; }
inline int PickUnusedPortOrDie() { return 20000 + static_cast<int>(EnvTime::NowMicros() % 20000); }
inline void InstallStacktraceHandler() {}
}  // namespace testing

}  // namespace tensorflow

#define TF_EXPECT_OK(...) EXPECT_EQ(::tensorflow::Status(), (__VA_ARGS__))
#define TF_ASSERT_OK(...) ASSERT_EQ(::tensorflow::Status(), (__VA_ARGS__))
#define TF_EXPECT_OK_OR_ERROR(...) TF_EXPECT_OK(__VA_ARGS__)
#define EXPECT_OK TF_EXPECT_OK
#define ASSERT_OK TF_ASSERT_OK
#define TF_ASSERT_OK_AND_ASSIGN(LHS, ...) \
  TENON_COMPAT_ASSERT_OK_AND_ASSIGN(TENON_DETAIL_CONCAT(tf_result_, __COUNTER__), LHS, __VA_ARGS__)
#define TENON_COMPAT_ASSERT_OK_AND_ASSIGN(RESULT, LHS, ...) \
  auto RESULT = (__VA_ARGS__);                              \
  ASSERT_TRUE(RESULT.ok()) << RESULT.status().ToString();   \
  LHS = std::move(RESULT).value()
