// SPDX-License-Identifier: Apache-2.0
// The parser of the command line, and the pages that are made from the tables of options.

#include "command.hpp"

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>

#include "output.hpp"

namespace command {

namespace {

bool IsChoice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    const std::string_view word = choices.substr(0, choices.find(' '));
    if (word == value) return true;
    choices.remove_prefix(std::min(choices.size(), word.size() + 1));
  }
  return false;
}

bool HasChoices(const Option& option) { return !option.choices.empty() && option.choices != "file"; }

}  // namespace

const Option* Args::OptionNamed(std::string_view name) const {
  for (const auto& list : {command_->options, CommonOptions()})
    for (const Option& option : list)
      if (option.name == name || (option.letter != 0 && name == std::string({'-', option.letter}))) return &option;
  return nullptr;
}

Status Args::Usage(std::string_view text) const {
  is_usage_ = true;
  return tenon::errors::InvalidArgument(text);
}

Status Args::Parse(std::span<const char* const> words) {
  bool only_arguments = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (only_arguments || word == "-" || word.starts_with("-:") || !word.starts_with('-')) {
      arguments_.emplace_back(word);
      continue;
    }
    if (word == "--") {
      only_arguments = true;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    std::string_view name = word.substr(0, equals);
    const Option* option = OptionNamed(name);
    std::optional<std::string> value;
    if (equals != word.npos) value = word.substr(equals + 1);
    if (option == nullptr && !word.starts_with("--")) {  // "-t1"
      const Option* const lettered = OptionNamed(word.substr(0, 2));
      if (lettered != nullptr && !lettered->value.empty()) {
        option = lettered;
        name = word.substr(0, 2);
        value = word.substr(2);
      }
    }
    if (option == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& list : {command_->options, CommonOptions()})
        for (const Option& known : list) names.push_back(known.name);
      return Usage(StrCat("unknown option '", name, "'", tenon::DidYouMean(name, names)));
    }
    if (option->value.empty()) {
      if (value) return Usage(StrCat("option ", name, " takes no value, got '", word, "'"));
      values_.emplace_back(option, "");
      continue;
    }
    if (!value) {
      if (i + 1 == words.size()) return Usage(StrCat("option ", name, " wants a value: ", name, " ", option->value));
      value = words[++i];
    }
    if (HasChoices(*option) && !IsChoice(option->choices, *value))
      return Usage(StrCat("option ", name, " has the value '", *value, "'; the choices are ", option->choices));
    values_.emplace_back(option, *std::move(value));
  }
  if (Has("--help")) return tenon::OkStatus();
  if (arguments_.size() < command_->min_arguments || arguments_.size() > command_->max_arguments)
    return Usage(StrCat("got ", arguments_.size(), arguments_.size() == 1 ? " argument" : " arguments",
                        "; usage: tenon ", command_->name, " [OPTION]...", command_->arguments.empty() ? "" : " ",
                        command_->arguments));
  return tenon::OkStatus();
}

const std::string* Args::Find(std::string_view option) const {
  for (std::size_t i = values_.size(); i-- > 0;)
    if (values_[i].first->name == option) return &values_[i].second;
  return nullptr;
}
std::string Args::Get(std::string_view option, std::string_view otherwise) const {
  const std::string* const value = Find(option);
  return value != nullptr ? *value : std::string(otherwise);
}
std::vector<std::string> Args::All(std::string_view option) const {
  std::vector<std::string> all;
  for (const auto& [known, value] : values_)
    if (known->name == option) all.push_back(value);
  return all;
}
Result<std::int64_t> Args::GetInt(std::string_view option, std::int64_t otherwise, std::int64_t least,
                                  std::int64_t most) const {
  const std::string* const value = Find(option);
  if (value == nullptr) return otherwise;
  std::int64_t number = 0;
  if (!tenon::ParseInt64(*value, &number) || number < least || number > most)
    return Usage(StrCat("option ", option, " has the value '", *value, "'; a number of at least ", least,
                        most < kNoLimit ? StrCat(" and at most ", most) : std::string(), " is wanted"));
  return number;
}
Result<double> Args::GetDouble(std::string_view option, double otherwise) const {
  const std::string* const value = Find(option);
  if (value == nullptr) return otherwise;
  double number = 0;
  if (!tenon::ParseDouble(*value, &number) || !(number >= 0))
    return Usage(StrCat("option ", option, " has the value '", *value, "'; a number of at least 0 is wanted"));
  return number;
}
Result<std::vector<std::int64_t>> Args::GetInts(std::string_view option) const {
  std::vector<std::int64_t> numbers;
  for (const std::string& value : All(option)) {
    for (std::size_t begin = 0, end = 0; end < value.size() || begin == 0; begin = end + 1) {
      end = std::min(value.find(',', begin), value.size());
      const std::string_view word = std::string_view(value).substr(begin, end - begin);
      std::int64_t number = 0;
      if (!tenon::ParseInt64(word, &number) || number < 1)
        return Usage(StrCat("option ", option, " has the value '", value, "'; a list such as 1,8,32 is wanted"));
      numbers.push_back(number);
    }
  }
  return numbers;
}

