# penta pca of what files say of their bands: axes, headers and TIFFs written by hand, against cubes that hold the numbers
# meant; models edited by hand; pixels that are left out or clipped.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

statistics() # NAME: from the JSON in out
{
    jq -c '[.bands, .valid_pixels, .mean, .eigenvalues, .percent, .loadings]' out >"$1.json"
}

# Elements of 2 bytes of the cube of 8 bands x 16 x 16 as text, band row col value a line.
elements()
{
    od -A n -v -w2 -t d2 -j 128 in/exact.npy | awk '{ print int((NR - 1) / 256), int((NR - 1) / 16) % 16, (NR - 1) % 16, $1 }'
}

# NPY of decimal numbers on stdin, of 4 bytes, little-endian.
integers() # SHAPE
{
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': ($1), }"
    printf '%b' "$(awk '{ v = $1 < 0 ? $1 + 4294967296 : $1
        for (k = 0; k < 4; k++) { printf "\\x%02x", v % 256; v = int(v / 256) } }')"
}

close_to() # FILTER FILE TOLERANCE WHAT: of two answers, relative to the largest
{
    jq -n --slurpfile a out --slurpfile b "$2" -e "[\$a[0], \$b[0]] | map($1 | flatten) |
        (.[1] | map(fabs) | max) as \$top | transpose | map((.[0] - .[1]) | fabs) | max <= $3 * \$top" >/dev/null ||
        fail "$4"
}

expect 0 sample pca -o in
elements >elements.txt
expect 0 pca --json -o plain in/exact.npy
cp out plain.out
statistics plain

# ---- axes ----
sort -s -n -k2,2 -k3,3 -k1,1 elements.txt | awk '{ print $4 }' | integers '16, 16, 8' >rcb.npy
sort -s -n -k3,3 -k1,1 -k2,2 elements.txt | awk '{ print $4 }' | integers '16, 8, 16' >cbr.npy
expect 0 pca -k 1 -o axes rcb.npy
shows err '16 x 16 x 8 is read as bands x rows x cols, 16 bands; .*--axes rcb'
for axes in rcb cbr; do
    expect 0 pca --axes $axes --json -o axes $axes.npy
    silent
    json '.bands == 8 and .rows == 16 and .cols == 16 and .notes == []'
    close_to .eigenvalues plain.out 1e-13 "eigenvalues of $axes"
    close_to .mean plain.out 1e-13 "means of $axes"
done
refuse 2 "'rcr' is not r, c and b" pca --axes rcr -o no.d rcb.npy
refuse 2 'any-wavelengths has no effect' pca --any-wavelengths -o no.d rcb.npy

# ---- a model, edited ----
jq '.deviation[2] = 0' plain/model.json >bad.json
refuse 1 "'deviation' has one below what" pca --transform bad.json -o no.d in/exact.npy
expect 0 pca --standardize -o standard in/exact.npy
jq '.deviation[2] = 0' standard/model.json >bad.json
refuse 1 "'deviation' has one that is not positive" pca --transform bad.json -o no.d in/exact.npy
awk '$1 == 3 { $4 = 7 } { print $4 }' elements.txt | integers '8, 16, 16' >constant.npy
expect 0 pca --json -o constant constant.npy # a band without deviation, which no component sees
json '.is_rounding == [false, false, false, false, false, false, false, true] and .rounding > 0'
expect 0 pca --transform constant/model.json -o again constant.npy
same constant/components.npy again/components.npy
expect 0 pca -o constant constant.npy
shows out '^8 .* rounding$'
shows out '1 of 8 eigenvalues are not above'

# ---- scores beyond a model's range ----
expect 0 pca --window 0,0,30,20 -k 3 --rescale 1,255 -o part in/scene.npy
expect 0 pca --transform part/model.json --json -o whole in/scene.npy
shows err 'valid pixels have scores beyond .* clipped to 1..255'
cp out whole.out
expect 0 pca --transform part/model.json --rescale none -o free in/scene.npy
silent
jq -r '.rescale | [.least, .largest] | transpose[] | @tsv' part/model.json >ranges
npy_values free/components.npy f8 >free.txt
equal "$(jq .clipped_pixels whole.out)" "$(awk 'NR == FNR { low[NR - 1] = $1; high[NR - 1] = $2; next }
    { c = int((FNR - 1) / 3072); p = (FNR - 1) % 3072; if ($1 < low[c] || $1 > high[c]) out[p] = 1 }
    END { for (p in out) n++; print n }' ranges free.txt)" 'clipped pixels'
