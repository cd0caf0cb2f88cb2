#!/bin/bash
# The pages for users: every ```sh block runs as it stands, page by page, each in an empty folder, with the data that it makes
# itself. Blocks of another language (```text: a cluster, a GPU, the network) are not run. No page names a source file in its
# first screen. Usage: test_pages.sh BUILD [PAGE...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ulimit -c 0
fail() { echo "$*" >&2; exit 1; }

# blocks FILE: its ```sh blocks; a line that opens a fence without a language is refused.
blocks() {
    awk '/^```/ { if (!inside && $0 == "```") { print FILENAME ": a fence without a language" >"/dev/stderr"; exit 1 }
                  inside = !inside; runs = inside && $0 == "```sh"; next }
         runs' "$1"
}

pages=("$@")
[ $# -gt 0 ] || pages=("$root"/docs/*.md "$root"/docs/{workloads,mathematics}/*.md)
commands=0
for page in "${pages[@]}"; do
    ! head -n 25 "$page" | grep -nE '`(src|cl|tools|tests|bench)/[^`]*\.(c|cl|h|clh|sh)`' ||
        fail "$page names a source file in its first screen"
    blocks "$page" >"$work/commands" || fail "$page is not in order"
    if [ ! -s "$work/commands" ]; then continue; fi
    commands=$((commands + $(grep -c '^[a-z]' "$work/commands")))
    mkdir "$work/here"
    (cd "$work/here" && PATH=$build/bin:$PATH exec bash -e -o pipefail -x "$work/commands") >"$work/said" 2>&1 </dev/null ||
        { tail -n 20 "$work/said" >&2; fail "$page: a command failed"; }
    rm -rf "$work/here"
done
[ $# -gt 0 ] || [ $commands -ge 30 ] || fail "only $commands commands were found"

# Does it find what it is for?
if [ $# -eq 0 ]; then
    for wrong in '```sh\nfalse\n```' '```\npenta\n```' 'Read `src/a.c` first.'; do
        printf "$wrong\n" >"$work/wrong.md"
        ! "$0" "$build" "$work/wrong.md" 2>/dev/null || fail "not found: $wrong"
    done
fi
echo "$commands commands ran"
