#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A burst finds a planted fault of each kind, whatever the seed; keeps its input, which shows the fault again; and finds the same by
# the same seed. usage: burst_test.sh FUZZ_PLANTED [sanitized]
set -euo pipefail
binary=$1 sanitized=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
printf 'name=a;count=12;' >"$work/corpus/a"
printf '{"count": [1, 2]};' >"$work/corpus/b"

fail() {
  echo "FAIL: $*"
  cat "$work/out"
  exit 1
}
burst() { "$binary" --burst "$work/corpus" "$work/faults" >"$work/out" 2>&1; }

export KBV_FUZZ_SECONDS=60 KBV_FUZZ_HANG_SECONDS=2
kinds=(promise exit hang)
[[ -z $sanitized ]] || kinds+=(overrun)
for kind in "${kinds[@]}"; do
  export PLANTED=$kind
  ! burst || fail "$kind: not found"
  grep -q '^FAULT: ' "$work/out" || fail "$kind: not told"
  file=$(sed -n 's/^once more: fuzz_planted //p' "$work/out")
  seed=$(sed -n 's/.* of seed \([0-9]*\): .*/\1/p' "$work/out")
  [[ -f $file ]] || fail "$kind: no file $file"
  timeout 2 "$binary" "$file" >/dev/null 2>&1 && fail "$kind: the input that was kept shows no fault"
  cp "$file" "$work/first"
  rm -r "$work/faults"
  KBV_FUZZ_SEED=$seed burst && fail "$kind: not found by seed $seed"
  cmp -s "$work/first" "$work/faults/$(basename "$file")" || fail "$kind: another input by the same seed"
done
PLANTED='' KBV_FUZZ_SECONDS=1 burst || fail "a target without a fault has one"
grep -qE '^[0-9]{3,} inputs, no fault$' "$work/out" || fail "too few inputs"
echo "found: ${kinds[*]}"
