# What penta optmap says of movies whose numbers should not be believed as they are, and the masks that help.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

# A movie of 300 frames of 16 x 8 pixels: the left half beats once, the right one is dark, with noise.
dark()
{
    npy '<u2' '300, 8, 16'
    printf '%b' "$(awk '
        function s(t) { return t < -30 ? 0 : t > 30 ? 1 : 1 / (1 + exp(-t)) }
        BEGIN {
            srand(1)
            for (f = 0; f < 300; f++)
                for (y = 0; y < 8; y++) {
                    for (x = 0; x < 16; x++) {
                        t = f - 60 - x
                        F = int(x < 8 ? 20000 - 1600 * s(t) * (1 - s((t - 60) / 6)) : 480 + 40 * rand())
                        printf "\\x%02x\\x%02x", F % 256, int(F / 256)
                    }
                }
        }')"
}

dark >dark.npy
npy '|u1' '8, 16' $(for y in 1 2 3 4 5 6 7 8; do printf '01%.0s' 1 2 3 4 5 6 7 8; printf '00%.0s' 1 2 3 4 5 6 7 8; echo; done) >mask.npy

expect 0 optmap --rate 1000 --no-report --json -o plain --mask none dark.npy
shows err 'dark\.npy: [0-9]+ of 48 pixels rise more than twice for each beat, as noise does; --mask auto leaves the background out'
json '.valid_pixels == 128 and .apd80.sd > 5 and .mask.source == "none" and .mask.left_out == {"background": 0, "stuck": 0, "jumping": 0, "masked": 0}'

# ---- the default leaves the dark half out, and says so ----
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o auto dark.npy
one_line 'dark\.npy: 64 of 128 pixels are left out as background \(--mask none takes all\)'
json '.valid_pixels == 64 and .beats == 1 and .mask.source == "auto" and .mask.left_out.background == 64 and .drift.degree == null'
expect 0 optmap --rate 1000 --no-report --json -o thesis --preset thesis dark.npy
json '.valid_pixels == 128 and .mask.source == "none" and .drift.mode == "none" and .motion.shift_px == null'
same thesis/filtered.npy plain/filtered.npy

# ---- both leave the dark half out, and say the same of the other ----
for flag in '--mask mask.npy' '--min-intensity 1000 --mask none' '-m mask.npy --min-intensity 1000'; do
    expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o "out$flag" $flag dark.npy
    silent
    json '.valid_pixels == 64 and .beats == 1 and (.apd80 | (.mean - 68.3 | fabs < 0.5) and .sd < 0.5) and .singularities == 0'
    same "out$flag/filtered.npy" 'out--mask mask.npy/filtered.npy'
    same "out$flag/activation.npy" 'out--mask mask.npy/activation.npy'
    same "out$flag/activation.npy" auto/activation.npy
done
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o low --min-intensity 0 --mask none dark.npy
json '.valid_pixels == 128'

# ---- masks that are none ----
npy '|u1' '8, 15' "$(printf '01%.0s' {1..120})" >small.npy
refuse 1 'small\.npy: is a mask of 15 x 8 pixels; dark\.npy has 16 x 8' optmap --rate 1000 -o no.d -m small.npy dark.npy
npy '|u1' '2, 8, 16' "$(printf '01%.0s' {1..256})" >two.npy
refuse 1 'two\.npy: has 2 pages, where a mask has one' optmap --rate 1000 -o no.d -m two.npy dark.npy
npy '|u1' '8, 16' "$(printf '00%.0s' {1..128})" >none.npy
refuse 1 'no valid pixel: of 128, 128 are masked' optmap --rate 1000 -o no.d -m none.npy dark.npy
refuse 1 'no valid pixel: of 128, 128 have a mean below --min-intensity 30000' optmap --rate 1000 -o no.d --mask none --min-intensity 30000 dark.npy
refuse 1 'missing\.png' optmap --rate 1000 -o no.d -m missing.png dark.npy
refuse 2 'min-intensity' optmap --rate 1000 -o no.d --min-intensity -1 dark.npy
mkdir place
cp mask.npy place/snr.npy
refuse 2 'place/snr\.npy is an input, and would be overwritten' optmap --rate 1000 -o place -m place/snr.npy dark.npy

