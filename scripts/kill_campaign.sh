#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs one campaign undisturbed and another that is killed (SIGKILL) ten times at random moments, and compares their verdicts.
# usage: scripts/kill_campaign.sh RUN_FOLDER SUITE [further options for `kbv run`]
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[[ ${1:-} != -h && ${1:-} != --help && $# -ge 2 ]] || {
  sed -n '3,4s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
}
runs=$(realpath "$1") suite=$2
shift 2
use_prebuilt || build release kbv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Not a function: a signal for one in the background ends its shell, and not the program.
run=("$kbv_bin" run "$runs" --suite "$suite")
verdicts() { "$kbv_bin" show "$work/$1.kbv" | cut -c 9-; }

start=$SECONDS
"${run[@]}" --out "$work/undisturbed.kbv" "$@" >/dev/null
each=$(((SECONDS - start) / 10 + 2))
say "undisturbed: $((SECONDS - start)) s"
for kill in {1..10}; do
  "${run[@]}" --out "$work/killed.kbv" "$@" >/dev/null &
  sleep "$((RANDOM % each + 1)).$((RANDOM % 10))"
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  say "killed $kill times: $(verdicts killed | tail -n +2 | grep -vc 'not judged' || true) judged"
done
"${run[@]}" --out "$work/killed.kbv" "$@" | sed -n 1p
# Times differ from run to run; verdicts must not.
strip() { awk '{ print $1, $2, $3, $4 }'; }
if diff <(verdicts undisturbed | strip) <(verdicts killed | strip); then
  say "the same verdicts, of $(verdicts killed | tail -n +2 | wc -l) candidates"
else
  die "verdicts differ"
fi
