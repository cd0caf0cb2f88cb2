# penta stars on the sky: pointing, coordinates in FITS, catalogues, cameras, smear.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

value() # TRUTH ID COLUMN
{
    awk -F, -v id="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } $1 == id { print $c }' "$1"
}

at() # TRUTH ID X Y TOLERANCE
{
    near "$(value "$1" "$2" x)" "$3" "$5" "x of $2"
    near "$(value "$1" "$2" y)" "$4" "$5" "y of $2"
}

png_header() # FILE: width, height, depth, type in hex
{
    od -A n -t x1 -j 16 -N 10 "$1" | tr -d ' '
}

look='--attitude 83.8,-1.2,0'

# ---- out of the box: Orion, north up, east left ----
expect 0 stars $look -o orion.png --truth orion.csv
silent
shows out '^1024 x 1024 px: [0-9]+ of 9096 stars drawn'
equal "$(png_header orion.png)" 00000400000004000800 'width, height, depth and type'
at orion.csv 'HR 2061' 257.0 70.6 0.1  # Betelgeuse: above, left
at orion.csv 'HR 1713' 773.3 869.8 0.1 # Rigel: below, right
at orion.csv 'HR 1903' 498.66 511.60 0.1 # Alnilam: the centre
equal "$(value orion.csv 'HR 1713' saturated)" 1 'Rigel in 8 bits'
near "$(value orion.csv 'HR 1713' mag)" 0.12 1e-12 'magnitude of Rigel'
near "$(value orion.csv 'HR 1713' ra)" 78.634583 1e-5 'RA of Rigel'
near "$(value orion.csv 'HR 1713' dec)" -8.201667 1e-5 'Dec of Rigel'
expect 0 stars $look --stretch asinh -o display.png
! cmp -s orion.png display.png || fail '--stretch changes nothing'

# ---- a star straight ahead is at the centre, or at the principal point; 45 degrees up is one focal length up ----
printf 'id,ra,dec,mag\nahead,10,20,3\nup,10,65,4\neast,11,20,5\n' >three.csv
three='--catalog three.csv --size 201x101'
expect 0 stars $three --attitude 10,20,0 --fov 5 --truth t.csv -o t.npy
at t.csv ahead 100 50 1e-9
equal "$(value t.csv up x)" '' 'a star far off the field'

expect 0 stars $three --attitude 10,20,0 --fov 5 --principal 20,30 --truth t.csv -o t.npy
at t.csv ahead 20 30 1e-9
expect 0 stars $three --attitude 10,20,0 --focal 0.4 --pitch 10 --truth t.csv -o t.npy # 40 px
at t.csv up 100 10 1e-9
expect 0 stars $three --attitude 10,20,90 --focal 0.4 --pitch 10 --truth t.csv -o t.npy # up is east, north is right
at t.csv up 140 50 1e-9
expect 0 stars $three --attitude 10,20,0 --focal 0.4 --pitch 10 --distortion 0.1 --truth t.csv -o t.npy
at t.csv up 100 6 1e-9 # r = 1: 40 (1 + 0.1)
expect 0 stars --catalog three.csv --size 201x101 --quaternion 1,0,0,0 --fov 120 --truth t.csv -o t.npy # at the pole, x to RA 0
at t.csv up 126.6458 54.6985 1e-3 # 58.024 px tan(25 deg) at 10 deg from x to y
expect 0 stars $three --attitude 10,20,0 --fov 5 --mag-limit 4 --json -o t.npy
json '.stars_in == 2 and .stars_drawn == 1'

