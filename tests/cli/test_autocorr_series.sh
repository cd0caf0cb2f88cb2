# Series: times, stacks, growth with its fits, bad frames with --keep-going.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A little-endian TIFF of pages of uncompressed 8-bit grey; the pixels of all pages, in hex, on stdin.
tiff_stack() # WIDTH HEIGHT PAGES
{
    local page at=8 size=$(($1 * $2)) le hex

    le() { printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)); }
    hex=$(tr -d '\n ')
    bytes 49492a00 "$(le 8)"
    for ((page = 0; page < $3; page++)); do # directory of 8 entries, then its strip
        bytes 0800 0001 0400 01000000 "$(le "$1")" 0101 0400 01000000 "$(le "$2")" 0201 0300 01000000 08000000 \
            0301 0300 01000000 01000000 0601 0300 01000000 01000000 1101 0400 01000000 "$(le $((at + 102)))" \
            1601 0400 01000000 "$(le "$2")" 1701 0400 01000000 "$(le $size)" \
            "$(if ((page + 1 < $3)); then le $((at + 102 + size)); else le 0; fi)"
        bytes "${hex:2 * page * size:2 * size}"
        at=$((at + 102 + size))
    done
}

times_of() # CSV: its column time on one line
{
    column "$1" time | paste -sd ' '
}

mkdir frames
for i in 0 1 2 3; do
    hash_pixels 24 20 $((i * 24)) 0 >$i.pixels
    pgm 24 20 <$i.pixels >frames/f$i.pgm
done
all='frames/f2.pgm frames/f0.pgm frames/f3.pgm frames/f1.pgm' # the order given is the order of the series
quick='-R 5 --bootstrap 0 --no-plots -q'

# ---- where the times come from ----
expect 0 autocorr $quick -o t $all
equal "$(column t/series.csv file | paste -sd ' ')" "$all" 'order of the series'
equal "$(column t/series.csv index | paste -sd ' ')" '0 1 2 3' 'column index'
equal "$(times_of t/series.csv)" '0 1 2 3' 'times by default'
expect 0 autocorr $quick --interval 2.5 -o t $all
equal "$(times_of t/series.csv)" '0 2.5 5 7.5' 'times by --interval'
printf 'time\n10\n20.5\n40\n1e2\n' >order.csv
expect 0 autocorr $quick --times order.csv -o t $all
equal "$(times_of t/series.csv)" '10 20.5 40 100' 'times in order'
printf '10\n20.5\n40\n1e2\n' >bare.csv
expect 0 autocorr $quick --times bare.csv -o t $all
equal "$(times_of t/series.csv)" '10 20.5 40 100' 'times without a header'
printf 'note,time,file\r\n"a, b",1,f1.pgm\r\nc,2,f2.pgm\r\nd,3,f3.pgm\r\n,0,f0.pgm\r\n' >named.csv
expect 0 autocorr $quick --times named.csv -o t $all
equal "$(times_of t/series.csv)" '2 0 3 1' 'times by file name'
expect 0 autocorr ${quick/-q/} --times named.csv -o t $all
shows err 'note: times go back: \S+f0\.pgm is at 0 s, and \S+f2\.pgm in front of it at 2 s \(2 of 4 frames\)$'
expect 0 autocorr ${quick/-q/} --times order.csv -o t $all
lacks err 'times go back'
mkdir -p twins/a twins/b
cp frames/f0.pgm twins/a/f.pgm
cp frames/f1.pgm twins/b/f.pgm
twins='twins/b/f.pgm frames/f2.pgm twins/a/f.pgm'
printf 'time,file\n5,twins/a/f.pgm\n6,twins/b/f.pgm\n7,f2.pgm\n' >folders.csv
expect 0 autocorr $quick --times folders.csv -o t $twins
equal "$(times_of t/series.csv)" '6 7 5' 'times of files of one name in two folders'
for rows in '5,f.pgm\n7,f2.pgm\n' '5,f.pgm\n6,f.pgm\n7,f2.pgm\n' '5,./twins/a/f.pgm\n6,./twins/b/f.pgm\n7,f2.pgm\n'; do
    printf "time,file\\n$rows" >which.csv
    refuse 1 'which\.csv: which row is that of twins/b/f\.pgm\? .* give folders as on the command line' \
        autocorr $quick --times which.csv -o none $twins
