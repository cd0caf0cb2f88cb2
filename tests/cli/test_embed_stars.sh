# docs/examples/stars.c against the installed libraries, found by pkg-config: the frame and the truth of `penta stars`.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build=$(realpath "$(dirname "$PENTA")/..")
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../docs/examples")
prefix=$(realpath .)/prefix

sanitizers=$(sed -n 's/^PENTACL_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt") || fail "$PENTA is in no build tree"
if [ -n "$sanitizers" ]; then
    note "skipped: a plain program cannot load a library built with -fsanitize=$sanitizers"
    exit 0
fi

step() # WHAT COMMAND...: its output in file log
{
    local what=$1

    shift
    "$@" >log 2>&1 || { tail -n 20 log >&2; fail "$what failed"; }
}

step "cmake --install" cmake --install "$build" --prefix "$prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pentacl-io.pc)")
export PKG_CONFIG_PATH
pkg() # FLAG...
{
    pkg-config --define-variable=prefix="$prefix" "$@" pentacl-io || fail "pkg-config $* failed"
}
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
