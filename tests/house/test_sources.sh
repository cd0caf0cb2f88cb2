#!/bin/bash
# A source release, which has no history, lists the files that git tracks and has the frozen headers; a tree with neither fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

if [ -e "$root/.git" ]; then
    git clone -q "$root" "$work/tree" || fail 'no clone'
    cp "$root/tools/sources" "$work/tree/tools"
    (cd "$work/tree" && tools/sources release .. >/dev/null)
    tar -xf "$work"/pentacl-*.tar.gz -C "$work"
    released=$(echo "$work"/pentacl-*/)
    for pattern in '*' '*.c' 'src/*.c'; do
        (cd "$work/tree" && git ls-files "$pattern" | LC_ALL=C sort) >"$work/tracked"
        "$released/tools/sources" "$pattern" | LC_ALL=C sort | cmp - "$work/tracked" || fail "$pattern: other files"
    done
else
    released=$root
fi
(cd "$released" && tools/sources | while read -r file; do [ -e "$file" ] || fail "$file is listed, but not there"; done)
tar -tf "$released/tests/abi/frozen.tar" | grep -q '^include/pentacl/pentacl.h' || fail 'the release lacks the frozen headers'
mkdir -p "$work/bare/tools"
cp "$root/tools/sources" "$work/bare/tools"
! "$work/bare/tools/sources" >/dev/null 2>"$work/said" || fail 'a tree without git and files.txt has files'
grep -q 'neither a git checkout' "$work/said" || fail "$(cat "$work/said")"
