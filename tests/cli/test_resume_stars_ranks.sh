# stars --track --resume with another number of ranks than the run had that was ended: rank 0 killed, another one killed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

expect 0 sample stars -q --frames 400 -o sky
line=(stars -q --track sky/track.csv --fov 12 --size 300x200 --amplitude 50000 --read-noise 5 --bits 12 --format npy)
expect 0 "${line[@]}" -o whole
patience=1

# Rank 0 is killed: what waited when the record was written is taken over by one process, and by three ranks.
export PENTACL_SAVE_EVERY=0
begin_ranks 2 "${line[@]}" -o dead
await dead/frame-0050.npy
await dead/.penta-resume
signal_ranks KILL 0
unset PENTACL_SAVE_EVERY
absent dead/.penta-run.json
cp -a dead dead-3
go_on dead "${line[@]}"
expect_ranks 0 3 "${line[@]}" --resume -o dead-3
as_whole dead-3
expect_ranks 0 2 "${line[@]}" --resume -o dead-3 # all is done
as_whole dead-3

# Another rank is killed: what was finished is there, if mpirun gives it time, and the rest is drawn by two ranks.
begin_ranks 2 "${line[@]}" -o stopped
await stopped/frame-0050.npy
signal_ranks KILL 1
expect_ranks 0 2 "${line[@]}" --resume -o stopped
as_whole stopped

# A refusal is said once.
ranks 2 "${line[@]}" --seed 2 --resume -o dead
[ "$code" -ne 0 ] || fail 'other options are not refused'
equal "$(grep -c -- 'had --seed 1' raw)" 1 'lines that refuse'
