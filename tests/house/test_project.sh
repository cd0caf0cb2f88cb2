#!/bin/bash
# The files at the front door: README and CHANGELOG are short, the README's commands for penta run in its order, every file has a
# licence, versions agree. Usage: test_project.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
fail() { echo "$*" >&2; exit 1; }

[ "$(wc -l <README.md)" -le 160 ] || fail 'README.md has more than 160 lines'
long=$(awk '/^## /{n = 0; release = $0} /^- / && ++n > 20 {print release}' CHANGELOG.md | sort -u)
[ -z "$long" ] || fail "CHANGELOG.md has more than 20 entries for $long"
for file in containers/Containerfile.*; do
    [ "$(wc -l <"$file")" -le 30 ] || fail "$file has more than 30 lines"
done
version=$(sed -n 's/^#define PENTACL_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/pentacl/version.h | paste -sd.)
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff is not of $version"
[ "$(grep -c '^  - notes:' CITATION.cff)" = 5 ] || fail 'CITATION.cff lacks a source'

# ---- commands ----
sed -n 's/^    \([a-z]\)/\1/p' README.md >"$work/commands"
while read -r command; do
    case $command in
    tools/demo | tools/install | tools/setup\ * | tools/check\ * | cmake\ * | penta\ *) ;;
    *) fail "README.md has '$command', which no test runs" ;;
    esac
done <"$work/commands"
mkdir "$work/bin" "$work/place"
ln -s "$build/bin/penta" "$work/bin/penta"
grep '^penta ' "$work/commands" >"$work/ours"
(cd "$work/place" && PATH=$work/bin:$PATH bash -e "$work/ours" >../said 2>&1) || fail "a command of README.md failed: $(tail -n 3 "$work/said")"
[ -e "$work/place/growth/c1d.png" ] || fail 'the commands of README.md draw no picture'

# ---- tools/install, with a build that is there ----
if [ "$(sed -n 's/^PENTACL_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt")" = "" ]; then
    mkdir -p "$work/tree/build" "$work/home/.local/bin"
    cp -r tools "$work/tree"
    printf '#!/bin/bash\n' >"$work/tree/tools/demo" # has built it
    ln -s "$build" "$work/tree/build/demo"
    touch "$work/home/.local/bin/other"
    HOME=$work/home "$work/tree/tools/install" >"$work/said"
    grep -qF "export PATH=\"$work/home/.local/bin:\$PATH\"" "$work/said" || fail "tools/install: $(cat "$work/said")"
    "$work/home/.local/bin/penta" version >/dev/null || fail 'the installed penta does not run'
    [ -e "$work/home/.local/share/man/man1/penta.1" ] || fail 'tools/install leaves the manual out'
    HOME=$work/home "$work/tree/tools/install" >/dev/null # again
    HOME=$work/home "$work/tree/tools/install" --remove >/dev/null
    left=$(cd "$work/home" && find . -type f)
    [ "$left" = ./.local/bin/other ] || fail "tools/install --remove leaves $left"
fi

# ---- licences ----
value() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" REUSE.toml; }
[ "$(value path | head -n 1)" = '**' ] || fail 'the first table of REUSE.toml is not about all files'
while read -r path; do
    [ -n "$(tools/sources "$path")" ] || fail "REUSE.toml: no file is at $path"
done < <(value path)
while read -r licence; do
    [ -s "LICENSES/$licence.txt" ] || fail "LICENSES/$licence.txt is missing"
done < <(value SPDX-License-Identifier)
for key in SPDX-License-Identifier SPDX-FileCopyrightText; do
    [ "$(value $key | grep -c .)" = "$(grep -cxF '[[annotations]]' REUSE.toml)" ] || fail "a table of REUSE.toml lacks $key"
done
