#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A public run folder through kbv run, score, report and export on a GPU machine, beside the results that it recorded itself.
# That machine needs PyTorch in python3, but no network and no source build (scripts/package.sh). It goes on where it was stopped.
# usage: scripts/gpu_campaign.sh TARBALL_OR_TREE LOG_FOLDER SUITE_FOLDER RUN_FOLDER [--seconds N] [further options for `kbv run`]
#   --seconds N   `kbv run` is killed (SIGKILL) then, if it still runs; the same call goes on (default 500)
# LOG_FOLDER keeps the campaign, what each command printed, the page and what is exported. Exits 0 if every candidate has a result.
set -euo pipefail

# shellcheck source=scripts/tree.sh
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
(($# >= 4)) || { sed -n '5,7s/^# //p' "${BASH_SOURCE[0]}" && exit 2; }
source=$(realpath "$1") logs=$(realpath -m "$2") suite=$(realpath "$3") runs=$(realpath "$4")
shift 4
seconds=500
[[ ${1:-} != --seconds ]] || { seconds=${2:?} && shift 2; }
mkdir -p "$logs"
open_tree "$source"
kbv=$tree/bin/kbv campaign=$logs/campaign.kbv

# said LOG COMMAND...: runs it; what it prints goes to LOG as well, below the command.
said() {
  local log=$logs/$1 rc=0
  shift
  printf '\n$ kbv %s\n' "$*" | tee -a "$log"
  "$kbv" "$@" 2>&1 | tee -a "$log" || rc=$?
  return "$rc"
}
rc=0
"$kbv" suite add --replace "$suite"
start=$SECONDS
printf '\n$ kbv run %s\n' "$*" | tee -a "$logs/run.txt"
timeout --signal=KILL "$seconds" "$kbv" run "$runs" --suite "$suite" --out "$campaign" "$@" 2>&1 | tee -a "$logs/run.txt" || rc=$?
printf 'kbv run: %d s, exit code %d\n' $((SECONDS - start)) "$rc" | tee -a "$logs/run.txt"

rm -rf "$logs"/{scores,list}.txt "$logs/exported"
cp "$campaign" "$logs/with_recorded.kbv" # what was recorded stays out of the campaign that goes on
said scores.txt import "$logs/with_recorded.kbv" "$runs" || rc=1
said list.txt show "$logs/with_recorded.kbv" >/dev/null || rc=1
for protocol in kernelbench verified attested; do
  said scores.txt score "$logs/with_recorded.kbv" --protocol "$protocol" || rc=1
done
said scores.txt report "$logs/with_recorded.kbv" -o "$logs/report.html" || rc=1
said scores.txt export "$campaign" --out "$logs/exported" || rc=1
exit "$rc"