done
printf 'time,file\n1,f1.pgm\n2,frames/f2.pgm\n3,frames/f2.pgm\n4,f0.pgm\n5,f3.pgm\n' >which.csv
refuse 1 'which\.csv: two rows for frames/f2\.pgm' autocorr $quick --times which.csv -o none $all
printf 'time\n1\n2\n' >few.csv
refuse 1 'few\.csv.*2 times for 4 frames' autocorr $quick --times few.csv -o none $all
printf 'time,file\n1,f1.pgm\n2,f2.pgm\n3,f3.pgm\n' >lacking.csv
refuse 1 'lacking\.csv.*f0\.pgm' autocorr $quick --times lacking.csv -o none $all
for header in time,Time,file time,file,FILE t,T,file; do
    printf '%s\n1,2,3\n' $header >twice.csv
    refuse 1 'twice\.csv: line 1: column [23] .* has the name of column [12]' autocorr $quick --times twice.csv -o none $all
done
printf 't,time\n1,1\n2,2\n3,3\n4,4\n' >twice.csv
refuse 1 'twice\.csv: has both time and t' autocorr $quick --times twice.csv -o none $all
printf 'time\n1\n2\n0x3\n4\n' >hex.csv
refuse 1 "hex\.csv: line 4, column 1 \(time\): '0x3' is not a finite number" \
    autocorr $quick --times hex.csv -o none $all
printf 'time\n1\n2\nx\n4\n' >words.csv
refuse 1 'words\.csv.*line 4' autocorr $quick --times words.csv -o none $all
: >empty.csv
refuse 1 'empty\.csv' autocorr $quick --times empty.csv -o none $all
refuse 1 'missing\.csv' autocorr $quick --times missing.csv -o none $all
absent none

# ---- a frame gives the same answer alone and in a series ----
for i in 0 1 2 3; do
    expect 0 autocorr $quick -o alone frames/f$i.pgm
    same alone/f$i.c2d.npy t/f$i.c2d.npy
    same alone/f$i.c1d.csv t/f$i.c1d.csv
done

# ---- stacks: a frame a page, named with its number ----
npy '|u1' '4, 20, 24' $(awk '{ printf "%02x", $1 }' {0,1,2,3}.pixels) >stack.npy
expect 0 autocorr $quick -o stack --interval 3 stack.npy
holds stack stack-000{0,1,2,3}.c2d.npy stack-000{0,1,2,3}.c1d.csv series.csv
equal "$(times_of stack/series.csv)" '0 3 6 9' 'times of a stack'
equal "$(column stack/series.csv file | paste -sd ' ')" 'stack.npy[0] stack.npy[1] stack.npy[2] stack.npy[3]' 'pages by name'
for i in 0 1 2 3; do
    same stack/stack-000$i.c2d.npy t/f$i.c2d.npy
done
awk '{ printf "%02x", $1 }' {0,1,2,3}.pixels | tiff_stack 24 20 4 >stack.tif
run autocorr $quick -o tiff stack.tif
if grep -q 'no TIFF support' err; then
    note "built without TIFF support"
else
    [ "$code" -eq 0 ] || fail "the TIFF stack was refused"
    for i in 0 1 2 3; do
        same tiff/stack-000$i.c2d.npy t/f$i.c2d.npy
    done
fi
expect 0 autocorr $quick -o both frames/f0.pgm stack.npy frames/f1.pgm
equal "$(column both/series.csv file | paste -sd ' ')" \
    'frames/f0.pgm stack.npy[0] stack.npy[1] stack.npy[2] stack.npy[3] frames/f1.pgm' 'images and stacks together'

