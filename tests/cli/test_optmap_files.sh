# What penta optmap writes and says: files, their shapes, JSON; the same from every format of movie.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

wave_npy 450 12 9 0.5 >wave.npy
maps=(activation.npy repolarisation.npy apd30.npy apd50.npy apd80.npy apd90.npy rise.npy amplitude.npy snr.npy snr_filtered.npy)
always=(filtered.npy alternans.npy dominant_frequency.npy singularities.csv rotors.csv statistics.csv "${maps[@]}")
pictures=(activation.png apd80.png traces.png movie.png report.html)

expect 0 optmap --rate 1000 --no-report -o plain wave.npy
shows out 'wave\.npy: 450 frames of 12 x 9 pixels at 1000 Hz \(NPY, u16\)'
shows out 'results in plain'
shows err 'without --pixel-size there are no velocities'
holds plain "${always[@]}"
npy_shape plain/filtered.npy '<f4' '450, 9, 12'
for name in "${maps[@]}"; do
    npy_shape plain/$name '<f4' '2, 9, 12'
done
npy_shape plain/alternans.npy '<f4' '9, 12'
npy_shape plain/dominant_frequency.npy '<f4' '9, 12'
equal "$(head -n 1 plain/singularities.csv)" 'frame,x,y,charge,id' 'header of singularities.csv'
equal "$(head -n 1 plain/rotors.csv)" 'id,charge,first,last,frames,life,length,turns' 'header of rotors.csv'
equal "$(wc -l <plain/singularities.csv)" 1 'lines of singularities of a plane wave'

expect 0 optmap --rate 1000 -q --no-report -o quiet wave.npy
shows out '^wave\.npy: 450 frames'
lacks out 'results in'
silent

expect 0 optmap --rate 1000 --pixel-size 0.1 --shifts --average --phase --json -o all wave.npy
silent
holds all "${always[@]}" cv.npy shifts.npy average.npy phase.npy cv.png "${pictures[@]}"
npy_shape all/cv.npy '<f4' '2, 2, 9, 12'
npy_shape all/shifts.npy '<i4' '9, 12, 25'
npy_shape all/phase.npy '<f4' '450, 9, 12'
npy_header all/average.npy | grep -Eq "'<f4', .*\(2[0-9][0-9], 9, 12\)|'<f4', .*\(1[0-9][0-9], 9, 12\)" || fail 'header of average.npy'
json '.command == "optmap" and .frames == 450 and .width == 12 and .height == 9 and .rate == 1000 and .beats == 2'
json '.valid_pixels == 108 and .engine == "fast" and .real_time_factor > 0 and .averaged_beats >= 1'
json '(.apd80 | keys) == ["beats", "dispersion", "mean", "median", "pixels", "q1", "q3", "range", "sd"] and .apd80.pixels > 0 and .apd80.beats == 2 and (.cv | keys) == (.apd80 | keys) and (.snr.of | startswith("the movie as recorded")) and (.seconds | .read >= 0 and .total > 0 and .device >= 0)'
json '.dominant_frequency.resolution - 1000 / 450 | fabs < 1e-9' # one over the length
json '.format == "NPY" and .type == "u16" and .filtered_rate == 1000 and .saturated_pixels == 0 and (.pixel_size - 0.1 | fabs < 1e-12)'
for name in "${always[@]}"; do
    [ "$name" = statistics.csv ] || same plain/$name all/$name
done
equal "$(grep -v '^cv,' all/statistics.csv)" "$(cat plain/statistics.csv)" 'statistics without velocities'
equal "$(head -n 1 all/statistics.csv)" 'name,unit,median,q1,q3,mean,sd,range,least,largest,pixels,beats' 'header of statistics.csv'
shows all/statistics.csv '^apd80,ms,71\.[0-9]+,.*,[0-9]+,2$'
shows all/report.html '<th>dispersion</th><th>range</th><th>pixels</th><th>beats</th>'
shows all/report.html '<tr class="given"><td><code>--pixel-size</code></td><td>0\.1 cm</td>'
shows all/report.html '<tr><td><code>--window</code></td><td>5 px</td>'
shows all/report.html '<tr><td><code>--taps</code></td><td>81</td>' # which the default leaves to --interp
shows all/report.html '<tr><td><code>--high</code></td><td>500 Hz</td>' # and this to the rate
shows all/report.html '<tr class="given"><td><code>--shifts</code></td><td>yes</td>'

expect 0 optmap --rate 1000 --pixel-size 0.1 --no-movie -q -o still wave.npy
holds still "${always[@]}" cv.npy cv.png activation.png apd80.png traces.png report.html
lacks still/report.html 'class="movie"'
shows all/report.html 'class="movie"'

# ---- at the interpolated rate ----
expect 0 optmap --rate 1000 --interp 2 --out-rate interpolated --no-report --json -q -o fine wave.npy
npy_shape fine/filtered.npy '<f4' '900, 9, 12'
json '.rate == 1000 and .filtered_rate == 2000'

# ---- other formats ----
wave 450 12 9 0.5 >wave.raw
{
    npy '>u2' '450, 9, 12'
    od -A n -v -t x1 wave.raw | tr -d ' \n' | sed 's/\(..\)\(..\)/\\x\2\\x\1/g' >swapped
    printf '%b' "$(cat swapped)"
} >big.npy
{
    # frames fastest, then rows, then columns
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<u2', 'fortran_order': True, 'shape': (450, 9, 12), }"
    printf '%b' "$(od -A n -v -w2 -t x1 wave.raw | awk '{ a[NR - 1] = "\\x" $1 "\\x" $2 }
        END { for (x = 0; x < 12; x++) for (y = 0; y < 9; y++) for (f = 0; f < 450; f++) printf "%s", a[(f * 9 + y) * 12 + x] }')"
} >fortran.npy
for movie in big.npy fortran.npy '--raw 12x9x450:u16le wave.raw' '--raw 12x9:u16le wave.raw'; do
    expect 0 optmap --rate 1000 --no-report -q -o other $movie
    for name in "${always[@]}"; do
        same plain/$name other/$name
    done
    rm -r other
done

# ---- several movies ----
mkdir again
cp wave.npy again/wave.npy
cp wave.npy wave.second.npy
expect 0 optmap --rate 1000 --no-report --json -q -o several wave.npy again/wave.npy wave.second.npy
holds several wave wave-2 wave.second
for directory in several/*; do
    holds "$directory" "${always[@]}"
    same plain/activation.npy "$directory/activation.npy"
done
json '[.movies[].movie] == ["wave.npy", "again/wave.npy", "wave.second.npy"] and (.movies[1].beats == 2)'
json '.seconds.total > 0 and .seconds.read >= 0 and .seconds.device >= 0 and .command == "optmap"'

# ---- a movie without beats (its signal never climbs) has empty maps ----
npy '<u2' '40, 6, 6' "$(awk 'BEGIN { for (f = 0; f < 40; f++) for (i = 0; i < 36; i++) { v = 1000 + 5 * f + i; printf "%02x%02x", v % 256, int(v / 256) } }')" >ramp.npy
expect 0 optmap --rate 1000 --no-report --average --pixel-size 1 --json -o silence ramp.npy
if jq -e '.beats == 0' out >/dev/null; then
    shows err 'no beat was found'
    npy_shape silence/activation.npy '<f4' '0, 6, 6'
    npy_shape silence/cv.npy '<f4' '0, 2, 6, 6'
    json '.apd80.mean == null and .cv.median == null'
else
    fail "the ramp has $(jq .beats out) beats"
fi
