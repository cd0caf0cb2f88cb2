# Compiled programs that are kept: a second process compiles none, damaged and foreign files are not run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 24 20 | pgm 24 20 >image.pgm
export PENTACL_CACHE_DIR=$PWD/kept PENTACL_CACHE=always XDG_CACHE_HOME=$PWD/cache

programs() # the files
{
    find kept -name '*.program' | sort
}

correlate() # what -v says of the programs stands in `said`
{
    rm -rf out.d
    expect 0 autocorr -v --no-plots -o out.d image.pgm
    said=$(grep -o 'programs: .*' err)
    cat out.d/*c1d*.csv >now.csv
    [ -e first.csv ] || cp now.csv first.csv
    cmp now.csv first.csv || fail "other results"
}

# ---- kept, loaded, looked at, cleared ----
correlate
set -- $(programs) # penta devices -v, below, may keep programs of other devices
count=$#
[ "$count" -gt 0 ] || fail "nothing is kept"
equal "$said" "programs: 0 loaded from $PWD/kept, $count compiled" 'the first run'
equal "$(stat -c %a kept)" 700 'mode of the folder'
equal "$(programs | xargs stat -c %a | sort -u)" 600 'modes of the files'
correlate
equal "$said" "programs: $count loaded from $PWD/kept, 0 compiled" 'the second run'
expect 0 cache
shows out "^$PWD/kept: $count programs, "
expect 0 cache --json
json ".cache.programs == $count and .cache.bytes == $(programs | xargs cat | wc -c) and .removed == null"
expect 0 devices -v
shows out "compiled programs kept in $PWD/kept: PENTACL_CACHE is always"
expect 0 devices --json
json 'all(.devices[]; .programs_kept_by == "pentacl")'

# ---- damaged: cut, changed in the middle, of another key under this name ----
truncate -s -100 "$1"
correlate
equal "$said" "programs: $((count - 1)) loaded from $PWD/kept, 1 compiled" 'after a cut'
grep -q "removed 1 damaged file from $PWD/kept" err || fail 'no line on the damaged file'
printf 'X' | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") - 50)) conv=notrunc status=none
correlate
grep -q "removed 1 damaged file from $PWD/kept" err || fail 'no line on the changed file'
if [ "$count" -gt 1 ]; then
    cp "$2" "$1"
    correlate
    equal "$said" "programs: $((count - 1)) loaded from $PWD/kept, 1 compiled" 'another key'
fi

# ---- what others could have written is not run ----
chmod 0620 "$1"
correlate
equal "$said" "programs: $((count - 1)) loaded from $PWD/kept, 1 compiled" 'a file that a group can write to'
equal "$(stat -c %a "$1")" 600 'its mode after it was replaced'
mv "$1" elsewhere
ln -s "$PWD/elsewhere" "$1"
correlate
equal "$said" "programs: $((count - 1)) loaded from $PWD/kept, 1 compiled" 'a link'
chmod 0777 kept
correlate
equal "$said" "programs: 0 loaded from $PWD/kept, $count compiled" 'a folder that everybody can write to'
grep -q "programs cannot be kept in $PWD/kept: others can write to it" err || fail 'no line on the folder'
refuse 1 'others can write to it' cache --clear
chmod 0700 kept

# ---- several at once, cleared, off ----
rm -rf kept
for i in 1 2 3; do
    "$PENTA" autocorr -q --no-plots -o out.$i image.pgm >/dev/null 2>err.$i &
done
wait
for i in 1 2 3; do
    cat out.$i/*c1d*.csv | cmp - first.csv || fail "run $i of three: $(cat err.$i)"
done
equal "$(programs | wc -l)" "$count" 'programs of three runs at once'
equal "$(find kept -name '*.new')" '' 'files left over'
expect 0 cache --clear
shows out "^removed $count programs, "
equal "$(programs)" '' 'after cache --clear'
export PENTACL_CACHE_DIR=
correlate
equal "$said" '' 'without a cache'
expect 0 cache
shows out 'no programs are kept'
unset PENTACL_CACHE_DIR
PENTACL_CACHE=never correlate
equal "$said" '' 'with PENTACL_CACHE=never'
absent cache/pentacl/programs
correlate
exists cache/pentacl/programs