# ---- chosen pages, and names in the order of a shell ----
expect 0 autocorr $quick --page 2-3 -o chosen stack.npy
holds chosen stack-000{1,2}.c2d.npy stack-000{1,2}.c1d.csv series.csv
same chosen/stack-0002.c2d.npy t/f2.c2d.npy
equal "$(column chosen/series.csv file | paste -sd ' ')" 'stack.npy[1] stack.npy[2]' 'chosen pages by name'
expect 0 autocorr $quick --page 1-:3 --channel 1 -o chosen stack.npy
equal "$(column chosen/series.csv file | paste -sd ' ')" 'stack.npy[0] stack.npy[3]' 'every third page'
for command in autocorr prepare; do
    refuse 2 '--page needs numbers or ranges from 1, such as 3 or 2,5-9' $command --page 0 -o none stack.npy
    refuse 2 '--channel needs numbers' $command --channel red -o none stack.npy
    refuse 2 '--hdu needs numbers or ranges from 0' $command --hdu SCI -o none stack.npy
    refuse 1 'stack\.npy: has 4 pages, but --page asks for 5' $command --page 5 -o none stack.npy
    refuse 1 'stack\.npy: is no FITS file, so it has no HDU; leave --hdu out' $command --hdu 1 -o none stack.npy
    refuse 1 'f0\.pgm: has 1 channel, but --channel asks for 2' $command --channel 2 -o none frames/f0.pgm
done
expect 0 prepare --register none --no-sheet --page 3 -o prepared stack.npy
holds prepared stack-0002.png stack-0002.mask.png drift.csv
mkdir named
for i in 1 2 3 10 11; do cp frames/f$((i % 4)).pgm named/f$i.pgm; done
expect 0 autocorr ${quick% -q} -o shell named/f1.pgm named/f10.pgm named/f11.pgm named/f2.pgm named/f3.pgm
shows err 'note: named/f2\.pgm comes after a higher number, as the shell lists names'
expect 0 autocorr ${quick% -q} -o shell $(ls -v named/f*.pgm)
[ ! -s err ] || fail 'a word about frames in order'
mkdir incoming
cp stack.npy incoming
expect 0 prepare --register none --no-sheet --page 2-:2 --watch incoming --watch-idle 0.1 -o watched
holds watched .prepare drift.csv report stack-000{1,3}.mask.png stack-000{1,3}.png

# ---- R_max(t) of a series with a known law, 10 + 0.02 t ----
expect 0 sample autocorr -n 8 --width 256 --height 256 --r0 10 --speed 0.02 -q -o grow
expect 0 autocorr --demean mean -R 60 --times grow/times.csv --no-plots --json -o grown grow/frame-*.png
[ ! -s err ] || one_line "by the frames' own errors" # those of a thin ring are too small, which chi-square sees
json '[.frames[].status] | all(. == "ok" or . == "outlier")'
json '.frames | length == 8 and all(.[]; .r_max_se > 0 and .r_max_se < 0.1 * .r_max)'
json '[.frames[].time] == [0, 60, 120, 180, 240, 300, 360, 420]'
json 'all(.frames[]; (.r_max / (10 + 0.02 * .time) - 1) | fabs < 0.06)'
json 'all(.frames[]; .r_min < .r_max and .r_min > 0.4 * .r_max and .c_max > 0.1 and .c_max < 0.4)'
json '.growth[] | select(.model == "linear") | (.parameters.v - 0.02 | fabs) < 0.003 and (.parameters.R0 - 10 | fabs) < 0.8'
json '.growth[] | select(.model == "linear") | .standard_errors.v > 0 and .standard_errors.v < 0.003'
json '[.growth[] | {(.model): .aicc}] | add | .linear < .proportional'
paste -d, <(column grown/series.csv r_max) <(jq -r '.frames[].r_max' out) |
    awk -F, '{ d = $1 - $2; if (d > 1e-9 || d < -1e-9) bad = 1 } END { exit bad || NR != 8 }' ||
    fail "series.csv and the JSON differ"
