#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The engines' tests for 64-bit ARM: compiled by Debian's cross compiler, run by qemu-user. In build/neon.
#   tests/neon/run.sh [DOCTEST_OPTION]...
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/build/neon
mkdir -p "$out/include"
for library in xsimd doctest; do ln -sfn "/usr/include/$library" "$out/include/$library"; done
tests/engine/alone.sh "$out" aarch64-linux-gnu-g++ -O1 -static -isystem "$out/include"
qemu-aarch64 "$out/tenon_test_engine" "$@"