// ---------------------------------------------------------------------------------------------------------- the pages

namespace {

// "-o, --output FILE"
std::string OptionText(const Option& option) {
  std::string text = option.letter != 0 ? StrCat("-", std::string(1, option.letter), ", ") : std::string();
  StrAppend(&text, option.name);
  if (!option.value.empty()) StrAppend(&text, " ", option.value);
  return text;
}

void AppendOptions(std::span<const Option> options, std::string* page) {
  constexpr std::size_t kColumn = 26, kWidth = 78;
  for (const Option& option : options) {
    std::string line = StrCat("  ", OptionText(option));
    if (line.size() + 1 > kColumn) {
      StrAppend(page, line, "\n");
      line.clear();
    }
    line.append(kColumn - line.size(), ' ');
    for (std::string_view rest = option.help; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (line.size() + word.size() > kWidth && line.size() > kColumn) {
        StrAppend(page, line, "\n");
        line.assign(kColumn, ' ');
      }
      StrAppend(&line, line.size() > kColumn ? " " : "", word);
    }
    StrAppend(page, line, "\n");
  }
}

constexpr std::string_view kExitCodes =
    "  0  done\n"
    "  1  an error, which stderr names\n"
    "  2  a wrong command line\n"
    "  3  `check` found a fault, or `diff` a difference\n";

// Roff: a line that begins with a dot or a quote, and all backslashes and hyphens, are escaped.
std::string Roff(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

// Text for a single-quoted word of a shell.
std::string ShellQuoted(std::string_view text, bool zsh_spec) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (zsh_spec && (c == '[' || c == ']' || c == ':'))
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string JoinedNames() {
  std::string names;
  for (const Command& command : Commands()) StrAppend(&names, names.empty() ? "" : " ", command.name);
  return names;
}

}  // namespace

std::string HelpPage() {
  std::string page =
      "tenon looks into TensorFlow models, runs them and measures them.\n\n"
      "usage: tenon COMMAND [OPTION]... [ARGUMENT]...\n"
      "       tenon COMMAND --help\n"
      "       tenon --version\n\n"
      "commands:\n";
  for (const Command& command : Commands()) {
    std::string line = StrCat("  ", command.name);
    line.append(12 - line.size(), ' ');
    StrAppend(&page, line, command.summary, "\n");
  }
  StrAppend(&page, "\nexamples:\n");
  for (const Command& command : Commands())
    if (!command.examples.empty()) StrAppend(&page, "  ", command.examples[0].line, "\n");
  StrAppend(&page, "\nexit codes:\n", kExitCodes,
            "\nmore:\n"
            "  tenon completion bash|zsh   the completion file of a shell\n"
            "  tenon man                   the man page\n");
  return page;
}

std::string HelpPage(const Command& of) {
  std::string page = StrCat("usage: tenon ", of.name, " [OPTION]...", of.arguments.empty() ? "" : " ", of.arguments,
                            "\n\n", of.text, "\n\noptions:\n");
  AppendOptions(of.options, &page);
  AppendOptions(CommonOptions(), &page);
  StrAppend(&page, "\nexamples:\n");
  for (const Example& example : of.examples) StrAppend(&page, "  ", example.line, "\n      ", example.help, "\n");
  return page;
}

std::string BashCompletion() {
  std::string page = StrCat(
      "# Completion of tenon for bash. `tenon completion bash` writes this file.\n"
      "_tenon() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '",
      JoinedNames(),
      " completion help man --help --version' -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command:$prev in\n");
  const auto add_choices = [&page](std::string_view of, std::span<const Option> options) {
    for (const Option& option : options)
      if (HasChoices(option))
        StrAppend(&page, "    ", of, ":", option.name, ") COMPREPLY=($(compgen -W '", option.choices,
                  "' -- \"$cur\")); return ;;\n");
  };
  for (const Command& command : Commands()) add_choices(command.name, command.options);
  add_choices("*", CommonOptions());
  StrAppend(
      &page, StrCat("    help:help) COMPREPLY=($(compgen -W '", JoinedNames(), "' -- \"$cur\")); return ;;\n"),
      "    completion:completion) COMPREPLY=($(compgen -W 'bash zsh' -- \"$cur\")); return ;;\n"
      "    ops:*) [[ $cur == -* ]] || { COMPREPLY=($(compgen -W \"$(tenon ops --names 2>/dev/null)\" -- \"$cur\")); "
      "return; } ;;\n"
      "  esac\n"
      "  if [[ $cur == -* ]]; then\n"
      "    local options\n"
      "    case $command in\n");
  for (const Command& command : Commands()) {
    StrAppend(&page, "      ", command.name, ") options='");
    for (const auto& list : {command.options, CommonOptions()})
      for (const Option& option : list) StrAppend(&page, page.back() == '\'' ? "" : " ", option.name);
    page += "' ;;\n";
  }
  page +=
      "    esac\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "}\n"
      "complete -o filenames -F _tenon tenon\n";
  return page;
}

