#!/usr/bin/env bash
# functions.sh HEADERS LIBRARY..: fails when a function that HEADERS declare is in none of the libraries.
set -eu
headers=$1
shift
found=$(for library in "$@"; do nm -D --defined-only "$library"; done | awk '{ print $3 }' | sed 's/@.*//' | sort -u)
folders=("$headers"/*.h)
[ $# -lt 2 ] || folders+=("$headers"/io/*.h)
declared=$(cat "${folders[@]}" | tr '\n' ' ' | grep -oE 'PENTA_API [^;{]*;' | grep -oE '\bpenta_[a-z0-9_]+ *\(' |
    tr -d ' (' | sort -u)
lost=$(comm -23 <(echo "$declared") <(echo "$found"))
[ "$(echo "$declared" | wc -l)" -gt 100 ] || { echo "functions.sh: read only $(echo "$declared" | wc -l) functions"; exit 1; }
if [ -n "$lost" ]; then
    echo "functions of the frozen headers that the library does not have any more:"
    echo "$lost"
    exit 1
fi
echo "$(echo "$declared" | wc -l) functions are there"
