#!/bin/bash
# docs/examples build and run by find_package, pkg-config and add_subdirectory, with shared and with static libraries. What
# they compute is compared with the command by tests/cli/test_embed*.sh. Usage: test_examples.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
examples=$root/docs/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

step() { # WHAT COMMAND...
    local what=$1
    shift
    "$@" >log 2>&1 || { tail -n 30 log >&2; echo "$what failed" >&2; exit 1; }
}
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

sanitizers=$(setting PENTACL_SANITIZE)
if [ -n "$sanitizers" ]; then
    echo "skipped: the build without -fsanitize=$sanitizers runs this"
    exit 0
fi
names=$(cd "$examples" && ls ./*.c | sed 's|./||; s|\.c$||')
[ "$(wc -w <<<"$names")" -ge 7 ] || { echo "examples are missing: $names" >&2; exit 1; }
for name in $names; do
    lines=$(wc -l <"$examples/$name.c")
    [ "$lines" -lt 80 ] || { echo "$name.c has $lines lines; an example has less than 80" >&2; exit 1; }
done

# All programs are there; one that reads no file answers. KIND: shared or static, which is how it is linked.
try() { # WHAT KIND FOLDER
    local what=$1 kind=$2 folder=$3
    for name in $names; do
        [ -x "$folder/$name" ] || { echo "$what, $kind: there is no $name" >&2; exit 1; }
    done
    step "embed by $what, $kind" "$folder/embed"
    grep -q '(ok)$' log || { echo "embed by $what, $kind, says: $(cat log)" >&2; exit 1; }
    step "ldd" ldd "$folder/stars"
    if [ $kind = shared ]; then
        grep -q 'libpentacl_io\.so' log && grep -q 'libpentacl\.so' log
    else
        ! grep -q 'libpentacl' log
    fi || { echo "stars by $what is not $kind:" >&2; cat log >&2; exit 1; }
    echo "$what, $kind: ok"
}

by_find_package() { # KIND PREFIX
    step "configuring with find_package, $1" cmake -S "$examples" -B "found-$1" -DCMAKE_PREFIX_PATH="$2"
    grep -q "^pentacl_DIR:PATH=$2/" "found-$1/CMakeCache.txt" || { echo "another pentacl was found" >&2; exit 1; }
    step "building with find_package, $1" cmake --build "found-$1" --parallel 2
    try find_package "$1" "found-$1"
}

by_pkg_config() { # KIND PREFIX FLAG...
    local kind=$1 prefix=$2 folder
    shift 2
    folder=$(dirname "$(find "$prefix" -name pentacl-io.pc)")
    mkdir "pc-$kind"
    for name in $names; do
        step "$name.c with pkg-config, $kind" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/$name.c" \
            $(PKG_CONFIG_PATH=$folder pkg-config "$@" --cflags --libs pentacl-io) -lm "-Wl,-rpath,$(dirname "$folder")" \
            -o "pc-$kind/$name"
    done
    try pkg-config "$kind" "pc-$kind"
}

options=()
for name in TIFF FITS HDF5 GDAL MATIO RAW GIF; do
    options+=("-DPENTACL_WITH_$name=$(setting PENTACL_WITH_$name)")
done
if command -v ccache >/dev/null; then # the second build compiles nothing again
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
fi
mkdir project
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(host LANGUAGES C)
add_subdirectory($root pentacl)
add_subdirectory($examples examples)
END
by_add_subdirectory() { # KIND ON|OFF
    step "configuring with add_subdirectory, $1" cmake -S project -B "added-$1" -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_SHARED_LIBS="$2" -DPENTACL_BUILD_TOOLS=OFF -DPENTACL_BUILD_BENCH=OFF -DPENTACL_BUILD_TESTS=OFF "${options[@]}"
    step "building with add_subdirectory, $1" cmake --build "added-$1" --parallel 2
    try add_subdirectory "$1" "added-$1/examples"
}

step "installing the build" cmake --install "$build" --prefix "$work/shared"
by_find_package shared "$work/shared"
by_pkg_config shared "$work/shared"
by_add_subdirectory static OFF
step "installing static libraries" cmake --install added-static --prefix "$work/static"
by_find_package static "$work/static"
by_pkg_config static "$work/static" --static
by_add_subdirectory shared ON
