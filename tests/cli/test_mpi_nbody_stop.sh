# penta nbody in ranks that are told to stop, or killed, leaves a checkpoint, which goes on elsewhere with the same bits.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"

options='--ic plummer -n 3000 --seed 7 --diagnose-every 10'
expect_ranks 0 3 nbody $options -q --steps 1 -o warm # its kernels are compiled and cached now

continues() # FOLDER STEPS: what is in it after so many steps goes on in one process, and is that of one
{
    expect 0 nbody --restart "$1/checkpoint.bin" --steps 3 -o "$1"
    expect 0 nbody $options --steps $(($2 + 3)) -o "un$1"
    same "un$1/final.npy" "$1/final.npy"
}

# SIGTERM to all ranks, as Slurm does, and to one that is not the first.
for who in '0 1 2' 1; do
    rm -rf stopped unstopped
    begin_ranks 3 nbody $options --steps 100000000 --snapshot-every 5 -o stopped
    await stopped/snapshot_000005.npy
    # shellcheck disable=SC2086
    signal_ranks TERM $who
    ended_by 'interrupted after [0-9]+ of 100000000 steps; --restart stopped/checkpoint.bin goes on'
    continues stopped "$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)"
done

# A rank is killed: mpirun names it, and the last snapshot has a checkpoint.
rm -rf killed unkilled
export PENTACL_MPI_TIMEOUT=5 # of ranks that wait for the one that is gone, and are not killed by mpirun
begin_ranks 3 nbody $options --steps 100000000 --snapshot-every 5 -o killed
for ((i = 0; i < 600; i++)); do # the file itself
    [ ! -e killed/checkpoint.bin ] || break
    sleep 0.05
done
signal_ranks KILL 1
killed_by_name 1
unset PENTACL_MPI_TIMEOUT
last=$(printf '%s\n' killed/snapshot_*.npy | tail -1 | grep -Eo '[0-9]+')
continues killed $((10#$last))
no_temporaries killed

# A rank that has failed, while rank 0 does something else for long, ends the job.
cat >chosen <<'END'
#!/bin/bash
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export PENTACL_DEVICE=nosuch
exec "$PENTA" nbody --ic plummer -n 5000000 --steps 1 -o late
END
chmod +x chosen
export PENTA
code=0
PENTACL_MPI_TIMEOUT=0.05 "${launch[@]}" -n 2 ./chosen >out 2>raw </dev/null || code=$?
[ "$code" -ne 0 ] || fail 'the exit code is 0'
grep -q "penta nbody: error: rank 1 (.*): no OpenCL device matches 'nosuch'" raw || fail "rank 1 does not say why: $(cat raw)"
absent late
