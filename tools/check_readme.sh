#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles, links and runs the first C++ program of README.md exactly as it is printed, with the second as its kernels;
# checks its size and libraries, and that a process takes no more than 20 ms from its start to the printed result. Then
# compiles the kernels with TENON_MINIMAL_RUNTIME: the program answers as before.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for number in 1 2; do tools/readme_program.sh $number >"$work/$number.cpp"; done
build=("${CXX:-g++}" -std=c++20 -O2 -Iinclude)
"${build[@]}" -c "$work/1.cpp" -o "$work/main.o"
"${build[@]}" "$work/main.o" "$work/2.cpp" -o "$work/readme" -pthread -ldl -Wl,--gc-sections
"${build[@]}" -DTENON_MINIMAL_RUNTIME "$work/main.o" "$work/2.cpp" -o "$work/minimal" -pthread -ldl
numbers=$("$work/readme")
[[ $numbers == "$("$work/minimal")" ]] || { echo "check_readme: TENON_MINIMAL_RUNTIME answers otherwise" >&2; exit 1; }
[[ $(wc -w <<<"$numbers") == 10 ]] || { echo "check_readme: wanted ten probabilities, got '$numbers'" >&2; exit 1; }
tools/check_binary.sh "$work/readme"
times=()
for _ in {1..11}; do
  start=${EPOCHREALTIME/./}
  "$work/readme" >/dev/null
  times+=($((${EPOCHREALTIME/./} - start)))
done
mapfile -t times < <(printf '%s\n' "${times[@]}" | sort -n)
echo "README.md: its program of $(wc -l <"$work/1.cpp") lines compiles and prints ten probabilities" \
  "$((times[5] / 1000)).$((times[5] % 1000 / 100)) ms after it was started (median of 11)"
((times[0] <= 20000)) || { echo "check_readme: the fastest of 11 took more than 20 ms" >&2; exit 1; }
