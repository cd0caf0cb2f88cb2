# What mpirun starts: devices in turn, commands that run on one rank, and those that refuse to run on several.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Whether there is MPI or not, a command that cannot divide its work does not run N times. The environment is mpirun's.
drawn='sample stars --frames 2'
OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 expect 2 $drawn -o refused
[ "$(wc -l <err)" -eq 1 ] || fail 'the refusal is not one line'
grep -q 'mpirun has started 4 processes, and this command does not divide its work between ranks yet' err || fail 'no reason'
[ ! -e refused ] || fail 'something was written'
OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2 expect 0 $drawn -o refused # rank 0 speaks
[ ! -s err ] && [ ! -s out ] && [ ! -e refused ] || fail 'another rank than 0 speaks or writes'
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2 expect 2 autocorr -o refused refused.png
grep -q 'srun --mpi=pmix' err || fail 'srun without PMIx is not explained'
SLURM_PROCID=0 SLURM_NTASKS=2 expect 0 stars --random 5 --size 8x8 -o batch.png # a batch script is no step
PENTACL_MPI=off OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2 expect 0 $drawn -o own
[ -e own ] || fail 'PENTACL_MPI=off does not run the job'
OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 expect 0 version
[ ! -s out ] || fail 'another rank than 0 speaks'

# A build without MPI, which a folder without the library is too, says so.
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
mkdir -p without/bin without/lib
cp "$PENTA" without/bin/penta
cp -L "${library%/*}"/libpentacl.so.* "${library%/*}"/libpentacl_io.so.* without/lib/
code=0
"${launch[@]}" -n 2 without/bin/penta autocorr -o refused batch.png >out 2>raw </dev/null || code=$?
[ "$code" -eq 2 ] || fail "without the library: exit code $code"
[ "$(grep -c 'penta autocorr: error: mpirun has started 2 processes, and .*libpentacl_mpi' raw)" -eq 1 ] ||
    fail "without the library: $(cat raw)"

expect_ranks 0 3 devices
[ "$(grep -c '^rank [012]: .*, device [0-9]' out)" -eq 3 ] || fail 'not every rank has a device'
expect_ranks 0 3 devices --json
json '[.allocation[].rank] == [0, 1, 2]'
json '[.allocation[] | .part < .parts] | all'
expect_ranks 0 2 version
[ "$(grep -c pentacl out)" -eq 1 ] || fail 'the version is printed more than once'

# Each rank's own PENTACL_DEVICE is its own choice.
cat >chosen <<'END'
#!/bin/bash
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export PENTACL_DEVICE=nosuch
exec "$PENTA" devices
END
chmod +x chosen
export PENTA
code=0
"${launch[@]}" -n 2 ./chosen >out 2>raw </dev/null || code=$?
[ "$code" -eq 1 ] || fail "a rank without a device: exit code $code"
grep -q "penta devices: error: rank 1 (.*): no OpenCL device matches 'nosuch'" raw || fail "rank 1 is not named: $(cat raw)"
