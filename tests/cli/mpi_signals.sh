# For tests of ranks that are told to stop, after mpi.sh: begin_ranks, then signal_ranks.
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

# A process whose first thread is a zombie still has its locks while others are in a driver.
is_there() # PROCESS
{
    local tasks=("/proc/$1/task/"*)

    grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null || [ ${#tasks[@]} -gt 1 ]
}

# Sends the signal to the ranks; code is mpirun's once it has ended. mpirun does not wait for ranks that it ends: one may still
# write, and has the lock of the output until its driver let it go. It is gone then, or a zombie.
signal_ranks() # SIGNAL RANK...
{
    local signal=$1 all rank i victims=()

    shift
    all=$(pgrep -P "$process")
    for rank; do
        victims+=("$(process_of "$rank")")
    done
    kill -s "$signal" "${victims[@]}"
    code=0
    { wait "$process" || code=$?; } 2>/dev/null
    for rank in $all; do
        for ((i = 0; i < 300; i++)); do
            is_there "$rank" || break
            sleep 0.2
        done
        [ $i -lt 300 ] || fail "process $rank outlives mpirun: $(cat raw)"
    done
    sed -e '/^-----*$/,/^-----*$/d' raw >err
    [ "$code" -ne 0 ] || fail 'the exit code is 0'
}

killed_by_name() # RANK: mpirun says who was killed
{
    grep -q "rank $1 with PID .* exited on signal 9" raw || fail "the rank is not named: $(cat raw)"
}

ended_by() # PATTERN: by an error that is said once; err is that line
{
    grep '^penta.*: error:' raw >err
    [ "$(wc -l <err)" -eq 1 ] || fail "not one error: $(cat raw)"
    grep -Eq -- "$1" err || fail "another error than '$1': $(cat raw)"
}
