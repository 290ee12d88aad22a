#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether src/device/*.ptx are what make_ptx.sh makes of their sources. Exits 77 where it can't tell.
set -euo pipefail
device=$(cd "$(dirname "$0")/../../src/device" && pwd)
if ! command -v nvcc > /dev/null; then
  echo "skipped: no nvcc here"
  exit 77
fi
here=$(nvcc --version | sed -n 's/^Cuda compilation tools, release .*, V//p')
for name in compare_kernels exact_kernels reorder_kernels; do
  committed=$(sed -n 's/^\/\/ Cuda compilation tools, release .*, V//p' "$device/$name.ptx")
  if [ "$committed" != "$here" ]; then
    echo "skipped: the committed $name.ptx is from nvcc $committed, this is $here"
    exit 77
  fi
done
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$device/make_ptx.sh" "$made"
for name in compare_kernels exact_kernels reorder_kernels; do
  if ! cmp "$made/$name.ptx" "$device/$name.ptx"; then
    echo "run src/device/make_ptx.sh and commit $name.ptx"
    exit 1
  fi
  # Every architecture that this ptxas knows must accept it, as the driver's own compiler will.
  if command -v ptxas > /dev/null; then
    for arch in 75 80 86 89 90 100 120; do
      ptxas --help | grep -q "sm_$arch" || continue
      ptxas -arch=sm_$arch -o /dev/null "$made/$name.ptx" || exit 1
    done
  fi
done
