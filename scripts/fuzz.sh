#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Feeds the judge's parsers of strangers' bytes with libFuzzer, under the address and undefined-behaviour sanitizers.
# usage: scripts/fuzz.sh [SECONDS_PER_TARGET [TARGET...]]     (60 seconds, all of tests/fuzz)
# What it finds new is kept in build/fuzz/corpus; a fault's input in build/fuzz/faults: put it into tests/fuzz/corpus with the fix.
# Exits 1 if a target failed, 77 where there is no clang++ with libFuzzer.
set -euo pipefail
[[ ${1:-} != -h && ${1:-} != --help ]] || { sed -n '3,6s/^# //p' "${BASH_SOURCE[0]}" && exit 0; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
shift || true
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$probe/probe.cpp"
clang++ -fsanitize=fuzzer,address "$probe/probe.cpp" -o "$probe/probe" 2>/dev/null || {
  echo "skipped: no clang++ with libFuzzer (Debian: clang and libclang-rt-14-dev)"
  exit 77
}
build=build/fuzz
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKBV_SANITIZE=address,undefined \
  -DKBV_FUZZER=ON -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link -fno-sanitize-recover=all" "${launcher[@]}" >"$probe/log" 2>&1 || { cat "$probe/log" && exit 1; }
cmake --build "$build" --target fuzz_all >"$probe/log" 2>&1 || { tail -40 "$probe/log" && exit 1; }
targets=("$@")
((${#targets[@]})) || for folder in tests/fuzz/corpus/*/; do targets+=("$(basename "$folder")"); done
failed=0
printf '%-18s %12s %9s %10s %8s\n' target executions seconds "a second" edges
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/faults"
  rc=0
  start=$SECONDS
  nice -n 19 "$build/bin/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2500 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$build/faults/$target-" "$build/corpus/$target" "tests/fuzz/corpus/$target" >"$probe/run" 2>&1 || rc=$?
  runs=$(awk '/number_of_executed_units/ {print $2}' "$probe/run")
  edges=$(grep -oE 'cov: [0-9]+' "$probe/run" | tail -1 | cut -d' ' -f2)
  spent=$((SECONDS - start))
  printf '%-18s %12s %9d %10d %8s\n' "$target" "${runs:-0}" "$spent" $((${runs:-0} / (spent > 0 ? spent : 1))) "${edges:-0}"
  ((rc == 0)) || { failed=1 && echo "FAULT in $target:" && grep -vE '^#[0-9]+' "$probe/run" | tail -25; }
done
exit "$failed"
