#!/usr/bin/env bash
# run.sh SCRIPT PENTA: runs one test script, or a table of refusals (refusals.c), in a fresh folder, removed afterwards, with
# PENTA set. Its exit code is ours.
set -u

if [ $# -ne 2 ]; then
    echo "usage: run.sh SCRIPT PENTA" >&2
    exit 2
fi
script=$(realpath "$1") || exit 2
PENTA=$(realpath "$2") || exit 2
if [ ! -x "$PENTA" ]; then
    echo "run.sh: $PENTA cannot be run" >&2
    exit 2
fi
export PENTA
export LC_ALL=C
# Scripts share compiled programs: PoCL takes the text of each through clang before it finds what it has kept itself, which
# takes most of a short run. Those about compiling and its caches unset this.
export PENTACL_CACHE=${PENTACL_CACHE:-always}
export PENTACL_CACHE_DIR=${PENTACL_CACHE_DIR:-$(dirname "$PENTA")/../programs}
export COLUMNS=100000 # help in lines that are not wrapped, for patterns

folder=$(mktemp -d "${TMPDIR:-/tmp}/penta-cli.XXXXXX") || exit 2
trap 'cd /; chmod -R u+rwx "$folder"; rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cd "$folder" || exit 2
case $script in
*.txt) "$(dirname "$PENTA")/refusals" "$script" ;;
*) bash "$script" ;;
esac
