# nbody --resume of a run in ranks of mpirun, rank 0 or another being killed, in one process and in another number of ranks.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"
patience=1

line=(nbody -q --ic plummer -n 3000 --seed 3 --eps 0.02 --dt 0.01 --steps 400 --snapshot-every 100 --diagnose-every 7)
expect 0 "${line[@]}" -o whole
for rank in 0 1; do
    begin_ranks 2 "${line[@]}" -o dead
    await dead/snapshot_000100.npy
    signal_ranks KILL $rank
    absent dead/final.npy
    cp -a dead dead-3
    expect 0 "${line[@]}" --resume -o dead
    as_whole dead
    expect_ranks 0 3 "${line[@]}" --resume -o dead-3
    as_whole dead-3
    rm -rf dead dead-3
done
ranks 2 "${line[@]}" --seed 4 --resume -o whole
[ "$code" -ne 0 ] || fail 'other options are not refused'
equal "$(grep -c -- '--seed 3' raw)" 1 'lines that refuse'