# ---- the unit of a catalogue's right ascensions: as its columns or values say, else as said in a note; or by the flag ----
printf 'id,proper,ra,dec,mag\n1,a,0.6,20,3\n2,b,0.7,21,4\n' >cut.csv # of HYG: hours
view='--size 201x101 --attitude 9,20,0 --fov 5'
expect 0 stars --catalog cut.csv $view --json --truth t.csv -o t.npy
one_line 'cut\.csv: read with --ra-unit hour, since .* above 24, and other columns are HYG.s; give the flag to settle it'
json '.catalog == {format: "HYG", ra_column: "ra", ra_unit: "hour", epoch: 2000}'
at t.csv 'HYG 1' 100 50 1e-6
expect 0 stars --catalog cut.csv $view -q -o t.npy
silent
expect 0 stars --catalog cut.csv $view --ra-unit hour --json -o t2.npy
silent
json '.catalog.ra_unit == "hour" and .stars_drawn == 2'
same t.npy t2.npy
expect 0 stars --catalog cut.csv $view --ra-unit deg --json -o t.npy
one_line 'no star was drawn: none of 2 comes into the frame'
json '.catalog == {format: "CSV", ra_column: "ra", ra_unit: "deg", epoch: 2000} and .stars_drawn == 0'
expect 0 stars $three --attitude 10,20,0 --fov 5 --json -o t.npy
one_line 'three\.csv: read with --ra-unit deg, since .*leave the unit open'
json '.catalog.ra_unit == "deg"'
expect 0 stars $look --json -o t.npy
silent
json '.catalog == {format: "BSC5", ra_column: null, ra_unit: "rad", epoch: 2000}'
expect 0 stars --random 3 --json -o t.npy
json 'has("catalog") | not'
printf 'HIP,RAhms,DEdms,Vmag\n1,00 36 00,+20 00 00.0,3\n' >hms.csv
expect 0 stars --catalog hms.csv $view --truth t.csv -o t.npy
silent
at t.csv 'HIP 1' 100 50 1e-6
refuse 1 'hms\.csv: the column RAhms is sexagesimal; leave out --ra-unit' \
    stars --catalog hms.csv $view --ra-unit hour -o none.npy
printf 'ra,dec,mag\n0x10,20,3\n' >hex.csv
refuse 1 "hex\.csv: line 2, column 1 \(ra\): '0x10' is not a finite number" stars --catalog hex.csv $view -o none.npy
absent none.npy

# ---- proper motion and aberration ----
printf 'id,ra,dec,mag,pmra,pmdec\nfast,10,20,3,3600000,0\nstill,10,20.5,3,0,0\n' >pm.csv # 1 deg a year
expect 0 stars --catalog pm.csv $look --attitude 10,20,0 --fov 5 --truth t.csv -o t.npy
equal "$(value t.csv fast x)" "$(value t.csv still x)" 'without --epoch stars stay'
expect 0 stars --catalog pm.csv --attitude 10,20,0 --fov 5 --epoch 2001 --truth t.csv -o t.npy
near "$(value t.csv fast ra)" 11.064 0.005 'RA a year later'
expect 0 stars --catalog pm.csv --attitude 10,20,0 --fov 5 --epoch 2000.25 --aberration --truth a.csv -o t.npy
# -20.5 arcsec (cos(ra) cos(l) cos(23.4 deg) + sin(ra) sin(l)) / cos(dec), the sun at the longitude l = 11.5 deg
near "$(value a.csv still ra)" "$(awk 'BEGIN { print 10 - 20.13 / 3600 }')" 0.0001 'RA in spring'