expect 0 pca --transform part/model.json --window 0,0,30,20 --json -o none in/scene.npy
silent
json '.clipped_pixels == 0'

# ---- pixels that are left out have a number of their own ----
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 16), }"
    head -c 20 /dev/zero
    head -c 236 /dev/zero | tr '\0' '\1'; } >mask.npy
while read -r range type width none; do
    expect 0 pca --mask mask.npy --rescale=$range -o apart in/exact.npy
    jq -e ".no_data == \"$none\"" apart/model.json >/dev/null || fail "the no-data value of $range"
    equal "$(od -A n -v -w$width -t $type -j 128 apart/components.npy | awk -v n="$none" '$1 == n' | wc -l)" 160 "left out of $range"
    expect 0 pca --inverse apart/model.json --json -o back apart/components.npy
    json '.valid_pixels == 236'
done <<END
0,255 u2 2 65535
1,255 u1 1 0
0,254 u1 1 255
-32768,32767 d4 4 -2147483648
0,65535 d4 4 -2147483648
END
expect 0 pca --no-data 9999 --rescale 0,255 --json -o apart in/exact.npy # nothing is left out
silent
equal "$(head -c 128 apart/components.npy | grep -c '|u1')" 1 'bytes'

# ---- masks of other integers, coarse integers ----
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (16, 16), }"
    head -c 160 /dev/zero
    head -c 1888 /dev/zero | tr '\0' '\377'; } >mask8.npy
expect 0 pca --mask mask.npy -o masked in/exact.npy
expect 0 pca --mask mask8.npy --rescale 0,1 --json -o coarse in/exact.npy
shows err 'rescale 0,1 rounds each component to 2 integers; --type f32 keeps its fractions'
json '.valid_pixels == 236'
expect 0 pca --rescale 0,1 --type f64 -k 1 -o fine in/scene.npy
silent
npy_values fine/components.npy f8 | awk '$1 > 0.01 && $1 < 0.99 { n++ } END { exit n < 100 }' || fail 'fractions'

# ---- ENVI headers ----
tail -c +129 in/exact.npy >cube.img
header() # LINE...
{
    printf '%s\n' ENVI 'samples = 16' 'lines = 16' 'bands = 8' 'header offset = 0' 'data type = 2' 'interleave = bsq' \
        'byte order = 0' "$@" >cube.hdr
}

header 'bbl = {1, 1, 0, 1, 1, 0, 1, 1}'
expect 0 pca --json -o bbl cube.img
shows err '2 of 8 bands are left out: .*bbl.*--raw-values'
json '.bands == 6 and .bad_bands == [3, 6] and (.notes | length) == 1'
jq -e '.bad_bands == [3, 6] and .selected_bands == [1, 2, 4, 5, 7, 8] and .raw_values == false' bbl/model.json >/dev/null ||
    fail 'bad bands in the model'
statistics bbl
expect 0 pca --drop-bands 3,6 --json -o dropped in/exact.npy
statistics dropped
same bbl.json dropped.json
expect 0 pca --raw-values --json -o raw cube.img
silent
statistics raw
same raw.json plain.json
expect 0 pca --bands 3-5 --json -o named cube.img
shows err '1 of the bands that are taken are bad'
json '.bands == 3'
header 'bbl = {0, 0, 0, 0, 0, 0, 0, 0}'
refuse 1 'no band is left' pca -o no.d cube.img

# --no-data adds to the file's own value, unless it is none
own=$(awk 'NR == 5 { print $4 }' elements.txt)
typed=$(awk 'NR == 300 { print $4 }' elements.txt)
valid() # VALUE...: pixels without them in any band
{
    awk -v values=" $* " '{ p = $2 " " $3; seen[p]; if (index(values, " " $4 " ")) out[p] }
        END { for (p in seen) n += !(p in out); print n }' elements.txt
}
header "data ignore value = $own"
expect 0 pca --json -o ignored cube.img
json ".valid_pixels == $(valid "$own")"
expect 0 pca --no-data "$typed" --json -o ignored cube.img
json ".valid_pixels == $(valid "$own" "$typed")"
shows err 'pixels are not valid according to cube.img .*its own no-data value; --no-data none ignores that'
expect 0 pca --no-data "$own" --json -o ignored cube.img
silent
json ".valid_pixels == $(valid "$own")"
expect 0 pca --no-data none --json -o ignored cube.img
json '.valid_pixels == 256'

