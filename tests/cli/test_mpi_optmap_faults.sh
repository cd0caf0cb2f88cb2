# Movies in several ranks of mpirun, with one that cannot be written, a signal, and a rank that is killed: what one process
# would leave.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
patience=15

size='--width 24 --height 20'
for i in 1 2 3; do
    expect 0 sample optmap -q $size --noise 50 --seed $i -o made
    cp made/movie.npy movie-$i.npy
done
plain='-q --rate 1000 --no-report --pixel-size 0.02'
expect 0 optmap $plain -o one movie-1.npy

# A movie that cannot be written to its place: what another run holds.
mkdir -p held/movie-2
mkfifo go
flock held/movie-2 cat go >/dev/null &
holder=$!
exec 9>go
alike_held() # FOLDER
{
    grep -q 'movie-2: another run writes there' err || fail "$(cat err)"
    exists "$1/movie-1/activation.npy" "$1/movie-3/activation.npy"
    absent "$1/movie-2/activation.npy"
}
expect_ranks 1 2 optmap $plain --keep-going -o held movie-1.npy movie-2.npy movie-3.npy
alike_held held
exec 9>&-
wait $holder

# ---- SIGTERM of a batch system: what was finished is kept, and nothing of the others; a rank that is killed ----
mkdir many
series=()
for ((i = 0; i < 400; i++)); do
    ln -s ../movie-1.npy "many/m$i.npy"
    series+=("many/m$i.npy")
done

ended()
{
    local done

    equal "$(grep -c 'interrupted; nothing was written of many/m[0-9]*.npy' raw)" 1 'lines about the interruption'
    done=$(grep -Eo 'many/m[0-9]+' raw | grep -Eo '[0-9]+$')
    [ "$done" -ge 1 ] && [ "$done" -lt 400 ] || fail "stopped at movie $done"
    equal "$(find stopped -name activation.npy | wc -l)" "$done" 'movies that are kept'
    same stopped/m0/activation.npy one/activation.npy
    same "stopped/m$((done - 1))/filtered.npy" one/filtered.npy
}
begin_ranks 2 optmap $plain -o stopped "${series[@]}"
await stopped/m8/activation.npy
signal_ranks TERM 0 1
ended
no_temporaries stopped
equal "$(find stopped -mindepth 1 -maxdepth 1 -type d | wc -l)" "$(find stopped -name activation.npy | wc -l)" 'folders'

rm -rf stopped
begin_ranks 3 optmap $plain -o stopped "${series[@]}"
await stopped/m8/activation.npy
signal_ranks KILL 1
ended
expect_ranks 0 2 optmap $plain -o stopped many/m0.npy many/m1.npy # what the others have left goes
no_temporaries stopped/m0
no_temporaries stopped/m1

# Rank 0 has done movies whose turn does not come, and ends before the launcher has sent it a signal: their folders go. The
# one of the movie that rank 1 was at may stay.
rm -rf stopped
launch+=(-x LD_PRELOAD="${PENTA_LEAVE:?is the library that tests/mpi/leave.c is}")
begin_ranks 2 optmap $plain -o stopped "${series[@]}"
await stopped/m8/activation.npy
kill -s STOP "$(process_of 1)"
sleep 1 # rank 0 goes on as far as it may
signal_ranks KILL 1
ended
empty=$(find stopped -mindepth 1 -type d -empty | wc -l)
[ "$empty" -le 1 ] || fail "$empty folders are empty: $(find stopped -mindepth 1 -type d -empty)"
