#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether the box holds on a GPU machine, and lets honest CUDA, Triton and load_inline work: the layers, the tests of src/os, honest
# candidates in a strict box, compute-sanitizer in its own, the attacks on the box, and all of a judge without privilege.
# usage: scripts/gpu_box.sh TARBALL_OR_TREE LOG_FOLDER [--seconds N]
#   the package is one with tests (scripts/package.sh --with-tests); ends after N seconds (default 290), whatever is left undone
# Exits 0 if every stage did.
set -euo pipefail

# shellcheck source=scripts/tree.sh
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
usage() { sed -n '5,6s/^# //p' "${BASH_SOURCE[0]}"; }

(($# >= 2)) || { usage && exit 2; }
source=$(realpath "$1") logs=$(realpath -m "$2") seconds=290
shift 2
while (($#)); do
  case $1 in
    --seconds) seconds=${2:?} ;;
    *) usage && exit 2 ;;
  esac
  shift 2
done
mkdir -p "$logs"
rm -f "$logs"/box_*.txt
open_tree "$source"
chmod 755 "$work" # another user runs from there
export KBV_DATA=$tree/share/kbv
kbv=$tree/bin/kbv
jobs=$(($(nproc) < 8 ? $(nproc) : 8))
failed=0
table=$(printf '%-26s %8s %4s' stage seconds rc)

# stage NAME LOG LIMIT COMMAND...: runs it, at most LIMIT seconds and never past the end; output goes to LOG.
stage() {
  local name=$1 log=$logs/$2 limit=$3 rc=0 start=$SECONDS
  shift 3
  ((limit > seconds - SECONDS)) && limit=$((seconds - SECONDS))
  if ((limit > 0)); then
    printf '\n$ %s\n' "$*" >>"$log"
    timeout --kill-after=5 "$limit" "$@" >>"$log" 2>&1 || rc=$?
  else
    rc=124
  fi
  ((rc == 0 || rc == 77)) || failed=$((failed + 1))
  table+=$'\n'$(printf '%-26s %8d %4d' "$name" $((SECONDS - start)) "$rc")
  printf '%s: %d\n' "$name" "$rc"
}

stage doctor box_doctor.txt 40 "$kbv" doctor
require=()
if grep -q 'a box  *reaches level strict' "$logs/box_doctor.txt"; then require=(--require-isolation strict); fi
quick=(--device cuda --jobs "$jobs" --max-calls 3 --time-budget 0.2 "${require[@]}")

stage "honest, in a box" box_honest.txt 150 "$kbv" zoo "${quick[@]}" --json "$work/honest" --only honest/relu_triton --only honest/relu_cuda_grid_stride \
  --only honest/relu_cuda_graph --only honest/row_sum_cuda.py --only honest/matmul_triton.py --only honest/relu_threads_joined \
  --only honest/relu_socketpair --only honest/relu_asks_the_system --only honest/relu_file_in_tmp --only honest/relu_memory_map
stage "sanitize" box_sanitize.txt 110 "$kbv" sanitize "$KBV_DATA/suite/relu.py" "$KBV_DATA/zoo/honest/relu_cuda_grid_stride.py" \
  --tools memcheck --timeout 90
attacks=()
while read -r name; do attacks+=(--only "$name"); done < <(awk -F'"' '/^file/ {f = $2} /^stopped_by/ {print f}' "$KBV_DATA/zoo/zoo.toml")
stage "attacks on the box" box_attacks.txt 120 "$kbv" zoo "${quick[@]}" --no-timing --json "$work/attacks" "${attacks[@]}"
stage "tests of src/os" box_os.txt 90 "$tree/libexec/kbv/tests/os_test" --gtest_brief=1
# The judge hides its memory, which closes some of its own /proc files to it unless it is root: CUDA must not mind.
if ((EUID == 0)) && setpriv --reuid 65533 --regid 65533 --clear-groups "$kbv" --version >/dev/null 2>&1; then
  mkdir -p "$work/user" && chown 65533 "$work/user"
  stage "judge without privilege" box_user.txt 60 setpriv --reuid 65533 --regid 65533 --clear-groups env HOME="$work/user" TMPDIR="$work/user" \
    "$kbv" zoo --device cuda --max-calls 3 --time-budget 0.2 --only honest/relu_triton --only hostile/relu_proc_mem
fi

sed -n '/^Isolation/,/^What/p' "$logs/box_doctor.txt" | sed '$d'
for kind in honest attacks; do
  for file in "$work/$kind"/*.json; do
    [[ -f $file ]] || continue
    python3 - "$file" <<'END' >>"$logs/box_refused.txt"
import json, sys
seen = json.load(open(sys.argv[1]))
print(sys.argv[1].rpartition("/")[2], seen["isolation_level"], [call["call"] for call in seen["refused_calls"]], seen["isolation_missing"])
END
  done
done
echo "refused by the box, by candidate:"
cat "$logs/box_refused.txt" 2>/dev/null || true
grep -hE ' (WRONG|ERROR)|^zoo: ' "$logs"/box_{honest,attacks,user}.txt 2>/dev/null || true
grep -hE '^\[  (PASSED|FAILED|SKIPPED) ' "$logs/box_os.txt" 2>/dev/null || true
grep -hE 'memcheck' "$logs/box_sanitize.txt" 2>/dev/null | tail -n 3 || true
echo "$table" | tee "$logs/box_summary.txt"
exit $((failed > 0))
