#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The engines' tests for 64-bit ARM: compiled by Debian's cross compiler, run by qemu-user. In build/neon.
#   tests/neon/run.sh [DOCTEST_OPTION]...
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$PWD/build/neon
mkdir -p "$out/include"
rm -f "$out"/*.o "$out"/*.cpp
ln -sfn /usr/include/doctest "$out/include/doctest"

# Those that link no library but the standard one, five as one unit, as CMake compiles them. Linked statically, the C
# library finds no converters of charsets.
find tests/engine -name '*_test.cpp' ! -name 'jpeg_*' ! -name 'png_*' ! -name 'charset_*' | sort >"$out/tests"
awk -v out="$out" -v root="$PWD" '{ print "#include \"" root "/" $0 "\"" >(out "/unit_" int((NR - 1) / 5) ".cpp") }' "$out/tests"
cp tests/main.cpp "$out/main.cpp"
cp tests/failure_sweep.cpp "$out/failure_sweep.cpp"

compiler=(aarch64-linux-gnu-g++ -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -Itests
          -Itests/engine -isystem "$out/include" -isystem /usr/include/eigen3 -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS
          "-DTENON_TEST_DATA=\"$PWD/tests/golden\"")
command -v ccache >/dev/null && compiler=(ccache "${compiler[@]}")
printf '%s\0' "$out"/*.cpp | xargs -0 -P "$(nproc)" -I{} "${compiler[@]}" -c {} -o {}.o
"${compiler[@]}" "$out"/*.o -o "$out/tenon_test_engine" -static -pthread
qemu-aarch64 "$out/tenon_test_engine" "$@"
