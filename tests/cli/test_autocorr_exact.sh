# penta autocorr --numerators: exact integers by every method, FFT library and kind of input, against sums taken here.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

check() # N2D WANTED: the integers of an NPY file against a list
{
    npy_values "$1" d8 >got
    same got "$2"
}

hash_pixels 75 150 >pixels
pgm 75 150 <pixels >image.pgm
numerators pixels 75 10 >wanted
equal "$(sed -n 221p wanted)" "$(awk '{ s += $1 * $1 } END { printf "%.0f\n", s }' pixels)" 'N(0,0) of the test itself'

# ---- every method and FFT library ----
for method in auto naive lines tiled fft ntt; do
    expect 0 autocorr --numerators --method $method -R 10 --no-plots --json -o $method image.pgm
    check $method/image.n2d.npy wanted
    [ $method = auto ] || json ".frames[0].method == \"$method\""
    same $method/image.n2d.npy auto/image.n2d.npy
    near "$(tail -1 $method/image.c1d.csv | cut -d, -f4)" "$(tail -1 auto/image.c1d.csv | cut -d, -f4)" 1e-14 "C1D(10) by $method"
done
type=$(jq -r .device.type out)
libraries='clfft vkfft simd'
[ "$type" = cpu ] || libraries='clfft vkfft'
for fft in $libraries; do
    expect 0 autocorr --numerators --method fft --fft $fft -R 10 --no-plots --json -o $fft image.pgm
    json ".frames[0].method == \"fft\" and .frames[0].fft == \"$fft\""
    same $fft/image.n2d.npy auto/image.n2d.npy
done
[ "$type" = cpu ] || refuse 1 'simd' autocorr --method fft --fft simd -R 10 -o simd image.pgm

