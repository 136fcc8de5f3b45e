// SPDX-License-Identifier: Apache-2.0
#pragma once
// A main for fuzz targets built without libFuzzer (-DTENON_FUZZ_STANDALONE, any compiler):
//   graph_def_fuzz RUNS [seed file...]
// changes the seeds in small, repeatable ways, hands each to LLVMFuzzerTestOneInput and ends with "N runs, 0 crashes".

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tenon_fuzz {

inline volatile std::sig_atomic_t current_run =
    0;  // for whoever debugs a crash: run this number alone with RUNS = number + 1

inline void ReportCrash(int signal) {
  std::fprintf(stderr, "crash in run %ld\n", static_cast<long>(current_run));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) {}
  std::uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::size_t Below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(Next() % n); }

 private:
  std::uint64_t state_;
};

// One small change.
inline void Mutate(Random& random, const std::vector<std::string>& seeds, std::string* input) {
  static constexpr unsigned char kBytes[] = {0,    1,    2,    4,    8,    0x0a, 0x12, 0x1a,
                                             0x22, 0x2a, 0x32, 0x3a, 0x42, 0x7f, 0x80, 0xff};
  std::string& s = *input;
  const std::size_t at = random.Below(s.size() + 1),
                    length = 1 + random.Below(std::min<std::size_t>(s.size() - at + 1, 64));
  switch (random.Below(9)) {
    case 0:
      if (at < s.size()) s[at] = static_cast<char>(s[at] ^ (1 << random.Below(8)));
      return;
    case 1:
      if (at < s.size()) s[at] = static_cast<char>(kBytes[random.Below(sizeof kBytes)]);
      return;
    case 2:
      if (at < s.size()) s[at] = static_cast<char>(random.Next());
      return;
    case 3: s.insert(at, 1 + random.Below(4), static_cast<char>(kBytes[random.Below(sizeof kBytes)])); return;
    case 4: s.erase(at, length); return;
    case 5: s.insert(random.Below(s.size() + 1), s.substr(at, length)); return;
    case 6: s.resize(at); return;
    case 7: {  // a large number
      std::string varint(random.Below(10), '\xff');
      s.replace(at, std::min(varint.size(), s.size() - at), varint += '\x01');
      return;
    }
    default: {  // a piece of another seed
      if (seeds.empty()) return;
      const std::string& other = seeds[random.Below(seeds.size())];
      const std::size_t from = random.Below(other.size() + 1);
      s.insert(at, other.substr(from, random.Below(256)));
    }
  }
}

inline bool ReadFile(const char* path, std::string* bytes) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes->append(block, n);
  std::fclose(file);
  return true;
}

inline void RunOne(const std::string& input) {
  // A heap block of the exact size, so that a sanitizer sees a read beyond it.
  std::vector<std::uint8_t> bytes(input.begin(), input.end());
  bytes.shrink_to_fit();
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

inline int Main(int argc, char** argv) {
  const long runs = argc > 1 ? std::atol(argv[1]) : 100000;
  std::vector<std::string> seeds;
  for (int i = 2; i < argc; ++i) {
    if (std::string seed; ReadFile(argv[i], &seed)) {
      seeds.push_back(std::move(seed));
    } else {
      std::fprintf(stderr, "cannot read seed file %s\n", argv[i]);
      return 1;
    }
  }
  std::signal(SIGABRT, ReportCrash);
  std::signal(SIGSEGV, ReportCrash);
  for (const std::string& seed : seeds) RunOne(seed);
  for (long run = 0; run < runs; ++run) {
    current_run = static_cast<std::sig_atomic_t>(run);
    Random random(static_cast<std::uint64_t>(run));
    std::string input = seeds.empty() ? std::string() : seeds[random.Below(seeds.size())];
    for (std::size_t n = 1 + random.Below(8); n > 0; --n) Mutate(random, seeds, &input);
    RunOne(input);
  }
  std::printf("%ld runs, 0 crashes\n", runs);
  return 0;
}

}  // namespace tenon_fuzz

int main(int argc, char** argv) { return tenon_fuzz::Main(argc, argv); }
