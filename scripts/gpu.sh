#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything worth running on a GPU machine, in one call. That machine needs PyTorch in python3, but no network, no
# compiler packages and no source build: kbv and its tests come along prebuilt (scripts/package.sh --with-tests).
# usage: scripts/gpu.sh TARBALL_OR_TREE LOG_FOLDER [--seconds N] [--tests all|gpu|none] [--zoo PATTERN|none]
#                       [--timing yes|no] [--kernelbench CLONE] [--problems FOLDER] [--shadows FOLDER]
#   --seconds N   ends by then, whatever is left undone (default 570)
#   --tests gpu   only tests with Cuda or Gpu in their names, which need a GPU (the default)
#   --zoo PATTERN only the candidates that match
#   --timing no   leaves out the clock's comparison with CUDA events, and the baselines with torch.compile
#   --kernelbench CLONE  the clock at length: repeats, baselines, and beside KernelBench's own times (of a clone of it)
#   --problems FOLDER  checks and audits these problem files as well
#   --shadows FOLDER  judges problems' own references as candidates (scripts/shadow_zoo.sh), one device lane, no times
# Exits 0 if every stage did.
set -euo pipefail

# shellcheck source=scripts/tree.sh
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
usage() { sed -n '5,14s/^# //p' "${BASH_SOURCE[0]}"; }

(($# >= 2)) || { usage && exit 2; }
source=$(realpath "$1") logs=$(realpath -m "$2")
shift 2
seconds=570 tests=gpu zoo='' timing=yes kernelbench='' problems='' shadows=''
while (($#)); do
  case $1 in
    --seconds) seconds=${2:?} ;;
    --tests) tests=${2:?} ;;
    --zoo) zoo=${2:?} ;;
    --timing) timing=${2:?} ;;
    --kernelbench) kernelbench=${2:?} ;;
    --problems) problems=${2:?} ;;
    --shadows) shadows=${2:?} ;;
    *) usage && exit 2 ;;
  esac
  shift 2
done
mkdir -p "$logs"

open_tree "$source"
export KBV_DATA=$tree/share/kbv # test programs do not stand beside it

# Candidates are built side by side, and wait for the GPU one after another.
jobs=$(($(nproc) < 10 ? $(nproc) : 10))
failed=0
table=$(printf '%-24s %8s %4s' stage seconds rc)

# stage NAME LOG LIMIT COMMAND...: runs it, at most LIMIT seconds and never past the end; output goes to LOG.
stage() {
  local name=$1 log=$logs/$2 limit=$3 rc=0 start=$SECONDS
  shift 3
  ((limit > seconds - SECONDS)) && limit=$((seconds - SECONDS))
  printf '==> %s (at most %d s)\n' "$name" "$limit"
  if ((limit > 0)); then
    printf '\n$ %s\n' "$*" >>"$log"
    timeout --kill-after=10 "$limit" "$@" >>"$log" 2>&1 || rc=$?
  else
    rc=124
  fi
  ((rc == 0)) || failed=$((failed + 1))
  table+=$'\n'$(printf '%-24s %8d %4d' "$name" $((SECONDS - start)) "$rc")
}

