# penta sample optmap: files, times and durations that the movies have, the spiral's tip, refusals.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

expect 0 sample optmap -o plane
shows out 'movie\.tif.*400 frames of 64 x 64'
silent
holds plane movie.tif movie.npy activation.npy truth.json
npy_shape plane/movie.npy '<u2' '400, 64, 64'
npy_shape plane/activation.npy '<f8' '2, 64, 64'
for k in radial spiral; do
    expect 0 sample optmap --kind $k -q -o $k
    [ ! -s out ] || fail 'text in spite of -q'
done
holds radial movie.tif movie.npy activation.npy truth.json
holds spiral movie.tif movie.npy truth.json
for k in plane radial spiral; do
    jq -e --arg k $k '.kind == $k and .rate_hz == 1000 and .pixel_size_cm == 0.01 and .polarity == "down"' \
        $k/truth.json >/dev/null || fail "truth of $k"
    equal "$(tail -c +9 $k/movie.tif | head -c 3276800 | cksum)" "$(tail -c +129 $k/movie.npy | cksum)" "pixels of $k/movie.tif"
done

# ---- the same seed, the same noise; its size ----
for s in 1 1 2; do
    expect 0 sample optmap --noise 50 --seed $s -q -o noisy$s
    [ $s = 2 ] && cmp -s noisy1/movie.npy noisy2/movie.npy && fail 'the seed does not matter'
    [ -e first ] && [ $s = 1 ] && same first noisy1/movie.npy
    cp noisy1/movie.npy first
done
paste <(od -A n -v -w2 -t u2 -j 128 plane/movie.npy) <(od -A n -v -w2 -t u2 -j 128 noisy1/movie.npy) |
    awk '{ d = $2 - $1; s += d; q += d * d } END { printf "%.3f %.3f\n", s / NR, sqrt(q / NR) }' >moments
near "$(cut -d ' ' -f 1 moments)" 0 0.3 'mean of the noise'
near "$(cut -d ' ' -f 2 moments)" 50 0.3 'standard deviation of the noise'

# ---- activation is the steepest fall, and 80 % back comes after apd80: pixel (5, 0) and the last one ----
pixel() # KIND INDEX: counts, frame after frame
{
    od -A n -v -w8192 -t u2 -j 128 "$1/movie.npy" | awk -v i=$(($2 + 1)) '{ print $i }'
}
for k in plane radial; do
    for i in 5 4095; do
        pixel $k $i | head -200 | awk '{ f[NR - 1] = $1; if (NR == 1 || $1 < low) { low = $1; peak = NR - 1 } }
            END {
                for (n = 1; n < NR - 1; n++) { d[n] = f[n - 1] - f[n + 1]; if (d[n] > d[best]) best = n }
                a = d[best - 1]; b = d[best]; c = d[best + 1]
                level = 0.8 * f[0] + 0.2 * low
                for (n = peak; f[n] < level; n++);
                printf "%.3f %.3f\n", best + 0.5 * (a - c) / (a - 2 * b + c), n - (f[n] - level) / (f[n] - f[n - 1])
            }' >times
        wanted=$(npy_values $k/activation.npy f8 | sed -n $((i + 1))p)
        near "$(cut -d ' ' -f 1 times)" "$wanted" 0.05 "activation of pixel $i of the $k wave"
        near "$(awk '{ print $2 - $1 }' times)" 60 0.15 "APD80 of pixel $i of the $k wave"
    done
done
jq -e '.apd80_ms | length == 2 and all(. > 59.999999 and . < 60.000001)' plane/truth.json >/dev/null || fail 'APD80 in the truth'

# distance over time is the speed: 0.01 cm per px, 20 cm/s, along 30 degrees: 0.5 ms/px cos 30
npy_values plane/activation.npy f8 | sed -n '1p;2p;65p' | paste -s >row
near "$(awk '{ print $2 - $1 }' row)" 0.4330127 1e-6 'delay of the next pixel'
near "$(awk '{ print $3 - $1 }' row)" 0.25 1e-6 'delay of the pixel below'
expect 0 sample optmap --kind radial --centre-x 3 --centre-y 4 --speed 50 --rate 500 --width 20 --height 10 -q -o small
npy_shape small/movie.npy '<u2' '400, 10, 20'
near "$(npy_values small/activation.npy f8 | sed -n 1p)" 41 1e-9 'activation 5 px from the centre'
jq -e '.centre_px == [3, 4] and .speed_cm_s == 50' small/truth.json >/dev/null || fail 'truth of a radial wave'
expect 0 sample optmap --alternans 20 -q -o alternans
jq -e '.apd80_ms | (.[0] - 54 | fabs < 1e-6) and (.[1] - 66 | fabs < 1e-6)' alternans/truth.json >/dev/null || fail 'alternans'

