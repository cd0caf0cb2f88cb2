# Bad input of penta stars: one clear line on stderr, the right exit code, nothing on stdout, no file.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rejects() # CODE PATTERN ARGUMENT...: with and without --json; no file is left
{
    local wanted=$1 pattern=$2

    shift 2
    refuse "$wanted" "$pattern" stars -o frame.npy --truth truth.csv "$@"
    refuse "$wanted" "$pattern" stars -o frame.npy --truth truth.csv --json -q "$@"
    absent frame.npy truth.csv
    no_temporaries .
}

look='--attitude 83.8,-1.2,0'
printf 'x,y,mag\n3,4,5\n' >list.csv
expect 0 stars --list list.csv --size 9x9 -o fine.npy

# ---- what to draw ----
refuse 2 '-o FILE is missing' stars
refuse 2 '-o FILE is missing' stars $look
rejects 2 'nothing to draw.*--attitude.*--wcs.*--list.*--random'
rejects 2 '--catalog.*--attitude' --catalog list.csv
rejects 2 '--list and --random' --list list.csv --random 5
rejects 2 '--catalog and --list' --catalog list.csv --list list.csv
for flag in '--attitude 1,2,3' '--quaternion 1,0,0,0' '--wcs x' '--track x' '--fov 9' '--focal 9' '--pitch 5' \
    '--principal 1,2' '--distortion 0' '--rate 1,2,3' '--exposure-track x' '--epoch 2020' --aberration; do
    rejects 2 "${flag%% *} has no effect: --list" --list list.csv $flag
    rejects 2 "${flag%% *} has no effect: --random" --random 5 $flag
done
for n in x -1 1.5 1e99 nan ''; do
    rejects 2 '--random' --random "$n"
done

# ---- lists ----
printf 'a,b\n1,2\n' >columns.csv
rejects 1 'columns\.csv.*x, y.*mag.*a, b' --list columns.csv
printf 'x,y\n1,2\n' >lacking.csv
rejects 1 'lacking\.csv.*mag' --list lacking.csv
for bad in nan inf -inf 1e999 '' word; do
    printf 'x,y,mag\n1,2,3\n4,%s,5\n' "$bad" >bad.csv
    rejects 1 'bad\.csv.*line 3.*y' --list bad.csv
done
printf 'x,y,mag\n1,2,-500\n' >bright.csv
rejects 1 'bright\.csv: line 2.*magnitude' --list bright.csv
printf 'x,y,mag,mx\n1,2,3,4\n' >half.csv
rejects 1 'half\.csv.*my' --list half.csv
printf 'x,y,mag\n1,2\n' >ragged.csv
rejects 1 'ragged\.csv.*line 2' --list ragged.csv
: >empty.csv
rejects 1 'empty\.csv' --list empty.csv
rejects 1 'missing\.csv' --list missing.csv
printf 'x,y,mag\n1e9,-1e9,3\n1e300,1,2\n-1e300,-1e300,0\n' >far.csv # stars far outside are fine, and not drawn
expect 0 stars --list far.csv --size 9x9 --json -o far.npy
json '.stars_in == 3 and .stars_drawn == 0 and .flux_in_frame == 0'
printf 'x,y,mag\n' >none.csv
expect 0 stars --list none.csv --size 9x9 --json -o far.npy
json '.stars_in == 0 and .stars_drawn == 0'

# ---- columns of one name ----
for header in x,y,mag,x x,y,mag,X x,id,y,mag,ID x,y,mag,spare,spare; do
    printf '%s\n%s\n' "$header" "$(tr -c ',\n' 1 <<<"$header")" >twice.csv # 1 for every letter
    rejects 1 "twice\.csv: line 1: column [45] \(${header##*,}\) has the name of column" --list twice.csv
done
printf 'x,y,mag,,,a,A\n1,2,3,4,5,6,7\n' >fine.csv # no name, and names that nobody looks for
expect 0 stars --list fine.csv --size 9x9 -o fine.npy
for header in ra,dec,mag,RA,dec,hip ra,dec,mag,dec ra,dec,mag,hip,HIP ra,dec,mag,pmra,pmdec,pmRA; do
    printf '%s\n' "$header" >twice.csv
    rejects 1 'twice\.csv: line 1: column .* has the name of column' --catalog twice.csv $look
