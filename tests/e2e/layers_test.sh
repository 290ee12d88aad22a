#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A layer sees its own headers and those below it, and none above: shown with the flags of the real build.
# usage: layers_test.sh COMPILER BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
compiler=$1 build=$2 source=$3
layers=(base os device worker look problem build judge score store report mutate cli)
failed=0

header_of() { find "$source/src/$1" -name '*.h' -printf '%f\n' | sort | sed -n 1p; }
# The include folders of a layer's own sources, as the build system passes them.
includes_of() {
  awk -v file="$source/src/$1/" '/"command"/ && index($0, file) {
    for (i = 1; i <= NF; i++) if ($i ~ /^-I/) printf "%s ", $i; else if ($i == "-isystem") printf "-isystem %s ", $(i + 1)
    exit
  }' "$build/compile_commands.json"
}
sees() {  # sees FLAGS HEADER
  # shellcheck disable=SC2086
  echo "#include \"$2\"" | "$compiler" -std=c++20 -E -x c++ $1 - >/dev/null 2>&1
}

for ((i = 0; i < ${#layers[@]}; i++)); do
  flags=$(includes_of "${layers[i]}")
  [[ -n $flags ]] || { echo "FAILED: no flags for layer ${layers[i]}"; exit 1; }
  own="${layers[i]}/$(header_of "${layers[i]}")"
  sees "$flags" "$own" || { echo "FAILED: ${layers[i]} does not see its own $own"; failed=1; }
  for ((j = i + 1; j < ${#layers[@]}; j++)); do
    above="${layers[j]}/$(header_of "${layers[j]}")"
    if sees "$flags" "$above"; then
      echo "FAILED: layer ${layers[i]} can include $above"
      failed=1
    fi
  done
done
if ((failed == 0)); then echo "ok: no layer can include one above it"; fi
exit "$failed"
