# docs/examples/autocorr.c and prepare.c against the installed libraries, found by pkg-config: the bits of `penta autocorr`
# and `penta prepare`.
. "$(dirname "${BASH_SOURCE[0]}")/embed.sh"

for name in autocorr prepare; do
    lines=$(wc -l <"$examples/$name.c")
    [ "$lines" -lt 80 ] || fail "$name.c has $lines lines; an example has less than 80"
    step "building $name.c" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/$name.c" $(pkg --cflags --libs) -lm \
        "-Wl,-rpath,$(pkg --variable=libdir)" -o $name
done

# ---- a series that grows ----
expect 0 sample autocorr --frames 3 -o frames
step autocorr ./autocorr series.csv frames/*.png
expect 0 autocorr --no-plots -o measured frames/*.png
same series.csv measured/series.csv
./autocorr none.csv frames/nothing.png >log 2>err && fail 'autocorr read an image that is not there'
shows err 'nothing\.png'

# ---- photographs, with a look at the whole series ----
expect 0 sample prepare -o photos
expect 0 prepare --smooth-drift 2 --print-recipe
"$PENTA" prepare --smooth-drift 2 --print-recipe >recipe.json
step prepare ./prepare recipe.json clean photos/frame-*.png
expect 0 prepare --recipe recipe.json -o made photos/frame-*.png
same clean/0.png made/frame-0000.png
same clean/3.png made/frame-0003.png
same clean/3.mask.png made/frame-0003.mask.png
./prepare recipe.json clean photos/frame-0000.png frames/frame-0000.png >log 2>err && fail 'prepare took images of two sizes'
shows err 'not like the first'
