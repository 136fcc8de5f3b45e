#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that tools/test.sh leaves out: style, packages, benchmarks that compile, clang, sanitizers, nvcc, ARM, fuzz runs.
#
#   tools/check_all.sh                     every step
#   tools/check_all.sh STEP...             these steps
#   tools/check_all.sh --minutes N         the steps of every commit, the due part, then further parts as time permits
#   tools/check_all.sh --minutes N --all   every step, until N minutes have passed
#   tools/check_all.sh --list ...          says which steps it would run, and runs none
#
# The other steps form four parts. The number of commits selects the part that is due: each part is due at every fourth
# commit. `--commit N` counts for the number of commits. A step that N minutes do not suffice for is not done: the last
# lines name it, and it is not a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/local/cuda/bin
fuzz_runs=100000
commit=${TENON_CHECK_COMMIT:-$(git rev-list --count HEAD 2>/dev/null || echo 0)}

format() { tools/format.sh --check; }
layers() {
  tools/check_layers.py
  tools/forward_tensorflow_headers.py --check
  tools/check_errors.py
  tools/check_snippets.py --compile
  tools/make_api_doc.py --check
  tools/check_comments.py
  tests/tools/checks_test.py  # tests that these checks, and the amalgamation's, find mistakes
  tools/docs.sh --check
  tests/tools/docs_test.py
  tools/make_trace_page.py --check
  tests/tools/trace_page_test.py  # needs Chromium; skips without it
}
amalgamation() { tools/amalgamate.py --check; }
release() { tests/tools/release_test.py; }

# Both compilers find the same missing includes. Each step compiles a quarter of the headers, a different one after each
# commit; `tools/check_self_contained.py` alone compiles all.
headers_gcc() { tools/check_self_contained.py --compiler g++ --part "$commit/4"; }
headers_clang() { tools/check_self_contained.py --compiler clang++-19 --part "$((commit / 4))/4"; }

# Mistakes that must not compile or link.
compile_fail() {
  tools/link_fail.py
  tools/compile_fail.py --compiler g++
}
compile_fail_clang() { tools/compile_fail.py --compiler clang++-19; }

odr() {
  cmake --preset gcc --log-level=WARNING
  cmake --build --preset gcc --target check-odr
}

