#!/bin/bash
# tools/new-workload in a copy of the tree: what it writes compiles without a warning, passes its tests and the rules of the
# house, and runs as a command, a self-test and a benchmark. Usage: test_new_workload.sh BUILD
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

step "tools/new-workload" tools/new-workload blur
if tools/new-workload blur 2>/dev/null || tools/new-workload Blur 2>/dev/null || tools/new-workload 2>/dev/null; then
    echo "a name that is taken, wrong or missing was accepted" >&2
    exit 1
fi
if command -v ccache >/dev/null; then # most files have been compiled before
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
options=()
for name in TIFF FITS HDF5 GDAL MATIO RAW GIF; do
    options+=("-DPENTACL_WITH_$name=$(setting PENTACL_WITH_$name)")
done
step "configuring" cmake -S . -B build/release -G "$(setting CMAKE_GENERATOR)" -DCMAKE_BUILD_TYPE=Release -DPENTACL_WERROR=ON \
    -DPENTACL_WITH_CUDA_PEERS=OFF "${options[@]}"
step "building" cmake --build build/release --parallel 2 --target penta penta-bench test_workloads
penta=build/release/bin/penta

step "the style of its files" clang-format --dry-run --Werror include/pentacl/blur.h src/blur/*.c tools/blur/*.c \
    tests/reference/blur.[ch] tests/workloads/test_blur.c bench/blur/bench.c
step "the test of the workload" build/release/bin/test_workloads test_blur
step "the rules of the house" tests/house/includes
step "circles" tests/house/circles build/release
step "penta blur --help" "$penta" blur --help
grep -q -- '--radius' "$work/log"
step "penta selftest" "$penta" selftest
grep -q '^blur *ok' "$work/log"
step "penta options" "$penta" options --json
grep -q '"blur"' "$work/log"
printf 'P2 4 3 255\n0 0 0 0 0 9 0 0 0 0 0 0\n' >"$work/image.pgm"
step "penta blur" "$penta" blur -o "$work/out" "$work/image.pgm"
[ -s "$work/out/blur.npy" ]
step "penta bench blur" "$penta" bench blur
grep -q 'blur 1024x1024' "$work/log"
[ -s "docs/workloads/blur.md" ]
