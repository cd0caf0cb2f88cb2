#!/bin/bash
# The README's table of speeds is what docs/reports says.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/tools/reports" >"$work/table"
[ "$(grep -c '^|' "$work/table")" -gt 5 ] || { echo 'tools/reports printed no table'; exit 1; }
sed '1,/^<!-- tools\/reports/d; /^<!-- end/,$d' "$root/README.md" | diff - "$work/table" ||
    { echo 'the README differs: tools/reports --write'; exit 1; }
