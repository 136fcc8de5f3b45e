#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs README's program and the consumers' program on other C and C++ libraries, and on Windows by wine:
#   tools/check_ports.sh [std_gcc|std_clang|libcxx|musl|mingw]...     without names: all
# A port whose compiler is missing is skipped, and said to be. docs/reference/platforms.md has the table of ports.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
model=$root/tests/golden/models/mlp_digits/graph.pb
base=$root/build/ports
libcxx=/usr/lib/llvm-19/include/c++/v1
musl=/usr/lib/$(uname -m)-linux-musl
flags=(-std=c++20 -O1 -Wall -Wextra -Werror "-I$root/include")

# A port is: needs (commands or files), compile ARGUMENT..., link PROGRAM OBJECT...; run PROGRAM ARGUMENT... and extra, more
# checks, where they differ.
run() { timeout 300 "$@"; }

std_gcc() {
  needs=(g++)
  compile() { g++ "${flags[@]}" -DTENON_FORCE_STD "$@"; }
  link() { g++ -o "$@" -pthread -ldl; }
}
std_clang() {
  needs=(clang++-19)
  compile() { clang++-19 "${flags[@]}" -DTENON_FORCE_STD "$@"; }
  link() { clang++-19 -o "$@" -pthread -ldl; }
}
libcxx() {
  needs=(clang++-19 $libcxx/__config)
  compile() { clang++-19 "${flags[@]}" -stdlib=libc++ "$@"; }
  link() { clang++-19 -stdlib=libc++ -o "$@" -pthread -ldl; }
}
# Debian has musl without a C++ library. Its libc++ is compiled for glibc, whose types have musl's sizes: with the headers
# told of musl, and tests/ports/musl_glue.c, it links to musl statically.
musl() {
  needs=(clang++-19 $libcxx/__config musl-gcc "$musl/crt1.o")
  compile() {
    sed 's/.*_LIBCPP_HAS_MUSL_LIBC.*/#define _LIBCPP_HAS_MUSL_LIBC/' $libcxx/__config_site >"$work/__config_site"
    clang++-19 "--target=$(uname -m)-linux-musl" "${flags[@]}" -nostdinc++ -nostdlibinc -isystem "$work" \
      -isystem $libcxx -isystem "/usr/include/$(uname -m)-linux-musl" "$@"
  }
  link() {
    local gcc
    gcc=$(dirname "$(gcc -print-libgcc-file-name)")
    musl-gcc -O1 -c tests/ports/musl_glue.c -o "$work/musl_glue.o"
    clang++-19 -static -nostdlib "$musl/crt1.o" "$musl/crti.o" "$gcc/crtbeginT.o" "${@:2}" "$work/musl_glue.o" \
      $libcxx/../../../lib/libc++.a $libcxx/../../../lib/libc++abi.a \
      -Wl,--start-group "$gcc/libgcc_eh.a" "$gcc/libgcc.a" "$musl/libc.a" -Wl,--end-group \
      "$gcc/crtend.o" "$musl/crtn.o" -o "$1"
  }
}
# Tests that fork, or read what only POSIX systems have, are not among those of mingw.
mingw() {
  needs=(x86_64-w64-mingw32-g++-posix wine)
  compile() { x86_64-w64-mingw32-g++-posix "${flags[@]}" "$@"; }
  link() { x86_64-w64-mingw32-g++-posix -static -o "$@"; }
  run() { WINEPREFIX=$base/wine WINEDEBUG=-all timeout 300 wine "$@" | tr -d '\r'; }
  extra() {
    compile -fsyntax-only -include windows.h tests/consume/zero_out.cpp  # whose macros must not matter
    tests_of_files
  }
}

# README's program runs in a folder with its model, which it may also be told.
readme_program() {
  local -a objects=("$work/readme.o")
  local numbers
  tools/readme_program.sh >"$work/readme.cpp"
  compile -c "$work/readme.cpp" -o "$work/readme.o"
  if ! grep -q TENON_REGISTER "$work/readme.cpp"; then  # CMake registers its kernels
    printf '#include <tenon/runtime.hpp>\n#include <tenon/ops.hpp>\nTENON_REGISTER(tenon::Types<float>, tenon::ops::Mlp);\n' \
      >"$work/kernels.cpp"
    compile -c "$work/kernels.cpp" -o "$work/kernels.o"
    objects+=("$work/kernels.o")
  fi
  link "$work/readme.exe" "${objects[@]}"
  cp "$model" "$work/mlp.pb"
  numbers=$(cd "$work" && run ./readme.exe mlp.pb)
  awk '{ for (i = 1; i <= NF; ++i) sum += $i } END { exit !(NF == 10 && sum > 0.999 && sum < 1.001) }' <<<"$numbers" ||
    { echo "check_ports: $port: wanted ten probabilities, got '$numbers'" >&2; return 1; }
}
consumer() {
  compile -c tests/consume/zero_out.cpp -o "$work/zero_out.o"
  link "$work/zero_out.exe" "$work/zero_out.o"
  [[ $(run "$work/zero_out.exe") == "ZeroOut: OK" ]] || { echo "check_ports: $port: ZeroOut failed" >&2; return 1; }
}
# The tests of locks, threads, clocks and files.
tests_of_files() {
  local -a objects=()
  local name object
  if [[ ! -e /usr/include/doctest/doctest.h ]]; then
    echo "check_ports: $port: doctest is missing: its tests are skipped"
    return 0
  fi
  ln -sfn /usr/include/doctest "$work/doctest"
  printf '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n' >"$work/main.cpp"
  for name in "$work/main.cpp" \
    tests/base/{clock,env,fork,mutex,platform,spin_lock,thread}_test.cpp \
    tests/io/{file_system,folders,mapped_file,npy,table}_test.cpp; do
    object=$work/$(basename "$name" .cpp).o
    compile -O0 -Itests -isystem "$work" "-DTENON_TEST_DATA=\"$root/tests/golden\"" -c "$name" -o "$object"
    objects+=("$object")
  done
  link "$work/tests.exe" "${objects[@]}"
  run "$work/tests.exe"
}

check() {  # check PORT; 77: its compiler is missing
  local need
  port=$1
  work=$base/$port
  mkdir -p "$work"
  extra() { :; }
  "$port"
  for need in "${needs[@]}"; do
    if ! command -v "$need" >/dev/null && [[ ! -e $need ]]; then echo "check_ports: there is no $need"; exit 77; fi
  done
  readme_program
  consumer
  extra
}

if [[ ${1:-} == --run ]]; then  # one port, in this shell
  check "$2"
  exit
fi
names=("$@")
((${#names[@]})) || names=(std_gcc std_clang libcxx musl mingw)
passed=0 failed=0 skipped=0 summary=()
for name in "${names[@]}"; do
  [[ $name =~ ^(std_gcc|std_clang|libcxx|musl|mingw)$ ]] || { echo "check_ports: there is no '$name'" >&2; exit 2; }
  echo "-- ports: $name"
  code=0
  "$0" --run "$name" || code=$?
  case $code in
    0) passed=$((passed + 1)) summary+=("$name: passed") ;;
    77) skipped=$((skipped + 1)) summary+=("$name: skipped, its compiler is missing") ;;
    *) failed=$((failed + 1)) summary+=("$name: FAILED") ;;
  esac
done
printf 'ports: %s\n' "${summary[@]}"
echo "ports: $passed passed, $skipped skipped, $failed failed"
((failed == 0))
