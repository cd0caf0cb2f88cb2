# --resume of prepare and of movies of optmap in ranks of mpirun: rank 0 is killed; one process, or three ranks, do the rest.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
. "$(dirname "${BASH_SOURCE[0]}")/resume.sh"
patience=1

dead() # FILE ARGUMENT...: in 2 ranks, until rank 0 has written FILE
{
    rm -rf dead dead-3 whole
    expect 0 "${@:2}" -o whole
    export PENTACL_SAVE_EVERY=0
    begin_ranks 2 "${@:2}" -o dead
    unset PENTACL_SAVE_EVERY
    await "dead/$1"
    signal_ranks KILL 0
    cp -a dead dead-3
    expect 0 "${@:2}" --resume -o dead
    as_whole dead
    expect_ranks 0 3 "${@:2}" --resume -o dead-3
    as_whole dead-3
}

expect 0 sample prepare -q -n 40 --width 120 --height 96 --r0 8 --drift 6 -o still
expect 0 sample prepare -q -n 40 --width 120 --height 96 --r0 8 --drift 6 --speed 0.15 -o growing
dead frame-0025.mask.png prepare --batch 2 --register none still/*.png
dead frame-0015.mask.png prepare --batch 2 --key-score 0.9 growing/*.png

movies=()
for i in 1 2 3 4 5; do
    expect 0 sample optmap -q --kind plane --width 32 --height 24 --seed $i -o m
    mv m/movie.npy m$i.npy
    movies+=("m$i.npy")
done
dead m3/snr.npy optmap --rate 1000 --no-report "${movies[@]}"
