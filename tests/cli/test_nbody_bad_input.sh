# penta nbody with inputs that other programs wrote, that are outputs too, or that get lost, and with places that are full: what
# was finished stays. What is refused at once is in refused_nbody.txt.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

refuses() # PATTERN FILE
{
    refuse 1 "$1" nbody --input "$2" --steps 3 -o no.d
    absent no.d
}

expect 0 sample nbody -n 100 -o in
expect 0 nbody --input in/plummer.npy --steps 1 -o before

# ---- snapshots of other programs ----
expect 0 nbody --input in/plummer.npy --steps 0 --format gadget -o gadget
g=gadget/final.gadget
patched() # NAME OFFSET HEX [OFFSET HEX]: a copy of the snapshot
{
    local name=$1

    cp $g "$name"
    shift
    while [ $# -gt 0 ]; do
        bytes "$2" | dd of="$name" bs=1 seek="$1" conv=notrunc 2>/dev/null
        shift 2
    done
}
patched still.gadget 76 000000000000f03f
expect 0 nbody --input still.gadget --steps 0 -o still
patched early.gadget 76 000000000000e03f 140 333333333333d33f # of no comoving run: time 0.5 at redshift 0
expect 0 nbody --input early.gadget --steps 0 -o still
{ head -c $((264 + 2 * 1208)) $g; tail -c 408 $g; } >noids.gadget # 100 bodies; the masses follow the velocities
expect 0 nbody --input noids.gadget --steps 0 -o noids
expect 0 nbody --input $g --steps 0 -o ids
same noids/final.npy ids/final.npy
{ cat noids.gadget; tail -c 408 noids.gadget; } >gas.gadget # and other floats follow
expect 0 nbody --input gas.gadget --steps 0 -o noids
same noids/final.npy ids/final.npy

one=3ff0000000000000 zero=0000000000000000
bytes ${zero}0000000200000003000000000000000200000000$(printf 00000000) >double.tipsy
for x in $zero $one; do # mass 1, x, y = z = 0, vx = x, vy = vz = 0, eps 0, potential 0
    bytes $one$x$zero$zero$x$zero$zero$zero$zero >>double.tipsy
done
expect 0 nbody --input double.tipsy --steps 0 -o double
equal "$(npy_values double/final.npy f8 | tr '\n' ' ')" '1 0 0 0 0 0 0 1 1 0 0 1 0 0 ' 'bodies of tipsy in double precision'
head -c $((32 + 2 * 48)) double.tipsy >mixed.tipsy
refuses 'mixed\.tipsy: is a tipsy file \(big-endian\) with positions, or positions and velocities, in double' mixed.tipsy

run nbody --input in/plummer.npy --steps 0 --format hdf5 -o hdf5
if [ $code -eq 0 ]; then
    LC_ALL=C sed 's/Velocities/Velocity\x00\x00/g; s/Masses/Mass\x00\x00/g' hdf5/final.hdf5 >old.hdf5
    grep -q Velocities old.hdf5 && fail 'the names are not the old ones'
    expect 0 nbody --input old.hdf5 --steps 0 -o old
    same old/final.npy hdf5/final.npy
else
    note 'this build has no HDF5; old names are left out'
fi

# ---- two bodies at one place, with a softening ----
printf '3 0\n1 0.5 0 0 0 0 0\n1 2 0 0 0 0 0\n1 0.5 0 0 0 1 0\n' >two.mpv
expect 0 nbody --input two.mpv --steps 3 --eps 0.1 -o two

# ---- a body that gets lost on the way: what there is before is kept ----
printf '1 0\n1 0 0 0 1e300 0 0\n' >fast.mpv
refuse 1 'no longer at a finite place' nbody --input fast.mpv --dt 1e100 --steps 3 --snapshot-every 1 -o lost
holds lost snapshot_000000.npy diagnostics.csv lagrangian.csv checkpoint.bin

# ---- --forces-only may be added to the flags of a run ----
expect 0 nbody --ic plummer -n 10 --steps 5 --dt 0.01 --integrator leapfrog --forces-only -o forces
holds forces acc.npy pot.npy

# ---- notes: what a restart changes, and adaptive steps in noise ----
expect 0 nbody --restart before/checkpoint.bin --eps 0.5 --steps 1 -o changed
grep -q 'another --eps' err || fail 'no note about eps'
expect 0 nbody --ic plummer -n 20 --integrator hermite4 --step-mode block --precision single --steps 1 -o noisy
grep -q 'needlessly short' err || fail 'no note about noise'
expect 0 nbody --ic plummer -n 20 --integrator hermite4 --forces-only --json -o still
json '.kernel != "hermite"'

# ---- places that are inputs ----
expect 0 nbody --input in/plummer.npy --steps 2 --snapshot-every 1 -o self
refuse 2 'self/final\.npy is an input' nbody --input self/final.npy --steps 1 -o self
refuse 2 'is an input' nbody --input ./self/../self/snapshot_000001.npy --snapshot-every 1 --steps 1 -o self/
cp self/final.npy bodies.npy
ln -s self/final.npy link.npy
refuse 2 'link\.npy is an input' nbody --input link.npy --steps 1 -o self
same self/final.npy bodies.npy
mkdir away
ln -s ../bodies.npy away/final.npy # which would be written through
refuse 2 'bodies\.npy is an input' nbody --input bodies.npy --steps 1 -o away
same bodies.npy self/final.npy
ln -s ../bodies.npy away/acc.npy
refuse 2 'bodies\.npy is an input' nbody --input in/plummer.npy --points bodies.npy --forces-only -o away
same bodies.npy self/final.npy
expect 0 nbody --input self/snapshot_000001.npy --steps 1 -o self # only its final.npy is written

# ---- a full disk: earlier snapshots and the earlier checkpoint stay whole ----
expect 0 nbody --input in/plummer.npy --steps 6 --snapshot-every 2 -o whole
if [ -w /dev/full ]; then
    for name in snapshot_000004.npy checkpoint.bin diagnostics.csv lagrangian.csv final.npy frame_000004.png; do
        rm -rf full
        mkdir full
        ln -s /dev/full full/$name
        refuse 1 "full/$name: cannot be written: No space left" nbody --input in/plummer.npy --steps 6 --snapshot-every 2 \
            --frames --size 32 -o full
        no_temporaries full
        case $name in
        snapshot* | frame*)
            same full/snapshot_000002.npy whole/snapshot_000002.npy
            absent full/final.npy
            expect 0 nbody --restart full/checkpoint.bin --steps 4 -o rest # of step 2
            same rest/final.npy whole/final.npy
            ;;
        final.npy) same full/snapshot_000006.npy whole/snapshot_000006.npy ;;
        esac
    done
    for name in acc pot; do
        rm -rf full
        mkdir full
        ln -s /dev/full full/$name.npy
        refuse 1 "full/$name\\.npy: cannot be written: No space left" nbody --input in/plummer.npy --forces-only -o full
    done
