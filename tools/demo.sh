#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows a network that Keras trained and exported classifying texts in a program made of headers.
#   tools/demo.sh                        the SavedModel of examples/06_saved_model
#   tools/demo.sh graph.pb input.npy     your own frozen graph
#   tools/demo.sh command                builds the command `tenon`, which has all ops: some minutes
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
start=$SECONDS

tools/setup.sh demo
cmake -S . -B build/demo -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DTENON_BUILD_TESTS=OFF -DTENON_BUILD_BENCH=OFF -DTENON_BUILD_EXAMPLES=ON -DTENON_BUILD_COMMAND=OFF
build() {  # build TARGET WHAT
  echo "Compiling $2 ..."
  cmake --build build/demo --target "$1" >build/demo/build.log || { cat build/demo/build.log; exit 1; }
  echo "Ready after $((SECONDS - start)) s."
}

if [[ ${1:-} == command ]]; then
  cmake -S . -B build/demo --log-level=WARNING -DTENON_BUILD_COMMAND=ON
  build tenon_cli "the command tenon"
  echo "build/demo/bin/tenon is the command; build/demo/bin/tenon --help shows examples."
elif (($# > 0)); then
  build run_frozen_graph examples/02_run_frozen_graph
  program=$PWD/build/demo/examples/02_run_frozen_graph/run_frozen_graph
  cd "$here"
  exec "$program" "$@"
else
  build run_saved_model examples/06_saved_model
  exec build/demo/examples/06_saved_model/run_saved_model examples/06_saved_model/sentiment examples/06_saved_model/answers.txt
fi
