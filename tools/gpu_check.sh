#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU and nvcc: builds the CUDA tests, example and benchmark, runs them, says on which card.
# Without a GPU it says 'no GPU' and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/local/cuda/bin

if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU' && [[ ! -e /dev/nvidia0 && ! -e /dev/dxg ]]; then
  echo 'gpu_check: no GPU on this machine; nothing was run'
  exit 0
fi
command -v nvcc >/dev/null || { echo 'gpu_check: there is a GPU, but no nvcc; install the CUDA 13 toolkit' >&2; exit 1; }
nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv || true
nvcc --version | tail -n 2

if command -v apt-get >/dev/null; then tools/setup.sh test; fi
cmake --preset cuda --log-level=WARNING
cmake --build --preset cuda

echo '== tests'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build/cuda/tests/tenon_test_cuda | tee "$log"
if grep -q '^no GPU' "$log"; then
  echo 'gpu_check: there is a GPU, but CUDA cannot use it; the reason stands above' >&2
  exit 1
fi

echo '== example'
build/cuda/examples/03_custom_op_cuda/custom_op_cuda | diff - examples/03_custom_op_cuda/expected.txt
echo 'prints what expected.txt says'

echo '== benchmarks'
for source in bench/cuda/*.cu; do
  program=build/cuda/$(basename "$source" .cu)
  nvcc -std=c++20 -O3 -arch=native -Iinclude "$source" -o "$program" -lcublas
  "$program"
done
