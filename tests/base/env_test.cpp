// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/env.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace env_test {
namespace {

constexpr const char* kName = "TENON_ENV_TEST";

#if defined(_WIN32)
void Set(const char* text) { _putenv_s(kName, text); }
void Unset() { _putenv_s(kName, ""); }
#else
void Set(const char* text) { setenv(kName, text, 1); }
void Unset() { unsetenv(kName); }
#endif
struct Variable {
  explicit Variable(const char* text) { Set(text); }
  ~Variable() { Unset(); }
};

}  // namespace

TEST_CASE("a variable that is not set gives the default") {
  Unset();
  std::string text;
  tenon::GetEnvString(kName, "usual", &text);
  CHECK(text == "usual");
  bool on = false;
  CHECK(tenon::GetEnvBool(kName, true, &on).ok());
  CHECK(on);
  std::int64_t count = 0;
  CHECK(tenon::GetEnvInt64(kName, 5, &count).ok());
  CHECK(count == 5);
  double share = 0;
  CHECK(tenon::GetEnvDouble(kName, 0.5, &share).ok());
  CHECK(share == 0.5);
}

#if !defined(_WIN32)  // Windows has no empty variables
TEST_CASE("a string may be empty") {
  const Variable variable("");
  std::string text = "old";
  tenon::GetEnvString(kName, "usual", &text);
  CHECK(text == "");
}
#endif

TEST_CASE("a switch is 0, 1, true or false in any case") {
  for (const char* yes : {"1", "true", "TRUE", "True"}) {
    const Variable variable(yes);
    bool on = false;
    CHECK(tenon::GetEnvBool(kName, false, &on).ok());
    CHECK(on);
  }
  for (const char* no : {"0", "false", "FALSE"}) {
    const Variable variable(no);
    bool on = true;
    CHECK(tenon::GetEnvBool(kName, true, &on).ok());
    CHECK_FALSE(on);
  }
}

TEST_CASE("numbers are read whole") {
  const Variable variable("-12");
  std::int64_t count = 0;
  CHECK(tenon::GetEnvInt64(kName, 5, &count).ok());
  CHECK(count == -12);
  double share = 0;
  CHECK(tenon::GetEnvDouble(kName, 0.5, &share).ok());
  CHECK(share == -12.0);
}

TEST_CASE("text that makes no sense gives the default and an error in TensorFlow's words") {
  const Variable variable("12x");
  bool on = false;
  CHECK(tenon::GetEnvBool(kName, true, &on).ToString() ==
        "INVALID_ARGUMENT: Failed to parse the env-var ${TENON_ENV_TEST} into bool: 12x. Use the default value: 1");
  CHECK(on);
  std::int64_t count = 0;
  CHECK(tenon::GetEnvInt64(kName, 5, &count).ToString() ==
        "INVALID_ARGUMENT: Failed to parse the env-var ${TENON_ENV_TEST} into int64: 12x. Use the default value: 5");
  CHECK(count == 5);
  double share = 0;
  CHECK(tenon::GetEnvDouble(kName, 0.5, &share).ToString() ==
        "INVALID_ARGUMENT: Failed to parse the env-var ${TENON_ENV_TEST} into double: 12x. Use the default value: 0.5");
  CHECK(share == 0.5);
}
}  // namespace env_test
