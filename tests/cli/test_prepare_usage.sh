# Flags of penta prepare that are missing, contradict one another, or have no effect are refused, whatever their values.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    refuse 2 "$pattern" prepare -o no.d "$@"
    absent no.d
}

hash_pixels 48 40 | pgm 48 40 >a.pgm

expect 0 prepare --help
silent
for flag in --crop --grey --white --flatten --flatten-sigma --flatten-degree --dust --dust-key --dust-limit --dust-size \
    --dust-grow --dust-most --register --correlation --max-drift --max-angle --min-score --key-score --smooth-drift \
    --interpolation --contrast --contrast-of --depth --fft --batch --dark --flat --recipe --print-recipe --format --watch \
    --interval --watch-every --watch-idle --keep-going --no-sheet '-o, --output' '-d, --device' --json; do
    shows out "^ +(-.,)? +?$flag|^ +$flag"
done
shows out 'gaussian\|overlay\|poly\|series\|none'
shows out 'mask\|copy\|none'
shows out 'shift\|rigid\|none'

# ---- what is missing or too much ----
refuse 2 'no image given' prepare -o no.d
refuse 2 '-o DIR is missing' prepare a.pgm
refuse 2 '-o DIR is missing' prepare --watch .
refuses 'watch.*leave the images out' --watch . a.pgm
refuses 'smooth-drift.*whole series' --watch . --smooth-drift 2

# ---- values ----
refuses 'flatten' --flatten mean a.pgm
refuses 'flatten-degree' --flatten-degree 9 a.pgm
refuses 'dust' --dust hide a.pgm
refuses 'dust-size' --dust-size 2 a.pgm
refuses 'dust-most' --dust-most 0 a.pgm
refuses 'register' --register affine a.pgm
refuses 'max-drift' --max-drift -1 a.pgm
refuses 'max-angle' --register rigid --max-angle 60 a.pgm
refuses 'min-score' --min-score nan a.pgm
refuses 'contrast-of' --contrast 1,99 --contrast-of last a.pgm
refuses 'depth' --depth i16 a.pgm
refuses 'format' --format jpeg a.pgm
refuses 'interpolation' --interpolation sinc a.pgm

# ---- flags without effect ----
for flag in interval watch-every watch-idle; do
    refuses "--$flag has no effect: there is no --watch" --$flag 5 a.pgm
done
refuses '--correlation has no effect: frames are not registered' --register none --correlation phase a.pgm
for flag in max-drift min-score key-score smooth-drift; do
    refuses "--$flag has no effect: frames are not registered" --register none --$flag 1 a.pgm
done
refuses '--interpolation has no effect' --register none --interpolation linear a.pgm
refuses '--max-angle has no effect: only --register rigid' --max-angle 1 a.pgm
for flag in dust-limit dust-size dust-grow; do
    refuses "--$flag has no effect: --dust none" --dust none --$flag 4 a.pgm
done
refuses '--dust-key has no effect' --dust none --dust-key 1,2 a.pgm
refuses '--flatten-sigma has no effect' --flatten none --dust none --register none --flatten-sigma 20 a.pgm
refuses '--contrast-of has no effect: there is no --contrast' --contrast-of first a.pgm

# ---- what a format cannot hold ----
refuses 'PNG holds no floating-point' --depth f32 a.pgm
npy '<f4' '16, 16' "$(printf '0000803f%.0s' {1..256})" >ones.npy
refuses 'PNG holds no floating-point' --depth input --dust none --register none ones.npy

# ---- inputs that an output would take the place of ----
mkdir -p in/report
hash_pixels 48 40 | pgm 48 40 >in/x.pgm
expect 0 prepare -q --register none --dust none -o in in/x.pgm
refuse 2 'in/x\.png is an input, and would be overwritten' prepare -o in in/x.png
cp in/x.png keep.png
refuse 2 'keep\.png is an input' prepare -o . keep.png # under the same name
ln keep.png keep.mask.png
refuse 2 'keep\.mask\.png is an input' prepare -o . --format npy --flat keep.mask.png keep.png
same keep.png in/x.png
refuse 2 'in/x\.mask\.png has the name of the mask' prepare -o new.d in/x.png in/x.mask.png
absent new.d
refuse 2 'in/drift\.csv is an input' prepare -o in --dark in/drift.csv a.pgm

# ---- recipes are printed without a device, an image or a place ----
expect 0 prepare --flatten poly --print-recipe
silent
json '.flatten == "poly" and .register == "shift" and .dust == "mask" and has("dark")'
expect 0 prepare --print-recipe -d nosuchdevice
no_temporaries .
