// SPDX-License-Identifier: Apache-2.0
// tenon doctor: the processor, the system and this binary.

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#if defined(__linux__)
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sched.h>
#endif

#include <tenon/engine/core/cache_sizes.hpp>
#include <tenon/engine/simd/amx.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/graph_def/versions.hpp>

#include "command.hpp"
#include "output.hpp"

extern char** environ;

namespace command {

namespace {

// Findings as sections of names and values. A number is what programs read in place of the text.
struct Finding {
  std::string section, name, value;
  bool bad = false;
  std::int64_t number = -1;
};

std::string ReadFirst(const char* path, std::string_view key) {
  std::string found;
  if (std::FILE* const file = std::fopen(path, "r")) {
    char line[4096];
    while (found.empty() && std::fgets(line, sizeof line, file) != nullptr) {
      const std::string_view text(line);
      if (!text.starts_with(key)) continue;
      std::string_view value = text.substr(key.size());
      while (!value.empty() && (value.front() == ' ' || value.front() == '\t' || value.front() == ':'))
        value.remove_prefix(1);
      while (!value.empty() && (value.back() == '\n' || value.back() == ' ')) value.remove_suffix(1);
      found = value;
    }
    std::fclose(file);
  }
  return found;
}

std::string InstructionSets() {
  std::string sets;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const auto add = [&sets](bool has, std::string_view name) {
    if (has) StrAppend(&sets, sets.empty() ? "" : " ", name);
  };
  add(__builtin_cpu_supports("sse4.2") != 0, "sse4.2");
  add(__builtin_cpu_supports("avx") != 0, "avx");
  add(__builtin_cpu_supports("avx2") != 0, "avx2");
  add(__builtin_cpu_supports("fma") != 0, "fma");
  add(__builtin_cpu_supports("avx512f") != 0, "avx512f");
  add(__builtin_cpu_supports("avx512bw") != 0, "avx512bw");
  add(__builtin_cpu_supports("avx512dq") != 0, "avx512dq");
  add(__builtin_cpu_supports("avx512vl") != 0, "avx512vl");
  add(__builtin_cpu_supports("avx512vnni") != 0, "avx512vnni");
  add(__builtin_cpu_supports("avx512bf16") != 0, "avx512bf16");
#if TENON_DETAIL_AMX
  add(tenon::simd::detail::ProcessorHasAmx(), "amx");
#endif
#elif defined(__aarch64__)
  sets = "neon";
#endif
  return sets.empty() ? "those of the compiler" : sets;
}

std::string_view LevelName() {
  switch (tenon::simd::BestLevel()) {
    case tenon::simd::Level::kAvx2: return "avx2";
    case tenon::simd::Level::kAvx512: return tenon::simd::HasAmx() ? "amx" : "avx512";
    default: return "unit (the compiler's own)";
  }
}

int CpusOfProcess() {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

// The driver is looked for at run time; this binary has no kernels for GPUs.
std::string Gpus() {
#if defined(__linux__)
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return "no CUDA driver";
  using Init = int (*)(unsigned);
  using CountDevices = int (*)(int*);
  using DeviceName = int (*)(char*, int, int);
  const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
  const auto count_devices = reinterpret_cast<CountDevices>(dlsym(driver, "cuDeviceGetCount"));
  const auto device_name = reinterpret_cast<DeviceName>(dlsym(driver, "cuDeviceGetName"));
  int count = 0;
  if (init == nullptr || count_devices == nullptr || device_name == nullptr || init(0) != 0 ||
      count_devices(&count) != 0)
    return "a CUDA driver that finds no GPU";
  std::string names;
  for (int i = 0; i < count; ++i) {
    char name[256] = "";
    if (device_name(name, sizeof name, i) == 0) StrAppend(&names, names.empty() ? "" : ", ", name);
  }
  return names.empty() ? "a CUDA driver that finds no GPU" : names;
#else
  return "not looked for on this system";
#endif
}

std::vector<Finding> Findings() {
  std::vector<Finding> all;
  const auto add = [&all](std::string_view section, std::string_view name, std::string value, bool bad = false) {
    all.push_back({std::string(section), std::string(name), std::move(value), bad});
  };
  const auto add_number = [&](std::string_view section, std::string_view name, std::int64_t number,
                              bool is_bytes = false) {
    add(section, name, is_bytes ? Bytes(static_cast<std::uint64_t>(number)) : Count(number));
    all.back().number = number;
  };
  const std::string model = ReadFirst("/proc/cpuinfo", "model name");
  add("processor", "name", model.empty() ? "unknown" : model);
  add_number("processor", "CPUs", std::thread::hardware_concurrency());
  add_number("processor", "CPUs of this process", CpusOfProcess());
  add("processor", "instruction sets", InstructionSets());
  add("processor", "kernels use", std::string(LevelName()));
  const auto& caches = tenon::detail::Caches();
  add("processor", "caches",
      StrCat(caches.first / 1024, " KiB, ", caches.second / 1024, " KiB, ", caches.last / 1024, " KiB"));
  const std::string governor = ReadFirst("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
  if (!governor.empty()) add("processor", "frequency governor", governor, governor == "powersave");

  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  add_number("memory", "size", std::int64_t{pages} * page, true);
  std::int64_t available = 0;
  const std::string kilobytes = ReadFirst("/proc/meminfo", "MemAvailable");
  if (tenon::ParseInt64(kilobytes.substr(0, kilobytes.find(' ')), &available))
    add_number("memory", "available", available * 1024, true);
  const std::string limit = ReadFirst("/sys/fs/cgroup/memory.max", "");
  if (!limit.empty() && limit != "max") add("memory", "limit of the control group", limit);
  const std::string huge = ReadFirst("/sys/kernel/mm/transparent_hugepage/enabled", "");
  if (!huge.empty()) add("memory", "transparent huge pages", huge, huge.find("[never]") != huge.npos);

  add("GPU", "found", Gpus());
  add("GPU", "kernels in this binary", "none");

  add("versions", "tenon", tenon_version_text());
  add("versions", "GraphDef", StrCat("up to ", tenon::kGraphDefVersion));
#if defined(__clang__)
  add("versions", "compiler", StrCat("clang ", __clang_major__, ".", __clang_minor__));
#elif defined(__GNUC__)
  add("versions", "compiler", StrCat("g++ ", __GNUC__, ".", __GNUC_MINOR__));
#endif
#if defined(__linux__) && defined(__GLIBC__)
  add("versions", "C library", StrCat("glibc ", gnu_get_libc_version()));
#endif
  utsname system{};
  if (uname(&system) == 0) add("versions", "system", StrCat(system.sysname, " ", system.release, " ", system.machine));

  const tenon::Registry& registry = tenon::Registry::Global();
  add_number("binary", "ops", static_cast<std::int64_t>(registry.ops().size()));
  add_number("binary", "kernels", static_cast<std::int64_t>(registry.AllKernels().size()));
  const Status status = registry.status();
  add("binary", "registrations", status.ToString(), !status.ok());
#if defined(TENON_WITH_IMAGE)
  add("binary", "PNG and JPEG", "yes");
#else
  add("binary", "PNG and JPEG", "no: build with TENON_WITH_IMAGE", true);
#endif
#if defined(TENON_WITH_WEBP)
  add("binary", "WebP", "yes");
#else
  add("binary", "WebP", "no: build with TENON_WITH_WEBP", true);
#endif
#if defined(TENON_WITH_RE2)
  add("binary", "regular expressions", "yes");
#else
  add("binary", "regular expressions", "no: build with TENON_WITH_RE2", true);
#endif
#if !defined(__OPTIMIZE__)
  add("binary", "optimisation", "none: this binary is slow", true);
#endif
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!text.starts_with("TENON_") || text.find('=') == text.npos) continue;
    add("environment", text.substr(0, text.find('=')), std::string(text.substr(text.find('=') + 1)));
  }
  return all;
}

}  // namespace

Result<int> RunDoctor(const Args& args) {
  const std::vector<Finding> all = Findings();
  if (args.json()) {
    Json json;
    json.Begin('{');
    std::string_view section;
    for (const Finding& finding : all) {
      if (finding.section != section) {
        if (!section.empty()) json.End();
        section = finding.section;
        json.Key(section).Begin('{');
      }
      if (finding.number >= 0)
        json.Member(finding.name, finding.number);
      else
        json.Member(finding.name, finding.value);
    }
    Print(json.End().End().text());
    return kFine;
  }
  std::string text;
  std::string_view section;
  for (const Finding& finding : all) {
    if (finding.section != section) StrAppend(&text, Styled(Style::kBold, finding.section), "\n");
    section = finding.section;
    std::string name = finding.name;
    name.resize(std::max<std::size_t>(name.size(), 26), ' ');
    StrAppend(&text, "  ", name, "  ", Styled(finding.bad ? Style::kNote : Style::kPlain, finding.value), "\n");
  }
  Print(text);
  return kFine;
}

}  // namespace command
