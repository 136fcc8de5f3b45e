#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs from Debian what a command needs: tools/setup.sh demo|test|check|bench|docs. git, g++ and cmake are there already.
set -euo pipefail

demo=(ninja-build)
test=("${demo[@]}" libxsimd-dev libeigen3-dev libre2-dev libpng-dev libjpeg-dev libwebp-dev libmpfr-dev doctest-dev libcpp-httplib-dev pkg-config libgtest-dev libgmock-dev ccache)
ports=(clang-19 libc++-19-dev libc++abi-19-dev musl-tools g++-mingw-w64-x86-64-posix wine wine64)  # tools/check_ports.sh
check=("${test[@]}" clang-19 clang-format-19 libclang-rt-19-dev llvm-19 gdb python3 python3-pip python3-venv
       g++-aarch64-linux-gnu qemu-user libprotobuf-dev protobuf-compiler dpkg-dev
       chromium "${ports[@]}")
bench=("${demo[@]}" libeigen3-dev python3 python3-pip python3-venv libmimalloc2.0 libjemalloc2 libopenblas-dev libdnnl-dev libfftw3-dev
       libtbb-dev libxtensor-dev)
docs=(python3 python3-venv)

case ${1:-} in
  demo) packages=("${demo[@]}") ;;
  test) packages=("${test[@]}") ;;
  check) packages=("${check[@]}") ;;
  bench) packages=("${bench[@]}") ;;
  docs) packages=("${docs[@]}") ;;
  *) echo "usage: tools/setup.sh demo|test|check|bench|docs" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

echo "Installing from Debian: ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "There is no apt-get here; please install these, or what they are called on this system, by hand." >&2
  exit 1
fi
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "That needs root or sudo." >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
