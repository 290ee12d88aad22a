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

# Root would hide a file that only root can read. A Python in root's home is out of such a user's reach, though.
user=()
if ((EUID == 0)); then user=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
kbv() {
  (cd / && "${user[@]}" env -i HOME="$work/home" PATH=/usr/bin:/bin KBV_PYTHON="${KBV_PYTHON:-}" "$tree/bin/kbv" "$@")
}
# check WHAT EXIT_CODES PATTERN COMMAND...: the command ends with one of the codes and a line of its output matches.
check() {
  local what=$1 codes=$2 pattern=$3 text code=0
  shift 3
  text=$("$@" 2>&1) || code=$?
  if [[ " $codes " != *" $code "* ]] || ! grep -qE -- "$pattern" <<<"$text"; then
    printf 'FAILED: %s: exit code %d, and "%s" is looked for in:\n%s\n' "$what" "$code" "$pattern" "$text"
    exit 1
  fi
  echo "ok: $what"
}

for file in LICENSE README.md share/kbv/suite/relu.py share/kbv/zoo/zoo.toml; do
  check "$file can be read" 0 . "${user[@]}" cat "$tree/$file"
done
check "kbv --version" 0 '[0-9]+\.[0-9]+\.[0-9]+' kbv --version
# 3 says that the user has no Python with PyTorch; the report explains it.
check "kbv doctor" "0 3" '^What this means' kbv doctor
check "kbv doctor --json" "0 3" '"schema": "kbv-doctor/1"' kbv doctor --json
check "kbv doctor without any Python" 3 'Nothing can be judged: no Python 3' env -i PATH=/none "$tree/bin/kbv" doctor
if ! (cd / && "${user[@]}" env -i "$(command -v "${KBV_PYTHON:-python3}")" -c 'import torch' 2>/dev/null); then
  echo "note: ${KBV_PYTHON:-python3} is no Python with PyTorch for an ordinary user; going on as $(id -un)"
  user=()
fi
if "${KBV_PYTHON:-python3}" -c 'import torch' 2>/dev/null; then
  relu=$tree/share/kbv/suite/relu.py
  check "an honest candidate" 0 '^CORRECT' kbv eval "$relu" "$tree/share/kbv/zoo/honest/relu_clamp.py" --size cpu --device cpu
  check "a wrong candidate" 1 '^REJECTED' kbv eval "$relu" "$tree/share/kbv/zoo/wrong/relu_leaky.py" --size cpu --device cpu
  check "kbv zoo" 0 '^zoo: 1 must-pass, 0 rejected' kbv zoo --only honest/relu_clamp --device cpu
else
  echo "skipped: evaluations: no Python with PyTorch (KBV_PYTHON)"
fi
