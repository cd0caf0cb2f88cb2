# penta stars: what --truth says of trails, electrons and places against exact answers; variable stars; notes; seeds.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

value() # TRUTH ID COLUMN
{
    awk -F, -v id="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } $1 == id { print $c }' "$1"
}

centroid() # NPY WIDTH: of float64 pixels, "x y sum"
{
    npy_values "$1" f8 | awk -v w="$2" '{ s += $1; x += $1 * ((NR - 1) % w); y += $1 * int((NR - 1) / w) }
        END { printf "%.9f %.9f %.12g\n", x / s, y / s, s }'
}

sum_of_floats() # NPY
{
    od -A n -v -w4 -t f4 -j 128 "$1" | awk '{ s += $1 } END { printf "%.9g", s }'
}

# ---- a roll about the boresight: a star rho px from the centre draws an arc of the angle a, whose mean lies at
# rho sin(a/2) / (a/2) on the way to its middle. Chords inside the arc put the light up to 0.0115 px from there. ----
printf 'id,ra,dec,mag\nup,10,21,3\n' >up.csv # 1 degree north of the boresight, straight up in the middle
camera='--catalog up.csv --ra-unit deg --attitude 10,20,0 --fov 5 --size 201x201 --precision double'
rho=$(awk 'BEGIN { r = 3.14159265358979 / 180; printf "%.9f", 100.5 / (sin(2.5 * r) / cos(2.5 * r)) * sin(r) / cos(r) }')
for case in '1.7 --sigma 1.2 --roi 24' '4 --sigma 0.7 --roi 20 --psf integrated' '11 --sigma 1.2' '65 --flux-tolerance 1e-6' \
    '170 --psf integrated --sigma 1'; do
    turn=${case%% *} psf=${case#* }
    expect 0 stars $camera --rate 0,0,$turn --exposure 1 $psf --truth t.csv -o t.npy
    set -- $(centroid t.npy 201)
    mean=$(awk -v rho="$rho" -v a="$turn" 'BEGIN { h = a * 3.14159265358979 / 360; printf "%.9f", 100 - rho * sin(h) / h }')
    near "$1" 100 1e-3 "centroid x of a roll by $turn degrees, $psf"
    near "$2" "$mean" 1e-3 "centroid y of a roll by $turn degrees, $psf"
    near "$(value t.csv up x_mean)" 100 1e-6 'mean x'
    near "$(value t.csv up y_mean)" "$mean" 1e-6 'mean y'
    near "$(value t.csv up y)" "$(awk -v rho="$rho" 'BEGIN { printf "%.9f", 100 - rho }')" 1e-6 'y in the middle'
    near "$(value t.csv up x_start)" "$(awk -v rho="$rho" -v a="$turn" \
        'BEGIN { printf "%.9f", 100 + rho * sin(a * 3.14159265358979 / 360) }')" 1e-6 'x at the start'
    near "$(awk -v a="$(value t.csv up x_start)" -v b="$(value t.csv up x_end)" 'BEGIN { print a + b }')" 200 1e-6 'both ends'
    near "$(value t.csv up y_start)" "$(value t.csv up y_end)" 1e-6 'y of both ends'
done
# A still frame has one place; a list says how its stars move.
expect 0 stars $camera --truth t.csv -o t.npy
for name in x_mean x_start x_end; do
    equal "$(value t.csv up $name)" "$(value t.csv up x)" "$name of a still frame"
done
printf 'id,x,y,mag,mx,my\na,30,20,1,6,-4\nb,40,30,1,0,0\n' >list.csv
expect 0 stars --list list.csv --size 64x48 --truth t.csv -o t.npy
equal "$(value t.csv a x_start),$(value t.csv a y_start),$(value t.csv a x_end),$(value t.csv a y_end)" 27,22,33,18 'ends'
equal "$(value t.csv a x_mean),$(value t.csv a y_mean)" 30,20 'mean of a straight way'
equal "$(value t.csv a electrons)$(value t.csv a dn)$(value t.csv a ra_catalog)$(value t.csv a variable)" '' 'columns of no meaning'

# ---- electrons and DN: what the pixels of a detector without noise hold ----
printf 'id,x,y,mag\na,12,9,0\nb,31.3,20.6,1\nc,63.2,1.7,0.5\n' >list.csv
detector='-A 50000 --shot-noise none --quantum-efficiency 0.6 --vignetting 0.7 --gain 2.5'
for draw in '--psf integrated' '--sigma 2' '--psf moffat' '--psf integrated --sigma-y 2 --angle 30'; do
    expect 0 stars --list list.csv --size 64x48 $draw $detector --truth t.csv -o t.npy
    near "$(column t.csv dn | awk '{ s += $1 } END { printf "%.9g", s }')" "$(sum_of_floats t.npy)" 0.5 "DN of $draw"
    near "$(column t.csv electrons | awk '{ s += $1 } END { printf "%.9g", s }')" \
        "$(awk -v s="$(sum_of_floats t.npy)" 'BEGIN { print 2.5 * s }')" 1 "electrons of $draw"
done
expect 0 stars --list list.csv --size 64x48 --psf integrated --sigma 1 $detector --truth t.csv -o t.npy
# v = 1 - 0.7 r^2 / R^2; the PSF's own width and the pixel's add 2 (1 + 1/12) to the mean r^2
near "$(value t.csv b electrons)" "$(awk -v f="$(value t.csv b flux_in_frame)" 'BEGIN {
    printf "%.9g", 0.6 * f * (1 - 0.7 * (0.2 ^ 2 + 2.9 ^ 2 + 2 * 13 / 12) / (31.5 ^ 2 + 23.5 ^ 2)) }')" 1 'electrons of b'
