# penta stars on several devices: frames of a track are handed out, one frame is divided by rows; the files of one
# device. One device stands for several: named twice or three times, it is divided where it can be, and shared where not.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample stars --frames 9 -o sky -q
printf 'x,y,magnitude\n10,10,3\n20,nan,4\n' >bad.csv

# The same exit code, errors and files as on one device; ARGUMENT... but -d, -o and --truth.
alike() # NAME CODE ARGUMENT...
{
    local name=$1 wanted=$2 list

    shift 2
    mkdir -p "of-$name/$one" "of-$name/$two" "of-$name/$three"
    for list in $one $two $three; do
        cd "of-$name/$list" || fail "no folder for $list"
        expect "$wanted" stars "$@" -d "$list" -q
        cd ../..
        [ "$list" = "$one" ] && continue
        diff "of-$name/$one/err" "of-$name/$list/err" >differences || fail "$name on $list: $(cat differences)"
        diff -r -x .penta-run.json -x out -x err "of-$name/$one" "of-$name/$list" >differences ||
            fail "$name on $list: $(cat differences)"
    done
}

small='--fov 30 --size 300x200'
alike track 0 --track ../../sky/track.csv $small --truth truth -o frames
! has_format fits ||
    alike noisy 0 --track ../../sky/track.csv $small --rate 0,0.2,0 --exposure 0.5 --zero-point 16 --read-noise 12 --format fits -o frames
alike double 0 --track ../../sky/track.csv $small --engine pixel --precision double --psf moffat --format npy -o frames
[ -e of-track/$three/frames/frame-0008.png ] || fail 'the last frame is missing'

alike fixed 0 --random 20000 --seed 7 --engine fixed --size 301x203 --truth truth.csv -o frame.npy
alike moving 0 --attitude 83.8,-1.2,0 --rate 1,2,0 --exposure 0.5 --zero-point 16 --read-noise 12 --bits 12 --size 300x211 \
    --truth truth.csv -o frame.png
alike pixel 0 --attitude 83.8,-1.2,0 --engine pixel --precision double --size 100x2 -o frame.npy
awk -v OFS=, 'BEGIN { print "x,y,mag,mx,my"; for (i = 0; i < 300; i++) print i, i * 7 % 200, i % 9, 40, i % 60 }' >moves.csv
alike long 0 --list ../../moves.csv --engine fixed --size 300x200 --truth truth.csv -o frame.npy
alike bad 1 --list ../../bad.csv --engine fixed --size 64x64 -o frame.npy

# A track whose fourth frame cannot be written.
for list in $one $three; do
    mkdir -p "blocked-$list/frame-0003.png/x"
    expect 1 stars --track sky/track.csv $small -d $list -o "blocked-$list" -q
    grep -q 'frame-0003.png' err || fail "on $list: $(cat err)"
    holds "blocked-$list" frame-0003.png
done

# Ctrl-C
awk 'NR == 1 { print } NR == 2 { for (i = 0; i < 20000; i++) print }' sky/track.csv >long.csv
begin stars --track long.csv $small -d $two -o stopped
await stopped/frame-0005.png
interrupted INT 'interrupted after [0-9]+ of 20000 frames; what was finished is kept'
equal "$(find stopped -name 'frame-*.png' | wc -l)" "$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)" 'frames kept'

# Who did what.
expect 0 stars --track sky/track.csv $small -d $two --json -o told
json '[.ranks[].rank] == [0, 1]'
json '[.ranks[] | .host != "" and .device != "" and .seconds >= 0] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
expect 0 stars --random 1000 --engine fixed -d $three --json -o told.npy
json '[.ranks[].share] | length == 3 and (map(. > 0.3) | all)'
json '.stars_drawn == 1000'
expect 0 stars --random 10 -d $one --json -o told-1.npy
json 'has("ranks") | not'

# What works on one device alone says so.
refuse 2 'one frame is drawn on one device, and -d names 2; --engine fixed and pixel divide it' stars --random 10 -d $two -o none.npy
refuse 2 'without double precision one frame is drawn on one device' stars --random 10 -d $two --engine fixed --fp64 never -o none.npy
absent none.npy
