#!/bin/bash
# Links between the documents lead to files that are there, and to headings of these.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8
code=0 links=0 anchors=0

# headings FILE: the anchors that forges make of its headings, and its own (<a id="...">).
headings() {
    sed -n 's/^##* //p' "$1" | sed 's/.*/\L&/; s/[^[:alnum:] _-]//g; s/ /-/g'
    sed -n 's/.*<a id="\([^"]*\)">.*/\1/p' "$1"
}

while IFS=: read -r file link; do
    target=${link#*](}
    target=${target%%[) ]*}
    anchor=${target#*#}
    [ "$anchor" != "$target" ] || anchor=""
    case $target in
    '' | http://* | https://*) continue ;;
    '#'*) path=$file ;;
    *) path=$(dirname "$file")/${target%%#*} ;;
    esac
    links=$((links + 1))
    [ -e "$path" ] || { echo "$file: nothing is at $target" >&2; code=1; continue; }
    [ -n "$anchor" ] || continue
    anchors=$((anchors + 1))
    headings "$path" | grep -qxF -- "$anchor" || { echo "$file: no heading for $target" >&2; code=1; }
done < <(find . -name build -prune -o -name '*.md' -print0 | xargs -0 grep -Ho '\][(][^)]*)')
if [ $links -lt 50 ] || [ $anchors -lt 10 ]; then
    echo "only $links links, $anchors to headings, were found" >&2
    exit 1
fi
exit $code
