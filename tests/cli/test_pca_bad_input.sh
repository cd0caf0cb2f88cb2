# penta pca with inputs that are wrong and places that are full: one line, exit code 1, nothing is left behind.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    rm -rf no.d
    refuse 1 "$pattern" pca -o no.d "$@"
    absent no.d
}

expect 0 sample pca -q -o in
expect 0 pca -k 3 -o model in/scene.npy

# ---- files that name others: GDAL's drivers for them must be named ----
if "$PENTA" version --json | grep -q '"libgdal-dev"'; then
    note 'this build has no GDAL; its drivers are left out'
else
    printf 'root' >secret
    printf '<VRTDataset rasterXSize="2" rasterYSize="2"><VRTRasterBand dataType="Byte" band="1" %s>%s%s</VRTRasterBand></VRTDataset>' \
        'subClass="VRTRawRasterBand"' '<SourceFilename relativetoVRT="1">secret</SourceFilename>' \
        '<PixelOffset>1</PixelOffset><LineOffset>2</LineOffset>' >leak.vrt
    refuses 'leak\.vrt: unknown format.* with --gdal-drivers perhaps as VRT, whose files can lead to other files' leak.vrt
    refuses "GDAL has no driver 'Nope' for images here; --gdal-drivers takes names" --gdal-drivers Nope leak.vrt
fi

# ---- files ----
refuses 'nothere\.npy: ' nothere.npy
refuses 'in: ' in
: >empty.npy
refuses 'empty\.npy: ' empty.npy
echo text >text.npy
refuses 'text\.npy: ' text.npy
for bytes in 5 100 128 129 100000; do
    head -c $bytes in/scene.npy >cut.npy
    refuses 'cut\.npy: ' cut.npy
done
npy '<c16' '2, 1, 2' "$(printf '%0128d' 0)" >complex.npy
refuses 'complex\.npy: .*complex' complex.npy
npy '<i8' '1, 2, 1' 01000000000020000200000000000000 >long.npy
refuses 'long\.npy: holds 9007199254740993, and integers of 64 bits are read up to 2\^53 only' long.npy
npy '|u1' '2, 2' 01020304 >flat.npy
refuses 'flat\.npy: ' flat.npy
npy '|u1' '2, 0, 2' >none.npy
refuses 'none\.npy: ' none.npy
npy '|u1' '5000, 1, 2' >many.npy && truncate -s $((128 + 10000)) many.npy
refuses '4096|5000' many.npy

# ---- numbers ----
npy '<f8' '1, 2, 1' 9a99999999999919 3333333333333319 >tiny.npy
refuses 'the numbers of band 1 are too small: their squares underflow; multiply all by a power of ten' tiny.npy
npy '<f4' '2, 1, 3' 0000803f 0000c07f 00004040 00008040 0000a040 0000c040 >nan.npy
refuses 'finite|nan' nan.npy
npy '<f4' '2, 1, 3' 0000803f 0000807f 00004040 00008040 0000a040 0000c040 >inf.npy
refuses 'finite|inf' inf.npy
expect 0 pca --no-data nan -k 1 --json -o two nan.npy
json '.valid_pixels == 2'
npy '|u1' '2, 1, 1' 0102 >one.npy
refuses 'pixel' one.npy
npy '|u1' '2, 1, 3' 010203 040404 >constant.npy
refuses 'constant' --standardize constant.npy
expect 0 pca --json -o constant constant.npy # without it a constant band is one more of no variance
json '.eigenvalues == [1, 0]'
refuses 'pixel' --ddof 3 constant.npy
npy '|u1' '2, 1, 3' 070707 040404 >still.npy
expect 0 pca --json -o still still.npy # nothing varies, which is an answer
json '.eigenvalues == [0, 0] and .percent[0] <= 100'
refuses 'noise' --kind mnf still.npy
refuses 'pixel' --no-data 7 still.npy


# ---- no-data values that no element can have ----
never() # VALUE FILE
{
    expect 0 pca --no-data "$1" --json -o never "$2"
    one_line "penta pca: warning: --no-data $1 leaves no pixel out: no number of type [uif0-9]+ is that\$"
    expect 0 pca --no-data "$1" -q -o never "$2" # a warning, not a note
    one_line "penta pca: warning: --no-data $1 leaves no pixel out"
}
npy '|u1' '2, 1, 3' 010203 ff0402 >bytes.npy
npy '<f4' '2, 1, 3' 0000803f 00004040 00000040 00008040 0000a040 0000c040 >floats.npy
for value in 256 -1 1.5 nan; do
    never $value bytes.npy
