#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A tarball of scripts/package.sh runs from any folder, as an ordinary user, and finds its own suite and zoo.
# usage: package_test.sh BUILD_FOLDER   (packs what is built there) | package_test.sh TARBALL
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source=$(realpath "${1:?usage: package_test.sh BUILD_FOLDER | TARBALL}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

if [[ -d $source ]]; then
  "$root/scripts/package.sh" --build "$source" --out "$work"
  source=$(echo "$work"/kbv-*.tar.gz)
fi
mkdir "$work/first" "$work/home"
chmod 777 "$work/home"
tar -xzf "$source" -C "$work/first"
mv "$work"/first/kbv-* "$work/moved to here"
tree="$work/moved to here"

# Root would hide a file that only root can read.
user=()
if ((EUID == 0)); then user=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
kbv() {
  (cd / && "${user[@]}" env -i HOME="$work/home" PATH=/usr/bin:/bin KBV_PYTHON="${KBV_PYTHON:-}" "$tree/bin/kbv" "$@")
}
check() {
  local what=$1 text=$2 pattern=$3
  grep -qE -- "$pattern" <<<"$text" || {
    printf 'FAILED: %s: no line has "%s" in:\n%s\n' "$what" "$pattern" "$text"
    exit 1
  }
  echo "ok: $what"
}

check "kbv --version" "$(kbv --version)" '[0-9]+\.[0-9]+\.[0-9]+'
# Exit code 3 is fine here: it says that this machine has no PyTorch, which the report explains.
check "kbv doctor" "$(kbv doctor || (($? == 3)))" '^What this means'
for file in LICENSE README.md share/kbv/suite/relu.py share/kbv/zoo/zoo.toml; do
  "${user[@]}" test -r "$tree/$file" || { echo "FAILED: $file can't be read" && exit 1; }
done
check "the suite" "$(kbv problem check "$tree/share/kbv/suite/relu.py")" .
