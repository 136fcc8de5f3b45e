#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The engines' tests as one program that links no library but the standard one (so without png, jpeg and MPFR, and
# without charsets, whose converters a static C library does not find).
#   tests/engine/alone.sh FOLDER COMPILER [OPTION]...      makes FOLDER/tenon_test_engine; run in the repository's root
set -euo pipefail
out=$1
shift
mkdir -p "$out"
rm -f "$out"/*.o "$out"/*.cpp
# Five files are one unit, as CMake compiles them.
find tests/engine -name '*_test.cpp' ! -name 'jpeg_*' ! -name 'png_*' ! -name 'charset_*' ! -name '*_mpfr_*' | sort >"$out/tests"
awk -v out="$out" -v root="$PWD" '{ print "#include \"" root "/" $0 "\"" >(out "/unit_" int((NR - 1) / 5) ".cpp") }' "$out/tests"
cp tests/main.cpp "$out/main.cpp"
cp tests/failure_sweep.cpp "$out/failure_sweep.cpp"

compiler=("$1" -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -Itests -Itests/engine
          -isystem /usr/include/eigen3 -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS "-DTENON_TEST_DATA=\"$PWD/tests/golden\"" "${@:2}")
command -v ccache >/dev/null && compiler=(ccache "${compiler[@]}")
printf '%s\0' "$out"/*.cpp | xargs -0 -P "$(nproc)" -I{} "${compiler[@]}" -c {} -o {}.o
"${compiler[@]}" "$out"/*.o -o "$out/tenon_test_engine" -pthread
