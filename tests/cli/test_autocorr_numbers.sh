# penta autocorr: NaN as a mask, and what the axes of NPY arrays are.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

doubles() # the decimal pixels on stdin as little-endian doubles in hex; "nan" is one
{
    awk '
        $1 == "nan" { printf "000000000000f87f"; next }
        $1 == 0 { printf "0000000000000000"; next }
        {   # whole numbers below 2^16: exponent and mantissa by hand
            v = $1; e = 0; while (v >= 2) { v /= 2; e++ }
            m = (v - 1) * 1048576 # the upper 20 bits of the mantissa
            hi = (e + 1023) * 1048576 + m
            printf "00000000%02x%02x%02x%02x", hi % 256, int(hi / 256) % 256, int(hi / 65536) % 256, int(hi / 16777216)
        }'
}

# ---- NaN pixels: the same C2D as with a mask that excludes them ----
hash_pixels 40 30 >pixels
awk 'NR % 7 == 3 { print "nan"; next } { print }' pixels >holed
awk '{ print NR % 7 == 3 ? 0 : 255 }' pixels | pgm 40 30 >holes.pgm
npy '<f8' '30, 40' "$(doubles <pixels)" >whole.npy
npy '<f8' '30, 40' "$(doubles <holed)" >nan.npy
expect 0 autocorr --no-plots --json -q -R 8 --mask holes.pgm -o masked whole.npy
expect 0 autocorr --no-plots --json -R 8 -o nan whole.npy nan.npy
one_line 'NaN pixels are left out as masked ones are: 172 in 1 of 2 frames, most in nan\.npy \(172\)'
json '[.frames[].nan_pixels] == [0, 172] and (.notes | length) == 1 and (.notes[0] | test("172 in 1 of 2"))'
same nan/nan.c2d.npy masked/whole.c2d.npy
expect 0 autocorr --no-plots --json -q -R 8 -o whole whole.npy
json '.frames[0].nan_pixels == 0 and .notes == []'
same nan/whole.c2d.npy whole/whole.c2d.npy

# ---- with --mask and with STEM.mask.png both count ----
below=$(awk 'NR > 600 && $1 == "nan"' holed | wc -l)
awk '{ print (NR > 600 ? 255 : 0) }' pixels | pgm 40 30 >lower.pgm
awk '{ print (NR % 7 == 3 || NR <= 600 ? 0 : 255) }' pixels | pgm 40 30 >both.pgm
expect 0 autocorr --no-plots --json -q -R 8 --mask both.pgm -o both whole.npy
expect 0 autocorr --no-plots --json -q -R 8 --mask lower.pgm -o lower nan.npy
json '.frames[0].nan_pixels == '$below
same lower/nan.c2d.npy both/whole.c2d.npy
cp lower.pgm nan.mask.png # told by its content
expect 0 autocorr --no-plots --json -q -R 8 -o beside nan.npy nan.mask.png
json '.frames | length == 1 and .[0].nan_pixels == '$below
same beside/nan.c2d.npy both/whole.c2d.npy

# ---- with a recipe that does nothing else NaN is left out, too ----
expect 0 prepare --flatten none --dust none --register none --print-recipe
cp out recipe.json
expect 0 autocorr --no-plots --json -R 8 --recipe recipe.json -o prepared nan.npy nan.npy
json '[.frames[].nan_pixels] == [172, 172]'
shows err 'NaN pixels are left out as masked ones are: 344 in 2 of 2 frames'

# ---- axes: the last of length 3 or 4 is colour, its luminance that of the same picture as PPM ----
hash_pixels 60 20 >rgb # 20 x 20 x 3
{ printf 'P6 20 20 255\n' && bytes $(awk '{ printf "%02x", $1 }' rgb); } >picture.ppm
npy '|u1' '20, 20, 3' $(awk '{ printf "%02x", $1 }' rgb) >rgb.npy
npy '|u1' '20, 20, 4' $(awk '{ printf NR % 3 == 0 ? "%02x%02x" : "%02x", $1, NR % 251 }' rgb) >rgba.npy
for f in rgb.npy rgba.npy; do
    for axes in auto yxc; do
        expect 0 autocorr --axes $axes --numerators --no-plots --json -R 5 -o colour picture.ppm $f
        silent
        json '.frames | length == 2 and all(.[]; .width == 20 and .height == 20)'
        same colour/${f%.npy}.n2d.npy colour/picture.n2d.npy
    done
done
expect 0 autocorr --axes nyx --no-plots --json -R 1 -o pages rgb.npy
json '.frames | length == 20 and all(.[]; .width == 3 and .height == 20)'

# ---- shapes that may be the one or the other get a note ----
npy '|u1' '3, 20, 20' $(awk '{ printf "%02x", $1 }' rgb) >planes.npy
expect 0 autocorr --no-plots --json -R 1 -o planes planes.npy
one_line 'planes\.npy: 3 x 20 x 20 is read as 3 grey pages'
json '.frames | length == 3'
expect 0 autocorr --axes nyx --no-plots --json -R 1 -o planes planes.npy
silent
npy '|u1' '4, 100, 3' $(awk '{ printf "%02x", $1 }' rgb) >strip.npy
expect 0 autocorr --no-plots --json -R 1 -o strip strip.npy
one_line 'strip\.npy: 4 x 100 x 3 is read as one picture of 3 channels; .*--axes nyx reads 4 grey pages'
no_temporaries .
