# For tests/cli/test_mpi_*.sh, after lib.sh, mpi.sh and members.sh: runs in the ranks of mpirun compared with one process.

# The same exit code, errors, results on stdout and files in so many ranks as in one process; ARGUMENT... but -o. counts: how
# many ranks; times: lines of stdout which tell times, as a pattern of sed.
times='^$'
alike() # NAME CODE COMMAND ARGUMENT...
{
    local name=$1 wanted=$2 n folder

    shift 2
    expect "$wanted" "$@" -o "$name"
    mv err "$name.err"
    sed "/$times/d" out >"$name.out"
    for n in $counts; do
        expect_ranks "$wanted" "$n" "$@" -o "$name-$n"
        sed "s|$name-$n|$name|g" err | diff "$name.err" - >differences || fail "$name in $n ranks: $(cat differences)"
        sed -e "s|$name-$n|$name|g" -e '/^rank [0-9]/d' -e "/$times/d" out | diff "$name.out" - >differences ||
            fail "$name in $n ranks, stdout: $(cat differences)"
        diff -r -x .penta-run.json "$name" "$name-$n" >differences || fail "$name in $n ranks: $(cat differences)"
        for folder in "$name" "$name-$n"; do # the manifests: the same files of the same contents
            manifests "$folder" >"$folder.files" || fail "$folder has no manifest"
        done
        diff "$name.files" "$name-$n.files" >differences || fail "$name in $n ranks, manifest: $(cat differences)"
    done
}

# Who did what: a rank each, shares that add up, kernels that ran.
ranks_told() # N
{
    json "[.ranks[].rank] == [range($1)]"
    json '[.ranks[] | .host != "" and .device != "" and .share >= 0 and .seconds >= 0] | all'
    json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
    [ "$(jq -s length out)" -eq 1 ] || fail 'there is more than one answer'
}

# A run in ranks that goes on: process is mpirun's, which waits `patience` s between SIGTERM and SIGKILL.
patience=15
begin_ranks() # N ARGUMENT...
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
