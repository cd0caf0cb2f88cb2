# penta pca in several ranks of mpirun leaves the files of one process, to the byte, and fails as one does.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"

# ---- cubes: 16-bit integers, whose sums are exact, and floats, of eight slabs on a CPU device, which begin within rows ----
expect 0 sample pca -q --bands 9 --rows 613 --cols 401 -o u2
expect 0 pca -q --type f32 -o f4 u2/scene.npy
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (613, 401), }"
    head -c 100000 /dev/zero | tr '\0' '\1' # the first 249 rows
    head -c $((613 * 401 - 100000)) /dev/zero; } >mask.npy

# ---- the same files ----
counts='1 2' alike floats 0 pca f4/components.npy --filter -k 4 -q
counts=3 alike unsigned 0 pca u2/scene.npy --kind mnf -k 5 -q
counts=4 alike bytes 0 pca f4/components.npy -k 2 --mask mask.npy --rescale 0,255 -q
counts=4 alike pixels 0 pca f4/components.npy --window 7,8,2,1 -k 1 -q
counts=2 alike later 0 pca u2/scene.npy --transform unsigned/model.json --filter -q
counts=3 alike back 0 pca floats/components.npy --inverse floats/model.json -q

# ENVI: GDAL reads and makes the files, into which ranks write rows.
if has_gdal u2/scene.npy; then
    counts=3 alike envi 0 pca u2/scene.img --drop-bands 3 -k 3 --format envi --filter --rescale -900,900 -q
    expect_ranks 2 2 pca --format gtiff -o none f4/components.npy
    [ "$(wc -l <err)" -eq 1 ] || fail 'wrong usage is not one line'
    grep -q -- '--format gtiff is written by one process, and there are 2' err || fail "$(cat err)"
fi

leftover=$(find . -name '*.tmp*')
[ -z "$leftover" ] || fail "temporary files are left: $leftover"

# ---- who did what ----
# Integers: floats are divided by slabs, of which a GPU has one here.
expect_ranks 0 4 pca --json -k 2 -o told u2/scene.npy
json '[.ranks[].rank] == [0, 1, 2, 3]'
json '[.ranks[] | .host != "" and .device != "" and .seconds > 0] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
json '[.ranks[].share | . > 0.2 and . < 0.3] | all'
json '.valid_pixels == 613 * 401'
[ "$(jq -s length out)" -eq 1 ] || fail 'there is more than one answer'
