# penta pca in several ranks of mpirun fails as in one process, whichever rank has the error, and leaves nothing.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"

expect 0 sample pca -q --bands 9 --rows 613 --cols 401 -o u2
expect 0 pca -q --type f32 -o f4 u2/scene.npy

{ head -c $((128 + 4 * (2 * 613 * 401 + 500 * 401 + 17))) f4/components.npy; printf '\0\0\xc0\x7f'
    tail -c +$((129 + 4 * (2 * 613 * 401 + 500 * 401 + 18))) f4/components.npy; } >bad.npy
counts=2 alike bad 1 pca bad.npy -q
grep -q 'band 3, row 500, column 17 is not finite' bad.err || fail "$(cat bad.err)"
# A rank that has it is named; on a GPU the cube is one slab, which rank 0 has.
[ "$(grep -c 'the number in band 3' raw)" -eq 1 ] || fail "not told once: $(cat raw)"
grep -Eq 'error: (rank 1 \(.*\): )?the number in band 3' raw || fail "the rank is not named: $(cat raw)"
counts=3 alike bad-later 1 pca bad.npy --transform f4/model.json -q
head -c 70000 f4/components.npy >cut.npy
counts=3 alike unreadable 1 pca cut.npy -q
leftover=$(find . -name '*.tmp*')
[ -z "$leftover" ] || fail "temporary files are left: $leftover"


# SIGTERM, as Slurm sends it to every rank, in the first pass and in the second: one line, and nothing is left.
npy '<i2' '8, 20000, 60000' >endless.npy # zeros that take no room on the disk
truncate -s $((128 + 2 * 8 * 20000 * 60000)) endless.npy
expect 0 pca -q -k 2 -o warm u2/scene.npy --window 0,0,9,9 --drop-bands 9
for flags in '-k 2' '--transform warm/model.json -k 1 --type f32'; do
    begin_ranks 2 pca -q $flags -o stopped endless.npy
    await stopped
    sleep 1
    signal_ranks TERM 0 1
    ended_by 'interrupted; nothing was written'
    absent stopped
done

# A rank is killed: mpirun names it, and the next run there removes what it left.
begin_ranks 2 pca -q --transform warm/model.json -k 1 -o stopped endless.npy
await stopped/components.npy
signal_ranks KILL 1
killed_by_name 1
absent stopped/components.npy stopped/model.json
expect_ranks 0 2 pca -q -k 2 -o stopped u2/scene.npy --window 0,0,9,9 --drop-bands 9
same warm/components.npy stopped/components.npy
no_temporaries stopped
