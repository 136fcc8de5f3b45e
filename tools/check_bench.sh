#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles every file of bench/ as far as errors and warnings go, without code: benchmarks are built by hand only
# (tools/bench.sh, tools/gpu_check.sh), and this keeps them up to date. The CUDA ones take part where there is an nvcc.
#   tools/check_bench.sh [compiler]
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=${1:-clang++-19}
command -v "$compiler" >/dev/null ||
  { echo "check_bench: there is no $compiler; install it (tools/setup.sh check) or name another compiler" >&2; exit 1; }
export PATH=$PATH:/usr/local/cuda/bin

flags=(-std=c++20 -fsyntax-only -march=native -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -Ibench
       -isystem /usr/include/eigen3 '-DTENON_TEST_DATA="tests/golden"' '-DTENON_BENCH_FLAGS="-fsyntax-only"')
# Peers take part where they are installed, as in bench/CMakeLists.txt.
[[ ! -e /usr/include/dnnl.hpp ]] || flags+=(-DTENON_BENCH_ONEDNN)
for folder in /usr/include /usr/include/openblas "/usr/include/$(uname -m)-linux-gnu"{,/openblas-pthread}; do
  [[ ! -e $folder/openblas_config.h ]] || { flags+=(-DTENON_BENCH_OPENBLAS -isystem "$folder"); break; }
done

mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- 'bench/*.cpp')
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" "$compiler" "${flags[@]}"
echo "${#sources[@]} files of bench/ compile with $compiler"

if command -v nvcc >/dev/null; then
  mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- 'bench/*.cu')
  for source in "${sources[@]}"; do
    nvcc -std=c++20 -arch=sm_90 -Iinclude -Werror=all-warnings -c "$source" -o /dev/null
  done
  echo "${#sources[@]} files of bench/ compile with nvcc"
fi
