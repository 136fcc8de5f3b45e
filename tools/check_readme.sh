#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles and links the first C++ program of README.md exactly as it is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```cpp/ { if (!done) inside = 1; next } /^```/ { if (inside) done = 1; inside = 0 } inside' README.md >"$work/readme.cpp"
[[ -s $work/readme.cpp ]] || { echo "check_readme: README.md has no C++ program" >&2; exit 1; }
"${CXX:-g++}" -std=c++20 -O2 -Iinclude -isystem /usr/include/eigen3 "$work/readme.cpp" -o "$work/readme" -pthread -ldl
echo "README.md: its program of $(wc -l <"$work/readme.cpp") lines compiles"
