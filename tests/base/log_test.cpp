// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/log.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "child_process.hpp"

namespace log_test {
using tenon::LogEntry;
using tenon::LogSeverity;

namespace {

// Collects lines, and puts back what was there before.
class Collector : public tenon::LogSink {
 public:
  Collector() : old_sink_(tenon::SetLogSink(this)), old_severity_(tenon::MinLogSeverity()) {}
  ~Collector() override {
    tenon::SetLogSink(old_sink_);
    tenon::SetMinLogSeverity(old_severity_);
  }
  void Send(const LogEntry& entry) override {
    lines.push_back(tenon::StrCat(static_cast<int>(entry.severity), " ", entry.file, " ", entry.text));
    last_line = entry.line;
  }

  std::vector<std::string> lines;
  int last_line = 0;

 private:
  tenon::LogSink* old_sink_;
  LogSeverity old_severity_;
};

}  // namespace

TEST_CASE("a sink gets severity, file, line and text") {
  Collector collector;
  tenon::SetMinLogSeverity(LogSeverity::kInfo);
  TENON_LOG(kInfo, "step ", 1);
  TENON_LOG(kWarning, "careful");
  const int line = __LINE__ + 1;
  TENON_LOG(kError, "broken: ", 2.5, " of ", 3);
  CHECK(collector.lines ==
        std::vector<std::string>{"0 log_test.cpp step 1", "1 log_test.cpp careful", "2 log_test.cpp broken: 2.5 of 3"});
  CHECK(collector.last_line == line);
}

TEST_CASE("what is below the threshold is neither sent nor evaluated") {
  Collector collector;
  tenon::SetMinLogSeverity(LogSeverity::kError);
  int evaluated = 0;
  TENON_LOG(kWarning, ++evaluated);
  CHECK(evaluated == 0);
  TENON_LOG(kError, ++evaluated);
  CHECK(evaluated == 1);
  CHECK(collector.lines.size() == 1);
  tenon::SetMinLogSeverity(LogSeverity::kNone);
  TENON_LOG(kError, "not even this");
  CHECK(collector.lines.size() == 1);
}

TEST_CASE("without a sink a line goes to stderr") {
  const int line = __LINE__ + 3;
  const ChildResult child = RunInChild([] {
    tenon::SetMinLogSeverity(LogSeverity::kInfo);
    TENON_LOG(kWarning, "disk ", 99, "% full");
    TENON_LOG(kInfo, "i");
    TENON_LOG(kError, "e");
  });
  const auto place = [&](int after) { return tenon::StrCat(" log_test.cpp:", line + after, "] "); };
  CHECK(child.errors == tenon::StrCat("W", place(0), "disk 99% full\nI", place(1), "i\nE", place(2), "e\n"));
}

TEST_CASE("the environment sets the threshold") {
  const char* const variable = "TENON_MIN_LOG_LEVEL";
  const char* const before = std::getenv(variable);
  const std::string saved = before == nullptr ? "" : before;
  unsetenv(variable);
  CHECK(tenon::detail::LogSeverityFromEnvironment() == 0);
  const struct {
    const char* text;
    int level;
  } cases[] = {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}, {"9", 3}, {"-1", 0}, {"", 0}, {"loud", 0}};
  for (const auto& c : cases) {
    setenv(variable, c.text, 1);
    CHECK(tenon::detail::LogSeverityFromEnvironment() == c.level);
  }
  if (before == nullptr) {
    unsetenv(variable);
  } else {
    setenv(variable, saved.c_str(), 1);
  }
}
}  // namespace log_test
