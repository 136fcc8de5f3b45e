#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/readme_program.sh N: prints the N-th C++ text of README.md, exactly as it stands there. 1 is the program, 2 its
# kernels and the runtime.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(awk -v wanted="$1" '/^```cpp/ { inside = ++number == wanted; next } /^```/ { inside = 0 } inside' README.md)
[[ -n $program ]] || { echo "readme_program: README.md has no C++ text number $1" >&2; exit 1; }
printf '%s\n' "$program"