done
never 70000 in/scene.npy
never 1e39 floats.npy
for value in 255 7 none; do
    expect 0 pca --no-data $value --json -o never bytes.npy
    silent
done
for value in nan 0.1 -3.4e38; do
    expect 0 pca --no-data $value --json -o never floats.npy
    silent
done

# ---- a model that no file can hold ----
npy '<f8' '2, 1, 3' "$(printf '%016d' 0)" 000000000000f03f 000000000000f0bf 000000000000e03f \
    000000000000f03f 000000000000e0bf >small.npy
npy '<f8' '2, 1, 3' "$(printf '%016d' 0)" a0c8eb85f3cce17f a0c8eb85f3cce1ff "$(printf '%016d' 0)" \
    "$(printf '%016d' 0)" "$(printf '%016d' 0)" >huge.npy # 1e308
expect 0 pca -o small small.npy
refuses 'model\.json: cannot be written, as the range of the components is not finite' \
    --transform small/model.json --rescale 0,255 --precision single huge.npy

# ---- masks ----
zeros() # ROWS COLS: a mask of them
{
    npy '|u1' "$1, $2" "$(printf "%0$((2 * $1 * $2))d" 0)"
}
zeros 48 64 >mask.npy
refuses 'pixel' --mask mask.npy in/scene.npy
refuses 'no pixel is valid' --mask mask.npy --transform model/model.json in/scene.npy
refuses 'no pixel is valid|none of 3072 pixels is valid' --mask mask.npy --transform model/model.json --rescale 1,255 in/scene.npy
zeros 64 48 >turned.npy
refuses 'turned\.npy: is a mask of 48 x 64 pixels; the cube has 64 x 48' --mask turned.npy in/scene.npy
refuses 'scene\.npy: has 32 pages' --mask in/scene.npy in/scene.npy
refuses 'nomask\.png: ' --mask nomask.png in/scene.npy

# ---- models ----
refuses 'nomodel\.json: ' --transform nomodel.json in/scene.npy
refuses 'scene\.npy: is no JSON' --transform in/scene.npy in/scene.npy
refuses 'truth\.json: is no model' --transform in/truth.json in/scene.npy
damage() # PATTERN JQ-FILTER
{
    jq "$2" model/model.json >damaged.json || fail "jq $2"
    refuses "damaged\\.json: $1" --transform damaged.json in/scene.npy
    refuses "damaged\\.json: $1" --inverse damaged.json model/components.npy
}
damage 'is a model of version 2' '.version = 2'
damage "is damaged: 'mean' is missing" 'del(.mean)'
damage "is damaged: 'mean' has another number" '.mean |= .[1:]'
damage "is damaged: 'mean' holds something" '.mean[3] = null'
damage "is damaged: 'loadings' has another number of rows" '.loadings |= .[1:]'
damage "is damaged: 'forward' has another number" '.forward[1] |= .[1:]'
damage "is damaged: 'inverse' holds something" '.inverse[1][2] = "1"'
damage "is damaged: 'file_bands' is out of range" '.bands = 33'
damage "is damaged: 'bands' is out of range" '.bands = 100000000'
damage "is damaged: 'bands' is no integer" '.bands = "32"'
damage "is damaged: 'components' is out of range" '.components = 33'
damage "is damaged: 'components' is out of range" '.components = 0'
damage "is damaged: 'kind'" '.kind = "ica"'
damage "is damaged: 'selected_bands'" '.selected_bands[0] = 0'
damage "is damaged: 'low' is missing" '.rescale = {}'
damage "is damaged: 'rescale' has no range" '.rescale = {low: 1, high: 1, least: [0, 0, 0], largest: [1, 1, 1]}'
range='{low: 1, high: 2, least: [0, 0, 0], largest: [1, 1, 1]}'
damage "is damaged: 'rescale' has a component without a range" ".rescale = $range | .rescale.least[1] = 2"
damage "is damaged: 'least' has another number" ".rescale = $range | .rescale.least = [0]"
damage "is damaged: 'largest' holds something" ".rescale = $range | .rescale.largest[2] = null"
damage "is damaged: 'selected_bands' names a band twice" '.selected_bands[0] = 2'
damage "is damaged: 'no_data' is no number" '.no_data = "none"'
damage "is damaged: 'no_data' is no short text" '.no_data = 4'
damage "is damaged: 'precision' is neither" '.precision = "half"'
damage "is damaged: 'standardize' is neither true nor false" '.standardize = 1'
damage "is damaged: 'forward' does not follow from loadings, standardize and whiten" '.standardize = true'
damage "is damaged: 'forward' does not follow" '.whiten = true'
damage "is damaged: 'forward' does not follow" '.forward[2][31] *= 1.0001'
damage "is damaged: 'forward' does not follow" '.loadings |= [.[1], .[0], .[2]]'
damage "is damaged: 'inverse' does not follow" '.inverse[31][2] *= 1.0001'
damage "is damaged: 'inverse' does not take back" \
    '.loadings[1] = .loadings[0] | .forward[1] = .forward[0] | .inverse |= map([.[0], .[0], .[2]])'
