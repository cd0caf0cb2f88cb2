# penta prepare --watch: frames as they arrive, in the order of their names; a run that is killed, wherever it is, and
# begun again gives the same bytes as one that was not; and what is refused.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample prepare -q -n 9 --width 128 --height 144 --r0 12 --speed 0.3 --drift 4 -o s
options='--watch-every 0.05 --interval 60 --batch 2'
files()
{
    echo drift.csv
    echo report/series.csv
    echo report/sheet.png
    for f in in/*.png; do
        f=${f##*/}
        echo "${f%.png}.png ${f%.png}.mask.png"
    done
}

same_series() # DIR DIR
{
    local f

    for f in $(files); do
        same "$1/$f" "$2/$f"
    done
    exists "$2/report/growth.svg"
    no_temporaries "$2"
}

done_in() # DIR: frames in the state
{
    [ -e "$1/.prepare/state.json" ] && jq '.files | length' "$1/.prepare/state.json" || echo 0
}

wait_for() # DIR FRAMES
{
    local i

    for ((i = 0; i < 1200; i++)); do
        [ "$(done_in "$1")" -ge "$2" ] && return
        sleep 0.05
    done
    fail "$1 does not get $2 frames"
}

# ---- all at once: as without watching, and as penta autocorr finds R_max ----
cp -r s in
rm -rf in/clean in/truth in/*.csv
expect 0 prepare --watch in $options --watch-idle 0.3 --json -o whole
silent
json '.command == "prepare" and (.frames | length) == 9 and all(.frames[]; .status == "ok" and .r_max > 11 and .r_max < 16)'
json '[.growth[].model] == ["proportional", "linear", "power"]'
shows whole/report/series.csv '^8,in/frame-0008\.png,480,1[0-9.]+,'
equal "$(column whole/report/series.csv r_max | jq -s -c 'map(. + 0)')" "$(jq -c '[.frames[].r_max + 0]' out)" 'r_max in series.csv'
exists whole/report/sheet.png $(pictures whole/report/growth)
expect 0 prepare -q --no-sheet -o plain in/*.png
for f in drift.csv frame-000{0..8}.png frame-000{0..8}.mask.png; do
    same plain/$f whole/$f
done
expect 0 autocorr -q --no-plots --estimator unbiased --demean mean -o ac plain/*.png
for c in r_max r_max_se c_max r_min c_min; do
    equal "$(column ac/series.csv $c)" "$(column whole/report/series.csv $c)" "$c by penta autocorr"
done

# ---- again: nothing new, nothing changed ----
cp -r whole before
expect 0 prepare --watch in $options --watch-idle 0.2 --json -o whole
silent
json '(.frames | length) == 9'
same_series before whole

# ---- killed between frames, and in the middle of one ----
begin() # DIR
{
    "$PENTA" prepare --watch in $options -o "$1" >out 2>err </dev/null &
    process=$!
    last=("prepare --watch in -o $1")
}

killed()
{
    kill -s KILL $process || fail 'the run was over before it was killed'
    { wait $process; } 2>/dev/null
}

mv in all
mkdir in
for ((i = 0; i < 3; i++)); do # (test_prepare_watch_killed.sh: wherever it writes)
    begin cut
    wait_for cut $i
    cp all/frame-000$i.png in/
    case $i in
        0) wait_for cut $((i + 1)) ;;          # its state is written
        1) for ((k = 0; k < 1200; k++)); do    # its files are, or are being written
               [ -z "$(find cut -name "frame-000$i.*")" ] || break
               sleep 0.01
           done ;;
        2) sleep 0.3 ;;                        # anywhere
    esac
    killed
done
cp all/frame-000{3..8}.png in/
touch cut/frame-0003.png.tmp.penta.999999999.4 cut/.prepare/key-77.npy # as a run that is killed may leave them
expect 0 prepare -q --watch in $options --watch-idle 0.5 -o cut
same_series whole cut
absent cut/.prepare/key-77.npy
equal "$(done_in cut)" 9 'frames in the state'

# ---- Ctrl-C is the usual end ----
rm -rf stopped
begin stopped
wait_for stopped 3
kill -s INT $process
code=0
wait $process || code=$?
equal "$code" 130 'exit code after Ctrl-C'
silent
shows out '^in/frame-0000\.png  dx = 0\.00  dy = 0\.00 px  \(score 1\.000\)  R_max = 1[0-9.]+ px$'
shows out '^results in stopped$'
expect 0 prepare -q --watch in $options --watch-idle 0.5 -o stopped
same_series whole stopped

# ---- one writer at a time ----
begin stopped
sleep 0.5
code=0
"$PENTA" prepare --watch in -o stopped >out2 2>err2 </dev/null || code=$?
kill -s INT $process
wait $process
equal "$code" 1 'exit code of the second'
shows err2 'stopped: another run writes there'

# ---- the illumination of the series, and its contrast, are kept too ----
more='--flatten series --contrast 1,99 --contrast-of first --register rigid'
mv in rest
mkdir in
cp all/frame-000{0,1}.png in/
refuse 1 'needs at least 3 frames' prepare -q --watch in $options $more --watch-idle 0.3 -o lit
absent lit
cp all/frame-000{2,3,4}.png in/
expect 0 prepare -q --watch in $options $more --watch-idle 0.3 -o lit
cp -r lit lit2
expect 0 prepare -q --watch in $options $more --watch-idle 0.3 -o lit2
same_series lit lit2
cp all/frame-000{5,6,7,8}.png in/
expect 0 prepare -q --watch in $options $more --watch-idle 0.3 -o lit
cp in/frame-000[78].png . && rm in/frame-000[78].png
expect 0 prepare -q --watch in $options $more --watch-idle 0.3 -o lit2
mv frame-000[78].png in/
expect 0 prepare -q --watch in $options $more --watch-idle 0.3 -o lit2
same_series lit lit2
rm -rf in

# ---- names: other files are passed over; 9 before 10; one that comes too late is named once ----
mkdir in
cp all/frame-0000.png in/f-9.png
cp all/frame-0001.png in/f-10.PNG
cp all/frame-0002.png in/.f-11.png
mkdir in/f-12.png
echo text >in/notes.txt
expect 0 prepare -q --watch in $options --watch-idle 0.3 -o names
equal "$(cut -d, -f1,2 names/drift.csv | tail -n +2 | paste -sd ' ')" '0,in/f-9.png 1,in/f-10.PNG' 'order of the frames'
cp all/frame-0003.png in/f-8.png
cp all/frame-0002.png in/f-10.tif
expect 0 prepare --watch in $options --watch-idle 0.5 -o names
equal "$(grep -c 'f-8\.png is left out: it comes before' err)" 1 'lines about the late frame'
exists names/f-10.png names/f-10-2.png

# ---- bad frames: named, left out, the series goes on ----
head -c 2000 all/frame-0000.png >in/f-20.png
hash_pixels 20 20 | pgm 20 20 >in/f-21.pgm
cp all/frame-0003.png in/f-22.png
expect 1 prepare --watch in $options --watch-idle 0.5 --json -o names
json '[.frames[].status] == ["ok", "ok", "ok", "error", "error", "ok"]'
shows err 'skipped: in/f-20\.png'
shows err 'skipped: in/f-21\.pgm is 20 x 20'
equal "$(wc -l <names/drift.csv)" 5 'lines of drift.csv'
shows names/report/series.csv '^3,in/f-20\.png,180,.*,error$'
expect 0 prepare -q --watch in $options --watch-idle 0.2 -o names # not named again
lacks err skipped
cp in/f-20.png in/f-30.png
expect 1 prepare -q --keep-going --watch in $options --watch-idle 0.3 -o names
shows err 'skipped: in/f-30\.png'

# ---- a frame that was left out is taken again once it has changed, in its place; others stay as they are ----
rm -rf in
mkdir in
watch="prepare --watch in $options"
cp all/frame-0000.png all/frame-0002.png in/
head -c 2000 all/frame-0001.png >in/frame-0001.png
expect 1 $watch --watch-idle 0.3 --json -o mended
json '[.frames[].status] == ["ok", "error", "ok"]'
cp -r mended unmended
expect 0 $watch --watch-idle 0.2 --json -o mended # it has not changed
json '[.frames[].status] == ["ok", "error", "ok"]'
lacks err skipped
head -c 2500 all/frame-0001.png >in/frame-0001.png # after a restart: more of it, not all
expect 1 $watch --watch-idle 0.3 --json -o mended
json '[.frames[].status] == ["ok", "error", "ok"]'
equal "$(grep -c 'skipped: in/frame-0001\.png' err)" 1 'lines about the frame'
cp all/frame-000{1,3}.png in/ # all of it, and a frame more
expect 0 $watch --watch-idle 0.3 -o mended
lacks err skipped
equal "$(grep -o '^in/frame-000.' out | paste -sd ' ')" 'in/frame-0001 in/frame-0003' 'frames that were run'
cp -r in half
rm half/frame-0001.png
expect 0 prepare -q --no-sheet -o plain half/*.png # what came after is as without it
equal "$(cut -d, -f1,2 mended/drift.csv | tail -n +2 | paste -sd ' ')" \
    '0,in/frame-0000.png 1,in/frame-0001.png 2,in/frame-0002.png 3,in/frame-0003.png' 'order of the frames'
equal "$(grep -v frame-0001 mended/drift.csv | cut -d, -f3-)" "$(cut -d, -f3- plain/drift.csv)" 'drifts of the others'
for f in frame-000{2,3}.png frame-000{2,3}.mask.png; do
    same plain/$f mended/$f
done
expect 0 prepare -q --no-sheet -o plain all/frame-000{0..3}.png # and it is as it would have been here
same plain/frame-0001.png mended/frame-0001.png
same plain/frame-0001.mask.png mended/frame-0001.mask.png
absent mended/frame-0001-2.png
shows mended/report/series.csv '^1,in/frame-0001\.png,60,1[0-9.]+,.*,ok$' # with its own time
shows mended/report/series.csv '^3,in/frame-0003\.png,180,'
no_temporaries mended
rm -rf before
cp -r mended before
expect 0 $watch --watch-idle 0.2 -q -o mended
same before/drift.csv mended/drift.csv
same before/.prepare/state.json mended/.prepare/state.json

begin unmended # in one process: it is named, then it changes
head -c 2200 all/frame-0001.png >in/frame-0001.png
wait_for unmended 4
for ((i = 0; i < 400; i++)); do
    grep -q 'skipped: in/frame-0001' err && break
    sleep 0.05
done
cp all/frame-0001.png in/
for ((i = 0; i < 400; i++)); do
    grep -q frame-0001 unmended/drift.csv && break
    sleep 0.05
done
kill -s INT $process
code=0
wait $process || code=$?
equal "$code" 130 'exit code when what was left out has been mended'
equal "$(cut -d, -f2 unmended/drift.csv)" "$(cut -d, -f2 mended/drift.csv)" 'frames by one process'
equal "$(grep -v frame-0001 unmended/drift.csv)" "$(grep -v frame-0001 mended/drift.csv)" 'drifts by one process'

# ---- no frame that can be read yet is no end ----
rm -rf in half
mkdir in
head -c 2000 all/frame-0000.png >in/frame-0000.png
expect 1 $watch --watch-idle 0.3 -o early
one_line 'none of 1 file can be read yet; the first: in/frame-0000\.png: '
absent early
begin early
for ((i = 0; i < 400; i++)); do
    grep -q 'can be read yet' err && break
    sleep 0.05
done
cp all/frame-0001.png in/
wait_for early 2
cp all/frame-0000.png in/
for ((i = 0; i < 400; i++)); do
    [ "$(cut -d, -f2 early/drift.csv | paste -sd ' ')" = 'file in/frame-0000.png in/frame-0001.png' ] && break
    sleep 0.05
done
kill -s INT $process
code=0
wait $process || code=$?
equal "$code" 130 'exit code'
equal "$(jq -c '[.files[].skipped]' early/.prepare/state.json)" '[false,false]' 'frames left out'

# ---- pages of a file, and colour, over a restart ----
mkdir stack
hash_pixels 64 48 | awk '{ printf "%02x%02x%02x\n", $1, 255 - $1, 7 }' >hex
{ printf 'P6 64 48 255\n' && bytes "$(tr -d '\n' <hex)"; } >colour.ppm
cat colour.ppm colour.ppm colour.ppm >stack/a.ppm
expect 0 prepare -q --watch stack $options --watch-idle 0.3 -o pages
cp colour.ppm stack/b.ppm
expect 0 prepare -q --watch stack $options --watch-idle 0.3 -o pages
equal "$(cut -d, -f2 pages/drift.csv | tail -n +2 | paste -sd ' ')" \
    'stack/a.ppm[0] stack/a.ppm[1] stack/a.ppm[2] stack/b.ppm' 'frames of a stack'
expect 0 prepare -q --no-sheet -o pages2 stack/a.ppm stack/b.ppm
for f in drift.csv a-000{0,1,2}.png a-000{0,1,2}.mask.png b.png b.mask.png; do
    same pages2/$f pages/$f
done

# ---- refused ----
rm -rf in && mkdir in
cp all/frame-0000.png in/f-9.png
echo text >in/notes.txt
refuse 2 'in names has dust_limit 5, not 6' prepare --watch in --dust-limit 6 -o names
refuse 2 'in names has format "png", not "npy"' prepare --watch in --format npy -o names
refuse 2 'in is where frames arrive' prepare --watch in -o in
refuse 2 'in is where frames arrive' prepare --watch in -o ./in/../in
refuse 1 'nowhere: cannot be watched' prepare --watch nowhere -o new
refuse 1 'notes\.txt: is no directory' prepare --watch in/notes.txt -o new
absent new
refuse 2 'takes its frames from a directory' prepare --watch in -o new in/f-9.png
refuse 2 'smooth-drift needs the whole series' prepare --watch in --smooth-drift 2 -o new
rm names/.penta-run.json # which knows what the state was
for text in '' '{' '[]' '{"version": 2}' '{"version": 1}' '{"version": 1, "recipe": {}, "input": {}}'; do
    printf '%s' "$text" >names/.prepare/state.json
    refuse 1 'names/\.prepare/state\.json: is ' prepare --watch in -o names
done
