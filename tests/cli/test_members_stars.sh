# penta stars on several devices: frames of a track are handed out; the files of one device. One device stands for several: named twice or three times, it is divided where it can be, and shared where not.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample stars --frames 9 -o sky -q

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
expect 0 stars --random 10 -d $one --json -o told-1.npy
json 'has("ranks") | not'

# One frame is not divided: the first device draws it, and a note says so.
for list in $one $three; do
    expect 0 stars --attitude 83.8,-1.2,0 --rate 1,2,0 --exposure 0.5 --zero-point 16 --read-noise 12 --size 300x211 \
        --truth truth.csv --json -d "$list" -o "frame-$list.png"
    mv truth.csv "truth-$list.csv"
done
same "frame-$one.png" "frame-$three.png"
same "truth-$one.csv" "truth-$three.csv"
one_line 'one frame is drawn on one device: of 3 devices the first draws it'
json '[.ranks[].share] == [1, 0, 0]'
