# penta pca on several devices leaves the files of one device, to the byte, and fails as one does. One device stands for
# several: named twice or more, it is divided where it can be, and shared where not.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

lists=(0,0 0,0,0 0,0,0,0)

# The same exit code, errors and files as on one device; ARGUMENT... but -d and -o.
alike() # NAME CODE ARGUMENT...
{
    local name=$1 wanted=$2 list

    shift 2
    expect "$wanted" pca -q "$@" -d 0 -o "$name"
    mv err "$name.err"
    for list in "${lists[@]}"; do
        expect "$wanted" pca -q "$@" -d "$list" -o "$name-$list"
        sed "s|$name-$list|$name|g" err | diff "$name.err" - >differences || fail "$name on $list: $(cat differences)"
        if [ "$wanted" -ne 0 ]; then
            absent "$name-$list"
            continue
        fi
        diff -r -x .penta-run.json "$name" "$name-$list" >differences || fail "$name on $list: $(cat differences)"
        # the manifest: the same files of the same contents
        for folder in "$name" "$name-$list"; do
            jq -S '[.runs[] | .files | map_values({bytes, crc64})]' "$folder/.penta-run.json" >"$folder.files" ||
                fail "$folder has no manifest"
        done
        diff "$name.files" "$name-$list.files" >differences || fail "$name on $list, manifest: $(cat differences)"
    done
}

# ---- cubes: 16-bit integers, and of them floats, doubles, bytes and signed integers ----
expect 0 sample pca -q --bands 9 --rows 613 --cols 401 -o u2
for made in 'f4 --type f32' 'f8 -k 3' 'u1 --rescale 0,255 -k 4' 'i2 --rescale -9000,9000 -k 4'; do
    set -- $made
    expect 0 pca -q "${@:2}" -o "$1" u2/scene.npy
done
[ "$(stat -c %s f4/components.npy)" -gt $((4 * 9 * 613 * 401)) ] || fail 'the floats are no floats'
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (613, 401), }"
    head -c 100000 /dev/zero | tr '\0' '\1' # the first 249 rows
    head -c $((613 * 401 - 100000)) /dev/zero; } >mask.npy

gdal=
has_gdal u1/components.npy && gdal=yes

# ---- the same files; floats are of eight slabs on a CPU device, which begin in the middle of rows ----
alike floats 0 f4/components.npy --filter -k 4
alike doubles 0 f8/components.npy --rescale 0,255
lists=(0,0,0)
alike bytes 0 u1/components.npy --rescale -1.5,2.5 --whiten
alike signed 0 i2/components.npy ${gdal:+--format envi} --type f32
alike unsigned 0 u2/scene.npy --kind mnf -k 5 --filter
alike envi 0 u2/scene.img --drop-bands 3 --variance 90
alike masked 0 f4/components.npy -k 2 --mask mask.npy --rescale 0,1000
alike narrow 0 f4/components.npy --window 5,600,31,2 -k 3 --rescale 0,255
alike pixels 0 f4/components.npy --window 7,8,2,1 -k 1
alike single 0 f4/components.npy --precision single --standardize -k 3
alike later 0 u2/scene.npy --transform unsigned/model.json --filter
alike clipped 0 f8/components.npy --transform doubles/model.json -k 2
alike back 0 floats/components.npy --inverse floats/model.json

# ---- the same errors, and nothing is left ----
alike lone 1 f4/components.npy --window 0,0,1,1
grep -q '2 valid pixels; there is 1' lone.err || fail "$(cat lone.err)"
alike singular 1 f4/components.npy --kind mnf --window 0,0,1,613
{ head -c 128 mask.npy; head -c $((613 * 401)) /dev/zero; } >none.npy
alike nothing 1 f4/components.npy --mask none.npy
alike nothing-again 1 f4/components.npy --mask none.npy --transform floats/model.json
alike nothing-rescaled 1 f4/components.npy --mask none.npy --transform floats/model.json --rescale 0,255
{ head -c $((128 + 4 * (2 * 613 * 401 + 300 * 401 + 17))) f4/components.npy; printf '\0\0\xc0\x7f'
    tail -c +$((129 + 4 * (2 * 613 * 401 + 300 * 401 + 18))) f4/components.npy; } >bad.npy
alike bad 1 bad.npy
grep -q 'band 3, row 300, column 17 is not finite' bad.err || fail "$(cat bad.err)"
alike bad-later 1 bad.npy --transform floats/model.json
grep -q 'band 3, row 300, column 17 is not finite' bad-later.err || fail "$(cat bad-later.err)"

# ---- who did what ----
expect 0 pca -d 0,0,0,0 --json -k 2 -o told f4/components.npy
json '[.ranks[].rank] == [0, 1, 2, 3]'
json '[.ranks[] | .host != "" and .device != "" and .seconds > 0] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
json '[.ranks[].share | . > 0.2 and . < 0.3] | all'
jq '[.mean, .loadings, .eigenvalues, .residual, .orthogonality, .valid_pixels]' out >told.json
valid
expect 0 pca -d 0 --json -k 2 -o told-1 f4/components.npy
json 'has("ranks") | not'
jq '[.mean, .loadings, .eigenvalues, .residual, .orthogonality, .valid_pixels]' out | diff told.json - >differences || fail "$(cat differences)"
PENTACL_DEVICE=0,0 expect 0 pca -k 2 -o by-environment i2/components.npy
[ "$(grep -c '^member [01]: device 0' out)" -eq 2 ] || fail "$(cat out)"

# ---- what works on one device alone says so ----
[ "$gdal" ] || exit 0
refuse 2 '--format gtiff is written by one device, and -d names 2' pca -d 0,0 --format gtiff -o none i2/components.npy
absent none
