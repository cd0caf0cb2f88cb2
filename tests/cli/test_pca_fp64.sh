# penta pca --fp64 never: integers to the bit, floats in pairs of floats beside double precision. The word double does not
# compile there, so each run also shows that no kernel has it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample pca -o in
scene=in/scene.npy

# Greatest difference of two NPY cubes of float64, over the greatest value, at most MOST.
expect_near() # GOT WANTED MOST WHAT
{
    paste <(npy_values "$1" f8) <(npy_values "$2" f8) | awk -v most="$3" '
        function size(v) { return v < 0 ? -v : v }
        { if (size($1 - $2) > off) off = size($1 - $2); if (size($2) > large) large = size($2) }
        END { exit !(NR > 100 && off <= most * large) }' || fail "$4: off by over $3 of the largest"
}

# ---- integers: the same statistics to the bit, scores to 1e-13 ----
expect 0 pca -k 5 --filter --json -o with $scene
jq -c '[.mean, .eigenvalues, .loadings, .rounding]' out >with.json
json '.precision == "double"'
expect 0 pca -k 5 --filter --json --fp64 never -o without $scene
jq -c '[.mean, .eigenvalues, .loadings, .rounding]' out >without.json
same with.json without.json
json '.precision == "ds" and .notes == []'
expect_near without/components.npy with/components.npy 1e-13 scores
expect_near without/reconstructed.npy with/reconstructed.npy 1e-13 'the filtered cube'

# ---- rescaled, by the range of a model, and back ----
export PENTACL_FP64=never
expect 0 pca -k 3 --rescale 1,255 -o bytes $scene
PENTACL_FP64=auto expect 0 pca -k 3 --rescale 1,255 -o bytes_with $scene
same bytes/components.npy bytes_with/components.npy
expect 0 pca --transform bytes/model.json --json -o again $scene
same bytes/components.npy again/components.npy
json '.clipped_pixels == 0 and .precision == "ds"'
expect 0 pca --inverse with/model.json -o back with/components.npy
expect_near back/reconstructed.npy with/reconstructed.npy 1e-13 'the cube made from components'

# ---- floats: a cube of doubles, which a note tells; single precision; noise fractions ----
expect 0 pca --json -o floats with/components.npy
json '.notes | map(select(test("no double precision"))) | length == 1'
PENTACL_FP64=auto expect 0 pca --json -o floats_with with/components.npy
expect_near floats/components.npy floats_with/components.npy 1e-11 'scores of doubles'
expect 0 pca --type f32 -k 5 -o small $scene
expect 0 pca --precision single --json -o single small/components.npy
json '.precision == "single" and .notes == []'
expect 0 pca --type f64 -o pairs small/components.npy
expect 0 pca --precision single --type f64 -o single64 small/components.npy
expect_near single64/components.npy pairs/components.npy 1e-5 'single precision'
expect 0 pca --kind mnf -k 3 -o noise $scene
PENTACL_FP64=auto expect 0 pca --kind mnf -k 3 -o noise_with $scene
expect_near noise/components.npy noise_with/components.npy 1e-9 'noise fractions'

# ---- what needs double precision ----
refuse 1 'no double precision; use --precision auto' pca --precision double -o refused $scene
refuse 1 'use --cov triangle' pca --cov syrk -o refused $scene
[ ! -e refused/model.json ] || fail 'a refused run left a model'