# ---- FITS: the header of a frame draws the same frame ----
if has_format fits; then
    for extra in '' '--principal 300,200 --fov 12' '--distortion -0.1,0.02,0,0.001,-0.002'; do
        expect 0 stars --attitude 200.3,67.8,123 --size 640x480 $extra --truth camera.csv -o camera.fits
        expect 0 stars --wcs camera.fits --truth wcs.csv --json -o wcs.fits
        json '.width == 640 and .height == 480'
        equal "$(column camera.csv id)" "$(column wcs.csv id)" "stars of the camera $extra"
        paste -d , <(cut -d , -f 1,5,6 camera.csv) <(cut -d , -f 5,6 wcs.csv) | awk -F, 'NR > 1 {
            d = ($2 - $4) ^ 2 + ($3 - $5) ^ 2; if (!(d < 1e-6)) { print $1, sqrt(d); bad = 1 } } END { exit bad }' ||
            fail "coordinates of the camera $extra"
        if command -v fitsverify >/dev/null; then
            fitsverify -q camera.fits wcs.fits >verified || fail "fitsverify: $(cat verified)"
        else
            note 'fitsverify is missing; headers are not verified'
        fi
    done
    grep -aq "CTYPE1  = 'RA---TAN-SIP'" camera.fits || fail 'a distorted camera without SIP'

    # The order follows from the distortion; what is left of a strong one is noted. All coefficients, those of the way back
    # too, come back to the bit when the header is read and written again.
    coordinates() # FITS: the cards of the coordinates
    {
        fold -w 80 "$1" | sed '/^END/q' | grep -aE '^(CTYPE|CRVAL|CRPIX|CD._|(A|B|AP|BP)_)'
    }
    for case in '3 20 -0.002' '5 20 -0.1' '7 36 -0.2,0.05' '9 60 -0.3,0.1'; do
        set -- $case
        expect 0 stars --attitude 200.3,67.8,123 --size 800x600 --fov $2 --distortion $3 --truth camera.csv \
            -o camera.fits
        off=0.001
        if [ $1 -eq 9 ]; then
            shows err 'off by up to 0\.0[0-9]+ px.*order 9'
            off=$(sed -n 's/.*off by up to //; s/ px.*//p' err)
        else
            lacks err 'off by'
        fi
        equal "$(coordinates camera.fits | grep -ac "_ORDER *= *$1 ")" 4 "polynomials of order $1"
        [ "$(coordinates camera.fits | grep -ac '^[AB]P_')" -ge 20 ] || fail 'no coefficients of the way back'
        expect 0 stars --wcs camera.fits --truth wcs.csv -o wcs.fits
        coordinates camera.fits >camera.cards
        coordinates wcs.fits >wcs.cards
        same camera.cards wcs.cards
        equal "$(column camera.csv id)" "$(column wcs.csv id)" "stars of the distortion $3"
        paste -d , <(cut -d , -f 1,5,6 camera.csv) <(cut -d , -f 5,6 wcs.csv) | awk -F, -v off="$off" 'NR > 1 {
            d = sqrt(($2 - $4) ^ 2 + ($3 - $5) ^ 2); if (!(d < 1.1 * off)) { print $1, d; bad = 1 } }
            END { exit bad || NR < 20 }' || fail "coordinates of the distortion $3"
        if command -v fitsverify >/dev/null; then
            fitsverify -q camera.fits wcs.fits >verified || fail "fitsverify: $(cat verified)"
        fi
    done
    expect 0 stars $look --rate 0,0,1 --exposure 0.25 --zero-point 14 -o timed.fits
    fold -w 80 timed.fits | head -80 >cards
    for card in 'EXPTIME = +0\.25' 'BUNIT   = .adu' 'CREATOR = .pentacl' 'SIGMA   = +1\.2' 'ROI     = +10 ' 'READNOIS= +0' \
        'ZEROPNT = +14' 'ENGINE  = .fixed'; do
        shows cards "^$card"
    done
    expect 0 stars $look --distortion -5 --fov 60 -o fold.fits
    shows err '^penta stars: warning: .*no coordinates.*--distortion'
    lacks fold.fits CTYPE1
fi