no_exceptions() {
  local compiler program
  mkdir -p build/no_exceptions
  for compiler in g++ clang++-19; do
    for program in zero_out no_memory; do
      $compiler -std=c++20 -O1 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -Iinclude -isystem /usr/include/eigen3 \
        tests/consume/$program.cpp -o build/no_exceptions/$program -pthread -ldl
      build/no_exceptions/$program
    done
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
packages() { tests/consume/run.sh conan wheel oldest_cmake; }

# Apart from the other tests: the classes of TensorFlow's messages take long to compile.
protobuf() {
  cmake --preset gcc -B build/protobuf --log-level=WARNING -DTENON_WITH_PROTOBUF=ON -DTENON_TEST_FLOORS=protobuf \
    -DTENON_BUILD_EXAMPLES=OFF -DTENON_BUILD_COMMAND=OFF
  cmake --build build/protobuf
  ctest --test-dir build/protobuf --output-on-failure --no-tests=error
}

# TensorFlow, from PyPI where it can be had, loads SavedModels that Tenon saved.
tensorflow() {
  local python=${TENON_TENSORFLOW_PYTHON:-build/tensorflow/bin/python}
  if ! "$python" -c 'import tensorflow' 2>/dev/null; then
    python=build/tensorflow/bin/python
    python3 -m venv build/tensorflow
    "$python" -m pip install --quiet --disable-pip-version-check tensorflow-cpu==2.21.0 ||
      { echo 'TensorFlow cannot be installed: skipped'; return 0; }
  fi
  cmake --preset gcc --log-level=WARNING
  cmake --build --preset gcc --target tenon_save_again
  "$python" tests/conformance/saved_models/tensorflow_loads.py build/gcc/tests/tenon_save_again \
    tests/golden/saved_models/*/ tests/golden/keras_models/*/ 2>build/tensorflow_loads.log || { cat build/tensorflow_loads.log; return 1; }
}

preset() {  # preset NAME [configure option]...: configure, build, test
  local name=$1
  shift
  cmake --preset "$name" --log-level=WARNING "$@"
  cmake --build --preset "$name"
  ctest --preset "$name"
}

# Floors that asan, with the same compiler, leaves out; with the ops' kernels it compiles the engines, too.
clang() { preset clang '-DTENON_TEST_FLOORS=device;op;graph'; }

# The preset asan in four steps: floors without kernels; kernels, sessions and the emulated GPU; recorded models; fuzz
# targets.
asan_floors() { preset asan '-DTENON_TEST_FLOORS=base;memory;tensor;wire;io'; }
asan_runtime() { preset asan '-DTENON_TEST_FLOORS=kernel;gradients;optimize;runtime;cuda_emulated'; }
asan_golden() { preset asan '-DTENON_TEST_FLOORS=golden'; }
fuzz() {
  cmake --preset asan --log-level=WARNING
  cmake --build --preset asan --target fuzz
  printf '%s\0' build/asan/tests/*_fuzz | xargs -0 -n 1 -P "$(nproc)" "$0" --run fuzz_target
}
fuzz_target() {  # fuzz_target PROGRAM: its runs; shows its output only after a finding
  local name seeds
  name=$(basename "$1" _fuzz)
  mkdir -p "build/fuzz/$name"
  seeds=(tests/fuzz/"${name#tenon_}"_seeds)
  [[ -d ${seeds[0]} ]] || seeds=()
  # Files in memory, fewer freed blocks that are kept, and no names of new functions make runs faster.
  [[ -w /dev/shm ]] && export TMPDIR=/dev/shm
  ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=4 "$1" -runs=$fuzz_runs -max_len=65536 -timeout=20 \
    -print_final_stats=1 -print_funcs=0 -verbosity=0 "build/fuzz/$name" "${seeds[@]}" >"build/fuzz/$name.log" 2>&1 ||
    { cat "build/fuzz/$name.log"; return 1; }
  echo "$name: $fuzz_runs runs without a finding"
}
asan() { preset asan; }  # all floors at once: by name only

tsan() { preset tsan; }

# The CUDA tests, and by nvcc its headers and the mistakes.
cuda() {
  command -v nvcc >/dev/null || { echo 'no nvcc: skipped'; return 0; }
  preset cuda
  tools/check_self_contained.py --compiler nvcc
  tools/compile_fail.py --compiler nvcc
}

# Machine code of packed kernels.
sass() {
  tests/tools/sass_test.py
  tools/check_sass.py
}

isa() { tests/isa/run.sh; }
neon() { tests/neon/run.sh; }

soak() { tools/soak.sh 1; }

# step:minutes on two slow cores, from an empty compiler cache. A new step is a function above and stands in one of the
# five lists below. A part may take 31 minutes.
every_commit=(format:0 layers:1 amalgamation:0 release:0 compile_fail:2 no_exceptions:1 debug:0 readme:2 demo_binary:0
              headers_gcc:3 bench:2)
parts=(
  'odr:2 ports:8 fuzz:10 cuda:9 sass:2'
  'compile_fail_clang:1 headers_clang:3 clang:3 protobuf:3 consume:5 tensorflow:3 tsan:13'
  'asan_runtime:12 asan_golden:10 packages:8 soak:2'
  'asan_floors:10 isa:12 neon:9'
)

name_of() { echo "${1%%:*}"; }
minutes_of() { [[ $1 == *:* ]] && echo "${1##*:}" || echo 0; }

if [[ ${1:-} == --run ]]; then  # one step, with its arguments, in this shell
  "${@:2}"
  exit
fi

limit=0 all=false list=false named=()
while (($# > 0)); do
  case $1 in
    --minutes) limit=$(($2 > 0 ? $2 * 60 : 1)); shift ;;
    --commit) commit=$2; shift ;;
    --all) all=true ;;
    --list) list=true ;;
    -*) echo "check_all: there is no option '$1'; see the first lines of tools/check_all.sh" >&2; exit 2 ;;
    *) declare -F "$1" >/dev/null || { echo "check_all: there is no step '$1'" >&2; exit 2; }
       named+=("$1") ;;
  esac
  shift
done
export TENON_CHECK_COMMIT=$commit TENON_TEST_TURN=$commit

# steps: to run in this order. The steps from number `extra` on start only where their minutes are left.
steps=() extra=1000 due=$((commit % ${#parts[@]}))
if ((${#named[@]} > 0)); then
  steps=("${named[@]}")
else
  steps=("${every_commit[@]}")
  for ((i = 0; i < ${#parts[@]}; ++i)); do
    read -r -a part <<<"${parts[(due + i) % ${#parts[@]}]}"
    ((i != 1 || limit == 0)) || "$all" || extra=${#steps[@]}
    steps+=("${part[@]}")
  done
fi

names_in() {  # names_in 'step:minutes step:minutes': the names
  local step names=
  for step in $1; do names+=" $(name_of "$step")"; done
  echo "${names# }"
}
say_rotation() {
  local i
  echo "The part of commit $commit: $(names_in "${parts[due]}")"
  for ((i = 1; i < ${#parts[@]}; ++i)); do
    echo "  due at commit $((commit + i)): $(names_in "${parts[(due + i) % ${#parts[@]}]}")"
  done
}

if "$list"; then
  for i in "${!steps[@]}"; do
    echo "$(name_of "${steps[i]}")$( ((i < extra)) || echo ' (as time permits)')"
  done
  ((${#named[@]} > 0)) || say_rotation
  exit
fi

minutes() { printf '%d.%d min' $(($1 / 60)) $(($1 % 60 / 6)); }
tools/setup.sh check
passed=0 failed=0 not_done=0 summary=() late=() broken=()
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for i in "${!steps[@]}"; do
  step=$(name_of "${steps[i]}")
  start=$SECONDS
  needs=$((i < extra ? 30 : 60 * $(minutes_of "${steps[i]}")))
  if ((limit > 0 && start + needs > limit)); then
    if ((i < extra)); then not_done=$((not_done + 1)) late+=("$step"); fi
    summary+=("$(printf '%-18s not done: no time' "$step")")
    continue
  fi
  echo "== $step"
  code=0
  timeout --kill-after=10 $((limit > 0 ? limit - start : 0)) "$0" --run "$step" 2>&1 | tee "$logs/$step" || code=$?
  if ((code == 0)); then
    result=passed passed=$((passed + 1))
  elif ((limit > 0 && SECONDS >= limit)); then
    result='no time'
    if ((i < extra)); then not_done=$((not_done + 1)) late+=("$step"); fi
  else
    result=FAILED failed=$((failed + 1)) broken+=("$step")
  fi
  summary+=("$(printf '%-18s %-7s %s' "$step" "$result" "$(minutes $((SECONDS - start)))")")
  echo "-- ${summary[-1]}"
done

for step in "${broken[@]}"; do  # again: the end of a long output is what people see first
  echo "== $step failed; its last lines:"
  sed '/^\[[0-9]*\/[0-9]*\] /d' "$logs/$step" | tail -n 60 | cut -c 1-200
done
printf '\nAfter %s:\n' "$(minutes $SECONDS)"
printf '  %s\n' "${summary[@]}"
if ((${#named[@]} == 0 && limit > 0)); then say_rotation; fi
((not_done == 0)) || echo "Due, and left out for lack of time: ${late[*]}"
echo "$passed passed, $failed failed"
((failed == 0))
