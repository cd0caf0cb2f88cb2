# What is said of series in which parts move apart, of light and dust in frames that were not prepared, and of a Gaussian
# too narrow for the pattern.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Textures are sums of waves of one length in all directions.
cat >texture.awk <<'END'
function random() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function waves(period, seed, k, a) {
    state = seed * 7919 + 17
    for (k = 0; k < 12; k++) {
        a = 6.2831853 * random(); kx[seed, k] = 6.2831853 / period * cos(a); ky[seed, k] = 6.2831853 / period * sin(a)
        phase[seed, k] = 6.2831853 * random()
    }
}
function at(seed, x, y, k, sum) {
    sum = 0
    for (k = 0; k < 12; k++) sum += cos(kx[seed, k] * x + ky[seed, k] * y + phase[seed, k])
    return sum / 2.45
}
function grey(v) { v = int(v + 0.5); return v < 0 ? 0 : v > 255 ? 255 : v }
END

# ---- a disc moves over a field that drifts otherwise: doubtful, and both places are told ----
scene() # DX DY DISC_X DISC_Y: the field's drift, the disc's
{
    awk -v dx="$1" -v dy="$2" -v ox="$3" -v oy="$4" -v radius="$5" "$(cat texture.awk)"'BEGIN {
        n = 128; waves(11, 1); waves(13, 2)
        for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
            u = x - n / 2 - ox; v = y - n / 2 - oy
            print u * u + v * v < radius * radius ? grey(150 * (1 + 0.2 * at(2, u, v))) : grey(80 * (1 + 0.2 * at(1, x - dx, y - dy)))
        } }' | pgm 128 128
}
scene 0 0 0 0 38 >a.pgm
scene 2 1 0 -1 38 >b.pgm
expect 0 prepare --json --no-sheet -o moved a.pgm b.pgm
json '.frames[1].ambiguous and (.warnings | any(test("parts of the picture have moved apart")))'
scene 0 0 0 0 0 >a.pgm
scene 2 1 0 0 0 >b.pgm
expect 0 prepare --json --no-sheet -o moved a.pgm b.pgm
json '(.frames[1] | (.ambiguous | not) and (.dx - 2 | fabs < 0.1) and (.dy - 1 | fabs < 0.1)) and .warnings == []'

# ---- bars and edges: nothing tells how far they have moved along themselves ----
bars() # ALONG ACROSS: the normal's direction; MOVED: px along it; NOISE
{
    awk -v cx="$1" -v cy="$2" -v moved="$3" -v noise="$4" "$(cat texture.awk)"'BEGIN {
        state = 99 + moved
        for (y = 0; y < 100; y++) for (x = 0; x < 60; x++) {
            u = cx * (x - 30) + cy * (y - 50) + 50 - moved
            print grey(120 + (u < 40 || u > 50 && u < 60 ? -60 : 0) + noise * (random() - 0.5))
        } }' | pgm 60 100
}
for normal in '0 1' '1 0' '0.8 0.6' '0.6 -0.8'; do
    for noise in 0 20; do
        bars $normal 0 $noise >a.pgm
        bars $normal 6 $noise >b.pgm
        run prepare --json --no-sheet -o moved a.pgm b.pgm
        if [ "$code" -eq 0 ]; then
            json '.frames[1].ambiguous and (.warnings | any(test("the same along a line")))'
        else
            json '.error | test("b.pgm: its shift cannot be found")'
        fi
    done
done

# ---- clean series, 45 frames: at rest in themselves, growing, noisy ----
clean() # FLAG...
{
    expect 0 sample prepare -q -o clean.d "$@"
    expect 0 prepare --json --no-sheet -o moved clean.d/*.png
    json '(.frames | any(.ambiguous) | not) and (.warnings | any(test("moved apart")) | not)'
    rm -r clean.d
}
clean -n 12 --width 160 --height 128 --r0 10
clean -n 12 --width 160 --height 128 --r0 8 --snr 5 --seed 2
clean -n 13 --width 128 --height 160 --r0 14 --dust 0.05 --seed 3
clean -n 8 --width 300 --height 240 --r0 12 --speed 0.3

# ---- light and dust ----
pattern() # KIND SEED
{
    awk -v kind="$1" -v seed="$2" "$(cat texture.awk)"'BEGIN {
        n = 64; waves(9 + seed % 3, seed); waves(30, seed + 100)
        for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
            t = at(seed, x, y); r2 = ((x / n - 0.5) ^ 2 + (y / n - 0.5) ^ 2) * 2; light = 1
            if (kind ~ /light/) light = 1 - 0.45 * r2
            if (kind == "mild") light = 1 - 0.15 * r2
            if (kind ~ /domains/) t = t > 0.2 ? 2 : -2
            if (kind == "stripes") t = 2 * cos(0.6 * x + 0.01 * seed * y)
            if (kind == "large") t = at(seed + 100, x, y)
            if (kind == "noise") t = random() - 0.5
            v = 140 * light * (1 + 0.2 * t)
            if (kind == "dust" && (x % 32 - 16) ^ 2 + (y % 32 - 16) ^ 2 < 9) v = 5
            print grey(v)
        } }' | pgm 64 64
}
for kind in light lightdomains; do
    pattern $kind 1 >light.pgm
    expect 0 autocorr --json --no-plots --bootstrap 0 -o out.d light.pgm
    json '.notes | any(test("the light of 1 of 1 frames is uneven.*penta prepare flattens it"))'
done
pattern dust 1 >dust.pgm
expect 0 autocorr --json --no-plots --bootstrap 0 -o out.d dust.pgm
json '.notes | any(test("dust seems to cover 1 % or more of 1 of 1 frames.*penta prepare masks it"))'
for kind in mild domains stripes large noise ring; do
    for seed in 1 2 3 4 5 6 7; do
        pattern $kind $seed >$kind-$seed.pgm
    done
done
expect 0 autocorr --json --no-plots --bootstrap 0 -o out.d {mild,domains,stripes,large,noise,ring}-?.pgm
json '[.notes[], .warnings[]] | any(test("penta prepare")) | not'

# ---- a Gaussian below twice R_max ----
expect 0 sample prepare -n 1 --width 256 --height 256 -q -o photos
narrow='flattened by a Gaussian of 18 px, narrow for an R_max of'
printf '{"flatten_sigma": 18, "register": "none"}' >narrow.json
expect 0 prepare --recipe narrow.json -q --no-sheet -o clean photos/frame-0000.png
expect 0 autocorr --json --no-plots -o out.d clean/frame-0000.png
json ".warnings | any(test(\"$narrow\"))"
expect 0 autocorr --json --no-plots --recipe narrow.json -o out.d photos/frame-0000.png
json ".warnings | any(test(\"$narrow\"))"
expect 0 prepare --json --no-sheet --recipe narrow.json --watch photos --watch-idle 0.1 -o watched
json ".warnings | any(test(\"$narrow\"))"
expect 0 autocorr --json --no-plots -o out.d watched/frame-0000.png
json ".warnings | any(test(\"$narrow\"))"
expect 0 prepare -q --no-sheet --register none -o wide photos/frame-0000.png
expect 0 autocorr --json --no-plots -o out.d wide/frame-0000.png
json '.warnings == []'