# ---- smear: a turn moves flux along, and keeps it ----
expect 0 stars $three --attitude 10,20,0 --fov 5 --psf integrated --json -o still.npy
json '.engine == "tile" or .engine == "serial" or .engine == "threads"'
flux=$(jq .flux_in_frame out)
expect 0 stars $three --attitude 10,20,0 --fov 5 --psf integrated --rate 0,2,0 --exposure 0.5 --json --truth t.csv -o turn.npy
near "$(jq .flux_in_frame out)" "$flux" "$(awk -v f="$flux" 'BEGIN { print 2e-2 * f }')" 'flux of a smeared star'
at t.csv ahead 100 50 1e-9
[ "$(npy_values turn.npy f8 | head -1)" != nan ] || fail 'NaN in a smeared frame'
expect 0 stars $three --attitude 10,20,0 --fov 5 --psf integrated --rate 0,0,0 --exposure 0.5 -o zero.npy
same still.npy zero.npy # and no noise
printf 'time,ra,dec,roll\n0,9.5,20,0\n2,10.5,20,0\n' >pan.csv
expect 0 stars $three --exposure-track pan.csv --fov 5 --psf integrated --truth t.csv -o pan.npy
at t.csv ahead 100 50 0.02
printf 'time,w,x,y,z\n5,1,0,0,0\n6,1,0,0,0\n7,1,0,0,0\n' >rest.csv
expect 0 stars --catalog three.csv --size 201x101 --quaternion 1,0,0,0 --fov 120 --psf integrated --precision double -o rest.npy
expect 0 stars --catalog three.csv --size 201x101 --exposure-track rest.csv --fov 120 --psf integrated --precision double \
    --engine tile --json -o rest2.npy
near "$(jq .flux_in_frame out)" "$(npy_values rest.npy f8 | awk '{ s += $1 } END { printf "%.12g", s }')" 1e-5 \
    'flux of an exposure at rest'

# ---- detector: a flag switches the noise on, the same seed gives the same frame on every engine form ----
expect 0 stars $three --attitude 10,20,0 --fov 5 -A 50000 --read-noise 3 --bias 50 --bits 12 --json -o a.npy
json '.engine == "fixed"'
expect 0 stars $three --attitude 10,20,0 --fov 5 -A 50000 --read-noise 3 --bias 50 --bits 12 -o b.npy
same a.npy b.npy
expect 0 stars $three --attitude 10,20,0 --fov 5 -A 50000 --read-noise 3 --bias 50 --bits 12 --seed 2 -o b.npy
! cmp -s a.npy b.npy || fail 'another seed gave the same noise'
expect 0 stars $three --attitude 10,20,0 --fov 5 --exposure 1 --zero-point 12 --json -o b.npy
json '.engine == "fixed"'
expect 0 stars $three --attitude 10,20,0 --fov 5 --zero-point 0 --exposure 4 --shot-noise none --json -o c.npy
near "$(jq .flux_total out)" "$(awk 'BEGIN { print 4 * 10 ^ -1.2 + 4 * 10 ^ -2 }')" 1e-5 'flux by --zero-point'
for output in 'deep.png 16' 'shallow.png 8'; do
    set -- $output
    expect 0 stars $three --attitude 10,20,0 --fov 5 -A 50000 --bits "$2" -o "$1"
    equal "$(png_header "$1" | cut -c 17-18)" "$(printf %02x "$2")" "bits of $1"
done
expect 0 stars $three --attitude 10,20,0 --fov 5 --bits 12 -o sat.png --truth sat.csv --amplitude 1e6
equal "$(value sat.csv ahead saturated)" 1 'a star over 12 bits'
expect 0 stars $three --attitude 10,20,0 --fov 5 --full-well 5 -A 10000 -o well.npy --truth well.csv
equal "$(value well.csv ahead saturated)" 1 'a star over the full well'

# ---- a PSF image: a single sample is bicubic; given as a frame of our own ----
printf 'x,y,mag\n8,8,0\n' >one.csv
expect 0 stars --list one.csv --size 17x17 --sigma 2 --roi 17 -o psf.npy
expect 0 stars --list one.csv --size 17x17 --psf image --psf-image psf.npy --roi 17 -A 10000 --json -o image.npy
near "$(jq .flux_in_frame out)" 10000 1 'flux of a PSF image'
expect 0 stars --list one.csv --size 17x17 --psf moffat --json -o moffat.npy
no_temporaries .
