#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes compare_kernels.ptx, exact_kernels.ptx and reorder_kernels.ptx from their sources: make_ptx.sh [FOLDER]. Needs nvcc; run it after a
# change of the kernels or of the *_core.h, and commit the results (ctest checks that they fit, where nvcc is the same
# version).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
made=$(mktemp)
trap 'rm -f "$made"' EXIT
for kernels in compare_kernels exact_kernels reorder_kernels; do
  # The lowest GPU that kbv runs on, so that one text serves all; the driver compiles it for the GPU it finds.
  nvcc -std=c++17 -arch=compute_75 -ptx -O3 -o "$made" "$here/$kernels.cu"
  # nvcc names its own PTX version, which only drivers as new as itself accept. The kernels use nothing that is new:
  # 6.4 is from CUDA 10.1, older than any driver with the memory functions that kbv needs. The comments with the
  # compiler's build number go, its version stays.
  sed -e 's/^\.version .*/.version 6.4/' -e '/^\/\/ Compiler Build ID/d' -e '/^\/\/ Based on/d' "$made" \
    > "$out/$kernels.ptx"
done
