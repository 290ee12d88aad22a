#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether src/device/*.ptx, and the probes', are what each folder's make_ptx.sh makes of their sources. Exits 77 where it can't tell.
set -euo pipefail
here_folder=$(cd "$(dirname "$0")" && pwd)
device=$(cd "$here_folder/../../src/device" && pwd)
folder_of() { if [ "$1" = probe_kernels ]; then echo "$here_folder/probes"; else echo "$device"; fi; }
if ! command -v nvcc > /dev/null; then
  echo "skipped: no nvcc here"
  exit 77
fi
here=$(nvcc --version | sed -n 's/^Cuda compilation tools, release .*, V//p')
for name in compare_kernels exact_kernels reorder_kernels probe_kernels; do
  committed=$(sed -n 's/^\/\/ Cuda compilation tools, release .*, V//p' "$(folder_of "$name")/$name.ptx")
  if [ "$committed" != "$here" ]; then
    echo "skipped: the committed $name.ptx is from nvcc $committed, this is $here"
    exit 77
  fi
done
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$device/make_ptx.sh" "$made"
"$here_folder/probes/make_ptx.sh" "$made"
for name in compare_kernels exact_kernels reorder_kernels probe_kernels; do
  if ! cmp "$made/$name.ptx" "$(folder_of "$name")/$name.ptx"; then
    echo "run make_ptx.sh in $(folder_of "$name") and commit $name.ptx"
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
