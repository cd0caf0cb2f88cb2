#!/bin/bash
# docs/examples build and run by find_package, pkg-config and add_subdirectory, with shared and with static libraries; a host
# project that adds this folder keeps its own settings; licences are installed. What the examples compute is compared with the command by tests/cli/test_embed*.sh. Usage: test_examples.sh BUILD
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
complain() { echo "$*" >&2; exit 1; }
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
    step "device by $what, $kind" "$folder/device"
    grep -q '(ok)$' log || { echo "device by $what, $kind, says: $(cat log)" >&2; exit 1; }
    step "ldd" ldd "$folder/stars"
    if [ $kind = shared ]; then
        grep -q 'libpentacl_io\.so' log && grep -q 'libpentacl\.so' log
    else
        ! grep -q 'libpentacl' log
    fi || { echo "stars by $what is not $kind:" >&2; cat log >&2; exit 1; }
    echo "$what, $kind: ok"
}

# Texts of licences, among them that of VkFFT as its header has it.
installed_notices() { # PREFIX
    local header docs=$1/share/doc/pentacl
    header=$(setting VKFFT_INCLUDE_DIR)/vkFFT.h
    cmp -s "$root/LICENSE" "$docs/LICENSE" || complain "there is no $docs/LICENSE"
    sed -n '/^#/q; s|^// \{0,1\}||p' "$header" | sed -n '/^Copyright/,$p' >vkfft
    [ "$(wc -l <vkfft)" -ge 15 ] || complain "$header begins with no licence"
    tr -s ' \n' ' ' <"$docs/THIRD-PARTY-NOTICES" | grep -qF "$(tr -s ' \n' ' ' <vkfft)" ||
        complain "$docs/THIRD-PARTY-NOTICES lacks the licence of $header"
}

by_find_package() { # KIND PREFIX
    step "configuring with find_package, $1" cmake -S "$examples" -B "found-$1" -DCMAKE_PREFIX_PATH="$2"
    grep -q "^pentacl_DIR:PATH=$2/" "found-$1/CMakeCache.txt" || { echo "another pentacl was found" >&2; exit 1; }
    step "building with find_package, $1" cmake --build "found-$1" --parallel 2
    try find_package "$1" "found-$1"
}

by_pkg_config() { # KIND PREFIX FLAG...
    local kind=$1 prefix=$2 folder cxx=${CXX:-c++}
    shift 2
    folder=$(dirname "$(find "$prefix" -name pentacl-io.pc)")
    ! grep -q '\.so' "$folder"/*.pc || complain "$folder has names of files of this machine: $(grep '\.so' "$folder"/*.pc)"
    mkdir "pc-$kind"
    for name in $names; do
        step "$name.c with pkg-config, $kind" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$examples/$name.c" \
            $(PKG_CONFIG_PATH=$folder pkg-config "$@" --cflags --libs pentacl-io) -lOpenCL -lm \
            "-Wl,-rpath,$(dirname "$folder")" -o "pc-$kind/$name"
    done
    if command -v "$cxx" >/dev/null; then
        step "embed.cpp with pkg-config, $kind" "$cxx" -std=c++17 -Wall -Wextra -Werror "$examples/embed.cpp" \
            $(PKG_CONFIG_PATH=$folder pkg-config "$@" --cflags --libs pentacl) -lm \
            "-Wl,-rpath,$(dirname "$folder")" -o "pc-$kind/embed_cpp"
        step "embed.cpp by pkg-config, $kind" "pc-$kind/embed_cpp"
        grep -q '(ok)$' log || { echo "embed.cpp by pkg-config, $kind, says: $(cat log)" >&2; exit 1; }
    fi
    try pkg-config "$kind" "pc-$kind"
}

options=()
for name in TIFF FITS HDF5 GDAL MATIO RAW GIF; do
    options+=("-DPENTACL_WITH_$name=$(setting PENTACL_WITH_$name)")
done
if command -v ccache >/dev/null; then # the second build compiles nothing again
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
fi

# The host does not say whether libraries are shared: they are static, as everywhere in CMake, also when it is configured again.
mkdir project
echo 'int host_part(void) { return 1; }' >project/part.c
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(host LANGUAGES C)
add_library(part part.c)
add_subdirectory($root pentacl)
add_subdirectory($examples examples)
END
by_add_subdirectory() { # KIND CMAKE-ARGUMENT...
    local kind=$1 suffix=.a built
    shift
    [ "$kind" = static ] || suffix=.so
    for time in first second; do
        step "configuring with add_subdirectory, $kind, the $time time" cmake -S project -B "added-$kind" \
            -DCMAKE_BUILD_TYPE=Release "${options[@]}" "$@"
    done
    step "building with add_subdirectory, $kind" cmake --build "added-$kind" --parallel 2
    try add_subdirectory "$kind" "added-$kind/examples"
    [ -e "added-$kind/libpart$suffix" ] || complain "a library of the host project is not $kind"
    built=$(find "added-$kind" -type f -executable \( -name 'penta*' -o -name 'test_*' \))
    [ -z "$built" ] || complain "a host project builds the command or the tests too: $built"
}

step "installing the build" cmake --install "$build" --prefix "$work/shared"
by_find_package shared "$work/shared"
by_pkg_config shared "$work/shared"
installed_notices "$work/shared"
by_add_subdirectory static
step "installing static libraries" cmake --install added-static --prefix "$work/static"
installed_notices "$work/static"
by_find_package static "$work/static"
by_pkg_config static "$work/static" --static
by_add_subdirectory shared -DBUILD_SHARED_LIBS=ON

# A static library without the libraries that it needs is not found, and the reason is said.
echo 'set(CMAKE_FIND_LIBRARY_SUFFIXES .none)' >no_libraries.cmake
if cmake -S "$examples" -B lacking -DCMAKE_PREFIX_PATH="$work/static" \
    -DCMAKE_PROJECT_pentacl_examples_INCLUDE="$work/no_libraries.cmake" >log 2>&1; then
    complain "find_package found a static pentacl without clFFT"
fi
tr -s ' \n' ' ' <log | grep -q 'needs libraries that were not found:.*clFFT' || complain "find_package says: $(cat log)"
