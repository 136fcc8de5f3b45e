// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matchers of Status for GoogleMock: IsOk, StatusIs, IsOkAndHolds. Needs GoogleMock.

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include <tenon/compat/tensorflow/testing/test.hpp>

namespace tensorflow {
namespace testing {

inline const Status& StatusOf(const Status& status) { return status; }
template <class T>
const Status& StatusOf(const tenon::Result<T>& result) {
  return result.status();
}
MATCHER(IsOk, "is OK") { return StatusOf(arg).ok(); }
MATCHER_P(StatusIs, code, "has the code") { return static_cast<int>(StatusOf(arg).code()) == static_cast<int>(code); }
MATCHER_P2(StatusIs, code, message, "has the code and the message") {
  return static_cast<int>(StatusOf(arg).code()) == static_cast<int>(code) &&
         ::testing::ExplainMatchResult(message, std::string(StatusOf(arg).message()), result_listener);
}
MATCHER_P(IsOkAndHolds, inner, "is OK and holds") {
  return arg.ok() && ::testing::ExplainMatchResult(inner, *arg, result_listener);
}

}  // namespace testing
}  // namespace tensorflow
namespace absl_testing {
using tensorflow::testing::IsOk;
using tensorflow::testing::IsOkAndHolds;
using tensorflow::testing::StatusIs;
}  // namespace absl_testing
