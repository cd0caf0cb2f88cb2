# --resume of a series with another number of ranks than the run had that was ended: rank 0 killed, another one killed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

mkdir frames
hash_pixels 64 48 | pgm 64 48 >frames/f0.pgm
hash_pixels 64 48 5 9 | pgm 64 48 >frames/f1.pgm
series=(frames/f0.pgm frames/f1.pgm)
for ((i = 2; i < 1600; i++)); do
    ln frames/f$((i % 2)).pgm frames/f$i.pgm
    series+=("frames/f$i.pgm")
done
line=(autocorr -q -R 20 --method naive --no-plots "${series[@]}")
expect 0 "${line[@]}" -o whole
patience=1

# Rank 0 is killed: what waited when the record was written is taken over by one process, and by three ranks.
export PENTACL_SAVE_EVERY=0
begin_ranks 2 "${line[@]}" -o dead
await dead/f200.c1d.csv
signal_ranks KILL 0
unset PENTACL_SAVE_EVERY
absent dead/series.csv
exists dead/.penta-resume
cp -a dead dead-3
expect 0 "${line[@]}" --resume -o dead
as_whole dead
expect_ranks 0 3 "${line[@]}" --resume -o dead-3
as_whole dead-3
expect_ranks 0 2 "${line[@]}" --resume -o dead-3 # all is done
as_whole dead-3

# Another rank is killed: what was finished is there, if mpirun gives it time, and the rest is done by two ranks.
begin_ranks 2 "${line[@]}" -o stopped
await stopped/f150.c1d.csv
signal_ranks KILL 1
expect_ranks 0 2 "${line[@]}" --resume -o stopped
as_whole stopped

# A refusal is said once.
ranks 2 "${line[@]}" -R 19 --resume -o dead
[ "$code" -ne 0 ] || fail 'other options are not refused'
equal "$(grep -c -- '--max-offset 20' raw)" 1 'lines that refuse'