expect 0 stars $camera --rate 0,0,11 --exposure 1 -A 50000 --vignetting 0.9 --shot-noise none --truth t.csv -o t.npy --psf integrated
near "$(value t.csv up dn)" "$(sum_of_floats t.npy)" 0.05 'DN of a trail'

# ---- places: as catalogued, and as seen ----
printf 'id,ra,dec,mag,pmra,pmdec\nfast,10,20,3,3600000,0\n' >pm.csv
expect 0 stars --catalog pm.csv --ra-unit deg --attitude 11,20,0 --fov 5 --epoch 2001 --aberration --truth t.csv -o t.npy
near "$(value t.csv fast ra_catalog)" 10 1e-12 'catalogued RA'
near "$(value t.csv fast dec_catalog)" 20 1e-12 'catalogued Dec'
near "$(value t.csv fast ra_apparent)" 11.064 0.01 'apparent RA'
equal "$(value t.csv fast ra),$(value t.csv fast dec)" \
    "$(value t.csv fast ra_apparent),$(value t.csv fast dec_apparent)" 'ra, dec are the apparent ones'

# ---- stars whose catalogued magnitude says little: corrected and marked in the built-in catalogue, said, and left alone in
# a user's file ----
expect 0 stars --attitude 239.9,25.9,0 --fov 10 --truth t.csv --json -o t.npy # T CrB
near "$(value t.csv 'HR 5958' mag)" 10.08 1e-9 'magnitude of T CrB'
equal "$(value t.csv 'HR 5958' variable)" 1 'T CrB varies'
equal "$(value t.csv 'HR 5947' variable)" 0 'epsilon CrB does not'
one_line 'vary.*T CrB \(HR 5958\) at its usual 10\.08'
json '(.notes | length) == 1 and (.notes[0] | test("T CrB"))'
for mira in '868 43.47,-49.89 7.22' '7564 297.64,32.91 7.91' '681 34.84,-2.98 6.47' '5080 202.43,-23.28 6.4'; do
    set -- $mira
    expect 0 stars --attitude $2,0 --fov 4 --truth t.csv -o t.npy
    near "$(value t.csv "HR $1" mag)" $3 1e-9 "magnitude of HR $1"
    equal "$(value t.csv "HR $1" variable)" 1 "HR $1 varies"
done
expect 0 stars --attitude 146.89,11.43,0 --fov 4 --truth t.csv -o t.npy # R Leo
near "$(value t.csv 'HR 3882' mag)" 6.02 1e-9 'R Leo as catalogued'
one_line 'R Leo \(HR 3882\) as catalogued, near the maximum'
expect 0 stars --attitude 239.9,25.9,0 --fov 10 --mag-limit 6 --truth t.csv -o t.npy
silent
equal "$(value t.csv 'HR 5958' mag)" '' 'T CrB within magnitude 6'
printf 'hr,ra,dec,mag\n5958,239.876,25.920,2\n' >mine.csv
expect 0 stars --catalog mine.csv --ra-unit deg --attitude 239.9,25.9,0 --fov 10 --truth t.csv -o t.npy
silent
equal "$(awk -F, 'NR == 2 { print $4 "," $NF }' t.csv)" 2, "a user's file"

# ---- a distortion that folds, and frames without stars, are said whatever the format ----
for suffix in png npy tif fits; do
    has_format $suffix || continue
    expect 0 stars --attitude 83.8,-1.2,0 --mag-limit 5 --distortion -5 --fov 60 --json -o fold.$suffix
    one_line 'pixels show no star: --distortion folds back within the frame'
    json '.warnings | length == 1 and (.[0] | test("folds back"))'
    expect 0 stars $camera --mag-limit 2 --json -o none.$suffix
    one_line 'no star was drawn'
    json '.stars_drawn == 0 and (.warnings[0] | test("no star was drawn"))'
done
expect 0 stars --attitude 83.8,-1.2,0 --mag-limit 5 --distortion -0.1 --fov 60 --json -o fine.png
silent
json '.notes == [] and .flux_unit == "count"'
printf 'ra,dec\n10,21\n190,-20\n' >track.csv
expect 0 stars --track track.csv --catalog up.csv --ra-unit deg --size 32x32 --fov 5 -o frames
one_line 'no star was drawn in 1 of 2 frames, the first of them frame-0001'
expect 0 stars --track track.csv --catalog up.csv --ra-unit deg --size 32x32 --fov 5 -q -o frames
one_line 'warning: no star was drawn in 1 of 2 frames' # which -q leaves

# ---- two seeds: hot pixels stay with --detector-seed, noise goes with --seed ----
hot='--size 64x64 --list list.csv -A 50000 --hot-fraction 0.05 --hot-rate 2000'
expect 0 stars $hot --shot-noise none -o a.npy
expect 0 stars $hot --shot-noise none --seed 2 -o b.npy
same a.npy b.npy
expect 0 stars $hot --shot-noise none --detector-seed 2 -o b.npy
! cmp -s a.npy b.npy || fail 'another --detector-seed has the same hot pixels'
expect 0 stars $hot --seed 2 --detector-seed 7 -o a.npy
expect 0 stars $hot --seed 3 --detector-seed 7 -o b.npy
! cmp -s a.npy b.npy || fail 'another --seed has the same noise'
no_temporaries .
