#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An example of a whole benchmark run, from our own zoo: three "models", honest, careless and cheating, through kbv run, kbv score and
# kbv report. It goes on where it was stopped.
# usage: scripts/example_campaign.sh [--all] [--fresh] [--out FOLDER] [further options for `kbv run`, e.g. --device cpu]
#   --all           every candidate of the zoo that can run here; otherwise two samples for each of three problems
#   --fresh         forgets what was judged before
#   --out FOLDER    where runs/, example.kbv and report.html go; build/example otherwise
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

out=$root/build/example options=() choice=(--only '1/9,1/10,2/6' --samples 0-1) fresh=no
while (($#)); do
  case $1 in
    --all) choice=() ;;
    --fresh) fresh=yes ;;
    --out) out=$(realpath -m "${2:?--out needs a folder}") && shift ;;
    -h | --help) sed -n '3,8s/^# //p' "${BASH_SOURCE[0]}" && exit ;;
    *) options+=("$1") ;;
  esac
  shift
done

use_prebuilt || setup_packages
setup_python
[[ -n ${KBV_PREBUILT:-} ]] || build release kbv

# What is written a second time is the same, so that a campaign that was stopped goes on.
device=()
for ((i = 0; i < ${#options[@]}; i++)); do
  [[ ${options[i]} != --device ]] || device=(--device "${options[i + 1]}")
done
mkdir -p "$out"
[[ $fresh == no ]] || rm -f "$out/example.kbv"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$kbv_bin" zoo --runs "$made" "${device[@]}"
rm -rf "$out/runs" && mkdir "$out/runs"
mv "$made/honest" "$out/runs/honest"
mv "$made/wrong" "$out/runs/careless"
mv "$made/hostile" "$out/runs/cheating"

"$kbv_bin" run "$out/runs" --suite kbv --out "$out/example.kbv" --time-budget 0.5 "${choice[@]}" "${options[@]}"
for protocol in kernelbench verified attested; do
  printf '\n$ kbv score %s --protocol %s\n' "$out/example.kbv" "$protocol"
  "$kbv_bin" score "$out/example.kbv" --protocol "$protocol"
done
"$kbv_bin" report "$out/example.kbv" -o "$out/report.html"
say "example: $out/example.kbv, and as a page: $out/report.html"
