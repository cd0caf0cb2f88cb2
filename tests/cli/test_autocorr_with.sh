# penta autocorr --with: displacement, peak and score in the table, the JSON and the text; no length scale, no growth.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ---- windows of one field of pixels: whole pixels, the sign as documented ----
hash_pixels 60 50 | pgm 60 50 >with.pgm
hash_pixels 60 50 3 5 | pgm 60 50 >moved.pgm # shows at (x, y) what with.pgm shows at (x + 3, y + 5)
hash_pixels 60 50 900 700 | pgm 60 50 >other.pgm
awk 'BEGIN { for (i = 0; i < 3000; i++) print 9 }' | pgm 60 50 >flat.pgm
expect 0 autocorr --with with.pgm --json -R 12 -o cross moved.pgm with.pgm other.pgm flat.pgm
one_line '2 of 4 displacements are not to be relied on'
holds cross {moved,with,other,flat}.c2d.npy {moved,with,other,flat}.c1d.csv series.csv $(pictures c1d c2d)
json '.growth == [] and (.warnings | length) == 1'
json 'all(.frames[]; has("dx") and has("dy") and has("peak") and has("score") and has("sigmas") and (has("r_max") | not))'
json '[.frames[].status] == ["ok", "ok", "no_match", "flat"]'
near "$(jq '.frames[0].dx' out)" 3 0.05 dx
near "$(jq '.frames[0].dy' out)" 5 0.05 dy
near "$(jq '.frames[1].dx' out)" 0 0.001 'dx of the image itself'
near "$(jq '.frames[1].peak' out)" 1 1e-12 'the peak of the image itself'
json '.frames[0].score > 0.7 and .frames[1].score > 0.7 and .frames[2].score < 0.3'
json '.frames[3] | .dx == null and .dy == null and .peak == null and .score == null'
equal "$(head -1 cross/series.csv)" index,file,time,dx,dy,peak,score,sigmas,dx_se,dy_se,status 'header of series.csv'
equal "$(column cross/series.csv status | paste -sd ' ')" 'ok ok no_match flat' 'column status'
expect 0 autocorr --with with.pgm --no-plots -R 12 -o text moved.pgm
shows out '^moved\.pgm  dx = (3\.0|2\.9)[0-9]+  dy = (5\.0|4\.9)[0-9]+ px  \(C = [01]\.[0-9]+, score 0\.[0-9]+, ok\)$'
silent
expect 0 autocorr --with with.pgm --no-plots --json -R 2 -o text moved.pgm # the peak lies beyond R
json '.frames[0].status != "ok"'

# ---- a single blob: no estimator moves it, and dx and dy have errors ----
for at in '30 28' '33 26'; do
    set -- $at
    awk -v x0="$1" -v y0="$2" 'BEGIN { for (i = 0; i < 4096; i++) print int(250 * exp(-((i % 64 - x0)^2 + (int(i / 64) - y0)^2) / 32)) }' |
        pgm 64 64 >"blob$1.pgm"
done
blob() # ESTIMATOR FLAG...
{
    local estimator=$1
    shift
    expect 0 autocorr --with blob30.pgm --no-plots --json "$@" -o blob blob33.pgm
    json ".estimator == \"$estimator\" and .frames[0].status == \"ok\""
    near "$(jq '.frames[0].dx' out)" -3 0.05 'dx of a blob'
    near "$(jq '.frames[0].dy' out)" 2 0.05 'dy of a blob'
    json '.frames[0] | .dx_se > 0 and .dx_se < 0.2 and .dy_se > 0 and .dy_se < 0.2'
}
blob pearson
blob unbiased --estimator unbiased
blob eq1 --preset paper
