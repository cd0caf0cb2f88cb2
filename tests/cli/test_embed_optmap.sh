# docs/examples/optmap.c against the installed libraries, found by pkg-config: the activation map of `penta optmap`.
. "$(dirname "${BASH_SOURCE[0]}")/embed.sh"

lines=$(wc -l <"$examples/optmap.c")
[ "$lines" -lt 80 ] || fail "optmap.c has $lines lines; an example has less than 80"
step "building optmap.c" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/optmap.c" $(pkg --cflags --libs) -lm \
    "-Wl,-rpath,$(pkg --variable=libdir)" -o optmap

# ---- a movie whose rate the file says, where this build reads such files ----
expect 0 sample optmap -o s --width 24 --height 24 --frames 400 --noise 100 -q
movie=s/movie.tif rate=0 flags=()
if ! has_format tif; then
    note "this build has no TIFF: the movie is NPY, and its rate is given"
    movie=s/movie.npy rate=1000 flags=(--rate 1000)
fi
mkdir maps
step optmap ./optmap $movie $rate 0.05 maps
shows log '^2 beats, 0 rotors; the first beat takes [0-9.]+ ms'
expect 0 optmap -q --no-report --pixel-size 0.05 "${flags[@]}" -o results $movie
same <(tail -c 2304 maps/activation.npy) <(tail -c 4608 results/activation.npy | head -c 2304) # the first of two beats
[ -s maps/activation.png ] || fail 'no picture'

# ---- doubts; errors ----
./optmap s/movie.npy 1000 0 maps >log 2>err || fail 'without velocities'
for wrong in 's/movie.npy 0 0.05 maps' 'none.tif 0 0.05 maps' 's/movie.tif 0 0.05 nowhere'; do
    ./optmap $wrong >log 2>err && fail "optmap $wrong succeeded"
    shows err '^optmap: .*(no|rate)'
done