else
    note 'there is no /dev/full; full disks are left out'
fi
if unshare -rm true 2>/dev/null; then
    cat >small.sh <<'END'
mkdir -p small
mount -t tmpfs -o size="$1k" tmpfs small || exit 77
"$PENTA" nbody --input in/plummer.npy --steps 200 --snapshot-every 1 -o small
code=$?
cp -r small kept
exit $code
END
    for size in 80 72 76 84 88; do # they fill up at different files
        last=("nbody on a disk of $size kB")
        code=0
        rm -rf kept
        unshare -rm bash small.sh $size >out 2>err || code=$?
        if [ $code -eq 77 ]; then
            note 'no tmpfs can be mounted; a small disk is left out'
            break
        fi
        equal $code 1 'exit code'
        one_line 'cannot be written: No space left'
        no_temporaries kept
        [ $size -eq 80 ] || continue
        n=$(ls kept/snapshot_*.npy | wc -l)
        [ "$n" -ge 2 ] || fail "$n snapshots fit"
        for f in kept/snapshot_*.npy; do
            expect 0 nbody --input "$f" --steps 0 -o back
        done
        expect 0 nbody --restart kept/checkpoint.bin --steps 1 -o rest.kept
    done
else
    note 'there is no unshare; a small disk is left out'
fi