# ---- bleaching by a seventh of the light: beats do not come back, until it is taken off ----
npy '<u2' '940, 6, 6' >bleached.npy
printf '%b' "$(awk '
    function s(t) { return t < -30 ? 0 : t > 30 ? 1 : 1 / (1 + exp(-t)) }
    BEGIN {
        for (f = 0; f < 940; f++) {
            u = 0
            for (t = f - 40; t > -60; t -= 150)
                u += s(t) * (1 - s((t - 60) / 6))
            F = int(20000 * (1 - 0.08 * u) * (1 - 0.2 * f / 940 + 0.05 * f * f / 940 / 940) + 0.5)
            for (p = 0; p < 36; p++)
                printf "\\x%02x\\x%02x", F % 256, int(F / 256)
        }
    }')" >>bleached.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o bleached --drift none bleached.npy
shows err 'bleached\.npy: in [0-9]+ beats most pixels do not come back by 80 % .+; --drift auto takes bleaching off'
shows err 'bleached\.npy: the light falls by 1[45](\.[0-9]+)? % from the first to the last frame, which is left in'
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o auto.drift bleached.npy
shows err 'bleached\.npy: the light falls by 1[45](\.[0-9]+)? % from the first to the last frame; a polynomial of degree 2 is taken off'
json '.beats == 6 and (.apd80 | (.mean - 68.3 | fabs < 0.5) and .sd < 0.3) and .drift.mode == "auto" and .drift.degree == 2'
lacks err 'that no heart tissue has'
expect 0 sample optmap -q -o tissue
expect 0 optmap --rate 1000 --pixel-size 10 --no-movie --json -o um tissue/movie.npy # the side of a pixel in um
shows err 'the conduction velocity, [0-9.e+]+ cm/s \(median\), is one that no heart tissue has; --pixel-size is in cm'
shows um/report.html '<li>the conduction velocity, .* that no heart tissue has; --pixel-size is in cm'
expect 0 optmap --rate 1000 --pixel-size 0.01 --no-report --json -o cm tissue/movie.npy
lacks err 'that no heart tissue has'
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o drift --drift 2 bleached.npy
shows err 'a polynomial of degree 2 is taken off'
shows err 'bleached\.npy: alternans is not stated: 4 pixels have one, but 25 are needed'
json '.alternans.median == null and (.alternans.refused | contains("25 are needed"))'
json '.beats == 6 and (.apd80 | (.mean - 68.3 | fabs < 0.5) and .sd < 0.3)'

# ---- waves that overlap: each crosses the field in 150 ms, the next one follows after 100 ----
npy '<u2' '800, 5, 40' >overlap.npy
printf '%b' "$(awk '
    function s(t) { return t < -30 ? 0 : t > 30 ? 1 : 1 / (1 + exp(-t)) }
    BEGIN {
        for (f = 0; f < 800; f++) {
            row = ""
            for (x = 0; x < 40; x++) {
                u = 0
                for (k = 0; k < 6; k++)
                    u += s(f - 40 - 100 * k - 3.75 * x) * (1 - s((f - 85 - 100 * k - 3.75 * x) / 4))
                F = int(20000 - 1600 * u + 0.5)
                row = row sprintf("\\x%02x\\x%02x", F % 256, int(F / 256))
            }
            for (y = 0; y < 5; y++)
                printf "%s", row
        }
    }')" >>overlap.npy
expect 0 optmap --rate 1000 --pixel-size 0.1 --no-report --json -o overlap overlap.npy
one_line 'overlap\.npy: no beat was found, though single pixels rise 6 times \(median\); waves that go round or overlap'
json '.beats == 0'
