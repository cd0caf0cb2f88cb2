# penta nbody that several share: the bits, tables and checkpoints of one device, which go on on another number of them.
. "$(dirname "${BASH_SOURCE[0]}")/shared.sh"

printf 'mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,0,0,0,1,0,0\n' >met.csv # two bodies at one place
printf 'x,y,z\n0,0,0\n1,2,3\n-4,0.5,0\n' >points.csv

# Each pair once, and each pair twice; fewer bodies than members; steps of all kinds; forces at other points.
times='interactions/s'
counts="1 $wide" alike pairs 0 nbody --ic plummer -n 3001 --steps 12 --snapshot-every 6 --diagnose-every 4 --frames --size 64 -q
alike few 0 nbody --ic plummer -n 301 --eps 0.01 --steps 40 --precision double --snapshot-every 20 --frames --size 64 -q
alike two 0 nbody --ic ngon -n 2 --steps 30 -q
alike ds 0 nbody --ic plummer -n 501 --precision ds --integrator yoshida4 --steps 5 -q
alike hermite 0 nbody --ic plummer -n 2101 --integrator hermite4 --steps 2 --dt 0.01 -q
alike block 0 nbody --ic plummer -n 601 --eps 0 --integrator hermite4 --step-mode block --steps 3 --snapshot-every 1 -q
alike single 0 nbody --ic plummer -n 401 --fp64 never --steps 4 -q
alike ladder 0 nbody --ic plummer -n 901 --kernel unroll8 --steps 3 -q
alike forces 0 nbody --ic plummer -n 1501 --forces-only -q
counts=2 alike field 0 nbody --ic plummer -n 1501 --forces-only --points points.csv -q

# Errors are those of one device, in one line.
alike met 1 nbody --input met.csv --eps 0 --steps 3 -q
shows met.err 'bodies 0 and 1 are at one place'
alike limit 1 nbody --ic plummer -n 101 --eps 0 --dt 0.5 --steps 30 --max-energy-error 1e-3 -q
shows limit.err 'above --max-energy-error'
counts=2 alike missing 1 nbody --input missing.csv --steps 3 -q
team 2 2 nbody --ic plummer -n 10 --steps 3
one_line '-o DIR is missing'

# A checkpoint goes on on any number of devices.
for way in leapfrog 'hermite4 --step-mode block'; do
    options="--ic plummer -n 1201 --diagnose-every 2 --integrator $way"
    rm -rf whole half half-*
    expect 0 nbody $options --steps 8 "${alone[@]}" -o whole
    team 0 2 nbody $options --steps 4 -o half
    for n in 1 2 3; do
        cp -r half half-$n
        team 0 $n nbody --restart half-$n/checkpoint.bin --steps 4 -o half-$n
        for f in final.npy diagnostics.csv lagrangian.csv checkpoint.bin; do
            same whole/$f half-$n/$f
        done
    done
done

# Who did what.
team 0 3 nbody --ic plummer -n 4001 --steps 2 --json -o told
told 3
json '[.ranks[] | .seconds > 0 and .share > 0.25 and .share < 0.4] | all'
if [ "$LAUNCHER" = members ]; then
    told_alone nbody --ic plummer -n 10 --steps 2

    # Ctrl-C: all members stop, and the rest is the same.
    options='--ic plummer -n 5000 --seed 7 --diagnose-every 10'
    begin nbody $options --steps 100000000 --snapshot-every 5 -d $two -o stopped
    await stopped/snapshot_000005.npy
    interrupted INT 'interrupted after [0-9]+ of 100000000 steps; --restart stopped/checkpoint.bin goes on'
    steps=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
    expect 0 nbody --restart stopped/checkpoint.bin --steps 3 -d $one -o stopped
    expect 0 nbody $options --steps $((steps + 3)) -d $one -o unstopped
    same unstopped/final.npy stopped/final.npy

    # In a step of hours, which is broken off.
    begin nbody --ic plummer -n 200000 --kernel gpu1 --eps 0.05 --diagnose-every 1000 --steps 3 -d $two -o hours
    await hours
    sleep 2
    started=$SECONDS
    interrupted TERM 'interrupted(; nothing was written| before the first step; nothing was written| after 0 of 3 steps; --restart hours/checkpoint.bin goes on)'
    [ $((SECONDS - started)) -le 60 ] || fail "took $((SECONDS - started)) s to stop"
    exit
fi
expect_ranks 0 2 nbody --ic plummer -n 40 --steps 2 -o said
equal "$(grep -c '^rank [01]: .*, device [0-9].*% of the work, kernels' out)" 2 'ranks'

# Every rank writes its part of a file of bodies. One that does not see the file, being elsewhere, leaves its part to rank 0;
# one that has no room for it says so, and nothing of the file is left.
cat >differently <<'END'
#!/bin/bash
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
    case $1 in
    elsewhere) cd / || exit ;;
    full) export PENTA_STEPS_DIR=$PWD/full PENTA_STEPS_BREAK=full LD_PRELOAD=$sanitizer$PENTA_STEPS ;;
    esac
fi
exec "$PENTA" "${@:2}" -o "$1"
END
chmod +x differently
sanitizer=$(ldd "$PENTA" | awk '/lib[at]san/ { printf "%s:", $3 }') # it must come first
: "${PENTA_STEPS:?the library to preload}"
export PENTA PENTA_STEPS sanitizer
line='nbody --ic plummer -n 1001 --steps 2 --snapshot-every 1 -q'
expect 0 $line -o here
"${launch[@]}" -n 3 ./differently elsewhere $line >out 2>err </dev/null || fail "exit code $?: $(cat err)"
diff -r -x .penta-run.json -x .penta-resume here elsewhere >differences || fail "with a rank elsewhere: $(cat differences)"
mkdir full
code=0
"${launch[@]}" -n 3 ./differently full $line >out 2>err </dev/null || code=$?
equal "$code" 1 'exit code'
shows err 'penta nbody: error: full/snapshot_000000.npy: cannot be written: No space left on device'
absent full/snapshot_000000.npy
no_temporaries full
