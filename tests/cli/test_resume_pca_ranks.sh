# pca --resume in ranks of mpirun of a run of one process that was killed in its second pass, and in one process of one of ranks.
# PENTA_STEPS: the library to preload.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"

: "${PENTA_STEPS:?the library to preload}"

expect 0 sample pca -q -o in
line=(pca -q -k 3 --filter in/exact.npy)
expect 0 "${line[@]}" -o whole
killed_at() # STEP RUN...
{
    rm -rf dead
    mkdir dead
    PENTACL_SAVE_EVERY=0 PENTA_STEPS_DIR=$PWD/dead PENTA_STEPS_KILL=$1 LD_PRELOAD=$PENTA_STEPS "${@:2}" "${line[@]}" -o dead 2>/dev/null
    [ "$code" -ne 0 ] || fail 'the run was not killed'
    exists dead/.penta-resume
    absent dead/model.json
}

killed_at 9 run
for n in 2 3; do
    cp -a dead dead-$n
    expect_ranks 0 $n "${line[@]}" --resume -o dead-$n
    sed -i '/^rank /d' out
    as_whole dead-$n
    expect_ranks 0 $n "${line[@]}" --resume -o dead-$n # all is done
    as_whole dead-$n
done
killed_at 9 ranks 2
expect 0 "${line[@]}" --resume -o dead
as_whole dead