# ---- the spiral: one tip in each frame that goes round, counts fall where it is excited ----
jq -e '(.tips | length) == 400 and all(.tips[]; length == 1 and .[0][2] == -1)' spiral/truth.json >/dev/null || fail 'one tip'
jq -e '[.tips[][0][:2]] | transpose | map(max - min) | all(. > 0.1 and . < 10)' spiral/truth.json >/dev/null || fail 'path of the tip'
pixel spiral 650 | sort -n | sed -n '1p;$p' | paste -s >range
awk '{ exit !($1 < 36300 && $2 > 39700) }' range || fail "a pixel of the spiral goes from $(cat range)"

# ---- and back: penta optmap finds what the truth says ----
median_error() # A B: median of |a - b| of lines that are both numbers
{
    paste "$1" "$2" | awk '$1 ~ /^-?[0-9]/ { d = $1 - $2; printf "%.6f\n", (d < 0 ? -d : d) }' | sort -g >errors
    [ "$(wc -l <errors)" -gt 1000 ] || fail "only $(wc -l <errors) activation times"
    sed -n $(($(wc -l <errors) / 2))p errors
}
movie=movie.tif rate=() # the file says the rate
if ! has_format tif; then
    movie=movie.npy rate=(--rate 1000)
fi
for k in plane radial; do
    expect 0 optmap "${rate[@]}" --pixel-size 0.01 --no-report --json -o found.$k $k/$movie
    json '.beats == 2 and .rate == 1000 and (.apd80.mean - 60 | fabs < 1.2) and (.cv.median - 20 | fabs < 0.4)'
    floats found.$k/activation.npy 0 8192 >a
    npy_values $k/activation.npy f8 >b
    near "$(median_error a b)" 0 0.2 "activation of the $k wave"
done
expect 0 optmap "${rate[@]}" --pixel-size 0.01 --no-report --json -o found.noisy noisy1/$movie
json '.beats == 2 and (.apd80.mean - 60 | fabs < 3) and (.cv.median - 20 | fabs < 1)'
expect 0 optmap "${rate[@]}" --no-report --json -o found.spiral spiral/$movie
json '.rotors == 1 and .singularities == 400'
awk -F, 'NR > 1 { print $1, $2, $3, $4 }' found.spiral/singularities.csv >found
jq -r '.tips | to_entries[] | "\(.key) \(.value[0] | join(" "))"' spiral/truth.json >tips
awk 'NR == FNR { x[$1] = $2; y[$1] = $3; q[$1] = $4; next }
    { n++; if (($2 - x[$1]) ^ 2 + ($3 - y[$1]) ^ 2 > 1 || $4 != q[$1]) bad++ }
    END { print n + 0, bad + 0 }' tips found >counts
equal "$(cat counts)" '400 0' 'singularities, and those over 1 px from the tip or of the other charge'

# ---- the tissue: its files; the same bits again; and what the default leaves out is what lies beyond the outline ----
tissue=(sample optmap --kind tissue --width 48 --height 44 --pixel-size 0.06 --rate 500 -n 260 --beats 2 --snr 12 --telegraph 2.4
    --bleach 10 --cells 1 -s 9)
expect 0 "${tissue[@]}" -o tissue
shows out 'movie\.tif.*260 frames of 48 x 44'
holds tissue movie.tif movie.npy signal.npy activation.npy apd30.npy apd50.npy apd80.npy apd90.npy cv.npy outline.npy bad.npy \
    light.npy snr.npy truth.json
