#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The engines' tests at -O0 and at -O2, each on every instruction set that this processor has and the functions of a
# unit compiled for the least are compiled for (TENON_ISA): vectors that travel through a function that is not inlined
# go wrong at -O0 only. In build/isa.
#   tests/isa/run.sh [DOCTEST_OPTION]...
set -euo pipefail
cd "$(dirname "$0")/../.."
for level in O0 O2; do
  out=$PWD/build/isa/$level
  tests/engine/alone.sh "$out" g++ "-$level" -w  # g++ 12 warns of Eigen's stores at -O2
  for isa in unit avx2 avx512 amx; do  # what the processor lacks is the next lower one again
    echo "-$level $isa"
    TENON_ISA=$isa "$out/tenon_test_engine" "$@"
  done
done
