# penta pca of cubes with known components: numbers, files, models there and back.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

shape() # FILE DESCR SHAPE: of an NPY file
{
    local header

    header=$(head -c 128 "$1" | tail -c 118 | sed 's/ *$//')
    equal "$header" "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" "header of $1"
}

doubles() # FILE: elements of a float64 NPY
{
    npy_values "$1" f8
}

# Largest difference of two files of numbers, one a line; nan only matches nan.
apart() # FILE FILE
{
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || fail "$1 and $2 have another number of lines"
    paste "$1" "$2" | awk '
        ($1 ~ /nan/) != ($2 ~ /nan/) { print "nan"; bad = 1; exit }
        $1 !~ /nan/ { d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d }
        END { if (!bad) printf "%.17g\n", most }'
}

# Largest difference of a member of the JSON in out and of truth.json, relative to the first element.
error_of() # FILTER FILTER
{
    jq -n --slurpfile got out --slurpfile truth in/truth.json "
        [(\$got[0]$1 | flatten), (\$truth[0][\"exact.npy\"]$2 | flatten)] |
        if (.[0] | length) == (.[1] | length) then .[1][0] as \$scale |
            (transpose | map((.[0] - .[1]) | fabs) | max) / (if \$scale == 0 then 1 else \$scale end)
        else 1e9 end"
}

expect 0 sample pca -o in
holds in scene.img scene.hdr scene.npy exact.npy truth.json

# ---- eigenvalues, loadings, scores in closed form ----
for precision in double single; do
    expect 0 pca --ddof 0 --precision $precision --json -o exact.$precision in/exact.npy
    silent
    json '.command == "pca" and .bands == 8 and .rows == 16 and .cols == 16 and .valid_pixels == 256'
    json '.components == 8 and .ddof == 0 and .precision == "'$precision'" and (.cov | type) == "string"'
    json '(.seconds.read | type) == "number" and .seconds.total > 0 and .seconds.device >= 0 and (.device.name | type) == "string"'
    json '(.percent | add - 100 | fabs) < 1e-9 and (.loadings | length) == 8 and (.loadings | map(length) | unique) == [8]'
    json '.orthogonality < 1e-14 and .residual < 1e-13'
    near "$(error_of .mean .mean)" 0 0 'error of the mean'
    near "$(error_of .eigenvalues .eigenvalues_ddof_0)" 0 1e-14 'error of the eigenvalues'
    near "$(error_of '.loadings | map(map(. * (8 | sqrt)))' .loadings_times_sqrt_8)" 0 1e-11 'error of the loadings' # a gap of 24 beside 131072
    holds exact.$precision components.npy model.json rgb.png $(pictures scree)
done
expect 0 pca --json -o ddof in/exact.npy
near "$(error_of .eigenvalues .eigenvalues)" 0 1e-14 'error of the eigenvalues with ddof 1'
shape exact.double/components.npy '<f8' '8, 16, 16'
shape exact.single/components.npy '<f4' '8, 16, 16'
for j in 0 1 2 3 4 5 6 7; do # scores are +- 2^(7-j) sqrt 8; of sign (-1)^(bits of (j + 1) & pixel)
    doubles exact.double/components.npy | awk -v j=$j '
        function sign(i, x,    s) { for (s = 1; i >= 1; i = int(i / 2)) { if (i % 2 && x % 2) s = -s; x = int(x / 2) } return s }
        NR > 256 * j && NR <= 256 * (j + 1) { d = $1 - sign(j + 1, NR - 1 - 256 * j) * 2 ^ (7 - j) * sqrt(8); if (d < -1e-10 || d > 1e-10) bad++ }
        END { exit bad > 0 }' || fail "scores of component $((j + 1))"
done

# ---- the model, there and back ----
jq -e '.format == "penta pca model" and .version == 1 and .kind == "pca" and .bands == 8 and .components == 8 and
    .pixels == 256 and .file_bands == 8 and .selected_bands == [1, 2, 3, 4, 5, 6, 7, 8] and .rescale == null and
    .no_data == null and (.forward | length) == 8 and (.inverse | length) == 8' exact.double/model.json >/dev/null ||
    fail 'the model says something else'
od -A n -v -w2 -t d2 -j 128 in/exact.npy | awk '{ print $1 }' >bands.txt
expect 0 pca --transform exact.double/model.json -o again in/exact.npy
holds again components.npy model.json rgb.png
same exact.double/components.npy again/components.npy
same exact.double/model.json again/model.json
expect 0 pca --inverse exact.double/model.json --json -o back exact.double/components.npy
json '.bands == 8 and .components == 8 and .valid_pixels == 256 and .rows == 16'
holds back reconstructed.npy
shape back/reconstructed.npy '<f8' '8, 16, 16'
doubles back/reconstructed.npy >back.txt
near "$(apart back.txt bands.txt)" 0 1e-9 'error of the bands of all components'

# ---- fewer components ----
expect 0 pca -k 3 --json -o three in/exact.npy
json '.components == 3 and (.loadings | length) == 3 and (.eigenvalues | length) == 8'
doubles three/components.npy >three.txt
doubles ddof/components.npy | head -768 >all.txt
near "$(apart three.txt all.txt)" 0 1e-10 'error of the first three components'
expect 0 pca --variance 90 --json -o ninety in/exact.npy
json '.components == 2 and (.percent[0:2] | add) >= 90 and .percent[0] < 90'
expect 0 pca --variance 100 --json -o hundred in/exact.npy
json '.components == 8'
expect 0 pca --transform ddof/model.json -k 3 -o shorter in/exact.npy
same three/components.npy shorter/components.npy
same three/model.json shorter/model.json # what is said of three of them is of three
jq -e '.residual == (.residuals | max) and (.residuals | length) == 3' shorter/model.json >/dev/null || fail 'residuals of three'
jq -e --slurpfile all ddof/model.json '.residuals == $all[0].residuals[:3] and .orthogonality <= $all[0].orthogonality' \
    three/model.json >/dev/null || fail 'three components are less orthogonal than all'
expect 0 pca --kind mnf -o fractions in/scene.npy
expect 0 pca --kind mnf -k 5 -o five in/scene.npy
expect 0 pca --transform fractions/model.json -k 5 -o fewer in/scene.npy
same five/model.json fewer/model.json
jq 'del(.residuals)' ddof/model.json >before.json # a model of an earlier version
expect 0 pca --transform before.json -k 3 -o older in/exact.npy
jq -e --slurpfile all ddof/model.json '.residuals == null and .residual == $all[0].residual' older/model.json >/dev/null ||
    fail 'a model without residuals'
expect 0 pca --inverse ddof/model.json -k 3 -o back3 ddof/components.npy
expect 0 pca -k 3 --filter -o filtered in/exact.npy
holds filtered components.npy model.json reconstructed.npy rgb.png $(pictures scree)
same three/components.npy filtered/components.npy
doubles back3/reconstructed.npy >back3.txt
doubles filtered/reconstructed.npy >filtered.txt
near "$(apart back3.txt filtered.txt)" 0 1e-9 'difference of the filtered cube and the inverse of three components'

# ---- rescaled: every component of this cube has two values only ----
rescaled() # LO,HI DESCR OD-TYPE BYTES LO HI [FLAG...]
{
    local range=$1 descr=$2 type=$3 width=$4 low=$5 high=$6

    shift 6
    expect 0 pca --rescale=$range "$@" -o scaled in/exact.npy
    shape scaled/components.npy "$descr" '8, 16, 16'
    od -A n -v -w$width -t $type -j 128 scaled/components.npy | awk -v low=$low -v high=$high '
        { if (($1 - low) ^ 2 < 1e-20) a++; if (($1 - high) ^ 2 < 1e-20) b++ } END { exit a != 1024 || b != 1024 }' || fail "the range of $range"
    jq -e ".rescale.low == $low and .rescale.high == $high and (.rescale.least | length) == 8" scaled/model.json >/dev/null ||
        fail 'the range in the model'
    expect 0 pca --inverse scaled/model.json -o unscaled scaled/components.npy
    doubles unscaled/reconstructed.npy >unscaled.txt
    near "$(apart unscaled.txt bands.txt)" 0 1e-9 "error of the bands from $range"
}

rescaled 0,255 '|u1' u1 1 0 255
rescaled 1,256 '<u2' u2 2 1 256
rescaled -100,100 '<i2' d2 2 -100 100
rescaled -5,40000 '<i4' d4 4 -5 40000
rescaled 0,1 '<f8' f8 8 0 1 --type f64
rescaled -0.5,2.5 '<f8' f8 8 -0.5 2.5
expect 0 pca --transform scaled/model.json -o scaled2 in/exact.npy
same scaled/components.npy scaled2/components.npy
expect 0 pca --transform scaled/model.json --rescale none -o plain in/exact.npy
same ddof/components.npy plain/components.npy
same ddof/model.json plain/model.json

# ---- standardized, whitened ----
expect 0 pca --standardize --json -o standard in/exact.npy
json '(.eigenvalues | add - 8 | fabs) < 1e-12' # the trace of a correlation matrix
for flags in --standardize --whiten '--standardize --whiten'; do
    expect 0 pca $flags -o other in/exact.npy
    expect 0 pca --inverse other/model.json -o otherback other/components.npy
    doubles otherback/reconstructed.npy >other.txt
    near "$(apart other.txt bands.txt)" 0 1e-9 "error of the bands with $flags"
done
expect 0 pca --whiten --ddof 0 -o white in/exact.npy
doubles white/components.npy | awk '{ d = $1 * $1 - 1; if (d > 1e-10 || d < -1e-10) bad++ } END { exit bad > 0 }' ||
    fail 'whitened scores of two values are not 1 and -1'

# ---- the covariance by every method ----
for cov in triangle syrk gemm splitk square volkov; do
    expect 0 pca --cov $cov --json -o "cov.$cov" in/scene.npy
    json ".cov == \"$cov\""
    jq -c '.eigenvalues' out >"cov.$cov.json"
    jq -n --slurpfile a cov.triangle.json --slurpfile b "cov.$cov.json" -e \
        '[$a[0], $b[0]] | transpose | map((.[0] - .[1]) | fabs) | max < 1e-12 * $a[0][0]' >/dev/null ||
        fail "eigenvalues of $cov"
done
