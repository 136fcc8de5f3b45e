// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is logged from now on, as if nothing had been logged of unknown attrs before.

#include <cstdint>
#include <limits>
#include <string>

#include <tenon/base/log.hpp>
#include <tenon/op/graph_def/unknown_attr.hpp>

struct UnknownAttrLines : tenon::LogSink {
  UnknownAttrLines() {
    tenon::detail::next_line_of_unknown_attr = std::numeric_limits<std::int64_t>::min();
    tenon::SetLogSink(this);
  }
  ~UnknownAttrLines() override { tenon::SetLogSink(nullptr); }
  void Send(const tenon::LogEntry& entry) override { text += entry.text; }
  std::string text;
};
