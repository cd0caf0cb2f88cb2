# penta sample autocorr --kind spinodal: its files, its flags, and that a seed decides all of it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

small=(--kind spinodal --width 40 --height 30)
expect 0 sample autocorr "${small[@]}" --times 10,20.5,40 --npy -s 7 -o a
silent
shows out '^3 frames of 40 x 30 and times.csv in a; '
holds a frame-0000.npy frame-0000.png frame-0001.npy frame-0001.png frame-0002.npy frame-0002.png times.csv
equal "$(head -1 a/times.csv)" file,time,wave_number,length,mean,sd,energy 'header of times.csv'
equal "$(column a/times.csv time | paste -sd ' ')" '10 20.5 40' 'times'
equal "$(od -A n -t x1 -j 16 -N 10 a/frame-0000.png | tr -d ' ')" 000000280000001e0800 'width, height, depth and type'
equal "$(head -c 128 a/frame-0002.npy | tail -c 118 | sed 's/ *$//')" \
    "{'descr': '<f8', 'fortran_order': False, 'shape': (30, 40), }" 'header of frame-0002.npy'
# The mean is that of the field, the energy falls, and length is 2 pi / wave_number.
npy_values a/frame-0002.npy f8 | awk '{ s += $1; q += $1 * $1; n++ } END { m = s / n; printf "%.17g %.17g\n", m, sqrt(q / n - m * m) }' >moments
near "$(cut -d' ' -f1 moments)" 0 1e-15 'mean'
near "$(cut -d' ' -f2 moments)" "$(column a/times.csv sd | tail -1)" 1e-9 'sd'
awk -F, 'NR > 1 { if ($7 >= e && NR > 2) exit 1; e = $7; d = $3 * $4 - 6.283185307179586; if (d * d > 1e-12) exit 1 }' \
    a/times.csv || fail 'the energy rises, or a length is not 2 pi / wave_number'

expect 0 sample autocorr "${small[@]}" --times 10,20.5,40 -s 7 -q -o b
[ ! -s out ] || fail 'stdout is not empty'
holds b frame-0000.png frame-0001.png frame-0002.png times.csv
for f in frame-0002.png times.csv; do
    same a/$f b/$f
done
expect 0 sample autocorr "${small[@]}" --times 40 -s 8 -q -o c
cmp -s a/frame-0002.png c/frame-0000.png && fail 'seed 8 gives the frame of seed 7'
expect 0 sample autocorr "${small[@]}" --first 5 --last 20 -n 3 --composition 0.3 --depth u16 -q -o d
equal "$(column d/times.csv time | paste -sd ' ')" '5 10 20' 'times in equal ratios'
equal "$(column d/times.csv mean | sort -u)" 0.3 'mean'
equal "$(head -c 25 d/frame-0000.png | tail -c 1 | od -A n -t u1 | tr -d ' ')" 16 'bits of a PNG'

# penta autocorr reads the times.
expect 0 autocorr --times a/times.csv -R 12 -q -o out.d a/frame-000?.png
equal "$(column out.d/series.csv time | paste -sd ' ')" '10 20.5 40' 'times of the series'

refuse 2 'has no effect: it belongs to --kind spinodal' sample autocorr -o e --composition 0.1
refuse 2 'has no effect: it belongs to --kind rings' sample autocorr --kind spinodal -o e --speed 1
refuse 2 'has no effect: --times says' sample autocorr "${small[@]}" -o e --times 1,2 -n 2
refuse 2 'step' sample autocorr "${small[@]}" -o e --step 2
refuse 2 'names 2 devices' sample autocorr "${small[@]}" -o e -d 0,0
absent e
refuse 2 'kind' sample autocorr --kind squares -o e
absent e
refuse 1 'ascend' sample autocorr "${small[@]}" -o e --times 2,1
refuse 1 'ascend' sample autocorr "${small[@]}" -o e --times 1,,2
refuse 1 'ascend' sample autocorr "${small[@]}" -o e --times 1,2x
refuse 1 'not after' sample autocorr "${small[@]}" -o e --first 50 --last 20
refuse 1 'too small' sample autocorr --kind spinodal --width 3 --times 1 -o e
