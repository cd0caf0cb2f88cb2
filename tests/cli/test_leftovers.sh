# What an earlier run left beside the new results is named; what a new run writes again is not. After an error
# directories that the run made are gone, others stay.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample pca -q -o in
expect 0 sample nbody -q -n 50 -o in
expect 0 sample autocorr -q -n 3 --width 64 --height 64 -o frames
expect 0 sample stars -q -o sky
images=(frames/*.png)

again() # ARGUMENT...: a run and the same once more say the same, which is nothing
{
    expect 0 "$@"
    silent
    expect 0 "$@"
    silent
}

# ---- pca ----
again pca -q -o res in/exact.npy
again pca --json -o json in/exact.npy
expect 0 pca --filter -o res in/exact.npy
silent
expect 0 pca -o res in/exact.npy
one_line 'penta pca: note: res/reconstructed\.npy stays, and is of an earlier run$'
expect 0 pca -q -o res in/exact.npy
silent
cp res/reconstructed.npy res/components.tif
echo mine >res/notes.txt
expect 0 pca --json -o res in/exact.npy
one_line 'penta pca: note: res/components\.tif and 1 more file in res stay, and are of an earlier run$'
json '.bands == 8'
expect 0 pca --transform json/model.json -o res in/exact.npy
one_line 'penta pca: note: res/components\.tif and [1-9] more files? in res stay' # the scree plot, too
again pca --inverse json/model.json -o json json/components.npy
cp json/reconstructed.npy json/reconstructed.img
expect 0 pca --inverse json/model.json -o json json/components.npy
one_line 'penta pca: note: json/reconstructed\.img stays'

# ---- the others ----
again nbody --input in/plummer.npy --steps 4 --snapshot-every 2 -q -o bodies
expect 0 nbody --input in/plummer.npy --steps 2 --snapshot-every 2 -o bodies
shows err 'penta nbody: note: bodies/checkpoint\.bin of another run is kept as checkpoint-2\.bin; --overwrite replaces it$'
sed -i '/is kept as/d' err
one_line 'penta nbody: note: bodies/snapshot_000004\.npy stays, and is of an earlier run$'
expect 0 nbody --restart bodies/checkpoint.bin --steps 4 -o bodies
lacks err 'earlier run'
expect 0 autocorr -R 7 -o series "${images[@]}"
lacks err 'earlier run'
echo old >series/growth.dat
expect 0 autocorr -R 7 -o series "${images[@]}"
one_line 'penta autocorr: note: series/growth\.dat stays, and is of an earlier run$'
head -n 3 sky/track.csv >track.csv
again stars --track sky/track.csv --fov 30 --size 32x32 -q -o night
expect 0 stars --track track.csv --fov 30 --size 32x32 --mag-limit 5 -o night
one_line 'penta stars: note: night/frame-0002\.png and [0-9]+ more files in night stay, and are of an earlier run$'

# ---- after an error ----
echo text >text
mkdir there
refuse 1 'in/none\.npy' pca -o new/below in/none.npy
absent new
for command in 'pca -d none in/exact.npy' 'nbody --input text' 'autocorr text' 'stars --track track.csv --fov 30 --size 8x8'; do
    run $command -d none -o new/below
    [ "$code" -ne 0 ] || fail "exit code 0 without a device"
    absent new
    run $command -d none -o there
    [ -d there ] || fail 'a directory that was there before is gone'
done
if [ -w /dev/full ]; then
    mkdir -p new/below
    ln -s /dev/full new/below/truth.json
    refuse 1 'No space left' sample pca -o new/below
    holds new/below truth.json # all files or none
else
    note 'there is no /dev/full; a sample on a full disk is left out'
fi