done
for header in ra,dec,ra ra,dec,roll,Roll w,x,y,z,W; do
    printf '%s\n' "$header" >twice.csv
    refuse 1 'twice\.csv: line 1: column .* has the name of column 1|\(Roll\) has the name of column 3' \
        stars --track twice.csv -o frames
done
printf 'ra,dec,time,t\n1,2,3,4\n' >twice.csv
refuse 1 'twice\.csv: has both time and t' stars --track twice.csv -o frames

# ---- catalogues ----
rejects 1 'missing: ' --catalog missing $look
rejects 1 'list\.csv.*declination' --catalog list.csv $look
{ bytes 00000000 01000000 6adcffff 01000000 01000000 01000000 20000000 && head -c 3200 /dev/zero; } >cut.bsc5
rejects 1 'cut\.bsc5: .*cut short' --catalog cut.bsc5 $look

# ---- pointing and camera ----
for attitude in 1,2 1,2,3,4 1,two,3 1,2,nan ,, '' 1,2,3x 1,91,0 1,-90.1,0; do
    rejects 2 '--attitude' --attitude "$attitude"
done
for quaternion in 0,0,0,0 1,0,0 1,0,0,inf; do
    rejects 2 '--quaternion' --quaternion $quaternion
done
rejects 2 '--attitude and --quaternion' $look --quaternion 1,0,0,0
rejects 2 '--attitude and --wcs' $look --wcs x.wcs
rejects 2 '--wcs and --track' --wcs x.wcs --track t.csv
for fov in 0 -1 180 200 wide nan; do
    rejects 2 '--fov' $look --fov $fov
done
rejects 2 '--focal does nothing without --pitch' $look --focal 50
rejects 2 '--pitch does nothing without --focal' $look --pitch 5
rejects 2 '--fov and --focal' $look --focal 50 --pitch 5 --fov 10
rejects 2 '--focal is 0' $look --focal 0 --pitch 5
rejects 2 '--principal' $look --principal 1
rejects 2 '--distortion' $look --distortion 1,2,3,4,5,6
for size in 0x0 0x5 5x0 5 5x x5 5x5x5 -5x5 5.5x5 65001x5 99999999999999999999x5 ''; do
    rejects 2 '--size' $look --size "$size"
done

# ---- coordinates from FITS ----
if has_format fits; then
    rejects 1 'missing\.wcs: ' --wcs missing.wcs
    rejects 1 'list\.csv: .*FITS' --wcs list.csv
    expect 0 stars $look --size 64x48 -o good.fits
    expect 0 stars --wcs good.fits --json -o from.npy
    json '.width == 64 and .height == 48'
    sed 's/RA---TAN/RA---SIN/; s/DEC--TAN/DEC--SIN/' good.fits >sine.fits
    rejects 1 'sine\.fits: .*RA---SIN' --wcs sine.fits
    head -c 2000 good.fits >cut.fits
    rejects 1 'cut\.fits: ' --wcs cut.fits
    expect 0 stars --list list.csv --size 9x9 -o bare.fits
    rejects 1 'bare\.fits: ' --wcs bare.fits
fi

# ---- drawing ----
for sigma in 0 -1 nan x 1e-9; do
    rejects 2 '--sigma' $look --sigma $sigma
done
for roi in 0 -1 65 1.5 x; do
    rejects 2 '--roi' $look --roi $roi
done
rejects 2 'engine.*auto,serial' $look --engine fast
rejects 2 '--sigma-y is 0\.0001 px' $look --sigma-y 0.0001
rejects 2 'ROI' $look --sigma 20 --flux-tolerance 1e-9
rejects 2 '--psf image needs' $look --psf image
rejects 1 'list\.csv: unknown format' $look --psf image --psf-image list.csv
expect 0 stars --list none.csv --size 5x5 -o dark.npy
rejects 1 'sum' $look --psf image --psf-image dark.npy
rejects 2 '--aberration.*--epoch' $look --aberration
rejects 2 '--epoch' $look --epoch 3

