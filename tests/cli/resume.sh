# For tests/cli/test_resume_*.sh, after lib.sh: a run in `whole` that nobody disturbs, others that end early and are gone on
# with, which must leave the same files.

# The files of a run that went on are those of `whole`, to the byte, the record of it included.
as_whole() # DIR
{
    no_temporaries "$1"
    diff -r -x .penta-run.json "$1" "${2-whole}" >differences || fail "$1: $(head -c 2000 differences)"
}

# Goes on with the run in DIR, whose line was ARGUMENT...; the note says how many frames, movies ... were done.
go_on() # DIR ARGUMENT...
{
    local folder=$1

    shift
    expect 0 "$@" --resume -o "$folder"
    as_whole "$folder"
}

# A run of the line that SIGKILL ends once FILE is there, its record being written as often as possible; once more where a
# quick device was done before, be it that only the driver had still to end.
killed() # DIR FILE ARGUMENT...
{
    local folder=$1 file=$2 try

    shift 2
    export PENTACL_SAVE_EVERY=0
    for ((try = 0; try < 10; try++)); do
        rm -rf "$folder"
        begin "$@" -o "$folder"
        if [ "$file" = .penta-resume ]; then
            await_record "$folder"
        else
            await "$folder/$file"
        fi
        kill -s KILL "$process" 2>/dev/null || :
        code=0
        { wait "$process" || code=$?; } 2>/dev/null # the shell says so
        [ "$code" -eq 0 ] || [ -e "$folder/.penta-run.json" ] || break
    done
    unset PENTACL_SAVE_EVERY
    equal "$code" 137 'exit code of the run that was killed'
}

# A run of the line that SIGTERM ends once FILE is there, or its temporary name; once more where a quick device was done before.
told_to_stop() # DIR FILE ARGUMENT...
{
    local folder=$1 file=$2 try

    shift 2
    for ((try = 0; try < 50; try++)); do
        rm -rf "$folder"
        begin "$@" -o "$folder"
        until [ -e "$folder/$file" ] || compgen -G "$folder/$file.tmp.*" >/dev/null; do # without a pause: a run may be short
            kill -s 0 "$process" 2>/dev/null || break
        done
        code=0
        kill -s TERM "$process" 2>/dev/null || :
        wait "$process" 2>/dev/null || code=$?
        ! grep -q 'interrupted after' err || break
    done
    last+=("and SIGTERM, $((try + 1)) times")
    shows err 'interrupted after'
}

# Until the run has a record of what is done: not under its temporary name, which says nothing yet.
await_record() # DIR
{
    local i

    for ((i = 0; i < 1200; i++)); do
        [ ! -e "$1/.penta-resume" ] || return 0
        sleep 0.05
    done
    fail "$1/.penta-resume was not written"
}

shows_done() # LEAST: err says that so many were done, at least
{
    local n

    n=$(grep -Eo -- '--resume: [0-9]+ of' err | grep -Eo '[0-9]+') || fail "nothing was done: $(cat err)"
    [ "$n" -ge "$1" ] || fail "only $n were done"
}

# What a kill, and a power cut, before each change of the directory would leave of a run: in copies/, whose names are in `all`,
# by tests/kill/steps.c (PENTA_STEPS: the library to preload).
copy_each_step() # ARGUMENT...
{
    local sanitizer

    sanitizer=$(ldd "$PENTA" | awk '/lib[at]san/ { printf "%s:", $3 }') # it must come first
    rm -rf copies res
    mkdir copies res
    PENTA_STEPS_DIR=$PWD/res PENTA_STEPS_COPY=$PWD/copies PENTACL_SAVE_EVERY=0 LD_PRELOAD=$sanitizer$PENTA_STEPS \
        expect 0 "$@" -o res
    as_whole res
    all=(copies/0*)
}

# Every N-th of these is gone on with.
go_on_from_each() # N ARGUMENT...
{
    local n=$1 copy i

    shift
    copy_each_step "$@"
    [ ${#all[@]} -gt $((2 * n)) ] || fail "only ${#all[@]} steps"
    most=0
    for ((i = n - 1; i < ${#all[@]}; i += n)); do
        copy=${all[i]}
        go_on "$copy" "$@"
        done=$(grep -Eo -- '--resume: [0-9]+ of' err | grep -Eo '[0-9]+' || :)
        [ "${done:-0}" -le "$most" ] || most=$done
    done
}
