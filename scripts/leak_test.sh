#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Many hostile candidates in a row through one kbv, and what they leave behind: processes, descriptors, memory, temporary files,
# shared memory, cgroups, memory of the GPU.
# usage: scripts/leak_test.sh COUNT|zoo LOG_FOLDER [--only PATTERN ...] [--seconds N] [further options for kbv, e.g. --device cpu --jobs 8]
#   COUNT           so many evaluations, of the zoo's candidates again and again, by `kbv run`
#   zoo             each of the zoo's candidates once, by `kbv zoo`, which holds each verdict to what the manifest says
#   --only PATTERN  candidates whose name contains this (default hostile/; again for more)
#   --seconds N     kbv is ended (SIGTERM) then; what was judged until then is what counts
# While it runs a line is written every two seconds to samples.csv; what kbv printed is in run.txt, each verdict in leak.kbv or observations/.
# With COUNT, a candidate that never ends costs a --call-timeout (60 s) each time: give a short one.
# Exits 1 if anything is left behind at the end, if the judge itself grew on the way, or if kbv zoo says that a verdict is wrong.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[[ ${1:-} != -h && ${1:-} != --help && $# -ge 2 ]] || {
  sed -n '6,13s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
}
count=$1 logs=$(realpath -m "$2") only=() seconds=0 options=() device=()
shift 2
while (($#)); do
  case $1 in
    --only) only+=(--only "${2:?}") && shift ;;
    --seconds) seconds=${2:?} && shift ;;
    --device) device=(--device "${2:?}") && shift ;;
    *) options+=("$1") ;;
  esac
  shift
