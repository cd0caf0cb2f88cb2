# Odd input of penta stars that is read all the same, flags that count, inputs that would be overwritten; what is refused at once
# is in refused_stars.txt.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

look='--attitude 83.8,-1.2,0'
printf 'x,y,mag\n3,4,5\n' >list.csv
printf 'ra,dec\n83.8,-1.2\n' >track.csv

# ---- stars far outside are fine, and not drawn; no stars; columns that nobody looks for ----
printf 'x,y,mag\n1e9,-1e9,3\n1e300,1,2\n-1e300,-1e300,0\n' >far.csv
expect 0 stars --list far.csv --size 9x9 --json -o far.npy
json '.stars_in == 3 and .stars_drawn == 0 and .flux_in_frame == 0'
printf 'x,y,mag\n' >none.csv
expect 0 stars --list none.csv --size 9x9 --json -o far.npy
json '.stars_in == 0 and .stars_drawn == 0'
printf 'x,y,mag,,,a,A\n1,2,3,4,5,6,7\n' >fine.csv # no name, and names that nobody looks for
expect 0 stars --list fine.csv --size 9x9 -o fine.npy

# ---- what counts is let through: FLAGS that change the frame of --list or --random ----
scene='--list list.csv --size 16x16'
expect 0 stars $scene -o plain.npy
for flags in '--psf moffat --beta 2' '--sigma-y 2 --angle 30' '--psf integrated --sigma-y 2 --angle 30 --quadrature 1' \
    '--psf moffat --quadrature 3' '--zero-point 20 --mag-base pogson' '-A 50000 --read-noise 3 --seed 4' \
    '--exposure 2 --zero-point 12' '--flux-tolerance 0.2' '--flux-tolerance 0 --roi 4' '--mag-limit 3' '-A 50000 --hot-fraction 0.5 --hot-rate 9'; do
    expect 0 stars $scene $flags -o other.npy
    ! cmp -s plain.npy other.npy || fail "$flags changed nothing"
done
expect 0 stars --random 5 --seed 1 --size 16x16 -o random.png --png-bits 8 --stretch none
expect 0 stars $look --psf integrated --quadrature 8 --rate 0,1,0 --size 64x64 --exposure 1 -o turned.npy
expect 0 stars --track track.csv --size 16x16 --format png --png-bits auto -o frames
exists frames/frame-0000.png

# ---- inputs are never overwritten; both files or neither ----
printf 'x,y,mag\n1,2,3\n' >keep.csv
cp keep.csv kept.csv
refuse 2 'keep\.csv is an input' stars --list keep.csv --size 9x9 -o t.npy --truth ./keep.csv
same keep.csv kept.csv
mkdir own
cp track.csv own/frame-0000.truth.csv
refuse 2 'own/frame-0000\.truth\.csv is an input' stars --track own/frame-0000.truth.csv --size 9x9 -o none --truth own
same own/frame-0000.truth.csv track.csv
absent none

# ---- arrays: the frame of the same table ----
printf 'x,y,mag\n10,20,3\n40.5,7,4\n' >table.csv
npy '<f8' '2, 3' 0000000000002440 0000000000003440 0000000000000840 0000000000404440 0000000000001c40 0000000000001040 >array.npy
expect 0 stars -q --list table.csv --size 64x48 -o table.npy --truth table.truth.csv
expect 0 stars -q --list array.npy --size 64x48 -o frame.npy --truth array.truth.csv
same table.npy frame.npy
same table.truth.csv array.truth.csv
expect 0 stars -q --list array.npy --size 64x48 --mag-limit 3.5 -o bright.npy --truth bright.csv.out
grep -q '^1,' bright.csv.out || fail "$(cat bright.csv.out)"

ln -s /dev/full full.csv
refuse 1 'full\.csv' stars --list keep.csv --size 9x9 -o t.npy --truth full.csv
[ ! -e t.npy ] || fail 'an image without its truth'
