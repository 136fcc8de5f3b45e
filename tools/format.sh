#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every C++ and CUDA file of the repository; with --check only says which are not as .clang-format wants them.
set -euo pipefail
cd "$(dirname "$0")/.."

clang_format=$(command -v clang-format-19 || command -v clang-format || true)
[[ -n $clang_format ]] || { echo 'format: there is no clang-format; tools/setup.sh check installs it' >&2; exit 1; }

mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cuh' '*.cu' |
                        grep -zv '^single_include/')
if [[ ${1:-} == --check ]]; then
  "$clang_format" --dry-run --Werror "${files[@]}"
  echo "${#files[@]} files are formatted"
else
  "$clang_format" -i "${files[@]}"
fi
