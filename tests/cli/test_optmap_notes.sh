# What penta optmap remarks on stderr: files of an earlier run, numbers that wrapped round, the wrong polarity. Nothing of
# movies that are in order.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

wave_npy 450 12 9 0.5 >wave.npy

# ---- files of an earlier run ----
expect 0 optmap --rate 1000 --pixel-size 0.1 --shifts -o res wave.npy
silent
expect 0 optmap --rate 1000 --pixel-size 0.1 --shifts -o res wave.npy
silent
expect 0 optmap --rate 1000 --pixel-size 0.1 -o res wave.npy
one_line 'penta optmap: note: res/shifts\.npy stays, and is of an earlier run$'
echo mine >res/notes.txt
expect 0 optmap --rate 1000 --no-report -o res wave.npy
equal "$(grep -c 'stay, and are of an earlier run' err)" 1 'notes of earlier files'
shows err 'penta optmap: note: res/activation\.png and 7 more files in res stay' # apd80 cv movie traces report shifts, cv.npy
cp wave.npy again.npy
expect 0 optmap --rate 1000 --phase --no-report -o two wave.npy again.npy
expect 0 optmap --rate 1000 --no-report -o two wave.npy again.npy
shows err 'two/wave/phase\.npy stays'
shows err 'two/again/phase\.npy stays'
expect 0 optmap --rate 1000 -q --no-report -o res wave.npy
silent

# ---- numbers below 0 that wrapped round: in all pixels, sooner or later ----
{
    npy '<u2' '450, 9, 12'
    printf '%b' "$(wave 450 12 9 0.5 | od -A n -v -w24 -t u2 | awk '{ for (i = 1; i <= 12; i++) {
        v = ($i - (i > 8 ? 30100 : 35000) + 65536) % 65536; printf "\\x%02x\\x%02x", v % 256, int(v / 256) } }')"
} >wrapped.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report -o wrapped wrapped.npy
shows err 'wrapped\.npy: 108 of 108 pixels jump between numbers near 0 and near 65535; .*--signed'
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --signed --json -o signed wrapped.npy
silent
json '.beats == 2'
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o plain wave.npy
silent

# ---- a black frame, and a lamp of 100 Hz: said, counted and put right, with the same bits however the rows are divided ----
cp wave.npy spoilt.npy
dd if=/dev/zero of=spoilt.npy bs=1 seek=$((128 + 150 * 216)) count=216 conv=notrunc status=none
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o spoilt spoilt.npy
one_line 'spoilt\.npy: 1 frame is spoilt .1 black, 0 bright, 0 repeated. and interpolated .--frames keep leaves them.$'
json '.corrected_frames == {"black": 1, "bright": 0, "repeated": 0} and .flicker == [] and .beats == 2'
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json --frames keep -o kept spoilt.npy
lacks err 'interpolated'
json '.corrected_frames.black == 0'
{
    npy '<u2' '450, 9, 12'
    printf '%b' "$(wave 450 12 9 0.5 | od -A n -v -w24 -t u2 | awk '{ for (i = 1; i <= 12; i++) {
        v = int($i * (1 + 0.03 * sin(0.2 * 3.14159265 * int((NR - 1) / 9))) + 0.5)
        printf "\\x%02x\\x%02x", v % 256, int(v / 256) } }')"
} >lamp.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o lamp lamp.npy
one_line 'lamp\.npy: flicker of 100 Hz ..* % of the light, seen at 100 Hz. is taken off all pixels .--frames keep leaves it.$'
json '.flicker | length == 1 and .[0].source_hz == 100 and .[0].added == false and (.[0].percent - 3 | fabs) < 0.1'
valid
json '.apd80.median > 70.5 and .apd80.median < 71.7'
for how in "-d $two" '--batch 3'; do
    for movie in spoilt lamp; do
        rm -rf other
        expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report -q $how -o other $movie.npy
        cmp other/filtered.npy $movie/filtered.npy || fail "$movie with $how"
    done
done

# ---- polarity ----
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --polarity up -o up wave.npy
shows err 'wave\.npy: its signals fall faster than they rise, .* a loss of light; if so, give --polarity down$'
{
    npy '<u2' '450, 9, 12'
    printf '%b' "$(wave 450 12 9 0.5 | od -A n -v -w24 -t u2 | awk '{ for (i = 1; i <= 12; i++) {
        v = 60000 - $i; printf "\\x%02x\\x%02x", v % 256, int(v / 256) } }')"
} >calcium.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report -o down calcium.npy
shows err 'calcium\.npy: its signals fall faster than they rise, .* a gain of light; if so, give --polarity up$'
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --polarity up -o up calcium.npy
lacks err 'polarity'
expect 0 sample optmap -q --kind spiral -n 200 --width 32 --height 32 --noise 400 -o spiral
expect 0 optmap --pixel-size 0.1 --no-report -o tip spiral/movie.npy --rate 1000
lacks err 'polarity'

# ---- the command in the report can be typed again ----
cp wave.npy "a \$b & 'c'.npy"
expect 0 optmap --rate 1000 --no-movie -q -o 'res ults' "a \$b & 'c'.npy"
grep -o '<h2>Command</h2>' 'res ults/report.html' >/dev/null || fail 'no command in the report'
typed=$(sed -n '/<h2>Command/,$p' 'res ults/report.html' | sed -n 's/.*<code>\(.*\)<\/code>.*/\1/p' | sed "s/&#39;/'/g; s/&#38;/\&/g; s/&#34;/\"/g")
eval "set -- $typed"
equal "$#" 9 "words of: $typed"
equal "$8" 'res ults' 'the directory'
equal "$9" "a \$b & 'c'.npy" 'the movie'

# ---- a stdout that cannot be written to: the files are there ----
if [ -w /dev/full ]; then
    code=0
    "$PENTA" optmap --rate 1000 --no-report --json -q -o full wave.npy >/dev/full 2>err </dev/null || code=$?
    equal "$code" 1 'exit code'
    one_line 'cannot write JSON to stdout: No space left'
    exists full/filtered.npy full/rotors.csv
else
    note 'there is no /dev/full; a full stdout is left out'
fi
