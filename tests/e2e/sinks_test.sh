#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Text of strangers gets out by one way for each place that shows it, which makes it harmless (src/cli/say.h, src/base/json_text.h,
# report/web_text.h, report/page.h). Finds code that goes around it. usage: sinks_test.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
failed=0

# sink WHAT PATTERN WHERE ALLOWED...: no file below WHERE but those allowed has the pattern.
sink() {
  local what=$1 pattern=$2 where=$3
  shift 3
  local found
  found=$(grep -rnE "$pattern" "$where" --include='*.cpp' --include='*.h' | grep -vE ':[0-9]+:\s*//' || true)
  for allowed in "$@"; do found=$(grep -v "^$allowed:" <<<"$found" || true); done
  if [[ -n $found ]]; then
    printf 'FAIL: %s:\n%s\n' "$what" "$found"
    failed=1
  fi
}

sink "a verb prints around say()" 'fmt::print|std::print|\bf?puts\(|\bf?printf\(|std::c(out|err)\b|\bfwrite\(' src/cli src/cli/say.h
sink "a layer below the verbs prints" 'fmt::print|std::print|\bf?puts\(|\bf?printf\(|std::c(out|err)\b' src/report
sink "JSON is written around json_text()" '\.dump\(' src src/base/json_text.h
sink "paths are made of text around file_name_of()" 'replace\(.*["'"'"']/["'"'"']' src src/cli/zoo_verb.cpp
grep -qE '^\s*print\(' src/report/reproducer.py && [[ $(grep -cE '\bprint\(' src/report/reproducer.py) -ne 1 ]] && {
  echo "FAIL: the reproducer prints around its say()"
  failed=1
}
((failed == 0)) && echo "every sink is reached by its own way"
exit "$failed"
