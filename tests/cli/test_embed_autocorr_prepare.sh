# docs/examples/autocorr.c and prepare.c against the installed libraries, found by pkg-config: the bits of `penta autocorr`
# and `penta prepare`.
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
