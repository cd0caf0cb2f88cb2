# Photographs whose truth is known, through the commands as a user types them: drift to 0.02 px rms, dust found, R_max of the
# prepared frames within 0.5 % of that of the clean ones, by prepared files and by a recipe.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

n=4
expect 0 sample prepare -n $n --r0 40 -q -o raw

# ---- drift ----

expect 0 prepare --json -o prepared raw/frame-*.png
json ".frames | length == $n"
json '[.frames[].file | endswith(".png")] | all'
json '.frames[0] | .dx == 0 and .dy == 0 and .angle == 0 and .score == 1'
json '[.frames[].score] | min > 0.9'
json '[.frames[].dust_pixels / 1125000] | min > 0.01 and max < 0.05' # 2 % of the area, grown
rms=$(paste -d, <(column prepared/drift.csv dx) <(column prepared/drift.csv dy) <(column raw/truth.csv dx) \
    <(column raw/truth.csv dy) | awk -F, '{ s += ($1 - $3) ^ 2 + ($2 - $4) ^ 2 } END { printf "%.5f", sqrt(s / (NR - 1)) }')
near "$rms" 0 0.02 'rms of the drift errors'
equal "$(column prepared/drift.csv index | paste -sd ' ')" "$(column raw/truth.csv index | paste -sd ' ')" 'indices of drift.csv'
for ((i = 0; i < n; i++)); do
    exists prepared/frame-000$i.png prepared/frame-000$i.mask.png
done

# ---- R_max ----

how=(--estimator unbiased --demean mean -R 120 --no-plots)
expect 0 autocorr "${how[@]}" -o of-clean raw/clean/frame-*.png
expect 0 autocorr "${how[@]}" -o of-prepared prepared/frame-000?.png
expect 0 prepare --print-recipe
cp out recipe.json
expect 0 autocorr "${how[@]}" --recipe recipe.json -o by-recipe raw/frame-*.png

within_half_a_percent() # DIR
{
    paste -d, <(column $1/series.csv r_max) <(column of-clean/series.csv r_max) | while IFS=, read -r got clean; do
        near "$(awk -v a="$got" -v b="$clean" 'BEGIN { print a / b - 1 }')" 0 0.005 "R_max of $1, relative to that of the clean frame,"
    done || exit 1
}

equal "$(column of-clean/series.csv r_max | wc -l)" $n 'rows of series.csv'
near "$(column of-clean/series.csv r_max | head -1)" 40 0.2 'R_max of a clean frame'
within_half_a_percent of-prepared
within_half_a_percent by-recipe
# Without preparation the same numbers are not to be had.
expect 0 autocorr "${how[@]}" -o of-raw raw/frame-*.png
if (within_half_a_percent of-raw) 2>/dev/null; then
    fail 'R_max of the photographs as they are is as good as that of the prepared ones'
fi
