# penta autocorr: what the default estimator is, what --preset paper is, and that a flag alone changes itself alone.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample autocorr -n 1 --width 256 --height 200 -q -o frames
image=frames/frame-0000.png

gives() # DIR ARGUMENT...: the C2D of these flags
{
    local dir=$1

    shift
    expect 0 autocorr --json -q --numerators --no-plots -R 60 -o "$dir" "$@" "$image"
}

same_c2d() # DIR DIR
{
    same "$1/frame-0000.c2d.npy" "$2/frame-0000.c2d.npy"
}

# ---- the default, and the truth that comes with the sample ----
gives default
json '.estimator == "unbiased" and .demean == "mean" and .notes == []'
json '.frames[0].status == "ok"'
near "$(jq .frames[0].r_max out)" "$(sed -n 2p frames/times.csv | cut -d, -f3)" 0.15 'R_max by default'
gives spelt --estimator unbiased --demean mean
same_c2d default spelt

# ---- a peak near the largest offset is weak, and the note lists why a peak may be ----
offset=$(jq '.frames[0].r_max / 0.91 | floor' out)
expect 0 autocorr --no-plots -R "$offset" -o weak "$image"
equal "$(<err)" 'penta autocorr: warning: 1 of 1 frames are weak (standard error over 10 % or none, C(R_max) <= 0, R_max over '\
'0.9 R, or a fall behind R_max that may be chance) and are left out of the growth fits' 'note about weak peaks'

# ---- an R that ends before C1D could show a length is told, others are not: of 40 frames none ----
expect 0 autocorr --no-plots -R 8 -o short "$image"
one_line 'in 1 of 1 frames R = 8 px is below three correlation lengths \([3-9]\.[0-9]* px at most\), too short'
expect 0 sample autocorr -n 40 --width 128 --height 128 --r0 9 --speed 0.005 -q -o many
expect 0 autocorr --no-plots --bootstrap 0 --json -q -o clean many/frame-*.png
json '.notes == [] and .warnings == [] and (.frames | length) == 40'

# ---- equation 1 as printed, and its note ----
gives paper --preset paper
json '.estimator == "eq1" and .demean == "none" and (.warnings | length) == 1'
json '.warnings[0] | test("mean\\^2 is above the variance in 1 of 1 frames")'
json '.warnings[0] | endswith("lost; --demean mean --estimator unbiased, the default, measures the structure")'
gives printed --estimator eq1 --demean none
json '(.warnings | length) == 1'
same_c2d paper printed
expect 0 autocorr --preset paper --no-plots -R 60 -o paper "$image"
equal "$(sed 's/up to [0-9.e+]* times/up to N times/' err)" 'penta autocorr: warning: equation 1 with the mean left in: '\
'mean^2 is above the variance in 1 of 1 frames (up to N times), so the mean carries the curve, which falls with the '\
'overlap, and R_max is drawn inwards or lost; --demean mean --estimator unbiased, the default, measures the structure' note

# ---- flags win wherever they stand; one alone changes itself alone ----
gives eq1 --estimator eq1
json '.estimator == "eq1" and .demean == "mean" and .notes == []'
gives none --demean none
json '.estimator == "unbiased" and .demean == "none"'
for flags in '--preset paper --demean mean' '--demean mean --preset paper'; do
    gives won $flags
    json '.estimator == "eq1" and .demean == "mean"'
    same_c2d won eq1
done
for flags in '--preset paper --estimator unbiased' '--estimator unbiased --preset paper'; do
    gives won $flags
    json '.estimator == "unbiased" and .demean == "none"'
    same_c2d won none
done
refuse 2 'preset needs one of paper' autocorr --preset thesis -o won "$image"

# ---- numerators are the raw sums, whatever C2D is ----
for dir in spelt paper eq1 none won; do
    same default/frame-0000.n2d.npy $dir/frame-0000.n2d.npy
done
hash_pixels 40 30 >pixels
pgm 40 30 <pixels >small.pgm
expect 0 autocorr --numerators -q --no-plots -R 5 -o small small.pgm
[ "$(npy_values small/small.n2d.npy d8)" = "$(numerators pixels 40 5)" ] || fail 'the numerators are not the raw sums'

# ---- a float image without a mean needs no note ----
npy '<f8' '2, 3' 000000000000f03f 000000000000f0bf 000000000000f03f 000000000000f0bf 000000000000f03f 000000000000f0bf >zero.npy
expect 0 autocorr --preset paper --json --no-plots -R 1 -o zero zero.npy
json '.notes == []'

# ---- the option table ----
expect 0 options --json
json '.autocorr.options[] | select(.name == "estimator") | .choices == ["eq1", "unbiased", "pearson"] and .default == "unbiased"'
json '.autocorr.options[] | select(.name == "demean") | .choices == ["none", "mean", "plane"] and .default == "mean"'
json '.autocorr.presets | length == 1 and .[0].name == "paper" and .[0].values == {estimator: "eq1", demean: "none"}'
expect 0 autocorr --help
shows out '^ +--preset paper +.*--estimator eq1 --demean none'
