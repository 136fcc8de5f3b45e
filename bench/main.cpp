// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a benchmark program and prints a Markdown table, which is also readable as it is; JSON on request.
#include "harness.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <type_traits>

#include <tenon/base/str.hpp>
#include <tenon/engine/core/cache_sizes.hpp>
#include <tenon/engine/simd/isa.hpp>

#include "cycles.hpp"

#if !defined(TENON_BENCH_FLAGS)
#define TENON_BENCH_FLAGS ""
#endif

namespace tenon::bench {
namespace {

constexpr const char* kUsage = R"(usage: %s [option]...
  --list            names of the cases
  --filter TEXT     only cases whose name contains the text; may be given several times
  --json FILE       the results as JSON
  --markdown FILE   the table
  --rounds N        samples of each subject (default 41)
  --batch-ms X      length of a sample (default 1)
  --case-ms X       length of all samples of a case together, five rounds at least (default 3000)
  --threads N       threads inside one op (default 1)
  --processor-time  measure the process's processor time, on a busy machine and one thread
  --cycles          count this thread's cycles instead of the time, on a busy machine; "ns" then means cycles
  --no-peers        Tenon only
  --check           exit status 1 when a goal is missed
)";

struct CommandLine {
  Options options;
  std::vector<std::string> filters;
  std::string json, markdown;
  bool list = false, check = false, help = false;
};

template <class... A>
std::string Format(const char* format, A... args) {
  char text[160];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

// Three significant digits.
std::string Number(double v) { return Format(v >= 99.95 ? "%.0f" : v >= 9.995 ? "%.1f" : "%.2f", v); }
std::string Duration(double ns) {
  if (ns < 1e3) return Number(ns) + " ns";
  if (ns < 1e6) return Number(ns / 1e3) + " us";
  if (ns < 1e9) return Number(ns / 1e6) + " ms";
  return Number(ns / 1e9) + " s";
}

// ---- the machine

struct Machine {
  std::string date, cpu, instructions, compiler, flags;
  long cores = 0, l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;
};

// The value behind "key : " in /proc/cpuinfo.
std::string CpuInfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}
template <class Unit>
constexpr const char* UnitName() {
  if (std::is_same_v<Unit, simd::isa::Sse2>) return "SSE2";
  if (std::is_same_v<Unit, simd::isa::Sse41>) return "SSE4.1";
  if (std::is_same_v<Unit, simd::isa::Avx>) return "AVX";
  if (std::is_same_v<Unit, simd::isa::Avx2>) return "AVX2";
  if (std::is_same_v<Unit, simd::isa::Avx512>) return "AVX-512";
  if (std::is_same_v<Unit, simd::isa::Neon64>) return "NEON";
  return "no vectors";
}

// The widest vectors that the processor has, and those that this program was compiled for.
std::string Instructions() {
  const std::string flags = StrCat(" ", CpuInfo("flags"), " ");
  const char* best = "SSE2";
  for (const auto& [flag, name] : {std::pair(" avx ", "AVX"), {" avx2 ", "AVX2"}, {" avx512f ", "AVX-512"}})
    if (flags.find(flag) != std::string::npos) best = name;
  return StrCat(flags == " unknown " ? "unknown" : best, "; compiled for ", UnitName<simd::Compiled>());
}
Machine ThisMachine() {
  Machine m;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  m.date = date;
  m.cpu = CpuInfo("model name");
  m.instructions = Instructions();
#if defined(__clang__)
  m.compiler = StrCat("clang ", __clang_major__, ".", __clang_minor__);
#elif defined(__GNUC__)
  m.compiler = StrCat("g++ ", __GNUC__, ".", __GNUC_MINOR__);
#else
  m.compiler = "unknown";
#endif
  m.flags = TENON_BENCH_FLAGS;
  m.cores = sysconf(_SC_NPROCESSORS_ONLN);
  m.l1d_bytes = ::tenon::detail::Caches().first;
  m.l2_bytes = ::tenon::detail::Caches().second;
  m.l3_bytes = ::tenon::detail::Caches().last;
  return m;
}
std::string MachineLine(const Machine& m) {
  return StrCat(m.date, ". ", m.cpu, ", ", m.cores, m.cores == 1 ? " core" : " cores", " (", m.instructions, "), L1d ",
                m.l1d_bytes >> 10, " KB, L2 ", m.l2_bytes >> 10, " KB, L3 ", m.l3_bytes >> 20, " MB. ", m.compiler,
                m.flags.empty() ? "" : " ", m.flags, ".");
}

// ---- the results

struct Result {
  std::string name;
  std::unique_ptr<State> state;
};

using Row = std::vector<std::string>;
const Row kHead = {"case", "who", "time", "each", "rate", "Tenon / it", "goal"};

std::string Rate(const State& state, double ns) {
  std::string rate;
  if (state.flops() > 0) rate = Number(state.flops() / ns) + " GFLOP/s";
  if (state.bytes() > 0) rate += (rate.empty() ? "" : ", ") + Number(state.bytes() / ns) + " GB/s";
  return rate;
}
std::string GoalText(const State& state) {
  std::string text;
  for (const State::GoalResult& goal : state.goals()) {
    const char* const result = goal.got <= 0 ? "not compared" : goal.got <= goal.wanted ? "met" : "missed";
    StrAppend(&text, text.empty() ? "" : ", ", Format("<= %.2f: %s", goal.wanted, result));
    if (state.goals().size() > 1) StrAppend(&text, " (", goal.peers, ")");
  }
  return text;
}
std::vector<Row> Rows(const Result& result) {
  const State& state = *result.state;
  if (!state.error().ok()) return {{result.name, "failed", state.error().ToString(), "", "", "", ""}};
  std::vector<Row> rows;
  for (const Subject& s : state.subjects()) {
    const bool first = rows.empty();
    Row row(kHead.size());
    row[0] = first ? result.name : "";
    row[1] = s.name;
    if (!s.ns.empty()) {
      const double ns = state.Time(s);
      row[2] = Duration(ns);
      if (state.items() > 0) row[3] = StrCat(Duration(ns / state.items()), " / ", state.item());
      row[4] = Rate(state, ns);
      if (!first) row[5] = Format("%.2f", state.Ratio(s));
    } else {
      row[2] = s.absent.empty() ? "" : "absent";
    }
    if (first) row[6] = GoalText(state);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Columns as wide as their widest cell; numbers to the right.
std::string Table(const std::vector<Row>& rows) {
  std::vector<std::size_t> width;
  for (std::size_t c = 0; c < kHead.size(); ++c) {
    width.push_back(std::max<std::size_t>(kHead[c].size(), 3));
    for (const Row& row : rows) width[c] = std::max(width[c], row[c].size());
  }
  const auto right = [](std::size_t column) { return column >= 2 && column <= 5; };
  std::string text;
  const auto add = [&](const Row& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string fill(width[c] - row[c].size(), ' ');
      text += StrCat("| ", right(c) ? fill : row[c], right(c) ? row[c] : fill, " ");
    }
    text += "|\n";
  };
  add(kHead);
  for (std::size_t c = 0; c < kHead.size(); ++c)
    text += StrCat("|", std::string(width[c] + 1, '-'), right(c) ? ":" : "-");
  text += "|\n";
  for (const Row& row : rows) add(row);
  return text;
}

std::string Quoted(std::string_view text) {
  std::string out(1, '"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += Format("\\u%04x", static_cast<unsigned>(c));
    else
      out += c;
  }
  out += '"';
  return out;
}
std::string Json(const Machine& m, const std::vector<Result>& results) {
  std::string out = "{\n \"machine\": {";
  for (const auto& [key, value] : {std::pair("date", &m.date),
                                   {"cpu", &m.cpu},
                                   {"instructions", &m.instructions},
                                   {"compiler", &m.compiler},
                                   {"flags", &m.flags}})
    StrAppend(&out, "\"", key, "\": ", Quoted(*value), ", ");
  StrAppend(&out, "\"cores\": ", m.cores, ", \"l1d_bytes\": ", m.l1d_bytes, ", \"l2_bytes\": ", m.l2_bytes,
            ", \"l3_bytes\": ", m.l3_bytes, "},\n \"notes\": [");
  for (const std::string& note : Notes()) StrAppend(&out, &note == Notes().data() ? "" : ", ", Quoted(note));
  out += "],\n \"cases\": [";
  for (const Result& result : results) {
    const State& state = *result.state;
    StrAppend(&out, &result == results.data() ? "\n" : ",\n", "  {\"name\": ", Quoted(result.name),
              ", \"arg\": ", state.arg());
    if (!state.error().ok()) StrAppend(&out, ", \"error\": ", Quoted(state.error().ToString()));
    if (state.items() > 0) StrAppend(&out, ", \"items\": ", state.items(), ", \"item\": ", Quoted(state.item()));
    if (state.flops() > 0) StrAppend(&out, ", \"flops\": ", state.flops());
    if (state.bytes() > 0) StrAppend(&out, ", \"bytes\": ", state.bytes());
    out += ", \"goals\": [";
    for (bool first_goal = true; const State::GoalResult& goal : state.goals()) {
      StrAppend(&out, first_goal ? "" : ", ", "{\"wanted\": ", goal.wanted, ", \"peers\": ", Quoted(goal.peers));
      if (goal.got > 0) StrAppend(&out, ", \"ratio\": ", Format("%.4f", goal.got));
      out += "}";
      first_goal = false;
    }
    out += "]";
    StrAppend(&out, ", \"disturbed_samples\": ", state.disturbed(), ", \"subjects\": [");
    bool first = true;
    for (const Subject& s : state.subjects()) {
      StrAppend(&out, first ? "" : ", ", "\n    {\"name\": ", Quoted(s.name));
      if (!s.absent.empty()) StrAppend(&out, ", \"absent\": ", Quoted(s.absent));
      if (!s.ns.empty()) {
        StrAppend(&out, ", \"median_ns\": ", Format("%.3f", state.Time(s)),
                  ", \"min_ns\": ", Format("%.3f", *std::min_element(s.ns.begin(), s.ns.end())),
                  ", \"samples\": ", s.ns.size(), ", \"runs_per_sample\": ", s.batch);
        if (!first) StrAppend(&out, ", \"tenon_ratio\": ", Format("%.4f", state.Ratio(s)));
      }
      out += "}";
      first = false;
    }
    out += "]}";
  }
  return out + "\n ]\n}\n";
}

// ---- the program

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file.good()) std::fprintf(stderr, "cannot write '%s'\n", path.c_str());
  return file.good();
}

