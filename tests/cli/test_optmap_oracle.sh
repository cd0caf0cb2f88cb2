# A plane wave whose activation times, action potential durations, velocity and rhythm are known exactly.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

width=16 height=9
wave_npy 650 $width $height 0.5 >wave.npy # 0.5 px/ms, 3 beats: 50 cm/s with pixels of 0.1 cm
for engine in fast literal; do
    expect 0 optmap --rate 1000 --pixel-size 0.1 --engine $engine --shifts --no-report -q --json -o $engine wave.npy
    json ".engine == \"$engine\" and .beats == 3 and .valid_pixels == $((width * height))"
    near "$(jq .cv.median out)" 50 1 'conduction velocity, cm/s'
    near "$(jq .apd80.mean out)" 71.09 1 'APD80, ms'
    near "$(jq .apd80.sd out)" 0 0.5 'deviation of APD80'
    json '.alternans.median == null and (.alternans.refused | contains("3 beats in a row"))'
    near "$(jq .dominant_frequency.median out)" 5 0.25 'dominant frequency'
    json '.singularities == 0 and .rotors == 0'
    for beat in 0 1 2; do
        for x in 2 5 9 13; do
            index=$(((beat * height + 4) * width + x))
            near "$(floats $engine/activation.npy $index 1)" "$(awk "BEGIN { print 50 + 200 * $beat + $x / 0.5 }")" 0.1 \
                "activation at column $x, beat $beat, of engine $engine"
            near "$(floats $engine/apd50.npy $index 1)" 60 1 "APD50 at column $x"
            near "$(floats $engine/apd90.npy $index 1)" 77.58 1.5 "APD90 at column $x"
        done
        index=$(((beat * 2 * height + 4) * width + 8))
        near "$(floats $engine/cv.npy $index 1)" 50 1 'velocity along x'
        near "$(floats $engine/cv.npy $((index + width * height)) 1)" 0 1 'velocity along y'
    done
    equal "$(floats $engine/activation.npy 0 1)" nan 'activation at the border' # no full window there
done
# Neighbours a column further lag by 20 interpolated samples; a period of the wave is 2000 of them.
same fast/shifts.npy literal/shifts.npy
od -A n -v -w4 -t d4 -j $((128 + 4 * 25 * (4 * width + 8))) -N 100 fast/shifts.npy | awk '{ print $1 }' >shifts
for dy in 0 1 2 3 4; do
    printf '%s\n' -40 -20 0 20 40
done >wanted
awk 'NR == FNR { a[FNR] = $1; next } { d = $1 - a[FNR]; if (d < -1 || d > 1) exit 1 }' wanted shifts ||
    fail "delays of the neighbours are $(tr '\n' ' ' <shifts)"

# The signal upside down is the same with --polarity up; divided by a movie that does not change, too.
{
    npy '<f4' "650, $height, $width"
    printf '%b' "$(tail -c +129 wave.npy | od -A n -v -w2 -t u2 | awk '{ v = 80000 - $1 # as a float: 2^15 or 2^16 and more
        e = v >= 65536 ? 16 : 15; m = v * 2 ^ (23 - e) - 2 ^ 23
        printf "\\x%02x\\x%02x\\x%02x\\x%02x", m % 256, int(m / 256) % 256, int(m / 65536) + (e + 127) % 2 * 128, int((e + 127) / 2) }')"
} >up.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --polarity up --no-report -q --json -o up up.npy
json '.beats == 3 and .type == "f32"'
near "$(jq .cv.median out)" 50 1 'conduction velocity of the signal upside down'
near "$(jq .apd80.mean out)" 71.09 1 'APD80 of the signal upside down'

{
    npy '<u2' "650, $height, $width"
    head -c $((2 * 650 * height * width)) /dev/zero | tr '\0' '\2'
} >steady.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --ratio steady.npy --no-report -q --json -o ratio wave.npy
json '.beats == 3'
near "$(jq .cv.median out)" 50 1 'conduction velocity of a ratio'

# Bands of rows change no bit.
expect 0 optmap --rate 1000 --pixel-size 0.1 --batch 5 --shifts --no-report -q --json -o bands wave.npy
json '.batches > 1'
for name in filtered shifts activation cv; do
    same fast/$name.npy bands/$name.npy
done
