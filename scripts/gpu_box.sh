#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether a box lets an honest candidate use a GPU and keeps a hostile one in, on a GPU machine: doctor, the refused system calls,
# candidates in Triton, CUDA and C++, hostile ones, and compute-sanitizer, which needs calls that other boxes refuse.
# usage: scripts/gpu_box.sh TARBALL_OR_TREE LOG_FOLDER [further options for `kbv zoo`]
# Needs scripts/package.sh --with-tests for the refused calls. Exits 0 if every stage did.
set -euo pipefail

# shellcheck source=scripts/tree.sh
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
(($# >= 2)) || { sed -n '5,6s/^# //p' "${BASH_SOURCE[0]}" && exit 2; }
source=$(realpath "$1") logs=$(realpath -m "$2")
shift 2
mkdir -p "$logs"
open_tree "$source"
export KBV_DATA=$tree/share/kbv
failed=0
stage() { # stage NAME COMMAND...
  local name=$1 rc=0 start=$SECONDS
  shift
  { printf '\n$ %s\n' "$*" && timeout --kill-after=10 170 "$@"; } >>"$logs/box.txt" 2>&1 || rc=$?
  ((rc == 0)) || failed=$((failed + 1))
  printf '%-20s %4d s, exit code %d\n' "$name" $((SECONDS - start)) "$rc" | tee -a "$logs/box.txt"
}
rm -f "$logs/box.txt"
stage doctor "$tree/bin/kbv" doctor
tests=$tree/libexec/kbv/tests/os_test
if [[ -x $tests ]]; then
  stage "refused calls" "$tests" --gtest_brief=1 '--gtest_filter=*Call*:*Landlock*:*Strict*:*Own*'
else
  echo "refused calls: skipped: packed without --with-tests"
fi
stage zoo "$tree/bin/kbv" zoo --device cuda --jobs 12 --time-budget 1 --only relu_triton --only softmax_triton --only softmax_cuda \
  --only relu_cuda_grid_stride --only linear_gelu_scale_cuda_epilogue --only compiled --only hostile/relu_c --only hostile/relu_f --only hostile/relu_r "$@"
stage sanitize "$tree/bin/kbv" sanitize "$KBV_DATA/suite/softmax.py" "$KBV_DATA/zoo/honest/softmax_cuda.py"
exit "$((failed > 0))"