bool Parse(int argc, char** argv, CommandLine* line) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const auto number = [&](double least) {
      const double value = i + 1 < argc ? std::atof(argv[i + 1]) : -1;
      return value >= least ? (++i, value) : -1;
    };
    double value = 0;
    if (arg == "--help")
      line->help = true;
    else if (arg == "--list")
      line->list = true;
    else if (arg == "--check")
      line->check = true;
    else if (arg == "--no-peers")
      line->options.peers = false;
    else if (arg == "--filter" && i + 1 < argc)
      line->filters.emplace_back(argv[++i]);
    else if (arg == "--json" && i + 1 < argc)
      line->json = argv[++i];
    else if (arg == "--markdown" && i + 1 < argc)
      line->markdown = argv[++i];
    else if (arg == "--rounds" && (value = number(5)) > 0)
      line->options.rounds = static_cast<int>(value);
    else if (arg == "--batch-ms" && (value = number(0.01)) > 0)
      line->options.batch_ns = value * 1e6;
    else if (arg == "--case-ms" && (value = number(0.01)) > 0)
      line->options.most_ns = value * 1e6;
    else if (arg == "--processor-time")
      line->options.now = &NowProcessorNs;
    else if (arg == "--cycles" && CanCountCycles())
      line->options.now = &NowCycles;
    else if (arg == "--threads" && (value = number(1)) > 0)
      line->options.threads = static_cast<int>(value);
    else
      return false;
  }
  return true;
}

