# penta pca of a scene of mixed spectra: components above the noise, selections, masks, formats.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample pca -o in
expect 0 sample pca -o in2
for f in scene.img scene.hdr scene.npy exact.npy truth.json; do
    same in/$f in2/$f # the same seed
done
expect 0 sample pca --seed 2 -o in2
cmp -s in/scene.npy in2/scene.npy && fail 'the seed does not matter'

statistics() # NAME: from the JSON in out
{
    jq -c '[.bands, .valid_pixels, .mean, .eigenvalues, .percent, .loadings]' out >"$1.json"
}

# ---- three components of signal, the rest noise of standard deviation 8, rounded ----
expect 0 pca -k 3 --filter --json -o whole in/scene.npy
json '.bands == 32 and .rows == 48 and .cols == 64 and .valid_pixels == 3072 and .components == 3'
json '.eigenvalues[2] > 1000 and .eigenvalues[3] < 90'
near "$(jq '.eigenvalues[3:] | add / length' out)" 64.08 2 'mean eigenvalue of the noise'
statistics whole
jq '.loadings[0]' whole/model.json >loading.json # 17 digits: both read as the same doubles
jq -e --slurpfile model loading.json '.loadings[0] == $model[0]' out >/dev/null || fail 'loadings in model.json and in the report'
paste <(od -A n -v -w2 -t u2 -j 128 in/scene.npy) <(npy_values whole/reconstructed.npy f8) |
    awk '{ s += ($1 - $2) ^ 2 } END { printf "%.6f\n", sqrt(s / NR) }' >rms
near "$(cat rms)" 7.62 0.15 'what the filter takes away' # 8 sqrt(29/32)

# ---- the picture ----
expect 0 pca -k 2 -q -o two in/scene.npy
shows out '^32 bands'
lacks out 'results in'
for f in whole two; do
    exists $f/rgb.png
    equal "$(od -A n -t x1 -N 8 $f/rgb.png | tr -d ' ')" 89504e470d0a1a0a "start of $f/rgb.png"
    equal "$(od -A n -t x1 -j 16 -N 8 $f/rgb.png | tr -d ' ')" 0000004000000030 "size of $f/rgb.png"
done
equal "$(od -A n -t u1 -j 25 -N 1 whole/rgb.png | tr -d ' ')" 2 'colour of three components'
equal "$(od -A n -t u1 -j 25 -N 1 two/rgb.png | tr -d ' ')" 0 'colour of two components'

# ---- bands ----
expect 0 pca --bands 1-10,15 -k 3 --json -o some in/scene.npy
json '.bands == 11'
statistics some
expect 0 pca --drop-bands 11-14,16-32 -k 3 --json -o rest in/scene.npy
statistics rest
same some.json rest.json
expect 0 pca -b 1-15 --drop-bands 11-14 -k 3 --json -o both in/scene.npy
statistics both
same some.json both.json
jq -e '.selected_bands == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15] and .file_bands == 32' some/model.json >/dev/null ||
    fail 'the selection in the model'
expect 0 pca --transform some/model.json -o later in/scene.npy # takes the model's bands by itself
same some/components.npy later/components.npy
expect 0 pca --transform some/model.json --bands 1-10,15 -o later in/scene.npy
same some/components.npy later/components.npy
expect 0 pca --bands 15,1-10 -k 3 --json -o turned in/scene.npy
jq -n --slurpfile a some.json --slurpfile b <(jq -c '[.eigenvalues, .mean]' out) -e '
    ([$a[0][3], $b[0][0]] | transpose | map((.[0] - .[1]) | fabs) | max < 1e-12 * $a[0][3][0]) and
    $b[0][1] == ([$a[0][2][10]] + $a[0][2][:10])' >/dev/null || fail 'bands in another order'

# ---- a window, a mask and no-data values leave out the same pixels ----
expect 0 pca --window 0,1,64,47 -k 3 --json -o window in/scene.npy
json '.rows == 47 and .cols == 64 and .valid_pixels == 3008'
statistics window
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (48, 64), }"
    head -c 64 /dev/zero
    head -c 3008 /dev/zero | tr '\0' '\1'; } >mask.npy
expect 0 pca --mask mask.npy -k 3 --json -o masked in/scene.npy
json '.rows == 48 and .valid_pixels == 3008'
statistics masked
same window.json masked.json
npy_values masked/components.npy f8 >masked.txt
equal "$(head -64 masked.txt | sort -u)" "$(printf '%s\n' nan)" 'the row that is left out'
equal "$(grep -c nan masked.txt)" 192 'numbers that are left out'
sed -n 65,3072p masked.txt >masked.1
npy_values window/components.npy f8 | head -3008 >window.1
same masked.1 window.1
jq -e '.no_data == "nan"' masked/model.json >/dev/null || fail 'the no-data value in the model'
expect 0 pca --inverse masked/model.json --json -o back masked/components.npy # NaN counts as left out
json '.valid_pixels == 3008'
{ head -c 128 in/scene.npy # the first row of the first band is 65535
    head -c 128 /dev/zero | tr '\0' '\377'
    tail -c +257 in/scene.npy; } >gaps.npy
