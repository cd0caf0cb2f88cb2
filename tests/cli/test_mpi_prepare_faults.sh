# A series that several ranks of mpirun prepare, with a signal, and a rank that is killed: what one
# process would leave.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
patience=15

frames() # FOLDER NUMBER...
{
    printf "$1/frame-%04d.png\n" "${@:2}"
}

expect 0 sample prepare -q -n 30 --width 120 --height 96 --r0 8 --drift 6 -o still
expect 0 prepare -q -o drifting $(frames still {0..29})
expect 0 prepare -q --register none -o unmoved $(frames still {0..29})

# ---- SIGTERM, and a rank that is killed ----
mkdir s
for i in {0..29}; do # short names: Open MPI's mpirun starts nothing with a line of over 128 KiB
    ln -s "../$(frames still $i)" s/$i.png
done
series=()
for ((i = 0; i < 400; i++)); do
    series+=(s/{0..29}.png)
done

ended() # FOLDER with the files of the first 30 frames
{
    local done kept i

    equal "$(grep -c 'interrupted after [0-9]* of 12000 frames; what was finished is kept' raw)" 1 'lines about the interruption'
    done=$(grep -Eo 'after [0-9]+' raw | cut -d ' ' -f 2)
    equal "$(wc -l <stopped/drift.csv)" $((done + 1)) 'lines of drift.csv'
    equal "$(find stopped -name '*.mask.png' | wc -l)" "$done" 'masks'
    # Which frames were finished depends on what each rank was doing; the same frame again comes after another one.
    kept=0
    for i in {0..29}; do
        [ -e stopped/$i.png ] || continue
        same stopped/$i.png "$(frames "$1" $i)"
        kept=$((kept + 1))
    done
    [ $kept -ge 1 ] || fail 'nothing of the first round was kept'
}
stop() # RANKS SIGNAL "RANK..." FOLDER ARGUMENT...
{
    rm -rf stopped
    begin_ranks "$1" prepare -q --no-sheet "${@:5}" -o stopped "${series[@]}"
    await stopped/29-3.mask.png
    signal_ranks "$2" $3
    ended "$4"
}
stop 2 TERM '0 1' unmoved --register none
no_temporaries stopped
stop 3 KILL 1 unmoved --register none
stop 3 KILL 1 drifting
