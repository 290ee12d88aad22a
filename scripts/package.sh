#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Packs kbv as one tarball that runs on another Linux of the same architecture, from any folder, without root.
# usage: scripts/package.sh [--with-tests] [--build FOLDER] [--out FOLDER]
#   --with-tests    adds the test programs, stripped, under libexec/kbv/tests (for scripts/gpu.sh)
#   --build FOLDER  packs what is built there, instead of building preset release
#   --out FOLDER    where the tarball goes; the current folder otherwise
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

with_tests=no build_folder='' out=$PWD
while (($#)); do
  case $1 in
    --with-tests) with_tests=yes ;;
    --build) build_folder=$(realpath "${2:?--build needs a folder}") && shift ;;
    --out) out=$(realpath -m "${2:?--out needs a folder}") && shift ;;
    -h | --help) sed -n '3,7s/^# //p' "${BASH_SOURCE[0]}" && exit ;;
    *) die "unknown argument: $1 (see --help)" ;;
  esac
  shift
done

if [[ -z $build_folder ]]; then
  setup_packages
  if [[ $with_tests == yes ]]; then build release all; else build release kbv; fi
  build_folder=$root/build/release
fi

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build_folder/CMakeCache.txt")
name=kbv-$version-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tree=$stage/$name

cmake --install "$build_folder" --prefix "$tree" --strip >/dev/null
cp "$root/LICENSE" "$root/README.md" "$tree/"
if [[ $with_tests == yes ]]; then
  mkdir -p "$tree/libexec/kbv/tests"
  for program in "$build_folder"/bin/*_test "$build_folder"/bin/*_bench "$build_folder"/bin/kbv_probes; do
    [[ -x $program ]] || continue
    install --strip "$program" "$tree/libexec/kbv/tests/"
  done
fi

# A program that another Linux can start: nothing but the system's own libraries, found without a path of ours.
dynamic=$(readelf -d "$tree/bin/kbv")
foreign=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic" |
  grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|ld-linux[-a-z0-9_]*)\.so\.[0-9]+$' || true)
[[ -z $foreign ]] || die "bin/kbv needs libraries that another Linux may lack: ${foreign//$'\n'/ }"
! grep -qE 'RPATH|RUNPATH' <<<"$dynamic" || die "bin/kbv has an RPATH: it would not survive a move"
# The newest version of library $1 whose symbols the program uses: what the other Linux must have.
newest() { objdump -T "$tree/bin/kbv" | grep -oE "\b$1_[0-9.]+" | sort -Vu | tail -n 1; }
needs=$(newest GLIBC) needs_cxx=$(newest GLIBCXX || true)

mkdir -p "$out"
tarball=$out/$name.tar.gz
epoch=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -C "$stage" -cf - "$name" | gzip -9n >"$tarball"
say "package: $tarball ($(du -h "$tarball" | cut -f1), unpacked $(du -sh "$tree" | cut -f1), needs $needs${needs_cxx:+ and $needs_cxx})"
