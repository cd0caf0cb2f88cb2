#!/bin/bash
# tools/new-format in a copy of the tree: what it writes compiles without a warning, passes its test and the rules of the
# house, and the libraries and penta read and write it: a picture comes back with the same bytes. Usage: test_new_format.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { # WHAT COMMAND...
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; echo "$what failed" >&2; exit 1; }
}
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

sanitizers=$(setting PENTACL_SANITIZE)
if [ -n "$sanitizers" ]; then
    echo "skipped: the build without -fsanitize=$sanitizers runs this"
    exit 0
fi
mkdir "$work/tree"
(cd "$root" && tar --exclude=./build --exclude=./.git --exclude='./.g[a-z]' -cf - .) | tar -xf - -C "$work/tree"
cd "$work/tree"

step "tools/new-format" tools/new-format tile
for wrong in tile png image Tile ''; do # taken, a row, another meaning of io_image_format, no name
    if tools/new-format $wrong 2>/dev/null; then
        echo "tools/new-format $wrong was accepted" >&2
        exit 1
    fi
done
if command -v ccache >/dev/null; then # most files have been compiled before
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
options=()
for name in TIFF FITS HDF5 GDAL MATIO RAW GIF; do
    options+=("-DPENTACL_WITH_$name=$(setting PENTACL_WITH_$name)")
done
step "configuring" cmake -S . -B build/release -G "$(setting CMAKE_GENERATOR)" -DCMAKE_BUILD_TYPE=Release -DPENTACL_WERROR=ON \
    -DPENTACL_WITH_CUDA_PEERS=OFF -DBUILD_SHARED_LIBS=ON "${options[@]}"
step "building" cmake --build build/release --parallel 2 --target penta test_unit test_io_new_format
penta=build/release/bin/penta

step "the style of its files" clang-format --dry-run --Werror src/io/image_tile.c tests/unit/test_io_image_tile.c
for test in test_io_image_tile test_io_formats; do
    step "$test" build/release/bin/test_unit $test
done
step "a format that is not in the tree" build/release/bin/test_io_new_format
step "the rules of the house" tests/house/includes
step "circles" tests/house/circles build/release
step "penta version --formats" "$penta" version --formats
grep -q TILE "$work/log"

# A program that converts by the names of its files, and back.
cat >"$work/convert.c" <<'END'
#include <pentacl/io.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    penta_io_image image = {0};
    penta_io_error error = {""};
    int ok = argc == 3 && penta_io_image_read(argv[1], &image, &error) &&
             penta_io_image_write(argv[2], &image, NULL, &error);

    penta_io_image_free(&image);
    fprintf(stderr, "%s\n", error.text);
    return !ok;
}
END
step "compiling a program" "$(setting CMAKE_C_COMPILER)" -std=c11 -Iinclude -Ibuild/release/generated "$work/convert.c" \
    -o "$work/convert" -Lbuild/release/lib -lpentacl_io -lpentacl "-Wl,-rpath,$PWD/build/release/lib"
sky=(stars --random 400 --seed 3 --size 61x47 --png-bits 8)
step "penta stars -o sky.png" "$penta" "${sky[@]}" -o "$work/sky.png"
step "converting" "$work/convert" "$work/sky.png" "$work/sky.tile"
step "converting back" "$work/convert" "$work/sky.tile" "$work/back.png"
step "the first bytes" test "$(head -c 4 "$work/sky.tile")" = qoif
step "the picture after both" cmp "$work/sky.png" "$work/back.png"
mkdir "$work/png" "$work/tile"
cp "$work/sky.png" "$work/png/sky.png"
cp "$work/sky.tile" "$work/tile/sky.tile"
for end in png tile; do # the command reads it by its content
    step "penta autocorr of sky.$end" "$penta" autocorr -R 10 --no-plots -o "$work/$end/out" "$work/$end/sky.$end"
done
step "what penta made of both" cmp "$work/png/out/sky.c2d.npy" "$work/tile/out/sky.c2d.npy"
