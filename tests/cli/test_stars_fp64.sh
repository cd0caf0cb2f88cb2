# penta stars --fp64 never: the sample and other scenes without double precision on the device. The word double does not
# compile there, so each run also shows that no kernel has it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample stars -q -n 400 --frames 2 --width 200 --height 150 -o in
list=in/list.csv
[ -f $list ] || fail 'the sample has no list of stars'

# Greatest difference of an NPY frame of float32 from one of float64, over the greatest value of the latter.
expect_near() # GOT WANTED WHAT
{
    paste <(od -A n -v -w4 -t f4 -j 128 "$1") <(npy_values "$2" f8) | awk '
        function size(v) { return v < 0 ? -v : v }
        { if (size($1 - $2) > off) off = size($1 - $2); if (size($2) > most) most = size($2) }
        END { exit !(NR > 100 && off <= 1e-5 * most) }' || fail "$3: off by over 1e-5 of the brightest pixel"
}

scene="--list $list --size 200x150 --json"
for psf in sampled integrated moffat; do
    expect 0 stars $scene --psf $psf --engine serial --precision double -o with.npy
    for engine in auto pixel star tile; do
        expect 0 stars $scene --psf $psf --engine $engine --fp64 never -o without.npy
        expect_near without.npy with.npy "$engine, $psf"
    done
done

# ---- fixed and the detector: the same bytes ----
same_run() # NAME FLAG...
{
    local name=$1

    shift
    expect 0 stars $scene "$@" -o "$name.with.npy"
    expect 0 stars $scene "$@" --fp64 never -o "$name.without.npy"
    same "$name.with.npy" "$name.without.npy"
}
same_run fixed --engine fixed
same_run double --engine fixed --precision double
same_run detector -A 50000 --exposure 2 --sky 5 --read-noise 4 --bits 12

# ---- from the environment; what is refused; what is said ----
PENTACL_FP64=never expect 0 stars $scene --engine fixed -o environment.npy
same environment.npy fixed.with.npy
refuse 1 'use --precision single' stars --list "$list" --size 200x150 --precision double --fp64 never -o refused.npy
expect 0 stars --list "$list" --size 200x150 --fp64 never -v -o told.npy
shows err 'packing on the host'
