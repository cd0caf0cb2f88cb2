# penta optmap with pages of TIFF, rims and saturated pixels, several movies, places that are full or inputs; what is refused at
# once is in refused_optmap.txt.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    rm -rf no.d
    refuse 1 "$pattern" optmap -q --rate 1000 -o no.d "$@"
    [ -z "$(find no.d -type f 2>/dev/null)" ] || fail "something is left: $(find no.d -type f)"
}

wave_npy 100 8 7 1 >wave.npy

npy '|u1' '0, 8, 8' >none.npy
npy '|u1' '1, 2, 2' 01020304 >one.npy
wave_npy 99 8 7 1 >shorter.npy
echo text >text.tif

# A page of 4 x 2 bytes at BYTE of a TIFF, the next one at NEXT: 9 entries, then the pixels.
page() # BYTE NEXT WIDTH HEIGHT BITS SAMPLES PHOTOMETRIC
{
    local at=$(($1 + 2 + 9 * 12 + 4))

    printf '%s' 0900 "$(entry 0001 $3)" "$(entry 0101 $4)" "$(entry 0201 $5)" "$(entry 0301 1)" "$(entry 0601 $7)" \
        "$(entry 1101 $at)" "$(entry 1501 $6)" "$(entry 1601 $4)" "$(entry 1701 $(($3 * $4 * $5 / 8 * $6)))" "$(long "$2")" \
        "$(printf '%0*d' $(($3 * $4 * $5 / 8 * $6 * 2)) 0)"
}
long() { printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)); }
entry() { printf '%s040001000000%s' "$1" "$(long "$2")"; }
tiff() # WIDTH HEIGHT BITS SAMPLES PHOTOMETRIC of the second page: the first is 4 x 2 bytes of grey
{
    bytes 49492a00 08000000 "$(page 8 130 4 2 8 1 1)" "$(page 130 0 "$@")"
}
if "$PENTA" optmap --rate 1000 -o no.d text.tif 2>&1 | grep -q 'no movie' && tiff 4 2 8 1 1 >probe.tif &&
    ! "$PENTA" optmap --rate 1000 -o no.d probe.tif 2>&1 | grep -q 'no TIFF support'; then
    tiff 4 3 8 1 1 >size.tif
    refuses 'size\.tif: page 2 of 2: has 4 x 3 pixels of u8, unlike the first page with 4 x 2 of u8' size.tif
    tiff 4 2 16 1 1 >type.tif
    refuses 'type\.tif: page 2 of 2: has 4 x 2 pixels of u16, unlike' type.tif
    tiff 4 2 8 3 2 >rgb.tif
    refuses 'rgb\.tif: page 2 of 2: has 3 numbers a pixel \(colour' rgb.tif
    tiff 4 2 8 1 0 >white.tif
    refuses 'white\.tif: page 2 of 2: is grey with 0 as white' white.tif
    tiff 4 2 4 1 1 >nibbles.tif
    refuses 'nibbles\.tif: page 2 of 2: has pixels of unsigned integers of 4 bits' nibbles.tif
    for size in 4 8 60 135 251; do
        head -c $size probe.tif >cut.tif
        refuses 'cut\.tif: ' cut.tif
    done
    bytes 49492a00 08000000 "$(page 8 130 4 2 8 1 1)" "$(page 130 0 4 2 8 1 1 | sed 's/1701040001000000......../170104000100000000ca9a3b/')" >length.tif
    refuses 'length\.tif: page 2 of 2: .*StripByteCounts' length.tif
    bytes 49492a00 08000000 "$(page 8 130 4 2 8 1 1)" "$(page 130 0 4 2 8 1 1 | sed 's/150104000100000001000000/530104000100000009000000/')" >kind.tif
    refuses 'kind\.tif: page 2 of 2: .*SampleFormat' kind.tif
    expect 0 sample optmap -q --kind spiral -n 10 --width 8 --height 8 -o heart
    sed 's/finterval=0\.001/finterval=1e-09/' heart/movie.tif >hasty.tif
    refuse 2 'hasty\.tif says that it has 1e\+09 frames a second, which no camera makes; give them' optmap -o no.d hasty.tif
    expect 0 optmap -q --rate 1000 --no-report -o hasty hasty.tif
    bytes 49492a00 08000000 "$(page 8 0 4 2 8 1 1)" >single.tif
    refuses 'single\.tif: is one frame' single.tif
else
    note 'this build has no TIFF; its movies are left out'
fi