bool Wanted(const CommandLine& line, std::string_view name) {
  const auto matches = [&](const std::string& filter) { return name.find(filter) != std::string_view::npos; };
  return line.filters.empty() || std::any_of(line.filters.begin(), line.filters.end(), matches);
}

int Main(int argc, char** argv) {
  CommandLine line;
  const bool understood = Parse(argc, argv, &line);
  if (!understood || line.help) {
    std::fprintf(understood ? stdout : stderr, kUsage, argv[0]);
    return understood ? 0 : 2;
  }
  for (void (*const add)() : CaseLists()) add();
  std::sort(Cases().begin(), Cases().end(),
            [](const Case& a, const Case& b) { return std::strcmp(a.name, b.name) < 0; });
  std::vector<Result> results;
  bool failed = false, missed = false;
  for (const Case& c : Cases()) {
    for (const std::int64_t arg : c.args.empty() ? std::vector<std::int64_t>{0} : c.args) {
      Result result{c.args.empty() ? c.name : StrCat(c.name, "/", arg), nullptr};
      if (!Wanted(line, result.name)) continue;
      if (line.list) {
        std::printf("%s\n", result.name.c_str());
        continue;
      }
      result.state = std::make_unique<State>(line.options, c.name, arg);
      if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s ", result.name.c_str());
      c.run(*result.state);
      result.state->Release();
      failed |= !result.state->error().ok();
      for (const State::GoalResult& goal : result.state->goals()) missed |= goal.got > goal.wanted;
      results.push_back(std::move(result));
    }
  }
  if (line.list) return 0;
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K");
  if (line.options.now == &NowProcessorNs) Note("processor time of the processes");
  if (line.options.now == &NowCycles) Note("cycles of the thread, not time: 1 ns stands for a cycle");
  const Machine machine = ThisMachine();
  std::vector<Row> rows;
  int disturbed = 0;
  for (const Result& result : results) {
    for (Row& row : Rows(result)) rows.push_back(std::move(row));
    disturbed += result.state->disturbed();
  }
  if (disturbed > 0) Note(StrCat(disturbed, " samples were taken although another program had the core for a while"));
  std::string text = MachineLine(machine) + "\n\n" + Table(rows);
  if (!Notes().empty()) text += "\n";
  for (const std::string& note : Notes()) text += "- " + note + "\n";
  std::fputs(text.c_str(), stdout);
  if (!line.markdown.empty()) failed |= !Write(line.markdown, text);
  if (!line.json.empty()) failed |= !Write(line.json, Json(machine, results));
  return failed || (line.check && missed) ? 1 : 0;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) { return tenon::bench::Main(argc, argv); }
