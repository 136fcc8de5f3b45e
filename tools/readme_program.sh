#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the first C++ program of README.md, exactly as it stands there.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(awk '/^```cpp/ { if (!done) inside = 1; next } /^```/ { if (inside) done = 1; inside = 0 } inside' README.md)
[[ -n $program ]] || { echo "readme_program: README.md has no C++ program" >&2; exit 1; }
printf '%s\n' "$program"
