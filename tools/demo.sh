#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows a network trained by TensorFlow classifying images in a program made of headers.
#   tools/demo.sh                        the digits network of this repository on its test images
#   tools/demo.sh graph.pb input.npy     your own frozen graph
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
start=$SECONDS

tools/setup.sh demo
cmake -S . -B build/demo -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DTENON_BUILD_TESTS=OFF -DTENON_BUILD_BENCH=OFF -DTENON_BUILD_EXAMPLES=ON
echo "Compiling examples/02_run_frozen_graph ..."
cmake --build build/demo --target run_frozen_graph >build/demo/build.log || { cat build/demo/build.log; exit 1; }
echo "Ready after $((SECONDS - start)) s."

program=$PWD/build/demo/examples/02_run_frozen_graph/run_frozen_graph
if (($# > 0)); then
  cd "$here"
  exec "$program" "$@"
fi
exec "$program" tests/golden/models/cnn_digits
