#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that tools/test.sh leaves out: style, packages, benchmarks that compile, clang, sanitizers, nvcc, ARM, short fuzz runs.
#   tools/check_all.sh [--minutes N] [step]...      without names: all of them, in this order
# After N minutes the running step is ended. It and the steps behind it are reported as not done: that is not a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/local/cuda/bin
fuzz_runs=100000

format() { tools/format.sh --check; }
layers() {
  tools/check_layers.py
  tools/check_errors.py
  tools/check_snippets.py
  tools/check_comments.py
  tests/tools/checks_test.py  # tests that these checks, and the amalgamation's, find mistakes
}
amalgamation() { tools/amalgamate.py --check; }

# Both compilers find the same missing includes, and clang sees every header in its builds: g++ takes every other
# header, clang a quarter of them, another part after each commit. `tools/check_self_contained.py` alone takes all.
self_contained() {
  local commits
  commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
  tools/check_self_contained.py --compiler g++ --part "$commits/2"
  tools/check_self_contained.py --compiler clang++-19 --part "$commits/4"
  if command -v nvcc >/dev/null; then tools/check_self_contained.py --compiler nvcc; fi
}

compile_fail() {
  tools/link_fail.py
  tools/compile_fail.py --compiler g++
  tools/compile_fail.py --compiler clang++-19
  if command -v nvcc >/dev/null; then tools/compile_fail.py --compiler nvcc; fi
}

odr() {
  cmake --preset gcc --log-level=WARNING
  cmake --build --preset gcc --target check-odr
}

no_exceptions() {
  local compiler
  mkdir -p build/no_exceptions
  for compiler in g++ clang++-19; do
    $compiler -std=c++20 -O1 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -Iinclude -isystem /usr/include/eigen3 \
      tests/consume/zero_out.cpp -o build/no_exceptions/zero_out -pthread -ldl
    build/no_exceptions/zero_out
  done
}

debug() { tests/debug/printers_test.py g++ clang++-19; }

readme() { tools/check_readme.sh; }

bench() { tools/check_bench.sh; }

demo_binary() {
  cmake --preset gcc --log-level=WARNING
  cmake --build --preset gcc --target run_frozen_graph
  tools/check_binary.sh build/gcc/examples/02_run_frozen_graph/run_frozen_graph
}

ports() { tools/check_ports.sh; }

consume() { tests/consume/run.sh; }
conan() { tests/consume/run.sh conan; }

preset() {  # preset NAME [configure option]...: configure, build, test
  local name=$1
  shift
  cmake --preset "$name" --log-level=WARNING "$@"
  cmake --build --preset "$name"
  ctest --preset "$name"
}

# Floors that asan, with the same compiler, leaves out; with the ops' kernels it compiles the engines, too.
clang() { preset clang '-DTENON_TEST_FLOORS=device;op;graph'; }
asan() { preset asan; }
tsan() { preset tsan; }

fuzz() {
  local program name seeds
  cmake --preset asan --log-level=WARNING
  cmake --build --preset asan --target fuzz
  for program in build/asan/tests/*_fuzz; do
    name=$(basename "$program" _fuzz)
    mkdir -p "build/fuzz/$name"
    seeds=(tests/fuzz/"${name#tenon_}"_seeds)
    [[ -d ${seeds[0]} ]] || seeds=()
    "$program" -runs=$fuzz_runs -max_len=65536 -timeout=20 -print_final_stats=1 -verbosity=0 \
      "build/fuzz/$name" "${seeds[@]}"
    echo "$name: $fuzz_runs runs without a finding"
  done
}

cuda() {
  command -v nvcc >/dev/null || { echo 'no nvcc: skipped'; return 0; }
  preset cuda
}

isa() { tests/isa/run.sh; }
neon() { tests/neon/run.sh; }

steps=(format layers amalgamation compile_fail odr no_exceptions debug readme demo_binary consume ports bench clang asan tsan fuzz cuda
       isa neon conan self_contained)

if [[ ${1:-} == --run ]]; then  # one step, in this shell
  "$2"
  exit
fi
limit=0
if [[ ${1:-} == --minutes ]]; then
  limit=$(($2 > 0 ? $2 * 60 : 1))
  shift 2
fi
(($# == 0)) || steps=("$@")

minutes() { printf '%d.%d min' $(($1 / 60)) $(($1 % 60 / 6)); }
tools/setup.sh check
passed=0 failed=0 not_done=0 summary=()
for step in "${steps[@]}"; do
  start=$SECONDS
  if ((limit > 0 && start + 30 > limit)); then
    not_done=$((not_done + 1))
    summary+=("$(printf '%-16s not done: no time' "$step")")
    continue
  fi
  echo "== $step"
  code=0
  timeout --kill-after=10 $((limit > 0 ? limit - start : 0)) "$0" --run "$step" || code=$?
  if ((code == 0)); then
    result=passed passed=$((passed + 1))
  elif ((limit > 0 && SECONDS >= limit)); then
    result='no time' not_done=$((not_done + 1))
  else
    result=FAILED failed=$((failed + 1))
  fi
  summary+=("$(printf '%-16s %-7s %s' "$step" "$result" "$(minutes $((SECONDS - start)))")")
  echo "-- ${summary[-1]}"
done

printf '\nAfter %s:\n' "$(minutes $SECONDS)"
printf '  %s\n' "${summary[@]}"
((not_done == 0)) || echo "$not_done not done: no time"
echo "$passed passed, $failed failed"
((failed == 0))