done
[[ $count == zoo || $count =~ ^[1-9][0-9]*$ ]] || die "COUNT must be a whole number, at least 1, or zoo, and not $count"
((${#only[@]})) || only=(--only hostile/)
use_prebuilt || build release kbv
mkdir -p "$logs"
rm -f "$logs"/{samples.csv,leak.kbv,run.txt,left.txt}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp" "$work/runs"
export TMPDIR=$work/tmp # all that kbv makes for a while goes there, so that what is left is kbv's

if [[ $count == zoo ]]; then
  rm -rf "$logs/observations"
  command=(zoo --json "$logs/observations" "${only[@]}")
else
  # Enough samples of the same candidates; each is an evaluation of its own.
  "$kbv_bin" zoo --runs "$work/zoo" "${only[@]}" "${device[@]}"
  mapfile -t files < <(find "$work/zoo" -name '*.py' | sort)
  ((${#files[@]})) || die "no candidate's name contains what ${only[*]} asks for"
  declare -A next=()
  for ((i = 0; i < count; i++)); do
    name=$(basename "${files[i % ${#files[@]}]}")
    problem=${name%_sample_*}
    cp "${files[i % ${#files[@]}]}" "$work/runs/${problem}_sample_${next[$problem]:-0}_kernel.py"
    next[$problem]=$((${next[$problem]:-0} + 1))
  done
  command=(run "$work/runs" --suite kbv --out "$logs/leak.kbv")
fi

# Who runs: process id, user and start of each, and its name. The start tells a process from a later one with the same number.
processes() { ps -e -o pid=,uid=,lstart=,comm= | sort; }
# What outlives a process: shared memory, cgroups, and what a candidate may have put where everybody writes.
places() {
  find /dev/shm /var/tmp -mindepth 1 2>/dev/null || true
  find /tmp -mindepth 1 -maxdepth 1 -name 'kbv*' || true
  find /sys/fs/cgroup -type d -name '*kbv*' 2>/dev/null || true
}
gpu_mib() { { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null || true; } | awk '{ sum += $1 } END { print sum + 0 }'; }

# One process and all below it; those of a box are below the judge too, whatever namespace they are in.
family() {
  ps -e -o pid=,ppid= | awk -v root="$1" '{ parent[$1] = $2 }
    END { for (p in parent) { q = p; while (q in parent && q != root) q = parent[q]; if (q == root) n++ } print n + 0 }'
}
sample() { # sample PID: seconds, judged, descriptors, threads and memory of the judge, all its processes, temporary files, GPU
  local fds threads rss judged
  fds=$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l)
  read -r threads rss < <(awk '/^Threads:/ { t = $2 } /^VmRSS:/ { r = $2 } END { print t + 0, r + 0 }' "/proc/$1/status" 2>/dev/null) || return 0
  judged=$(grep -cE '^[0-9]+/[0-9]+ ' "$logs/run.txt" 2>/dev/null || true)
  echo "$((SECONDS - start)),${judged:-0},$fds,$threads,$rss,$(family "$1"),$(find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l),$(gpu_mib)"
}

processes >"$work/processes.before"
places | sort >"$work/places.before"
gpu_before=$(gpu_mib)
start=$SECONDS rc=0
"$kbv_bin" "${command[@]}" "${device[@]}" "${options[@]}" >"$logs/run.txt" 2>&1 &
judge=$!
echo seconds,judged,descriptors,threads,rss_kib,processes,temporary_entries,gpu_mib >"$logs/samples.csv"
while kill -0 "$judge" 2>/dev/null; do
  sample "$judge" >>"$logs/samples.csv"
  if ((seconds && SECONDS - start > seconds)); then kill -TERM "$judge" 2>/dev/null || true; fi
  sleep 2
done
wait "$judge" || rc=$?
took=$((SECONDS - start))
sleep 2 # what was killed last is not reaped at once

verdicts=fine
if [[ $count == zoo ]]; then
  judged=$(find "$logs/observations" -name '*.json' 2>/dev/null | wc -l)
  say "$judged judged in $took s; kbv zoo ended with $rc"
  grep '^zoo: ' "$logs/run.txt" || true
  ((rc == 0)) || verdicts=wrong
else
  judged=$("$kbv_bin" show "$logs/leak.kbv" | tail -n +2 | grep -vc 'not judged' || true)
  say "$judged of $count judged in $took s; kbv run ended with $rc"
  "$kbv_bin" show "$logs/leak.kbv" | awk 'NR > 1 { print $5 }' | sort | uniq -c | sort -rn | awk '{ printf "    %5d %s\n", $1, $2 }'
fi

# Those that began meanwhile and have lost their parent, if a box made them: another user, other namespaces, or our folder in the environment.
{
  while read -r pid; do
    read -r parent uid name < <(ps -o ppid=,uid=,comm= -p "$pid") || continue
    if ((parent > 1)); then continue; fi
    if ((uid != UID)) || [[ $(readlink "/proc/$pid/ns/pid") != "$(readlink /proc/self/ns/pid)" ]] || grep -qsF "$work" "/proc/$pid/environ"; then
      echo "process $pid $name (user $uid)"
    fi
  done < <(comm -13 "$work/processes.before" <(processes) | awk '{ print $1 }')
  comm -13 "$work/places.before" <(places | sort) | sed 's/^/left: /'
  find "$TMPDIR" -mindepth 1 -maxdepth 1 | sed 's/^/temporary: /'
} >"$logs/left.txt"
gpu_after=$(gpu_mib)
if ((gpu_after > gpu_before + 16)); then echo "GPU memory: $gpu_before MiB before, $gpu_after after" >>"$logs/left.txt"; fi

# The judge's own growth. What is on its way comes and goes, so the least of some time tells of what stays: that of the first fifth of the
# samples, without the tenth in which it starts, and of the last fifth without the tenth in which it ends.
growth=$(awk -F, 'NR > 1 && $5 > 0 { n++; for (i = 1; i <= NF; i++) at[n, i] = $i }
  function least(column, from, to,  i, m) { m = at[from, column]; for (i = from; i <= to; i++) if (at[i, column] < m) m = at[i, column]; return m + 0 }
  function early(column) { return least(column, a, a + w) }
  function late(column) { return least(column, b - w, b) }
  function row(name, column,  i, m) {
    for (i = 1; i <= n; i++) if (at[i, column] + 0 > m) m = at[i, column]
    printf "    %-20s %10d %10d %10d\n", name, early(column), late(column), m
  }
  END {
    if (n < 30) { print "    too few samples (" n + 0 ") to tell growth"; exit }
    w = int(n / 5); a = int(n / 10) + 1; b = n - int(n / 10)
    printf "    %-20s %10s %10s %10s\n", "of the judge", "early", "late", "most"
    row("descriptors", 3); row("threads", 4); row("resident KiB", 5); row("processes", 6); row("temporary entries", 7); row("GPU MiB", 8)
    judged = at[b - w, 2] - at[a, 2]
    if (judged > 0) printf "    %.1f KiB of resident memory a candidate\n", (late(5) - early(5)) / judged
    if (late(3) > early(3) + 16 || late(4) > early(4) + 4) print "    GREW: descriptors or threads"
    if (late(7) > early(7) + 8) print "    GREW: temporary entries"
    if (judged > 200 && late(5) - early(5) > 64 * judged) print "    GREW: more than 64 KiB a candidate"
  }' "$logs/samples.csv")
echo "$growth"
if [[ -s $logs/left.txt ]]; then
  say "left behind:" && sed 's/^/    /' "$logs/left.txt"
else
  say "nothing left behind: no process, no temporary file, no shared memory, no cgroup, no memory of a GPU"
fi
if ((judged == 0)) || [[ $verdicts == wrong ]] || [[ -s $logs/left.txt || $growth == *GREW* ]]; then exit 1; fi
