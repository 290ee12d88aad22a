#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes probe_kernels.ptx from its source, as src/device/make_ptx.sh does for the judge's kernels: make_ptx.sh [FOLDER]. Needs nvcc.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
made=$(mktemp)
trap 'rm -f "$made"' EXIT
nvcc -std=c++17 -arch=compute_75 -ptx -O3 -o "$made" "$here/probe_kernels.cu"
sed -e 's/^\.version .*/.version 6.4/' -e '/^\/\/ Compiler Build ID/d' -e '/^\/\/ Based on/d' "$made" >"$out/probe_kernels.ptx"