rm -f "$logs"/{doctor,tests,bench,zoo,timing,clock,problems,shadows,summary}.txt "$logs/observations.tar.gz"
stage doctor doctor.txt 60 "$tree/bin/kbv" doctor
stage "doctor --json" doctor.txt 60 "$tree/bin/kbv" doctor --json
filter=
if [[ $tests == gpu ]]; then filter='*Cuda*:*cuda*:*Gpu*:*gpu*:*GPU*'; fi
for program in "$tree"/libexec/kbv/tests/*_test; do
  [[ -x $program && $tests != none ]] || continue
  stage "$(basename "$program")" tests.txt 240 "$program" --gtest_brief=1 "--gtest_filter=${filter:-*}"
done
for program in "$tree"/libexec/kbv/tests/*_bench; do
  if [[ -x $program ]]; then stage "$(basename "$program")" bench.txt 60 "$program"; fi
done
if [[ $zoo != none ]]; then
  stage zoo zoo.txt 480 "$tree/bin/kbv" zoo --device cuda --jobs "$jobs" --json "$work/observations" ${zoo:+--only "$zoo"}
  if [[ -d $work/observations ]]; then tar -czf "$logs/observations.tar.gz" -C "$work" observations; fi
fi
if [[ $timing == yes ]]; then
  stage "bench timing" timing.txt 300 "$tree/bin/kbv" bench timing
  stage "torch.compile" timing.txt 90 "$tree/bin/kbv" eval "$KBV_DATA/suite/linear_gelu_scale.py" \
    "$KBV_DATA/zoo/honest/linear_gelu_scale_cuda_epilogue.py" --compile-baseline
fi
if [[ -n $kernelbench ]]; then
  # pairs NAME...: the problem and the file of each candidate
  pairs() {
    local name
    for name in "$@"; do
      printf '%s\n' "$KBV_DATA/suite/$(sed -n "\\|^file = \"$name.py\"|{n;s/^problem = \"\(.*\)\"/\1/p;q}" "$KBV_DATA/zoo/zoo.toml").py" \
        "$KBV_DATA/zoo/$name.py"
    done
  }
  beside() { # beside STAGE NAME...: KernelBench's times and kbv's
    local stage_name=$1
    shift
    mapfile -t files < <(pairs "$@")
    stage "$stage_name" clock.txt 600 python3 "$(dirname "${BASH_SOURCE[0]}")/kernelbench_times.py" --kernelbench "$kernelbench" \
      --kbv "$tree/bin/kbv" --kbv-option --time-budget=2 --timeout 60 --table "${files[@]}"
  }
  problems_of_tf32=()
  for name in matmul linear_gelu_scale conv2d gru masked_mean; do problems_of_tf32+=("$KBV_DATA/suite/$name.py"); done
  stage "TF32 off and on" clock.txt 200 "$tree/bin/kbv" bench baselines --compile-baseline "${problems_of_tf32[@]}"
  stage repeats clock.txt 400 "$tree/bin/kbv" bench timing --repeats 10 --only relu_4096 --only batch_norm_64
  beside "beside KernelBench" honest/{relu_triton,relu_clamp,softmax_triton,softmax_cuda,layer_norm_triton,row_sum_autotuned,matmul_triton} \
    honest/{matmul_transposed_view,conv2d_channels_last,max_pool2d_separable,linear_gelu_scale_prepared_weight}
  beside "attacks on the clock" hostile/{relu_patched_timers,relu_side_stream,relu_work_in_synchronize,softmax_early_done,relu_lazy_subclass} \
    hostile/{matmul_cache_pointer,matmul_cache_fingerprint,relu_graph_sequence,relu_batches_ahead,relu_sleeps_first_calls} \
    hostile/{relu_sleeps_when_alone,row_sum_persisting_l2,relu_hog_between_calls,relu_background_thread}
fi
if [[ -n $shadows ]]; then
  "$(dirname "${BASH_SOURCE[0]}")/shadow_zoo.sh" "$shadows" "$work/shadows"
  stage shadows shadows.txt 600 "$tree/bin/kbv" zoo --device cuda --jobs 6 --no-timing --folder "$work/shadows" --suite "$shadows" \
    --json "$work/shadow_observations"
fi
if [[ -n $problems ]]; then
  stage "problem check" problems.txt 240 "$tree/bin/kbv" problem check "$problems" --precision fp32 --jobs 4 --families
  stage "problem audit" problems.txt 480 "$tree/bin/kbv" problem audit "$problems" --precision fp32 --jobs 4 --protocol verified \
    --json "$logs/audit.json"
fi

sed -n '/^What this means/,/^{/p' "$logs/doctor.txt" | grep -v '^[{$]' || true
grep -hE '^\[  (PASSED|FAILED|SKIPPED) ' "$logs/tests.txt" 2>/dev/null || true
grep -h '^zoo: ' "$logs/zoo.txt" "$logs/shadows.txt" 2>/dev/null || true
echo "$table" | tee "$logs/summary.txt"
exit $((failed > 0))