cp out growth.json
expect 0 autocorr --demean mean -R 60 --times grow/times.csv --no-plots --json -o again grow/frame-*.png
equal "$(jq -S 'del(.seconds, .stages, .outputs)' out)" "$(jq -S 'del(.seconds, .stages, .outputs)' growth.json)" 'a second run'
same again/series.csv grown/series.csv
expect 0 autocorr --demean mean -R 60 --times grow/times.csv --no-plots -o again grow/frame-*.png
shows out '^grow/frame-0000\.png  R_max = (9|10)\.[0-9]+ \+- 0\.[0-9]+ px'
shows out '^growth linear +R0 = .* v = 0\.0[12][0-9]* \+- '
lacks out 'too few'

# ---- fits through as many frames as they have parameters, or one more, say nothing; --json has them all the same ----
expect 0 autocorr --demean mean -R 60 --times grow/times.csv --no-plots -o again grow/frame-000{0,1,2}.png
shows out '^growth proportional +v = [0-9.]+ \+- [0-9.]+( +contradicts the data .*)?$'
lacks out 'growth linear|growth power|nan'
shows out '^growth: too few frames for the other fits$'
expect 0 autocorr --demean mean -R 60 --times grow/times.csv --no-plots --json -o again grow/frame-000{0,1,2}.png
json '.growth[] | select(.model == "linear") | .parameters.v != null and .aicc == null'

# ---- --keep-going: bad frames are reported and skipped, and the series goes on ----
head -c 200 grow/frame-0001.png >cut.png
: >void.png
printf 'hello' >text.png
hash_pixels 30 20 | pgm 30 20 >size.pgm
{ printf 'P5 24 20 65535\n' && awk '{ printf "%04x", $1 }' 0.pixels | bytes "$(cat)"; } >depth.pgm
refuse 1 'cut\.png' autocorr $quick -o none cut.png frames/f0.pgm
expect 1 autocorr --keep-going $quick --json -o kept cut.png frames/f0.pgm void.png text.png missing.png size.pgm frames/f1.pgm depth.pgm frames
equal "$(wc -l <err)" 7 'lines on stderr'
for bad in cut.png void.png text.png missing.png size.pgm depth.pgm frames; do
    equal "$(grep -c "skipped: $bad" err)" 1 "lines about $bad"
done
holds kept f0.c2d.npy f0.c1d.csv f1.c2d.npy f1.c1d.csv series.csv
equal "$(column kept/series.csv status | grep -c error)" 7 'rows with an error'
equal "$(column kept/series.csv index | paste -sd ' ')" '0 1 2 3 4 5 6 7 8' 'column index'
json '[.frames[] | select(.status == "error") | .r_max] == [null, null, null, null, null, null, null]'
json '[.frames[] | select(.status != "error") | .file] == ["frames/f0.pgm", "frames/f1.pgm"]'
same kept/f1.c2d.npy t/f1.c2d.npy

# ---- a first frame that cannot start a series is skipped like any other ----
printf 'P5 1 1 255\nx' >dot.pgm
npy '<f8' '20, 24' $(for ((i = 0; i < 479; i++)); do echo 000000000000f03f; done) 000000000000f07f >infinite.npy
npy '<f8' '20, 24' $(for ((i = 0; i < 480; i++)); do printf '%04x00000000f03f\n' $((i * 977 % 65536)); done) >good.npy
expect 1 autocorr --keep-going $quick -o first infinite.npy good.npy
one_line 'skipped: infinite\.npy.*infinite'
holds first good.c2d.npy good.c1d.csv series.csv
expect 1 autocorr --keep-going $quick -o dot dot.pgm frames/f0.pgm frames/f1.pgm
one_line 'skipped: dot\.pgm'
holds dot f0.c2d.npy f0.c1d.csv f1.c2d.npy f1.c1d.csv series.csv

# ---- what helps where C1D still rises is said of frames that ran ----
expect 0 sample autocorr -q -n 2 --width 128 --height 128 --r0 20 -o rising
expect 1 autocorr --keep-going --no-plots -R 18 -o risen cut.png rising/frame-0000.png rising/frame-0001.png
shows err 'in 2 of 3 frames C1D still rises at the largest offset; a larger -R may reach its peak'

# ---- none left ----
expect 1 autocorr --keep-going $quick -o nothing cut.png missing.png
equal "$(grep -c 'skipped: ' err)" 2 'skipped frames'
shows err 'no frame could be used'
no_temporaries .
