# For tests/cli/shared_*.sh, which compare work that is shared with that of one device: LAUNCHER is members (devices of one
# process; one stands for several: named twice or more, it is divided where it can be, and shared where not) or mpi (the ranks of
# mpirun).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if [ "$LAUNCHER" = mpi ]; then
    . "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
    who=ranks few=3 wide='2 4' alone=()
else
    who=devices few='2 3' wide='2 3' alone=(-d "$one")
fi

# The command in a team of N.
team() # CODE N ARGUMENT...
{
    local wanted=$1 n=$2 list

    shift 2
    if [ "$LAUNCHER" = mpi ]; then
        expect_ranks "$wanted" "$n" "$@"
    else
        list=$(printf "$one,%.0s" $(seq "$n"))
        expect "$wanted" "$@" -d "${list%,}"
    fi
}

# What the manifests in a folder and below say of files, but for the record of a run that ended early, which has times and
# temporary names.
manifests() # FOLDER
{
    (
        cd "$1" && find . -name .penta-run.json | sort | while read -r manifest; do
            echo "$manifest"
            jq -S '[.runs[] | .files | del(.[".penta-resume"]) | map_values({bytes, crc64})]' "$manifest" || exit 1
        done
    ) | grep .
}

# The same exit code, errors (but for the rank that had one), results on stdout and files as on one device; ARGUMENT... but -o.
# counts: how many share the work; times: lines of stdout which tell times, as a pattern of sed.
times='^$'
alike() # NAME CODE COMMAND ARGUMENT...
{
    local name=$1 wanted=$2 n folder

    shift 2
    expect "$wanted" "$@" "${alone[@]}" -o "$name"
    mv err "$name.err"
    sed "\\|$times|d" out >"$name.out"
    for n in ${counts-$few}; do
        team "$wanted" "$n" "$@" -o "$name-$n"
        sed -e "s|$name-$n|$name|g" -e 's/error: rank [0-9]* ([^)]*): /error: /' err | diff "$name.err" - >differences ||
            fail "$name on $n $who: $(cat differences)"
        sed -e "s|$name-$n|$name|g" -e '/^\(rank\|member\) [0-9]/d' -e "\\|$times|d" out | diff "$name.out" - >differences ||
            fail "$name on $n $who, stdout: $(cat differences)"
        if [ ! -e "$name" ]; then
            absent "$name-$n"
            continue
        fi
        diff -r -x .penta-run.json -x .penta-resume "$name" "$name-$n" >differences || fail "$name on $n $who: $(cat differences)"
        for folder in "$name" "$name-$n"; do # the manifests: the same files of the same contents
            manifests "$folder" >"$folder.files" || fail "$folder has no manifest"
        done
        diff "$name.files" "$name-$n.files" >differences || fail "$name on $n $who, manifest: $(cat differences)"
    done
}

# Who did what: N of them, shares that add up, one answer.
told() # N
{
    json "[.ranks[].rank] == [range($1)]"
    json '[.ranks[] | .host != "" and .device != "" and .share >= 0 and .seconds >= 0] | all'
    json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
}

# That of one device does not tell who did what; PENTACL_DEVICE may name several. ARGUMENT...: but -o, for devices of one process.
told_alone() # COMMAND ARGUMENT...
{
    expect 0 "$@" -d "$one" --json -o told-alone.npy
    json 'has("ranks") | not'
    PENTACL_DEVICE=$two expect 0 "$@" -o by-environment.npy
    equal "$(grep -c '^member [01]: device [0-9]' out)" 2 'members'
}
