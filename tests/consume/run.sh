#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses Tenon as its users do, each time from a small project of its own that defines an op, registers it and runs it:
#   tests/consume/run.sh [add_subdirectory|find_package|components|fetch_content|single_include|pkg_config|vcpkg|deb|
#                         wheel|conan|oldest_cmake]...
# Without names: all but wheel, conan and oldest_cmake, which need packages from PyPI.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work="$root/build/consume/a folder"  # spaces in all paths
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

at_most() {  # at_most BYTES FILE
  local size
  size=$(stat -c %s "$2")
  echo "$2: $size bytes, at most $1"
  ((size <= $1))
}

install_tenon() {  # to build/prefix, moved there afterwards: a package must not know where it was installed
  cmake -S "$root" -B "$work/tenon" -G Ninja --log-level=WARNING -DCMAKE_CXX_COMPILER="$compiler" \
    -DTENON_BUILD_TESTS=OFF -DTENON_BUILD_BENCH=OFF -DTENON_BUILD_EXAMPLES=OFF
  rm -rf "$work/installed" "$work/prefix"
  cmake --install "$work/tenon" --prefix "$work/installed" >/dev/null
  mv "$work/installed" "$work/prefix"
}

copy_sources() {  # to copy: what a release archive would hold
  rm -rf "$work/copy"
  mkdir -p "$work/copy"
  git -C "$root" ls-files -z --cached --others --exclude-standard -- ':!tests/golden' |
    tar -C "$root" --null -T - -cf - | tar -C "$work/copy" -xf -
}

components() {  # each component of the package where its library is, and where it is not
  local -A libraries=([eigen]=Eigen3 [cuda]=CUDAToolkit [protobuf]=Protobuf [re2]=re2 [image]=PNG [webp]=WebP)
  local component said
  configure() {  # configure COMPONENT cmake-argument...: prints what CMake says
    rm -rf "$work/components"
    cmake -S "$root/tests/consume/components" -B "$work/components" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
      -DCMAKE_PREFIX_PATH="$work/prefix" "-DTENON_ASKED=$1" "${@:2}" 2>&1
  }
  says() {  # says TEXT: what the last configure said; CMake breaks its lines
    [[ $(tr -s ' \n' ' ' <<<"$said") == *"$1"* ]] || { echo "consume: CMake does not say '$1', but:" "$said" >&2; exit 1; }
  }
  for component in eigen cuda protobuf re2 image webp; do
    said=$(configure "$component" -DTENON_ABSENT=ON "-DCMAKE_DISABLE_FIND_PACKAGE_${libraries[$component]}=ON" \
      -DTENON_RE2_LIBRARY=OFF -DTENON_WEBP_LIBRARY=OFF) && { echo "consume: '$component' was found without its library" >&2; exit 1; }
    says "Tenon's component '$component' needs "
    said=$(configure "$component") || says "Tenon's component '$component' needs "  # the library is not on this machine
    grep -o "component '$component'.*" <<<"$said" | head -n 1
  done
  said=$(configure 'egen;eigen;png') && { echo "consume: components 'egen' and 'png' were found" >&2; exit 1; }
  says "Tenon has no component 'egen', 'png' (there are eigen, cuda, protobuf, re2, image, webp)"
  said=$(configure '' -DTENON_VERSION=0.99) && { echo "consume: version 0.99 was found" >&2; exit 1; }
  says 'compatible with requested version "0.99"'
  said=$(configure '') || { echo "consume: without a component CMake says:" "$said" >&2; exit 1; }
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
    components)
      install_tenon
      components ;;
    pkg_config)
      install_tenon
      mapfile -t flags < <(PKG_CONFIG_PATH=$work/prefix/share/pkgconfig pkg-config --cflags --libs tenon | xargs printf '%s\n')
      "$compiler" -std=c++20 "$root/tests/consume/zero_out.cpp" "${flags[@]}" -o "$work/pkg_config"
      "$work/pkg_config" ;;
    vcpkg)
      cmake -DROOT="$root" -DWORK="$work/vcpkg" -DCMAKE_CXX_COMPILER="$compiler" -P "$root/tests/consume/vcpkg/run.cmake"
      build_and_run vcpkg -DCMAKE_PREFIX_PATH="$work/vcpkg/installed" ;;
    deb)  # the headers of an installation, and a CMake package that is found
      install_tenon
      rm -rf "$work/deb" "$work/components" "$work/tenon"/*.deb
      (cd "$work/tenon" && cpack -G DEB) >"$work/deb.log" 2>&1 || { cat "$work/deb.log"; exit 1; }
      dpkg-deb -x "$work/tenon"/libtenon-dev_*_all.deb "$work/deb"
      diff -r "$work/prefix/include" "$work/deb/usr/include"
      cmake -S "$root/tests/consume/components" -B "$work/components" -G Ninja --log-level=WARNING \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/deb/usr" ;;
    wheel)
      rm -rf "$work/wheel"
      python3 -m venv "$work/wheel/venv"
      python="$work/wheel/venv/bin/python"
      "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/wheel" \
        "$root/packaging/wheel"
      "$python" -m pip install --quiet --disable-pip-version-check --no-index "$work/wheel"/tenon-*.whl
      at_most 12000000 "$work/wheel"/tenon-*.whl
      at_most 10000000 "$work/wheel/venv/bin/tenon"
      TENON_COMMAND="$work/wheel/venv/bin/tenon" "$python" "$root/tests/tools/command_test.py"
      build_and_run find_package -DCMAKE_PREFIX_PATH="$("$python" -m tenon --prefix)" -UTenon_DIR ;;
    conan) "$root/tests/consume/conan/run.sh" ;;
    oldest_cmake)  # the release of Ubuntu 22.04: presets and tests are configured, and an installation is found
      rm -rf "$work/oldest"
      python3 -m venv "$work/oldest/venv"
      "$work/oldest/venv/bin/python" -m pip install --quiet --disable-pip-version-check cmake==3.22.6
      (
        PATH="$work/oldest/venv/bin:$PATH" work="$work/oldest"
        (cd "$root" && cmake --preset gcc -B "$work/tests" --log-level=WARNING)
        install_tenon
        build_and_run find_package -DCMAKE_PREFIX_PATH="$work/prefix"
      ) ;;
    *) echo "consume: there is no '$1'" >&2; exit 2 ;;
  esac
}

mkdir -p "$work"
names=("$@")
((${#names[@]})) || names=(add_subdirectory find_package components fetch_content single_include pkg_config vcpkg deb)
for name in "${names[@]}"; do
  echo "-- consume: $name"
  consume "$name"
done
