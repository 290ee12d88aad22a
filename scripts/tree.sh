# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the scripts that run a packed kbv (scripts/package.sh) on another machine.

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# open_tree TARBALL_OR_TREE: sets `tree` to the unpacked tree, and `work` to a temporary folder that goes when the script ends.
open_tree() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if [[ -f $1 ]]; then
    tar -xzf "$1" -C "$work"
    tree=$(echo "$work"/kbv-*)
  else
    tree=$1
  fi
  [[ -x $tree/bin/kbv ]] || die "$tree/bin/kbv is not a program"
}
