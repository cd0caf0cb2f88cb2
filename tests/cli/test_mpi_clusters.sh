# The scripts of docs/clusters with a local launcher in Slurm's place: the files are those of one process.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs/clusters" && pwd)
mkdir bin
ln -s "$PENTA" bin/penta
export PATH=$PWD/bin:$PATH

expect 0 sample autocorr --frames 11 --width 48 --height 48 -o rings -q
expect 0 autocorr -q --interval 60 --no-plots -o one rings/*.png

# ---- the array: each task, then the tables ----
for task in 1 2 3 4; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=4 "$scripts/array.sbatch" array rings/*.png >out 2>err ||
        fail "task $task: $(cat err)"
done
"$scripts/array.sbatch" --join array
same array/series.csv one/series.csv
mkdir joined
cp array/part-*/*.c2d.npy array/part-*/*.c1d.csv joined/
for file in joined/*; do
    same "$file" "one/${file##*/}"
done
[ "$(find joined -name '*.c2d.npy' | wc -l)" -eq 11 ] || fail 'a frame is in no part, or in two'
refuse 2 '--shard needs I/N' autocorr --shard 0/4 -o none rings/*.png
refuse 2 '--shard needs I/N' autocorr --shard 5/4 -o none rings/*.png
refuse 2 'the series has 11 frames' autocorr --shard 3/12 -o none rings/*.png

# ---- ranks ----
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
cat >bin/srun <<END
#!/bin/bash
while [[ \$1 = --* ]]; do shift; done
exec ${launch[*]} -n 3 "\$@"
END
chmod +x bin/srun
TMPDIR=$PWD "$scripts/series.sbatch" ranks rings/*.png >out 2>err || fail "$(cat err)"
for file in one/*; do
    same "$file" "ranks/${file##*/}"
done
