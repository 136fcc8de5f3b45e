#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything with g++ and runs all tests.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {  # step NAME command...: runs it and says how long it took
  local name=$1 start=$SECONDS
  shift
  "$@"
  local tenths=$(((SECONDS - start) / 6))
  echo "-- $name: $((tenths / 10)).$((tenths % 10)) min"
}

step setup tools/setup.sh test
step configure cmake --preset gcc --log-level=WARNING
step build cmake --build --preset gcc
exec ctest --preset gcc