# ---- numbers ----
# A heart that is a rim: no pixel of it has a whole window.
{
    npy '<u2' '60, 7, 7'
    printf '%b' "$(wave 60 7 7 1 | od -A n -v -w14 -t x1 | awk '{ y = (NR - 1) % 7; for (i = 1; i <= 14; i++) { x = int((i - 1) / 2)
        printf "\\x%s", (x > 0 && x < 6 && y > 0 && y < 6 ? "00" : $i) } }')"
} >rim.npy
refuses 'rim\.npy: none of its 24 valid pixels .* window of 5 x 5 fits; .*--border renormalise' --mask none rim.npy
expect 0 optmap -q --rate 1000 --no-report --border renormalise -o rim rim.npy

# ---- saturated movies: at the largest number in two successive frames ----
levels() # PIXELS-OF-16 HEX: NPY of 4 frames of 4 x 4, the first so many pixels at the level in frames 1 and 2
{
    local f p

    npy '<u2' '4, 4, 4' "$(for f in 0 1 2 3; do for p in $(seq 16); do
        if [ $f -gt 0 ] && [ $f -lt 3 ] && [ "$p" -le "$1" ]; then printf '%s' "$2"; else printf '%02x00' $((p + f)); fi
    done; done)"
}
levels 9 ffff >full.npy
refuses 'full\.npy: 9 of 16 pixels are saturated, at 65535 in successive frames; .*--saturated ok.*--signed' --window 3 full.npy
levels 9 ff0f >twelve.npy
refuses 'twelve\.npy: 9 of 16 pixels are saturated, at 4095 ' --window 3 twelve.npy
levels 9 ff07 >eleven.npy # of no converter
expect 0 optmap -q --rate 1000 --window 3 -o eleven eleven.npy
levels 8 ff0f >half.npy
expect 0 optmap --rate 1000 --window 3 --json -o half half.npy
shows err 'half\.npy: 8 of 16 pixels are saturated, at 4095'
json '.saturated_pixels == 8'
expect 0 optmap --rate 1000 --window 3 --saturated ok --json -o full full.npy
json '.saturated_pixels == 9'
expect 0 optmap --rate 1000 --window 3 --signed --json -o signed full.npy
json '.saturated_pixels == 0 and .type == "i16"'

# More pixels than are counted at a time.
for n in 5000 5001; do
    for frame in 1 2 3; do
        head -c $n /dev/zero | tr '\0' '\377'
        head -c $((10000 - n)) /dev/zero
    done >level.raw
    refuses "level\\.raw: $([ $n -gt 5000 ] && echo "$n of 10000 pixels are saturated, at 255 in" || echo '.*no valid pixel')" \
        --raw 100x100:u8 level.raw
done

# ---- several: the first bad one ends the run, what was finished stays ----
rm -rf no.d
expect 1 optmap -q --rate 1000 --no-report -o no.d wave.npy one.npy shorter.npy
one_line 'one\.npy: is one frame'
shows out '^wave\.npy: '
lacks out 'shorter'
exists no.d/wave/filtered.npy
absent no.d/one no.d/shorter
expect 1 optmap -q --rate 1000 --no-report --keep-going --json -o no.d wave.npy one.npy shorter.npy
one_line 'one\.npy: is one frame'
json '[.movies[].status] == ["ok", "error", "ok"]'
exists no.d/shorter/filtered.npy
absent no.d/one
rm -rf no.d
expect 1 optmap -q --rate 1000 --keep-going -o no.d one.npy none.npy
[ ! -s out ] || fail 'stdout is not empty'
equal "$(wc -l <err)" 2 'lines on stderr'

# ---- places that are full ----
if [ -w /dev/full ]; then
    for name in filtered.npy rotors.csv; do
        rm -rf full
        mkdir full
        ln -s /dev/full full/$name
        refuse 1 "full/$name: cannot be written: No space left" optmap -q --rate 1000 -o full wave.npy
        equal "$(ls -A full)" "$name" 'what is left'
    done
else
    note 'there is no /dev/full; full disks are left out'
fi

# ---- outputs that are inputs ----
mkdir place
for name in filtered.npy cv.npy singularities.csv report.html; do
    cp wave.npy place/$name
    refuse 2 "place/$name is an input, and would be overwritten" optmap --rate 1000 -o ./place/ place/$name
    refuse 2 "place/$name is an input, and would be overwritten" optmap --rate 1000 -o place --ratio place/$name wave.npy
    same place/$name wave.npy
    rm place/$name
done
mkdir place/wave
cp wave.npy place/wave/snr.npy
refuse 2 'place/wave/snr\.npy is an input' optmap --rate 1000 -o place wave.npy place/wave/snr.npy
same place/wave/snr.npy wave.npy
