# For tests of ranks that are told to stop, after mpi.sh: begin_ranks, then process_of or signal_ranks, then ended; or kill_rank.
patience=4 # s between SIGTERM and SIGKILL of mpirun, which waits as long in any case

begin_ranks() # N ARGUMENT...: process is mpirun's
{
    local n=$1

    shift
    last=("$@" "(in $n ranks)")
    "${launch[@]}" --mca odls_base_sigkill_timeout $patience -n "$n" "$PENTA" "$@" >out 2>raw </dev/null &
    process=$!
}

process_of() # RANK: its id
{
    local p

    for p in $(pgrep -P "$process"); do
        if tr '\0' '\n' <"/proc/$p/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "$p"
            return
        fi
    done
    fail "rank $1 does not run: $(cat raw)" >&2
}

# SIGKILL to a rank ends the job: code is mpirun's. mpirun does not wait for what it kills; a rank has the lock of the output
# until its driver let it go: it is gone then, or a zombie.
kill_rank() # RANK
{
    local all rank i

    all=$(pgrep -P "$process")
    kill -s KILL "$(process_of "$1")"
    code=0
    { wait "$process" || code=$?; } 2>/dev/null
    for rank in $all; do
        for ((i = 0; i < 300; i++)); do
            grep -q '^State:[[:space:]]*[^ZX]' "/proc/$rank/status" 2>/dev/null || break
            sleep 0.2
        done
        [ $i -lt 300 ] || fail "process $rank outlives mpirun: $(cat raw)"
    done
}

# The signal goes to each of N ranks, as a batch system sends it.
signal_ranks() # SIGNAL N
{
    local i all=()

    for ((i = 0; i < $2; i++)); do
        all+=("$(process_of "$i")")
    done
    kill -s "$1" "${all[@]}"
    code=0
    wait "$process" || code=$?
    sed -e '/^-----*$/,/^-----*$/d' raw >err
}

ended() # PATTERN: by an error that is said once; err is that line
{
    code=0
    wait "$process" || code=$?
    [ "$code" -ne 0 ] || fail 'the exit code is 0'
    grep '^penta.*: error:' raw >err
    [ "$(wc -l <err)" -eq 1 ] || fail "not one error: $(cat raw)"
    grep -Eq -- "$1" err || fail "another error than '$1': $(cat raw)"
}
