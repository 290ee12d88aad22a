#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The attacks on the box: each computes only if it got out, so it must be wrong in a strict box, and its layer must tell of
# it. Without a box the same attacks win, which shows that they are real; of those that depend on the machine's settings
# (ptrace_scope, user namespaces, io_uring, old terminals) none is demanded.
# usage: box_test.sh KBV ZOO_FOLDER
set -euo pipefail
kbv=$1 zoo=$2
facts=$("$kbv" doctor --json 2>/dev/null || true)
grep -qE '"torch": "[0-9]' <<<"$facts" || {
  echo "skipped: no Python with PyTorch (KBV_PYTHON)"
  exit 77
}
grep -q '"level": "strict"' <<<"$facts" || {
  echo "skipped: this machine gives no strict box"
  exit 77
}
# An abstract socket of somebody outside.
python3 -c 'import socket, time
listener = socket.socket(socket.AF_UNIX)
listener.bind("\0kbv-zoo-outside")
listener.listen(8)
time.sleep(1200)' &
listener=$!
trap 'kill $listener' EXIT

only=()
while read -r name; do only+=(--only "$name"); done < <(awk -F'"' '/^file/ {f = $2} /^stopped_by = "(uid|pid|mount|net|seccomp)/ {print f}' "$zoo/zoo.toml")
((${#only[@]} >= 24)) || { echo "the manifest names too few attacks on the box" && exit 1; }
only+=(--only honest/relu_threads_joined --only honest/relu_file_in_tmp --only honest/relu_memory_map
  --only honest/relu_socketpair --only honest/relu_asks_the_system)
options=(--device cpu --jobs 2 --no-timing)
"$kbv" zoo "${options[@]}" --require-isolation strict "${only[@]}"

echo "Without a box:"
sure=(relu_environment_of_others relu_network relu_stops_its_parent relu_abstract_socket)
outcome=$("$kbv" zoo "${options[@]}" --isolation none "${sure[@]/#/--only=hostile/}" || true)
echo "$outcome"
for name in "${sure[@]}"; do
  grep -qE "^hostile/$name.py +WRONG +correct" <<<"$outcome" || { echo "$name does not win without a box: it shows nothing" && exit 1; }
done
