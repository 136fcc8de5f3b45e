#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# conan create of packaging/conan without any remote: Conan from PyPI in a virtual environment under build/, and
# recipes that wrap Debian's Eigen and protobuf in the place of the public ones.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
work=$root/build/conan
mkdir -p "$work"

if [[ ! -x $work/venv/bin/conan ]]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check 'conan>=2,<3'
fi
export CONAN_HOME=$work/home
conan() { "$work/venv/bin/conan" "$@" 2>&1; }

rm -rf "$CONAN_HOME"
conan profile detect --force >"$work/profile.log"
conan remote disable '*' >>"$work/profile.log"
settings=(--settings compiler.cppstd=20 --settings build_type=Release --no-remote
  --conf "tools.cmake.cmake_layout:test_folder=$work/test_package" --conf tools.cmake.cmaketoolchain:user_presets=)
for library in eigen protobuf; do
  conan create $library "${settings[@]}" >"$work/$library.log" || { cat "$work/$library.log"; exit 1; }
done
conan create "$root/packaging/conan" "${settings[@]}" --options "tenon/*:with_eigen=True" --options "tenon/*:with_protobuf=True"