damage "is damaged: 'eigenvalues' does not go down" '.eigenvalues |= reverse'
damage "is damaged: 'eigenvalues' has one that is not positive" '.whiten = true | .eigenvalues |= map(-1)'
damage "is damaged: 'deviation' is negative" '.deviation[4] *= -1'
damage "is damaged: 'deviation' has one that is not positive" '.standardize = true | .deviation[4] = 0'
damage "is damaged: 'deviation' has one below what the components explain" '.deviation[4] = 0'
damage "is damaged: 'wavelengths' has another number" '.wavelengths = [500]'
damage "is damaged: 'wavelengths' has one that is not positive" '.wavelengths = .mean | .wavelengths[0] = -1'
damage "is damaged: 'gain' is there without 'offset'" '.gain = .deviation'
damage "is damaged: 'gain' has one that is 0" '.gain = .deviation | .offset = .mean | .gain[1] = 0'
damage "is damaged: 'reflectance_scale_factor' is no number" '.reflectance_scale_factor = "1"'
damage "is damaged: 'raw_values' is neither true nor false" '.raw_values = 1'
damage "is damaged: 'bad_bands' names a band" '.bad_bands = [0]'
damage "is damaged: 'residuals' has another number" '.residuals = [0]'
expect 0 pca --kind mnf -k 3 -o fractions in/scene.npy
jq '.inverse[5][1] *= 1.5' fractions/model.json >damaged.json
refuses "damaged\\.json: is damaged: 'inverse' does not take back what forward does" --transform damaged.json in/scene.npy
sed 's/"ddof": 1,/"ddof": 1, "ddof": 2,/' model/model.json >damaged.json
refuses 'damaged\.json: is no JSON .line [0-9]+: duplicate' --transform damaged.json in/scene.npy
sed 's/"bands": 32,/"bands": 99999999999999999999,/' model/model.json >damaged.json
refuses 'damaged\.json: is no JSON .line [0-9]+: too big integer' --transform damaged.json in/scene.npy
jq '.orthogonality = null | .residual = null' model/model.json >fine.json # what was not finite
expect 0 pca --json --transform fine.json -o fine in/scene.npy
json '.orthogonality == null and .residual == null'
equal "$(jq -c '[.orthogonality, .residual]' fine/model.json)" '[null,null]' 'what the model says'
for bytes in 1 300 5000; do
    head -c $bytes model/model.json >damaged.json
    refuses 'damaged\.json: is no JSON' --transform damaged.json in/scene.npy
done
refuses 'model/model\.json: is for 32 bands .*in/exact\.npy has 8' --transform model/model.json in/exact.npy
refuses 'model/model\.json: is for 32 bands; 31 are selected' --transform model/model.json --drop-bands 3 in/scene.npy
refuses 'model/model\.json: is for 3 components; in/exact\.npy has 8' --inverse model/model.json in/exact.npy

# ---- places that cannot be written to ----
echo text >file
refuse 1 'file' pca -o file in/exact.npy
refuse 1 'file' pca -o file/below in/exact.npy
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 500 locked
    refuse 1 'locked' pca -o locked in/exact.npy
fi
if [ -w /dev/full ]; then
    for name in model.json rgb.png; do
        rm -rf full
        mkdir full
        ln -s /dev/full full/$name
        refuse 1 "full/$name: cannot be written: No space left" pca -f -o full in/scene.npy
        equal "$(ls -A full)" "$name" 'what is left'
    done
else
    note 'there is no /dev/full; full disks are left out'
fi
if unshare -rm true 2>/dev/null; then
    cat >small.sh <<'END'
mkdir -p small
mount -t tmpfs -o size=300k tmpfs small || exit 77
"$PENTA" pca -o small in/scene.npy
code=$?
ls -A small >left
exit $code
END
    last=('pca on a disk of 300 kB')
    code=0
    unshare -rm bash small.sh >out 2>err || code=$?
    if [ $code -ne 77 ]; then
        equal $code 1 'exit code'
        one_line 'cannot be written: No space left'
        [ ! -s left ] || fail "something is left: $(cat left)"
    else
        note 'no tmpfs can be mounted; a small disk is left out'
    fi
else
    note 'there is no unshare; a small disk is left out'
fi
