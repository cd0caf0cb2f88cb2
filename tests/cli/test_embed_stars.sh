# docs/examples/stars.c against the installed libraries, found by pkg-config: the frame and the truth of `penta stars`.
. "$(dirname "${BASH_SOURCE[0]}")/embed.sh"

lines=$(wc -l <"$examples/stars.c")
[ "$lines" -lt 80 ] || fail "stars.c has $lines lines; an example has less than 80"
step "building stars.c" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/stars.c" $(pkg --cflags --libs) -lm \
    "-Wl,-rpath,$(pkg --variable=libdir)" -o stars

# ---- the built-in catalogue ----
mkdir sky
step stars ./stars sky
shows log '^269 of 9096 stars'
amplitude=$(awk 'BEGIN { printf "%.17g", 0.5 * 10 ^ (0.4 * 16) }') # --zero-point would turn on the noise
look="--attitude 83.8,-1.2,0 --size 640x480 --fov 30 --rate 0,0.4,3 --exposure 0.5 --amplitude $amplitude --mag-base pogson"
suffix=npy
has_format fits && suffix=fits
expect 0 stars $look -q -o frame.$suffix --truth truth.csv
same <(tail -c 1228800 sky/orion.$suffix) <(tail -c 1228800 frame.$suffix) # float32 pixels; FITS fills up its last block
same <(cut -d , -f 1-21 sky/orion.csv) <(cut -d , -f 1-21 truth.csv)

# ---- a catalogue of the user's; errors ----
printf 'id,ra,dec,mag\na,83.8,-1.2,2\nb,200,0,1\n' >two.csv
step stars ./stars sky two.csv
shows log '^1 of 2 stars'
equal "$(cut -d , -f 1 sky/orion.csv | tail -n +2)" a 'the star drawn'
for wrong in 'nowhere two.csv' 'sky none.csv'; do
    ./stars $wrong >log 2>err && fail "stars $wrong succeeded"
    shows err '^stars: .*no'
done