npy_shape tissue/activation.npy '<f8' '2, 44, 48'
npy_shape tissue/cv.npy '<f8' '2, 2, 44, 48'
npy_shape tissue/outline.npy '|u1' '44, 48'
jq -e '.kind == "tissue" and .beats == 2 and .telegraph_pixels == 51 and (.snr_db - 21.58 | fabs < 0.1) and (.tips | length) == 260' \
    tissue/truth.json >/dev/null || fail 'truth of a tissue'
expect 0 "${tissue[@]}" -q -o tissue.again
for name in movie.npy signal.npy activation.npy bad.npy; do
    same tissue/$name tissue.again/$name
done
expect 0 optmap --rate 500 --pixel-size 0.06 --no-report --json -o found.auto tissue/movie.npy
shows err 'pixels are left out as background'
shows err 'pixels are left out as bad'
shows err 'a polynomial of degree [12] is taken off'
json '.beats == 2 and (.drift.lost_percent - 10 | fabs < 0.3) and .mask.source == "auto"'
jq '[.valid_pixels, .cv.median, .apd80.mean]' out >auto.json
expect 0 optmap --rate 500 --pixel-size 0.06 --no-report --json --mask tissue/outline.npy -o found.mask tissue/movie.npy
jq -e --slurpfile a auto.json '[.valid_pixels, .cv.median, .apd80.mean] as $m | [0, 1, 2] | all(. as $i | $a[0][$i] / $m[$i] - 1 | fabs < 0.02)' \
    out >/dev/null || fail "unmasked $(jq -c . auto.json) is not masked $(jq -c '[.valid_pixels, .cv.median, .apd80.mean]' out)"
expect 0 sample optmap --kind tissue --width 40 --height 40 -n 4 --rotors '20,20,1' --settle 20 --cells 1 -q -o turning
jq -e '.beats == 0' turning/truth.json >/dev/null || fail 'beats of a rotor'
refuse 2 'no list of places' sample optmap --kind tissue --sites '3;4' -o no.d
refuse 2 'charge 2' sample optmap --kind tissue --rotors '3,4,2' -o no.d

# ---- a second sample into a directory ----
cp -r radial mixed
expect 0 sample optmap --kind plane -q -o mixed
silent
expect 0 sample optmap --kind spiral -o mixed
one_line 'penta sample optmap: note: mixed/activation\.npy stays, and is of an earlier run$'
expect 0 sample optmap --kind spiral -q -o mixed
silent
expect 0 sample autocorr -n 3 --width 32 --height 32 -o frames
silent
expect 0 sample autocorr -n 2 --width 32 --height 32 -o frames
one_line 'penta sample autocorr: note: frames/frame-0002\.png stays, and is of an earlier run$'

# ---- refusals ----
refuse 2 'DIR is missing' sample optmap
refuse 2 'kind' sample optmap --kind square -o no.d
refuse 2 '--polarity has no effect: it belongs to --kind tissue' sample optmap --polarity up -o no.d
refuse 2 '--apd has no effect: it belongs to --kind plane and radial' sample optmap --kind spiral --apd 200 -o no.d
refuse 2 '--noise has no effect: the camera' sample optmap --kind tissue --noise 500 -o no.d
refuse 2 '--step of 50 ms diverges' sample optmap --kind tissue --step 50 -o no.d
refuse 2 '--dead, --hot and --telegraph pixels are more' sample optmap --kind tissue --dead 60 --hot 41 -o no.d
[ ! -e no.d ] || fail 'a refused sample made its directory'
refuse 2 'more --frames' sample optmap --frames 100 -o no.d
refuse 2 'too often' sample optmap --beats 20 -o no.d
refuse 2 'GB' sample optmap --width 4096 --height 4096 -n 1000 -o no.d
refuse 1 'device' sample optmap --kind spiral -d nonesuch -o no.d

# ---- so fast a wave, so few frames and so much noise that a rise could be told far outside its beat: read no frame beyond the movie ----
expect 0 sample optmap --kind tissue --width 80 --height 80 --speed 100 --rate 250 --frames 150 --pixel-size 0.03 --snr 2 --seed 7 -q -o swift
expect 0 optmap --rate 250 --pixel-size 0.03 --no-report -q --json -o swift.found swift/movie.npy
json '.beats > 0 and .snr_filtered.median > 0'
