# What goes on with files of an earlier run checks that they are what that run wrote: --restart, --watch, --recipe.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

changed_in_place() # FILE: one byte is another, the time of the last change is as before, as on a bad disk
{
    local byte

    touch -r "$1" time
    byte=$(od -A n -t u1 -j 64 -N 1 "$1")
    bytes "$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek=64 conv=notrunc 2>/dev/null
    touch -r time "$1"
}

# ---- nbody --restart: of a damaged checkpoint, and of one that another run wrote ----
expect 0 nbody --ic plummer -n 64 --steps 2 -q -o res
expect 0 nbody --ic plummer -n 64 --seed 2 --steps 2 -q -o other
cp -a res damaged
changed_in_place damaged/checkpoint.bin
refuse 1 'damaged/checkpoint\.bin: is damaged: it is not what the run wrote' nbody --restart damaged/checkpoint.bin --steps 1 -o damaged
cp -a res mixed
cp other/checkpoint.bin mixed/checkpoint.bin # a whole checkpoint, of other bodies
refuse 1 "mixed/checkpoint\.bin: is not what the run wrote .*put the run's file back, or use it from a directory of its own" \
    nbody --restart mixed/checkpoint.bin --steps 1 -o mixed
same other/checkpoint.bin mixed/checkpoint.bin
mkdir own
cp other/checkpoint.bin own/ # what the line says
expect 0 nbody --restart own/checkpoint.bin --steps 1 -o own
cp res/checkpoint.bin mixed/checkpoint.bin # the run's own, with another time
expect 0 nbody --restart mixed/checkpoint.bin --steps 1 -o mixed
expect 0 nbody --restart mixed/checkpoint.bin --steps 1 -o mixed # and what that run wrote
expect 0 nbody --ic plummer -n 64 --seed 3 --steps 1 -q -o res   # keeps the other one
expect 0 nbody --restart res/checkpoint-1.bin --steps 1 -o again
cp other/checkpoint.bin res/checkpoint-1.bin
refuse 1 'res/checkpoint-1\.bin: is not what the run wrote' nbody --restart res/checkpoint-1.bin --steps 1 -o again2
rm res/.penta-run.json # nothing is known any more
expect 0 nbody --restart res/checkpoint-1.bin --steps 1 -o again2

# ---- prepare --watch: its recipe and its arrays ----
expect 0 sample prepare -q -n 2 --width 320 --height 256 -o photos
watch='prepare -q --watch photos --watch-idle 0.2 --no-sheet'
expect 0 $watch -o series
shows series/.penta-run.json '"\.prepare/state\.json"'
for f in state.json $(cd series/.prepare && ls | grep -m 1 'npy$'); do
    rm -rf damaged mixed
    cp -a series damaged
    changed_in_place "damaged/.prepare/$f"
    refuse 1 "damaged/\.prepare/$f: is damaged: it is not what the run wrote" $watch -o damaged
    cp -a series mixed
    sleep 0.01
    changed_in_place "mixed/.prepare/$f"
    touch "mixed/.prepare/$f"
    refuse 1 "mixed/\.prepare/$f: is not what the run wrote" $watch -o mixed
done
cp -a series edited # a recipe that was edited by hand is another series
sleep 0.01
sed -i 's/"dust_limit": 5/"dust_limit": 6/' edited/.prepare/state.json
cmp -s series/.prepare/state.json edited/.prepare/state.json && fail 'nothing was edited'
refuse 1 'edited/\.prepare/state\.json: is not what the run wrote' $watch --dust-limit 6 -o edited
expect 0 $watch -o series

# ---- --recipe: text, which may be edited, but not damaged ----
expect 0 sample prepare -q -n 2 --width 64 --height 64 -o known
echo '{"dust_limit": 5, "flatten": "none", "register": "none", "dust_size": 16}' >known/recipe.json
bytes=$(wc -c <known/recipe.json)
time=$(date -r known/recipe.json +%s%N)
entry='"recipe.json": {"bytes": '$bytes', "crc64": "0000000000000000", "mtime_ns": '$time'}'
sed -i "s/\"files\": {/&$entry,/" known/.penta-run.json
for command in prepare autocorr; do
    refuse 1 'known/recipe\.json: is damaged' $command --recipe known/recipe.json -o none known/*.png
    absent none
done
touch known/recipe.json
expect 0 prepare --recipe known/recipe.json --no-sheet -q -o clean known/*.png
