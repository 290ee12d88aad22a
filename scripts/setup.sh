#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sets up what kbv needs, and only what is missing; safe to run as often as you like.
#
# Run by itself it installs packages and finds or makes a Python with PyTorch. ./demo, ./test and scripts/package.sh
# source it and call the steps:
#   setup_packages       compilers and libraries, through apt-get
#   setup_python         a Python with PyTorch; exports KBV_PYTHON
#   build PRESET TARGET  configures and builds; sets kbv_bin
#
# Environment:
#   KBV_PYTHON       a Python that has PyTorch, to be used as it is
#   KBV_TORCH_INDEX  the package index to install PyTorch from, for a build of your choice
#   KBV_PREBUILT     an unpacked tarball of scripts/package.sh: nothing is built or installed
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
torch_version=2.13.0
torch_cpu_index=https://download.pytorch.org/whl/cpu

say() { printf '==> %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# ---- packages

packages=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libfmt-dev libexpected-dev libtomlplusplus-dev
  libgtest-dev libgmock-dev libssl-dev zlib1g-dev libzstd-dev libsqlite3-dev)

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
  # Any Python will do that can make a venv and has its headers (for candidates that compile C++).
  python3 -I -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
  python3 -I -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null || echo python3-dev
}

setup_packages() {
  command -v dpkg-query >/dev/null || {
    say "packages: not Debian or Ubuntu; what is needed goes by these names there: ${packages[*]}"
    return
  }
  local missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    say "packages: all there"
  else
    say "packages: installing ${missing[*]}"
    install_packages "${missing[@]}"
  fi
  check_versions
}

install_packages() {
  local as_root=() command="apt-get update && apt-get install -y $*"
  if ((EUID != 0)); then
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
    command -v sudo >/dev/null || die "no sudo here; as root, run: $command"
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  # An update that fails may still leave lists that are good enough.
  "${apt[@]}" update || say "packages: apt-get update failed; trying with the lists that are there"
  "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null || die "packages are missing; as root, run: $command"
}

# True if dotted version $1 is at least $2.
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

check_versions() {
  local cmake_version cxx=${CXX:-c++} cxx_version
  cmake_version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  at_least "$cmake_version" 3.25 || die "cmake is $cmake_version; 3.25 or newer is needed (python3 -m pip install cmake)"
  cxx_version=$("$cxx" -dumpfullversion 2>/dev/null || true)
  if "$cxx" --version | grep -q 'Free Software Foundation' && ! at_least "$cxx_version" 12; then
    die "$cxx is $cxx_version; g++ 12 or newer is needed (apt-get install g++-12, then CXX=g++-12)"
  fi
}

# ---- Python

# Prints the version of PyTorch that Python $1 has; fails if it has none. Does not import it: that takes seconds.
torch_of() {
  "$1" -I -c 'from importlib import metadata, util
assert util.find_spec("torch")
print(metadata.version("torch"))' 2>/dev/null
}

find_python_with_torch() {
  local python
  for python in "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}" "$root/.venv/bin/python" "$(command -v python3)"; do
    if [[ -x $python ]] && torch_of "$python" >/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

setup_python() {
  if [[ -n ${KBV_PYTHON:-} ]]; then
    torch_of "$KBV_PYTHON" >/dev/null || die "KBV_PYTHON: $KBV_PYTHON has no PyTorch"
  elif ! KBV_PYTHON=$(find_python_with_torch); then
    make_venv
    KBV_PYTHON=$root/.venv/bin/python
  fi
  export KBV_PYTHON
  verify_python
}

make_venv() {
  say "python: making .venv with PyTorch $torch_version (once; minutes on a slow line)"
  local options=()
  "$root/.venv/bin/python" -c '' 2>/dev/null || options=(--clear)
  python3 -m venv "${options[@]}" "$root/.venv"
  install_torch "$root/.venv/bin/python" || die "PyTorch could not be installed in .venv; a Python that has it can be named with KBV_PYTHON"
}

# A machine without an NVIDIA GPU is spared the CUDA build and its gigabytes, unless pip's own index has no other.
install_torch() {
  local pip=("$1" -m pip --disable-pip-version-check install --quiet) torch=torch==$torch_version
  if [[ -n ${KBV_TORCH_INDEX:-} ]]; then
    "${pip[@]}" --index-url "$KBV_TORCH_INDEX" "$torch" || return
  elif [[ $(uname -m) != x86_64 ]] || has_nvidia_gpu || pip_offers_cpu_build "$1"; then
    "${pip[@]}" "$torch" || return
  else
    "${pip[@]}" --index-url "$torch_cpu_index" "$torch" || "${pip[@]}" "$torch" || return
  fi
  "${pip[@]}" numpy ninja
}

has_nvidia_gpu() { grep -qs 0x10de /sys/bus/pci/devices/*/vendor || [[ -e /dev/nvidiactl ]]; }

pip_offers_cpu_build() {
  "$1" -m pip --disable-pip-version-check install --quiet --dry-run --no-deps --report - "torch==$torch_version" 2>/dev/null |
    grep -q "\"version\": \"$torch_version+cpu\""
}

# Imports PyTorch, once for each Python and version.
verify_python() {
  local stamp=$root/build/python-verified found
  found="$KBV_PYTHON $(torch_of "$KBV_PYTHON")"
  if [[ $(cat "$stamp" 2>/dev/null) != "$found" ]]; then
    "$KBV_PYTHON" -I -c 'import torch; torch.zeros(1)' || die "PyTorch in $KBV_PYTHON does not import (see above)"
    mkdir -p "$root/build"
    echo "$found" >"$stamp"
  fi
  say "python: ${found% *} with PyTorch ${found##* }"
}

# ---- build

# build PRESET TARGET: afterwards kbv_bin is the program.
build() {
  local folder=$root/build/$1 log=$root/build/$1-configure.log
  cd "$root"
  if [[ ! -f $folder/build.ninja || CMakePresets.json -nt $folder/build.ninja ]]; then
    say "build: configuring (preset $1)"
    mkdir -p build
    cmake --preset "$1" >"$log" 2>&1 || {
      cat "$log"
      die "cmake --preset $1 failed"
    }
  fi
  say "build: $2 (preset $1)"
  cmake --build --preset "$1" --target "$2"
  kbv_bin=$folder/bin/kbv
}

# True if a prebuilt tree is to be used; sets kbv_bin then.
use_prebuilt() {
  [[ -n ${KBV_PREBUILT:-} ]] || return 1
  kbv_bin=$(realpath "$KBV_PREBUILT")/bin/kbv
  [[ -x $kbv_bin ]] || die "KBV_PREBUILT: $kbv_bin is not a program"
  say "build: none, using $KBV_PREBUILT"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  setup_packages
  setup_python
fi
