// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frame of the command `tenon`: subcommands and options as tables, from which the parser, --help, the shell
// completions and the man page are made.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>

namespace command {

using tenon::Result;
using tenon::Status;
using tenon::StrAppend;
using tenon::StrCat;

// Exit codes.
inline constexpr int kFine = 0;  // done
inline constexpr int kError = 1;  // an error, which stderr names
inline constexpr int kUsage = 2;  // a wrong command line
inline constexpr int kFound = 3;  // `check` found a fault, or `diff` a difference

struct Option {
  std::string_view name;  // "--threads"
  std::string_view value;  // "N"; empty: a flag
  std::string_view help;  // a sentence
  std::string_view choices = {};  // "auto always never": the only values; "file": completed as a path
  char letter = 0;  // 'o' for -o
};

struct Example {
  std::string_view line;  // the command line
  std::string_view help;  // a phrase
};

class Args;

struct Command {
  std::string_view name;
  std::string_view arguments;  // "MODEL [INPUT]"
  std::string_view summary;  // one line
  std::string_view text;  // paragraphs of the help page
  std::size_t min_arguments, max_arguments;
  std::span<const Option> options;
  std::span<const Example> examples;
  Result<int> (*run)(const Args& args);  // an exit code
};

// All subcommands, in the order of the help page. main.cpp has the list.
std::span<const Command> Commands();
// Options of every subcommand.
std::span<const Option> CommonOptions();

// A parsed command line. Immutable but for the mark that Usage() sets.
class Args {
 public:
  explicit Args(const Command& of) : command_(&of) {}

  // Reads the words behind the subcommand. InvalidArgument: an unknown option, a missing value, too many arguments.
  Status Parse(std::span<const char* const> words);

  const Command& command() const { return *command_; }
  const std::vector<std::string>& arguments() const { return arguments_; }  // words that are not options
  bool Has(std::string_view option) const { return Find(option) != nullptr; }
  // Returns the last value of an option, or `otherwise`.
  std::string Get(std::string_view option, std::string_view otherwise = {}) const;
  // Returns all values of an option, in order.
  std::vector<std::string> All(std::string_view option) const;
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  // Reads the last value as a number from `least` to `most`; `otherwise` where the option is not given.
  Result<std::int64_t> GetInt(std::string_view option, std::int64_t otherwise, std::int64_t least = 0,
                              std::int64_t most = kNoLimit) const;
  Result<double> GetDouble(std::string_view option, double otherwise) const;
  // Reads a list "1,8,32" of numbers of at least 1.
  Result<std::vector<std::int64_t>> GetInts(std::string_view option) const;

  bool json() const { return Has("--json"); }
  // Returns an error of the command line: the exit code becomes 2.
  Status Usage(std::string_view text) const;
  bool is_usage() const { return is_usage_; }

 private:
  const std::string* Find(std::string_view option) const;
  const Option* OptionNamed(std::string_view name) const;

  const Command* command_;
  std::vector<std::string> arguments_;
  std::vector<std::pair<const Option*, std::string>> values_;
  mutable bool is_usage_ = false;
};

// Pages made from the tables.
std::string HelpPage();
std::string HelpPage(const Command& of);
std::string BashCompletion();
std::string ZshCompletion();
std::string ManPage();

// The subcommands, one file each.
Result<int> RunInfo(const Args& args);
Result<int> RunRun(const Args& args);
Result<int> RunBench(const Args& args);
Result<int> RunTune(const Args& args);  // bench --tune
Result<int> RunTrace(const Args& args);
Result<int> RunConvert(const Args& args);
Result<int> RunCheck(const Args& args);
Result<int> RunOps(const Args& args);
Result<int> RunDiff(const Args& args);
Result<int> RunDoctor(const Args& args);

}  // namespace command
