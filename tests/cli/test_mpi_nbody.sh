# penta nbody in several ranks of mpirun leaves the files of one process, to the byte, and fails as one does.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"

printf 'mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,0,0,0,1,0,0\n' >met.csv # two bodies at one place
printf 'x,y,z\n0,0,0\n1,2,3\n-4,0.5,0\n' >points.csv

times='interactions/s'
# Each pair once and with pictures, bodies that move apart from others, fewer bodies than ranks, forces at other points.
counts='1 2 4' alike pairs 0 nbody --ic plummer -n 3001 --steps 12 --snapshot-every 6 --diagnose-every 4 --frames --size 64 -q
counts=3 alike block 0 nbody --ic plummer -n 601 --eps 0 --integrator hermite4 --step-mode block --steps 3 --snapshot-every 1 -q
counts=3 alike two 0 nbody --ic ngon -n 2 --steps 30 -q
counts=2 alike field 0 nbody --ic plummer -n 1501 --forces-only --points points.csv -q

# Errors are those of one process, in one line.
counts=3 alike met 1 nbody --input met.csv --eps 0 --steps 3 -q
grep -q 'bodies 0 and 1 are at one place' met.err || fail "$(cat met.err)"
counts=2 alike missing 1 nbody --input missing.csv --steps 3 -q
expect_ranks 2 2 nbody --ic plummer -n 10 --steps 3
[ "$(wc -l <err)" -eq 1 ] || fail 'wrong usage is not one line'

# A checkpoint goes on on any number of ranks.
options='--ic plummer -n 1201 --diagnose-every 2 --integrator hermite4 --step-mode block'
expect 0 nbody $options --steps 8 -o whole
expect_ranks 0 2 nbody $options --steps 4 -o half-1
cp -r half-1 half-3
expect 0 nbody --restart half-1/checkpoint.bin --steps 4 -o half-1
expect_ranks 0 3 nbody --restart half-3/checkpoint.bin --steps 4 -o half-3
for f in final.npy diagnostics.csv lagrangian.csv checkpoint.bin; do
    same whole/$f half-1/$f
    same whole/$f half-3/$f
done

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

# Who did what.
expect_ranks 0 3 nbody --ic plummer -n 4001 --steps 2 --json -o told
json '[.ranks[].rank] == [0, 1, 2]'
json '[.ranks[] | .host != "" and .device != "" and .seconds > 0 and .share > 0.25 and .share < 0.4] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-6'
[ "$(jq -s length out)" -eq 1 ] || fail 'there is more than one answer'
expect_ranks 0 2 nbody --ic plummer -n 40 --steps 2 -o said
[ "$(grep -c '^rank [01]: .*, device [0-9].*% of the work, kernels' out)" -eq 2 ] || fail "$(cat out)"
