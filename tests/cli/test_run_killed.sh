# Runs that are killed: before each step that changes the output directory (tests/kill/steps.h), with power cuts there, and
# at any time. The next run, or the next reader, finds all files of a run or none. PENTA_STEPS: the library to preload;
# PENTA_STATES: the program that looks at what was left.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

: "${PENTA_STEPS:?the library to preload}" "${PENTA_STATES:?the program that looks at states}"
sanitizer=$(ldd "$PENTA" | awk '/lib[at]san/ { printf "%s:", $3 }') # it must come first

expect 0 sample pca -q -o in
expect 0 sample autocorr -q -n 3 --width 64 --height 64 -o frames
expect 0 sample stars -q -o sky
expect 0 sample optmap --kind plane -q -o movies
images=(frames/*.png)

# A directory with the results of an earlier run, then the same with others: OUT/ before, and what each step left.
steps() # COUNT OLD... -- NEW...: two lines of the command without -o; COUNT: states from before the second to after it
{
    local count=$1 old=() found

    shift
    while [ "$1" != -- ]; do
        old+=("$1")
        shift
    done
    shift
    rm -rf res old copies
    mkdir copies
    expect 0 "${old[@]}" -q -o res
    cp -r res old
    PENTA_STEPS_DIR=$PWD/res PENTA_STEPS_COPY=$PWD/copies LD_PRELOAD=$sanitizer$PENTA_STEPS expect 0 "$@" -q -o res
    "$PENTA_STATES" copies old res "$count" >states 2>wrong || fail "$(cat wrong)"
    read -ra found <states
    [ "${found[0]}" -ge 10 ] && [ "${found[-1]}" -ge 4 ] || fail "few steps: $(cat states)"
}

# ---- each step ----
steps 2 pca -k 2 in/exact.npy -- pca -k 3 --filter in/exact.npy
cmp -s old/model.json res/model.json && fail 'the runs do not differ'
steps 2 autocorr --no-plots -R 8 "${images[@]}" -- autocorr --no-plots -R 9 --numerators "${images[@]:0:2}"
steps 4 nbody --ic plummer -n 64 --steps 4 -- nbody --ic plummer -n 64 --seed 2 --steps 4 --snapshot-every 2

# ---- really killed at some of these steps, then at any time: the old files or the new ones ----
state_is() # DIR OLD NEW: which of both it is, in `state`
{
    "$PENTA_STATES" --settle "$1" || fail "$1 cannot be settled"
    find "$1" -mindepth 1 -type d -empty -delete # directories are made before their files
    no_temporaries "$1"
    if diff -rq -x .penta-run.json "$1" "$2" >differ; then
        state=old
    elif diff -rq -x .penta-run.json "$1" "$3" >>differ; then
        state=new
    else
        fail "$1 is neither $2 nor $3: $(cat differ)"
    fi
}

prepare_states() # COMMAND...: states/old and states/new
{
    rm -rf before new
    mkdir before
    echo 'of another program' >before/notes.txt
    cp -r before new
    expect 0 "$@" -q -o new
}

killed_at() # STEP COMMAND...
{
    local step=$1

    shift
    rm -rf res
    cp -r before res
    PENTA_STEPS_DIR=$PWD/res PENTA_STEPS_KILL=$step LD_PRELOAD=$sanitizer$PENTA_STEPS run "$@" -q -o res
    equal "$code" 137 'exit code'
    state_is res before new
}

killed_after() # SECONDS COMMAND...
{
    local pause=$1 process

    shift
    rm -rf res
    cp -r before res
    last=("$@" "killed after $pause s")
    "$PENTA" "$@" -q -o res >out.txt 2>err </dev/null &
    process=$!
    sleep "$pause"
    kill -s KILL "$process" 2>/dev/null || :
    wait "$process" 2>/dev/null || :
    state_is res before new
}

prepare_states pca --filter in/exact.npy
killed_at 3 pca --filter in/exact.npy
equal "$state" old 'what is there'
killed_at 12 pca --filter in/exact.npy
for command in "stars --track sky/track.csv --fov 30 --size 64x64" "optmap --rate 1000 --no-report movies/movie.npy" \
    "prepare --no-sheet ${images[*]}" 'sample prepare -n 4'; do
    prepare_states $command
    for i in 1 2; do
        killed_after 0.$((RANDOM % 1000 + 1000)) $command
    done
done

# ---- a reader of what a run that was killed late in its commit has left finds its files ----
rm -rf res copies old
mkdir copies
expect 0 pca -q -k 2 -o res in/exact.npy
cp -r res old
PENTA_STEPS_DIR=$PWD/res PENTA_STEPS_COPY=$PWD/copies LD_PRELOAD=$sanitizer$PENTA_STEPS expect 0 pca -q -k 3 -o res in/exact.npy
expect 0 pca -q --inverse res/model.json -o back res/components.npy
found=0
for copy in $(ls -rd copies/0????); do
    ! diff -rq "$copy" res >/dev/null || continue
    run pca -q --inverse "$copy/model.json" -o back2 "$copy/components.npy"
    equal "$code" 0 "exit code of a reader of $copy"
    same back2/reconstructed.npy back/reconstructed.npy
    state_is "$copy" old res
    equal "$state" new "what is in $copy"
    found=$((found + 1))
    [ $found -lt 2 ] || break
done
[ $found -gt 0 ] || fail 'no copy is within the commit'