std::string ZshCompletion() {
  std::string page =
      "#compdef tenon\n"
      "# Completion of tenon for zsh. `tenon completion zsh` writes this file.\n"
      "_tenon() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : Commands())
    StrAppend(&page, "    '", command.name, ":", ShellQuoted(command.summary, false), "'\n");
  page +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n";
  for (const Command& command : Commands()) {
    StrAppend(&page, "    ", command.name, ")\n      _arguments");
    for (const auto& list : {command.options, CommonOptions()}) {
      for (const Option& option : list) {
        StrAppend(&page, " \\\n        '*", option.name, "[", ShellQuoted(option.help, true), "]");
        if (!option.value.empty()) {
          StrAppend(&page, ":", ShellQuoted(option.value, true), ":");
          if (HasChoices(option)) StrAppend(&page, "(", option.choices, ")");
          if (option.choices == "file") page += "_files";
        }
        page += "'";
      }
    }
    StrAppend(&page,
              command.name == "ops" ? " \\\n        '*:op:($(tenon ops --names 2>/dev/null))'"
                                    : " \\\n        '*:file:_files'",
              " ;;\n");
  }
  page +=
      "    completion) _values shell bash zsh ;;\n"
      "  esac\n"
      "}\n"
      "_tenon \"$@\"\n";
  return page;
}

std::string ManPage() {
  std::string page = StrCat(".\\\" `tenon man` writes this page.\n.TH TENON 1 \"\" \"Tenon ", TENON_VERSION_TEXT,
                            "\" \"User Commands\"\n"
                            ".SH NAME\ntenon \\- looks into TensorFlow models, runs them and measures them\n"
                            ".SH SYNOPSIS\n.B tenon\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n"
                            ".SH COMMANDS\n");
  for (const Command& command : Commands()) {
    StrAppend(&page, ".SS tenon ", command.name, " ", Roff(command.arguments), "\n", Roff(command.text), "\n");
    for (const Option& option : command.options)
      StrAppend(&page, ".TP\n.B ", Roff(OptionText(option)), "\n", Roff(option.help), "\n");
    StrAppend(&page, ".PP\nExamples:\n");
    for (const Example& example : command.examples)
      StrAppend(&page, ".TP\n.B ", Roff(example.line), "\n", Roff(example.help), "\n");
  }
  page += ".SH COMMON OPTIONS\n";
  for (const Option& option : CommonOptions())
    StrAppend(&page, ".TP\n.B ", Roff(OptionText(option)), "\n", Roff(option.help), "\n");
  StrAppend(&page, ".SH EXIT STATUS\n.nf\n", Roff(kExitCodes), ".fi\n.SH ENVIRONMENT\n",
            ".TP\n.B NO_COLOR\nAny value turns colours off.\n"
            ".TP\n.B TENON_TRACE\nThe file for a timeline of all runs; see docs/how\\-to/profile.md.\n"
            ".TP\n.B TENON_ISA\nThe highest instruction set to use: unit, avx2, avx512 or amx.\n");
  return page;
}

}  // namespace command