# ---- an FFT that gives no number does not pass for exact ----
cp -r "$(dirname "${BASH_SOURCE[0]}")/../../cl" .
sed -i 's/v\[k\] = scale \* line\[2 \* at + 1 - bank\];/v[k] = x + k == 3 ? (REALS)(NAN) : scale * line[2 * at + 1 - bank];/' cl/autocorr/spectral_cpu.cl
sed -i 's/^    real_t whole = rint(v);/    v = get_global_id(0) == 3 ? NAN : v;\n&/' cl/autocorr/spectral.cl
equal "$(cat cl/autocorr/spectral*.cl | grep -c ' = .* == 3 ? .*NAN')" 2 'places that are changed'
for fft in ${libraries#clfft }; do
    PENTACL_KERNEL_DIR=$PWD/cl PENTACL_SELFTEST=never refuse 1 'its results cannot be trusted here' \
        autocorr --numerators --method fft --fft $fft -R 10 --no-plots -o "wrong-$fft" image.pgm
done

# ---- by the paper's equation c2d is N / N(0,0) to the last bit ----
expect 0 autocorr --preset paper -q -R 10 --no-plots -o paper image.pgm
awk 'NR == FNR { n[NR] = $1; next } { d = $1 - n[FNR] / n[221]; if (d > 2e-16 || d < -2e-16) bad = 1 } END { exit bad }' \
    wanted <(npy_values paper/image.c2d.npy f8) || fail "c2d is not N / N(0,0)"

# ---- the same pixels as text PGM, NPY and 16-bit PGM; then 16 bits in use ----
{ printf 'P2\n# a comment\n75 150\n255\n' && cat pixels; } >text.pgm
npy '|u1' '150, 75' $(awk '{ printf "%02x", $1 }' pixels) >array.npy
{ printf 'P5 75 150 65535\n' && bytes $(awk '{ printf "%04x", $1 }' pixels); } >wide.pgm
for name in text.pgm array.npy wide.pgm; do
    expect 0 autocorr --numerators -R 10 --no-plots -o formats $name
    same formats/${name%.*}.n2d.npy auto/image.n2d.npy
done
awk '{ print (257 * $1 + 13 * NR) % 65536 }' pixels >deep.pixels
{ printf 'P5 75 150 65535\n' && bytes $(awk '{ printf "%04x", $1 }' deep.pixels); } >deep.pgm
numerators deep.pixels 75 6 >deep.wanted
for method in auto naive lines tiled fft ntt; do
    expect 0 autocorr --numerators --method $method -R 6 --no-plots -o deep.$method deep.pgm
    check deep.$method/deep.n2d.npy deep.wanted
done

# ---- R from 1 to one less than the smaller side ----
expect 0 autocorr --numerators -R 1 --no-plots -o r1 image.pgm
numerators pixels 75 1 >r1.wanted
check r1/image.n2d.npy r1.wanted
npy_is r1/image.n2d.npy '<i8' 3
head -900 pixels >small.pixels
pgm 75 12 <small.pixels >small.pgm
numerators small.pixels 75 11 >r11.wanted
for method in naive lines tiled fft; do
    expect 0 autocorr --numerators --method $method -R 11 --no-plots -o r11.$method small.pgm
    check r11.$method/small.n2d.npy r11.wanted
done

# ---- --with: J(x,y) = I(x-5,y-3) peaks at (5,3), and an image with itself is its autocorrelation ----
hash_pixels 40 30 10 10 >i.pixels
hash_pixels 40 30 5 7 >j.pixels
pgm 40 30 <i.pixels >i.pgm
pgm 40 30 <j.pixels >j.pgm
numerators i.pixels 40 7 j.pixels >cross.wanted
for method in naive lines tiled fft; do
    expect 0 autocorr --numerators --method $method --with j.pgm -R 7 --no-plots -o cross.$method i.pgm
    check cross.$method/i.n2d.npy cross.wanted
done
equal "$(awk '$1 > m { m = $1; at = NR - 1 } END { print at % 15 - 7, int(at / 15) - 7 }' got)" '5 3' 'place of the maximum'
expect 0 autocorr --numerators -R 10 --with image.pgm --no-plots -o self image.pgm
check self/image.n2d.npy wanted

# ---- --mask: an excluded pixel counts as 0; excluding none changes nothing ----
awk '{ print NR % 7 ? 255 : 0 }' pixels | pgm 75 150 >mask.pgm
awk '{ print NR % 7 ? $1 : 0 }' pixels >masked.pixels
awk '{ print 1 }' pixels | pgm 75 150 >ones.pgm
numerators masked.pixels 75 10 >masked.wanted
for method in naive lines tiled fft; do
    expect 0 autocorr --numerators --method $method --mask mask.pgm -R 10 --no-plots -o masked.$method image.pgm
    check masked.$method/image.n2d.npy masked.wanted
done
expect 0 autocorr --numerators --mask ones.pgm -R 10 --no-plots -o unmasked image.pgm
check unmasked/image.n2d.npy wanted
same unmasked/image.c2d.npy auto/image.c2d.npy

# ---- a constant image: unbiased 1 everywhere, eq. 1 the triangle of the overlap ----
awk 'BEGIN { for (i = 0; i < 600; i++) print 77 }' | pgm 30 20 >flat.pgm
expect 0 autocorr -R 8 --demean none --no-plots --json -o flat flat.pgm
json '.frames[0].status == "flat" and .frames[0].r_max == null and .frames[0].r_max_se == null'
npy_values flat/flat.c2d.npy f8 | awk '($1 - 1) ^ 2 > 1e-28 { bad = 1 } END { exit bad || NR != 289 }' ||
    fail "unbiased C2D of a constant image is not 1"
expect 0 autocorr -R 8 --preset paper --no-plots -o flat flat.pgm
npy_values flat/flat.c2d.npy f8 | awk '
    function abs(v) { return v < 0 ? -v : v }
    { X = (NR - 1) % 17 - 8; Y = int((NR - 1) / 17) - 8; d = $1 - (1 - abs(X) / 30) * (1 - abs(Y) / 20) }
    d > 1e-15 || d < -1e-15 { bad = 1 }
    END { exit bad }' || fail "eq. 1 of a constant image is not the triangle"

# ---- what has no exact integers says so ----
npy '<f4' '3, 3' 0000803f 00000040 00004040 0000803f 00000040 00004040 0000803f 00000040 00004040 >float.npy
refuse 1 'float\.npy.*f32' autocorr --numerators -R 2 -o none float.npy
refuse 2 'numerators.*plane' autocorr --numerators --demean plane -R 2 -o none image.pgm
refuse 2 'numerators.*single' autocorr --numerators --precision single -R 2 -o none image.pgm
expect 0 autocorr -R 2 --no-plots -o none float.npy
npy_is none/float.c2d.npy '<f8' 5
