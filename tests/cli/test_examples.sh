# Every example of every help runs as it is printed, wrapped lines too, one after the other in an empty folder.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for suffix in tif fits; do # all examples run in a build with the default formats
    has_format $suffix || exit 0
done
unset COLUMNS # 80: some are wrapped
mkdir bin
ln -s "$PENTA" bin/penta
PATH=$PWD/bin:$PATH
wrapped=0 all=0

try() # COMMAND...
{
    local folder="${*// /-}.d"

    expect 0 "$@" --help
    sed -n '/^Examples:$/,$ { /^Examples:$/! s/^  //p }' out >examples
    [ -s examples ] || fail "penta $* has no examples"
    wrapped=$((wrapped + $(grep -c '\\$' examples)))
    all=$((all + $(grep -c '^[a-z]' examples)))
    mkdir "$folder"
    last=("$* --help, its examples")
    code=0
    (cd "$folder" && exec bash -e -o pipefail -o verbose ../examples) >out 2>err </dev/null || code=$?
    [ $code -eq 0 ] || fail "an example of penta $* failed: $(grep -h 'error:' err)"
    lacks err 'error:'
}

commands=$("$PENTA" options --json | jq -r 'to_entries[] | select(.value | type == "object" and .library) | .key')
for name in $commands; do
    try "$name"
done
for name in $("$PENTA" options --json | jq -r '.sample.commands | keys_unsorted[]'); do
    try sample "$name"
done
[ $wrapped -ge 3 ] || fail "only $wrapped lines of examples were wrapped"
[ $all -ge 40 ] || fail "only $all examples were run"

# ---- what they make is what they say ----
exists autocorr.d/{out,paper,moved,one}/series.csv stars.d/{orion,bright,noisy}.png pca.d/back/reconstructed.npy
exists nbody.d/plummer/final.npy optmap.d/{out,mean,raw,rotor}/filtered.npy prepare.d/watched/drift.csv
for name in out moved one; do
    equal "$(column autocorr.d/$name/series.csv status | sort -u)" ok "status of the frames in $name"
done
