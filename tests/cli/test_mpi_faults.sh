# A rank that is killed in a long series, and a batch system's SIGTERM: what was finished is kept and summed up, once, and
# mpirun names the rank.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"

hash_pixels 64 48 | pgm 64 48 >f.pgm
series=()
for ((i = 0; i < 20000; i++)); do # far more than can be done before the signal
    series+=(f.pgm)
done
expect 0 autocorr -R 20 --method naive --no-plots -o warm f.pgm # its kernels are compiled and cached now
# The time between SIGTERM and SIGKILL of mpirun, which waits as long in any case: a second unless said, which is too little
# for cores that are shared.
patience=15

begin_series() # N ARGUMENT...
{
    rm -rf stopped
    begin_ranks "$@" -o stopped "${series[@]}"
    await stopped/f-40.c1d.csv
}

ended() # what was finished is whole
{
    local done

    grep -q '^penta autocorr: error: interrupted after [0-9]* of 20000 frames; what was finished is kept' raw ||
        fail "not told what was finished: $(cat raw)"
    [ "$(grep -c 'interrupted after' raw)" -eq 1 ] || fail "told more than once: $(cat raw)"
    done=$(grep -Eo 'after [0-9]+' raw | cut -d ' ' -f 2)
    equal "$(wc -l <stopped/series.csv)" $((done + 1)) 'lines of series.csv'
    equal "$(find stopped -name '*.c2d.npy' | wc -l)" "$done" 'files c2d'
    same "stopped/f-$done.c1d.csv" warm/f.c1d.csv
}

# Rank 1 is killed. On a busy disk rank 0 may be killed before all is written; then mpirun is given more time.
kill_one()
{
    begin_series 3 autocorr -q -R 20 --method naive --no-plots
    signal_ranks KILL 1
}
kill_one
if [ ! -e stopped/series.csv ]; then
    echo "not written within $patience s; again with 90"
    patience=90
    kill_one
    patience=15
fi
ended
killed_by_name 1

# As Slurm does: the signal goes to every rank.
begin_series 2 autocorr -q -R 20 --method naive --no-plots
signal_ranks TERM 0 1
ended
no_temporaries stopped

# Where rank 0 is killed nothing is left but temporary files, which the next run there removes.
begin_series 2 autocorr -q -R 20 --method naive --no-plots
signal_ranks KILL 0
[ ! -e stopped/series.csv ] || fail 'there is a table of a run that was killed'
expect_ranks 0 2 autocorr -q -R 20 --method naive --no-plots -o stopped f.pgm f.pgm
no_temporaries stopped
same stopped/f.c2d.npy warm/f.c2d.npy
