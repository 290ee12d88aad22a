#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether kbv sanitize sees what it should, on a GPU machine that has compute-sanitizer: an honest kernel is clean under all four
# tools, and wrong ones of the zoo are found by the tool that is made for them. All at once, in at most N seconds.
# usage: scripts/gpu_sanitize.sh TARBALL_OR_TREE LOG_FOLDER [--seconds N] [-- OPTION_OF_SANITIZE...]
#   --seconds N   ends by then (default 145)
# Exits 0 if every case ends as expected.
set -euo pipefail

# shellcheck source=scripts/tree.sh
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"

(($# >= 2)) || { sed -n '5,7s/^# //p' "${BASH_SOURCE[0]}" && exit 2; }
source=$(realpath "$1") logs=$(realpath -m "$2")
shift 2
seconds=145
while (($#)); do
  case $1 in
    --seconds) seconds=${2:?} && shift 2 ;;
    --) shift && break ;;
    *) die "unknown option $1" ;;
  esac
done
mkdir -p "$logs"

open_tree "$source"
data=$tree/share/kbv

# PROBLEM CANDIDATE TOOLS EXIT_CODE; a candidate is of the zoo, or a file beside the tests: one whose output may be right
cases=(
  "row_sum honest/row_sum_cuda memcheck,racecheck 0"
  "row_sum honest/row_sum_cuda initcheck,synccheck 0"
  "row_sum wrong/row_sum_cuda_past_the_end memcheck 1"
  "matmul wrong/matmul_cuda_missing_sync racecheck 1"
  "row_sum wrong/row_sum_cuda_uninitialised_total initcheck 1"
  "row_sum tests/sanitize/row_sum_cuda_divergent_barrier synccheck 1"
)
pids=()
for case in "${cases[@]}"; do
  read -r problem candidate tools _ <<<"$case"
  log=$logs/sanitize-$(basename "$candidate")-$tools
  file=$data/zoo/$candidate.py
  if [[ $candidate == tests/* ]]; then file=$(dirname "${BASH_SOURCE[0]}")/../$candidate.py; fi
  timeout --kill-after=5 "$seconds" "$tree/bin/kbv" sanitize "$data/suite/$problem.py" "$file" --device cuda \
    --tools "$tools" --timeout "$((seconds / 2))" --json "$log.json" "$@" >"$log.txt" 2>&1 &
  pids+=($!)
done
failed=0
for i in "${!cases[@]}"; do
  read -r _ candidate tools expected <<<"${cases[i]}"
  rc=0
  wait "${pids[i]}" || rc=$?
  ((rc == expected)) || failed=$((failed + 1))
  printf '%-50s %-42s exit %d, expected %d after %d s\n' "$candidate" "$tools" "$rc" "$expected" "$SECONDS"
  cat "$logs/sanitize-$(basename "$candidate")-$tools.txt"
done
exit $((failed > 0))
