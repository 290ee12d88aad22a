#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An example of a whole benchmark run, from our own zoo: three "models", honest, careless and cheating, through kbv run, kbv score and
# kbv report. It goes on where it was stopped.
# usage: scripts/example_campaign.sh [--all] [--fresh] [--out FOLDER] [further options for `kbv run`, e.g. --device cpu]
#   --all           every candidate of the zoo that can run here; otherwise one for each of six problems
#   --fresh         forgets what was judged before
#   --out FOLDER    where runs/, example.kbv and report.html go; build/example otherwise
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# Six problems, an answer of each "model" to each: ReLU, softmax, RMS norm, mean of wide rows, cumulative product, and the mean of a
# transposed convolution. What is wrong is wrong in ways that let some protocols accept it; which ones, the judge finds out.
problems=1/1,1/4,1/7,1/15,1/17,2/2
honest=(relu_clamp softmax_online_blocks rms_norm_vector_norm mean_wide_halving cumprod_doubling conv_transpose_global_mean_folded)
careless=(relu_clamp softmax_no_max rms_norm_eps_outside mean_wide_last_missing cumprod_bfloat16_carry conv_transpose_global_mean_folded)
cheating=(relu_identity_shape_guard softmax_uniform rms_norm_writes_input mean_wide_constant cumprod_first_columns
  conv_transpose_global_mean_expected_input)

out=$root/build/example options=() choice=(--only "$problems") fresh=no all=no
while (($#)); do
  case $1 in
    --all) choice=() all=yes ;;
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
rm -rf "$out/runs" && mkdir "$out/runs"

# take RUN NAME...: a run folder of these candidates of the zoo, whichever part of it they are in.
take() {
  local run=$1 only=() name
  shift
  for name in "$@"; do only+=(--only "/$name.py"); done
  "$kbv_bin" zoo --runs "$made/$run" "${only[@]}" "${device[@]}"
  mkdir "$out/runs/$run"
  mv "$made/$run"/*/*.py "$out/runs/$run/"
}

if [[ $all == yes ]]; then
  "$kbv_bin" zoo --runs "$made" "${device[@]}"
  mv "$made/honest" "$out/runs/honest"
  mv "$made/wrong" "$out/runs/careless"
  mv "$made/hostile" "$out/runs/cheating"
else
  take honest "${honest[@]}"
  take careless "${careless[@]}"
  take cheating "${cheating[@]}"
fi

"$kbv_bin" run "$out/runs" --suite kbv --out "$out/example.kbv" --time-budget 0.3 "${choice[@]}" "${options[@]}"
for protocol in kernelbench verified attested; do
  printf '\n$ kbv score %s --protocol %s\n' "$out/example.kbv" "$protocol"
  "$kbv_bin" score "$out/example.kbv" --protocol "$protocol"
done
"$kbv_bin" report "$out/example.kbv" -o "$out/report.html"
printf '\nproblems with a correct candidate, in %%:\n'
for protocol in kernelbench verified attested; do
  "$kbv_bin" score "$out/example.kbv" --protocol "$protocol" --format csv |
    awk -F, -v protocol="$protocol" '$2 == 0 && $3 == "correct" { printf "  %-12s %-9s %5.1f\n", protocol, $1, 100 * $4 }'
done
say "example: $out/example.kbv, and as a page: $out/report.html"
