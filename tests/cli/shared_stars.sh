# penta stars that several share: frames of a track are handed out; the files of one device.
. "$(dirname "${BASH_SOURCE[0]}")/shared.sh"

expect 0 sample stars --frames 9 -o sky -q
printf 'x,y,magnitude\n10,10,3\n20,nan,4\n' >bad.csv
small='--fov 30 --size 300x200'

# ---- tracks; the truth goes to a folder within that of the frames, to the same one, or to another ----
counts=$wide alike track 0 stars -q --track sky/track.csv $small
exists track/frame-0008.png
format=npy
! has_format fits || format=fits
alike noisy 0 stars -q --track sky/track.csv $small --rate 0,0.2,0 --exposure 0.5 --zero-point 16 --read-noise 12 --format $format
alike double 0 stars -q --track sky/track.csv $small --engine pixel --precision double --psf moffat --format npy

# In a folder, what is written there by one and by so many.
beside() # NAME N CODE ARGUMENT... but --track
{
    local name=$1 n=$2 wanted=$3

    shift 3
    mkdir -p "$name/1" "$name/$n"
    cd "$name/1" || fail 'no folder'
    expect "$wanted" stars -q "$@" "${alone[@]}"
    cd "../$n" || fail 'no folder'
    team "$wanted" "$n" stars -q "$@"
    rm -f raw
    cd ../..
    diff -r -x .penta-run.json -x out "$name/1" "$name/$n" >differences || fail "$name: $(cat differences)"
    manifests "$name/1" | sed 's/"[0-9a-f]*-.*"//' >one.files
    manifests "$name/$n" | sed 's/"[0-9a-f]*-.*"//' >many.files
    diff one.files many.files >differences || fail "$name, manifests: $(cat differences)"
}
beside below 3 0 --track ../../sky/track.csv $small --truth frames/truth -o frames
beside same 2 0 --track ../../sky/track.csv $small --truth frames -o frames
beside apart 4 0 --track ../../sky/track.csv $small --truth truth -o frames
exists apart/4/truth/frame-0008.truth.csv

# ---- one frame, which the first draws ----
beside alone 3 0 --random 20000 --seed 7 --engine fixed --size 301x203 --truth truth.csv -o frame.npy
beside trails 3 0 --attitude 83.8,-1.2,0 --rate 1,2,0 --exposure 0.5 --zero-point 16 --read-noise 12 --size 300x211 \
    --truth truth.csv -o frame.png
beside bad 2 1 --list ../../bad.csv --engine fixed --size 64x64 -o frame.npy
expect 0 stars -q --random 500 --engine fixed --size 64x48 --format npy -o -
mv out stdout.npy
team 0 2 stars -q --random 500 --engine fixed --size 64x48 --format npy -o -
same out stdout.npy
team 0 3 stars --random 1000 --engine fixed --json -o told.npy
json '[.ranks[].share] == [1, 0, 0]'
json '.stars_drawn == 1000 and .engine == "fixed"'
one_line "one frame is drawn on one device: of 3 $who the first draws it"

# ---- who did what ----
team 0 3 stars --track sky/track.csv $small --json -o told
told 3
json '(.frames | length) == 9 and ([.frames[].stars_drawn] | add) == .stars_drawn'

# ---- failures, told once ----
team 1 3 stars -q --track missing.csv -o none
one_line 'missing.csv'
absent none
mkdir -p blocked/frame-0003.png/x # the fourth frame cannot be written
team 1 3 stars -q --track sky/track.csv $small -o blocked
one_line 'frame-0003.png'
holds blocked frame-0003.png
awk 'NR == 1 { print } NR == 2 { for (i = 0; i < 20000; i++) print }' sky/track.csv >long.csv
if [ "$LAUNCHER" = members ]; then
    expect 0 stars --random 10 -d $one --json -o told-1.npy
    json 'has("ranks") | not'

    # Ctrl-C
    begin stars --track long.csv $small -d $two -o stopped
    await stopped/frame-0005.png
    interrupted INT 'interrupted after [0-9]+ of 20000 frames; what was finished is kept'
    equal "$(find stopped -name 'frame-*.png' | wc -l)" "$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)" 'frames kept'
    exit
fi

# What fails on another rank comes with its name.
cat >chosen <<'END'
#!/bin/bash
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export PENTACL_DEVICE=nosuch
exec "$PENTA" "$@"
END
chmod +x chosen
export PENTA
code=0
"${launch[@]}" -n 2 ./chosen stars --random 10 --engine fixed -o none.npy >out 2>raw </dev/null || code=$?
equal "$code" 1 'exit code'
grep -q "penta stars: error: rank 1 (.*): no OpenCL device matches 'nosuch'" raw || fail "rank 1 is not named: $(cat raw)"
absent none.npy

# ---- SIGTERM, and a rank that is killed ----
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
patience=15
ended()
{
    local done

    equal "$(grep -c 'interrupted after [0-9]* of 20000 frames; what was finished is kept' raw)" 1 'lines about the interruption'
    done=$(grep -Eo 'after [0-9]+' raw | cut -d ' ' -f 2)
    [ "$done" -ge 1 ] && [ "$done" -lt 20000 ] || fail "stopped at frame $done"
    equal "$(find stopped -name 'frame-*.png' | wc -l)" "$done" 'frames kept'
    same stopped/frame-0000.png track/frame-0000.png
}
begin_ranks 2 stars -q --track long.csv $small -o stopped
await stopped/frame-0012.png
signal_ranks TERM 0 1
ended
no_temporaries stopped
rm -rf stopped
begin_ranks 3 stars -q --track long.csv $small -o stopped
await stopped/frame-0012.png
signal_ranks KILL 2
ended
