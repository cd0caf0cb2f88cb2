# Recipes: printed, applied, flags before them, errors; penta autocorr --recipe gives what penta prepare and penta autocorr
# one after the other give.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

data=$(dirname "${BASH_SOURCE[0]}")/../../data/recipes

# ---- printed and read again ----
expect 0 prepare --flatten poly --crop 1,2,60,50 --dust-limit 4.5 --dark dark.tif --print-recipe
silent
cp out recipe.json
json 'keys == (["batch", "contrast", "contrast_of", "correlation", "crop", "dark", "depth", "dust", "dust_grow", "dust_key",
    "dust_limit", "dust_most", "dust_size", "fft", "flat", "flatten", "flatten_degree", "flatten_sigma", "format", "grey",
    "interpolation", "key_score", "max_angle", "max_drift", "min_score", "register", "smooth_drift", "white"])'
json '.flatten == "poly" and .crop == "1,2,60,50" and .dust_limit == 4.5 and .dark == "dark.tif"'
json '.flat == null and .dust_size == 16 and .min_score == 0.2 and .register == "shift"'
shows out '"min_score": 0\.2,'
expect 0 prepare --recipe recipe.json --print-recipe
same out recipe.json
expect 0 prepare --recipe recipe.json --flatten overlay --dust-limit 5 --print-recipe # flags, of a default's value too
json '.flatten == "overlay" and .dust_limit == 5 and .crop == "1,2,60,50"'
for f in "$data"/*.json; do
    expect 0 prepare --recipe "$f" --print-recipe
done

# ---- frames: a pattern, brighter from one to the next ----
hash_pixels 64 48 >base
for i in 1 2 3; do
    awk -v i=$i '{ print int($1 / 4) + 40 * i }' base | pgm 64 48 >f$i.pgm
done

# ---- errors: one line, nothing written ----
bad() # TEXT PATTERN
{
    echo "$1" >bad.json
    refuse 1 "bad\.json: .*$2" prepare --recipe bad.json -o bad f1.pgm f2.pgm
    refuse 1 "bad\.json: .*$2" autocorr --recipe bad.json -o bad f1.pgm f2.pgm
    absent bad
}
bad '{"flaten": "poly"}' "there is no option 'flaten'; the nearest is flatten"
bad '{"dust-limit": 4}' "there is no option 'dust-limit'; the nearest is dust_limit"
bad '{"registration": "rigid"}' "there is no option 'registration'; penta prepare --print-recipe prints those that there are"
for key in output device watch keep_going keep-going interval no_sheet json; do
    bad '{"'$key'": "x"}' "'$key' is an option of the command, not of a recipe"
done
bad '{"contrast": "98,2"}' 'contrast is 98,2; LO must be below HI'
bad '{"contrast": "x"}' "contrast needs two numbers LO,HI, not 'x'"
bad '{"dust_key": ""}' "dust_key needs two numbers LO,HI, not ''"
bad '{"crop": "0,0,10"}' "crop needs four whole numbers X,Y,W,H, not '0,0,10'"
bad '{"dust_limit": 4, "crop": "0,0,10,20"}' 'crop to 10 x 20 px leaves too few'
bad '{"format": "jpeg"}' 'format needs one of png,tiff,npy,fits'
bad '{"flatten": 3}' 'flatten needs a name in quotes, not 3'
bad '{"flatten": "flat"}' "flatten needs one of .*, not 'flat'"
bad '{"dust_size": "16"}' 'dust_size needs a whole number'
bad '{"dust_size": 1}' 'dust_size is 1 px; it must be between 3 and 256'
bad '{"dust_size": 16, "dust_size": 17}' 'is no JSON'
bad '["flatten"]' 'is no recipe'
bad 'flatten: poly' 'is no JSON \(line 1'
refuse 1 'missing\.json' autocorr --recipe missing.json -o bad f1.pgm
echo '{"contrast": "98,2"}' >bad.json
expect 0 prepare --recipe bad.json --contrast 2,98 --print-recipe # the flag goes before it
json '.contrast == "2,98"'
echo '{"crop": "1,2,600,50"}' >bad.json
refuse 1 'crop' autocorr --no-plots --recipe bad.json -o bad f1.pgm
echo '{"dark": "nowhere.tif"}' >bad.json
refuse 1 'nowhere\.tif' autocorr --no-plots --recipe bad.json -o bad f1.pgm

# ---- a recipe brings back the run that printed it, its files too ----
flags='--flatten poly --dust copy --register none --contrast 1,99 --crop 2,3,48,40'
expect 0 prepare $flags --depth f32 --format npy --print-recipe
cp out float.json
json '.format == "npy" and .depth == "f32"'
expect 0 prepare -q --no-sheet --depth f32 --format npy $flags -o first f1.pgm f2.pgm
expect 0 prepare -q --no-sheet --recipe float.json -o again f1.pgm f2.pgm
holds again f{1,2}.npy f{1,2}.mask.png drift.csv
for f in f{1,2}.npy f{1,2}.mask.png drift.csv; do
    same first/$f again/$f
done
refuse 2 'a PNG holds no floating-point numbers' prepare --recipe float.json --format png -o bad f1.pgm
expect 0 autocorr -q --no-plots -R 12 --recipe float.json -o one f1.pgm f2.pgm # which writes no frames
silent
expect 0 autocorr -q --no-plots -R 12 -o two first/f{1,2}.npy --mask first/f1.mask.png
same one/f1.c2d.npy two/f1.c2d.npy

# ---- the same numbers by one command or by two ----
same_answers() # RECIPE FLAG...: of the frames f1 to f3, by autocorr with these flags
{
    local recipe=$1 i

    shift
    rm -rf clean one two
    expect 0 prepare -q --no-sheet --recipe "$recipe" -o clean f1.pgm f2.pgm f3.pgm
    expect 0 autocorr -q --no-plots "$@" --recipe "$recipe" -o one f1.pgm f2.pgm f3.pgm
    lacks err ': (note|error): '
    expect 0 autocorr -q --no-plots "$@" -o two clean/*.png
    equal "$(cut -d, -f1,3- one/series.csv)" "$(cut -d, -f1,3- two/series.csv)" 'series.csv by one command'
    for i in 1 2 3; do
        same one/f$i.c2d.npy two/f$i.c2d.npy
        same one/f$i.c1d.csv two/f$i.c1d.csv
    done
}

echo '{"flatten": "none", "dust": "none", "register": "none"}' >none.json
same_answers none.json -R 12 --numerators
same one/f2.n2d.npy two/f2.n2d.npy
echo '{"flatten": "none", "dust_limit": 0, "dust_key": "85,145", "dust_grow": 0, "dust_most": 1, "register": "none", "depth": "u8",
    "crop": "3,4,50,40"}' >key.json
same_answers key.json -R 12 --demean mean
expect 0 autocorr --no-plots --json -R 12 --recipe key.json -o one f1.pgm f2.pgm f3.pgm
json '[.frames[] | [.width, .height]] | unique == [[50, 40]]'

# What the recipe masks is what --mask would exclude, and --mask counts too.
awk '{ print int($1 / 4) + 80 }' base >second
awk 'int((NR - 1) / 64) >= 4 && int((NR - 1) / 64) < 44 && (NR - 1) % 64 >= 3 && (NR - 1) % 64 < 53' second >cropped
equal "$(wc -l <cropped)" 2000 'pixels of the crop'
pgm 50 40 <cropped >second.pgm
awk '{ print ($1 >= 85 && $1 <= 145) }' cropped | pgm 50 40 >key.pgm
expect 0 autocorr --no-plots -R 12 --mask key.pgm -o alone second.pgm
expect 0 autocorr --no-plots -R 12 --recipe key.json -o one f2.pgm
same one/f2.c2d.npy alone/second.c2d.npy
hash_pixels 50 40 3 3 | awk '{ print ($1 > 50) }' >extra
pgm 50 40 <extra >extra.pgm
paste -d ' ' extra cropped | awk '{ print ($1 && $2 >= 85 && $2 <= 145) }' | pgm 50 40 >both.pgm
expect 0 autocorr --no-plots -R 12 --mask both.pgm -o alone second.pgm
expect 0 autocorr --no-plots -R 12 --mask extra.pgm --recipe key.json -o one f2.pgm
same one/f2.c2d.npy alone/second.c2d.npy
refuse 1 '--mask f1\.pgm is 64 x 48, the frames are 50 x 40' autocorr --no-plots --mask f1.pgm --recipe key.json -o bad f2.pgm

# ---- colour comes to the recipe as colour ----
paste -d ' ' base <(tac base) second | {
    printf 'P6\n64 48\n255\n'
    printf '%b' "$(awk '{ printf "\\x%02x\\x%02x\\x%02x", $1, $2, $3 }')"
} >colour.ppm
tac base | pgm 64 48 >green.pgm
echo '{"grey": "green", "flatten": "none", "dust": "none", "register": "none", "depth": "u8"}' >green.json
expect 0 autocorr --no-plots -R 12 --recipe green.json -o one colour.ppm
expect 0 autocorr --no-plots -R 12 -o two green.pgm
same one/colour.c2d.npy two/green.c2d.npy

# ---- frames that a recipe refuses ----
echo '{"flatten": "none", "dust_limit": 0, "dust_key": "100,200", "dust_grow": 0, "dust_most": 0.5, "register": "none"}' >most.json
refuse 1 'f1\.pgm: .*dust' autocorr --no-plots -R 12 --recipe most.json -o bad f1.pgm f3.pgm
expect 1 autocorr --no-plots -q --keep-going -R 12 --recipe most.json -o most f1.pgm f3.pgm
one_line 'skipped: f1\.pgm: .*dust'
equal "$(column most/series.csv status | head -1)" error 'status of the frame full of dust'
hash_pixels 63 48 | pgm 63 48 >other.pgm
refuse 1 'other\.pgm is 63 x 48, but the series began with 64 x 48' \
    autocorr --no-plots -R 12 --recipe none.json -o finished f1.pgm other.pgm
exists finished/f1.c2d.npy finished/series.csv

# ---- all steps ----
expect 0 sample prepare --frames 4 --width 320 --height 256 -q -o photos
mv photos/*.png .
for i in 1 2 3; do
    rm -f f$i.pgm
    ln -s frame-000$i.png f$i.pgm
done
echo '{"flatten": "poly", "contrast": "0.5,99.5"}' >all.json
same_answers all.json --demean mean
