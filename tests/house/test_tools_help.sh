#!/bin/bash
# The scripts in tools answer --help with their description, and refuse words that they do not know, without touching the tree.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

mkdir -p "$work/tests/abi" "$work/include"
cp -r "$root/tools" "$root/CMakeLists.txt" "$root/docs" "$work"
cp -r "$root/include/pentacl" "$work/include/pentacl"
cp "$root/tests/abi/frozen.txt" "$work/tests/abi/"
for tool in check demo install setup freeze-abi new-workload new-format sources vendors intel-runtime; do
    "$work/tools/$tool" --help >"$work/said" || fail "tools/$tool --help: exit code $?"
    grep -q "tools/$tool" "$work/said" || fail "tools/$tool --help does not describe it: $(cat "$work/said")"
done
for tool in check demo install setup freeze-abi new-workload new-format; do
    code=0
    "$work/tools/$tool" No-Such >"$work/said" 2>&1 || code=$?
    [ $code -eq 2 ] || fail "tools/$tool No-Such: exit code $code: $(cat "$work/said")"
done
cmp "$root/tests/abi/frozen.txt" "$work/tests/abi/frozen.txt" || fail 'tools/freeze-abi froze this tree'