expect 0 pca --no-data 65535 -k 3 --json -o gaps gaps.npy
statistics gaps
same masked.json gaps.json
same masked/components.npy gaps/components.npy
expect 0 pca --no-data none -k 3 --json -o filled gaps.npy
json '.valid_pixels == 3072'
expect 0 pca --mask mask.npy --rescale 1,255 -k 3 -o ones in/scene.npy
silent
equal "$(od -A n -v -w1 -t u1 -j 128 ones/components.npy | awk '$1 == 0' | wc -l)" 192 'zeros'
expect 0 pca --inverse ones/model.json --json -o back ones/components.npy
json '.valid_pixels == 3008'
expect 0 pca --mask mask.npy --rescale 0,255 -k 3 -o zeros in/scene.npy
shows err 'components are u16, since u8 has no number outside 0..255 for pixels that are left out'
expect 0 pca --mask mask.npy --window 0,1,64,47 -k 3 --json -o part in/scene.npy
json '.valid_pixels == 3008'
expect 0 pca --mask mask.npy --window 5,0,20,10 -k 3 --json -o part in/scene.npy
json '.rows == 10 and .cols == 20 and .valid_pixels == 180'

# ---- rescaled as GRASS does: least to 0, largest to 255, ties away from 0 ----
expect 0 pca -k 3 --rescale 0,255 -o bytes in/scene.npy
paste <(npy_values whole/components.npy f8) <(od -A n -v -w1 -t u1 -j 128 bytes/components.npy) >pairs
awk '{ c = int((NR - 1) / 3072); s[NR] = $1; u[NR] = $2
    if (NR % 3072 == 1 || $1 < low[c]) low[c] = $1
    if (NR % 3072 == 1 || $1 > high[c]) high[c] = $1 }
    END { for (i = 1; i <= NR; i++) { c = int((i - 1) / 3072)
        v = 255 * (s[i] - low[c]) / (high[c] - low[c])
        d = v - u[i]; if (d < -0.5000001 || d > 0.5000001) bad++ }
        exit bad > 0 || NR != 9216 }' pairs || fail 'scores are not scaled linearly and rounded to nearest'

# ---- noise fractions ----
expect 0 pca --kind mnf --json -o mnf in/scene.npy
json '.components == 32 and .eigenvalues[0] > 100 and .eigenvalues[2] > 5'
near "$(jq '.eigenvalues[16]' out)" 1 0.3 'an eigenvalue of noise alone'
expect 0 pca --inverse mnf/model.json -o mnfback mnf/components.npy
paste <(od -A n -v -w2 -t u2 -j 128 in/scene.npy) <(npy_values mnfback/reconstructed.npy f8) |
    awk '{ d = $1 - $2; if (d > 1e-6 || d < -1e-6) bad++ } END { exit bad > 0 }' || fail 'the way back from noise fractions'

# ---- other numbers: u1, big-endian, Fortran order ----
expect 0 pca --precision single -k 3 --type f64 -o wide in/scene.npy
equal "$(head -c 128 wide/components.npy | grep -c "'<f8'")" 1 'type asked for'
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '>u2', 'fortran_order': False, 'shape': (32, 48, 64), }"
    tail -c +129 in/scene.npy | dd conv=swab 2>/dev/null; } >big.npy
expect 0 pca -k 3 -o big big.npy
same whole/components.npy big/components.npy

# ---- ENVI, and formats by GDAL ----
expect 0 pca -k 3 --json -o envi in/scene.img
statistics envi
same whole.json envi.json
same whole/components.npy envi/components.npy
if ! has_gdal in/scene.npy; then
    refuse 1 'install|built without' pca -k 3 --format gtiff -o no.d in/scene.npy
    exit 0
fi
for format in gtiff envi; do
    expect 0 pca -k 3 --filter --format $format -o as.$format in/scene.img
    case $format in
    gtiff) holds as.gtiff components.tif reconstructed.tif model.json rgb.png $(pictures scree) ;;
    envi) holds as.envi components.img components.hdr reconstructed.img{,.aux.xml} reconstructed.hdr model.json rgb.png $(pictures scree) ;;
    esac
    suffix=$([ $format = gtiff ] && echo tif || echo img)
    expect 0 pca --inverse as.$format/model.json -o from.$format as.$format/components.$suffix
    expect 0 pca --inverse whole/model.json -o from.npy whole/components.npy
    same from.$format/reconstructed.npy from.npy/reconstructed.npy
    expect 0 pca --mask mask.npy -k 3 --rescale 1,255 --format $format -o ones.$format in/scene.img
    expect 0 pca --inverse ones.$format/model.json --json -o back ones.$format/components.$suffix
    json '.valid_pixels == 3008'
done
refuse 2 'components\.tif is an input' pca --format gtiff -o as.gtiff as.gtiff/components.tif
refuse 2 'components\.hdr is an input' pca --format envi -o as.envi as.envi/components.hdr
