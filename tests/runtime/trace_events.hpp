// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads Chrome trace JSON back, as strictly as JSON is: for the tests of what writes it.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace runtime_test {

// Values of strings without quotes, of numbers as they are written; those of "args" under "args.<name>".
using TraceEvent = std::map<std::string, std::string>;

class TraceReader {
 public:
  // False where the text is not one JSON object of "traceEvents", an array of objects.
  static bool Read(std::string_view text, std::vector<TraceEvent>* events) {
    TraceReader reader(text);
    return reader.Eat('{') && reader.EatKey("traceEvents") && reader.Events(events) && reader.Eat('}') &&
           reader.AtEnd();
  }

 private:
  explicit TraceReader(std::string_view text) : text_(text) {}

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Try(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Eat(char c) { return Try(c); }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  bool EatKey(std::string_view key) {
    std::string name;
    return String(&name) && name == key && Eat(':');
  }
  bool Events(std::vector<TraceEvent>* events) {
    if (!Eat('[')) return false;
    if (Try(']')) return true;
    do {
      if (!Object("", &events->emplace_back())) return false;
    } while (Try(','));
    return Eat(']');
  }
  bool Object(const std::string& prefix, TraceEvent* event) {
    if (!Eat('{')) return false;
    if (Try('}')) return true;
    do {
      std::string key;
      if (!String(&key) || !Eat(':')) return false;
      key.insert(0, prefix);
      SkipSpace();
      std::string value;
      if (at_ < text_.size() && text_[at_] == '{') {
        if (!Object(key + ".", event)) return false;
      } else if (!(at_ < text_.size() && text_[at_] == '"' ? String(&value) : Number(&value))) {
        return false;
      } else if (!event->insert({key, value}).second) {
        return false;
      }
    } while (Try(','));
    return Eat('}');
  }
  bool String(std::string* value) {
    if (!Eat('"')) return false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return false;
      if (text_[at_] != '\\') {
        value->push_back(text_[at_]);
        continue;
      }
      if (++at_ == text_.size()) return false;
      if (text_[at_] == 'u') {
        if (text_.size() - at_ < 5) return false;
        value->push_back(static_cast<char>(std::stoi(std::string(text_.substr(at_ + 1, 4)), nullptr, 16)));
        at_ += 4;
      } else {
        value->push_back(text_[at_]);
      }
    }
    return Eat('"');
  }
  bool Number(std::string* value) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view("+-.0123456789e").find(text_[at_]) != std::string_view::npos) ++at_;
    value->assign(text_.substr(begin, at_ - begin));
    return !value->empty();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

inline std::vector<TraceEvent> EventsOf(std::string_view json, std::string_view phase) {
  std::vector<TraceEvent> all, some;
  if (!TraceReader::Read(json, &all)) return {};
  for (TraceEvent& event : all)
    if (event["ph"] == phase) some.push_back(event);
  return some;
}

}  // namespace runtime_test