# axes of any format: the rows of this file are bands
header
expect 0 pca --axes rbc --json -o turned cube.img
json '.bands == 16 and .rows == 8 and .cols == 16'
sort -s -n -k2,2 -k1,1 -k3,3 elements.txt | awk '{ print $4 }' | integers '16, 8, 16' >turned.npy
expect 0 pca --json -o meant turned.npy
cp out meant.out
expect 0 pca --axes rbc --json -o turned cube.img
close_to .eigenvalues meant.out 1e-13 'eigenvalues of rows as bands'

# one factor: the exact statistics of the integers, scaled; by a power of two not even rounded
header 'reflectance scale factor = 4'
expect 0 pca --json -o factor cube.img
shows err 'over the reflectance scale factor.*--raw-values'
json '.reflectance_scale_factor == 4 and .gain == [1, 1, 1, 1, 1, 1, 1, 1]'
jq -n --slurpfile a out --slurpfile b plain.out -e '$a[0].eigenvalues == ($b[0].eigenvalues | map(. / 16)) and
    $a[0].mean == ($b[0].mean | map(. / 4)) and $a[0].loadings == $b[0].loadings' >/dev/null || fail 'statistics over a factor'
paste <(npy_values factor/components.npy f8) <(npy_values plain/components.npy f8) |
    awk '{ d = 4 * $1 - $2; if (d > 1e-10 || d < -1e-10) bad++ } END { exit bad > 0 }' || fail 'scores over a factor'
header 'reflectance scale factor = 10000'
expect 0 pca --json -o factor cube.img
jq -n --slurpfile a out --slurpfile b plain.out -e '$a[0].loadings == $b[0].loadings' >/dev/null || fail 'loadings over 10000'

# gains and offsets, against the numbers that they make
header 'data gain values = {3, 1, 2, -4, 5, 1, 1, 7}' 'data offset values = {10, 0, -20, 30, 5, 0, 0, 1}'
expect 0 pca --filter --json -o gains cube.img
shows err 'gain x \+ offset.*cube.img.*3 x \+ 10'
json '.gain == [3, 1, 2, -4, 5, 1, 1, 7] and .offset == [10, 0, -20, 30, 5, 0, 0, 1] and .reflectance_scale_factor == null'
awk 'BEGIN { split("3 1 2 -4 5 1 1 7", g); split("10 0 -20 30 5 0 0 1", o) } { print g[$1 + 1] * $4 + o[$1 + 1] }' \
    elements.txt >meant.txt
integers '8, 16, 16' <meant.txt >meant.npy
cp out gains.out
expect 0 pca --json -o meant meant.npy
close_to .eigenvalues gains.out 1e-13 'eigenvalues of gains'
close_to .mean gains.out 1e-13 'means of gains'
paste <(npy_values gains/reconstructed.npy f8) meant.txt |
    awk '{ d = $1 - $2; if (d > 1e-8 || d < -1e-8) bad++ } END { exit bad > 0 || NR != 2048 }' || fail 'the cube from all components'
expect 0 pca --transform gains/model.json -o again cube.img
same gains/components.npy again/components.npy
expect 0 pca --inverse gains/model.json -o back gains/components.npy
paste <(npy_values back/reconstructed.npy f8) meant.txt |
    awk '{ d = $1 - $2; if (d > 1e-8 || d < -1e-8) bad++ } END { exit bad > 0 || NR != 2048 }' || fail 'the bands of scaled components'
expect 0 pca --transform raw/model.json -o again cube.img # a model of raw values reads them
shows err 'the model is of raw values'
same raw/components.npy again/components.npy
header
expect 0 pca --transform gains/model.json -o again cube.img
shows err 'the model is of scaled numbers, and those of cube.img are unscaled'
header 'data gain values = {1, 2}'
refuse 1 'has 2 entries for 8 bands.*--raw-values' pca -o no.d cube.img

