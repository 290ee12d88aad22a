#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs one campaign undisturbed and another that is killed (SIGKILL) ten times at random moments, and compares their verdicts.
# usage: scripts/kill_campaign.sh RUN_FOLDER SUITE [--against CAMPAIGN] [--between MIN-MAX] [--keep FOLDER] [further options for `kbv run`]
#   --against CAMPAIGN  judged undisturbed already, these candidates among others; otherwise that is done first
#   --between MIN-MAX   seconds from a start to its kill (default 1 to a tenth of what the undisturbed one took)
#   --keep FOLDER       leaves the killed campaign and what kbv printed there
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[[ ${1:-} != -h && ${1:-} != --help && $# -ge 2 ]] || {
  sed -n '3,7s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
}
runs=$(realpath "$1") suite=$2 against='' between='' keep='' options=()
shift 2
while (($#)); do
  case $1 in
    --against) against=$(realpath "${2:?}") && shift ;;
    --between) between=${2:?} && shift ;;
    --keep) keep=$(realpath -m "${2:?}") && shift ;;
    *) options+=("$1") ;;
  esac
  shift
done
[[ -z $between || $between =~ ^[0-9]+-[0-9]+$ ]] || die "--between takes MIN-MAX, whole seconds, and not $between"
[[ -z $against || -n $between ]] || die "--against needs --between: nothing tells how long an undisturbed run takes"
use_prebuilt || build release kbv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${keep:-$work}
mkdir -p "$folder"

# Not a function: a signal for one in the background ends its shell, and not the program.
run=("$kbv_bin" run "$runs" --suite "$suite")
# run, problem, sample and verdict, without a line above; times differ from run to run, verdicts must not.
verdicts() { "$kbv_bin" show "$1" | tail -n +2 | awk '{ print $2, $3, $4, $5 }' | sort; }

start=$SECONDS
if [[ -z $against ]]; then
  against=$folder/undisturbed.kbv
  "${run[@]}" --out "$against" "${options[@]}" >"$folder/run.txt"
  say "undisturbed: $((SECONDS - start)) s"
  between=${between:-1-$(((SECONDS - start) / 10 + 2))}
fi
least=${between%-*} most=${between#*-}
killed=$folder/killed.kbv
for kill in {1..10}; do
  "${run[@]}" --out "$killed" "${options[@]}" >>"$folder/run.txt" &
  wait_s=$((least + RANDOM % (most - least + 1)))
  sleep "$wait_s.$((RANDOM % 10))"
  kill -KILL $! 2>/dev/null || true
  wait $! 2>/dev/null || true
  say "killed $kill times, after $wait_s s: $(verdicts "$killed" | grep -vc 'not$' || true) judged"
done
start=$SECONDS
"${run[@]}" --out "$killed" "${options[@]}" | tee -a "$folder/run.txt" | sed -n 1p
say "the rest: $((SECONDS - start)) s"
# Of one that was judged before, only the candidates that are in this one.
if diff <(verdicts "$against" | awk 'NR == FNR { wanted[$1, $2, $3]; next } ($1, $2, $3) in wanted' <(verdicts "$killed") -) <(verdicts "$killed"); then
  say "the same verdicts, of $(verdicts "$killed" | wc -l) candidates"
else
  die "verdicts differ"
fi
