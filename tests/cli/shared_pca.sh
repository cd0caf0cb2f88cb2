# penta pca that several share leaves the files of one device, to the byte, and fails as on one.
. "$(dirname "${BASH_SOURCE[0]}")/shared.sh"

# ---- cubes: 16-bit integers, whose sums are exact, and of them floats, doubles, bytes and signed integers ----
expect 0 sample pca -q --bands 9 --rows 613 --cols 401 -o u2
for made in 'f4 --type f32' 'f8 -k 3' 'u1 --rescale 0,255 -k 4' 'i2 --rescale -9000,9000 -k 4'; do
    set -- $made
    expect 0 pca -q "${@:2}" -o "$1" u2/scene.npy
done
[ "$(stat -c %s f4/components.npy)" -gt $((4 * 9 * 613 * 401)) ] || fail 'the floats are no floats'
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (613, 401), }"
    head -c 100000 /dev/zero | tr '\0' '\1' # the first 249 rows
    head -c $((613 * 401 - 100000)) /dev/zero; } >mask.npy

gdal=
has_gdal u1/components.npy && gdal=yes

# ---- the same files; floats are of eight slabs on a CPU device, which begin in the middle of rows; of ENVI GDAL reads and makes
# the files, into which ranks write rows ----
counts='1 2 3 4' alike floats 0 pca -q f4/components.npy --filter -k 4
counts='2 4' alike doubles 0 pca -q f8/components.npy --rescale 0,255
counts=3
alike bytes 0 pca -q u1/components.npy --rescale -1.5,2.5 --whiten
alike signed 0 pca -q i2/components.npy ${gdal:+--format envi} --type f32
alike unsigned 0 pca -q u2/scene.npy --kind mnf -k 5 --filter
alike envi 0 pca -q u2/scene.img --drop-bands 3 -k 3 ${gdal:+--format envi} --filter --rescale -900,900
alike explained 0 pca -q u2/scene.img --drop-bands 3 --variance 90
counts=4 alike masked 0 pca -q f4/components.npy -k 2 --mask mask.npy --rescale 0,1000
alike narrow 0 pca -q f4/components.npy --window 5,600,31,2 -k 3 --rescale 0,255
counts=4 alike pixels 0 pca -q f4/components.npy --window 7,8,2,1 -k 1
alike single 0 pca -q f4/components.npy --precision single --standardize -k 3
counts=2 alike later 0 pca -q u2/scene.npy --transform unsigned/model.json --filter
alike clipped 0 pca -q f8/components.npy --transform doubles/model.json -k 2
alike back 0 pca -q floats/components.npy --inverse floats/model.json

# ---- the same errors, and nothing is left ----
alike lone 1 pca -q f4/components.npy --window 0,0,1,1
shows lone.err '2 valid pixels; there is 1'
alike singular 1 pca -q f4/components.npy --kind mnf --window 0,0,1,613
{ head -c 128 mask.npy; head -c $((613 * 401)) /dev/zero; } >none.npy
alike nothing 1 pca -q f4/components.npy --mask none.npy
alike nothing-again 1 pca -q f4/components.npy --mask none.npy --transform floats/model.json
alike nothing-rescaled 1 pca -q f4/components.npy --mask none.npy --transform floats/model.json --rescale 0,255
{ head -c $((128 + 4 * (2 * 613 * 401 + 500 * 401 + 17))) f4/components.npy; printf '\0\0\xc0\x7f'
    tail -c +$((129 + 4 * (2 * 613 * 401 + 500 * 401 + 18))) f4/components.npy; } >bad.npy
alike bad-later 1 pca -q bad.npy --transform floats/model.json
shows bad-later.err 'band 3, row 500, column 17 is not finite'
counts=2 alike bad 1 pca -q bad.npy
shows bad.err 'band 3, row 500, column 17 is not finite'
if [ "$LAUNCHER" = mpi ]; then # a rank that has it is named; on a GPU the cube is one slab, which rank 0 has
    equal "$(grep -c 'the number in band 3' raw)" 1 'lines about the number'
    shows raw 'error: (rank 1 \(.*\): )?the number in band 3'
fi
head -c 70000 f4/components.npy >cut.npy
alike unreadable 1 pca -q cut.npy
no_temporaries .

# ---- who did what ----
expect 0 pca "${alone[@]}" --json -k 2 -o told-1 u2/scene.npy
json 'has("ranks") | not'
facts='[.mean, .loadings, .eigenvalues, .residual, .orthogonality, .valid_pixels]'
jq "$facts" out >told.json
team 0 4 pca --json -k 2 -o told u2/scene.npy
told 4
json '[.ranks[] | .seconds > 0 and .share > 0.2 and .share < 0.3] | all'
json '.valid_pixels == 613 * 401'
valid
jq "$facts" out | diff told.json - >differences || fail "$(cat differences)"
if [ "$LAUNCHER" = members ]; then
    told_alone pca -k 2 i2/components.npy
fi

# ---- what works on one device alone says so ----
[ "$gdal" ] || exit 0
team 2 2 pca --format gtiff -o none i2/components.npy
one_line "$([ "$LAUNCHER" = mpi ] && echo '--format gtiff is written by one process, and there are 2' ||
    echo "--format gtiff is written by one device, and -d names 2")"
absent none
[ "$LAUNCHER" = mpi ] || exit 0

. "$(dirname "${BASH_SOURCE[0]}")/mpi_signals.sh"
# SIGTERM, as Slurm sends it to every rank, in the first pass and in the second: one line, and nothing is left.
npy '<i2' '8, 20000, 60000' >endless.npy # zeros that take no room on the disk
truncate -s $((128 + 2 * 8 * 20000 * 60000)) endless.npy
expect 0 pca -q -k 2 -o warm u2/scene.npy --window 0,0,9,9 --drop-bands 9
for flags in '-k 2' '--transform warm/model.json -k 1 --type f32'; do
    begin_ranks 2 pca -q $flags -o stopped endless.npy
    await stopped
    sleep 1
    signal_ranks TERM 0 1
    ended_by 'interrupted; nothing was written'
    absent stopped
done

# A rank is killed: mpirun names it, and the next run there removes what it left.
begin_ranks 2 pca -q --transform warm/model.json -k 1 -o stopped endless.npy
await stopped/components.npy
signal_ranks KILL 1
killed_by_name 1
absent stopped/components.npy stopped/model.json
expect_ranks 0 2 pca -q -k 2 -o stopped u2/scene.npy --window 0,0,9,9 --drop-bands 9
same warm/components.npy stopped/components.npy
no_temporaries stopped
