#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes compare_kernels.ptx from compare_kernels.cu: make_ptx.sh [OUTPUT]. Needs nvcc; run it after a change of the
# kernels or of compare_core.h, and commit the result (ctest checks that it fits, where nvcc is the same version).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/compare_kernels.ptx}
made=$(mktemp)
trap 'rm -f "$made"' EXIT
# The lowest GPU that kbv runs on, so that one text serves all; the driver compiles it for the GPU it finds.
nvcc -std=c++17 -arch=compute_75 -ptx -O3 -o "$made" "$here/compare_kernels.cu"
# nvcc names its own PTX version, which only drivers as new as itself accept. The kernels use nothing that is new:
# 6.4 is from CUDA 10.1, older than any driver with the memory functions that kbv needs. The comments with the
# compiler's build number go, its version stays.
sed -e 's/^\.version .*/.version 6.4/' -e '/^\/\/ Compiler Build ID/d' -e '/^\/\/ Based on/d' "$made" > "$out"
