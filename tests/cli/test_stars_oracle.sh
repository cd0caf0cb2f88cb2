# penta stars on scenes with known answers: the frame of the paper's formulas, its truth, random stars, motion.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >list.csv <<'END'
x,y,mag
7.25,8.60,3
8,8,0
0.4,15.7,2
-1.2,3.3,1
12.5,12.5,-1
END
scene='--size 16x16 --sigma 1.2 --roi 10 --amplitude 1000'

# One pixel of a 16 x 16 NPY of float64.
pixel() # FILE COLUMN ROW
{
    npy_values "$1" f8 | sed -n "$((16 * $3 + $2 + 1))p"
}

close_to() # GOT WANTED RELATIVE WHAT
{
    near "$1" "$2" "$(awk -v w="$2" -v t="$3" 'BEGIN { printf "%.17g", w * t }')" "$4"
}

# ---- every engine, both precisions: the sum over the frame ----
for engine in auto serial threads pixel star tile fixed; do
    for psf in 'sampled 3712.041409988578 115.586094119850 13.976567220437' \
        'integrated 3708.184759533680 109.247060475017 13.368738907867'; do
        set -- $psf
        expect 0 stars --list list.csv $scene --psf "$1" --engine $engine --json -o single.npy
        silent
        json '.command == "stars" and .stars_in == 5 and .stars_drawn == 5 and .width == 16 and .height == 16 and .roi == 10'
        json '(.seconds | keys) == ["device", "total"] and (.device | keys) == ["name", "platform", "type"]'
        [ $engine = auto ] || json ".engine == \"$engine\""
        close_to "$(jq .flux_in_frame out)" "$2" 1e-6 "sum of $engine, $1"
        close_to "$(jq .flux_total out)" 4131.651337905208 1e-12 "flux of $engine, $1"
        equal "$(wc -c <single.npy)" $((128 + 4 * 256)) 'bytes of a float32 frame'
        expect 0 stars --list list.csv $scene --psf "$1" --engine $engine --precision double --json -o double.npy
        npy_is double.npy '<f8' 16
        close_to "$(jq .flux_in_frame out)" "$2" 1e-12 "sum of $engine, $1 in double"
        close_to "$(pixel double.npy 8 8)" "$3" 1e-12 "pixel (8, 8) of $engine, $1"
        close_to "$(pixel double.npy 0 15)" "$4" 1e-12 "pixel (0, 15) of $engine, $1"
    done
done
expect 0 stars --list list.csv $scene --mag-base pogson --mag-limit 0 --json -o limited.npy
json '.stars_in == 2 and .stars_drawn == 2'
close_to "$(jq .flux_total out)" 3511.8864315095797 1e-12 'flux with --mag-limit and --mag-base'

# ---- truth: a row a star; it is a list itself ----
expect 0 stars --list list.csv $scene --precision double --engine serial --truth truth.csv --json -o a.npy
equal "$(head -1 truth.csv)" id,ra,dec,mag,x,y,flux,flux_in_frame,saturated,x_mean,y_mean,x_start,y_start,x_end,y_end,electrons,dn,ra_catalog,dec_catalog,ra_apparent,dec_apparent,variable 'header of the truth'
equal "$(column truth.csv id | paste -sd ' ')" '1 2 3 4 5' 'ids'
equal "$(column truth.csv ra | tr -d '\n')" '' 'column ra'
equal "$(column truth.csv x | awk '{ printf "%g ", $1 }')" '7.25 8 0.4 -1.2 12.5 ' 'column x'
close_to "$(column truth.csv flux | sed -n 5p)" 2512 1e-15 'flux of star 5'
close_to "$(column truth.csv flux_in_frame | awk '{ s += $1 } END { printf "%.17g", s }')" \
    "$(jq .flux_in_frame out)" 1e-12 'sum of flux_in_frame'
expect 0 stars --list truth.csv $scene --precision double --engine serial -o b.npy -q
[ ! -s err ] || fail '-q printed a warning'
same a.npy b.npy
expect 0 stars --list truth.csv $scene --amplitude 2000 --truth clipped.csv -o a.png
equal "$(column clipped.csv saturated | paste -sd ' ')" '0 0 0 0 1' 'saturated in a PNG of 8 bits' # peaks 231 and 466
expect 0 stars --list truth.csv $scene --amplitude 2000 --truth clipped.csv --png-bits 16 -o a.png
equal "$(column clipped.csv saturated | paste -sd ' ')" '0 0 0 0 0' 'saturated in a PNG of 16 bits'
printf 'id,x,y,mag,note\n"a, b",3,3,0,\n007,900,3,0,off the frame\n,5,5,0,\n' >named.csv
expect 0 stars --list named.csv $scene --truth named.truth.csv --json -o a.npy
json '.stars_in == 3 and .stars_drawn == 2'
equal "$(sed -n 2p named.truth.csv | cut -c 1-9)" '"a, b",,,' 'a name with a comma'
equal "$(sed -n 3p named.truth.csv | cut -d , -f 1)" 3 'a star without a name'

# ---- random stars: by seed, free of noise ----
expect 0 stars --random 1000 --seed 7 --size 200x100 --truth r.csv --json -o r.npy
json '.stars_in == 1000 and .stars_drawn == 1000'
equal "$(awk -F, 'NR > 1 && ($4 < 0 || $4 >= 15 || $5 < -0.5 || $5 >= 199.5 || $6 < -0.5 || $6 >= 99.5)' r.csv)" '' \
    'random stars out of their bounds'
expect 0 stars --random 1000 --seed 7 --size 200x100 --truth r2.csv -o r2.npy
same r.npy r2.npy
same r.csv r2.csv
expect 0 stars --random 10 --seed 7 --size 200x100 --truth few.csv -o few.npy
equal "$(head -11 r.csv | cut -d , -f 1-6)" "$(cut -d , -f 1-6 few.csv)" 'the first random stars'
expect 0 stars --random 1000 --seed 8 --size 200x100 -o r2.npy
! cmp -s r.npy r2.npy || fail 'another seed gave the same frame'
expect 0 stars --random 1000 --mag-limit 3 --size 200x100 --truth r.csv -o r.npy
equal "$(awk -F, 'NR > 1 && $4 >= 3' r.csv)" '' 'random stars fainter than --mag-limit'

# ---- motion by list: a long way keeps its flux, and a short one is drawn as one star ----
printf 'x,y,mag,mx,my\n100,40,0,60,20\n' >long.csv
expect 0 stars --list long.csv -A 10000 --size 200x80 --psf integrated --roi 20 --truth long.truth.csv --json -o long.npy
json '.stars_in == 1 and .stars_drawn == 1'
close_to "$(jq .flux_in_frame out)" 10000 1e-6 'flux of a long way'
equal "$(column long.truth.csv x)" 100 'middle of the way'
printf 'x,y,mag,mx,my\n0,40,0,10,0\n' >edge.csv # half of its way is outside
expect 0 stars --list edge.csv -A 10000 --size 200x80 --psf integrated --sigma 1 --roi 30 --json -o edge.npy
close_to "$(jq .flux_in_frame out)" 5500 1e-5 'flux of a way over the edge'

# ---- other points of view: WIDTH is not HEIGHT; every suffix ----
for f in f.png f.npy f.tif f.TIFF f.fits; do
    has_format "${f##*.}" || continue
    expect 0 stars --list list.csv --size 31x17 -o $f
    shows out '^31 x 17 px: 5 of 5 stars drawn'
    exists $f
done
no_temporaries .
