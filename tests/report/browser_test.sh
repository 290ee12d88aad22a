#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A page with hostile candidates in a real Chromium: see browser_test.py.
# usage: browser_test.sh KBV MADE_CAMPAIGN   (KBV_CHROMIUM names another browser of its family)
set -euo pipefail

chromium=${KBV_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if [[ -z $chromium ]]; then
  echo "skipped: no Chromium (KBV_CHROMIUM)"
  exit 77
fi
python=$(command -v "${KBV_PYTHON:-python3}" || true)
if [[ -z $python ]]; then
  echo "skipped: no Python 3"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" "$work/made.db" 700 3 1
"$1" report "$work/made.db" -o "$work/page.html"
"$python" "$(dirname "${BASH_SOURCE[0]}")/browser_test.py" "$chromium" "$work/page.html" "$work/profile"
