# penta autocorr --fp64 never: no double precision on the device, and the same bytes where results are exact. The word double
# does not compile there, so each run also shows that no kernel has it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 75 50 | pgm 75 50 >a.pgm
hash_pixels 75 50 40 0 | pgm 75 50 >b.pgm
hash_pixels 75 50 7 9 | awk '{ print ($1 > 60) * 255 }' | pgm 75 50 >mask.pgm
hash_pixels 75 50 >pixels
awk '{ print (257 * $1 + 13 * NR) % 65536 }' pixels >deep.pixels
{ printf 'P5 75 50 65535\n' && bytes $(awk '{ printf "%04x", $1 }' deep.pixels); } >deep.pgm

same_run() # NAME FLAG...
{
    local name=$1 file

    shift
    expect 0 autocorr --numerators --no-plots -R 12 -o "$name.with" "$@"
    expect 0 autocorr --numerators --no-plots -R 12 --fp64 never -o "$name.without" "$@"
    for file in "$name.with"/*; do
        case $file in *.npy | *.csv) same "$file" "$name.without/${file##*/}" ;; esac
    done
    [ -f "$name.without/series.csv" ] || fail "$name: no series.csv"
}

same_run plain a.pgm b.pgm
same_run deep deep.pgm
same_run paper --preset paper a.pgm
for image in a deep; do
    same_run $image.pearson --estimator pearson $image.pgm
    same_run $image.masked --estimator pearson --mask mask.pgm $image.pgm
done
same_run pair --with b.pgm a.pgm
same_run masked_pair --with b.pgm --mask mask.pgm --estimator pearson a.pgm
for method in naive lines tiled ntt; do
    same_run "by_$method" --method $method deep.pgm
done

# ---- from the environment; what was chosen ----
expect 0 autocorr --no-plots -R 12 --json -o flag --fp64 never a.pgm
method=$(jq -r '.frames[0].method' out)
case $method in tiled | ntt) ;; *) fail "without double precision the method is $method" ;; esac
PENTACL_FP64=never run autocorr --no-plots -R 12 --json -o environment a.pgm
equal "$code $(jq -r '.frames[0].method' out)" "0 $method" 'PENTACL_FP64=never'
same flag/a.c2d.npy environment/a.c2d.npy

# ---- floating images: single precision, or a refusal that names it ----
npy '<f4' '50, 75' $(awk '{ print "0000" ($1 % 2 ? "803f" : "0040") }' pixels) >real.npy
refuse 1 'no double precision; use --precision single' autocorr --fp64 never -R 12 -o real real.npy
expect 0 autocorr --fp64 never --precision single --no-plots -R 12 -o single real.npy
expect 0 autocorr --no-plots -R 12 -o double real.npy
near "$(tail -1 single/real.c1d.csv | cut -d, -f4)" "$(tail -1 double/real.c1d.csv | cut -d, -f4)" 1e-5 'C1D(12) in single precision'
refuse 1 'double precision' autocorr --fp64 never --method fft -R 12 -o fft a.pgm
refuse 2 '--method ntt is for unsigned 8- and 16-bit images' autocorr --method ntt -R 12 -o ntt real.npy
refuse 2 'never' autocorr --fp64 sometimes -R 12 -o flag a.pgm
