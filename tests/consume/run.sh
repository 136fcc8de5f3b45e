#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses Tenon as its users do, each time from a small project of its own that defines an op, registers it and runs it:
#   tests/consume/run.sh [add_subdirectory|find_package|fetch_content|single_include|pkg_config|vcpkg|conan]...
# Without names: all but conan, which needs Conan from PyPI.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/consume
compiler=${CXX:-g++}

build_and_run() {  # build_and_run NAME cmake-argument...: tests/consume/NAME
  local name=$1 program
  cmake -S "$root/tests/consume/$name" -B "$work/$name" -G Ninja --log-level=WARNING \
    -DCMAKE_CXX_COMPILER="$compiler" "${@:2}"
  cmake --build "$work/$name"
  for program in "$work/$name"/*consumer; do
    "$program"
  done
}

install_tenon() {  # to build/consume/prefix, moved there afterwards: a package must not know where it was installed
  cmake -S "$root" -B "$work/tenon" -G Ninja --log-level=WARNING -DCMAKE_CXX_COMPILER="$compiler" \
    -DTENON_BUILD_TESTS=OFF -DTENON_BUILD_BENCH=OFF -DTENON_BUILD_EXAMPLES=OFF
  rm -rf "$work/installed" "$work/prefix"
  cmake --install "$work/tenon" --prefix "$work/installed" >/dev/null
  mv "$work/installed" "$work/prefix"
}

copy_sources() {  # to build/consume/copy: what a release archive would hold
  rm -rf "$work/copy"
  mkdir -p "$work/copy"
  git -C "$root" ls-files -z --cached --others --exclude-standard -- ':!tests/golden' |
    tar -C "$root" --null -T - -cf - | tar -C "$work/copy" -xf -
}

consume() {
  case $1 in
    add_subdirectory | single_include) build_and_run "$1" -DTENON_SOURCE="$root" ;;
    fetch_content)
      copy_sources
      build_and_run "$1" -DTENON_SOURCE="$work/copy" ;;
    find_package)
      install_tenon
      build_and_run "$1" -DCMAKE_PREFIX_PATH="$work/prefix" ;;
    pkg_config)
      install_tenon
      read -ra flags < <(PKG_CONFIG_PATH=$work/prefix/share/pkgconfig pkg-config --cflags --libs tenon)
      "$compiler" -std=c++20 "$root/tests/consume/zero_out.cpp" "${flags[@]}" -o "$work/pkg_config"
      "$work/pkg_config" ;;
    vcpkg)
      cmake -DROOT="$root" -DWORK="$work/vcpkg" -DCMAKE_CXX_COMPILER="$compiler" -P "$root/tests/consume/vcpkg/run.cmake"
      build_and_run vcpkg -DCMAKE_PREFIX_PATH="$work/vcpkg/installed" ;;
    conan) "$root/tests/consume/conan/run.sh" ;;
    *) echo "consume: there is no '$1'" >&2; exit 2 ;;
  esac
}

mkdir -p "$work"
names=("$@")
((${#names[@]})) || names=(add_subdirectory find_package fetch_content single_include pkg_config vcpkg)
for name in "${names[@]}"; do
  echo "-- consume: $name"
  consume "$name"
done
