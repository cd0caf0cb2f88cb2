# The 750 x 1500 image of the paper's size, with sums that were computed independently.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

N() # X Y
{
    sed -n "$((($2 + 250) * 501 + $1 + 251))p" values
}

hash_pixels 750 1500 | pgm 750 1500 >hash.pgm
equal "$(tail -c 1125000 hash.pgm | od -A n -v -w1 -t u1 | awk '{ s += $1 } END { printf "%.0f\n", s }')" 143532391 'sum of the pixels'

for method in auto fft tiled ntt; do
    expect 0 autocorr --preset paper -q --numerators --method $method -R 250 --no-plots -o $method hash.pgm
    npy_is $method/hash.n2d.npy '<i8' 501
    npy_values $method/hash.n2d.npy d8 >values
    equal "$(N 0 0)" 24465579385 "N(0,0) by $method"
    equal "$(N 1 0)" 18287023806 "N(1,0) by $method"
    equal "$(N 0 1)" 18299202789 "N(0,1) by $method"
    equal "$(N -1 1)" 18278285724 "N(-1,1) by $method"
    equal "$(N 88 0)" 16160488336 "N(88,0) by $method"
    equal "$(N 0 88)" 17235665689 "N(0,88) by $method"
    equal "$(N -37 88)" 16383195595 "N(-37,88) by $method"
    equal "$(N 37 -88)" 16383195595 "N(37,-88) by $method"
    equal "$(N 250 250)" 10165348609 "N(250,250) by $method"
    equal "$(awk '{ s += $1 } END { printf "%.0f\n", s }' values)" 3507966925347397 "sum of N by $method"
    same $method/hash.n2d.npy auto/hash.n2d.npy
    same $method/hash.c2d.npy auto/hash.c2d.npy

    csv=$method/hash.c1d.csv
    equal "$(column $csv count | head -13 | paste -sd ' ')" '1 8 12 16 32 28 40 40 48 68 56 72 68' "counts by $method"
    equal "$(column $csv count | sed -n 89p) $(column $csv count | sed -n 251p)" '536 1608' "counts by $method"
    near "$(column $csv c | sed -n 89p)" 0.666214222433 5e-13 "C1D(88) by $method"
    near "$(column $csv c | sed -n 251p)" 0.522965394769 5e-13 "C1D(250) by $method"
done