# ---- wavelengths ----
header 'wavelength = {400, 410, 420, 430, 440, 450, 460, 470}' 'wavelength units = Nanometers'
expect 0 pca --json -o waves cube.img
json '.wavelengths == [400, 410, 420, 430, 440, 450, 460, 470]'
header 'wavelength = {0.4, 0.41, 0.42001, 0.43, 0.44, 0.45, 0.46, 0.47}' 'wavelength units = Micrometers'
expect 0 pca --transform waves/model.json -o again cube.img
silent
header 'wavelength = {400, 410, 420, 435, 440, 450, 460, 470}' 'wavelength units = Nanometers'
refuse 1 'band 4 is of 430 nm, that of cube.img of 435 nm; .*--any-wavelengths' pca --transform waves/model.json -o no.d cube.img
expect 0 pca --transform waves/model.json --any-wavelengths -o again cube.img
shows err 'band 4 is of 435 nm'
same waves/components.npy again/components.npy
expect 0 pca --transform waves/model.json -o again in/exact.npy
shows err 'says no wavelengths'

# ---- keys behind spaces, bytes behind the cube, masks ----
{ cat cube.img && printf more; } >more.img
header 'wavelength = {400, 410, 420, 430, 440, 450, 460, 470}'
sed '2,$s/^/\t /;s/$/\r/' cube.hdr >more.hdr
expect 0 pca --json -o more more.img
shows err '4 bytes behind the cube are not read'
json '.wavelengths[7] == 470'
same plain/components.npy more/components.npy
printf '%s\n' ENVI 'samples = 16' 'lines = 16' 'bands = 1' 'file type = ENVI Classification' 'data type = 1' >mask.hdr
tail -c 256 mask.npy >mask.dat
expect 0 pca --mask mask.dat -o envi in/exact.npy
same masked/components.npy envi/components.npy
refuse 1 "'file type = envi classification', which is no image of numbers" pca -o no.d mask.hdr

has_gdal in/exact.npy || exit 0

# ---- alpha: RGBA of 40 x 30, of which 120 pixels are not valid, as a TIFF; the same as NPY and a mask ----
hash_pixels 40 90 >colours.txt # three bands, one after another
awk '{ print NR <= 120 ? 0 : NR % 2 ? 255 : 7 }' <(seq 1200) >alpha.txt
pixels() # FILE: of decimal bytes
{
    printf '%b' "$(awk '{ printf "\\x%02x", $1 }' "$1")"
}
{ bytes 49492a00 08000000 0b00
    bytes 00010300 01000000 28000000 01010300 01000000 1e000000 02010300 04000000 92000000 03010300 01000000 01000000
    bytes 06010300 01000000 02000000 11010400 01000000 9a000000 15010300 01000000 04000000 16010300 01000000 1e000000
    bytes 17010400 01000000 c0120000 1c010300 01000000 01000000 52010300 01000000 02000000 00000000
    bytes 08000800 08000800
    paste -d '\n' <(sed -n 1,1200p colours.txt) <(sed -n 1201,2400p colours.txt) <(sed -n 2401,3600p colours.txt) alpha.txt >mixed.txt
    pixels mixed.txt; } >rgba.tif
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 30, 40), }"
    pixels colours.txt; } >rgb.npy
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (30, 40), }"
    pixels alpha.txt; } >alpha.npy
expect 0 pca --json -o alpha rgba.tif
shows err 'band 4 of rgba.tif is an alpha band'
shows err '120 of 1200 pixels are not valid'
json '.bands == 3 and .valid_pixels == 1080 and (.notes | length) == 2'
statistics alpha
cp alpha/components.npy alpha.components.npy
expect 0 pca --mask alpha.npy --json -o masked rgb.npy
statistics masked
same alpha.json masked.json
same alpha.components.npy masked/components.npy
expect 0 pca --transform alpha/model.json --json -o again rgba.tif
json '.valid_pixels == 1080'
same alpha.components.npy again/components.npy
expect 0 pca --transform masked/model.json --json -o again rgba.tif # three of three bands, and alpha beside
json '.valid_pixels == 1080'
same alpha.components.npy again/components.npy
expect 0 pca --bands 1-4 --json -o four rgba.tif
shows err 'is an alpha band, and is taken as data'
json '.bands == 4 and .valid_pixels == 1200'

# ---- components of four bytes a pixel are no colours with alpha ----
expect 0 pca -k 4 --rescale 0,255 --format gtiff -o four in/scene.npy
expect 0 pca --json -o again four/components.tif
json '.bands == 4 and .valid_pixels == 3072'
