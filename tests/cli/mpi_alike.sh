# For tests/cli/test_mpi_*.sh, after lib.sh, mpi.sh and members.sh: runs in the ranks of mpirun compared with one process.

# The same exit code, errors (but for the rank that had one), results on stdout and files in so many ranks as in one process;
# ARGUMENT... but -o. counts: how many ranks; times: lines of stdout which tell times, as a pattern of sed.
times='^$'
alike() # NAME CODE COMMAND ARGUMENT...
{
    local name=$1 wanted=$2 n folder

    shift 2
    expect "$wanted" "$@" -o "$name"
    mv err "$name.err"
    sed "\\|$times|d" out >"$name.out"
    for n in $counts; do
        expect_ranks "$wanted" "$n" "$@" -o "$name-$n"
        sed -e "s|$name-$n|$name|g" -e 's/error: rank [0-9]* ([^)]*): /error: /' err | diff "$name.err" - >differences || fail "$name in $n ranks: $(cat differences)"
        sed -e "s|$name-$n|$name|g" -e '/^rank [0-9]/d' -e "\\|$times|d" out | diff "$name.out" - >differences ||
            fail "$name in $n ranks, stdout: $(cat differences)"
        if [ ! -e "$name" ]; then
            absent "$name-$n"
            continue
        fi
        diff -r -x .penta-run.json -x .penta-resume "$name" "$name-$n" >differences || fail "$name in $n ranks: $(cat differences)"
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
