#!/bin/bash
# Links between the documents lead to files that are there.
set -eu
cd "$(dirname "$0")/../.."
code=0 links=0
while IFS=: read -r file link; do
    target=${link#*](}
    target=${target%%[)# ]*}
    case $target in
    '' | http://* | https://*) continue ;;
    esac
    links=$((links + 1))
    [ -e "$(dirname "$file")/$target" ] || { echo "$file: nothing is at $target" >&2; code=1; }
done < <(find . -name build -prune -o -name '*.md' -print0 | xargs -0 grep -Ho '\][(][^)]*)')
[ $links -ge 50 ] || { echo "only $links links were found" >&2; exit 1; }
exit $code
