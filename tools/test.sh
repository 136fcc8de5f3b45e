#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything with g++ and runs all tests. The number of commits selects the requests for memory that slow cases of
# the failure sweeps refuse.
set -euo pipefail
cd "$(dirname "$0")/.."
TENON_TEST_TURN=$(git rev-list --count HEAD 2>/dev/null || echo 0)
export TENON_TEST_TURN

minutes() { printf '%d.%d min' $(($1 / 60)) $(($1 % 60 / 6)); }

step() {  # step NAME command...: runs it and says how long it took, also when it failed, which ends the script
  local name=$1 start=$SECONDS code=0
  shift
  "$@" || code=$?
  echo "-- $name: $(minutes $((SECONDS - start)))"
  ((code == 0)) || { echo "-- $name failed, after $(minutes $SECONDS) in all" >&2; exit "$code"; }
}

step setup tools/setup.sh test
step configure cmake --preset gcc --log-level=WARNING
step build cmake --build --preset gcc
step tests ctest --preset gcc
echo "-- all passed after $(minutes $SECONDS)"
