#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs recorded cases and models for an hour, or for MINUTES, with random engines, devices, deadlines and cancellations.
# Fails when memory, threads or descriptors grow, or a run gives another status than TensorFlow.
#
#   tools/soak.sh [MINUTES]
#
# Appends a line to bench/results/soak.md after an hour or more.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-60}
cmake --preset gcc --log-level=WARNING
cmake --build --preset gcc --target tenon_soak
golden=$PWD/tests/golden
models=()
for model in "$golden"/models/*/; do  # the small ones: runs in their thousands
  size=$(stat -c %s "$model/graph.pb")
  ((size > 300000)) || models+=("${model%/}")
done
status=0
mkdir -p build/soak  # cases write files where they run
# With an arena of malloc for every thread, memory that is not in use grows for an hour.
(cd build/soak && MALLOC_ARENA_MAX=1 ../gcc/tests/tenon_soak $((minutes * 60)) "$golden"/ops/{array_more,data,edges,flow,state,state_more,train}.pb "${models[@]}") |
  tee build/soak.log || status=$?
if ((minutes >= 60)); then
  mapfile -t lines <build/soak.log
  echo "| $(date +%F) | ${lines[1]} | ${lines[2]} | ${lines[3]} | ${lines[4]} |" >>bench/results/soak.md
fi
exit "$status"
