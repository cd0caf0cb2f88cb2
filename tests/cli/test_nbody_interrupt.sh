# Ctrl-C and SIGTERM in penta nbody: the step ends, a checkpoint is left, one line, the signal as the end; --restart goes on with it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

options='--ic plummer -n 1000 --seed 7 --diagnose-every 10'
expect 0 nbody $options --steps 1 -o warm # its kernels are compiled and cached now

interrupt() # SIGNAL SNAPSHOT-EVERY WAIT-FOR FLAG...
{
    local signal=$1 every=$2 file=stopped/$3

    shift 3
    rm -rf stopped
    begin nbody $options --steps 100000000 --snapshot-every $every "$@" -o stopped
    await $file
    sleep 0.3 # some steps more
    interrupted "$signal" 'interrupted after [0-9]+ of 100000000 steps; --restart stopped/checkpoint.bin goes on'
    no_temporaries stopped
    absent stopped/final.npy
}

while read -r signal every file; do
    interrupt $signal $every $file
    steps=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
    [ "$steps" -ge 1 ] || fail "stopped after $steps steps"
    equal "$(column stopped/diagnostics.csv step | tail -1)" "$steps" 'last row'
    expect 0 nbody --restart stopped/checkpoint.bin --steps 13 -o stopped
    expect 0 nbody $options --steps $((steps + 13)) -o whole
    for f in final.npy diagnostics.csv lagrangian.csv; do
        same whole/$f stopped/$f
    done
done <<'END'
INT 20 snapshot_000020.npy
TERM 1000000 snapshot_000000.npy
END
interrupt INT 20 snapshot_000020.npy --json -q

# A step of hours: the signal breaks it off. gpu1 has one work-item for all pairs, 4e10 of them.
begin nbody --ic plummer -n 200000 --kernel gpu1 --eps 0.05 --diagnose-every 1000 --steps 3 -o hours
await hours
sleep 2
started=$SECONDS
interrupted TERM 'interrupted(; nothing was written| before the first step; nothing was written| after 0 of 3 steps; --restart hours/checkpoint.bin goes on)'
[ $((SECONDS - started)) -le 60 ] || fail "took $((SECONDS - started)) s to stop"
