#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: runs the CUDA tests, example and benchmarks, says on which card.
#
#   tools/gpu_check.sh --build   builds the programs into build/cuda; needs nvcc, no GPU
#   tools/gpu_check.sh           runs them; builds first what is missing, where there is nvcc
#
# A machine that has a GPU and nothing else runs programs built elsewhere: copy build/cuda there, with the libraries of
# CUDA in build/cuda/lib.
# Without a GPU it says 'no GPU' and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/local/cuda/bin LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:build/cuda/lib:/usr/local/cuda/lib64

tests=build/cuda/tests/tenon_test_cuda
example=build/cuda/examples/03_custom_op_cuda/custom_op_cuda

build() {
  local source
  command -v nvcc >/dev/null || { echo 'gpu_check: no nvcc; install the CUDA 13 toolkit, or copy build/cuda here' >&2; exit 1; }
  nvcc --version | tail -n 2
  if command -v apt-get >/dev/null; then tools/setup.sh test; fi
  cmake --preset cuda --log-level=WARNING
  cmake --build --preset cuda
  for source in bench/cuda/*.cu; do
    nvcc -std=c++20 -O3 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code='[sm_90,compute_90]' \
      -Iinclude "$source" -o "build/cuda/$(basename "$source" .cu)" -lcublas -lcublasLt
  done
}
if [[ ${1:-} == --build ]]; then
  build
  exit
fi

if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU' && [[ ! -e /dev/nvidia0 && ! -e /dev/dxg ]]; then
  echo 'gpu_check: no GPU on this machine; nothing was run'
  exit 0
fi
nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv || true
[[ -x $tests && -x $example ]] || build

echo '== tests'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$tests" | tee "$log"
if grep -q '^no GPU' "$log"; then
  echo 'gpu_check: there is a GPU, but CUDA cannot use it; the reason stands above' >&2
  exit 1
fi

echo '== example'
"$example" | diff - examples/03_custom_op_cuda/expected.txt
echo 'prints what expected.txt says'

echo '== benchmarks'
for source in bench/cuda/*.cu; do "build/cuda/$(basename "$source" .cu)"; done
