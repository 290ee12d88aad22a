#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether src/device/compare_kernels.ptx is what make_ptx.sh makes of compare_kernels.cu. Exits 77 where it can't tell.
set -euo pipefail
device=$(cd "$(dirname "$0")/../../src/device" && pwd)
if ! command -v nvcc > /dev/null; then
  echo "skipped: no nvcc here"
  exit 77
fi
committed=$(sed -n 's/^\/\/ Cuda compilation tools, release .*, V//p' "$device/compare_kernels.ptx")
here=$(nvcc --version | sed -n 's/^Cuda compilation tools, release .*, V//p')
if [ "$committed" != "$here" ]; then
  echo "skipped: the committed PTX is from nvcc $committed, this is $here"
  exit 77
fi
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$device/make_ptx.sh" "$made"
if ! cmp "$made" "$device/compare_kernels.ptx"; then
  echo "run src/device/make_ptx.sh and commit compare_kernels.ptx"
  exit 1
fi
# Every architecture that this ptxas knows must accept it, as the driver's own compiler will.
if command -v ptxas > /dev/null; then
  for arch in 75 80 86 89 90 100 120; do
    ptxas --help | grep -q "sm_$arch" || continue
    ptxas -arch=sm_$arch -o /dev/null "$made" || exit 1
  done
fi
