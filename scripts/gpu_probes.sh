#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The ten questions of docs/probes.md, asked of a GPU machine. It needs a driver, and nothing else.
# usage: scripts/gpu_probes.sh TARBALL_OR_TREE LOG_FOLDER [options of kbv_probes, such as --drift-seconds 40 --seconds 60 --only 5]
# Needs scripts/package.sh --with-tests. Leaves probes.txt and probes.json in the folder. Exits 0 if every probe has an answer, 1 if
# one failed.
set -euo pipefail

# shellcheck source=scripts/tree.sh
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
(($# >= 2)) || { sed -n '4,6s/^# //p' "${BASH_SOURCE[0]}" && exit 2; }
source=$(realpath "$1") logs=$(realpath -m "$2")
shift 2
mkdir -p "$logs"
open_tree "$source"
probes=$tree/libexec/kbv/tests/kbv_probes
[[ -x $probes ]] || die "$probes is not there: packed without --with-tests"
# Each probe has a limit of its own; this one is for the program that keeps them.
timeout --kill-after=10 900 "$probes" --json "$logs/probes.json" "$@" 2>&1 | tee "$logs/probes.txt"
