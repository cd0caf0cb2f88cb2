# penta pca of a scene that is read in pieces, and of MATLAB's arrays.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ---- 43 MB are two pieces of rows at least; integers make statistics that are the same bits whatever the pieces ----
expect 0 sample pca --bands 40 --rows 700 --cols 768 -q -o in
expect 0 pca -k 2 --filter --json -o whole in/scene.npy
json '.valid_pixels == 537600 and .components == 2'
jq -c '.mean[:8]' out >whole.json
expect 0 pca --bands 1-8 -k 2 --json -o some in/scene.npy # one piece
jq -c '.mean' out >some.json
same whole.json some.json
jq -c '.[]' whole.json >means
od -A n -v -w2 -t u2 -j 128 -N $((16 * 537600)) in/scene.npy |
    awk '{ s += $1 } NR % 537600 == 0 { printf "%.17g\n", s / 537600; s = 0 }' >sums
same sums <(awk '{ printf "%.17g\n", $1 }' means)
expect 0 pca --inverse whole/model.json -o back whole/components.npy
cmp -s <(tail -c +129 whole/reconstructed.npy | od -A n -v -t f8 -w8 | awk '{ printf "%.6f\n", $1 }' | head -100000) \
    <(tail -c +129 back/reconstructed.npy | od -A n -v -t f8 -w8 | awk '{ printf "%.6f\n", $1 }' | head -100000) ||
    fail 'the filtered cube and the inverse of its components differ'
expect 0 pca --window 0,600,768,100 --transform whole/model.json --filter -o last in/scene.npy # rows of the last piece
for f in components reconstructed; do
    cmp -s <(tail -c $((8 * 76800)) whole/$f.npy) <(tail -c $((8 * 76800)) last/$f.npy) || fail "rows of the last piece of $f differ"
done
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (700, 768), }"
    head -c 460800 /dev/zero | tr '\0' '\1' # the first 600 rows
    head -c 76800 /dev/zero; } >mask.npy
expect 0 pca --mask mask.npy -k 1 --json -o masked in/scene.npy
json '.valid_pixels == 460800'
jq -c '.mean' out >masked.json
expect 0 pca --window 0,0,768,600 -k 1 --json -o upper in/scene.npy
jq -c '.mean' out >upper.json
same masked.json upper.json
cmp -s <(tail -c +129 upper/components.npy) <(tail -c +129 masked/components.npy | head -c $((8 * 460800))) ||
    fail 'the masked scene and its upper rows differ'
equal "$(tail -c $((8 * 76800)) masked/components.npy | od -A n -v -w8 -t f8 | awk '{ print $1 }' | sort -u)" nan 'masked rows'
expect 0 pca -k 2 --rescale 0,255 -o bytes in/scene.npy
equal "$(od -A n -v -w1 -t u1 -j 128 bytes/components.npy | awk '{ c = int((NR - 1) / 537600) } $1 == 0 { low[c] = 1 }
    $1 == 255 { high[c] = 1 } END { print low[0] high[0] low[1] high[1] }')" 1111 'ranges of scaled components'

# ---- MATLAB 5: bands x pixels, pixels down the columns ----
array() # NAME ROWS COLS BYTE...: a double matrix whose numbers are stored in 12 bytes
{
    local letter=$1 rows=$2 cols=$3

    shift 3
    bytes 0e000000 48000000 06000000 08000000 06000000 00000000 05000000 08000000 $rows $cols \
        01000000 01000000 $letter 00000000000000 02000000 0c000000 "$@" 00000000
}

head_of() # the first 128 bytes of a file
{
    printf '%-116s' 'MATLAB 5.0 MAT-file'
    bytes 0000000000000000 0001 494d
}

{ head_of; array 59 02000000 06000000 0000 0101 0400 0901 1000 1901; } >y.mat # squares, and 0 1 0 1 0 1
run pca --shape 2x3 --json -o mat y.mat
if [ $code -ne 0 ]; then
    one_line 'install|built without'
    note 'this build reads no MATLAB files; they are left out'
    exit 0
fi
json '.bands == 2 and .rows == 2 and .cols == 3 and .mean[0] == 55 / 6 and .mean[1] == 0.5'
expect 0 pca --shape 2x3 --window 0,0,3,1 --json -o mat y.mat # the upper row: 0 4 16
json '.mean == [20 / 3, 0]'
expect 0 pca --shape 2x3 --window 1,0,1,2 --json -o mat y.mat # the middle column: 4 9
json '.mean == [6.5, 0.5]'
{ head_of
    array 59 02000000 06000000 0000 0101 0400 0901 1000 1901
    array 5a 03000000 04000000 000000 010203 040506 070809; } >two.mat
expect 0 pca --shape 2x3 --json -o mat two.mat # only Y has 6 pixels
json '.bands == 2'
expect 0 pca --variable Z --shape 2x2 --json -o mat two.mat
json '.bands == 3 and .mean == [3, 3.75, 4.5]'
refuse 1 'two\.mat: .*X' pca --variable X --shape 2x3 -o no.d two.mat
refuse 1 'y\.mat: ' pca --shape 2x4 -o no.d y.mat
