// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceNameUtils: names of devices taken apart and put together.

#include <string>
#include <string_view>

#include <tenon/compat/tensorflow/base/strings.hpp>

namespace tensorflow {

class DeviceNameUtils {
 public:
  struct ParsedName {
    void Clear() { *this = ParsedName(); }
    friend bool operator==(const ParsedName&, const ParsedName&) = default;
    bool has_job = false;
    std::string job;
    bool has_replica = false;
    int replica = 0;
    bool has_task = false;
    int task = 0;
    bool has_type = false;
    std::string type;
    bool has_id = false;
    int id = 0;
  };
  static std::string FullName(const std::string& job, int replica, int task, const std::string& type, int id) {
    return strings::StrCat("/job:", job, "/replica:", replica, "/task:", task, "/device:", type, ":", id);
  }
  // "/job:j/replica:0/task:1/device:GPU:0" and parts of it; "*" stands for any. False: another form.
  static bool ParseFullName(StringPiece text, ParsedName* out) {
    out->Clear();
    if (text == "/") return true;
    while (!text.empty()) {
      if (!str_util::ConsumePrefix(&text, "/")) return false;
      const std::size_t end = std::min(text.find('/'), text.size());
      if (!ParsePart(text.substr(0, end), out)) return false;
      text.remove_prefix(end);
    }
    return true;
  }
  static bool ParseFullOrLocalName(StringPiece text, ParsedName* out) {
    return ParseFullName(text, out) || ParseLocalName(text, out);
  }
  // "CPU:0"
  static bool ParseLocalName(StringPiece text, ParsedName* out) {
    out->Clear();
    const std::size_t colon = text.find(':');
    if (colon == StringPiece::npos || colon == 0) return false;
    out->has_type = out->has_id = true;
    out->type = std::string(text.substr(0, colon));
    return strings::safe_strto32(text.substr(colon + 1), &out->id);
  }
  static std::string ParsedNameToString(const ParsedName& name) {
    std::string out;
    if (name.has_job) strings::StrAppend(&out, "/job:", name.job);
    if (name.has_replica) strings::StrAppend(&out, "/replica:", name.replica);
    if (name.has_task) strings::StrAppend(&out, "/task:", name.task);
    if (name.has_type) {
      strings::StrAppend(&out, "/device:", name.type, ":");
      strings::StrAppend(&out, name.has_id ? std::to_string(name.id) : "*");
    }
    return out;
  }
  static std::string LocalName(StringPiece type, int id) { return strings::StrCat("/device:", type, ":", id); }
  static bool IsSameAddressSpace(const ParsedName& a, const ParsedName& b) {
    return a.has_job && b.has_job && a.job == b.job && a.has_replica && b.has_replica && a.replica == b.replica &&
           a.has_task && b.has_task && a.task == b.task;
  }

 private:
  static bool Number(StringPiece text, bool* has, int* value) {
    *has = text != "*";
    return !*has || (strings::safe_strto32(text, value) && *value >= 0);
  }
  static bool ParsePart(StringPiece part, ParsedName* out) {
    if (str_util::ConsumePrefix(&part, "job:")) {
      out->has_job = part != "*";
      if (out->has_job) out->job = std::string(part);
      return !part.empty();
    }
    if (str_util::ConsumePrefix(&part, "replica:")) return Number(part, &out->has_replica, &out->replica);
    if (str_util::ConsumePrefix(&part, "task:")) return Number(part, &out->has_task, &out->task);
    str_util::ConsumePrefix(&part, "device:");
    const std::size_t colon = std::min(part.find(':'), part.size());
    out->type = str_util::Uppercase(part.substr(0, colon));
    out->has_type = out->type != "*";
    if (!out->has_type) out->type.clear();
    return colon == part.size() || Number(part.substr(colon + 1), &out->has_id, &out->id);
  }
};

}  // namespace tensorflow