# ---- motion ----
rejects 2 '--rate' $look --rate 1,2
rejects 2 '--rate.*3600' $look --rate 0,0,4000
rejects 2 '--rate.*Gaussian' $look --rate 0,0,1 --psf moffat
rejects 2 '--attitude and --exposure-track' $look --exposure-track t.csv
rejects 2 '--rate and --exposure-track' --rate 0,0,1 --exposure-track t.csv
printf 'ra,dec\n1,2\n1,3\n' >timeless.csv
rejects 1 'timeless\.csv.*time' --exposure-track timeless.csv
printf 'time,ra,dec\n1,2,3\n1,2,4\n' >still.csv
rejects 1 'still\.csv.*row 2' --exposure-track still.csv
printf 'time,ra,dec\n1,2,3\n' >one.csv
rejects 1 'one\.csv.*one row' --exposure-track one.csv

# ---- detector and output ----
rejects 2 '--gain' $look --gain 0
rejects 2 '--bits' $look --bits 17
rejects 2 '--zero-point' $look --zero-point x
rejects 2 'operand' $look extra
refuse 2 '--png-bits 8.*12' stars $look --png-bits 8 --bits 12 -o x.png
refuse 2 'same file' stars $look -o x.csv.png --truth x.csv.png
for name in x x.gif x.npz folder/ .; do
    refuse 2 'format' stars $look -o $name
done
refuse 1 'no/such/x\.png' stars $look -o no/such/x.png
refuse 1 'no/such/t\.csv' stars $look -o x.png --truth no/such/t.csv
mkdir folder.png
refuse 1 'folder\.png.*directory' stars $look -o folder.png
refuse 1 "'nosuchdevice'" stars $look -d nosuchdevice -o x.png
absent x.png x.csv.png

# ---- tracks ----
printf 'ra,dec,flavour\n1,2,3\n' >flavour.csv
refuse 1 'flavour\.csv.*ra, dec, flavour' stars --track flavour.csv -o frames
printf 'ra,dec,w,x,y,z\n1,2,1,0,0,0\n' >both.csv
refuse 1 'both\.csv' stars --track both.csv -o frames
printf 'ra,dec\n' >bare.csv
refuse 1 'bare\.csv' stars --track bare.csv -o frames
printf 'ra,dec\n1,2\n1,92\n' >over.csv
refuse 1 'over\.csv.*row 2' stars --track over.csv -o frames
printf 'q0,q1,q2,q3\n0,0,0,0\n' >zero.csv
refuse 1 'zero\.csv.*row 1' stars --track zero.csv -o frames
absent frames
echo file >blocked
printf 'ra,dec\n1,2\n' >track.csv
refuse 1 'blocked' stars --track track.csv -o blocked/frames
refuse 1 'blocked' stars --track track.csv -o frames --truth blocked/truth

# ---- inputs are never overwritten; both files or neither ----
printf 'x,y,mag\n1,2,3\n' >keep.csv
cp keep.csv kept.csv
refuse 2 'keep\.csv is an input' stars --list keep.csv --size 9x9 -o t.npy --truth ./keep.csv
same keep.csv kept.csv
mkdir own
cp track.csv own/frame-0000.truth.csv
refuse 2 'own/frame-0000\.truth\.csv is an input' stars --track own/frame-0000.truth.csv --size 9x9 -o frames --truth own
same own/frame-0000.truth.csv track.csv
absent frames
printf 'x,y,mag\n1,2,-400\n' >bright.csv
refuse 1 'bright\.csv: line 2.*magnitude -400' stars --list bright.csv --size 9x9 -o t.npy

# ---- arrays: the frame of the same table ----
printf 'x,y,mag\n10,20,3\n40.5,7,4\n' >table.csv
npy '<f8' '2, 3' 0000000000002440 0000000000003440 0000000000000840 0000000000404440 0000000000001c40 0000000000001040 >array.npy
expect 0 stars -q --list table.csv --size 64x48 -o table.npy --truth table.truth.csv
expect 0 stars -q --list array.npy --size 64x48 -o frame.npy --truth array.truth.csv
same table.npy frame.npy
same table.truth.csv array.truth.csv
expect 0 stars -q --list array.npy --size 64x48 --mag-limit 3.5 -o bright.npy --truth bright.csv.out
grep -q '^1,' bright.csv.out || fail "$(cat bright.csv.out)"
head -c 140 array.npy >cut.npy
refuse 1 'cut\.npy.*truncated' stars --list cut.npy --size 9x9 -o t.npy

ln -s /dev/full full.csv
refuse 1 'full\.csv' stars --list keep.csv --size 9x9 -o t.npy --truth full.csv
[ ! -e t.npy ] || fail 'an image without its truth'
