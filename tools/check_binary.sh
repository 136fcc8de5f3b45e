#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/check_binary.sh PROGRAM: at most 1.8 MB when stripped, and linked with nothing but the C and C++ libraries.
set -euo pipefail
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT

strip -o "$stripped" "$1"
size=$(stat -c %s "$stripped")
libraries=$(readelf -d "$stripped" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$(basename "$1"): $size bytes stripped; links ${libraries//$'\n'/ }"

((size <= 1800000)) || { echo "check_binary: more than 1800000 bytes" >&2; exit 1; }
if others=$(grep -vE '^(libc|libstdc\+\+|libm|libgcc_s|libpthread|libdl|ld-linux-.*)\.so' <<<"$libraries"); then
  echo "check_binary: not allowed: ${others//$'\n'/ }" >&2
  exit 1
fi
