#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles, links and runs the first C++ program of README.md exactly as it is printed; checks its size and libraries, and
# that a process takes no more than 20 ms from its start to the printed result.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools/readme_program.sh >"$work/readme.cpp"
"${CXX:-g++}" -std=c++20 -O2 -Iinclude "$work/readme.cpp" -o "$work/readme" -pthread -ldl
numbers=$("$work/readme")
[[ $(wc -w <<<"$numbers") == 10 ]] || { echo "check_readme: wanted ten probabilities, got '$numbers'" >&2; exit 1; }
tools/check_binary.sh "$work/readme"
times=()
for _ in {1..11}; do
  start=${EPOCHREALTIME/./}
  "$work/readme" >/dev/null
  times+=($((${EPOCHREALTIME/./} - start)))
done
mapfile -t times < <(printf '%s\n' "${times[@]}" | sort -n)
echo "README.md: its program of $(wc -l <"$work/readme.cpp") lines compiles and prints ten probabilities" \
  "$((times[5] / 1000)).$((times[5] % 1000 / 100)) ms after it was started (median of 11)"
((times[0] <= 20000)) || { echo "check_readme: the fastest of 11 took more than 20 ms" >&2; exit 1; }
